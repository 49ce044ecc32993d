"""Questions about the flights app."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.worlds import Move, Tap
from fairground_pocket.flights.scenarios.finding import (
    CHEAPEST,
    CURRENCY,
    EARLIEST,
    HOME,
    LATEST,
    NTH,
    ROUTE,
    UNIT,
    days,
    open_trip,
    search,
    spoken,
    trip,
)
from fairground_pocket.kit import Answer, Database, Known, Task


def money(amount: str) -> str:
    """SQL for an amount in the form of a `money` answer, from SQL for the smallest coin."""
    coins = f"CASE WHEN ({amount}) % {UNIT} THEN printf('.%02d', ({amount}) % {UNIT}) ELSE '' END"
    return f"(({amount}) / {UNIT} || {coins} || ' ' || {CURRENCY})"


class CheapestPrice(Task):
    """The price of the cheapest nonstop flight."""

    name = "cheapest-price"
    app = "flights"
    kind = "answer"
    template = (
        "What does the cheapest nonstop flight from {home.city} to {there.city} on {day.words} cost, for one "
        "adult in Economy Light?"
    )
    domain = {"nth": NTH, "ahead": days(3, 8, 11, 18, 24)}
    facts = {**ROUTE, "flight": CHEAPEST}
    answer = Answer(f"SELECT {money(':flight_price')}", "money")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*search(known.there.place, known.day.words), Tap("Cheapest")]


class CheapestAirline(Task):
    """The airline with the lowest price."""

    name = "cheapest-airline"
    app = "flights"
    kind = "answer"
    template = (
        "Which airline has the cheapest nonstop flight from {home.city} to {there.city} on {day.words}? Answer "
        "with its name."
    )
    domain = {"nth": NTH, "ahead": days(6, 13, 17, 26, 34)}
    facts = {**ROUTE, "flight": CHEAPEST}
    answer = Answer("SELECT name FROM airlines WHERE code = :flight_airline", "text", among="SELECT name FROM airlines")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*search(known.there.place, known.day.words), Tap("Cheapest")]


class FlightDuration(Task):
    """The duration of a flight, across time zones."""

    name = "flight-duration"
    app = "flights"
    kind = "answer"
    template = "How long does flight {flight.number} from {home.city} to {there.city} take? It leaves on {day.words}."
    domain = {"nth": {f"no-{n + 1}": n for n in range(12)}, "ahead": days(2, 7, 15, 20)}
    facts = {**ROUTE, "flight": LATEST}
    answer = Answer("SELECT :flight_minutes", "duration")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return search(known.there.place, known.day.words)


class ArrivalTime(Task):
    """The arrival time of the first flight of a day."""

    name = "arrival-time"
    app = "flights"
    kind = "answer"
    template = (
        "If I take the first nonstop flight from {home.city} to {there.city} on {day.words}, at what local time "
        "do I land?"
    )
    domain = {"nth": {f"no-{n + 1}": n for n in range(12)}, "ahead": days(4, 10, 16, 29)}
    facts = {**ROUTE, "flight": EARLIEST}
    answer = Answer("SELECT :flight_lands", "time")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*search(known.there.place, known.day.words), Tap("Earliest")]


class TripCode(Task):
    """The confirmation code of a trip."""

    name = "trip-code"
    app = "flights"
    kind = "answer"
    template = "What is the confirmation code of my upcoming trip to {trip.city}?"
    domain = {"nth": {f"no-{n + 1}": n for n in range(12)}}
    facts = {"trip": trip()}
    answer = Answer("SELECT :trip_code", "text", among="SELECT code FROM bookings")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_trip(data, known.trip)


class RefundIfCancelled(Task):
    """The refund that a fare would give."""

    name = "refund-if-cancelled"
    app = "flights"
    kind = "answer"
    template = (
        "How much would I get back if I cancelled booking {trip.code}, the trip to {trip.city}? Don't cancel it, "
        "just tell me."
    )
    domain = {"nth": {f"no-{n + 1}": n for n in range(12)}}
    facts = {
        "trip": trip("b.fare != 'light'"),
        "back": "SELECT :trip_fare_total * refund / 100 FROM fares WHERE key = :trip_fare",
    }
    answer = Answer(f"SELECT {money(':back')}", "money")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """Reads the refund from the confirmation sheet."""
        return [*open_trip(data, known.trip), Tap("Cancel booking")]


class TotalPaid(Task):
    """The total price of a past trip."""

    name = "total-paid"
    app = "flights"
    kind = "answer"
    template = "How much did I pay in total for booking {past.code}, the trip to {past.city} that is over?"
    domain = {"nth": NTH}
    facts = {
        "past": "SELECT b.id, b.code, a.city, sum(p.amount) AS total FROM bookings b JOIN payments p ON p.booking = "
        "b.id JOIN "
        "flights f ON f.id = (SELECT f.id FROM coupons c JOIN flights f ON f.id = c.flight WHERE c.booking = "
        "b.id AND c.leg = "
        "'out' ORDER BY f.starts DESC LIMIT 1) JOIN airports a ON a.code = f.destination WHERE b.status = "
        "'confirmed' AND NOT "
        "EXISTS (SELECT 1 FROM coupons c JOIN flights x ON x.id = c.flight WHERE c.booking = b.id AND x.arrives "
        "> (SELECT "
        "date(now, '-2 days') FROM clock)) GROUP BY b.id ORDER BY f.starts DESC LIMIT 1 OFFSET :nth"
    }
    answer = Answer(f"SELECT {money(':past_total')}", "money")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        there: list[Move] = [Tap("Trips"), Tap("Past")]
        name = f"{known.past.city}, {known.past.code}"
        order = data.column(
            "SELECT b.code FROM bookings b JOIN coupons c ON c.booking = b.id JOIN flights f ON f.id = c.flight WHERE "
            "b.status = 'confirmed' GROUP BY b.id HAVING max(f.ends) <= (SELECT CAST(strftime('%s', now) AS "
            "INTEGER) / 60 - "
            "(SELECT value FROM settings WHERE name = 'utc_offset') FROM clock) ORDER BY min(f.starts) DESC, b.id DESC"
        )
        return [*there, *[Tap("Next page")] * (order.index(known.past.code) // 12), Tap(name)]


class DocumentExpiry(Task):
    """The expiry date of a traveller's document."""

    name = "document-expiry"
    app = "flights"
    kind = "answer"
    template = "On which date does the saved travel document of {person.name} expire?"
    domain = {"who": {f"no-{n + 1}": n for n in range(12)}}
    facts = {"person": "SELECT id, name, expires FROM travellers ORDER BY name LIMIT 1 OFFSET :who"}
    answer = Answer("SELECT :person_expires", "date")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Account"), Tap("Travellers"), Tap(known.person.name)]


