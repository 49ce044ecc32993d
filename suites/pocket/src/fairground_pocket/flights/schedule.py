"""The schedule of a profile: all flights with times and prices. Exact across time zones."""

from __future__ import annotations

import csv
import math
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Final
from zoneinfo import ZoneInfo

from fairground_pocket.flights.schema import DAYS_AHEAD
from fairground_pocket.kit import Cast, Database, Draw

AIRLINES: Final = (
    ("4M", "Meridian Air", 1.0), ("8K", "Kestrel", 0.84), ("3S", "Solstice Airways", 1.12), ("6L", "Levante", 0.93),
    ("9B", "Blue Heron", 0.88), ("2P", "Polar Crest", 1.08), ("5T", "Tradewind", 0.97), ("7A", "Auralis", 1.2),
)  # fmt: skip
"""Invented airlines: code, name, and price level."""

RATES: Final = {
    "NGN": (170_000, 50_000), "SEK": (1_100, 500), "EUR": (100, 100), "JPY": (165, 100), "TRY": (4_000, 1_000),
    "MAD": (1_080, 500), "GBP": (85, 100), "COP": (4_500, 1_000), "INR": (9_200, 5_000), "CAD": (150, 100),
}  # fmt: skip
"""Currency -> value of one euro in the smallest coin, and the step to which prices are rounded."""

PLANS: Final = 8
ROWS: Final = 26
LETTERS: Final = "ABCDEF"
_BUSINESS_ROWS: Final = 3
_PREMIUM_ROWS: Final = 6
_LEGROOM_ROWS: Final = (7, 14, 15)
_ALWAYS_FREE: Final = ((15, "A"), (15, "D"))

_COLUMNS: Final = (
    "number", "airline", "origin", "destination", "departs", "arrives", "starts", "ends", "price", "aircraft", "gate",
    "plan", "delay", "cancelled",
)  # fmt: skip


@dataclass(frozen=True)
class Airport:
    """A real airport."""

    code: str
    name: str
    city: str
    country: str
    latitude: float
    longitude: float
    timezone: str

    def kilometres(self, other: Airport) -> float:
        from_latitude, to_latitude = math.radians(self.latitude), math.radians(other.latitude)
        turn = math.radians(other.longitude - self.longitude)
        haversine = (
            math.sin((to_latitude - from_latitude) / 2) ** 2
            + math.cos(from_latitude) * math.cos(to_latitude) * math.sin(turn / 2) ** 2
        )
        return 2 * 6371 * math.asin(math.sqrt(haversine))


