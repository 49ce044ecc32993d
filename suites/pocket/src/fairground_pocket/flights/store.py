"""The flights app's logic: find, price, book, change, cancel, check in. No HTML."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from fairground_pocket.flights.schema import CABINS, TIERS
from fairground_pocket.kit import Database, formats

CHILD: Final = 75
"""What a child pays, in percent."""
CHECK_IN_OPENS: Final = 48 * 60
CHECK_IN_CLOSES: Final = 60
_SHORTEST_STOP: Final = 50
_LONGEST_STOP: Final = 6 * 60
_CODE: Final = "BCDFGHJKLMNPQRSTVWXZ23456789"


@dataclass(frozen=True)
class Option:
    """A way to travel: one flight, or two with a stop."""

    flights: tuple[sqlite3.Row, ...]

    @property
    def key(self) -> str:
        """Its flight ids, as used in addresses."""
        return ".".join(str(flight["id"]) for flight in self.flights)

    @property
    def price(self) -> int:
        """The price for an adult in Economy Light."""
        return sum(flight["price"] for flight in self.flights)

    @property
    def minutes(self) -> int:
        """From the first departure to the last arrival."""
        return int(self.flights[-1]["ends"] - self.flights[0]["starts"])

    @property
    def stops(self) -> int:
        return len(self.flights) - 1

    @property
    def name(self) -> str:
        """Its name: flight numbers and departure time."""
        return f"{numbers(self.flights)}, {self.flights[0]['departs'][11:16]}"


def numbers(flights: Sequence[sqlite3.Row]) -> str:
    """Its flight numbers, joined."""
    return " + ".join(flight["number"] for flight in flights)


# --- time, money, names ----------------------------------------------------------------------------------------------


def minute(db: Database) -> int:
    """The current time in UTC minutes, as in `flights.starts`."""
    since = db.now - datetime(1970, 1, 1)
    return int(since.total_seconds()) // 60 - int(db.setting("utc_offset", "0"))


def money(db: Database, amount: int) -> str:
    """An amount in the owner's currency."""
    return formats.money(amount, db.setting("currency"))


def place(db: Database, code: str) -> str:
    """Formats an airport as `Lisbon (LIS)`."""
    city = db.one("SELECT city FROM airports WHERE code = ?", code)
    return f"{city} ({code})" if city else code


