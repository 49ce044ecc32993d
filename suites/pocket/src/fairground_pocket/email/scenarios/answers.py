"""Questions about the email app."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.email.scenarios.finding import (
    CONTACT,
    MAIL,
    NEWEST_FROM,
    NTH,
    NTH_IN_INBOX,
    PERSON,
    open_mail,
    receive,
)
from fairground_pocket.email.schema import LABELS
from fairground_pocket.kit import Answer, Database, DataVolume, Known, Many, Task

_NEWEST: Final = """
SELECT m.sender FROM mails m WHERE m.folder = :folder
AND m.time = (SELECT max(x.time) FROM mails x WHERE x.thread = m.thread AND x.folder = m.folder)
AND :unread <= (SELECT max(x.unread) FROM mails x WHERE x.thread = m.thread AND x.folder = m.folder)
AND :starred <= (SELECT max(x.starred) FROM mails x WHERE x.thread = m.thread AND x.folder = m.folder)
ORDER BY m.time DESC LIMIT :count
"""
_NOT_THROWN_AWAY: Final = "m.folder NOT IN ('spam', 'trash')"


class CountLabel(Task):
    """How many conversations have a label."""

    name = "count-label"
    app = "email"
    kind = "answer"
    template = "How many conversations have the label {label}{except_words}? Answer with the number."
    domain = {
        "label": LABELS,
        "where": {
            "anywhere": {"only": "", "except_words": ", not counting spam and trash"},
            "inbox": {"only": "inbox", "except_words": " and are in my inbox"},
        },
    }
    needs = (DataVolume("mail_labels", "1", 20),)
    answer = Answer(
        "SELECT count(DISTINCT m.thread) FROM mails m JOIN mail_labels ml ON ml.mail = m.id JOIN labels l ON "
        f"l.id = ml.label WHERE l.name = :label AND {_NOT_THROWN_AWAY} AND (:only = '' OR m.folder = :only)"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        place = " in:inbox" if known.only else ""
        return [Tap("Search"), Fill("Search mail", f"label:{known.label}{place}")]


class CountFrom(Task):
    """How many conversations of the inbox include a person."""

    name = "count-from"
    app = "email"
    kind = "answer"
    template = "How many conversations in my inbox have an email from {person.name}? Answer with the number."
    domain = {"nth": NTH}
    # Several conversations, because zero or one would be easy to guess.
    facts = {"person": PERSON.replace("ORDER", "HAVING count(DISTINCT m.thread) >= 3 ORDER")}
    answer = Answer("SELECT count(DISTINCT thread) FROM mails WHERE folder = 'inbox' AND address = :person_address")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Search"), Fill("Search mail", f'in:inbox from:"{known.person.name}"')]


class CountAttachments(Task):
    """How many conversations since a day have an attachment."""

    name = "count-attachments"
    app = "email"
    kind = "answer"
    template = (
        "How many conversations have an email with an attachment from {day} or later? "
        "Leave out spam and trash, and answer with the number."
    )
    domain = {"back": {f"{days}-days": f"-{days} days" for days in (7, 10, 14, 18, 21, 25, 30, 35, 40, 50)}}
    facts = {"day": "SELECT date(now, :back) FROM clock"}
    answer = Answer(
        f"SELECT count(DISTINCT m.thread) FROM mails m JOIN attachments a ON a.mail = m.id WHERE {_NOT_THROWN_AWAY} "
        "AND substr(m.time, 1, 10) >= :day"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Search"), Fill("Search mail", f"has:attachment after:{known.day}")]


class WhoSent(Task):
    """Who sent a mail."""

    name = "who-sent"
    app = "email"
    kind = "answer"
    template = "Who sent me the email “{mail.subject}”? Answer with the name only."
    domain = {"nth": NTH}
    facts = {
        "mail": NTH_IN_INBOX.format(
            "m.answers IS NULL AND EXISTS (SELECT 1 FROM contacts c WHERE c.address = m.address)"
        )
    }
    answer = Answer("SELECT :mail_sender", "text", among="SELECT name FROM contacts")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_mail(data, known.mail.thread)


class WhenSent(Task):
    """On which day a mail arrived."""

    name = "when-sent"
    app = "email"
    kind = "answer"
    template = "On which date did {person.name} send me the newest email that is in my inbox?"
    domain = {"nth": NTH}
    facts = {
        # Some days ago, so that the day has no other name, such as yesterday.
        "person": PERSON.replace("ORDER", "HAVING max(m.time) < (SELECT date(now, '-3 days') FROM clock) ORDER"),
        "mail": NEWEST_FROM,
    }
    answer = Answer("SELECT substr(:mail_time, 1, 10)", "date")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_mail(data, known.mail.thread)


class PhoneNumber(Task):
    """The phone number of a contact."""

    name = "phone-number"
    app = "email"
    kind = "answer"
    template = "What is the phone number of {person.name}? It is in my contacts."
    domain = {"nth": {f"no-{number}": number for number in range(2, 24, 2)}}
    facts = {"person": CONTACT}
    answer = Answer("SELECT :person_phone", "text", among="SELECT phone FROM contacts")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        row = f"{known.person.name}, {known.person.address}"
        return [Tap("Contacts"), Fill("Search contacts", known.person.name), Tap(row)]


class AttachedFile(Task):
    """The name of a file attached to a mail."""

    name = "attached-file"
    app = "email"
    kind = "answer"
    template = "What is the name of the file attached to the email “{mail.subject}”?"
    domain = {"nth": NTH}
    facts = {
        "mail": f"{MAIL} WHERE m.folder = 'inbox' AND (SELECT count(*) FROM attachments a JOIN mails x ON "
        "x.id = a.mail WHERE x.thread = m.thread) = 1 AND EXISTS (SELECT 1 FROM attachments a WHERE a.mail = m.id) "
        "ORDER BY m.time DESC LIMIT 1 OFFSET :nth"
    }
    answer = Answer(
        "SELECT name FROM attachments WHERE mail = :mail_id", "text", among="SELECT DISTINCT name FROM attachments"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_mail(data, known.mail.thread)


class AppointmentTime(Task):
    """The time of an appointment, from a mail about it."""

    name = "appointment-time"
    app = "email"
    kind = "answer"
    template = "At what time is my appointment at {place}? They sent me an email."
    domain = {
        "case": {
            key: {"place": place, "time": time}
            for key, place, time in (
                ("optician", "Clearview Optics", "09:40"),
                ("dentist", "Riverside Dental", "11:15"),
                ("garage", "Axle Garage", "07:50"),
                ("vet", "Paws and Claws", "16:20"),
                ("barber", "Barber Nine", "18:05"),
                ("notary", "Stamp Notaries", "10:35"),
                ("physio", "Backbone Physio", "13:25"),
                ("studio", "Portrait Studio Lux", "15:10"),
                ("tailor", "Needle Tailors", "12:45"),
                ("bank", "Harbour Credit", "08:55"),
            )
        }
    }
    inject = (
        receive("{place}", "desk@appointments.example.org", "Your visit to {place}",
                "Hello,\n\nthis is to remind you of your visit. We expect you at {time}, please be there ten minutes "
                "before. If you cannot come, tell us a day ahead.\n\n{place}", after=5),
    )  # fmt: skip
    facts = {"thread": "SELECT thread FROM mails WHERE sender = :place AND folder = 'inbox'"}
    answer = Answer("SELECT :time", "time")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_mail(data, known.thread)


class RefundAmount(Task):
    """The amount of a refund, from a mail about it."""

    name = "refund-amount"
    app = "email"
    kind = "answer"
    template = "How much money does {shop} send back to me? They wrote to me about it."
    domain = {
        "case": {
            key: {"shop": shop, "amount": amount}
            for key, shop, amount in (
                ("lamps", "Lampworks", "48.90"),
                ("shoes", "Stride Shoes", "129.50"),
                ("books", "Paper Trail Books", "17.25"),
                ("tent", "Summit Outfitters", "340.00"),
                ("chairs", "Oak and Ash", "212.75"),
                ("phone", "Ringtone Repairs", "65.40"),
                ("tickets", "Encore Tickets", "88.00"),
                ("flowers", "Petal Post", "31.60"),
                ("bike", "Spoke Street", "455.20"),
                ("tea", "Leaf and Kettle", "22.80"),
            )
        }
    }
    given = {"code": "SELECT value FROM settings WHERE name = 'currency'"}
    inject = (
        receive("{shop}", "service@refunds.example.org", "Your return to {shop}",
                "Dear customer,\n\nwe have received what you sent back. We return {amount} {code} to your account; it "
                "takes up to five days. Thank you for your patience.\n\n{shop}", after=6),
    )  # fmt: skip
    facts = {
        "thread": "SELECT thread FROM mails WHERE sender = :shop AND folder = 'inbox'",
        "code": "SELECT value FROM settings WHERE name = 'currency'",
    }
    answer = Answer("SELECT :amount || ' ' || :code", "money")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_mail(data, known.thread)


class NewestSenders(Task):
    """Who sent the newest mails of a list."""

    name = "newest-senders"
    app = "email"
    kind = "answer"
    template = "Who wrote the {count} newest {what}? Answer with the names of the senders."
    domain = {
        "list": {
            "unread": {"what": "unread conversations in my inbox", "folder": "inbox", "unread": 1, "starred": 0},
            "starred": {"what": "starred conversations in my inbox", "folder": "inbox", "unread": 0, "starred": 1},
            "archived": {"what": "conversations in my archive", "folder": "archive", "unread": 0, "starred": 0},
        },
        "count": {"two": 2, "three": 3, "four": 4, "five": 5},
    }
    facts = {"rows": Many(_NEWEST, at_least=2)}
    answer = Answer(
        f"SELECT DISTINCT sender FROM ({_NEWEST})",
        "list",
        among="SELECT DISTINCT sender FROM mails WHERE folder = :folder",
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        if known.folder == "archive":
            return [Tap("Mailboxes"), Tap("Folder Archive")]
        return [Tap("Unread" if known.unread else "Starred")]
