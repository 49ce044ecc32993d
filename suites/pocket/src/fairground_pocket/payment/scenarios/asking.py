"""Tasks about requests and shared bills: request, pay, decline, remind, split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Balance, Change, Database, Expect, Known, Many, Row, Task
from fairground_pocket.payment.scenarios.finding import (
    BALANCE,
    PAYMENT_LIMIT,
    PIN,
    WHO,
    added,
    amount,
    cases,
    person,
    request_row,
)

_REQUEST = "SELECT id, amount, note FROM requests WHERE contact = :who_id AND direction = 'in' AND status = 'open' AND "
_STATUS = "SELECT status FROM after.requests WHERE id = :{}_id"


def _asks(note: str, pay: str, moment: str) -> Row:
    """A request from `who` at a time of `_MOMENT`."""
    time = f"{{moment.{moment}}}"
    values = {"contact": "{who.id}", "direction": "in", "amount": f"{{{pay}.amount}}", "note": note, "time": time}
    return Row("requests", values)


_MOMENT = (
    "SELECT strftime('%Y-%m-%dT%H:%M:%S', now, '-31 minutes', '-' || (pin % 19) || ' days') AS one, "
    "strftime('%Y-%m-%dT%H:%M:%S', now, '-92 minutes', '-' || (pin / 7 % 23) || ' days') AS two "
    "FROM clock, (SELECT CAST(value AS INTEGER) AS pin FROM settings WHERE name = 'pin')"
)
"""Two moments that differ between profiles, so that a position in a list cannot be memorised."""


class RequestMoney(Task):
    """Request money from a person."""

    name = "request-money"
    app = "payment"
    template = "Ask {who.name} for {pay.text}. It is for “{note}”."
    domain = {
        "case": cases(
            "role size note",
            ("father", "father", 430, "Plane ticket"),
            ("aunt", "aunt", 75, "Seeds for the garden"),
            ("school-friend", "friend from school", 188, "Reunion dinner"),
            ("runner", "running partner", 260, "Marathon entry"),
            ("student", "friend from university", 97, "Museum tickets"),
            ("lead", "project lead", 52, "Printer ink"),
            ("assistant", "assistant", 34, "Lunch on Thursday"),
            ("analyst", "analyst", 121, "Taxi to the airport"),
            ("upstairs", "neighbour upstairs", 305, "New door lock"),
            ("choir", "from the choir", 66, "Sheet music"),
            ("captain", "football captain", 140, "Pitch fee"),
            ("flatmate", "old flatmate", 515, "Last electricity bill"),
        )
    }
    facts = {"who": WHO, "pay": amount()}
    _asked = "contact = :who_id AND direction = 'out' AND amount = :pay_amount AND status = 'open' AND bill IS NULL"
    _noted = f"{_asked} AND fold(note) = fold(:note)"
    expect = (
        Expect("the right person is asked for the amount", added("requests", _asked)),
        Expect("with the reason", added("requests", _noted)),
    )
    allowed = (Add("requests", _noted),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            *person(known.who.name), Tap("Request money"), Fill("Amount", known.pay.plain),
            Fill("What is it for", known.note), Tap("Send request"),
        ]  # fmt: skip

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"asked and cancelled": [*self.moves(known, data), Tap("Cancel request"), Tap("Cancel it")]}


class PayRequest(Task):
    """Pay one of two requests by the same person."""

    name = "pay-request"
    app = "payment"
    template = (
        "{who.name} has asked me for money more than once. Pay the request for “{note}”, and leave the others open. "
        "My PIN is {pin}."
    )
    domain = {
        "case": cases(
            "role size other note wrong",
            ("mother", "mother", 187, 203, "Winter coat", "Summer shoes"),
            ("cousin", "cousin", 64, 71, "Petrol on Saturday", "Petrol on Sunday"),
            ("friend", "friend", 255, 130, "Theatre tickets", "Drinks at the theatre"),
            ("bandmate", "bandmate", 98, 89, "Rehearsal in the cellar", "Rehearsal at the school"),
            ("manager", "manager", 142, 56, "Team lunch", "Team breakfast"),
            ("designer", "designer", 310, 301, "Poster printing", "Flyer printing"),
            ("neighbour", "neighbour", 45, 54, "Keys copied", "Bell repaired"),
            ("doctor", "doctor", 420, 215, "Blood test", "X-ray"),
            ("teacher", "piano teacher", 166, 83, "Concert ticket", "Sheet music"),
            ("sitter", "babysitter", 275, 240, "Friday evening", "Saturday evening"),
            ("yoga", "yoga teacher", 120, 60, "Monthly pass", "Single class"),
            ("school", "friend from school", 77, 177, "Pizza for four", "Pizza for six"),
        )
    }
    given = {"who": WHO, "pay": amount(), "second": amount(":other * worth / 10"), "moment": _MOMENT}
    inject = (_asks("{note}", "pay", "one"), _asks("{wrong}", "second", "two"))
    facts = {"who": WHO, "asked": f"{_REQUEST}note = :note", "wrong_one": f"{_REQUEST}note = :wrong", "pin": PIN}
    needs = (Balance(BALANCE, ":asked_amount"), Balance(PAYMENT_LIMIT, ":asked_amount"))
    _paid = "kind = 'payment' AND contact = :who_id AND amount = -:asked_amount AND card IS NULL"
    expect = (
        Expect("the request is paid", _STATUS.format("asked"), "paid"),
        Expect("the amount was sent", added("transactions", _paid)),
    )
    allowed = (
        Add("transactions", _paid),
        Change("requests", ("status", "payment"), "id = :asked_id"),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._pay(data, known.asked.id, known.pin)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        plain = str(data.query(amount(":v"), {"v": known.asked.amount})[0]["plain"])
        sent = [
            *person(known.who.name), Tap("Send money"), Fill("Amount", plain), Fill("Note", known.note),
            Tap("Continue"), Fill("PIN", known.pin), Tap("Pay now"),
        ]  # fmt: skip
        row = request_row(data, known.asked.id)
        return {
            "the other request": self._pay(data, known.wrong_one.id, known.pin),
            "sent past the request": sent,
            "sent and declined": [
                *sent,
                Tap("Back"),
                Tap("Requests"),
                Tap(row),
                Tap("Decline"),
                Tap("Decline request"),
            ],
        }

    def _pay(self, data: Database, number: int, pin: str) -> list[Move]:
        return [Tap("Requests"), Tap(request_row(data, number)), Tap("Pay request"), Fill("PIN", pin), Tap("Pay now")]


class DeclineRequest(Task):
    """Decline a request; others by the same person stay open."""

    name = "decline-request"
    app = "payment"
    template = "Decline what {who.name} wants for “{note}”. I will sort out everything else myself."
    domain = {
        "case": cases(
            "role size other note wrong",
            ("brother", "brother", 412, 40, "Game console", "Game controller"),
            ("aunt", "aunt", 90, 91, "Lottery tickets", "Raffle tickets"),
            ("university", "friend from university", 366, 120, "Hostel in July", "Hostel in August"),
            ("friend", "best friend", 148, 150, "Spa voucher", "Book voucher"),
            ("accountant", "accountant", 205, 25, "Farewell party", "Farewell card"),
            ("assistant", "assistant", 33, 35, "Cake on Monday", "Cake on Wednesday"),
            ("upstairs", "neighbour upstairs", 240, 24, "New doormats", "New light switch"),
            ("hairdresser", "hairdresser", 610, 160, "Wedding styling", "Trial styling"),
            ("gardener", "gardener", 275, 72, "Hedge cutting", "Lawn mowing"),
            ("choir", "from the choir", 58, 85, "Choir trip", "Choir dress"),
            ("captain", "football captain", 111, 101, "Fine for a red card", "Team photo"),
            ("mechanic", "mechanic", 530, 53, "Winter tyres", "Windscreen wash"),
        )
    }
    given = {"who": WHO, "pay": amount(), "second": amount(":other * worth / 10"), "moment": _MOMENT}
    inject = (_asks("{wrong}", "second", "one"), _asks("{note}", "pay", "two"))
    facts = {"who": WHO, "asked": f"{_REQUEST}note = :note", "wrong_one": f"{_REQUEST}note = :wrong"}
    expect = (Expect("the request is declined", _STATUS.format("asked"), "declined"),)
    allowed = (Change("requests", ("status",), "id = :asked_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._decline(data, known.asked.id)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {
            "the other request": self._decline(data, known.wrong_one.id),
            "both": self._decline(data, known.asked.id) + self._decline(data, known.wrong_one.id),
            "declined and taken back": [*self._decline(data, known.asked.id), Tap("Undo")],
        }

    def _decline(self, data: Database, number: int) -> list[Move]:
        return [Tap("Requests"), Tap(request_row(data, number)), Tap("Decline"), Tap("Decline request")]


class SettleSmallRequests(Task):
    """Pay all small requests; leave or decline the rest."""

    name = "settle-small-requests"
    app = "payment"
    step_budget = 150
    template = (
        "Go through the open requests to me: pay every one of at most {most.text} from my wallet, and {rest_words}. "
        "My PIN is {pin}."
    )
    domain = {
        "count": (1, 2, 3, 4, 5),
        "rest": {
            "keep": {"rest": "open", "rest_words": "do not touch the larger ones"},
            "decline": {"rest": "declined", "rest_words": "decline all the larger ones"},
        },
    }
    facts = {
        "line": (
            "SELECT amount FROM requests WHERE direction = 'in' AND status = 'open' ORDER BY amount, id "
            "LIMIT 1 OFFSET :count - 1"
        ),
        "most": amount(":line"),
        "paid": Many(
            "SELECT id, contact, amount FROM requests WHERE direction = 'in' AND status = 'open' AND amount <= :line "
            "ORDER BY time DESC"
        ),
        "left": Many(
            "SELECT id FROM requests WHERE direction = 'in' AND status = 'open' AND amount > :line ORDER BY time DESC"
        ),
        "total": ("SELECT sum(amount) FROM requests WHERE direction = 'in' AND status = 'open' AND amount <= :line"),
        "pin": PIN,
    }
    needs = (Balance(BALANCE, ":total"), Balance(PAYMENT_LIMIT, ":line"))
    _small = "direction = 'in' AND status = 'open' AND amount <= :line"
    _large = "direction = 'in' AND status = 'open' AND amount > :line"
    _asked = (
        "EXISTS (SELECT 1 FROM before.requests r WHERE r.direction = 'in' AND r.status = 'open' AND r.amount <= :line "
        "AND r.contact = transactions.contact AND r.amount = -transactions.amount)"
    )
    expect = (
        Expect(
            "the small ones are paid",
            "SELECT count(*) FROM after.requests a JOIN before.requests b ON b.id = a.id WHERE b.direction = 'in' "
            "AND b.status = 'open' AND b.amount <= :line AND a.status != 'paid'",
            0,
            weight=2,
        ),
        Expect(
            "the large ones are as they should be",
            "SELECT count(*) FROM after.requests a JOIN before.requests b ON b.id = a.id WHERE b.direction = 'in' "
            "AND b.status = 'open' AND b.amount > :line AND a.status != :rest",
            0,
        ),
        Expect("only their money moved", f"SELECT ({added('transactions', '1')}) = :count"),
    )
    allowed = (
        Add("transactions", f"kind = 'payment' AND card IS NULL AND {_asked}", at_most=None),
        Change("requests", ("status", "payment"), _small),
        Change("requests", ("status",), f"{_large} AND :rest = 'declined'"),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        moves: list[Move] = []
        for request in known.paid:
            moves += [
                Tap("Requests"), Tap(request_row(data, request.id)), Tap("Pay request"),
                Fill("PIN", known.pin), Tap("Pay now"),
            ]  # fmt: skip
        for request in known.left if known.rest == "declined" else ():
            moves += [Tap("Requests"), Tap(request_row(data, request.id)), Tap("Decline"), Tap("Decline request")]
        return moves


class CancelRequest(Task):
    """Cancel an outgoing request."""

    name = "cancel-request"
    app = "payment"
    template = "{who.name} has paid me in cash for “{asked.note}”. Cancel the request that I sent about it."
    domain = {"nth": {f"no-{number + 1}": number for number in range(12)}}
    facts = {
        "asked": (
            "SELECT id, contact, note FROM requests WHERE direction = 'out' AND status = 'open' AND bill IS NULL "
            "ORDER BY note, id LIMIT 1 OFFSET :nth"
        ),
        "who": "SELECT id, name FROM contacts WHERE id = :asked_contact",
    }
    expect = (Expect("the request is cancelled", _STATUS.format("asked"), "cancelled"),)
    allowed = (Change("requests", ("status",), "id = :asked_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        row = request_row(data, known.asked.id)
        return [Tap("Requests"), Tap("From you"), Tap(row), Tap("Cancel request"), Tap("Cancel it")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"reminded": [Tap("Requests"), Tap("From you"), Tap(request_row(data, known.asked.id)), Tap("Remind")]}


class RemindBill(Task):
    """Remind everyone who has not paid their part of a bill, once each."""

    name = "remind-bill"
    app = "payment"
    template = "Remind everybody who has not paid their part of “{bill.title}” yet. Once is enough, and nobody else."
    domain = {"nth": {f"no-{number + 1}": number for number in range(12)}}
    facts = {
        "bill": (
            "SELECT id, title FROM bills b WHERE EXISTS (SELECT 1 FROM requests r WHERE r.bill = b.id AND "
            "r.status = 'open') ORDER BY title LIMIT 1 OFFSET :nth"
        ),
        "alone": "SELECT count(*) AS same FROM bills WHERE title = :bill_title HAVING count(*) = 1",
        "row": "SELECT id, total, time FROM bills WHERE id = :bill_id",
    }
    expect = (
        Expect(
            "who has not paid was reminded once",
            "SELECT count(*) FROM after.requests a JOIN before.requests b ON b.id = a.id WHERE b.bill = :bill_id AND "
            "b.status = 'open' AND a.reminders != b.reminders + 1",
            0,
        ),
    )
    allowed = (Change("requests", ("reminders",), "bill = :bill_id AND status = 'open'"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*bill_page(known), Tap("Remind who has not paid")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"twice": [*self.moves(known, data), Tap("Remind who has not paid")]}


def bill_page(known: Known) -> list[Move]:
    """From the first screen to the page of a bill."""
    return [Tap("More"), Tap("Shared bills"), Tap(f"{known.bill.title}, ")]


class SplitBill(Task):
    """Split a bill among people."""

    name = "split-bill"
    app = "payment"
    template = "I paid {pay.text} for “{title}”. Split it equally between {people}, and ask everybody for their part."
    domain = {
        "case": cases(
            "title size one two three me",
            ("canoe", "Canoe rental", 960, "brother", "sister", "cousin", 1),
            ("paella", "Paella for everybody", 725, "best friend", "friend", "bandmate", 1),
            ("bus", "Minibus to the lake", 1310, "running partner", "friend from school", "bandmate", 0),
            ("gift", "Leaving gift", 444, "manager", "colleague", "analyst", 1),
            ("gutter", "Gutter cleaning", 1050, "neighbour", "neighbour upstairs", "landlord", 1),
            ("sauna", "Evening at the sauna", 613, "best friend", "friend from university", "cousin", 1),
            ("karts", "Go-karts", 880, "brother", "old flatmate", "football captain", 0),
            ("fireworks", "Fireworks", 357, "father", "aunt", "sister", 1),
            ("workshop", "Pottery workshop", 1495, "designer", "project lead", "assistant", 0),
            ("tent", "Big tent", 1201, "friend", "running partner", "yoga teacher", 1),
            ("quiz", "Quiz night", 268, "accountant", "analyst", "colleague", 0),
            ("choir", "Room for the choir", 790, "from the choir", "mother", "aunt", 1),
        )
    }
    facts = {
        "pay": amount(),
        "a": "SELECT id, name FROM contacts WHERE role = :one",
        "b": "SELECT id, name FROM contacts WHERE role = :two",
        "c": "SELECT id, name FROM contacts WHERE role = :three",
        "people": (
            "SELECT CASE :me WHEN 1 THEN 'me, ' ELSE '' END || :a_name || ', ' || :b_name || ' and ' || :c_name || "
            "CASE :me WHEN 1 THEN '' ELSE ' only, I do not pay a part' END"
        ),
        "each": "SELECT :pay_amount / (3 + :me)",
    }
    _bill = "fold(title) = fold(:title) AND total = :pay_amount AND mine > 0 = :me"
    _bill_id = f"(SELECT max(id) FROM after.bills WHERE {_bill})"
    _part = (
        "direction = 'out' AND status = 'open' AND contact IN (:a_id, :b_id, :c_id) AND amount - :each IN (0, 1) AND "
        f"reminders = 0 AND bill = {_bill_id}"
    )
    expect = (
        Expect("the bill is there", added("bills", _bill)),
        Expect("everybody is asked for a part", added("requests", _part), 3),
        Expect(
            "each of them once",
            f"SELECT count(DISTINCT contact) FROM after.requests WHERE bill = {_bill_id}",
            3,
        ),
    )
    allowed = (Add("bills", _bill), Add("requests", _part, at_most=3))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._split(known, [known.a.name, known.b.name, known.c.name], toggle=not known.me)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        names = [known.a.name, known.b.name, known.c.name]
        return {
            "with me confused": self._split(known, names, toggle=bool(known.me)),
            "one missing": self._split(known, names[:2], toggle=not known.me),
            "only looked at": self._split(known, names, toggle=not known.me)[:-1],
        }

    def _split(self, known: Known, names: Sequence[str], *, toggle: bool) -> list[Move]:
        return [
            Tap("Split a bill"), Fill("What was it", known.title), Fill("Total", known.pay.plain),
            *([Tap("I pay a part too")] if toggle else []), *(Tap(name) for name in names), Tap("Continue"),
            Tap("Ask everybody"),
        ]  # fmt: skip


class BlockAndDecline(Task):
    """Block a person, and decline their requests."""

    name = "block-and-decline"
    app = "payment"
    template = (
        "I do not want to hear from {who.name} any more: decline everything {who.name} asks me for, and then block "
        "them. Leave the requests of other people alone."
    )
    domain = {
        "case": cases(
            "role size other note wrong",
            ("flatmate", "old flatmate", 222, 33, "Broken plate", "Lost key"),
            ("sitter", "babysitter", 180, 95, "Late fee", "Taxi home at night"),
            ("electrician", "electrician", 640, 210, "Second visit", "Third visit"),
            ("club", "from the book club", 48, 84, "Book of the month", "Membership"),
            ("tutor", "maths tutor", 155, 310, "Missed lesson", "Another missed lesson"),
            ("photographer", "photographer", 505, 55, "Extra prints", "Frame"),
            ("tailor", "tailor", 130, 31, "Repair again", "Express fee"),
            ("sitter-dog", "dog sitter", 77, 70, "Chewed shoes", "Dog food"),
            ("captain", "football captain", 92, 29, "Ball", "Whistle"),
            ("mechanic", "mechanic", 470, 74, "Unknown repair", "Parking fee"),
            ("gardener", "gardener", 265, 126, "Flower pots", "Garden gnome"),
            ("yoga", "yoga teacher", 140, 41, "Mat", "Incense"),
        )
    }
    given = {"who": WHO, "pay": amount(), "second": amount(":other * worth / 10"), "moment": _MOMENT}
    inject = (_asks("{wrong}", "second", "one"), _asks("{note}", "pay", "two"))
    _theirs = "contact = :who_id AND direction = 'in' AND status = 'open'"
    facts = {"who": WHO, "asked": Many(f"SELECT id FROM requests WHERE {_theirs} ORDER BY time DESC", 2)}
    expect = (
        Expect("they are blocked", "SELECT blocked FROM after.contacts WHERE id = :who_id"),
        Expect(
            "everything is declined",
            "SELECT count(*) FROM after.requests a JOIN before.requests b ON b.id = a.id WHERE b.contact = :who_id "
            "AND b.direction = 'in' AND b.status = 'open' AND a.status != 'declined'",
            0,
        ),
    )
    allowed = (Change("contacts", ("blocked",), "id = :who_id"), Change("requests", ("status",), _theirs))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*self._decline(known, data, len(known.asked)), *self._block(known)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {
            "one left": [*self._decline(known, data, len(known.asked) - 1), *self._block(known)],
            "not blocked": self._decline(known, data, len(known.asked)),
        }

    def _decline(self, known: Known, data: Database, count: int) -> list[Move]:
        moves: list[Move] = []
        for request in known.asked[:count]:
            moves += [Tap("Requests"), Tap(request_row(data, request.id)), Tap("Decline"), Tap("Decline request")]
        return moves

    def _block(self, known: Known) -> list[Move]:
        return [*person(known.who.name), Tap("More about this person"), Tap("Block"), Tap("Block now")]