@dataclass(frozen=True)
class Line:
    """A flight of the timetable: the same number at the same local time, on some days of the week."""

    number: str
    airline: str
    origin: Airport
    destination: Airport
    at: int
    """Minutes after midnight, in the origin's local time."""
    minutes: int
    days: str
    price: float
    """In euros."""
    plan: int

    def flies(self, day: date) -> bool:
        """Whether it flies on a day."""
        return str(day.weekday()) in self.days

    def times(self, day: date) -> tuple[datetime, datetime]:
        """Departure and arrival, each in its time zone."""
        zone = ZoneInfo(self.origin.timezone)
        leaves = datetime(day.year, day.month, day.day, self.at // 60, self.at % 60, tzinfo=zone)
        seconds = leaves.timestamp() + 60 * self.minutes
        return leaves, datetime.fromtimestamp(seconds, ZoneInfo(self.destination.timezone))


class Schedule:
    """The timetable of a profile, and its flights on concrete days."""

    def __init__(self, cast: Cast, draw: Draw) -> None:
        self.cast, self.draw = cast, draw
        self.airlines = draw.sample(AIRLINES, 6)
        routes = _routes()[cast.airport]
        self.home = airports()[cast.airport]
        self.nonstop: list[str] = routes["nonstop"].split()
        self.onward: dict[str, str] = {far: hub for hub, fars in routes["onward"].items() for far in fars.split()}
        self.also: list[tuple[str, str]] = list(routes["also"].items())
        self._numbers = iter(draw.shuffled(range(104, 998)))
        self._delays = delays()
        self.lines = list(self._lines())

    def places(self) -> list[str]:
        """Codes of all airports with flights."""
        return sorted({self.home.code, *self.nonstop, *self.onward})

    def between(self, origin: str, destination: str) -> list[Line]:
        return [line for line in self.lines if (line.origin.code, line.destination.code) == (origin, destination)]

    def fill(self, db: Database) -> None:
        """Writes airports, airlines, seats and all flights of the days around now."""
        known = airports()
        db.many(
            "INSERT INTO airports VALUES (?, ?, ?, ?, ?)",
            [
                (airport.code, airport.name, airport.city, airport.country, airport.timezone)
                for airport in map(known.get, self.places())
                if airport
            ],
        )
        db.many("INSERT INTO airlines VALUES (?, ?)", [(code, name) for code, name, _ in self.airlines])
        db.many("INSERT INTO plan_seats VALUES (?, ?, ?, ?, ?, ?, ?)", self._seats())
        today = self.cast.now.date()
        for number in range(-2, DAYS_AHEAD + 1):
            day = today + timedelta(days=number)
            used: set[tuple[str, str, int]] = set()
            rows = [self.flight(line, day, used) for line in self.lines if line.flies(day)]
            marks = ", ".join("?" * len(_COLUMNS))
            db.many(f"INSERT INTO flights ({', '.join(_COLUMNS)}) VALUES ({marks})", rows)

    def add(self, db: Database, line: Line, day: date) -> int:
        """Writes a single flight, for past trips, and returns its id."""
        return db.insert("flights", **dict(zip(_COLUMNS, self.flight(line, day, set()), strict=True)))

    def flight(self, line: Line, day: date, used: set[tuple[str, str, int]]) -> tuple[Any, ...]:
        """A row of `flights`. `used` keeps prices on a route and day distinct, so that the cheapest is unique."""
        leaves, lands = line.times(day)
        starts = int(leaves.timestamp()) // 60
        unit, step = RATES[self.cast.currency]
        ahead = (day - self.cast.now.date()).days
        worth = line.price * (1.3 if ahead < 7 else 1.0) * (1.14 if day.weekday() in (4, 6) else 1.0)
        price = max(round(worth * (0.85 + 0.35 * self.draw.share()) * unit / step), 1) * step
        while (line.origin.code, line.destination.code, price) in used:
            price += step
        used.add((line.origin.code, line.destination.code, price))
        delay, cancelled = self._late() if ahead <= 1 else (0, 0)
        return (
            line.number, line.airline, line.origin.code, line.destination.code, _local(leaves), _local(lands), starts,
            starts + line.minutes, price, _aircraft(line), f"{self.draw.choice('ABCD')}{self.draw.integer(1, 38)}",
            line.plan, delay, cancelled,
        )  # fmt: skip

    def _late(self) -> tuple[int, int]:
        delay = self.draw.choice(self._delays)
        return (0, 1) if delay is None else (min(delay, 240) if delay >= 10 else 0, 0)

    def _lines(self) -> Iterator[Line]:
        known = airports()
        there: dict[str, Line] = {}
        back: dict[str, Line] = {}
        for code in self.nonstop:
            far = known[code]
            kilometres = self.home.kilometres(far)
            daily = 3 if kilometres < 900 else 2 if kilometres < 2600 else 1
            for turn in range(daily):
                at = _round(360 + (turn + 0.1 + 0.7 * self.draw.share()) * 900 / daily)
                line = self._line(self.home, far, at, every_day=turn == 0)
                yield line
                there.setdefault(code, line)
                at = _round(400 + (turn + 0.1 + 0.7 * self.draw.share()) * 900 / daily)
                line = self._line(far, self.home, at, every_day=turn == 0)
                yield line
                back[code] = line
        day = self.cast.now.date() + timedelta(days=20)
        for hub, code in [*((hub, far) for far, hub in self.onward.items()), *self.also]:
            # Connects to the first flight to the hub and to the last one from it.
            far = known[code]
            arrives = there[hub].times(day)[1]
            at = arrives.hour * 60 + arrives.minute + self.draw.integer(16, 28) * 5
            cheap = 1.0 if code in self.onward else 0.5  # the price must make up for the detour
            yield self._line(known[hub], far, at % 1440, every_day=True, share=cheap)
            home = back[hub].times(day)[0]
            gone = self._line(far, known[hub], 0, every_day=True, share=cheap)
            seconds = home.timestamp() - 60 * (gone.minutes + self.draw.integer(15, 30) * 5)
            leaves = datetime.fromtimestamp(seconds, ZoneInfo(far.timezone))
            yield Line(**{**vars(gone), "at": leaves.hour * 60 + leaves.minute})

    def _line(self, origin: Airport, destination: Airport, at: int, *, every_day: bool, share: float = 1.0) -> Line:
        code, _, dear = self.draw.choice(self.airlines)
        kilometres = origin.kilometres(destination)
        # A fit to real flights (data/README.md), plus 25 minutes on the ground.
        minutes = _round(18.5 + 0.0784 * kilometres + 25)
        skipped = "" if every_day or self.draw.chance(0.5) else str(self.draw.integer(0, 6))
        price = (24 + 0.11 * kilometres**0.94) * dear * share
        days = "0123456".replace(skipped, "") if skipped else "0123456"
        number = f"{code} {next(self._numbers)}"
        return Line(number, code, origin, destination, at, minutes, days, price, self.draw.integer(1, PLANS))

    def _seats(self) -> Iterator[tuple[Any, ...]]:
        for plan in range(1, PLANS + 1):
            for row in range(1, ROWS + 1):
                cabin = "business" if row <= _BUSINESS_ROWS else "premium" if row <= _PREMIUM_ROWS else "economy"
                for letter in "ACDF" if cabin == "business" else LETTERS:
                    wide = cabin == "economy" and row in _LEGROOM_ROWS
                    taken = self.draw.chance(0.4 if wide else 0.55) and (row, letter) not in _ALWAYS_FREE
                    yield plan, f"{row}{letter}", row, letter, cabin, int(wide), int(taken)


@cache
def airports() -> dict[str, Airport]:
    """All airports by code."""
    by_code = {}
    for row in _table("airports.csv"):
        place = (float(row["latitude"]), float(row["longitude"]))
        by_code[row["code"]] = Airport(row["code"], row["name"], row["city"], row["country"], *place, row["timezone"])
    return by_code


@cache
def delays() -> tuple[int | None, ...]:
    """Departure delays of real flights in minutes; None for a cancelled flight."""
    late = (row["departure_delay"] for row in _table("delays.csv"))
    return tuple(int(text) if text else None for text in late)


@cache
def _routes() -> dict[str, Any]:
    return tomllib.loads(_text("routes.toml"))


def _table(name: str) -> Sequence[dict[str, str]]:
    return list(csv.DictReader(_text(name).splitlines()))


def _text(name: str) -> str:
    return files(__package__).joinpath("data", name).read_text(encoding="utf-8")


def _local(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat()


def _round(minutes: float) -> int:
    return int(round(minutes / 5) * 5)


def _aircraft(line: Line) -> str:
    if line.minutes < 75:
        return "ATR 72-600"
    return "Airbus A320neo" if line.minutes < 330 else "Boeing 787-9"