def flight_price(db: Database, price: int, cabin: str, fare: str) -> int:
    """What an adult pays for a flight, from its Economy Light price."""
    factor = int(db.one("SELECT factor FROM fares WHERE key = ?", fare))
    step = int(db.setting("price_step"))
    return -(-price * factor * CABINS[cabin][1] // (10_000 * step)) * step


def total_price(db: Database, flights: Sequence[int], cabin: str, fare: str, adults: int, children: int) -> int:
    """What a party pays for flights, without extras."""
    step = int(db.setting("price_step"))
    total = 0
    for number in flights:
        each = flight_price(db, db.one("SELECT price FROM flights WHERE id = ?", number), cabin, fare)
        total += adults * each + children * (-(-each * CHILD // (100 * step)) * step)
    return total


def points_worth(db: Database, points: int) -> int:
    """The value of points when paying."""
    return points * int(db.setting("point_value")) // 100


def balance(db: Database) -> int:
    """The number of points available."""
    return int(db.one("SELECT coalesce(sum(points), 0) FROM points"))


def tier(db: Database) -> tuple[str, int, tuple[str, int] | None]:
    """The tier, the points of the last twelve months that determine it, and the next tier with its threshold."""
    since = (db.now - timedelta(days=365)).isoformat()
    earned = int(db.one("SELECT coalesce(sum(points), 0) FROM points WHERE points > 0 AND time > ?", since))
    reached = [entry for entry in TIERS if entry[1] <= earned]
    later = [entry for entry in TIERS if entry[1] > earned]
    return reached[-1][0], earned, later[0] if later else None


# --- finding ---------------------------------------------------------------------------------------------------------


def find(db: Database, origin: str, destination: str, day: str) -> list[Option]:
    """All options between two places that start on a day, by departure."""
    soonest = minute(db) + CHECK_IN_CLOSES
    direct = db.rows(
        "SELECT * FROM flights WHERE origin = ? AND destination = ? AND substr(departs, 1, 10) = ? AND starts > ? AND "
        "cancelled = 0",
        origin, destination, day, soonest,
    )  # fmt: skip
    options = [Option((flight,)) for flight in direct]
    pairs = db.rows(
        "SELECT a.id AS one, b.id AS two FROM flights a JOIN flights b ON b.origin = a.destination AND "
        "b.starts BETWEEN a.ends + ? AND a.ends + ? WHERE a.origin = ? AND b.destination = ? AND "
        "substr(a.departs, 1, 10) = ? AND a.starts > ? AND a.cancelled = 0 AND b.cancelled = 0",
        _SHORTEST_STOP, _LONGEST_STOP, origin, destination, day, soonest,
    )  # fmt: skip
    for pair in pairs:
        flights = [db.row("SELECT * FROM flights WHERE id = ?", pair[end]) for end in ("one", "two")]
        options.append(Option(tuple(flight for flight in flights if flight)))
    return sorted(options, key=lambda option: (option.flights[0]["starts"], option.minutes, option.key))


def option(db: Database, key: str) -> Option | None:
    """The option that an address names, or None. Its flights must connect and still be bookable."""
    ids = key.split(".")
    if not 1 <= len(ids) <= 2 or not all(text.isascii() and text.isdigit() and len(text) < 9 for text in ids):
        return None
    rows = [db.row("SELECT * FROM flights WHERE id = ? AND cancelled = 0", int(text)) for text in ids]
    flights = tuple(row for row in rows if row)
    if len(flights) != len(ids) or flights[0]["starts"] <= minute(db):
        return None
    for earlier, later in pairwise(flights):
        if earlier["destination"] != later["origin"] or earlier["ends"] + _SHORTEST_STOP > later["starts"]:
            return None
    return Option(flights)


# --- booking ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """An order. `legs` are `out` and optionally `back`, each with its flights; `extra_bags` is per person."""

    legs: dict[str, tuple[int, ...]]
    cabin: str
    fare: str
    travellers: tuple[int, ...]
    extra_bags: int
    card: int
    points: int
    email: str


def order_price(db: Database, order: Order) -> tuple[int, int, int]:
    """The total of fares and extra bags, minus points."""
    children = sum(is_child(db, traveller) for traveller in order.travellers)
    flights = [flight for leg in order.legs.values() for flight in leg]
    fares = total_price(db, flights, order.cabin, order.fare, len(order.travellers) - children, children)
    bags = order.extra_bags * len(order.travellers) * int(db.setting("bag_price"))
    return fares, bags, min(points_worth(db, order.points), fares + bags)


def book(db: Database, order: Order) -> int:
    """Books and pays. Returns the booking's id."""
    fares, bags, less = order_price(db, order)
    booking = db.insert(
        "bookings", code=_new_code(db), status="confirmed", cabin=order.cabin, fare=order.fare, fare_total=fares,
        booked=db.now.isoformat(), email=order.email,
    )  # fmt: skip
    for traveller in order.travellers:
        name = db.one("SELECT name FROM travellers WHERE id = ?", traveller)
        rider = db.insert(
            "riders", booking=booking, traveller=traveller, name=name, child=int(is_child(db, traveller)),
            extra_bags=order.extra_bags,
        )  # fmt: skip
        for leg, flights in order.legs.items():
            for flight in flights:
                db.insert("coupons", booking=booking, rider=rider, flight=flight, leg=leg)
    pay(db, booking, "Flights and bags" if bags else "Flights", fares + bags - less, order.card)
    if order.points:
        code = db.one("SELECT code FROM bookings WHERE id = ?", booking)
        db.insert("points", time=db.now.isoformat(), what=f"Paid for {code}", points=-order.points, booking=booking)
    return booking


def pay(db: Database, booking: int, what: str, amount: int, card: int | None = None) -> None:
    """Records a payment, with the preferred card unless another is named. An amount of zero is not recorded."""
    if amount:
        card = card or db.one("SELECT id FROM cards ORDER BY preferred DESC, id LIMIT 1")
        db.insert("payments", booking=booking, time=db.now.isoformat(), what=what, amount=amount, card=card)


def is_child(db: Database, traveller: int) -> bool:
    """Whether a traveller is under twelve today."""
    born = db.one("SELECT born FROM travellers WHERE id = ?", traveller)
    today = db.now.date()
    birth = date.fromisoformat(born)
    return today.year - birth.year - ((today.month, today.day) < (birth.month, birth.day)) < 12


def _new_code(db: Database) -> str:
    for attempt in range(1_000):
        count = db.one("SELECT count(*) FROM bookings")
        digest = hashlib.blake2b(f"{db.setting('owner')} {count} {attempt}".encode(), digest_size=8).digest()
        code = "".join(_CODE[byte % len(_CODE)] for byte in digest[:6])
        if not db.one("SELECT 1 FROM bookings WHERE code = ?", code):
            return code
    raise AssertionError("a thousand codes are taken")


# --- trips -----------------------------------------------------------------------------------------------------------


def legs(db: Database, booking: int) -> dict[str, list[sqlite3.Row]]:
    """The flights of a booking by leg, in order."""
    rows = db.rows(
        "SELECT DISTINCT c.leg, f.* FROM coupons c JOIN flights f ON f.id = c.flight WHERE c.booking = ? "
        "ORDER BY f.starts",
        booking,
    )
    by_leg: dict[str, list[sqlite3.Row]] = {}
    for row in rows:
        by_leg.setdefault(row["leg"], []).append(row)
    return by_leg


def state(db: Database, booking: sqlite3.Row) -> str:
    """The state of a booking: `cancelled`, `past` or `upcoming`."""
    if booking["status"] == "cancelled":
        return "cancelled"
    last = db.one("SELECT max(f.ends) FROM coupons c JOIN flights f ON f.id = c.flight WHERE c.booking = ?", booking[0])
    return "past" if last <= minute(db) else "upcoming"


def refund(db: Database, booking: sqlite3.Row) -> int:
    """The refund of a cancelled booking: fares by their rules; extras are not refunded."""
    share = db.one("SELECT refund FROM fares WHERE key = ?", booking["fare"])
    return int(booking["fare_total"] * share // 100)


def cancel(db: Database, booking: sqlite3.Row) -> int:
    """Cancels a booking and returns the refund."""
    back = refund(db, booking)
    card = db.one("SELECT card FROM payments WHERE booking = ? ORDER BY id LIMIT 1", booking["id"])
    db.run("UPDATE bookings SET status = 'cancelled' WHERE id = ?", booking["id"])
    pay(db, booking["id"], "Refund", -back, card)
    return back


def change_price(db: Database, booking: sqlite3.Row, leg: str, flights: Sequence[int]) -> tuple[int, int]:
    """Fee and fare difference when a leg moves to other flights; a cheaper fare gives no refund."""
    riders = db.rows("SELECT child FROM riders WHERE booking = ?", booking["id"])
    children = sum(rider["child"] for rider in riders)
    everything = [*flights]
    for name, rows in legs(db, booking["id"]).items():
        if name != leg:
            everything += [row["id"] for row in rows]
    adults = len(riders) - children
    new = total_price(db, everything, booking["cabin"], booking["fare"], adults, children)
    fee = db.one("SELECT change_fee FROM fares WHERE key = ?", booking["fare"])
    return int(fee) * len(riders), max(new - booking["fare_total"], 0)


def change(db: Database, booking: sqlite3.Row, leg: str, flights: Sequence[int]) -> int:
    """Moves a leg to the same number of other flights and releases its seats. Returns the price."""
    fee, more = change_price(db, booking, leg, flights)
    old = [row["id"] for row in legs(db, booking["id"])[leg]]
    for before, after in zip(old, flights, strict=True):
        sql = "UPDATE coupons SET flight = ?, seat = '' WHERE booking = ? AND leg = ? AND flight = ?"
        db.run(sql, after, booking["id"], leg, before)
    if more:
        db.run("UPDATE bookings SET fare_total = fare_total + ? WHERE id = ?", more, booking["id"])
    pay(db, booking["id"], "Change of flight", fee + more)
    return fee + more


def can_check_in(db: Database, flight: sqlite3.Row) -> bool:
    """Whether check-in is open for a flight."""
    return CHECK_IN_CLOSES <= flight["starts"] - minute(db) <= CHECK_IN_OPENS and not flight["cancelled"]


def seat_price(db: Database, booking: sqlite3.Row, seat: dict[str, Any]) -> int:
    """The price of a seat: extra legroom costs money unless the fare includes seats."""
    free = db.one("SELECT free_seats FROM fares WHERE key = ?", booking["fare"])
    return int(db.setting("legroom_price")) if seat["legroom"] and not free else 0


def seats(db: Database, coupon: sqlite3.Row) -> dict[str, dict[str, Any]]:
    """The seats of a flight's cabin by name; `taken` includes strangers and our other travellers."""
    flight = db.row("SELECT * FROM flights WHERE id = ?", coupon["flight"])
    cabin = db.one("SELECT cabin FROM bookings WHERE id = ?", coupon["booking"])
    assert flight is not None
    sql = (
        "SELECT seat FROM coupons WHERE flight = ? AND id != ? AND booking IN (SELECT id FROM bookings WHERE "
        "status = ?)"
    )
    ours = set(db.column(sql, coupon["flight"], coupon["id"], "confirmed"))
    rows = db.rows("SELECT * FROM plan_seats WHERE plan = ? AND cabin = ? ORDER BY row, letter", flight["plan"], cabin)
    return {row["seat"]: {**dict(row), "taken": bool(row["taken"]) or row["seat"] in ours} for row in rows}
