"""Tasks about booked trips: change, cancel, seats, bags, check-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.worlds import Move, Tap
from fairground_pocket.flights.scenarios.finding import FLIGHT, open_trip, option_name, trip
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Task

OPEN: Final = "b.fare != 'light' AND first.id = last.id"
"""Trips that can be changed, with a single flight each way."""
PAID: Final = Add("payments", "booking = :trip_id AND amount > 0")
NEWS: Final = Add("notices", "booking = :trip_id")
RIDERS: Final = "(SELECT count(*) FROM riders WHERE booking = :trip_id)"


class CancelTrip(Task):
    """Cancel a booking with its refund."""

    name = "cancel-trip"
    app = "flights"
    template = "I can't go to {trip.city} on {trip.words} after all. Please cancel that booking, {trip.code}."
    domain = {"nth": {f"no-{n}": n for n in range(12)}}
    facts = {"trip": trip(), "back": "SELECT :trip_fare_total * refund / 100 FROM fares WHERE key = :trip_fare"}
    expect = (
        Expect("it is cancelled", "SELECT status FROM after.bookings WHERE id = :trip_id", "cancelled"),
        Expect("what the fare gives back is back", "SELECT coalesce(-sum(amount), 0) = :back FROM after.payments WHERE "
               "id NOT IN (SELECT id FROM before.payments)"),
    )  # fmt: skip
    allowed = (
        Change("bookings", ("status",), "id = :trip_id"), Add("payments", "booking = :trip_id AND amount < 0"), NEWS,
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_trip(data, known.trip), Tap("Cancel booking"), Tap("Cancel booking now")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"not confirmed": [*open_trip(data, known.trip), Tap("Cancel booking"), Tap("Close")]}


class ChangeOutbound(Task):
    """Move the outbound leg to another day."""

    name = "change-outbound"
    app = "flights"
    template = (
        "Move my outbound flight to {trip.city}, booking {trip.code}, to {new.words}: the first nonstop flight of that "
        "day. I'm fine with whatever it costs. Leave everything else as it is."
    )
    domain = {
        "nth": {f"no-{n + 1}": n for n in range(6)},
        "later": {"day-later": "+1 day", "two-days-later": "+2 days"},
    }
    facts = {
        "trip": trip(
            f"{OPEN} AND first.departs > (SELECT date(now, '+2 days') FROM clock) AND first.departs < (SELECT "
            f"date(now, "
            "'+37 days') FROM clock) AND (back.id IS NULL OR date(back.departs) > date(first.departs, '+3 days'))"
        ),
        "new": f"{FLIGHT} WHERE origin = :trip_origin AND destination = :trip_destination AND substr(departs, 1, 10) = "
        "date(:trip_day, :later) ORDER BY departs, id LIMIT 1",
    }
    expect = (
        Expect("everybody is on the new flight", f"SELECT count(*) = {RIDERS.replace('riders', 'before.riders')} FROM "
               "after.coupons WHERE booking = :trip_id AND leg = 'out' AND flight = :new_id", weight=2),
        Expect("fee and fare difference are paid", "SELECT coalesce(sum(amount), 0) - (SELECT fare_total FROM "
               "after.bookings WHERE id = :trip_id) + :trip_fare_total - (SELECT change_fee FROM before.fares "
               "WHERE key "
               f"= :trip_fare) * {RIDERS.replace('riders', 'before.riders')} FROM after.payments WHERE id NOT IN "
               "(SELECT id FROM before.payments)", 0),
    )  # fmt: skip
    allowed = (
        Change("coupons", ("flight", "seat"), "booking = :trip_id AND leg = 'out'"),
        Change("bookings", ("fare_total",), "id = :trip_id"), PAID, NEWS,
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """The outbound flight is selected by default."""
        way: list[Move] = [Tap("Change flight"), Tap("New date"), Tap(known.new.words), Tap("Show flights")]
        return [*open_trip(data, known.trip), *way, Tap(option_name(known.new)), Tap("Confirm change")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        way: list[Move] = [Tap("Change flight"), Tap("New date"), Tap(known.new.words), Tap("Show flights")]
        start = open_trip(data, known.trip)
        return {
            "not confirmed": [*start, *way, Tap(option_name(known.new))],
            "cancelled": [*start, Tap("Cancel booking"), Tap("Cancel booking now")],
        }


class ChangeReturn(Task):
    """Move the return leg to another day."""

    name = "change-return"
    app = "flights"
    template = (
        "I want to stay longer in {trip.city}: in booking {trip.code}, change the return flight to the cheapest "
        "nonstop "
        "one on {new.words}. Paying for the change is fine."
    )
    domain = {"nth": {f"no-{n + 1}": n for n in range(4)}, "later": {f"{n}-later": f"+{n} days" for n in (1, 2, 4)}}
    facts = {
        "trip": trip(f"{OPEN} AND back.id IS NOT NULL AND back.departs < (SELECT date(now, '+36 days') FROM clock)"),
        "new": f"{FLIGHT} WHERE origin = :trip_destination AND destination = :trip_origin AND substr(departs, 1, 10) = "
        "date(:trip_back_day, :later) ORDER BY price, id LIMIT 1",
    }
    expect = (
        Expect("everybody is on the new flight", f"SELECT count(*) = {RIDERS.replace('riders', 'before.riders')} FROM "
               "after.coupons WHERE booking = :trip_id AND leg = 'back' AND flight = :new_id"),
    )  # fmt: skip
    allowed = (
        Change("coupons", ("flight", "seat"), "booking = :trip_id AND leg = 'back'"),
        Change("bookings", ("fare_total",), "id = :trip_id"), PAID, NEWS,
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        way: list[Move] = [Tap("Change flight"), Tap("Return, "), Tap("New date"), Tap(known.new.words)]
        new: list[Move] = [Tap("Show flights"), Tap(option_name(known.new)), Tap("Confirm change")]
        return [*open_trip(data, known.trip), *way, *new]


_COUPON: Final = """
SELECT c.id, c.seat, r.name FROM coupons c JOIN riders r ON r.id = c.rider
WHERE c.booking = :trip_id AND c.flight = :trip_flight
"""
_FREE: Final = """
FROM plan_seats p WHERE p.plan = :trip_plan AND p.cabin = :trip_cabin AND p.taken = 0 AND p.seat NOT IN
(SELECT seat FROM coupons WHERE flight = :trip_flight)
"""


def seated(data: Database, known: Known, seat: str) -> list[Move]:
    """From the first screen to a seat assigned to a traveller."""
    there: list[Move] = [Tap("Seats"), Tap(f"Seat of {known.rider.name} on {known.trip.number}")]
    return [*open_trip(data, known.trip), *there, Tap(f"Seat {seat}"), Tap(f"Take seat {seat}")]


class ChooseSeat(Task):
    """Assign a given seat to a traveller."""

    name = "choose-seat"
    app = "flights"
    template = (
        "Put {rider.name} in seat {seat} on flight {trip.number} of our trip to {trip.city}, booking {trip.code}."
    )
    domain = {"nth": {f"no-{n + 1}": n for n in range(8)}, "row": (8, 11, 17, 20, 23)}
    facts = {
        "trip": trip("b.cabin = 'economy' AND first.departs > (SELECT date(now, '+2 days') FROM clock)"),
        "rider": f"{_COUPON} ORDER BY c.id DESC LIMIT 1",
        "seat": f"SELECT seat {_FREE} AND legroom = 0 AND row >= :row ORDER BY row, letter LIMIT 1",
    }
    expect = (Expect("they sit there", "SELECT seat FROM after.coupons WHERE id = :rider_id", "{seat}"),)
    allowed = (Change("coupons", ("seat",), "id = :rider_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return seated(data, known, known.seat)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"not taken": seated(data, known, known.seat)[:-1]}


class LegroomSeat(Task):
    """Choose a seat with extra legroom."""

    name = "legroom-seat"
    app = "flights"
    template = (
        "Get {rider.name} an extra legroom seat {where} on flight {trip.number} to {trip.city}, booking "
        "{trip.code}. It may cost something."
    )
    domain = {
        "nth": {f"no-{n + 1}": n for n in range(6)},
        "kind": {
            "window": {"letters": "AF", "where": "at the window"},
            "aisle": {"letters": "CD", "where": "on the aisle"},
        },
    }
    facts = {
        "trip": trip(
            "b.cabin = 'economy' AND first.id = last.id AND first.departs > (SELECT date(now, '+2 days') FROM clock)"
        ),
        "rider": f"{_COUPON} ORDER BY c.id LIMIT 1",
        "seat": f"SELECT seat {_FREE} AND legroom = 1 AND instr(:letters, letter) ORDER BY row, letter LIMIT 1",
    }
    expect = (
        Expect(
            "it is a seat of that kind",
            "SELECT count(*) FROM after.coupons c JOIN before.plan_seats p ON p.plan = "
            ":trip_plan AND p.seat = c.seat WHERE c.id = :rider_id AND p.legroom = 1 AND instr(:letters, p.letter)",
        ),
        Expect(
            "it was taken once",
            "SELECT count(*) <= 1 FROM after.payments WHERE id NOT IN (SELECT id FROM before.payments)",
        ),
    )
    allowed = (Change("coupons", ("seat",), "id = :rider_id"), PAID)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return seated(data, known, known.seat)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        named = {**known.bindings()}
        plain_seats = data.query(
            f"SELECT seat {_FREE} AND legroom = 0 AND instr(:letters, letter) ORDER BY row LIMIT 1", named
        )
        return {"no legroom": seated(data, known, plain_seats[0][0])} if plain_seats else {}


class AddBags(Task):
    """Add bags for a traveller."""

    name = "add-bags"
    app = "flights"
    template = "Add {words} for {rider.name} to booking {trip.code}, the trip to {trip.city}, and pay for it."
    domain = {
        "nth": {f"no-{n + 1}": n for n in range(10)},
        "count": {
            "one": {"count": 1, "words": "one more checked bag"},
            "two": {"count": 2, "words": "two more checked bags"},
        },
    }
    facts = {
        "trip": trip(),
        "rider": "SELECT id, name, extra_bags FROM riders WHERE booking = :trip_id ORDER BY id LIMIT 1",
        "cost": "SELECT :count * value FROM settings WHERE name = 'bag_price'",
    }
    expect = (
        Expect(
            "they have as many more",
            "SELECT extra_bags - :rider_extra_bags = :count FROM after.riders WHERE id = :rider_id",
        ),
        Expect(
            "they are paid",
            "SELECT sum(amount) = :cost FROM after.payments WHERE id NOT IN (SELECT id FROM before.payments)",
        ),
    )
    allowed = (Change("riders", ("extra_bags",), "id = :rider_id"), PAID)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        more: list[Move] = [Tap(f"More Extra bags for {known.rider.name}")] * known.count
        return [*open_trip(data, known.trip), Tap("Add bags"), *more, Tap("Pay for bags")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        more: list[Move] = [Tap(f"More Extra bags for {known.rider.name}")] * known.count
        start = [*open_trip(data, known.trip), Tap("Add bags")]
        return {"one too many": [*start, more[0], *more, Tap("Pay for bags")], "not paid": [*start, *more]}


class SeatAndCheckIn(Task):
    """Choose a seat, then check in, for one traveller of several."""

    name = "seat-and-check-in"
    app = "flights"
    template = (
        "Check {rider.name} in for flight {trip.number} to {trip.city}, booking {trip.code}, in seat {seat}. Check in "
        "nobody else. There is nothing dangerous in the bags."
    )
    domain = {"nth": {f"no-{n + 1}": n for n in range(3)}, "row": (9, 12, 17, 21)}
    facts = {
        "trip": trip(
            "b.cabin = 'economy' AND first.id = last.id AND first.starts * 60 > strftime('%s', (SELECT now FROM "
            "clock)) - "
            "60 * (SELECT value FROM settings WHERE name = 'utc_offset') + 5400 AND first.departs < (SELECT "
            "datetime(now, "
            "'+46 hours') FROM clock) AND NOT EXISTS (SELECT 1 FROM coupons c WHERE c.booking = b.id AND "
            "c.checked_in = 1)"
        ),
        "rider": f"{_COUPON} ORDER BY c.id DESC LIMIT 1",
        "seat": f"SELECT seat {_FREE} AND legroom = 0 AND row >= :row ORDER BY row, letter LIMIT 1",
    }
    expect = (
        Expect("they sit there", "SELECT seat FROM after.coupons WHERE id = :rider_id", "{seat}"),
        Expect("they are checked in", "SELECT checked_in FROM after.coupons WHERE id = :rider_id"),
    )
    allowed = (Change("coupons", ("seat", "checked_in"), "id = :rider_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """Chooses the seat first, because check-in fixes it."""
        tick: list[Move] = [Tap(f"{known.rider.name}, {known.trip.number}"), Tap("No dangerous goods in any bag")]
        return [*seated(data, known, known.seat), Tap("Back"), Tap("Check in"), *tick, Tap("Check in now")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        tick: list[Move] = [Tap(f"{known.rider.name}, {known.trip.number}"), Tap("No dangerous goods in any bag")]
        start = open_trip(data, known.trip)
        return {
            "only the seat": seated(data, known, known.seat),
            "any seat": [*start, Tap("Check in"), *tick, Tap("Check in now")],
        }


MANAGING: Final = (
    CancelTrip(), ChangeOutbound(), ChangeReturn(), ChooseSeat(), LegroomSeat(), AddBags(), SeatAndCheckIn(),
)  # fmt: skip
