"""The account of a profile: travellers, cards, past and upcoming trips, points, alerts, notifications."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

from fairground_pocket.flights import store
from fairground_pocket.flights.schedule import RATES, Line, Schedule
from fairground_pocket.kit import Cast, Database, Draw

CHILDREN: Final = {
    "amara-lagos": ("Kelechi Okonkwo", "Adanna Okonkwo"), "astrid-malmo": ("Alva Lindqvist", "Viggo Lindqvist"),
    "chiara-bologna": ("Giulia Marchetti", "Tommaso Marchetti"), "daichi-osaka": ("Hina Morimoto", "Riku Morimoto"),
    "elif-izmir": ("Defne Kaya", "Kerem Kaya"), "fatima-casablanca": ("Ines Benali", "Adam Benali"),
    "george-bristol": ("Poppy Whitcombe", "Alfie Whitcombe"), "mateo-medellin": ("Luciana Restrepo", "Samuel Restrepo"),
    "noah-toronto": ("Maya Tremblay-Chen", "Leo Tremblay-Chen"), "priya-pune": ("Anvi Deshpande", "Aarav Deshpande"),
}  # fmt: skip
"""Nieces and nephews with whom the owners travel."""

_PAST: Final = 30
_SOON: Final = 4
"""Trips whose check-in is open."""


def fill(db: Database, cast: Cast, draw: Draw) -> None:
    """Fills the account of a cast."""
    for name, value in _settings(cast).items():
        db.set(name, value)
    unit, step = RATES[cast.currency]
    fee = max(round(35 * unit / step), 1) * step
    db.many(
        "INSERT INTO fares VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            ("light", "Light", 100, 0, None, 0, 0),
            ("standard", "Standard", 128, 1, fee, 60, 0),
            ("flexible", "Flexible", 165, 2, 0, 100, 1),
        ],
    )
    schedule = Schedule(cast, draw)
    schedule.fill(db)
    _travellers(db, cast, draw)
    _cards(db, draw)
    _Trips(db, cast, draw, schedule).fill()
    _alerts(db, draw, schedule, unit, step)
    _recent(db, draw, schedule)
    _notices(db, cast)


def _settings(cast: Cast) -> dict[str, object]:
    unit, step = RATES[cast.currency]
    offset = cast.now.replace(tzinfo=ZoneInfo(cast.timezone)).utcoffset() or timedelta()
    return {
        "home": cast.airport,
        "utc_offset": int(offset.total_seconds()) // 60,
        "price_step": step,
        "point_value": unit,
        "bag_price": max(round(28 * unit / step), 1) * step,
        "legroom_price": max(round(19 * unit / step), 1) * step,
        "member": f"WF {sum(map(ord, cast.owner.name)) * 7919 % 9_000_000 + 1_000_000}",
        "default_cabin": "economy",
        "seat_wish": "window",
        "meal": "standard",
        "notify_status": True,
        "notify_gate": True,
        "notify_offers": False,
        "notify_points": True,
    }


def _travellers(db: Database, cast: Cast, draw: Draw) -> None:
    people = [*cast.of("family")[:4], *cast.of("friend")[:3], *cast.of("work")[:3]]
    named = [(cast.owner.name, cast.owner.email, False), *((person.name, person.email, False) for person in people)]
    named += [(name, "", True) for name in CHILDREN[cast.name]]
    days = draw.shuffled(range(90, 3400, 53))
    for place, (name, email, child) in enumerate(named):
        year = cast.now.year - (draw.integer(5, 10) if child else draw.integer(24, 63))
        born = date(year, draw.integer(1, 12), draw.integer(1, 28))
        passport = child or draw.chance(0.75)
        digits = "".join(str(draw.integer(0, 9)) for _ in range(7))
        db.insert(
            "travellers", name=name, born=born.isoformat(), nationality=cast.country,
            document="Passport" if passport else "National ID card", number=f"{draw.choice('ACEGKLNPRTXZ')}{digits}",
            expires=(cast.now.date() + timedelta(days=days[place])).isoformat(), email=email, me=int(place == 0),
        )  # fmt: skip


def _cards(db: Database, draw: Draw) -> None:
    for place, kind in enumerate(("Credit card", "Debit card", "Company card")):
        last = f"{draw.integer(1000, 9999)}"
        expires = f"{draw.integer(1, 12):02}/{draw.integer(27, 31)}"
        db.insert("cards", name=f"{kind} {last}", last4=last, expires=expires, preferred=int(place == 0))


class _Trips:
    """Past and upcoming bookings. No two upcoming ones share a city, so that the city identifies a trip."""

    def __init__(self, db: Database, cast: Cast, draw: Draw, schedule: Schedule) -> None:
        self.db, self.cast, self.draw, self.schedule = db, cast, draw, schedule
        self.today = cast.now.date()
        self.me = db.one("SELECT id FROM travellers WHERE me = 1")
        self.adults = db.column("SELECT id FROM travellers WHERE me = 0 AND email != '' ORDER BY id")
        self.children = db.column("SELECT id FROM travellers WHERE me = 0 AND email = '' ORDER BY id")
        self.cards = db.column("SELECT id FROM cards ORDER BY id")
        self.earned: list[tuple[datetime, int, int]] = []

    def fill(self) -> None:
        """Writes the bookings in the order in which they were made."""
        plans: list[tuple[int, str, int, str, str]] = []  # days since booking, city, days until departure, fare, kind
        draw = self.draw
        for _ in range(_PAST):
            gone = draw.integer(5, 370)
            kind = "cancelled" if draw.chance(0.12) else "past"
            place = draw.choice([*self.schedule.nonstop] * 2 + [*self.schedule.onward])
            plans.append(
                (gone + draw.integer(6, 60), place, -gone, draw.choice(("light", "standard", "flexible")), kind)
            )
        ahead = draw.shuffled(self.schedule.nonstop)
        for number, code in enumerate(ahead):
            days = draw.integer(0, 1) if number < _SOON else 3 + (number - _SOON) * 4 + draw.integer(0, 2)
            fare = "light" if number in (1, 9) else ("standard", "flexible")[number % 2]
            plans.append((draw.integer(2, 70), code, days, fare, "ahead"))
        for number, code in enumerate(self.schedule.onward):
            fare = ("light", "flexible", "standard", "light", "standard")[number % 5]
            plans.append((draw.integer(2, 70), code, 4 + number * 6 + draw.integer(0, 4), fare, "ahead"))
        plans.sort(key=lambda plan: (-plan[0], plan[1], plan[2]))
        for number, plan in enumerate(plans):
            self._trip(number, *plan)
        self._points()

    def _trip(self, number: int, since: int, code: str, days: int, fare: str, kind: str) -> None:
        db, draw = self.db, self.draw
        soon = kind == "ahead" and days <= 1
        out = self._flights(code, days, home=False, past=days < 0)
        there = draw.integer(4, 10)
        both = draw.chance(0.72) and (days < 0 or days + there <= 38) and days + there != 0
        back = self._flights(code, days + there, home=True, past=days + there < 0) if both else ()
        if days < 0 <= days + there:
            back = ()
        mine = draw.chance(0.75)
        party = [
            *([self.me] if mine else []),
            *draw.sample(self.adults, draw.choice((0, 0, 1, 1, 2) if mine else (1, 1, 2))),
        ]
        if draw.chance(0.2):
            party.append(draw.choice(self.children))
        cabin = draw.weighted([("economy", 0.86), ("premium", 0.07), ("business", 0.07)])
        cabin = "economy" if soon else cabin
        legs = {"out": out, **({"back": back} if back else {})}
        booked = self.cast.now - timedelta(days=since, minutes=draw.integer(3, 600))
        order = store.Order(
            legs, cabin, fare, tuple(party), draw.weighted([(0, 0.75), (1, 0.25)]), draw.choice(self.cards), 0,
            self.cast.owner.email,
        )  # fmt: skip
        booking = store.book(db, order)
        status = "cancelled" if kind == "cancelled" else "confirmed"
        db.run("UPDATE bookings SET booked = ?, status = ? WHERE id = ?", booked.isoformat(), status, booking)
        db.run("UPDATE payments SET time = ? WHERE booking = ?", booked.isoformat(), booking)
        row = db.row("SELECT * FROM bookings WHERE id = ?", booking)
        assert row is not None
        if status == "cancelled":
            store.pay(db, booking, "Refund", -store.refund(db, row), order.card)
            again = (booked + timedelta(days=2, minutes=number)).isoformat()
            db.run("UPDATE payments SET time = ? WHERE booking = ? AND amount < 0", again, booking)
        elif draw.chance(0.65) and not soon:
            self._seats(booking)
        if kind == "past":
            db.run("UPDATE coupons SET checked_in = 1 WHERE booking = ?", booking)
            if mine:
                self._earn(booking)

    def _flights(self, code: str, days: int, *, home: bool, past: bool) -> tuple[int, ...]:
        """Flights to a place, or home from it, on a day or the next day that has some."""
        ends = (code, self.schedule.home.code) if home else (self.schedule.home.code, code)
        if not past:
            for later in range(0, 6):
                on = (self.today + timedelta(days=days + later)).isoformat()
                if options := store.find(self.db, *ends, on):
                    # With a delayed flight, the times on the boarding pass and on the status board would differ.
                    direct = [option for option in options if not option.stops] or options
                    calm = [
                        option for option in direct if not any(flight["delay"] for flight in option.flights)
                    ] or direct
                    return tuple(flight["id"] for flight in self.draw.choice(calm).flights)
            raise AssertionError(f"no flights between {ends}")
        hub = self.schedule.onward.get(code)
        stops = [ends[0], hub, ends[1]] if hub else [*ends]
        day = self.today + timedelta(days=days)
        flights, earliest = [], 0
        for origin, destination in pairwise(stops):
            assert origin is not None and destination is not None
            line, day = self._line(origin, destination, day, earliest)
            flights.append(self.schedule.add(self.db, line, day))
            earliest = int(line.times(day)[1].timestamp()) // 60 + 50
        return tuple(flights)

    def _line(self, one: str, two: str, day: date, earliest: int) -> tuple[Line, date]:
        for later in range(0, 9):
            on = day + timedelta(days=later)
            for line in self.draw.shuffled(self.schedule.between(one, two)):
                if line.flies(on) and int(line.times(on)[0].timestamp()) // 60 >= earliest:
                    return line, on
        raise AssertionError(f"no line from {one} to {two}")

    def _seats(self, booking: int) -> None:
        for coupon in self.db.rows("SELECT * FROM coupons WHERE booking = ?", booking):
            free = [seat for seat in store.seats(self.db, coupon).values() if not seat["taken"] and not seat["legroom"]]
            if free:
                self.db.run("UPDATE coupons SET seat = ? WHERE id = ?", self.draw.choice(free)["seat"], coupon["id"])

    def _earn(self, booking: int) -> None:
        sql = (
            "SELECT max(arrives), sum(ends - starts) FROM flights WHERE id IN (SELECT flight FROM coupons WHERE "
            "booking = ?)"
        )
        row = self.db.row(sql, booking)
        assert row is not None
        time = datetime.fromisoformat(row[0]) + timedelta(minutes=self.draw.integer(60, 900))
        self.earned.append((time, booking, row[1] * 6 // 10 * 10))

    def _points(self) -> None:
        entries: list[tuple[datetime, str, int, int | None]] = []
        for time, booking, points in self.earned:
            row = self.db.row(
                "SELECT b.code, a.city FROM bookings b JOIN coupons c ON c.booking = b.id JOIN flights f ON "
                "f.id = c.flight JOIN airports a ON a.code = f.destination WHERE b.id = ? AND c.leg = 'out' "
                "ORDER BY f.starts DESC",
                booking,
            )
            assert row is not None
            entries.append((time, f"{row['city']}, {row['code']}", points, booking))
        now = self.cast.now
        bonus = (("Welcome bonus", 5_000, 361), ("Partner hotel stay", 2_400, 200), ("Spring campaign", 1_800, 96),
                 ("Lounge pass", -6_000, 61), ("Partner car hire", 1_250, 33), ("Wi-Fi pass", -1_500, 12),
                 ("Birthday gift", 9_000, 9))  # fmt: skip
        entries += [(now - timedelta(days=days, minutes=points % 97 + days), words, points, None)
                    for words, points, days in bonus]  # fmt: skip
        for time, words, points, number in sorted(entries, key=lambda entry: (entry[0], entry[1])):
            if time < now:
                self.db.insert("points", time=time.isoformat(), what=words, points=points, booking=number)


def _alerts(db: Database, draw: Draw, schedule: Schedule, unit: int, step: int) -> None:
    months = sorted({day[:7] for day in db.column("SELECT DISTINCT substr(departs, 1, 10) FROM flights "
                                                  "WHERE departs > (SELECT now FROM clock)")})[:2]  # fmt: skip
    for place, code in enumerate(draw.sample(schedule.nonstop, 8)):
        low = db.one("SELECT min(price) FROM flights WHERE destination = ?", code)
        below = max(round(low * (0.7 + 0.07 * place) / step), 1) * step
        db.insert(
            "alerts", origin=schedule.home.code, destination=code, month=months[place % len(months)], below=below,
            active=int(place not in (2, 4)),
        )  # fmt: skip


def _recent(db: Database, draw: Draw, schedule: Schedule) -> None:
    today = schedule.cast.now.date()
    for place, code in enumerate(draw.sample([*schedule.nonstop, *schedule.onward], 3), 1):
        day = today + timedelta(days=draw.integer(2, 20))
        back = (day + timedelta(days=draw.integer(3, 12))).isoformat() if place != 2 else ""
        db.insert(
            "recent", place=place, origin=schedule.home.code, destination=code, day=day.isoformat(), back=back,
            adults=place % 2 + 1, children=0, cabin="economy",
        )  # fmt: skip


def _notices(db: Database, cast: Cast) -> None:
    # The city is the destination of the last outbound flight.
    soonest = db.rows(
        "SELECT b.id, b.code, a.city, max(f.starts) AS starts FROM bookings b JOIN coupons c ON c.booking = b.id JOIN "
        "flights f ON f.id = c.flight JOIN airports a ON a.code = f.destination WHERE b.status = 'confirmed' AND "
        "c.leg = 'out' AND NOT EXISTS (SELECT 1 FROM coupons x JOIN flights y ON y.id = x.flight WHERE x.booking = "
        "b.id AND y.departs <= ?) GROUP BY b.id ORDER BY starts LIMIT 7",
        cast.now.isoformat(),
    )
    for place, row in enumerate(reversed(soonest)):
        late = len(soonest) - place <= _SOON
        words = f"Check-in is open for {row['code']}" if late else f"Off to {row['city']} soon"
        time = cast.now - timedelta(hours=3 * (len(soonest) - place), minutes=7 * place + 11)
        db.insert("notices", text=words, time=time.isoformat(), booking=row["id"], seen=int(not late))
    long_ago = (cast.now - timedelta(days=9, minutes=40)).isoformat()
    db.insert("notices", text="Birthday gift: 9,000 points", time=long_ago, booking=None, seen=1)
