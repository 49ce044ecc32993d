"""Tasks about contacts and settings: people, signature, vacation reply, rules, labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.email.scenarios.finding import CONTACT, NTH, open_mail, receive
from fairground_pocket.email.schema import LABELS
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Remove, Task, formats

PEOPLE: Final = {
    key: {"name": name, "address": f"{key}@{host}", "phone": phone}
    for key, name, host, phone in (
        ("ines.duarte", "Inês Duarte", "riolume.pt", "+351 21 555 0142"),
        ("tomasz.wrona", "Tomasz Wrona", "wronafoto.pl", "+48 22 555 0187"),
        ("leilani.kahale", "Leilani Kahale", "reefschool.us", "+1 808 555 0119"),
        ("oskar.hagen", "Oskar Hagen", "fjordbygg.no", "+47 21 55 01 63"),
        ("mbali.ndlovu", "Mbali Ndlovu", "karoobooks.za", "+27 11 555 0174"),
        ("yara.haddad", "Yara Haddad", "cedarline.lb", "+961 1 555 012"),
        ("pablo.quiroga", "Pablo Quiroga", "altiplano.bo", "+591 2 555 0155"),
        ("hye-jin.seo", "Hye-jin Seo", "hangangtea.kr", "+82 2 555 0131"),
        ("ewan.mackay", "Ewan Mackay", "hebridean.scot", "+44 131 555 0166"),
        ("nour.rahmani", "Nour Rahmani", "oasisdesign.tn", "+216 71 555 010"),
    )
}


class AddContact(Task):
    """Add a contact from details in the instruction."""

    name = "add-contact"
    app = "email"
    template = "Add {name} to my contacts: the address is {address} and the phone number {phone}."
    domain = {"who": PEOPLE}
    expect = (
        Expect("there is one more contact, complete", "SELECT count(*) FROM after.contacts WHERE name = :name AND "
               "fold(address) = :address AND phone = :phone AND id NOT IN (SELECT id FROM before.contacts)"),
    )  # fmt: skip
    allowed = (Add("contacts"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        fields: list[Move] = [
            Fill("Name", known.name),
            Fill("Email address", known.address),
            Fill("Phone", known.phone),
        ]
        return [Tap("Contacts"), Tap("New contact"), *fields, Tap("Save")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        fields: list[Move] = [Fill("Name", known.name), Fill("Email address", known.address)]
        return {"without the phone": [Tap("Contacts"), Tap("New contact"), *fields, Tap("Save")]}


class AddSender(Task):
    """Add the sender of a mail to the contacts, with the number from the mail."""

    name = "add-sender"
    app = "email"
    template = (
        "{name} wrote to me and gave a phone number in the email. "
        "Save {name} as a contact with the address they wrote from and that number."
    )
    domain = {"who": PEOPLE}
    inject = (
        receive("{name}", "{address}", "Hello from {name}",
                "Hello,\n\nwe met last week and you asked for my number. It is {phone}, best in the evening. "
                "Looking forward to hearing from you!\n\n{name}", after=4),
    )  # fmt: skip
    facts = {"thread": "SELECT thread FROM mails WHERE sender = :name AND folder = 'inbox'"}
    expect = AddContact.expect
    allowed = (Add("contacts"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        fields: list[Move] = [
            Fill("Name", known.name),
            Fill("Email address", known.address),
            Fill("Phone", known.phone),
        ]
        read: list[Move] = [*open_mail(data, known.thread), Tap("Back")]
        return [*read, Tap("Contacts"), Tap("New contact"), *fields, Tap("Save")]


class ChangePhone(Task):
    """Change a contact's phone number."""

    name = "change-phone"
    app = "email"
    template = "{person.name} has a new phone number: {phone}. Change it in my contacts."
    domain = {
        "at": {key: {"nth": number, "phone": person["phone"]} for number, (key, person) in enumerate(PEOPLE.items())}
    }
    facts = {"person": CONTACT}
    expect = (Expect("the number is the new one", "SELECT phone FROM after.contacts WHERE id = :person_id", "{phone}"),)
    allowed = (Change("contacts", ("phone",), "id = :person_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*_open(known), Tap("Edit contact"), Fill("Phone", known.phone), Tap("Save")]


class DeleteContact(Task):
    """Delete a contact."""

    name = "delete-contact"
    app = "email"
    template = "Delete {person.name} from my contacts."
    domain = {"nth": {f"no-{number}": number for number in range(8, 20)}}
    facts = {"person": CONTACT}
    expect = (Expect("the contact is gone", "SELECT count(*) FROM after.contacts WHERE id = :person_id", 0),)
    allowed = (Remove("contacts", "id = :person_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*_open(known), Tap("Delete contact"), Tap("Delete", role="button")]


class Favourite(Task):
    """Make a contact a favourite."""

    name = "favourite"
    app = "email"
    template = "Make {person.name} one of my favourite contacts."
    domain = {"nth": NTH}
    facts = {"person": "SELECT id, name, address FROM contacts WHERE favourite = 0 ORDER BY id LIMIT 1 OFFSET :nth"}
    expect = (Expect("it is a favourite", "SELECT favourite FROM after.contacts WHERE id = :person_id"),)
    allowed = (Change("contacts", ("favourite",), "id = :person_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*_open(known), Tap("Add to favourites")]


class Signature(Task):
    """Change the signature."""

    name = "signature"
    app = "email"
    template = "Change my email signature to “{text}”."
    domain = {
        "text": (
            "Sent from a train", "With kind regards", "Back on Monday", "Please print on both sides", "See you soon",
            "Out of ink, not of ideas", "Always in a hurry", "Best wishes from the garden", "Written with one thumb",
            "Call me if it burns",
        )
    }  # fmt: skip
    expect = (
        Expect("it is the signature", "SELECT value FROM after.settings WHERE name = 'signature'", "{text}"),
        Expect("signatures are on", "SELECT value FROM after.settings WHERE name = 'signature_on'", "1", weight=0.2),
    )
    allowed = (Change("settings", ("value",), "name = 'signature'"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Settings"), Tap("Signature"), Fill("Signature", known.text), Tap("Save")]


class Vacation(Task):
    """Set a vacation reply for a period."""

    name = "vacation-reply"
    app = "email"
    template = "I am away from {first} to {last}. Turn on my vacation reply for these days, saying “{text}”"
    domain = {
        "trip": {
            f"in-{start}-days": {"start": f"+{start} days", "end": f"+{start + length} days"}
            for start, length in (
                (2, 5),
                (4, 10),
                (7, 7),
                (9, 14),
                (12, 3),
                (15, 20),
                (18, 6),
                (21, 9),
                (25, 2),
                (30, 12),
            )
        },
        "text": {"back-soon": "I am away and answer when I am back.", "urgent": "I am away. Call me if it is urgent."},
    }
    facts = {
        "first": "SELECT date(now, :start) FROM clock",
        "last": "SELECT date(now, :end) FROM clock",
    }
    expect = (
        Expect("it is on", "SELECT value FROM after.settings WHERE name = 'vacation_on'", "1"),
        Expect("the first day", "SELECT value FROM after.settings WHERE name = 'vacation_from'", "{first}"),
        Expect("the last day", "SELECT value FROM after.settings WHERE name = 'vacation_to'", "{last}"),
        Expect("the text", "SELECT value FROM after.settings WHERE name = 'vacation_text'", "{text}"),
    )
    allowed = (
        Change("settings", ("value",), "name IN ('vacation_on', 'vacation_from', 'vacation_to', 'vacation_text')"),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        first, last = (formats.day(date.fromisoformat(day)) for day in (known.first, known.last))
        days: list[Move] = [Tap("First day"), Tap(first), Tap("Last day"), Tap(last)]
        on = Tap("Answer while I am away")
        return [Tap("Settings"), Tap("Vacation reply"), on, *days, Fill("Reply", known.text), Tap("Save")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        first, last = (formats.day(date.fromisoformat(day)) for day in (known.first, known.last))
        days: list[Move] = [Tap("First day"), Tap(first), Tap("Last day"), Tap(last)]
        return {"not on": [Tap("Settings"), Tap("Vacation reply"), *days, Fill("Reply", known.text), Tap("Save")]}


class MakeRule(Task):
    """Create a rule for incoming mail."""

    name = "make-rule"
    app = "email"
    template = (
        "Make a rule for mail that comes in: when the sender contains “{word}”, add the label {label}. "
        "Leave the mail that is already here alone."
    )
    domain = {
        "word": (
            "halyard",
            "meridian",
            "northway",
            "clinic",
            "school",
            "library",
            "tidewater",
            "gym",
            "films",
            "power",
        ),
        "label": ("Money", "Travel", "Later", "Health", "Family"),
    }
    expect = (
        Expect("there is one more rule, and it does that", "SELECT count(*) FROM after.rules WHERE field = 'from' AND "
               "fold(contains) = :word AND action = 'label' AND target = :label AND enabled = 1 AND id NOT IN "
               "(SELECT id FROM before.rules)"),
    )  # fmt: skip
    allowed = (Add("rules"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        fields: list[Move] = [
            Tap("The sender"),
            Fill("Contains", known.word),
            Tap("Add a label"),
            Tap("Label"),
            Tap(known.label),
        ]
        return [Tap("Settings"), Tap("Rules"), Tap("New rule"), *fields, Tap("Save")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        fields: list[Move] = [
            Tap("The subject"),
            Fill("Contains", known.word),
            Tap("Add a label"),
            Tap("Label"),
            Tap(known.label),
        ]
        return {"about the subject": [Tap("Settings"), Tap("Rules"), Tap("New rule"), *fields, Tap("Save")]}


class RenameLabel(Task):
    """Rename a label."""

    name = "rename-label"
    app = "email"
    template = "Rename my label {label} to {new}."
    domain = {"label": LABELS, "new": ("Archive 2025", "Important", "Private", "Old", "To do")}
    facts = {"number": "SELECT id FROM labels WHERE name = :label"}
    expect = (Expect("it has the new name", "SELECT name FROM after.labels WHERE id = :number", "{new}"),)
    allowed = (Change("labels", ("name",), "id = :number"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        rename: list[Move] = [Fill("Label name", known.new), Tap("Rename")]
        return [Tap("Mailboxes"), Tap("Edit labels"), Tap(f"Edit {known.label}"), *rename]


def _open(known: Known) -> list[Move]:
    row = f"{known.person.name}, {known.person.address}"
    return [Tap("Contacts"), Fill("Search contacts", known.person.name), Tap(row)]
