"""Tasks that also need the mailbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import holds, match_answer
from fairground.worlds import Fill, Move, Tap, World
from fairground_pocket.kit import HOME, Add, Balance, Database, Expect, Known, Row, Task
from fairground_pocket.payment.scenarios.finding import (
    BALANCE,
    MONTH,
    PAYMENT_LIMIT,
    PIN,
    WHO,
    added,
    amount,
    cases,
    money,
    person,
    send,
)

_SLOT = (
    "SELECT (SELECT max(id) + 1 FROM email.threads) AS thread, (SELECT max(id) + 1 FROM email.mails) AS mail, "
    "(SELECT strftime('%Y-%m-%dT%H:%M:%S', now, '-37 minutes') FROM clock) AS time, "
    "(SELECT value FROM settings WHERE name = 'owner') AS owner, "
    "(SELECT value FROM settings WHERE name = 'address') AS address"
)


def _mail(subject: str, body: str) -> tuple[Row, ...]:
    """A mail from `who` that arrived a while ago."""
    return (
        Row("threads", {"id": "{slot.thread}", "subject": subject}, app="email"),
        Row(
            "mails",
            {
                "id": "{slot.mail}", "thread": "{slot.thread}", "folder": "inbox", "sender": "{who.name}",
                "address": "{who.email}", "subject": subject, "body": body, "time": "{slot.time}",
            },
            app="email",
        ),
        Row(
            "recipients",
            {"mail": "{slot.mail}", "kind": "to", "name": "{slot.owner}", "address": "{slot.address}"},
            app="email",
        ),
    )  # fmt: skip


def _read(subject: str, sender: str) -> list[Move]:
    """From the payment app to a mail, and back."""
    return [Tap(HOME), Tap("Email"), Tap(f"{subject}, {sender}"), Tap(HOME), Tap("Payment")]


class PayFromMail(Task):
    """Pay what a mail asks for."""

    name = "pay-from-mail"
    app = "payment"
    also = ("email",)
    template = (
        "{who.name} has sent me an email with the subject “{subject}” that says what I owe. Pay exactly that from my "
        "wallet, and use the subject of the email as the note. My PIN is {pin}."
    )
    domain = {
        "case": cases(
            "role size other subject",
            ("keys", "landlord", 187, 60, "Spare keys and lock"),
            ("hoodies", "running partner", 266, 133, "Club hoodies have arrived"),
            ("potluck", "aunt", 74, 148, "Costs of the family meal"),
            ("quarter", "accountant", 325, 90, "Last quarter of the kitty"),
            ("festival", "friend from school", 540, 55, "Festival wristbands"),
            ("windows", "neighbour", 158, 79, "Window cleaning on the ground floor"),
            ("strings", "piano teacher", 95, 190, "Tuning and two booklets"),
            ("brakes", "mechanic", 618, 412, "Your brakes are done"),
            ("studio", "bandmate", 233, 466, "Day in the studio"),
            ("posters", "designer", 112, 47, "Posters for the fair"),
            ("cabin", "cousin", 477, 159, "Cabin by the sea"),
            ("vaccine", "doctor", 84, 42, "Travel vaccination"),
        )
    }
    given = {"who": WHO, "pay": amount(), "whole": amount("(:size + :other) * worth / 10"), "slot": _SLOT}
    inject = _mail(
        "{subject}",
        "Hello,\n\nthe whole thing came to {whole.text}. Somebody else has already covered a part of it, so what is "
        "left for you is {pay.text}. You can send it to me in the payment app, no hurry but this week would be nice."
        "\n\nBest,\n{who.name}",
    )
    facts = {"who": WHO, "pay": amount(), "whole": amount("(:size + :other) * worth / 10"), "pin": PIN}
    needs = (Balance(BALANCE, ":pay_amount"), Balance(PAYMENT_LIMIT, ":pay_amount"))
    _sent = "kind = 'payment' AND contact = :who_id AND amount = -:pay_amount AND card IS NULL"
    _noted = f"{_sent} AND fold(note) = fold(:subject)"
    expect = (
        Expect("what is owed was sent", added("transactions", _sent), weight=2),
        Expect("with the subject as its note", added("transactions", _noted)),
    )
    allowed = (Add("transactions", _noted),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*_read(known.subject, known.who.name), *self._pay(known, known.pay.plain)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"the whole": [*_read(known.subject, known.who.name), *self._pay(known, known.whole.plain)]}

    def _pay(self, known: Known, plain: str) -> list[Move]:
        return send(known.who.name, plain, known.pin, note=known.subject)


class RequestFromMail(Task):
    """Request the amount that a person says in a mail that they owe."""

    name = "request-from-mail"
    app = "payment"
    also = ("email",)
    template = (
        "In an email about “{subject}”, {who.name} writes what their part is. Send {who.name} a request for that "
        "amount in the payment app. Say that it is for “{subject}”."
    )
    domain = {
        "case": cases(
            "role size other subject",
            ("sailing", "brother", 344, 172, "Sailing course"),
            ("books", "assistant", 57, 75, "Books for the training"),
            ("opera", "best friend", 291, 219, "Opera evening"),
            ("hall", "neighbour upstairs", 133, 313, "Paint for the hall"),
            ("pizza", "analyst", 48, 84, "Friday pizza"),
            ("wood", "father", 405, 540, "Firewood for the winter"),
            ("tents", "friend from university", 226, 262, "Tents and mats"),
            ("medal", "running partner", 39, 93, "Engraved medals"),
            ("crib", "sister", 512, 125, "Crib for the baby"),
            ("screen", "project lead", 187, 718, "Second screen"),
            ("grill", "friend", 165, 561, "Gas for the grill"),
            ("poster", "cousin", 71, 117, "Framed poster"),
        )
    }
    given = {"who": WHO, "pay": amount(), "mine": amount(":other * worth / 10"), "slot": _SLOT}
    inject = _mail(
        "{subject}",
        "Hi,\n\nI have gone through the receipts. Your part is {mine.text} and mine is {pay.text}. As you paid for all "
        "of it, just send me a request and I will settle it tonight.\n\n{who.name}",
    )
    facts = {"who": WHO, "pay": amount(), "mine": amount(":other * worth / 10")}
    _asked = "contact = :who_id AND direction = 'out' AND amount = :pay_amount AND status = 'open' AND bill IS NULL"
    _noted = f"{_asked} AND fold(note) = fold(:subject)"
    expect = (
        Expect("they are asked for their part", added("requests", _asked), weight=2),
        Expect("with the reason", added("requests", _noted)),
    )
    allowed = (Add("requests", _noted),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._ask(known, known.pay.plain)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"my part": self._ask(known, known.mine.plain)}

    def _ask(self, known: Known, plain: str) -> list[Move]:
        return [
            *_read(known.subject, known.who.name), *person(known.who.name), Tap("Request money"), Fill("Amount", plain),
            Fill("What is it for", known.subject), Tap("Send request"),
        ]  # fmt: skip


class MailTotal(Task):
    """Report by mail how much was sent to another person in a month."""

    name = "mail-total"
    app = "payment"
    also = ("email",)
    template = (
        "Email {reader.name} the total that I sent to {who.name} in {month.name}. Use the subject “{subject}”, and "
        "write only the amount as the message."
    )
    domain = {
        "case": cases(
            "back rank reader_role subject",
            ("accountant", 1, 3, "accountant", "Total for the books"),
            ("mother", 2, 4, "mother", "What it came to"),
            ("manager", 3, 2, "manager", "Expenses for you"),
            ("sister", 4, 5, "sister", "Our sum"),
            ("friend", 5, 3, "best friend", "The amount you asked for"),
            ("father", 6, 4, "father", "As promised"),
            ("analyst", 7, 2, "analyst", "Figure for the table"),
            ("cousin", 8, 5, "cousin", "How much it was"),
            ("colleague", 9, 3, "assistant", "Sum of the month"),
            ("neighbour", 10, 4, "neighbour", "Total so far"),
        )
    }
    facts = {
        "month": MONTH,
        "reader": "SELECT id, name, email FROM contacts WHERE role = :reader_role",
        "who": (
            "SELECT c.id, c.name FROM transactions t JOIN contacts c ON c.id = t.contact WHERE t.kind = 'payment' AND "
            "substr(t.time, 1, 7) = :month_key AND c.id != :reader_id GROUP BY c.id ORDER BY count(*) DESC, c.id "
            "LIMIT 1 OFFSET :rank"
        ),
        "total": (
            "SELECT -sum(amount) FROM transactions WHERE kind = 'payment' AND contact = :who_id AND "
            "substr(time, 1, 7) = :month_key"
        ),
        "typed": amount(":total"),
        "said": money(":total"),
    }
    _sent = "folder = 'sent' AND fold(subject) = fold(:subject) AND answers IS NULL"
    _new = "SELECT id FROM after_email.mails WHERE id NOT IN (SELECT id FROM before_email.mails)"
    expect = (
        Expect("one mail was sent", f"SELECT count(*) FROM after_email.mails WHERE id IN ({_new}) AND {_sent}"),
        Expect(
            "to the right person",
            "SELECT CASE count(*) WHEN 1 THEN max(fold(address) = fold(:reader_email) AND kind = 'to') ELSE 0 END "
            f"FROM after_email.recipients WHERE mail IN ({_new})",
        ),
    )
    allowed = (
        Add("mails", _sent, app="email"),
        Add("threads", "fold(subject) = fold(:subject)", app="email"),
        Add("recipients", "fold(address) = fold(:reader_email)", app="email"),
    )

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Also reads the amount from the mail, in any notation."""
        known = self._known({name.removesuffix(".sqlite"): content for name, content in before.files.items()}, world)
        text = _new_body(before.file("email.sqlite"), after.file("email.sqlite"))
        passed = text is not None and match_answer("money", known.said, text)
        stated = holds("the mail says the amount", passed, expected=known.said, found=(text or "no mail")[:200])
        return [*super().checks(world, before, after, answer), stated]

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._write(known, known.typed.plain, "Send")

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        every = "SELECT -sum(amount) FROM transactions WHERE kind = 'payment' AND contact = ?"
        whole = data.query(amount(":v"), {"v": data.one(every, known.who.id)})[0]["plain"]
        misses = {"kept as a draft": self._write(known, known.typed.plain, "Save draft")}
        if whole != known.typed.plain:
            misses["the total of all months"] = self._write(known, str(whole), "Send")
        return misses

    def _write(self, known: Known, plain: str, button: str) -> list[Move]:
        return [
            *person(known.who.name), Tap("Whole history"), Tap("Sent"), Tap("Choose month"), Tap(known.month.name),
            Tap(HOME), Tap("Email"), Tap("Compose"), Fill("To", known.reader.email), Fill("Subject", known.subject),
            Fill("Message", plain), Tap(button),
        ]  # fmt: skip


def _new_body(before: bytes, after: bytes) -> str | None:
    """The text of the only new mail, without the signature; None unless there is exactly one."""
    bodies: list[dict[int, str]] = []
    for content in (before, after):
        database = Database(content)
        bodies.append({row["id"]: row["body"] for row in database.rows("SELECT id, body FROM mails")})
        database.close()
    new = [text for number, text in bodies[1].items() if number not in bodies[0]]
    return str(new[0]).partition("\n\n-- \n")[0] if len(new) == 1 else None
