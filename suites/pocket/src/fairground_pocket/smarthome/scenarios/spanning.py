"""Tasks that span Smart Home and Email."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Database, Expect, Known, Row, Task
from fairground_pocket.smarthome.scenarios.caring import NEW_CODE, new_code
from fairground_pocket.smarthome.scenarios.finding import AGAIN, MONTH, MONTH_NAME, NOTED, NTH, of, spoken_day

_STRANGER: Final = (
    "SELECT c.name, c.address FROM email.contacts c WHERE c.address NOT IN (SELECT address FROM members) "
    "ORDER BY c.id LIMIT 1 OFFSET :nth"
)
"""A contact who has no access to the home."""

_SENT: Final = "FROM after_email.mails WHERE folder = 'sent' AND id NOT IN (SELECT id FROM before_email.mails)"
_TO_EMAIL: Final[list[Move]] = [Tap("Home screen"), Tap("Email")]


class InviteContact(Task):
    """Invite a contact from the mailbox."""

    name = "invite-contact"
    app = "smart-home"
    also = ("email",)
    template = "Invite {person.name} to our smart home as {words}. The address is in my email contacts."
    domain = {
        "role": {"admin": {"role": "admin", "words": "an admin"}, "member": {"role": "member", "words": "a member"}},
        "nth": NTH,
    }
    facts = {"person": _STRANGER}
    expect = (
        Expect("one member more", "SELECT count(*) FROM after.members WHERE id NOT IN (SELECT id FROM before.members)"),
        Expect("the right person", "SELECT name FROM after.members WHERE fold(address) = fold(:person_address)",
               "{person.name}"),
        Expect("in the right role", "SELECT role FROM after.members WHERE fold(address) = fold(:person_address)",
               "{role}"),
    )  # fmt: skip
    allowed = (Add("members", "status = 'invited'"), NOTED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        row = f"{known.person.name}, {known.person.address}"
        look: list[Move] = [*_TO_EMAIL, Tap("Contacts"), Fill("Search contacts", known.person.name), Tap(row), *AGAIN]
        return [*look, *_invite(known.person.name, known.person.address, known.role)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"another address": _invite(known.person.name, "someone@example.org", known.role)}


class AccessAskedFor(Task):
    """Create the door code that a mail asks for; the mail names the lock, the dates and the digits."""

    name = "access-asked-for"
    app = "smart-home"
    also = ("email",)
    template = (
        "{person.name} sent me an email about “{subject}” and asks for a door code. Make the code exactly as it says, "
        "with “{person.name}” as who it is for. No need to answer."
    )
    domain = {
        "case": {
            key: {"subject": subject, "why": why, "code": code, "opens": opens, "closes": closes,
                  "start": f"+{start} days", "end": f"+{end} days"}
            for key, subject, why, code, opens, closes, start, end in (
                ("plants", "Watering your plants", "I will water your plants", "730418", "08:00", "10:30", 4, 11),
                ("parcel", "That parcel", "I will bring the parcel in", "295160", "09:15", "12:00", 1, 2),
                ("piano", "Tuning the piano", "the tuner and I come by", "604772", "13:30", "17:15", 6, 6),
                ("cat", "Feeding the cat", "I will feed the cat", "118309", "07:00", "20:00", 3, 17),
                ("boiler", "The boiler", "I show the boiler to the engineer", "846255", "10:00", "15:45", 8, 9),
                ("tools", "Your tools", "I bring your tools back", "371904", "16:00", "18:30", 2, 5),
                ("visit", "My visit", "I arrive before you are back", "952086", "06:30", "22:00", 10, 24),
                ("paint", "Painting the door", "I paint the door", "487613", "08:45", "16:30", 5, 13),
                ("measure", "Measuring the windows", "I measure the windows", "260597", "11:00", "14:00", 7, 7),
                ("shelves", "New shelves", "I put the shelves up", "539840", "09:30", "19:00", 12, 15),
            )
        },
        "nth": (2, 7),
    }  # fmt: skip
    given = {
        "person": _STRANGER,
        "device": of("lock"),
        "thread": "SELECT max(id) + 1 FROM email.threads",
        "mail": "SELECT max(id) + 1 FROM email.mails",
        "time": "SELECT replace(datetime(max(time), '-45 seconds'), ' ', 'T') FROM email.mails WHERE folder = 'inbox'",
        "me": "SELECT value FROM settings WHERE name = 'owner'",
        "address": "SELECT value FROM settings WHERE name = 'address'",
        "first": "SELECT date(now, :start) FROM clock",
        "last": "SELECT date(now, :end) FROM clock",
        "first_words": spoken_day("first"),
        "last_words": spoken_day("last"),
    }
    inject = (
        Row("threads", {"id": "{thread}", "subject": "{subject}"}, app="email"),
        Row("mails", {
            "id": "{mail}", "thread": "{thread}", "folder": "inbox", "sender": "{person.name}",
            "address": "{person.address}", "subject": "{subject}", "time": "{time}", "unread": 1,
            "body": "Hello,\n\nas we said, {why} while you are out. Could you make me a code for the {device.name}? "
            "The digits {code} are easy for me to remember. From {first_words} until {last_words} would be right, and "
            "I only need it between {opens} and {closes}.\n\nThank you!\n{person.name}",
        }, app="email"),
        Row("recipients", {"mail": "{mail}", "kind": "to", "name": "{me}", "address": "{address}"}, app="email"),
    )  # fmt: skip
    facts = {
        "person": _STRANGER,
        "device": of("lock"),
        "first": "SELECT date(now, :start) FROM clock",
        "last": "SELECT date(now, :end) FROM clock",
    }
    expect = (
        Expect("one code more", f"SELECT count(*) {NEW_CODE}"),
        Expect("it is the right code for the right person", f"SELECT max(code || ' ' || name) {NEW_CODE}",
               "{code} {person.name}"),
        Expect("for the right lock", f"SELECT max(lock) = :device_id {NEW_CODE}"),
        Expect("on the right days", f"SELECT max(first || ' ' || last) {NEW_CODE}", "{first} {last}"),
        Expect("at the right hours", f"SELECT max(opens || ' ' || closes) {NEW_CODE}", "{opens} {closes}"),
    )  # fmt: skip
    allowed = (Add("codes"), Add("activity", "device = :device_id"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        read: list[Move] = [*_TO_EMAIL, Tap(f"{known.subject}, "), *AGAIN]
        days, hours = (known.first, known.last), (known.opens, known.closes)
        return [*read, *new_code(known.person.name, known.code, known.device.name, days, hours)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        days = (known.first, known.last)
        return {"all day": new_code(known.person.name, known.code, known.device.name, days, ("00:00", "23:59"))}


class MailEnergyTotal(Task):
    """Mail a month's energy use to a person who asked for it."""

    name = "mail-energy-total"
    app = "smart-home"
    also = ("email",)
    template = (
        "Email {person.name} how many kWh our home used in {month_name} in all. The subject should be “Energy in "
        "{month_name}”, and the text only needs the number."
    )
    domain = {"back": {f"{number}-months-ago": number for number in range(1, 11)}, "nth": (1, 5, 12, 17)}
    facts = {
        "person": "SELECT name, address FROM email.contacts ORDER BY id LIMIT 1 OFFSET :nth",
        "month": MONTH,
        "month_name": MONTH_NAME,
        "total": "SELECT printf('%.1f', sum(wh) / 1000.0) FROM energy_months WHERE month = :month",
    }
    expect = (
        Expect("one mail was sent", f"SELECT count(*) {_SENT}"),
        Expect("to the right person only", "SELECT group_concat(address) FROM after_email.recipients WHERE mail = "
               f"(SELECT max(id) {_SENT})", "{person.address}"),
        Expect("with the right subject", f"SELECT max(subject) {_SENT}", "Energy in {month_name}"),
        Expect("it says the total", "SELECT ' ' || replace(replace(body, ',', ''), char(10), ' ') || ' ' GLOB "
               f"'*[^0-9.]' || :total || '[^0-9]*' {_SENT}"),
    )  # fmt: skip
    allowed = (
        Add("mails", "folder = 'sent'", app="email"), Add("threads", app="email"), Add("recipients", app="email"),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        look: list[Move] = [Tap("Energy"), Tap("Choose month"), Tap(known.month_name)]
        return [*look, *self._mail(known, known.total, "Send")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_month = data.one("SELECT printf('%.1f', sum(wh) / 1000.0) FROM energy_months WHERE month = "
                         "(SELECT min(month) FROM energy_months WHERE month > ?)", known.month)  # fmt: skip
        return {
            "another month": self._mail(known, other_month, "Send"),
            "a draft": self._mail(known, known.total, "Save draft"),
        }

    def _mail(self, known: Known, total: str, end: str) -> list[Move]:
        head: list[Move] = [Fill("To", known.person.name), Fill("Subject", f"Energy in {known.month_name}")]
        return [*_TO_EMAIL, Tap("Compose"), *head, Fill("Message", f"{total} kWh"), Tap(end)]


def _invite(name: str, address: str, role: str) -> list[Move]:
    form: list[Move] = [Fill("Name", name), Fill("Email address", address), Tap(role.capitalize()), Tap("Invite")]
    return [Tap("More"), Tap("Members"), Tap("Invite somebody"), *form]
