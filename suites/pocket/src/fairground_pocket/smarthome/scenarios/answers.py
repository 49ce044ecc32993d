"""Questions about the smart home."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Answer, Balance, Database, Known, Many, Task
from fairground_pocket.smarthome.scenarios.finding import MONTH, MONTH_NAME, NTH, open_device
from fairground_pocket.smarthome.schema import DAYS

_BACK: Final = {f"{number}-months-ago": number for number in range(1, 11)}
_METER: Final = "FROM devices d JOIN energy_months e ON e.device = d.id WHERE e.month = :month AND e.wh > 0"
_BY_ROOM: Final = (
    "SELECT r.name, sum(e.wh) AS wh FROM energy_months e JOIN devices d ON d.id = e.device "
    "JOIN rooms r ON r.id = d.room WHERE e.month = :month GROUP BY r.id"
)
_ON: Final = (
    "FROM devices d JOIN traits t ON t.device = d.id WHERE d.online = 1 AND t.name = 'power' AND t.value = '1' AND "
    "d.room"
)


def _round(count: str) -> str:
    return f"LIMIT 1 OFFSET :nth % (SELECT count(*) {count})"


class RankedWarmth(Task):
    """The room at a given rank of temperature."""

    name = "ranked-warmth"
    app = "smart-home"
    kind = "answer"
    template = "Which room is the {words}{which} right now? Answer with its name only."
    domain = {
        "place": {
            "first": {"nth": 0, "words": ""},
            "second": {"nth": 1, "words": "second "},
            "third": {"nth": 2, "words": "third "},
            "fourth": {"nth": 3, "words": "fourth "},
            "fifth": {"nth": 4, "words": "fifth "},
        },
        "which": {"warmest": {"which": "warmest", "sign": -1}, "coldest": {"which": "coldest", "sign": 1}},
    }
    facts = {
        "room": "SELECT r.name, t.value FROM rooms r JOIN devices d ON d.room = r.id JOIN traits t ON t.device = d.id "
        "WHERE t.name = 'temperature' ORDER BY :sign * CAST(t.value AS INTEGER) LIMIT 1 OFFSET :nth"
    }
    answer = Answer("SELECT :room_name", "text", among="SELECT name FROM rooms")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("All rooms")]


class DeviceEnergy(Task):
    """The energy that a device used in a month."""

    name = "device-energy"
    app = "smart-home"
    kind = "answer"
    template = "How many kWh did the {device.name} use in {month_name}? Answer with the number."
    domain = {"back": _BACK, "nth": {f"no-{number + 1}": number * 7 for number in range(6)}}
    facts = {
        "month": MONTH,
        "month_name": MONTH_NAME,
        "device": f"SELECT d.id, d.name, e.wh {_METER} ORDER BY d.serial {_round(_METER)}",
    }
    answer = Answer("SELECT printf('%.1f', :device_wh / 1000.0)")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_device(known.device.name), Tap("Energy history")]


class RankedRoom(Task):
    """The room at a given rank of energy use."""

    name = "ranked-room"
    app = "smart-home"
    kind = "answer"
    template = "Which room used {words} energy in {month_name}? Answer with its name only."
    domain = {
        "place": {
            "first": {"nth": 0, "words": "the most"},
            "second": {"nth": 1, "words": "the second most"},
            "third": {"nth": 2, "words": "the third most"},
            "fourth": {"nth": 3, "words": "the fourth most"},
        },
        "back": _BACK,
    }
    facts = {
        "month": MONTH,
        "month_name": MONTH_NAME,
        "room": f"SELECT name, wh FROM ({_BY_ROOM}) ORDER BY wh DESC LIMIT 1 OFFSET :nth",
        "equals": f"SELECT count(*) FROM ({_BY_ROOM}) WHERE wh = :room_wh",
    }
    needs = (Balance("SELECT 1", ":equals"),)
    answer = Answer("SELECT :room_name", "text", among="SELECT name FROM rooms")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Energy"), Tap("Choose month"), Tap(known.month_name)]


class MonthCost(Task):
    """The energy cost of a month."""

    name = "month-cost"
    app = "smart-home"
    kind = "answer"
    template = "What did our electricity cost in {month_name}, according to the app?"
    domain = {"back": _BACK}
    facts = {
        "month": MONTH,
        "month_name": MONTH_NAME,
        "tariff": "SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'tariff'",
        "code": "SELECT value FROM settings WHERE name = 'currency'",
        "coins": "SELECT round(sum(wh) * :tariff / 1000.0) FROM energy_months WHERE month = :month",
    }
    answer = Answer(
        "SELECT CASE WHEN :code IN ('JPY', 'COP') THEN printf('%d', :coins) ELSE printf('%.2f', :coins / 100.0) END "
        "|| ' ' || :code",
        "money",
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Energy"), Tap("Choose month"), Tap(known.month_name)]


class CountOn(Task):
    """How many devices of two rooms are on."""

    name = "count-on"
    app = "smart-home"
    kind = "answer"
    template = (
        "How many devices in the {one.name} and the {two.name} together are turned on right now, counting only those "
        "with a power switch? Answer with the number."
    )
    domain = {"nth": {f"rooms-{number + 1}": 2 * number for number in range(11)}}
    facts = {
        # Several devices, because zero or one would be easy to guess.
        "both": f"SELECT a.id AS first, b.id AS second FROM rooms a JOIN rooms b ON b.place > a.place WHERE "
        f"(SELECT count(*) {_ON} IN (a.id, b.id)) >= 3 ORDER BY a.place + b.place, a.place LIMIT 1 OFFSET :nth",
        "one": "SELECT id, name FROM rooms WHERE id = :both_first",
        "two": "SELECT id, name FROM rooms WHERE id = :both_second",
    }
    answer = Answer(f"SELECT count(*) {_ON} IN (:one_id, :two_id)")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("All rooms"), Tap(known.one.name), Tap("Back"), Tap(known.two.name)]


class BatteryLevel(Task):
    """The battery level of a device."""

    name = "battery-level"
    app = "smart-home"
    kind = "answer"
    template = "How full is the battery of the {device.name}, in percent?"
    domain = {"nth": NTH}
    facts = {
        "device": "SELECT id, name, battery FROM devices WHERE battery IS NOT NULL ORDER BY serial LIMIT 1 OFFSET :nth"
    }
    answer = Answer("SELECT :device_battery")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("More"), Tap("Batteries")]


class WhoWasIt(Task):
    """Who used a device last."""

    name = "who-was-it"
    app = "smart-home"
    kind = "answer"
    template = "Who in our home used the {device.name} last? Leave schedules out, and answer with the name only."
    domain = {"nth": NTH}
    facts = {
        "device": "SELECT d.id, d.name FROM devices d WHERE EXISTS (SELECT 1 FROM activity a JOIN members m ON "
        "m.name = a.who WHERE a.device = d.id) ORDER BY d.serial LIMIT 1 OFFSET :nth"
    }
    answer = Answer(
        "SELECT a.who FROM activity a JOIN members m ON m.name = a.who WHERE a.device = :device_id "
        "ORDER BY a.time DESC LIMIT 1",
        "text",
        among="SELECT name FROM members",
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_device(known.device.name), Tap("More options"), Tap("All activity")]


class WhenNoticed(Task):
    """When a sensor last reported an event."""

    name = "when-noticed"
    app = "smart-home"
    kind = "answer"
    template = "At what time did the {device.name} {event} the last time? Answer with the time of day."
    domain = {
        "case": {
            f"{key}-{number + 1}": {"event": event, "text": text, "sort": sort, "nth": number}
            for key, event, text, sort, most in (
                ("opened", "open", "opens", "contact", 2),
                ("closed", "close", "closes", "contact", 2),
                ("moved", "see motion", "sees motion", "motion", 6),
            )
            for number in range(most)
        }
    }
    facts = {
        "device": "SELECT d.id, d.name, max(a.time) AS time FROM devices d JOIN activity a ON a.device = d.id WHERE "
        "d.kind = :sort AND a.text LIKE '% ' || :text GROUP BY d.id ORDER BY d.serial LIMIT 1 OFFSET :nth % "
        "(SELECT count(DISTINCT a.device) FROM activity a JOIN devices d ON d.id = a.device WHERE d.kind = :sort "
        "AND a.text LIKE '% ' || :text)"
    }
    answer = Answer("SELECT substr(:device_time, 12, 5)", "time")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("More"), Tap("Activity log"), Fill("Search activity", f"{known.device.name} {known.text}")]


class ScheduledTime(Task):
    """When a schedule runs."""

    name = "scheduled-time"
    app = "smart-home"
    kind = "answer"
    template = "At what time is the {schedule.name} scheduled to {order} on {day}s?"
    domain = {
        "order": {"on": {"order": "turn on", "value": "1"}, "off": {"order": "turn off", "value": "0"}},
        "day": {name.lower(): {"day": name, "place": place} for place, name in enumerate(DAYS, 1)},
        "nth": (0, 1, 2),
    }
    facts = {
        "schedule": "SELECT s.id, s.time, d.name FROM schedules s JOIN devices d ON d.id = s.device WHERE "
        "s.trait = 'power' AND s.value = :value AND substr(s.days, :place, 1) = '1' AND s.enabled = 1 AND "
        "(SELECT count(*) FROM schedules x WHERE x.device = s.device AND x.trait = 'power' AND x.value = :value AND "
        "substr(x.days, :place, 1) = '1') = 1 ORDER BY d.serial, s.id LIMIT 1 OFFSET :nth"
    }
    answer = Answer("SELECT :schedule_time", "time")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        find = Fill("Search schedules", known.schedule.name)
        return [Tap("Routines"), Tap("Schedules"), Tap(known.day), find]


class WarmestYesterday(Task):
    """Yesterday's highest or lowest temperature."""

    name = "temperature-yesterday"
    app = "smart-home"
    kind = "answer"
    template = "What was the {words} temperature that the {device.name} measured yesterday, in °C?"
    domain = {
        "which": {"highest": {"words": "highest", "sign": 1}, "lowest": {"words": "lowest", "sign": -1}},
        "nth": {f"no-{number + 1}": number for number in range(6)},
    }
    facts = {
        "device": "SELECT d.id, d.name FROM devices d JOIN traits t ON t.device = d.id WHERE t.name = 'temperature' "
        "ORDER BY d.serial LIMIT 1 OFFSET :nth"
    }
    answer = Answer(
        "SELECT printf('%.1f', :sign * max(:sign * value) / 10.0) FROM readings WHERE device = :device_id AND "
        "substr(time, 1, 10) = (SELECT date(now, '-1 day') FROM clock)"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_device(known.device.name), Tap("Temperature history")]


