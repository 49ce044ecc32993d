"""Tasks that span Flights and Email."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.flights.scenarios.booking import booked, one_booking
from fairground_pocket.flights.scenarios.finding import (
    CARD,
    FARES,
    LATEST,
    ME,
    NTH,
    ROUTE,
    days,
    open_trip,
    option_name,
    pay,
    search,
    trip,
)
from fairground_pocket.kit import Add, Database, Expect, Known, Row, Task

CONTACT: Final = "SELECT name, address FROM email.contacts ORDER BY id LIMIT 1 OFFSET :to"
NEW: Final = (
    "(SELECT max(id) FROM after_email.mails WHERE folder = 'sent' AND id NOT IN (SELECT id FROM before_email.mails))"
)
SENT: Final = (
    Expect(
        "one mail was sent",
        "SELECT count(*) FROM after_email.mails WHERE folder = 'sent' AND id NOT IN (SELECT id FROM "
        "before_email.mails)",
    ),
    Expect(
        "to the right person only",
        f"SELECT group_concat(address) FROM after_email.recipients WHERE mail = {NEW}",
        "{person.address}",
    ),
    Expect("with the right subject", f"SELECT subject FROM after_email.mails WHERE id = {NEW}", "{subject}"),
)
ONE_MAIL: Final = (
    Add("mails", "folder = 'sent'", app="email"), Add("threads", app="email"), Add("recipients", app="email"),
)  # fmt: skip


def mail(known: Known, text: str) -> list[Move]:
    """From any screen: write a mail to `person` about `subject`."""
    to: list[Move] = [Tap("Home screen"), Tap("Email"), Tap("Compose"), Fill("To", known.person.name)]
    return [*to, Fill("Subject", known.subject), Fill("Message", text), Tap("Send")]


class MailCode(Task):
    """Mail a confirmation code."""

    name = "mail-code"
    app = "flights"
    also = ("email",)
    template = (
        "Email {person.name} the confirmation code of our trip to {trip.city} on {trip.words}. The subject should be "
        "“{subject}”, and no other code may be in the mail."
    )
    domain = {"nth": NTH, "to": (0, 3, 7, 10, 13), "subject": ("Booking code", "Our flight", "Code for check-in")}
    facts = {"trip": trip(), "person": CONTACT}
    expect = (
        *SENT,
        Expect("it has the code", f"SELECT instr(body, :trip_code) > 0 FROM after_email.mails WHERE id = {NEW}"),
        Expect("and no other", f"SELECT count(*) FROM before.bookings b, after_email.mails m WHERE m.id = {NEW} AND "
               "instr(m.body, b.code)"),
    )  # fmt: skip
    allowed = ONE_MAIL

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_trip(data, known.trip), *mail(known, f"Our code is {known.trip.code}.")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_code = data.one("SELECT code FROM bookings WHERE code != ? ORDER BY id DESC LIMIT 1", known.trip.code)
        draft = [*mail(known, f"Our code is {known.trip.code}.")[:-1], Tap("Save draft")]
        return {"another code": mail(known, f"Our code is {other_code}."), "a draft": draft}


class MailArrival(Task):
    """Mail the arrival time of a trip."""

    name = "mail-arrival"
    app = "flights"
    also = ("email",)
    template = (
        "Let {person.name} know by email at what local time flight {trip.number} lands in {trip.city} on our trip "
        "{trip.code}. Use the subject “{subject}” and write the scheduled time like 14:05."
    )
    domain = {"nth": NTH, "to": (1, 4, 8, 11, 16), "subject": ("Pick me up?", "When we land", "Arrival")}
    facts = {
        "trip": trip("first.id = last.id"),
        "person": CONTACT,
        "lands": "SELECT substr(:trip_arrives, 12, 5)",
    }
    expect = (
        *SENT,
        Expect("it says when", f"SELECT instr(body, :lands) > 0 FROM after_email.mails WHERE id = {NEW}"),
        Expect("and no other time", f"SELECT length(body) - length(replace(body, ':', '')) - (SELECT length(value) - "
               f"length(replace(value, ':', '')) FROM before_email.settings WHERE name = 'signature') FROM "
               f"after_email.mails WHERE id = {NEW} AND NOT body GLOB '*[0-9]:[0-9][0-9]*[0-9]:[0-9][0-9]*'", 1),
    )  # fmt: skip
    allowed = ONE_MAIL

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_trip(data, known.trip), *mail(known, f"We land at {known.lands} local time.")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        leaves = data.one("SELECT substr(departs, 12, 5) FROM flights WHERE id = ?", known.trip.flight)
        return {"the departure": mail(known, f"We land at {leaves} local time.")} if leaves != known.lands else {}


class BookFromMail(Task):
    """Book the flight that a mail names."""

    name = "book-from-mail"
    app = "flights"
    also = ("email",)
    template = (
        "{person.name} sent me an email with the subject “{subject}” about the flight we should take. Book that flight "
        "just for me, one way, in Economy with the {fare_name} fare, no extra bags, no points, on my {card.name}."
    )
    domain = {"nth": NTH, "to": (2, 6, 9, 12), "subject": ("Same plane?", "Which flight to take", "Travel plan for us"),
              "ahead": days(8, 14, 22, 28), "fare": FARES, "card_nth": (0,)}  # fmt: skip
    given = {
        **ROUTE, "flight": LATEST, "person": CONTACT, "thread": "SELECT max(id) + 1 FROM email.threads",
        "mail": "SELECT max(id) + 1 FROM email.mails",
        "time": "SELECT datetime(now, '-50 minutes') FROM clock",
        "iso": "SELECT replace(:time, ' ', 'T')",
        "owner": "SELECT name FROM travellers WHERE me = 1",
        "address": "SELECT value FROM settings WHERE name = 'address'",
    }  # fmt: skip
    inject = (
        Row("threads", {"id": "{thread}", "subject": "{subject}"}, app="email"),
        Row(
            "mails",
            {
                "id": "{mail}",
                "thread": "{thread}",
                "folder": "inbox",
                "sender": "{person.name}",
                "address": "{person.address}",
                "subject": "{subject}",
                "time": "{iso}",
                "unread": 1,
                "body": "Hello,\n\nI have booked {flight.number} from {home.city} to {there.city} on {day.words}, it "
                "leaves at "
                "{flight.time}. Take the same one and we can share a taxi at the other end.\n\nSee you!",
            },
            app="email",
        ),
        Row("recipients", {"mail": "{mail}", "kind": "to", "name": "{owner}", "address": "{address}"}, app="email"),
    )
    facts = {**ROUTE, "flight": LATEST, "person": CONTACT, "me": ME, "card": CARD}
    expect = booked("out:{flight.id}")
    allowed = one_booking()

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        read: list[Move] = [Tap("Home screen"), Tap("Email"), Tap(f"{known.subject}, {known.person.name}")]
        way: list[Move] = [Tap("Home screen"), Tap("Flights"), *search(known.there.place, known.day.words)]
        return [*read, *way, Tap(option_name(known.flight)), Tap(f"Choose {known.fare_name}"), *pay()]


MAILING: Final = (MailCode(), MailArrival(), BookFromMail())
