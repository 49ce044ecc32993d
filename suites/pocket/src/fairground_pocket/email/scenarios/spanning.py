"""Tasks that start with a mail and need another app."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.email.scenarios.filing import FOLDERS, MOVED, MOVES
from fairground_pocket.email.scenarios.finding import CONTACT, MAIL, open_mail, receive
from fairground_pocket.email.scenarios.writing import ANSWERS, NEW, SENT, TO
from fairground_pocket.kit import HOME, Add, Balance, Database, Expect, Known, Task

_MAIL: Final = f"{MAIL} WHERE m.folder = 'inbox' AND m.subject = :subject"
_PLAIN: Final = "CASE WHEN v % unit = 0 THEN CAST(v / unit AS TEXT) ELSE printf('%d.%02d', v / unit, v % unit) END"
_SIGNED: Final = "char(10) || char(10) || '-- ' || char(10)"
_ABOVE: Final = f"trim(substr(body, 1, instr(body || {_SIGNED}, {_SIGNED}) - 1), ' .!' || char(10))"
"""SQL for the text of a mail above its signature."""


def _amount(tenths: str) -> str:
    """An amount worth so many tenths of a euro: in the smallest coin, as typed, as written."""
    return (
        f"SELECT v AS amount, {_PLAIN} AS plain, {_PLAIN} || ' ' || currency AS text "
        f"FROM (SELECT ({tenths}) * worth / 10 AS v, unit, currency FROM payment.wallet)"
    )


class PayAndFile(Task):
    """Pay what a mail asks for, and move the mail to a folder."""

    name = "pay-and-file"
    app = "email"
    also = ("payment",)
    template = (
        "{who.name} wrote to me about “{subject}” and says what is left for me to pay. Send exactly that from my "
        "wallet in the payment app, with the note “{note}”; my PIN is {pin}. Then move the email to my folder {folder}."
    )
    domain = {
        "case": {
            key: {"role": role, "size": size, "paid": paid, "subject": subject, "note": note}
            for key, role, size, paid, subject, note in (
                ("roof", "landlord", 264, 100, "Repair of the roof gutter", "Gutter"),
                ("lessons", "piano teacher", 126, 63, "Lessons of the last weeks", "Lessons"),
                ("exhaust", "mechanic", 382, 150, "Your car is ready", "Exhaust"),
                ("checkup", "doctor", 91, 45, "After your check-up", "Check-up"),
                ("figures", "accountant", 447, 200, "Your figures are done", "Yearly figures"),
                ("fence", "neighbour", 173, 86, "Our new fence", "Fence"),
                ("logo", "designer", 305, 120, "Logo for the choir", "Choir logo"),
                ("tickets", "best friend", 148, 74, "Tickets for the concert hall", "Concert"),
                ("boat", "cousin", 219, 110, "The boat last summer", "Boat"),
                ("shoes", "running partner", 136, 41, "Shoes from the outlet", "Shoes"),
                ("amplifier", "bandmate", 255, 95, "The used amplifier", "Amplifier"),
                ("present", "sister", 88, 33, "Present for the parents", "Present"),
            )
        },
        "folder": FOLDERS,
    }
    _asked = {
        "who": "SELECT id, name, email AS address FROM payment.contacts WHERE role = :role",
        "pay": _amount(":size"),
        "whole": _amount(":size + :paid"),
    }
    given = {**_asked, "before": _amount(":paid")}
    inject = (
        receive("{who.name}", "{who.address}", "{subject}",
                "Hello,\n\nas promised, here is how we stand. It came to {whole.text} in all. You gave me "
                "{before.text} in cash, so {pay.text} is left. Please send it to me in the payment app when you "
                "have a moment.\n\nMany thanks\n{who.name}", after=4),
    )  # fmt: skip
    facts = {**_asked, "mail": _MAIL, "pin": "SELECT value FROM payment.settings WHERE name = 'pin'"}
    needs = (
        Balance("SELECT coalesce(sum(amount), 0) FROM payment.transactions WHERE card IS NULL", ":pay_amount"),
        Balance("SELECT CAST(value AS INTEGER) FROM payment.settings WHERE name = 'payment_limit'", ":pay_amount"),
    )
    _sent = "kind = 'payment' AND contact = :who_id AND amount = -:pay_amount AND card IS NULL"
    _noted = f"{_sent} AND fold(note) = fold(:note)"
    _new = (
        "SELECT count(*) FROM after_payment.transactions WHERE id NOT IN (SELECT id FROM before_payment.transactions)"
    )
    expect = (
        Expect("what is left was paid", f"{_new} AND {_sent}", weight=2),
        Expect("with the note", f"{_new} AND {_noted}"),
        Expect("the mail is in the folder", MOVED + ":key"),
    )
    allowed = (*MOVES, Add("transactions", _noted, app="payment"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*self._pay(known, data, known.pay.plain), *self._file(known, data)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {
            "the whole": [*self._pay(known, data, known.whole.plain), *self._file(known, data)],
            "not filed": self._pay(known, data, known.pay.plain),
            "not paid": self._file(known, data),
        }

    def _pay(self, known: Known, data: Database, plain: str) -> list[Move]:
        return [
            *open_mail(data, known.mail.thread), Tap(HOME), Tap("Payment"), Tap("People"),
            Fill("Search people", known.who.name), Tap(known.who.name), Tap("Send money"), Fill("Amount", plain),
            Fill("Note", known.note), Tap("Continue"), Fill("PIN", known.pin), Tap("Pay now"), Tap(HOME), Tap("Email"),
        ]  # fmt: skip

    def _file(self, known: Known, data: Database) -> list[Move]:
        return [*open_mail(data, known.mail.thread), Tap("More"), Tap("Move to folder"), Tap(known.folder)]


class ReplyWithCourier(Task):
    """Reply to a mail that asks who delivered an order."""

    name = "reply-with-courier"
    app = "email"
    also = ("eats",)
    template = (
        "In the email “{subject}”, {person.name} asks who the courier of one of my food orders was. Look it up in the "
        "Eats app and reply to that email with nothing but the name, as the app writes it."
    )
    domain = {
        "case": {
            key: {"subject": subject, "why": why, "back": back, "nth": nth}
            for key, subject, why, back, nth in (
                ("scarf", "A scarf on the stairs", "Somebody lost a scarf on our stairs that evening", 1, 3),
                ("kind", "Such a kind courier", "The courier helped me with the door", 4, 12),
                ("tip", "I owe a tip", "I had no coins on me and would like to make up for it", 6, 7),
                ("keys", "Keys in the lift", "There were keys in the lift that are nobody's here", 9, 1),
                ("umbrella", "Left umbrella", "An umbrella was left at my door", 13, 16),
                ("bicycle", "Whose bicycle is this?", "There has been a bicycle in our yard since then", 17, 9),
                ("praise", "A line of praise", "I want to write a line of praise to the company", 22, 5),
                ("classmate", "I think I know them", "I believe that we were in the same class", 27, 18),
                ("parcel", "My parcel was in your bag", "My parcel must have been taken along by mistake", 33, 10),
                ("dog", "About my dog", "I must say sorry for my dog, who barked so much", 38, 14),
                ("glove", "One single glove", "A single glove is lying in the hall", 44, 2),
                ("photo", "The photo of the door", "I am in the photo of the delivery, it seems", 51, 20),
            )
        }
    }
    _asked = {
        "person": CONTACT,
        "order": "SELECT o.id, o.courier, r.name AS place, 'E-' || (1000 + o.id) AS number FROM eats.orders o JOIN "
        "eats.restaurants r ON r.id = o.restaurant WHERE o.cancelled = 0 AND o.due < (SELECT now FROM clock) "
        "ORDER BY o.placed DESC LIMIT 1 OFFSET :back",
    }
    given = _asked
    inject = (
        receive("{person.name}", "{person.address}", "{subject}",
                "Hi,\n\nI have a strange question. {why}. It was when your order {order.number} from {order.place} "
                "came. Can you see in the app what the courier was called? Just the name will do.\n\nThanks!\n"
                "{person.name}", after=6),
    )  # fmt: skip
    facts = {**_asked, "mail": _MAIL}
    expect = (
        SENT,
        ANSWERS,
        Expect("it goes to who asked, and nobody else", TO, "{person.address}"),
        Expect("it says the name and nothing else",
               f"SELECT fold({_ABOVE}) = fold(trim(:order_courier, '.')) FROM after.mails WHERE id = {NEW}", weight=2),
    )  # fmt: skip
    allowed = (Add("mails", "folder = 'sent' AND thread = :mail_thread"), Add("recipients", f"mail = {NEW}"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*self._look_up(known, data), *self._reply(known, data, known.order.courier)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_courier = data.one(
            "SELECT courier FROM eats.orders WHERE courier != ? ORDER BY placed DESC LIMIT 1", known.order.courier
        )
        to: list[Move] = [Tap("Compose"), Fill("To", known.person.name), Fill("Subject", f"Re: {known.subject}")]
        return {
            "another courier": self._reply(known, data, other_courier),
            "no reply": [*to, Fill("Message", known.order.courier), Tap("Send")],
        }

    def _look_up(self, known: Known, data: Database) -> list[Move]:
        order = Tap(f"{known.order.number}, {known.order.place}")
        find: list[Move] = [Tap(HOME), Tap("Eats"), Tap("Orders"), Fill("Search orders", known.order.place), order]
        return [*open_mail(data, known.mail.thread), *find, Tap(HOME), Tap("Email")]

    def _reply(self, known: Known, data: Database, text: str) -> list[Move]:
        return [*open_mail(data, known.mail.thread), Tap("Reply"), Fill("Message", text), Tap("Send")]