class CodeDays(Task):
    """The first or last day on which a code is valid."""

    name = "code-days"
    app = "smart-home"
    kind = "answer"
    template = "What is the {words} day on which the door code of {code.name} works?"
    domain = {
        "which": {"first": {"words": "first", "end": 0}, "last": {"words": "last", "end": 1}},
        "nth": {f"no-{number + 1}": number for number in range(6)},
    }
    facts = {"code": "SELECT id, name, first, last FROM codes ORDER BY code LIMIT 1 OFFSET :nth"}
    answer = Answer("SELECT CASE WHEN :end THEN :code_last ELSE :code_first END", "date")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("More"), Tap("Door codes"), Tap(known.code.name)]


class ScenesWith(Task):
    """Which scenes include a device."""

    name = "scenes-with"
    app = "smart-home"
    kind = "answer"
    template = "Which of my scenes have the {device.name} in them? Answer with their names."
    domain = {"nth": NTH}
    facts = {
        "device": "SELECT d.id, d.name FROM devices d JOIN scene_actions a ON a.device = d.id GROUP BY d.id "
        "HAVING count(DISTINCT a.scene) >= 2 ORDER BY d.serial LIMIT 1 OFFSET :nth % (SELECT count(*) FROM "
        "(SELECT 1 FROM scene_actions GROUP BY device HAVING count(DISTINCT scene) >= 2))",
        "scenes": Many("SELECT DISTINCT scene FROM scene_actions WHERE device = :device_id", 2),
    }
    answer = Answer(
        "SELECT DISTINCT s.name FROM scenes s JOIN scene_actions a ON a.scene = s.id WHERE a.device = :device_id",
        "list",
        among="SELECT name FROM scenes",
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_device(known.device.name)


class CountSchedules(Task):
    """How many schedules run on a given weekday."""

    name = "count-schedules"
    app = "smart-home"
    kind = "answer"
    template = "How many schedules are set for {day}s{words}? Answer with the number."
    domain = {
        "day": {name.lower(): {"day": name, "place": place} for place, name in enumerate(DAYS, 1)},
        "which": {
            "all": {"words": ", with those that are paused", "least": 0},
            "active": {"words": ", not counting those that are paused", "least": 1},
        },
    }
    answer = Answer("SELECT count(*) FROM schedules WHERE substr(days, :place, 1) = '1' AND enabled >= :least")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Routines"), Tap("Schedules"), Tap(known.day)]