class GateToday(Task):
    """The gate of a flight today."""

    name = "gate-today"
    app = "flights"
    kind = "answer"
    template = "From which gate does flight {flight.number} to {flight.city} leave {when}?"
    domain = {
        "nth": {f"no-{n + 1}": n for n in range(0, 12, 2)},
        "when": {"today": {"offset": "+0 days", "when": "today"}, "tomorrow": {"offset": "+1 day", "when": "tomorrow"}},
    }
    facts = {
        "home": HOME,
        "flight": "SELECT f.id, f.number, f.gate, a.city FROM flights f JOIN airports a ON a.code = f.destination "
        "WHERE f.origin = :home_code AND substr(f.departs, 1, 10) = (SELECT date(now, :offset) FROM clock) AND "
        "f.cancelled = 0 "
        "ORDER BY f.departs DESC, f.id LIMIT 1 OFFSET :nth",
    }
    answer = Answer("SELECT :flight_gate", "text", among="SELECT DISTINCT gate FROM flights")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        day: list[Move] = [Tap("Tomorrow")] if known.when == "tomorrow" else []
        return [Tap("Status"), *day, Tap(f"{known.flight.number}, {known.flight.city}")]


class DelayedFlight(Task):
    """The delay of a flight."""

    name = "delayed-flight"
    app = "flights"
    kind = "answer"
    template = (
        "According to the board, by how many minutes is {when}'s flight {flight.number} from {flight.origin} to "
        "{flight.destination} late? Answer with the number."
    )
    domain = {
        "nth": {f"no-{n + 1}": n for n in range(5)},
        "when": {
            "today": {"offset": "+0 days", "when": "today"},
            "yesterday": {"offset": "-1 day", "when": "yesterday"},
        },
    }
    facts = {
        "home": HOME,
        "flight": "SELECT f.id, f.number, f.delay, o.city AS origin, d.city AS destination, f.origin = :home_code AS "
        "left FROM flights f JOIN airports o ON o.code = f.origin JOIN airports d ON d.code = f.destination "
        "WHERE :home_code IN (f.origin, f.destination) AND f.cancelled = 0 AND f.delay > 0 AND date(f.departs) = "
        "(SELECT date(now, :offset) FROM clock) AND date(f.arrives) = date(f.departs) ORDER BY f.departs, f.id "
        "LIMIT 1 OFFSET :nth",
    }
    answer = Answer("SELECT :flight_delay", "number")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        flight = known.flight
        board: list[Move] = [Tap("Status"), *([] if flight.left else [Tap("Arrivals")]), Tap(known.when.capitalize())]
        return [*board, Tap(f"{flight.number}, {flight.destination if flight.left else flight.origin}")]


class WhoSitsThere(Task):
    """Who sits in a given seat."""

    name = "who-sits-there"
    app = "flights"
    kind = "answer"
    template = (
        "Who of us sits in seat {rider.seat} on flight {rider.number} on {rider.words}, booking {trip.code}? "
        "Answer with the name."
    )
    domain = {"nth": NTH}
    facts = {
        "rider": f"SELECT c.seat, c.booking, r.name, f.number, {spoken('f.departs')} AS words FROM coupons c "
        "JOIN riders r ON r.id = c.rider JOIN flights f ON f.id = c.flight JOIN bookings b ON b.id = c.booking "
        "WHERE c.seat != '' AND b.status = 'confirmed' AND c.leg = 'out' AND f.departs > "
        "(SELECT date(now, '+2 days') FROM clock) ORDER BY f.starts, c.id LIMIT 1 OFFSET :nth",
        "trip": trip("b.id = :rider_booking").replace("OFFSET :nth", ""),
    }
    answer = Answer("SELECT :rider_name", "text", among="SELECT name FROM travellers")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_trip(data, known.trip), Tap("Seats")]


class PointsEarned(Task):
    """The points earned with a trip."""

    name = "points-earned"
    app = "flights"
    kind = "answer"
    template = "How many points did I earn with the trip “{entry.what}” on {entry.words}? Answer with the number."
    domain = {"nth": NTH}
    facts = {
        "entry": f"SELECT what, points, {spoken('time')} AS words FROM points WHERE booking IS NOT NULL ORDER BY time "
        f"DESC, id DESC "
        "LIMIT 1 OFFSET :nth"
    }
    answer = Answer("SELECT :entry_points", "number")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Rewards"), Tap("All points")]


ASKING: Final = (
    CheapestPrice(), CheapestAirline(), FlightDuration(), ArrivalTime(), TripCode(), RefundIfCancelled(), TotalPaid(),
    DocumentExpiry(), GateToday(), DelayedFlight(), WhoSitsThere(), PointsEarned(),
)  # fmt: skip
