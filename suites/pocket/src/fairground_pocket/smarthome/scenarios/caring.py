"""Tasks about members, codes, batteries, firmware, alerts and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Many, Remove, Task, formats
from fairground_pocket.smarthome.kinds import KINDS
from fairground_pocket.smarthome.scenarios.finding import NTH, of, open_device, spoken_day

NEW_CODE: Final = "FROM after.codes WHERE id NOT IN (SELECT id FROM before.codes)"
_NEW_DEVICE: Final = "(SELECT max(id) FROM after.devices WHERE id NOT IN (SELECT id FROM before.devices))"
_ROOM: Final = "SELECT id, name FROM rooms ORDER BY place LIMIT 1 OFFSET :to"


class MovedOut(Task):
    """Remove a member, and change another's role."""

    name = "moved-out"
    app = "smart-home"
    template = "{gone.name} has moved out: take the access to our home away. And make {other.name} {words}."
    domain = {
        "role": {"admin": {"role": "admin", "words": "an admin"}, "member": {"role": "member", "words": "a member"}},
        "nth": {f"no-{number + 1}": number for number in range(6)},
    }
    facts = {
        "gone": "SELECT id, name, role FROM members WHERE role != 'owner' ORDER BY id LIMIT 1 OFFSET :nth",
        "other": "SELECT id, name, role FROM members WHERE role NOT IN ('owner', :role) AND id != :gone_id "
        "ORDER BY id DESC LIMIT 1 OFFSET :nth % 3",
    }
    expect = (
        Expect("the first has no access", "SELECT count(*) FROM after.members WHERE id = :gone_id", 0),
        Expect("the second has the role", "SELECT role FROM after.members WHERE id = :other_id", "{role}"),
    )
    allowed = (
        Remove("members", "id = :gone_id"), Change("members", ("role", "until"), "id = :other_id"),
        Add("activity", "device IS NULL", at_most=2),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        gone, other_row = f"{known.gone.name}, ", f"{known.other.name}, "
        change: list[Move] = [Tap(other_row), Tap("Change role"), Tap(known.role.capitalize()), Tap("Save")]
        return [Tap("More"), Tap("Members"), Tap(gone), Tap("Remove member"), Tap("Remove for good"), *change]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        start: list[Move] = [Tap("More"), Tap("Members"), Tap(f"{known.other.name}, "), Tap("Remove member")]
        return {"the other one removed": [*start, Tap("Remove for good")]}


class GuestCode(Task):
    """Create a code for a lock, with dates and hours."""

    name = "guest-code"
    app = "smart-home"
    template = (
        "Make the door code {code} for the {device.name}, for “{who}”. It should work from {first_words} to "
        "{last_words}, between {opens} and {closes}."
    )
    domain = {
        "case": {
            key: {"who": who, "code": code, "opens": opens, "closes": closes, "start": f"+{start} days",
                  "end": f"+{end} days"}
            for key, who, code, opens, closes, start, end in (
                ("plumber", "Plumber", "481507", "08:00", "12:30", 1, 3),
                ("nanny", "Nanny", "260914", "07:15", "18:45", 2, 40),
                ("painter", "Painter", "735520", "07:00", "17:00", 5, 12),
                ("sitter", "Cat sitter", "118843", "09:00", "21:00", 9, 23),
                ("gardener", "Gardener", "904417", "06:30", "11:30", 3, 60),
                ("cousin", "Cousin", "552871", "10:00", "23:30", 7, 9),
                ("cleaner", "Cleaner", "367209", "13:00", "16:00", 1, 90),
                ("tutor", "Tutor", "841936", "15:30", "17:45", 4, 75),
                ("courier", "Courier", "629358", "08:30", "19:00", 2, 2),
                ("electrician", "Electrician", "157730", "09:45", "14:15", 6, 8),
            )
        },
        "nth": (0, 1),
    }  # fmt: skip
    facts = {
        "device": of("lock"),
        "first": "SELECT date(now, :start) FROM clock",
        "last": "SELECT date(now, :end) FROM clock",
        "first_words": spoken_day("first"),
        "last_words": spoken_day("last"),
    }
    expect = (
        Expect("one code more", f"SELECT count(*) {NEW_CODE}"),
        Expect(
            "it is the right code for the right person", f"SELECT max(code || ' ' || name) {NEW_CODE}", "{code} {who}"
        ),
        Expect("for the right lock", f"SELECT max(lock) = :device_id {NEW_CODE}"),
        Expect("on the right days", f"SELECT max(first || ' ' || last) {NEW_CODE}", "{first} {last}"),
        Expect("at the right hours", f"SELECT max(opens || ' ' || closes) {NEW_CODE}", "{opens} {closes}"),
    )
    allowed = (Add("codes"), Add("activity", "device = :device_id"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return new_code(
            known.who, known.code, known.device.name, (known.first, known.last), (known.opens, known.closes)
        )

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        longer = data.one("SELECT date(?, '+1 day')", known.last)
        hours = (known.opens, known.closes)
        return {"a day too long": new_code(known.who, known.code, known.device.name, (known.first, longer), hours)}


class ExtendCode(Task):
    """Extend the validity of a code."""

    name = "extend-code"
    app = "smart-home"
    template = "Let the door code of {code.name} work {days} days longer than it does now."
    domain = {"days": (2, 3, 5, 7, 8, 10, 12, 14, 18, 21), "nth": {f"no-{number + 1}": number for number in range(4)}}
    facts = {
        "code": "SELECT id, name, last FROM codes WHERE last >= (SELECT date(now) FROM clock) ORDER BY id DESC LIMIT 1 "
        "OFFSET :nth % (SELECT count(*) FROM codes WHERE last >= (SELECT date(now) FROM clock))",
        "new": "SELECT date(:code_last, '+' || :days || ' days')",
    }
    expect = (Expect("the last day is right", "SELECT last FROM after.codes WHERE id = :code_id", "{new}"),)
    allowed = (Change("codes", ("last",), "id = :code_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        last = Tap(formats.day(date.fromisoformat(known.new)))
        find: list[Move] = [Tap("More"), Tap("Door codes"), Tap(known.code.name), Tap("Edit code")]
        return [*find, Tap("Last day"), last, Tap("Save")]


class ReplaceBatteries(Task):
    """Record new batteries for all devices below a level."""

    name = "replace-batteries"
    app = "smart-home"
    template = "I have put new batteries into every device that was below {level} %. Mark them as replaced."
    domain = {"level": {f"below-{level}": level for level in (12, 13, 14, 16, 17, 18, 20, 22, 24, 26, 28)}}
    facts = {"low": Many("SELECT id, name FROM devices WHERE battery < :level ORDER BY battery")}
    expect = (
        Expect("none is low any more", "SELECT count(*) FROM after.devices WHERE battery < :level", 0),
        Expect("those that were low are full", "SELECT count(*) FROM after.devices d JOIN before.devices b ON "
               "b.id = d.id WHERE b.battery < :level AND d.battery != 100", 0),
    )  # fmt: skip
    allowed = (
        Change("devices", ("battery",), "battery < :level"),
        Add("activity", "device IN (SELECT id FROM before.devices WHERE battery < :level)", at_most=None),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("More"), Tap("Batteries"), *(Tap(f"Battery replaced: {device.name}") for device in known.low)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_device = data.one("SELECT name FROM devices WHERE battery >= ? ORDER BY battery LIMIT 1", known.level)
        return {"one too many": [*self.moves(known, data), Tap(f"Battery replaced: {other_device}")]}


class UpdateRoom(Task):
    """Install all firmware updates of a room."""

    name = "update-room"
    app = "smart-home"
    template = "Install the firmware updates for the devices in the {room.name}, but not in the other rooms."
    domain = {"nth": NTH}
    given = {"room": "SELECT id, name FROM rooms ORDER BY place LIMIT 1 OFFSET :nth"}

    @staticmethod
    def _age(db: Database, known: Known) -> None:
        """Makes the firmware of at least two devices of the room outdated."""
        first = "SELECT id FROM devices WHERE room = ? ORDER BY serial LIMIT 2"
        db.run(f"UPDATE devices SET newest = '5.1.0' WHERE id IN ({first})", known.room.id)

    inject = (_age,)
    facts = {
        **given,
        "old": Many("SELECT id, name FROM devices WHERE room = :room_id AND firmware != newest ORDER BY id", 2),
    }
    expect = (
        Expect(
            "nothing is old there", "SELECT count(*) FROM after.devices WHERE room = :room_id AND firmware != newest", 0
        ),
    )
    allowed = (
        Change("devices", ("firmware",), "room = :room_id AND firmware != newest"),
        Add("activity", "device IN (SELECT id FROM before.devices WHERE room = :room_id AND firmware != newest)",
            at_most=None),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("More"), Tap("Updates"), *(Tap(f"Update {device.name}") for device in known.old)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"everything": [Tap("More"), Tap("Updates"), Tap("Update all"), Tap("Update all now")]}


class MoveDevice(Task):
    """Move a device to another room, and rename it."""

    name = "move-device"
    app = "smart-home"
    template = "I carried the {device.name} to the {room.name}. Move it there in the app, and rename it to “{title}”."
    domain = {
        "title": (
            "Grandma's lamp", "Corner glow", "The old lantern", "Blue bottle lamp", "Storm light", "Tall Henry",
            "Paper moon", "Desk buddy", "Salt lamp", "Firefly",
        ),
        "to": {f"room-{number + 1}": number for number in range(7)},
        "nth": {f"light-{number + 1}": number for number in range(5)},
    }  # fmt: skip
    facts = {"device": of("light"), "room": f"{_ROOM} + (SELECT room = (SELECT id FROM ({_ROOM})) FROM devices "
             "WHERE id = :device_id)"}  # fmt: skip
    expect = (
        Expect("it is in the right room", "SELECT room = :room_id FROM after.devices WHERE id = :device_id"),
        Expect("it has the right name", "SELECT name FROM after.devices WHERE id = :device_id", "{title}"),
    )
    allowed = (Change("devices", ("name", "room"), "id = :device_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        form: list[Move] = [Fill("Name", known.title), Tap("Room"), Tap(known.room.name), Tap("Save")]
        return [*open_device(known.device.name), Tap("More options"), Tap("Rename or move"), *form]


class AddDevice(Task):
    """Add a new device."""

    name = "add-device"
    app = "smart-home"
    template = (
        "I bought a new {words}. Add it to the {room.name} under the name “{title}”; its serial number is {serial}."
    )
    domain = {
        "case": {
            key: {"kind": kind, "words": KINDS[kind].title.lower(), "title": title, "serial": serial}
            for key, kind, title, serial in (
                ("lamp", "light", "Reading nook", "7F21C0A9D4"),
                ("plug", "plug", "Aquarium plug", "0B93E7718C"),
                ("lock", "lock", "Cellar lock", "C41D550E2F"),
                ("camera", "camera", "Bird feeder camera", "92AA01B7E3"),
                ("blind", "blind", "Skylight blind", "E0D4479B16"),
                ("speaker", "speaker", "Shower speaker", "38F6C2051A"),
                ("fan", "fan", "Attic fan", "A57E9D3042"),
                ("leak", "leak", "Boiler leak sensor", "1D80F4B6C9"),
                ("smoke", "smoke", "Loft smoke alarm", "6C3B2290EE"),
                ("coffee", "coffee", "Office espresso", "F9147A8D03"),
            )
        },
        "to": {f"room-{number + 1}": number for number in range(5)},
    }  # fmt: skip
    facts = {"room": _ROOM}
    expect = (
        Expect("one device more, of this name", "SELECT group_concat(name) FROM after.devices WHERE id NOT IN "
               "(SELECT id FROM before.devices)", "{title}"),
        Expect("of the right kind", f"SELECT kind FROM after.devices WHERE id = {_NEW_DEVICE}", "{kind}"),
        Expect("in the right room", f"SELECT room = :room_id FROM after.devices WHERE id = {_NEW_DEVICE}"),
        Expect("with the right number", f"SELECT serial FROM after.devices WHERE id = {_NEW_DEVICE}", "{serial}"),
    )  # fmt: skip
    allowed = (
        Add("devices"),
        Add("traits", f"device = {_NEW_DEVICE}", at_most=6),
        Add("activity", f"device = {_NEW_DEVICE}"),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        kind: list[Move] = [Tap("Kind"), Tap(KINDS[known.kind].title)]
        room: list[Move] = [Tap("Room"), Tap(known.room.name)]
        return [
            Tap("Add device"),
            *kind,
            Fill("Name", known.title),
            *room,
            Fill("Serial number", known.serial),
            Tap("Save"),
        ]


class HandleAlert(Task):
    """Mark an alert as handled."""

    name = "handle-alert"
    app = "smart-home"
    template = "I have taken care of the alert “{alert.title}”. Mark it as handled, only that one."
    domain = {"nth": NTH}
    facts = {"alert": "SELECT id, title FROM alerts WHERE handled = 0 ORDER BY time DESC LIMIT 1 OFFSET :nth"}
    expect = (Expect("it is handled", "SELECT handled FROM after.alerts WHERE id = :alert_id"),)
    allowed = (Change("alerts", ("handled",), "id = :alert_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Alerts"), Tap(known.alert.title), Tap("Mark as handled")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"only looked at": [Tap("Alerts"), Tap(known.alert.title)]}


class QuietHours(Task):
    """Set the quiet hours, and turn off one kind of alert."""

    name = "quiet-hours"
    app = "smart-home"
    template = "Turn on quiet hours from {begin} to {end}, and switch the {words} off."
    domain = {
        "begin": ("21:15", "21:45", "22:10", "22:40", "23:20", "20:30", "00:15", "19:50", "23:55", "21:00"),
        "end": ("05:45", "06:10", "06:50", "08:05", "09:20"),
        "which": {key: {"key": f"alert_{key}", "words": f"{key} alerts"} for key in ("safety", "security", "battery")},
    }
    expect = (
        Expect("quiet hours are on", "SELECT value FROM after.settings WHERE name = 'quiet_on'", "1"),
        Expect("they begin as asked", "SELECT value FROM after.settings WHERE name = 'quiet_from'", "{begin}"),
        Expect("they end as asked", "SELECT value FROM after.settings WHERE name = 'quiet_to'", "{end}"),
        Expect("those alerts are off", "SELECT value FROM after.settings WHERE name = :key", "0"),
    )
    allowed = (Change("settings", ("value",), "name IN ('quiet_on', 'quiet_from', 'quiet_to', :key)"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        hours: list[Move] = [
            Tap("Keep quiet at night"),
            Fill("Quiet from", known.begin),
            Fill("Quiet until", known.end),
        ]
        start: list[Move] = [Tap("More"), Tap("Settings"), Tap("Quiet hours")]
        return [*start, *hours, Tap("Save"), Tap(known.words.capitalize())]


def new_code(who: str, code: str, lock: str, days: tuple[str, str], hours: tuple[str, str]) -> list[Move]:
    """From the first screen: fills the form for a door code and saves it."""
    first, last = (Tap(formats.day(date.fromisoformat(day))) for day in days)
    fill: list[Move] = [Fill("Who is it for?", who), Fill("Code", code), Tap("Lock"), Tap(lock)]
    choose: list[Move] = [Tap("First day"), first, Tap("Last day"), last]
    start: list[Move] = [Tap("More"), Tap("Door codes"), Tap("New code")]
    return [*start, *fill, *choose, Fill("From", hours[0]), Fill("Until", hours[1]), Tap("Save")]
