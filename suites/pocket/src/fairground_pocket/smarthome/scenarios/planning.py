"""Tasks about scenes, schedules and automations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Many, Remove, Task
from fairground_pocket.smarthome.automations import CONDITIONS
from fairground_pocket.smarthome.devices import schedule_words
from fairground_pocket.smarthome.kinds import action_words, event_words
from fairground_pocket.smarthome.scenarios.finding import AGAIN, NTH, lookup, of, open_device, pick
from fairground_pocket.smarthome.schema import DAYS

_NEW: Final = "FROM after.{0} WHERE id NOT IN (SELECT id FROM before.{0})"
_SCENE: Final = "SELECT id, name FROM scenes ORDER BY id LIMIT 1 OFFSET :nth % (SELECT count(*) FROM scenes)"
_SCHEDULE: Final = (
    "FROM schedules s JOIN devices d ON d.id = s.device WHERE s.enabled = 1 AND (SELECT count(*) FROM schedules x "
    "WHERE x.device = s.device AND x.time = s.time) = 1"
)


class CreateScene(Task):
    """Create a scene with two actions."""

    name = "create-scene"
    app = "smart-home"
    template = (
        "Create a scene called “{title}” that sets the {light.name} to {level} % brightness and the {blind.name} "
        "to {opening} % open."
    )
    domain = {
        "title": (
            "Yoga hour", "Board games", "Sunday brunch", "Nap time", "Painting", "Homework", "Candle light",
            "Late call", "Rainy day", "Early start",
        ),
        "level": (20, 40, 70), "opening": (0, 30, 80, 100), "nth": (0, 2, 4),
    }  # fmt: skip
    facts = {"light": of("light"), "blind": of("blind")}
    expect = (
        Expect("one scene more, of this name", f"SELECT group_concat(name) {_NEW.format('scenes')}", "{title}"),
        Expect("it has two actions", f"SELECT count(*) {_NEW.format('scene_actions')}", 2),
        Expect("the light is dimmed", f"SELECT count(*) {_NEW.format('scene_actions')} AND device = :light_id AND "
               "trait = 'brightness' AND value = CAST(:level AS TEXT) AND scene = (SELECT max(id) FROM after.scenes)"),
        Expect("the blind is moved", f"SELECT count(*) {_NEW.format('scene_actions')} AND device = :blind_id AND "
               "trait = 'position' AND value = CAST(:opening AS TEXT) AND scene = (SELECT max(id) FROM after.scenes)"),
    )  # fmt: skip
    allowed = (Add("scenes"), Add("scene_actions", "device IN (:light_id, :blind_id)", at_most=2))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        start: list[Move] = [Tap("Routines"), Tap("New scene"), Fill("Name", known.title), Tap("Save")]
        light_action: list[Move] = [Tap("Action"), Tap(f"Brightness {known.level} %"), Tap("Save")]
        blind_action: list[Move] = [Tap("Action"), Tap(f"Opening {known.opening} %"), Tap("Save")]
        add = Tap("Add action")
        return [*start, add, *pick(known.light.name), *light_action, add, *pick(known.blind.name), *blind_action]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        light: list[Move] = [Tap("Choose brightness"), Tap(f"Brightness {known.level} %")]
        return {"only the name": self.moves(known, data)[:4], "at once": [*open_device(known.light.name), *light]}


class RunScene(Task):
    """Run a scene, then change one light."""

    name = "run-scene"
    app = "smart-home"
    template = "Run the scene “{scene.name}”. After that, set the {device.name} to {level} % brightness."
    domain = {"nth": NTH, "level": (10, 30, 40, 70, 90)}
    facts = {
        "scene": _SCENE,
        "device": "SELECT d.id, d.name FROM devices d JOIN traits t ON t.device = d.id WHERE d.kind = 'light' AND "
        "d.online = 1 AND t.name = 'brightness' AND t.value != CAST(:level AS TEXT) AND d.id NOT IN "
        "(SELECT device FROM scene_actions WHERE scene = :scene_id) ORDER BY d.serial LIMIT 1 OFFSET :nth % 4",
        "last": "SELECT last_run FROM scenes WHERE id = :scene_id",
    }
    expect = (
        Expect("the scene was run", "SELECT last_run > :last FROM after.scenes WHERE id = :scene_id"),
        Expect("everything is as the scene says", "SELECT count(*) FROM before.scene_actions a JOIN before.devices d "
               "ON d.id = a.device JOIN after.traits t ON t.device = a.device AND t.name = a.trait WHERE "
               "a.scene = :scene_id AND d.online = 1 AND t.value != a.value", 0),
        Expect("the light is as asked", "SELECT value FROM after.traits WHERE device = :device_id AND "
               "name = 'brightness'", "{level}"),
    )  # fmt: skip
    allowed = (
        Change("scenes", ("last_run",), "id = :scene_id"),
        Change("traits", ("value",), "EXISTS (SELECT 1 FROM before.scene_actions a WHERE a.scene = :scene_id AND "
               "a.device = traits.device AND a.trait = traits.name)"),
        Change("traits", ("value",), "device = :device_id AND name = 'brightness'"),
        Add("activity", "device IS NULL AND text = 'Scene ' || :scene_name || ' was run'"),
        Add("activity", "device = :device_id", at_most=None),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        light: list[Move] = [Tap("Choose brightness"), Tap(f"Brightness {known.level} %")]
        return [
            Tap("Routines"),
            Tap(f"Run {known.scene.name}"),
            Tap("Devices"),
            *open_device(known.device.name)[1:],
            *light,
        ]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_scene = data.one("SELECT name FROM scenes WHERE id != ? ORDER BY id LIMIT 1", known.scene.id)
        moves = list(self.moves(known, data))
        return {"another scene": [moves[0], Tap(f"Run {other_scene}"), *moves[2:]]}


class ChangeSceneLevel(Task):
    """Change the value of an action in a scene."""

    name = "change-scene-level"
    app = "smart-home"
    template = "In the scene “{scene}”, the {action.name} should be at {level} % instead of {action.value} %."
    domain = {"level": (30, 40, 70, 80, 90), "nth": NTH}
    facts = {
        "action": "SELECT a.id, a.scene, a.device, a.trait, a.value, d.name, d.kind FROM scene_actions a "
        "JOIN devices d ON d.id = a.device WHERE a.trait IN ('brightness', 'position') AND "
        "a.value NOT IN ('30', '40', '70', '80', '90') ORDER BY d.serial, a.id LIMIT 1 OFFSET :nth",
        "scene": "SELECT name FROM scenes WHERE id = :action_scene",
    }
    expect = (
        Expect("the value is right", "SELECT value FROM after.scene_actions WHERE id = :action_id", "{level}"),
        Expect("it is still about the same thing", "SELECT trait FROM after.scene_actions WHERE id = :action_id",
               "{action.trait}"),
    )  # fmt: skip
    allowed = (Change("scene_actions", ("value",), "id = :action_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        action = known.action
        row = f"{action.name}: {action_words(action.kind, action.trait, action.value)}"
        new = action_words(action.kind, action.trait, str(known.level))
        return [Tap("Routines"), Tap(known.scene), Tap(row), Tap("Action"), Tap(new), Tap("Save")]


class RemoveFromScene(Task):
    """Remove a device from a scene."""

    name = "remove-from-scene"
    app = "smart-home"
    template = "The scene “{scene}” should not touch the {action.name} any more. Take it out of the scene."
    domain = {"nth": NTH}
    facts = {
        "action": "SELECT a.id, a.scene, a.trait, a.value, d.name, d.kind FROM scene_actions a JOIN devices d ON "
        "d.id = a.device WHERE (SELECT count(*) FROM scene_actions x WHERE x.scene = a.scene AND "
        "x.device = a.device) = 1 ORDER BY d.serial, a.id LIMIT 1 OFFSET :nth",
        "scene": "SELECT name FROM scenes WHERE id = :action_scene",
    }
    expect = (
        Expect("it is out", "SELECT count(*) FROM after.scene_actions WHERE id = :action_id", 0),
        Expect("the scene is still there", "SELECT name FROM after.scenes WHERE id = :action_scene", "{scene}"),
    )
    allowed = (Remove("scene_actions", "id = :action_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        row = f"{known.action.name}: {action_words(known.action.kind, known.action.trait, known.action.value)}"
        return [Tap("Routines"), Tap(known.scene), Tap(f"Remove {row}")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"the whole scene": [Tap("Routines"), Tap(known.scene), Tap("Delete scene"), Tap("Delete for good")]}


class DeleteScene(Task):
    """Delete one of two scenes with similar names."""

    name = "delete-scene"
    app = "smart-home"
    template = "I do not need the scene “{title}” any more. Delete it."
    domain = {
        "case": {
            key: {"title": title, "twin": twin}
            for key, title, twin in (
                ("party", "Birthday party", "Birthday party (kids)"), ("yoga", "Yoga", "Yoga with friends"),
                ("study", "Exam week", "Exam week, evenings"), ("cinema", "Cinema", "Cinema for two"),
                ("guests", "Aunt visits", "Aunt visits, winter"), ("bath", "Bath time", "Bath time, kids"),
                ("market", "Market day", "Market day, early"), ("call", "Video call", "Video call, daylight"),
                ("storm", "Storm", "Storm warning"), ("siesta", "Siesta", "Siesta, summer"),
            )
        },
        "nth": (1,),
    }  # fmt: skip
    given = {"device": of("light")}

    @staticmethod
    def _two_scenes(db: Database, known: Known) -> None:
        for title in (known.twin, known.title):
            scene = db.insert("scenes", name=title, icon="star", last_run="")
            db.insert("scene_actions", scene=scene, device=known.device.id, trait="power", value="1")

    inject = (_two_scenes,)
    facts = {"scene": "SELECT id FROM scenes WHERE name = :title"}
    expect = (
        Expect("it is gone", "SELECT count(*) FROM after.scenes WHERE name = :title", 0),
        Expect("its twin is not", "SELECT count(*) FROM after.scenes WHERE name = :twin"),
    )
    allowed = (Remove("scenes", "id = :scene"), Remove("scene_actions", "scene = :scene"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Routines"), Tap(known.title), Tap("Delete scene"), Tap("Delete for good")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"the twin": [Tap("Routines"), Tap(known.twin), Tap("Delete scene"), Tap("Delete for good")]}


class AddSchedule(Task):
    """Schedule an action of a device at a time on some days."""

    name = "add-schedule"
    app = "smart-home"
    template = "Make a schedule: {on_days} at {time}, {order} the {device.name}."
    domain = {
        "case": {
            key: {"on_days": words, "days": days, "time": time, "order": order, "value": value}
            for key, words, days, time, order, value in (
                ("weekdays-on", "on weekdays, Monday to Friday,", "1111100", "06:25", "turn on", "1"),
                ("weekends-on", "on Saturdays and Sundays", "0000011", "09:35", "turn on", "1"),
                ("daily-off", "every day of the week", "1111111", "23:35", "turn off", "0"),
                ("tuesday-on", "on Tuesdays", "0100000", "17:05", "turn on", "1"),
                ("friday-off", "on Fridays", "0000100", "22:55", "turn off", "0"),
                ("mon-thu-on", "on Mondays and Thursdays", "1001000", "19:45", "turn on", "1"),
                ("wed-sun-off", "on Wednesdays and Sundays", "0010001", "20:40", "turn off", "0"),
                ("sunday-on", "on Sundays", "0000001", "10:15", "turn on", "1"),
                ("sat-off", "on Saturdays", "0000010", "00:30", "turn off", "0"),
                ("tue-wed-thu-on", "on Tuesdays, Wednesdays and Thursdays", "0111000", "05:55", "turn on", "1"),
            )
        },
        "nth": {"first": 1, "other": 4},
    }
    facts = {"device": of("plug")}
    expect = (
        Expect("one schedule more", f"SELECT count(*) {_NEW.format('schedules')}"),
        Expect("for the right device", f"SELECT max(device) = :device_id {_NEW.format('schedules')}"),
        Expect("it does the right thing", f"SELECT max(trait || value) {_NEW.format('schedules')}", "power{value}"),
        Expect("at the right time", f"SELECT max(time) {_NEW.format('schedules')}", "{time}"),
        Expect("on the right days", f"SELECT max(days) {_NEW.format('schedules')}", "{days}"),
    )
    allowed = (Add("schedules", "device = :device_id AND enabled = 1"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        days = [Tap(name) for name, digit in zip(DAYS, known.days, strict=True) if digit == "1"]
        order = Tap(known.order.capitalize())
        start: list[Move] = [Tap("Routines"), Tap("Schedules"), Tap("New schedule"), *pick(known.device.name)]
        return [*start, Tap("Action"), order, Fill("Time", known.time), *days, Tap("Save")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"paused": [*self.moves(known, data), Tap("Schedule is on")]}


class MoveSchedule(Task):
    """Move a schedule to another time and other days."""

    name = "move-schedule"
    app = "smart-home"
    template = "There is a schedule for the {schedule.name} at {schedule.time}. Move it to {new}, and only on {words}."
    domain = {
        "new": ("05:20", "07:25", "08:55", "11:05", "14:35", "17:20", "19:55", "20:25", "21:50", "22:45"),
        "when": {
            "weekends": {"days": "0000011", "words": "Saturdays and Sundays"},
            "workdays": {"days": "1111100", "words": "weekdays, Monday to Friday"},
            "sunday": {"days": "0000001", "words": "Sundays"},
        },
        "nth": NTH,
    }
    facts = {
        "schedule": f"SELECT s.*, d.name, d.kind {_SCHEDULE} AND s.days != :days ORDER BY d.serial, s.id LIMIT 1 "
        "OFFSET :nth"
    }
    expect = (
        Expect("the time is right", "SELECT time FROM after.schedules WHERE id = :schedule_id", "{new}"),
        Expect("the days are right", "SELECT days FROM after.schedules WHERE id = :schedule_id", "{days}"),
    )
    allowed = (Change("schedules", ("time", "days"), "id = :schedule_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """Toggles only the days that differ."""
        row = lookup(data, "SELECT * FROM schedules WHERE id = ?", known.schedule.id)
        ticks = [Tap(day) for day, old, new in zip(DAYS, row["days"], known.days, strict=True) if old != new]
        name = f"{known.schedule.name}: {schedule_words(known.schedule.kind, row)}"
        find: list[Move] = [Tap("Routines"), Tap("Schedules"), Fill("Search schedules", known.schedule.name), Tap(name)]
        return [*find, Tap("Edit schedule"), Fill("Time", known.new), *ticks, Tap("Save")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        row = lookup(data, "SELECT * FROM schedules WHERE id = ?", known.schedule.id)
        days = [Tap(name) for name, digit in zip(DAYS, known.days, strict=True) if digit == "1"]
        order = Tap(action_words(known.schedule.kind, row["trait"], row["value"]))
        start: list[Move] = [Tap("Routines"), Tap("Schedules"), Tap("New schedule"), *pick(known.schedule.name)]
        return {"added": [*start, Tap("Action"), order, Fill("Time", known.new), *days, Tap("Save")]}


class PauseSchedules(Task):
    """Pause all schedules of a device."""

    name = "pause-schedules"
    app = "smart-home"
    template = "Pause every schedule of the {device.name}. Do not delete any."
    domain = {"nth": NTH}
    given = {
        "device": "SELECT d.id, d.name, d.kind FROM devices d JOIN schedules s ON s.device = d.id GROUP BY d.id "
        "HAVING count(*) >= 2 ORDER BY d.serial LIMIT 1 OFFSET :nth % (SELECT count(*) FROM (SELECT 1 FROM schedules "
        "GROUP BY device HAVING count(*) >= 2))"
    }

    @staticmethod
    def _all_on(db: Database, known: Known) -> None:
        db.run("UPDATE schedules SET enabled = 1 WHERE device = ?", known.device.id)

    inject = (_all_on,)
    facts = {**given, "schedules": Many("SELECT * FROM schedules WHERE device = :device_id ORDER BY time, days, id", 2)}
    expect = (
        Expect("none is on", "SELECT count(*) FROM after.schedules WHERE device = :device_id AND enabled = 1", 0),
        Expect("none is gone", "SELECT (SELECT count(*) FROM after.schedules WHERE device = :device_id) = "
               "(SELECT count(*) FROM before.schedules WHERE device = :device_id)"),
    )  # fmt: skip
    allowed = (Change("schedules", ("enabled",), "device = :device_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        moves: list[Move] = []
        for row in data.rows("SELECT * FROM schedules WHERE device = ? ORDER BY time, days, id", known.device.id):
            name = schedule_words(known.device.kind, row)
            moves += [*AGAIN, *open_device(known.device.name), Tap(name), Tap("Schedule is on")]
        return moves


class CreateAutomation(Task):
    """Create an automation with a sensor trigger and a condition that turns on a light."""

    name = "create-automation"
    app = "smart-home"
    template = (
        "Make an automation called “{title}”: when the {sensor.name} {does}, {if_words}, {order} the {device.name}."
    )
    domain = {
        "case": {
            key: {"title": title, "kind": kind, "event": event, "does": event_words(kind, event), "if_words": words,
                  "condition": condition, "order": order, "value": value}
            for key, title, kind, event, words, condition, order, value in (
                ("burglar", "Scare burglars", "motion", "motion", "and only if nobody is home", "nobody",
                 "turn on", "1"),
                ("path", "Light my way", "motion", "motion", "and only after sunset", "dark", "turn on", "1"),
                ("still", "Nobody here", "motion", "still", "whatever else is going on", "always", "turn off", "0"),
                ("opens", "Door light", "contact", "open", "and only from 22:00 to 06:00", "night", "turn on", "1"),
                ("closes", "Door shut", "contact", "close", "and only in daylight", "light", "turn off", "0"),
                ("damp", "Too damp", "climate", "damp", "and only if somebody is home", "somebody", "turn on", "1"),
                ("hot", "Too hot", "climate", "hot", "and only on weekdays", "weekdays", "turn off", "0"),
                ("cold", "Too cold", "climate", "cold", "and only on weekends", "weekends", "turn on", "1"),
                ("water", "Flood light", "leak", "leak", "whatever else is going on", "always", "turn on", "1"),
                ("smoke", "Way out", "smoke", "smoke", "and only if somebody is home", "somebody", "turn on", "1"),
            )
        },
        "nth": (3, 5),
    }  # fmt: skip
    facts = {
        "sensor": "SELECT id, name FROM devices WHERE kind = :kind ORDER BY serial LIMIT 1 OFFSET :nth % "
        "(SELECT count(*) FROM devices WHERE kind = :kind)",
        "device": of("light"),
    }
    expect = (
        Expect("one automation more, of this name",
               f"SELECT group_concat(name) {_NEW.format('automations')}", "{title}"),
        Expect("the sensor sets it off", f"SELECT count(*) {_NEW.format('automations')} AND trigger = 'sensor' AND "
               "sensor = :sensor_id AND event = :event"),
        Expect("under the right condition", f"SELECT max(condition) {_NEW.format('automations')}", "{condition}"),
        Expect("it does the right thing", f"SELECT count(*) {_NEW.format('automations')} AND device = :device_id AND "
               "trait = 'power' AND value = :value"),
    )  # fmt: skip
    allowed = (Add("automations", "enabled = 1"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        start: list[Move] = [Tap("Routines"), Tap("Automations"), Tap("New automation"), *pick(known.device.name)]
        event: list[Move] = [Tap("Sensor event"), Tap(f"{known.sensor.name} {known.does}")]
        condition: list[Move] = [Tap("Only if"), Tap(dict(CONDITIONS)[known.condition])]
        order: list[Move] = [Tap("Action"), Tap(known.order.capitalize())]
        return [*start, Fill("Name", known.title), *event, *condition, *order, Tap("Save")]


class PauseAutomation(Task):
    """Pause an automation."""

    name = "pause-automation"
    app = "smart-home"
    template = "Pause the automation “{automation.name}” for now, I will want it back later."
    domain = {"nth": NTH}
    given = {"automation": "SELECT id, name FROM automations ORDER BY id LIMIT 1 OFFSET :nth"}

    @staticmethod
    def _on(db: Database, known: Known) -> None:
        db.run("UPDATE automations SET enabled = 1 WHERE id = ?", known.automation.id)

    inject = (_on,)
    facts = given
    expect = (Expect("it rests", "SELECT enabled FROM after.automations WHERE id = :automation_id", 0),)
    allowed = (Change("automations", ("enabled",), "id = :automation_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Routines"), Tap("Automations"), Tap(known.automation.name), Tap("Automation is on")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        start = list(self.moves(known, data))[:-1]
        return {"deleted": [*start, Tap("Delete automation"), Tap("Delete for good")]}


class LimitAutomation(Task):
    """Change the condition of an automation."""

    name = "limit-automation"
    app = "smart-home"
    template = "The automation “{automation.name}” should only work {words}. Change that, and leave the rest of it."
    domain = {
        "condition": {
            key: {"condition": key, "words": words}
            for key, words in (
                ("dark", "after sunset"), ("light", "in daylight"), ("nobody", "if nobody is home"),
                ("weekends", "on weekends"), ("weekdays", "on weekdays"),
            )
        },
        "nth": NTH,
    }  # fmt: skip
    facts = {
        "automation": "SELECT id, name FROM automations WHERE condition != :condition ORDER BY id LIMIT 1 OFFSET :nth"
    }
    expect = (
        Expect(
            "it works when asked", "SELECT condition FROM after.automations WHERE id = :automation_id", "{condition}"
        ),
    )
    allowed = (Change("automations", ("condition",), "id = :automation_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        find: list[Move] = [Tap("Routines"), Tap("Automations"), Tap(known.automation.name), Tap("Edit automation")]
        return [*find, Tap("Only if"), Tap(dict(CONDITIONS)[known.condition]), Tap("Save")]
