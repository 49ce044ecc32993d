"""Kinds of devices as data: their traits, their readings, and the words for both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Trait:
    """One property of a device that can be set or is only shown. Its value is stored as text.

    Attributes:
        key: Key in the database.
        label: Displayed name; also the name of its control.
        form: `switch` (`1` or `0`), `step` (a whole number), `mode` (one of `options`) or `read` (only shown).
        low: Minimum of a `step`.
        high: Maximum of a `step`.
        step: Change per tap on less or more.
        preset: Distance between the values that can be chosen directly.
        unit: Unit after the number. `°C` is stored in tenths.
        options: Values of a `mode`.
        words: For a `switch`: the commands to turn it on and off, and the words for both states.
    """

    key: str
    label: str
    form: Literal["switch", "step", "mode", "read"]
    low: int = 0
    high: int = 100
    step: int = 10
    preset: int = 10
    unit: str = " %"
    options: tuple[str, ...] = ()
    words: tuple[str, str, str, str] = ("Turn on", "Turn off", "On", "Off")


@dataclass(frozen=True)
class Kind:
    """A kind of device.

    Attributes:
        key: Key in the database.
        title: Displayed name.
        plural: Plural of the title.
        icon: Name of its symbol.
        traits: Its traits, in the order of its page.
        events: For a sensor, the events that can trigger an automation: key and words.
        battery: Whether it runs on a battery.
        daily: Usual minimum and maximum daily use, in tenths of a kilowatt hour.
        models: Makers and models.
    """

    key: str
    title: str
    plural: str
    icon: str
    traits: tuple[Trait, ...]
    events: tuple[tuple[str, str], ...] = ()
    battery: bool = False
    daily: tuple[int, int] = (0, 0)
    models: tuple[str, ...] = ()

    def trait(self, key: str) -> Trait | None:
        return next((trait for trait in self.traits if trait.key == key), None)


def _switch(key: str, label: str, *words: str) -> Trait:
    turn_on, turn_off, on, off = words or (f"{label} on", f"{label} off", "On", "Off")
    return Trait(key, label, "switch", words=(turn_on, turn_off, on, off))


def _step(key: str, label: str, low: int, high: int, step: int, unit: str, preset: int = 0) -> Trait:
    return Trait(key, label, "step", low, high, step, preset or step, unit)


def _mode(key: str, label: str, *options: str) -> Trait:
    return Trait(key, label, "mode", options=options)


def _read(key: str, label: str, unit: str = "") -> Trait:
    return Trait(key, label, "read", unit=unit)


POWER: Final = Trait("power", "Power", "switch")
COLOURS: Final = ("Warm white", "Neutral white", "Daylight", "Red", "Orange", "Green", "Blue", "Purple")
_SENSITIVITY: Final = _mode("sensitivity", "Sensitivity", "Low", "Medium", "High")

_ALL: Final = (
    Kind("light", "Light", "Lights", "lamp",
         (POWER, _step("brightness", "Brightness", 10, 100, 10, " %"), _mode("colour", "Colour", *COLOURS)),
         daily=(1, 4), models=("Lumio A60", "Lumio Spot GU10", "Nordlicht Strip 2 m", "Halden Panel 24")),
    Kind("plug", "Plug", "Plugs", "plug",
         (POWER, _switch("child_lock", "Child lock"), _step("limit", "Power limit", 500, 3500, 500, " W")),
         daily=(2, 14), models=("Kettler Plug S", "Voltra Mini", "Voltra Outdoor IP44")),
    Kind("thermostat", "Thermostat", "Thermostats", "thermostat",
         (POWER, _step("target", "Target temperature", 50, 300, 5, " °C", 10),
          _mode("mode", "Mode", "Heat", "Cool", "Auto", "Eco"), _switch("window", "Pause when a window opens"),
          _read("temperature", "Temperature now", " °C")),
         daily=(12, 60), models=("Therma One", "Therma Rail", "Polar Split 12")),
    Kind("lock", "Lock", "Locks", "lock",
         (_switch("locked", "Locked", "Lock", "Unlock", "Locked", "Unlocked"),
          _switch("auto_lock", "Lock by itself"), _step("delay", "Auto-lock delay", 1, 10, 1, " min")),
         battery=True, models=("Bolten Secure 3", "Bolten Keypad", "Ironleaf Gate")),
    Kind("camera", "Camera", "Cameras", "camera",
         (POWER, _mode("recording", "Recording", "Always", "On motion", "Never"), _switch("night", "Night vision"),
          _mode("motion", "Motion sensitivity", "Low", "Medium", "High")),
         daily=(1, 2), models=("Argus Dome", "Argus Mini 2K", "Owl Floodlight Cam")),
    Kind("doorbell", "Doorbell", "Doorbells", "bell",
         (_switch("chime", "Indoor chime"), _step("volume", "Ring volume", 0, 100, 10, " %"),
          _mode("recording", "Recording", "Always", "On motion", "Never")),
         battery=True, models=("Argus Doorbell", "Ringly Chime Duo")),
    Kind("blind", "Blind", "Blinds", "blind",
         (_step("position", "Opening", 0, 100, 10, " %"), _mode("slats", "Slats", "Closed", "Tilted", "Flat")),
         daily=(0, 1), models=("Rollo Motor 20", "Shadewell Roman", "Shadewell Venetian")),
    Kind("speaker", "Speaker", "Speakers", "speaker",
         (POWER, _step("volume", "Volume", 0, 100, 5, " %", 10),
          _mode("source", "Source", "Radio", "Playlist", "Podcast", "Line in"), _switch("night_sound", "Night sound")),
         daily=(1, 3), models=("Sonara One", "Sonara Bar", "Piccolo 3")),
    Kind("tv", "Television", "Televisions", "tv",
         (POWER, _step("volume", "Volume", 0, 100, 5, " %", 10),
          _mode("source", "Source", "Antenna", "Streaming", "Console", "Photo frame")),
         daily=(5, 18), models=("Vistaline 55", "Vistaline 43")),
    Kind("fan", "Fan", "Fans", "fan",
         (POWER, _step("speed", "Speed", 1, 5, 1, ""), _switch("swing", "Swing")),
         daily=(2, 9), models=("Breeza Ceiling 52", "Breeza Tower", "Ventis Extractor")),
    Kind("purifier", "Air purifier", "Air purifiers", "wind",
         (POWER, _mode("level", "Level", "Silent", "Auto", "Strong"), _read("filter", "Filter left", " %")),
         daily=(2, 7), models=("Aerlo 300", "Aerlo Compact")),
    Kind("motion", "Motion sensor", "Motion sensors", "motion",
         (_read("state", "State"), _SENSITIVITY, _switch("indicator", "Indicator light")),
         events=(("motion", "sees motion"), ("still", "sees no motion for 10 minutes")), battery=True,
         models=("Sentio Move", "Sentio Outdoor")),
    Kind("contact", "Door sensor", "Door sensors", "door",
         (_read("state", "State"), _switch("reminder", "Remind when left open")),
         events=(("open", "opens"), ("close", "closes")), battery=True, models=("Sentio Contact", "Sentio Slim")),
    Kind("climate", "Climate sensor", "Climate sensors", "drop",
         (_read("temperature", "Temperature now", " °C"), _read("humidity", "Humidity", " %")),
         events=(("hot", "rises above 26 °C"), ("cold", "falls below 18 °C"), ("damp", "is above 70 % humidity")),
         battery=True, models=("Sentio Air", "Sentio Air Probe")),
    Kind("leak", "Leak sensor", "Leak sensors", "drop",
         (_read("state", "State"), _switch("siren", "Siren")), events=(("leak", "finds water"),), battery=True,
         models=("Sentio Drip",)),
    Kind("smoke", "Smoke alarm", "Smoke alarms", "smoke",
         (_read("state", "State"), _switch("silent_test", "Silent monthly test")), events=(("smoke", "smells smoke"),),
         battery=True, models=("Guardia S2", "Guardia Heat")),
    Kind("vacuum", "Robot vacuum", "Robot vacuums", "vacuum",
         (_mode("job", "Job", "Docked", "Cleaning", "Paused"),
          _mode("suction", "Suction", "Quiet", "Standard", "Turbo"),
          _switch("mop", "Mop"), _read("bin", "Bin filled", " %")),
         daily=(1, 4), models=("Rondo V7", "Rondo Mop")),
    Kind("sprinkler", "Sprinkler", "Sprinklers", "leaf",
         (POWER, _step("minutes", "Watering time", 5, 60, 5, " min"), _switch("rain_skip", "Skip when it rains")),
         daily=(0, 2), models=("Rainwise Zone", "Rainwise Drip")),
    Kind("washer", "Washing machine", "Washing machines", "washer",
         (POWER, _mode("programme", "Programme", "Cotton", "Eco 40-60", "Quick 30", "Wool", "Spin only"),
          _step("spin", "Spin", 400, 1400, 200, " rpm")),
         daily=(4, 16), models=("Lavara W8", "Lavara Duo")),
    Kind("dishwasher", "Dishwasher", "Dishwashers", "washer",
         (POWER, _mode("programme", "Programme", "Eco", "Auto", "Intensive", "Quick"), _switch("half", "Half load")),
         daily=(6, 15), models=("Lavara D6",)),
    Kind("oven", "Oven", "Ovens", "oven",
         (POWER, _step("heat", "Oven temperature", 500, 2500, 100, " °C", 100),
          _mode("mode", "Mode", "Hot air", "Grill", "Top and bottom"), _switch("child_lock", "Child lock")),
         daily=(4, 18), models=("Forno 60", "Forno Steam")),
    Kind("fridge", "Fridge", "Fridges", "fridge",
         (_step("cold", "Fridge temperature", 20, 80, 10, " °C", 10), _switch("super", "Super cooling"),
          _switch("holiday", "Holiday mode"), _read("door", "Door")),
         daily=(7, 13), models=("Frostad 200", "Frostad Combi")),
    Kind("coffee", "Coffee machine", "Coffee machines", "cup",
         (POWER, _mode("strength", "Strength", "Mild", "Normal", "Strong"), _switch("cup_warmer", "Cup warmer")),
         daily=(2, 6), models=("Crema S", "Crema Duo")),
    Kind("heater", "Water heater", "Water heaters", "drop",
         (POWER, _step("heat", "Water temperature", 350, 700, 50, " °C", 50), _mode("mode", "Mode", "Eco", "Comfort",
                                                                                    "Boost")),
         daily=(30, 75), models=("Aquatherm 80", "Aquatherm 150")),
    Kind("charger", "Car charger", "Car chargers", "car",
         (POWER, _step("limit", "Charge limit", 50, 100, 10, " %"),
          _mode("mode", "Mode", "Now", "Night rate", "Solar")),
         daily=(20, 160), models=("Amplio Wallbox 11",)),
    Kind("pump", "Pump", "Pumps", "drop",
         (POWER, _step("speed", "Speed", 1, 5, 1, ""), _mode("mode", "Mode", "Manual", "Timer", "Float switch")),
         daily=(10, 50), models=("Hydra 750", "Hydra Well")),
)  # fmt: skip

KINDS: Final[Mapping[str, Kind]] = {kind.key: kind for kind in _ALL}
"""All kinds by key, in the order of lists."""

SENSORS: Final = tuple(kind.key for kind in _ALL if kind.events)
"""Keys of the kinds that can trigger an automation."""


def shown(trait: Trait, value: str, *, fahrenheit: bool = False) -> str:
    """A value as a page shows it."""
    if trait.form == "switch":
        return trait.words[2] if value == "1" else trait.words[3]
    if trait.unit == " °C" and value.lstrip("-").isdigit():
        degrees = int(value) / 10
        return f"{degrees * 1.8 + 32:.1f} °F" if fahrenheit else f"{degrees:.1f} °C"
    return f"{value}{trait.unit}" if trait.form in ("step", "read") else value


def action_words(kind: str, trait: str, value: str) -> str:
    """The action of a routine in words: `Turn on`, `Brightness 40 %`."""
    known = KINDS[kind].trait(trait)
    if known is None:
        return "Nothing"
    if known.form == "switch":
        return known.words[0] if value == "1" else known.words[1]
    return f"{known.label} {shown(known, value)}"


def actions(kind: str) -> Iterator[tuple[str, str]]:
    """All actions that a routine can do with a device of a kind: `trait:value` and its words."""
    for trait in KINDS[kind].traits:
        for value in values(trait):
            yield f"{trait.key}:{value}", action_words(kind, trait.key, value)


def values(trait: Trait) -> tuple[str, ...]:
    """The values of a trait that can be chosen directly."""
    match trait.form:
        case "switch":
            return ("1", "0")
        case "step":
            return tuple(str(number) for number in range(trait.low, trait.high + 1, trait.preset))
        case "mode":
            return trait.options
    return ()


def event_words(kind: str, event: str) -> str:
    """The words for a sensor's event: `opens`."""
    return next((words for key, words in KINDS[kind].events if key == event), "notices something")
