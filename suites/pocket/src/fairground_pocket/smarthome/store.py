"""The smart home's logic: device states, scenes, energy sums, the log. No HTML."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from fairground_pocket.kit import Database, formats
from fairground_pocket.smarthome.kinds import KINDS, Trait, action_words, shown
from fairground_pocket.smarthome.schema import DAYS

DEVICES: Final = (
    "SELECT d.*, r.name AS room_name FROM devices d JOIN rooms r ON r.id = d.room WHERE {} ORDER BY r.place, d.id"
)
"""SQL for devices with the names of their rooms, in the order of the rooms."""

SPANS: Final = {"device": "d.id, d.name", "room": "r.id, r.name", "kind": "d.kind, d.kind"}
"""Groupings for energy sums: SQL for key and name of each."""


def states(db: Database) -> dict[int, dict[str, str]]:
    """The traits of all devices, by device id."""
    by_device: dict[int, dict[str, str]] = {}
    for device, name, value in db.rows("SELECT device, name, value FROM traits"):
        by_device.setdefault(device, {})[name] = value
    return by_device


def state(db: Database, device: int) -> dict[str, str]:
    """The traits of one device."""
    return {name: value for name, value in db.rows("SELECT name, value FROM traits WHERE device = ?", device)}


def fahrenheit(db: Database) -> bool:
    """Whether temperatures are shown in Fahrenheit; they are always stored in tenths of a degree Celsius."""
    return db.setting("fahrenheit") == "1"


def summary(kind: str, traits: Mapping[str, str], online: bool, in_fahrenheit: bool = False) -> str:
    """A device's state in a few words: `On, 60 %, Warm white`."""
    if not online:
        return "Not reachable"
    known = KINDS[kind]
    if traits.get("power") == "0":
        return "Off"
    words = [
        shown(trait, traits.get(trait.key, ""), fahrenheit=in_fahrenheit)
        for trait in known.traits
        if trait.key in ("power", "locked") or trait.form != "switch"
    ]
    return ", ".join(words[:3])


def accepts(trait: Trait, value: str) -> bool:
    """Whether a trait can have this value."""
    if trait.form == "switch":
        return value in ("0", "1")
    if trait.form == "step":
        return value.isascii() and value.isdigit() and len(value) < 6 and trait.low <= int(value) <= trait.high
    return trait.form == "mode" and value in trait.options


def tell(db: Database, device: sqlite3.Row, trait: str, value: str) -> None:
    """Sets a trait of a device on behalf of the owner, and logs it. An equal value changes nothing."""
    if db.one("SELECT value FROM traits WHERE device = ? AND name = ?", device["id"], trait) == value:
        return
    db.run("UPDATE traits SET value = ? WHERE device = ? AND name = ?", value, device["id"], trait)
    log(db, f"{device['name']}: {action_words(device['kind'], trait, value)}", device["id"])


def log(db: Database, text: str, device: int | None = None) -> None:
    """Logs an action of the owner."""
    db.insert("activity", time=db.now.isoformat(), device=device, who=db.setting("owner"), text=text)


def run_scene(db: Database, scene: sqlite3.Row) -> int:
    """Runs a scene on all reachable devices and returns the number of executed actions."""
    actions = db.rows(
        "SELECT a.* FROM scene_actions a JOIN devices d ON d.id = a.device WHERE a.scene = ? AND d.online = 1 "
        "ORDER BY a.id",
        scene["id"],
    )
    db.many(
        "UPDATE traits SET value = ? WHERE device = ? AND name = ?",
        [(row["value"], row["device"], row["trait"]) for row in actions],
    )
    db.run("UPDATE scenes SET last_run = ? WHERE id = ?", db.now.isoformat(), scene["id"])
    log(db, f"Scene {scene['name']} was run")
    return len(actions)


def off(db: Database, room: int, kinds: Sequence[str]) -> int:
    """Turns off everything that is on in a room, of some kinds; returns the number of devices."""
    marks = ", ".join("?" * len(kinds))
    devices = db.rows(
        f"SELECT d.* FROM devices d JOIN traits t ON t.device = d.id WHERE d.room = ? AND d.kind IN ({marks}) "
        "AND t.name = 'power' AND t.value = '1' AND d.online = 1 ORDER BY d.id",
        room,
        *kinds,
    )
    for device in devices:
        tell(db, device, "power", "0")
    return len(devices)


def months(db: Database) -> list[str]:
    """Months with energy figures, newest first."""
    return db.column("SELECT DISTINCT month FROM energy_months ORDER BY month DESC")


def energy(db: Database, month: str, by: str) -> list[tuple[str, str, int]]:
    """The energy used in a month: key, name and watt hours of each device, room or kind, largest first."""
    rows = db.rows(
        f"SELECT {SPANS[by]}, sum(e.wh) FROM energy_months e JOIN devices d ON d.id = e.device "
        f"JOIN rooms r ON r.id = d.room WHERE e.month = ? GROUP BY 1 ORDER BY 3 DESC, d.id",
        month,
    )
    return [(str(key), KINDS[name].plural if by == "kind" else name, wh) for key, name, wh in rows]


def cost(db: Database, wh: int) -> str:
    """The cost of energy, in words."""
    return formats.money(round(wh * int(db.setting("tariff")) / 1000), db.setting("currency"))


def kwh(wh: int) -> str:
    """Formats watt hours as `1,204.5 kWh`."""
    return f"{wh / 1000:,.1f} kWh"


def month_name(month: str) -> str:
    """Formats `2025-03` as `March 2025`."""
    return f"{date.fromisoformat(month + '-01'):%B %Y}"


def day_words(days: str) -> str:
    """Formats the seven digits of a schedule as words: `Weekdays`, `Mon, Thu`."""
    known = {"1111111": "Every day", "1111100": "Weekdays", "0000011": "Weekends"}
    return known.get(days) or ", ".join(name[:3] for name, digit in zip(DAYS, days, strict=False) if digit == "1")


def clock_fault(text: str) -> str | None:
    """What is wrong with a typed time of day."""
    hour, _, minute = text.partition(":")
    digits = len(text) == 5 and text.isascii() and hour.isdigit() and minute.isdigit()
    return None if digits and int(hour) < 24 and int(minute) < 60 else "Write the time like 07:30"


def number(text: str) -> int | None:
    """A number from an address, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
