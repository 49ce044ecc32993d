"""The home of a profile: rooms, devices with their states, people, codes and routines. For the past see `history`."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fairground_pocket.kit import Cast, Database, Draw
from fairground_pocket.smarthome import history, routines
from fairground_pocket.smarthome.homes import HOMES, ROOM_TYPES, Home, pairs
from fairground_pocket.smarthome.kinds import KINDS, Kind, Trait, values

_STATES: Final = {
    "motion": (("Still", 0.7), ("Motion", 0.3)),
    "contact": (("Closed", 0.8), ("Open", 0.2)),
    "leak": (("Dry", 1.0),),
    "smoke": (("All clear", 1.0),),
}
_FLAKY: Final = ("light", "plug", "climate", "motion", "contact", "leak", "fan", "speaker")
"""Kinds with occasionally unreachable devices; every home has several of each."""
_LIKELY_ON: Final = {"light": 0.4, "plug": 0.7, "thermostat": 0.8, "camera": 0.85, "heater": 0.8, "purifier": 0.5}
_SETTINGS: Final = {
    "mode": "home",
    "fahrenheit": "0",
    "quiet_on": "0",
    "quiet_from": "23:00",
    "quiet_to": "07:00",
    "alert_safety": "1",
    "alert_security": "1",
    "alert_battery": "1",
    "alert_device": "0",
    "share_location": "1",
    "weekly_report": "0",
}


def fill(db: Database, cast: Cast, draw: Draw) -> None:
    """Fills the home of a cast."""
    home = HOMES[cast.name]
    for name, value in _SETTINGS.items():
        db.set(name, value)
    db.set("home", home.title)
    db.set("home_kind", home.kind)
    db.set("location", f"{draw.choice(cast.streets)} {draw.integer(3, 90)}, {cast.city}")
    db.set("tariff", home.tariff)
    _rooms(db, cast, draw, home)
    _warmth(db, draw, home)
    _care(db, draw)
    _people(db, cast, draw)
    _codes(db, cast, draw)
    routines.fill(db, cast, draw)
    history.fill(db, cast, draw)


def _rooms(db: Database, cast: Cast, draw: Draw, home: Home) -> None:
    for place, (name, rest) in enumerate(pairs(home.rooms)):
        kind, _, floor = rest.partition("@")
        icon, things = ROOM_TYPES[kind]
        room = db.insert("rooms", name=name, icon=icon, floor=floor, place=place)
        for thing, key in pairs(things):
            _device(db, cast, draw, home, room, f"{name} {thing}", KINDS[key])


def _device(db: Database, cast: Cast, draw: Draw, home: Home, room: int, name: str, kind: Kind) -> None:
    version = f"{draw.integer(1, 4)}.{draw.integer(0, 9)}.{draw.integer(0, 9)}"
    newest = version
    if draw.chance(0.28):
        major, minor, _ = version.split(".")
        newest = f"{major}.{int(minor) + draw.integer(1, 3)}.{draw.integer(0, 4)}"
    device = db.insert(
        "devices", room=room, kind=kind.key, name=name, model=draw.choice(kind.models),
        serial="".join(draw.choice("0123456789ABCDEF") for _ in range(10)),
        installed=(cast.now.date() - timedelta(days=draw.integer(40, 1500))).isoformat(),
        firmware=version, newest=newest, online=int(not (draw.chance(0.07) and kind.key in _FLAKY)),
        favourite=int(draw.chance(0.09)),
    )  # fmt: skip
    db.many(
        "INSERT INTO traits VALUES (?, ?, ?)",
        [(device, trait.key, _value(draw, home, kind, trait)) for trait in kind.traits],
    )


def _value(draw: Draw, home: Home, kind: Kind, trait: Trait) -> str:
    match trait.key:
        case "temperature":
            return str(home.warm)
        case "humidity":
            return str(draw.integer(34, 68))
        case "state":
            return draw.weighted(_STATES[kind.key])
        case "target":
            return str(draw.integer(36, 44) * 5)
        case "locked":
            return str(int(draw.chance(0.8)))
        case "power":
            return str(int(draw.chance(_LIKELY_ON.get(kind.key, 0.3))))
        case "door":
            return "Closed"
        case "filter" | "bin":
            return str(draw.integer(8, 95))
    return draw.choice(values(trait)) if trait.form != "switch" else str(int(draw.chance(0.4)))


def _warmth(db: Database, draw: Draw, home: Home) -> None:
    """Distinct temperatures, so that the warmest room is unique; no room has two thermometers."""
    devices = db.column("SELECT device FROM traits WHERE name = 'temperature' ORDER BY device")
    degrees = draw.sample(range(home.warm - 25, home.warm + 26), len(devices))
    db.many("UPDATE traits SET value = ? WHERE name = 'temperature' AND device = ?", zip(degrees, devices, strict=True))


def _care(db: Database, draw: Draw) -> None:
    """Distinct battery levels, so that the emptiest device is unique."""
    keys = [key for key, kind in KINDS.items() if kind.battery]
    marks = ", ".join("?" * len(keys))
    devices = db.column(f"SELECT id FROM devices WHERE kind IN ({marks}) ORDER BY id", *keys)
    levels = [*draw.sample(range(3, 30), 7), *draw.sample(range(31, 101), len(devices) - 7)]
    db.many("UPDATE devices SET battery = ? WHERE id = ?", zip(levels, draw.shuffled(devices), strict=True))


def _people(db: Database, cast: Cast, draw: Draw) -> None:
    chosen = [
        (cast.owner, "owner", "active"),
        *zip(draw.sample(cast.of("family"), 3), ("admin", "member", "member"), ("active",) * 3, strict=True),
        *zip(draw.sample(cast.of("friend", "neighbour"), 3), ("guest", "guest", "member"),
             ("active", "active", "invited"), strict=True),
        (draw.choice(cast.of("service")), "guest", "active"),
    ]  # fmt: skip
    for place, (person, role, status) in enumerate(chosen):
        since = cast.now.date() - timedelta(days=draw.integer(3, 30) if status == "invited" else 900 - 100 * place)
        until = (cast.now.date() + timedelta(days=draw.integer(20, 90))).isoformat() if role == "guest" else ""
        db.insert(
            "members", name=person.name, address=person.email, role=role, status=status, since=since.isoformat(),
            until=until, present=int(place == 0 or (status == "active" and draw.chance(0.4))),
        )  # fmt: skip


def _codes(db: Database, cast: Cast, draw: Draw) -> None:
    locks = db.column("SELECT id FROM devices WHERE kind = 'lock' ORDER BY id")
    people = draw.sample([candidate for candidate in cast.people if candidate.relation != "work"], 7)
    used: set[str] = set()
    for place, person in enumerate(people):
        code = next(c for c in (f"{draw.integer(0, 999_999):06}" for _ in range(50)) if c not in used)
        used.add(code)
        # The first codes have expired and the last is not valid yet, as in a real list.
        first = cast.now.date() + timedelta(days=(-90, -70, -50, -30, -12, -6, 5)[place] - draw.integer(0, 4))
        last = first + timedelta(days=(14, 21, 10, 60, 45, 80, 12)[place] + draw.integer(0, 5))
        opens, closes = draw.choice((("00:00", "23:59"), ("08:00", "18:00"), ("09:00", "13:00"), ("16:00", "22:00")))
        db.insert(
            "codes", name=f"{person.name} ({person.role})", code=code, lock=draw.choice(locks),
            first=first.isoformat(), last=last.isoformat(), opens=opens, closes=closes,
        )  # fmt: skip
