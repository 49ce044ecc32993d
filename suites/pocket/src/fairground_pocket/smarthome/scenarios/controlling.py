"""Tasks about controlling devices: one, several, and devices that must be found first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.worlds import Move, Tap
from fairground_pocket.kit import Add, Balance, Change, Database, Expect, Known, Task
from fairground_pocket.smarthome.scenarios.finding import (
    AGAIN,
    LOGGED,
    MONTH,
    MONTH_NAME,
    NOTED,
    becomes,
    devices,
    has,
    of,
    open_device,
    preset,
    turned,
)

_PLACES: Final = {f"no-{number + 1}": number for number in range(4)}
_ON: Final = has("power", "= '1'")
_LEVELS: Final = {f"{level}-percent": level for level in range(10, 101, 10)}


class SetBrightness(Task):
    """Change the brightness of a light that is on."""

    name = "set-brightness"
    app = "smart-home"
    template = "The {device.name} is on. Set it to a brightness of {level} %."
    domain = {"level": _LEVELS, "nth": _PLACES}
    given = {"device": of("light")}
    inject = (preset(power="1"),)
    facts = {"device": devices(f"d.kind = 'light' AND {_ON} AND {has('brightness', '!= CAST(:level AS TEXT)')}")}
    expect = (becomes("it is as bright as asked", "brightness", "{level}"), becomes("it is still on", "power", "1"))
    allowed = (turned("brightness"), LOGGED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_device(known.device.name), Tap("Choose brightness"), Tap(f"Brightness {known.level} %")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        step = Tap("Less Brightness") if known.level > 10 else Tap("More Brightness")
        return {"a step too far": [*self.moves(known, data), step], "off too": [*self.moves(known, data), Tap("Power")]}


class ColourTheLight(Task):
    """Turn on a light with a colour and a brightness."""

    name = "colour-the-light"
    app = "smart-home"
    template = "Turn on the {device.name} and make it {words}, at {level} % brightness."
    domain = {
        "colour": {
            key: {"colour": colour, "words": words}
            for key, colour, words in (
                ("red", "Red", "red"), ("orange", "Orange", "orange"), ("green", "Green", "green"),
                ("blue", "Blue", "blue"), ("purple", "Purple", "purple"), ("daylight", "Daylight", "daylight"),
            )
        },
        "level": {"30-percent": 30, "60-percent": 60, "80-percent": 80},
        "nth": _PLACES,
    }  # fmt: skip
    given = {"device": of("light")}
    inject = (preset(power="0", colour="Warm white", brightness="50"),)
    facts = {"device": of("light")}
    expect = (
        becomes("it is on", "power", "1"),
        becomes("its colour is right", "colour", "{colour}"),
        becomes("it is as bright as asked", "brightness", "{level}"),
    )
    allowed = (turned("power", "colour", "brightness"), LOGGED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        colour: list[Move] = [Tap("Colour"), Tap(f"Colour {known.colour}")]
        level: list[Move] = [Tap("Choose brightness"), Tap(f"Brightness {known.level} %")]
        return [*open_device(known.device.name), Tap("Power"), *colour, *level]


class SetThermostat(Task):
    """Set the temperature and mode of a thermostat."""

    name = "set-thermostat"
    app = "smart-home"
    template = "Set the {device.name} to {degrees} °C in {mode} mode."
    domain = {"degrees": (17, 18, 19, 20, 21, 22, 23, 24, 25, 16), "mode": ("Heat", "Cool", "Eco"), "nth": _PLACES}
    given = {"device": of("thermostat")}
    inject = (preset(power="1", mode="Auto", target="195"),)
    facts = {"device": of("thermostat"), "tenths": "SELECT :degrees * 10"}
    expect = (
        becomes("the temperature is right", "target", "{tenths}"),
        becomes("the mode is right", "mode", "{mode}"),
        becomes("it is still on", "power", "1"),
    )
    allowed = (turned("target", "mode"), LOGGED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        warm: list[Move] = [Tap("Choose target temperature"), Tap(f"Target temperature {known.degrees}.0 °C")]
        return [*open_device(known.device.name), *warm, Tap("Mode"), Tap(f"Mode {known.mode}")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"half a degree off": [*self.moves(known, data), Tap("More Target temperature")]}


class LockUp(Task):
    """Lock a door and turn on its auto-lock with a delay."""

    name = "lock-up"
    app = "smart-home"
    template = "The {device.name} is unlocked. Lock it, and let it lock by itself after {delay} minutes from now on."
    domain = {"delay": (2, 3, 4, 5, 6, 7, 8, 9, 10), "nth": _PLACES}
    given = {"device": of("lock")}
    inject = (preset(locked="0", auto_lock="0", delay="1"),)
    facts = {"device": of("lock")}
    expect = (
        becomes("it is locked", "locked", "1"),
        becomes("it locks by itself", "auto_lock", "1"),
        becomes("after the right time", "delay", "{delay}"),
    )
    allowed = (turned("locked", "auto_lock", "delay"), LOGGED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        delay: list[Move] = [Tap("Choose auto-lock delay"), Tap(f"Auto-lock delay {known.delay} min")]
        return [*open_device(known.device.name), Tap("Locked"), Tap("Lock by itself"), *delay]


class RoomLightsOff(Task):
    """Turn off all lights of a room, and nothing else."""

    name = "room-lights-off"
    app = "smart-home"
    template = "Turn off all the lights in the {room.name}. Leave everything else in there as it is."
    domain = {"nth": {f"room-{number + 1}": number for number in range(10)}}
    given = {
        "room": "SELECT r.id, r.name FROM rooms r WHERE (SELECT count(*) FROM devices d WHERE d.room = r.id AND "
        "d.kind = 'light') >= 1 AND EXISTS (SELECT 1 FROM devices d JOIN traits t ON t.device = d.id WHERE "
        "d.room = r.id AND d.kind != 'light' AND t.name = 'power') ORDER BY r.place DESC LIMIT 1 OFFSET :nth"
    }

    @staticmethod
    def _light_up(db: Database, known: Known) -> None:
        db.run("UPDATE devices SET online = 1 WHERE room = ?", known.room.id)
        here = "SELECT id FROM devices WHERE room = ?"
        db.run(f"UPDATE traits SET value = '1' WHERE name = 'power' AND device IN ({here})", known.room.id)

    inject = (_light_up,)
    facts = {**given, "lights": "SELECT count(*) AS number FROM devices WHERE room = :room_id AND kind = 'light'"}
    expect = (
        Expect("no light is on there", "SELECT count(*) FROM after.traits t JOIN after.devices d ON d.id = t.device "
               "WHERE d.room = :room_id AND d.kind = 'light' AND t.name = 'power' AND t.value = '1'", 0),
        Expect("all of them are off", "SELECT count(*) = :lights FROM after.traits t JOIN after.devices d ON "
               "d.id = t.device WHERE d.room = :room_id AND d.kind = 'light' AND t.name = 'power' AND t.value = '0'"),
    )  # fmt: skip
    allowed = (
        Change("traits", ("value",), "name = 'power' AND device IN (SELECT id FROM before.devices WHERE "
               "room = :room_id AND kind = 'light')"),
        Add("activity", "device IN (SELECT id FROM before.devices WHERE room = :room_id AND kind = 'light')",
            at_most=None),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("All rooms"), Tap(known.room.name), Tap("Lights off")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"everything off": [Tap("All rooms"), Tap(known.room.name), Tap("Everything off")]}


class TwoBlinds(Task):
    """Set two blinds to the same opening."""

    name = "two-blinds"
    app = "smart-home"
    template = "The sun is too strong. Put the {device.name} and the {other.name} to {level} % open."
    domain = {"level": _LEVELS, "nth": _PLACES}
    given = {"device": of("blind"), "other": of("blind", ":nth + 1")}
    inject = (preset(position="0"), preset("other", position="0"))
    facts = given
    expect = (
        becomes("the first is right", "position", "{level}"),
        becomes("the second is right", "position", "{level}", "other"),
    )
    allowed = (
        turned("position"), turned("position", device="other"), LOGGED,
        Add("activity", "device = :other_id", at_most=None),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        step: list[Move] = [Tap("Choose opening"), Tap(f"Opening {known.level} %")]
        return [*open_device(known.device.name), *step, *AGAIN, *open_device(known.other.name), *step]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {
            "only the first": [*open_device(known.device.name), Tap("Choose opening"), Tap(f"Opening {known.level} %")]
        }


class LeaveTheHouse(Task):
    """Set the home's mode, and when a camera records."""

    name = "leave-the-house"
    app = "smart-home"
    template = "Put the home into {words} mode, and let the {device.name} record {how}."
    domain = {
        "mode": {"away": {"mode": "away", "words": "away"}, "night": {"mode": "night", "words": "night"}},
        "recording": {
            "always": {"recording": "Always", "how": "all the time"},
            "on-motion": {"recording": "On motion", "how": "only when something moves"},
        },
        "nth": {f"camera-{number + 1}": number for number in range(3)},
    }
    given = {"device": of("camera")}
    inject = (preset(power="1", recording="Never"),)
    facts = given
    expect = (
        Expect("the mode is right", "SELECT value FROM after.settings WHERE name = 'mode'", "{mode}"),
        becomes("the camera records as asked", "recording", "{recording}"),
    )
    allowed = (Change("settings", ("value",), "name = 'mode'"), turned("recording"), LOGGED, NOTED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        mode: list[Move] = [Tap("Change mode"), Tap(f"Set {known.mode.capitalize()} mode")]
        return [*mode, *open_device(known.device.name), Tap("Recording"), Tap(f"Recording {known.recording}")]


class PlayMusic(Task):
    """Play something on a speaker at a given volume."""

    name = "play-music"
    app = "smart-home"
    template = "Switch the {device.name} on, with {source} as its source, at a volume of {level} %."
    domain = {
        "level": {f"{level}-percent": level for level in (5, 15, 25, 35, 45, 55, 65, 10, 20, 40)},
        "source": ("Radio", "Playlist", "Podcast"),
        "nth": _PLACES,
    }
    given = {"device": of("speaker")}
    inject = (preset(power="0", source="Line in", volume="30"),)
    facts = given
    expect = (
        becomes("it is on", "power", "1"),
        becomes("it plays the right thing", "source", "{source}"),
        becomes("as loud as asked", "volume", "{level}"),
    )
    allowed = (turned("power", "source", "volume"), LOGGED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """Sets the volume with the stepper, because the sheet only offers multiples of ten."""
        steps = (known.level - 30) // 5
        press = [Tap("More Volume" if steps > 0 else "Less Volume")] * abs(steps)
        return [*open_device(known.device.name), Tap("Power"), Tap("Source"), Tap(f"Source {known.source}"), *press]


class Preheat(Task):
    """Set an oven's temperature and mode."""

    name = "preheat-oven"
    app = "smart-home"
    template = "Preheat the {device.name} to {degrees} °C with {words}."
    domain = {
        "degrees": {f"{degrees}-degrees": degrees for degrees in range(130, 240, 10)},
        "way": {
            "hot-air": {"mode": "Hot air", "words": "hot air"},
            "grill": {"mode": "Grill", "words": "the grill"},
            "both": {"mode": "Top and bottom", "words": "top and bottom heat"},
        },
    }
    given = {"device": of("oven", "0")}
    inject = (preset(power="0", heat="500"), lambda db, known: _other_mode(db, known))
    facts = {**given, "tenths": "SELECT :degrees * 10"}
    expect = (
        becomes("it is on", "power", "1"),
        becomes("the temperature is right", "heat", "{tenths}"),
        becomes("it heats as asked", "mode", "{mode}"),
    )
    allowed = (turned("power", "heat", "mode"), LOGGED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        heat: list[Move] = [Tap("Choose oven temperature"), Tap(f"Oven temperature {known.degrees}.0 °C")]
        return [*open_device(known.device.name), Tap("Power"), *heat, Tap("Mode"), Tap(f"Mode {known.mode}")]


class ColdestRoom(Task):
    """Set the thermostat with the lowest reading, which must be found first."""

    name = "coldest-room"
    app = "smart-home"
    template = "Find the thermostat that measures the lowest temperature right now, and set it to {degrees} °C."
    domain = {"degrees": (20, 21, 22, 23, 24), "nth": _PLACES}
    given = {"device": of("thermostat")}

    @staticmethod
    def _cool_down(db: Database, known: Known) -> None:
        lowest = db.one("SELECT min(CAST(value AS INTEGER)) FROM traits WHERE name = 'temperature'")
        for name, value in (("temperature", lowest - 7), ("target", 185), ("power", 1)):
            db.run("UPDATE traits SET value = ? WHERE device = ? AND name = ?", str(value), known.device.id, name)

    inject = (_cool_down,)
    facts = {
        "device": "SELECT d.id, d.name, d.kind FROM devices d JOIN traits t ON t.device = d.id WHERE "
        "d.kind = 'thermostat' AND t.name = 'temperature' ORDER BY CAST(t.value AS INTEGER) LIMIT 1",
        "tenths": "SELECT :degrees * 10",
    }
    expect = (becomes("the coldest is set", "target", "{tenths}"),)
    allowed = (turned("target"), LOGGED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        look: list[Move] = [Tap("Devices"), Tap("Choose kind"), Tap("Thermostats"), Tap(known.device.name)]
        return [*look, Tap("Choose target temperature"), Tap(f"Target temperature {known.degrees}.0 °C")]


class HungriestPlug(Task):
    """Turn off the plug that used the most energy in a month."""

    name = "hungriest-plug"
    app = "smart-home"
    template = "Which plug used the most energy in {month_name}? Turn that one off."
    domain = {"back": {f"{number}-months-ago": number for number in range(1, 11)}}
    given = {
        "month": MONTH,
        "device": "SELECT d.id, d.name, d.kind FROM devices d JOIN energy_months e ON e.device = d.id WHERE "
        "d.kind = 'plug' AND e.month = :month ORDER BY e.wh DESC LIMIT 1",
    }

    @staticmethod
    def _turn_on(db: Database, known: Known) -> None:
        db.run("UPDATE devices SET online = 1 WHERE id = ?", known.device.id)
        db.run("UPDATE traits SET value = '1' WHERE device = ? AND name = 'power'", known.device.id)

    inject = (_turn_on,)
    facts = {
        **given,
        "month_name": MONTH_NAME,
        "most": "SELECT max(e.wh) FROM energy_months e JOIN devices d ON d.id = e.device WHERE d.kind = 'plug' "
        "AND e.month = :month",
        "second": "SELECT max(e.wh) FROM energy_months e JOIN devices d ON d.id = e.device WHERE d.kind = 'plug' "
        "AND e.month = :month AND d.id != :device_id",
    }
    needs = (Balance("SELECT :most", ":second + 1"),)
    expect = (becomes("it is off", "power", "0"),)
    allowed = (turned("power"), LOGGED)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """Finds the plug in the energy figures, then turns it off on its page."""
        look: list[Move] = [Tap("Energy"), Tap("By device"), Tap("Choose month"), Tap(known.month_name)]
        return [*look, *AGAIN, *open_device(known.device.name), Tap("Power")]


def _other_mode(db: Database, known: Known) -> None:
    """Sets any mode other than the requested one."""
    other_mode = next(mode for mode in ("Grill", "Hot air") if mode != known.mode)
    db.run("UPDATE traits SET value = ? WHERE device = ? AND name = 'mode'", other_mode, known.device.id)
