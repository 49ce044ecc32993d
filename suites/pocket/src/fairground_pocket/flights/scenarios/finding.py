"""Shared by the tasks of the flights app: queries that identify one flight or trip uniquely, and routes to them."""

from __future__ import annotations

from typing import Final

from fairground.worlds import Move, Tap
from fairground_pocket.kit import Database, Known

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def spoken(moment: str) -> str:
    """SQL for a day in words, `14 March 2025`, from SQL for a stored time or day."""
    months = " ".join(f"WHEN '{number:02}' THEN '{name}'" for number, name in enumerate(_MONTHS, 1))
    return (
        f"(ltrim(strftime('%d', {moment}), '0') || ' ' || CASE strftime('%m', {moment}) {months} END || ' ' || "
        f"strftime('%Y', {moment}))"
    )


CURRENCY: Final = "(SELECT value FROM settings WHERE name = 'currency')"
UNIT: Final = f"(CASE WHEN {CURRENCY} IN ('JPY', 'COP') THEN 1 ELSE 100 END)"
"""SQL for the number of smallest coins per currency unit."""

HOME: Final = """
SELECT code, city, city || ' (' || code || ')' AS place FROM airports
WHERE code = (SELECT value FROM settings WHERE name = 'home')
"""
NONSTOP: Final = """
SELECT a.code, a.city, a.city || ' (' || a.code || ')' AS place FROM airports a WHERE EXISTS
(SELECT 1 FROM flights f WHERE f.origin = :home_code AND f.destination = a.code) ORDER BY a.city LIMIT 1 OFFSET :nth
"""
"""A place with flights from `home`, by its alphabetical position."""

FAR: Final = """
SELECT a.code, a.city, a.city || ' (' || a.code || ')' AS place FROM airports a WHERE a.code != :home_code AND NOT
EXISTS (SELECT 1 FROM flights f WHERE f.origin = :home_code AND f.destination = a.code)
ORDER BY a.city LIMIT 1 OFFSET :nth
"""
"""A place that requires a connection from `home`."""

DAY: Final = f"SELECT date(now, :ahead) AS iso, {spoken('date(now, :ahead)')} AS words FROM clock"

FLIGHT: Final = f"""
SELECT id, number, airline, origin, destination, departs, substr(departs, 12, 5) AS time,
substr(arrives, 12, 5) AS lands, ends - starts AS minutes, price, {spoken("departs")} AS words FROM flights
"""
THAT_DAY: Final = (
    "WHERE origin = :home_code AND destination = :there_code AND substr(departs, 1, 10) = :day_iso AND cancelled = 0"
)
CHEAPEST: Final = f"{FLIGHT} {THAT_DAY} ORDER BY price, id LIMIT 1"
EARLIEST: Final = f"{FLIGHT} {THAT_DAY} ORDER BY departs, id LIMIT 1"
LATEST: Final = f"{FLIGHT} {THAT_DAY} ORDER BY departs DESC, id LIMIT 1"
"""Nonstop flights from `home` to `there` on `day`. No two on a day have the same price or time."""

ROUTE: Final = {"home": HOME, "there": NONSTOP, "day": DAY}
ME: Final = "SELECT id, name FROM travellers WHERE me = 1"
GROWN: Final = "SELECT id, name FROM travellers WHERE me = 0 AND email != '' ORDER BY name LIMIT 1 OFFSET :who"
CHILD: Final = "SELECT id, name FROM travellers WHERE me = 0 AND email = '' ORDER BY name LIMIT 1 OFFSET :who"
CARD: Final = "SELECT id, name FROM cards ORDER BY preferred DESC, id LIMIT 1 OFFSET :card_nth"

_ENDS: Final = """
(SELECT f.id FROM coupons c JOIN flights f ON f.id = c.flight WHERE c.booking = b.id AND c.leg = '{}'
ORDER BY f.starts {} LIMIT 1)
"""


def trip(where: str = "1") -> str:
    """SQL for the `nth` upcoming booking by departure; `first`, `last` and `back` are its flights."""
    return f"""
        SELECT b.id, b.code, b.fare, b.cabin, b.fare_total, a.city, first.id AS flight, first.number, first.plan,
        first.origin, last.destination, {spoken("first.departs")} AS words, substr(first.departs, 1, 10) AS day,
        last.arrives, back.id AS back_flight, back.number AS back_number, substr(back.departs, 1, 10) AS back_day
        FROM bookings b JOIN flights first ON first.id = {_ENDS.format("out", "")}
        JOIN flights last ON last.id = {_ENDS.format("out", "DESC")}
        LEFT JOIN flights back ON back.id = {_ENDS.format("back", "")}
        JOIN airports a ON a.code = last.destination
        WHERE b.status = 'confirmed' AND first.departs > (SELECT now FROM clock) AND {where}
        ORDER BY first.starts, b.id LIMIT 1 OFFSET :nth
    """


NTH: Final = {f"no-{number + 1}": number for number in range(10)}
"""A domain of ten positions that the instruction does not mention."""

FARES: Final = {key: {"fare": key, "fare_name": key.capitalize()} for key in ("light", "standard", "flexible")}


def days(*ahead: int) -> dict[str, str]:
    """A domain of numbers of days ahead."""
    return {f"in-{number}-days": f"+{number} days" for number in ahead}


def open_trip(data: Database, known_trip: Known) -> list[Move]:
    """From the first screen to a trip."""
    return [Tap("Trips"), *turn_to(data, known_trip.id), Tap(f"{known_trip.city}, {known_trip.code}")]


def turn_to(data: Database, booking: int) -> list[Move]:
    """Taps on Next page until an upcoming trip is in the list."""
    order = data.column(
        "SELECT b.id FROM bookings b JOIN coupons c ON c.booking = b.id JOIN flights f ON f.id = c.flight WHERE "
        "b.status = 'confirmed' GROUP BY b.id HAVING max(f.ends) > (SELECT CAST(strftime('%s', now) AS INTEGER) / 60 - "
        "(SELECT value FROM settings WHERE name = 'utc_offset') FROM clock) ORDER BY min(f.starts), b.id"
    )
    return [Tap("Next page")] * (order.index(booking) // 12)


def search(there: str, day: str, *, back: str = "", adults: int = 1, children: int = 0, cabin: str = "") -> list[Move]:
    """From the first screen to the results."""
    moves: list[Move] = [] if back else [Tap("One way")]
    moves += [Tap("To"), Tap(there), Tap("Departure date"), Tap(day)]
    moves += [Tap("Return date"), Tap(back)] if back else []
    moves += [Tap("More Adults")] * (adults - 1) + [Tap("More Children")] * children
    moves += [Tap("Cabin"), Tap(cabin)] if cabin else []
    return [*moves, Tap("Search flights")]


def pay() -> list[Move]:
    """The last two steps of a booking."""
    return [Tap("Review and pay"), Tap("Pay now")]


def option_name(flight: Known) -> str:
    """The name of a nonstop flight in the results."""
    return f"{flight.number}, {flight.time}"
