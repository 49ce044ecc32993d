"""Tasks about recurring payments: start, stop, change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Balance, Change, Database, Expect, Known, Task, formats
from fairground_pocket.payment.scenarios.finding import PAYMENT_LIMIT, PIN, WHO, added, amount, cases, day_words
from fairground_pocket.payment.schema import EVERY

_NTH = (
    "SELECT r.id, r.note, r.amount, c.name FROM recurring r JOIN contacts c ON c.id = r.contact "
    "WHERE r.status = 'active' ORDER BY r.id LIMIT 1 OFFSET :nth"
)


def _open(known: Known) -> list[Move]:
    return [Tap("More"), Tap("Recurring payments"), Tap(f"{known.one.note} to {known.one.name}, ")]


class StartRecurring(Task):
    """Set up a recurring payment."""

    name = "start-recurring"
    app = "payment"
    template = (
        "From now on I pay {who.name} {pay.text} {often} for “{note}”, in the category {category}. Set it up with the "
        "first payment on {first.words}. PIN {pin}."
    )
    domain = {
        "case": cases(
            "role size note category every often days",
            ("chess", "friend from school", 60, "Chess club", "Fun", "week", "every week", "+3 days"),
            ("garage", "landlord", 480, "Garage rent", "Home", "month", "every month", "+9 days"),
            ("lessons", "maths tutor", 220, "Maths lessons", "Other", "fortnight", "every two weeks", "+6 days"),
            ("allowance", "brother", 350, "Pocket money", "Gifts", "month", "every month", "+17 days"),
            ("parking", "neighbour upstairs", 95, "Parking space", "Transport", "month", "every month", "+24 days"),
            ("choir", "from the choir", 45, "Choir fee", "Fun", "week", "every week", "+11 days"),
            ("yoga", "yoga teacher", 130, "Yoga course", "Health", "fortnight", "every two weeks", "+2 days"),
            ("garden", "gardener", 270, "Garden work", "Home", "fortnight", "every two weeks", "+14 days"),
            ("meals", "aunt", 155, "Sunday meals", "Eating out", "week", "every week", "+5 days"),
            ("dog", "dog sitter", 88, "Dog walks", "Other", "week", "every week", "+8 days"),
            ("desk", "designer", 415, "Shared studio", "Work", "month", "every month", "+20 days"),
            ("trips", "running partner", 199, "Travel fund", "Travel", "month", "every month", "+28 days"),
        )
    }
    facts = {
        "who": WHO,
        "pay": amount(),
        "first": f"SELECT date(now, :days) AS day, {day_words('date(now, :days)')} AS words FROM clock",
        "pin": PIN,
    }
    needs = (Balance(PAYMENT_LIMIT, ":pay_amount"),)
    _made = "contact = :who_id AND amount = :pay_amount AND every = :every AND due = :first_day AND status = 'active'"
    _whole = f"{_made} AND fold(note) = fold(:note) AND category = :category"
    expect = (
        Expect("it is set up", added("recurring", _made), weight=2),
        Expect("with note and category", added("recurring", _whole)),
    )
    allowed = (Add("recurring", _whole),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        day = formats.day(date.fromisoformat(known.first.day))
        return [
            Tap("More"), Tap("Recurring payments"), Tap("New recurring"), Tap("Person"), Tap(known.who.name),
            Fill("Amount", known.pay.plain), Fill("Note", known.note), Tap(EVERY[known.every]),
            Tap("First payment"), Tap(day), Tap("Category"), Tap(known.category), Tap("Continue"),
            Fill("PIN", known.pin), Tap("Set up"),
        ]  # fmt: skip

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"ended again": [*self.moves(known, data), Tap("End"), Tap("End it")]}


class StopRecurring(Task):
    """Pause or end a recurring payment."""

    name = "stop-recurring"
    app = "payment"
    template = "{words} my recurring payment to {one.name} for “{one.note}”."
    domain = {
        "how": {
            "pause": {"status": "paused", "words": "For now, pause"},
            "end": {"status": "cancelled", "words": "End for good"},
        },
        "nth": {f"no-{number + 1}": number for number in range(6)},
    }
    facts = {"one": _NTH}
    expect = (Expect("it is stopped", "SELECT status FROM after.recurring WHERE id = :one_id", "{status}"),)
    allowed = (Change("recurring", ("status",), "id = :one_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*_open(known), *([Tap("Pause")] if known.status == "paused" else [Tap("End"), Tap("End it")])]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        opposite = [Tap("End"), Tap("End it")] if known.status == "paused" else [Tap("Pause")]
        return {"the other way": [*_open(known), *opposite], "resumed": [*_open(known), Tap("Pause"), Tap("Resume")]}


class ChangeRecurring(Task):
    """Change the amount of a recurring payment."""

    name = "change-recurring"
    app = "payment"
    template = (
        "What I pay {one.name} for “{one.note}” goes {words} by {by.text}. Change the recurring payment so that "
        "every payment from now on has the new amount. My PIN is {pin}."
    )
    domain = {
        "case": cases(
            "nth size sign words",
            *((f"no-{nth + 1}-{word}", nth, size, sign, word) for nth, size, sign, word in (
                (0, 20, 1, "up"), (1, 15, -1, "down"), (2, 45, 1, "up"), (3, 10, -1, "down"), (4, 35, 1, "up"),
                (5, 25, 1, "up"), (6, 12, -1, "down"), (7, 50, 1, "up"), (8, 18, 1, "up"), (9, 8, -1, "down"),
            )),
        )
    }  # fmt: skip
    facts = {
        "one": _NTH,
        "by": amount(),
        "new": amount(":one_amount + :sign * :by_amount"),
        "pin": PIN,
    }
    needs = (Balance(":new_amount", "1"), Balance(PAYMENT_LIMIT, ":new_amount"))
    expect = (
        Expect("it has the new amount", "SELECT amount = :new_amount FROM after.recurring WHERE id = :one_id"),
        Expect("it goes on", "SELECT status FROM after.recurring WHERE id = :one_id", "active"),
    )
    allowed = (Change("recurring", ("amount",), "id = :one_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._change(known, known.new.plain)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"the difference itself": self._change(known, known.by.plain)}

    def _change(self, known: Known, plain: str) -> list[Move]:
        return [*_open(known), Tap("Change amount"), Fill("Amount", plain), Fill("PIN", known.pin), Tap("Save changes")]
