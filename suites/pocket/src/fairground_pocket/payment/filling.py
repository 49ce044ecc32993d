"""The wallet of a profile: a little more than a year of transactions with the people of its cast."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from fairground_pocket.kit import Cast, Database, Draw, Person, ascii_of, formats
from fairground_pocket.payment.spending import ACQUAINTANCES, BILLS, REASONS, RECURRING, SERVICES, WORTH, shops
from fairground_pocket.payment.store import following, month_name

_DAYS: Final = 395
_BLOCKED: Final = ("from the gym", "plumber")
_CARDS: Final = {"Travel": 0.10, "Online shopping": 0.13, "Joint account": 0.08, "Family": 0.05, "Old credit": 0.0}
"""Cards besides the default one, and how often each is used."""
_NETWORKS: Final = ("Vela", "Cirro", "Unipay")


@dataclass
class _Event:
    """A transaction; `id` is set once it is written to the database."""

    time: datetime
    kind: str
    title: str
    amount: int
    more: dict[str, Any] = field(default_factory=dict)
    id: int = 0


@dataclass
class _Asked:
    """A request; `payment` is the event that settled it."""

    time: datetime
    contact: int
    direction: str
    amount: int
    note: str
    status: str
    bill: int | None = None
    payment: _Event | None = None


def fill(db: Database, cast: Cast, draw: Draw) -> None:
    """Fills the wallet of a cast."""
    unit = 10 ** formats.CURRENCIES[cast.currency].decimals
    worth = WORTH[cast.currency]
    db.insert("wallet", currency=cast.currency, unit=unit, worth=worth)
    for name, value in _settings(draw, worth).items():
        db.set(name, value)
    _Year(db, cast, draw, worth).fill()


def _settings(draw: Draw, worth: int) -> dict[str, object]:
    digits = draw.sample("123456789", 4)
    return {
        "pin": "".join(digits),
        "payment_limit": draw.choice((500, 550, 600)) * worth,
        "daily_limit": draw.choice((1200, 1350, 1500)) * worth,
        "notify_received": True,
        "notify_requests": True,
        "notify_statements": False,
        "hide_balance": False,
        "private": True,
        "round_up": False,
    }


class _Year:
    def __init__(self, db: Database, cast: Cast, draw: Draw, worth: int) -> None:
        self.db, self.cast, self.draw, self.worth = db, cast, draw, worth
        self.now = cast.now
        self.events: list[_Event] = []
        self.asked: list[_Asked] = []
        self.taken: set[datetime] = set()
        self.people: dict[str, tuple[int, Person]] = {}
        self.cards: dict[str, int] = {}

    def fill(self) -> None:
        self._contacts()
        self._cards_and_banks()
        self._recurring()
        self._purchases()
        self._between_people()
        self._bills()
        self._salaries()
        self._write()
        self._requests()
        self._notices()

    def _amount(self, low: int, high: int) -> int:
        """An amount between two sizes in tenths of a euro, with odd coins if the currency uses them."""
        tenths = self.draw.integer(low, high)
        coins = self.draw.choice((0, 0, 5, 9, 4)) if self.worth <= 200 and self.cast.currency != "JPY" else 0
        return tenths * self.worth // 10 + coins

    def _contacts(self) -> None:
        known = {person.name for person in self.cast.people}
        firsts = [person.first for person in self.cast.people]
        lasts = [person.name.split()[-1] for person in self.cast.people]
        everyone = list(self.cast.people)
        for role in ACQUAINTANCES:
            name = next(
                name for _ in range(400)
                if (name := f"{self.draw.choice(firsts)} {self.draw.choice(lasts)}") not in known
                and len(set(name.split())) == 2 and name != self.cast.owner.name
            )  # fmt: skip
            known.add(name)
            number = "".join(str(self.draw.integer(0, 9)) for _ in range(7))
            phone = f"{self.cast.dial} {self.draw.integer(20, 98)} {number[:3]} {number[3:]}"
            domain = self.cast.owner.email.partition("@")[2]
            everyone.append(Person(name, "other", role, f"{ascii_of(name)}@{domain}", phone))
        for person in everyone:
            number_of = self.db.insert(
                "contacts", name=person.name, handle=f"@{ascii_of(person.name)}", phone=person.phone,
                email=person.email, role=person.role,
                favourite=int(person.role in ("mother", "sister", "best friend", "bandmate")),
                blocked=int(person.role in _BLOCKED),
            )  # fmt: skip
            self.people[person.role] = (number_of, person)

    def _cards_and_banks(self) -> None:
        lasts = self.draw.sample([f"{number:04}" for number in range(1007, 9973, 61)], len(_CARDS) + 4)
        for place, label in enumerate(["Everyday", *self.draw.shuffled(list(_CARDS))]):
            year = self.now.year - 2000 + self.draw.integer(1, 4)
            self.cards[label] = self.db.insert(
                "cards", label=label, network=self.draw.choice(_NETWORKS), last4=lasts.pop(),
                expires=f"{self.draw.integer(1, 12):02}/{year}", frozen=int(label == "Old credit"),
                main=int(place == 0),
            )  # fmt: skip
        for name in ("Halyard Bank", f"{self.cast.city} Savings", "Meridian Direct"):
            self.db.insert("banks", name=name, last4=lasts.pop())

    def _recurring(self) -> None:
        for place, (role, note, category, every, low, high) in enumerate(RECURRING):
            contact, person = self.people[role]
            amount = self._amount(low, high)
            status = "paused" if place in (5, 10) else "cancelled" if place == 13 else "active"
            day = (self.now - timedelta(days=self.draw.integer(140, 380))).date()
            anchor, days = min(day.day, 28), []
            day = day.replace(day=anchor)
            while day < self.now.date():
                days.append(day)
                day = following(day, every, anchor)
            if day == self.now.date():
                day = following(day, every, anchor)
            number = self.db.insert(
                "recurring", contact=contact, amount=amount, note=note, every=every, due=day.isoformat(),
                category=category, status=status,
            )  # fmt: skip
            stopped = self.draw.integer(1, 3) if status != "active" else 0
            for past in days[: len(days) - stopped]:
                moment = datetime.combine(past, time(6, 0)) + timedelta(minutes=self.draw.integer(0, 50))
                more = {"contact": contact, "note": note, "category": category, "recurring": number}
                self._event(moment, "payment", person.name, -amount, **more)

    def _purchases(self) -> None:
        visited = [(shop, shop.often) for shop in shops(self.cast)]
        paid_with = [
            (None, 0.28),
            (self.cards["Everyday"], 0.36),
            *((self.cards[name], often) for name, often in _CARDS.items()),
        ]
        for days in range(_DAYS, -1, -1):
            for _ in range(self.draw.weighted([(0, 0.2), (1, 0.4), (2, 0.3), (3, 0.1)])):
                shop = self.draw.weighted(visited)
                card = self.draw.weighted(paid_with)
                if days > 90 and self.draw.chance(0.06):
                    card = self.cards["Old credit"]
                amount = self._amount(shop.low, shop.high)
                moment = self._moment(days)
                self._event(moment, "purchase", shop.name, -amount, category=shop.category, card=card)
                if shop.category in ("Shopping", "Travel") and days > 9 and self.draw.chance(0.12):
                    back = moment + timedelta(days=self.draw.integer(2, 8), minutes=self.draw.integer(3, 200))
                    self._event(back, "refund", shop.name, amount, note="Returned", card=card)

    def _between_people(self) -> None:
        """Payments to and from people, most of them with the same few; some settle an earlier request."""
        weights = {"family": 3.0, "friend": 3.5, "work": 1.0, "neighbour": 1.2, "service": 0.5, "other": 0.6}
        circle = [
            (entry, weights[entry[1].relation])
            for entry in self.people.values()
            if entry[1].role not in ("landlord", "piano teacher", *_BLOCKED)
        ]
        for days in range(_DAYS, 0, -1):
            for kind, share in (("payment", 0.42), ("received", 0.27)):
                if not self.draw.chance(share):
                    continue
                contact, person = self.draw.weighted(circle)
                note, category, low, high = self._reason(person, kind)
                amount = self._amount(low, high)
                moment = self._moment(days)
                more = {"contact": contact, "note": note, "category": category if kind == "payment" else ""}
                event = self._event(moment, kind, person.name, -amount if kind == "payment" else amount, **more)
                if self.draw.chance(0.2):
                    before = self._free(moment - timedelta(minutes=self.draw.integer(20, 2000)))
                    direction = "in" if kind == "payment" else "out"
                    self.asked.append(_Asked(before, contact, direction, amount, note, "paid", payment=event))
        for direction, status, count in (
            ("in", "open", 12),
            ("out", "open", 12),
            ("in", "declined", 7),
            ("out", "cancelled", 6),
        ):
            self._asked_only(circle, direction, status, count)

    def _asked_only(
        self, circle: list[tuple[tuple[int, Person], float]], direction: str, status: str, count: int
    ) -> None:
        used: set[object] = set()
        while len(used) < 2 * count:
            contact, person = self.draw.weighted(circle)
            note, _, low, high = self._reason(person, "payment")
            amount = self._amount(low, min(high, 450))
            if (contact, note) in used or amount in used:
                continue
            used |= {(contact, note), amount}
            days = self.draw.integer(0, 25) if status == "open" else self.draw.integer(10, 300)
            self.asked.append(_Asked(self._moment(days), contact, direction, amount, note, status))

    def _reason(self, person: Person, kind: str) -> tuple[str, str, int, int]:
        if person.role in SERVICES and kind == "payment":
            return SERVICES[person.role]
        note, category = self.draw.choice(REASONS[person.relation])
        return note, category, 40, 600

    def _bills(self) -> None:
        """Shared bills, oldest first. People who have paid sent money; the others have an open request.

        The oldest bills are settled.
        """
        mates = [
            entry for entry in self.people.values() if entry[1].relation in ("family", "friend", "work", "neighbour")
        ]
        eateries = [shop.name for shop in shops(self.cast) if shop.category == "Eating out"]
        ages = sorted((self.draw.integer(2, 120) for _ in BILLS), reverse=True)
        for place, ((title, category, low, high), days) in enumerate(zip(self.draw.shuffled(BILLS), ages, strict=True)):
            sharing = self.draw.sample(mates, self.draw.integer(3, 5))
            each = self._amount(low, high) // (len(sharing) + 1)
            stranger = self.draw.choice([entry[1].first for entry in mates if entry not in sharing])
            words = title.format(
                place=self.draw.choice(eateries), district=self.draw.choice(self.cast.districts),
                street=self.draw.choice(self.cast.streets), first=stranger,
            )  # fmt: skip
            moment = self._moment(days)
            bill = self.db.insert(
                "bills",
                title=words,
                total=each * (len(sharing) + 1),
                mine=each,
                category=category,
                time=moment.isoformat(),
            )
            paid = len(sharing) if place < 4 else self.draw.integer(1, len(sharing) - 1)
            for seat, (contact, person) in enumerate(sharing):
                asked = _Asked(moment, contact, "out", each, words, "open", bill)
                if seat < paid:
                    later = min(
                        moment + timedelta(minutes=self.draw.integer(60, 4000)), self.now - timedelta(minutes=90)
                    )
                    asked.payment = self._event(later, "received", person.name, each, contact=contact, note=words)
                    asked.status = "paid"
                self.asked.append(asked)

    def _salaries(self) -> None:
        salary = self.draw.integer(150, 190) * 10 * self.worth
        day = (self.now - timedelta(days=_DAYS)).date().replace(day=1)
        while day <= self.now.date():
            paid = datetime.combine(day.replace(day=25), time(8, 0))
            if paid < self.now:
                self._event(
                    paid, "income", self.cast.employer, salary, note=f"Salary {month_name(day.isoformat()[:7])}"
                )
            day = following(day, "month")

    def _write(self) -> None:
        """Writes events in order, with a top-up before the wallet runs empty and a withdrawal when it is full."""
        total = 0
        floor, plenty = 60 * self.worth, 2100 * self.worth
        for event in sorted(self.events, key=lambda event: event.time):
            if event.more.get("card") is None:
                while total + event.amount < floor:
                    amount = 400 * self.worth
                    self._transfer(event.time - timedelta(minutes=self.draw.integer(3, 40)), "topup", amount)
                    total += amount
                total += event.amount
            event.id = self._insert(event)
            if total > plenty and event.kind == "income":
                amount = self.draw.integer(5, 9) * 100 * self.worth
                self._transfer(event.time + timedelta(minutes=self.draw.integer(15, 90)), "withdrawal", -amount)
                total -= amount
        wanted = self.draw.integer(1150, 1800) * self.worth
        if total < wanted:
            rounded = -(-(wanted - total) // (10 * self.worth)) * 10 * self.worth
            self._transfer(self.now - timedelta(minutes=self.draw.integer(100, 900)), "topup", rounded)

    def _transfer(self, moment: datetime, kind: str, amount: int) -> None:
        bank = self.draw.weighted([(1, 0.6), (2, 0.25), (3, 0.15)])
        name = str(self.db.one("SELECT name FROM banks WHERE id = ?", bank))
        self._insert(_Event(self._free(moment), kind, name, amount, {"bank": bank}))

    def _insert(self, event: _Event) -> int:
        values = {"category": "", "note": "", **event.more}
        return self.db.insert(
            "transactions",
            time=event.time.isoformat(),
            kind=event.kind,
            title=event.title,
            amount=event.amount,
            **values,
        )

    def _requests(self) -> None:
        for request in sorted(self.asked, key=lambda request: request.time):
            self.db.insert(
                "requests", contact=request.contact, direction=request.direction, amount=request.amount,
                note=request.note, time=request.time.isoformat(), status=request.status, bill=request.bill,
                payment=request.payment.id if request.payment else None,
            )  # fmt: skip

    def _notices(self) -> None:
        code = self.cast.currency
        notices = []
        for row in self.db.rows(
            "SELECT r.*, c.name FROM requests r JOIN contacts c ON c.id = r.contact WHERE r.direction = 'in' AND "
            "r.status = 'open' ORDER BY r.time DESC LIMIT 5"
        ):
            text = f"{row['name']} asks for {formats.money(row['amount'], code)}: {row['note']}"
            notices.append((row["time"], text, f"/payment/requests/{row['id']}"))
        for row in self.db.rows("SELECT * FROM transactions WHERE kind = 'received' ORDER BY time DESC LIMIT 5"):
            text = f"{row['title']} sent you {formats.money(row['amount'], code)}"
            notices.append((row["time"], text, f"/payment/activity/{row['id']}"))
        first = self.now.replace(day=1, hour=0, minute=30)
        key = (first - timedelta(days=1)).strftime("%Y-%m")
        notices.append(
            (first.isoformat(), f"Your statement for {month_name(key)} is ready", f"/payment/statements/{key}")
        )
        for place, (moment, text, href) in enumerate(sorted(notices, reverse=True)):
            self.db.insert("notices", text=text, time=moment, href=href, seen=int(place > 3))

    def _event(self, moment: datetime, kind: str, title: str, amount: int, **more: Any) -> _Event:
        event = _Event(self._free(min(moment, self.now - timedelta(minutes=5))), kind, title, amount, more)
        self.events.append(event)
        return event

    def _moment(self, days: int) -> datetime:
        day: date = (self.now - timedelta(days=days)).date()
        if days == 0:
            return self._free(self.now - timedelta(minutes=self.draw.integer(15, 120)))
        return self._free(datetime.combine(day, time(7, 0)) + timedelta(minutes=self.draw.integer(0, 15 * 60)))

    def _free(self, moment: datetime) -> datetime:
        """A minute that no other event has, so that every list has a unique order."""
        while moment in self.taken:
            moment -= timedelta(minutes=1)
        self.taken.add(moment)
        return moment
