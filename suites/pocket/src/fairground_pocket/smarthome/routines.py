"""The routines of a profile's home: scenes, schedules and automations for its devices."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from fairground_pocket.kit import Cast, Database, Draw

_SCENES: Final = (
    ("Good morning", "sun", "light power 1, blind position 100, coffee power 1, speaker source Radio"),
    ("Good night", "moon", "light power 0, lock locked 1, blind position 0, tv power 0, speaker power 0"),
    ("Film night", "tv", "light brightness 20, tv power 1, tv source Streaming, blind position 0"),
    ("Leaving", "door", "light power 0, lock locked 1, plug power 0, tv power 0, camera recording On motion"),
    ("Dinner for guests", "food", "light brightness 60, light colour Warm white, speaker source Playlist"),
    ("Deep work", "edit", "light colour Daylight, light brightness 100, speaker power 0, blind position 50"),
    ("Cleaning day", "vacuum", "vacuum job Cleaning, fan power 1, purifier level Strong, light brightness 100"),
    ("Heat wave", "sun", "blind position 20, fan power 1, thermostat mode Cool, purifier power 1"),
    ("Holiday", "plane", "thermostat mode Eco, plug power 0, camera recording Always, heater power 0"),
)  # fmt: skip
_PLANS: Final = (
    ("light", "power", "1", "18:30", "1111111"), ("light", "power", "0", "23:15", "1111111"),
    ("light", "power", "1", "06:40", "1111100"), ("light", "power", "0", "07:50", "1111100"),
    ("light", "brightness", "40", "21:00", "0000111"),
    ("blind", "position", "100", "07:10", "1111100"), ("blind", "position", "100", "09:00", "0000011"),
    ("blind", "position", "0", "21:30", "1111111"), ("blind", "position", "30", "13:00", "1111100"),
    ("thermostat", "target", "210", "06:15", "1111100"), ("thermostat", "target", "170", "22:30", "1111111"),
    ("thermostat", "target", "220", "08:30", "0000011"),
    ("sprinkler", "power", "1", "05:45", "1010100"), ("sprinkler", "power", "0", "06:20", "1010100"),
    ("sprinkler", "power", "1", "20:10", "0000010"),
    ("vacuum", "job", "Cleaning", "10:00", "0101000"), ("vacuum", "job", "Cleaning", "11:30", "0000010"),
    ("coffee", "power", "1", "06:30", "1111100"), ("coffee", "power", "1", "08:45", "0000011"),
    ("heater", "mode", "Boost", "05:30", "1111111"), ("heater", "mode", "Eco", "09:15", "1111111"),
    ("plug", "power", "0", "23:45", "1111111"), ("plug", "power", "1", "07:00", "1111100"),
    ("speaker", "volume", "20", "22:00", "1111111"),
)  # fmt: skip
_RULES: Final = (
    ("Light on motion in {there}", "sensor", "motion", "motion", "dark", "light", "power", "1"),
    ("Lights out when {there} is still", "sensor", "motion", "still", "always", "light", "power", "0"),
    ("Watch the door of {there}", "sensor", "contact", "open", "nobody", "camera", "recording", "Always"),
    ("Lock up after {there}", "sensor", "contact", "close", "night", "lock", "locked", "1"),
    ("Dry out {there}", "sensor", "climate", "damp", "always", "fan", "power", "1"),
    ("Cool down with {there}", "sensor", "climate", "hot", "somebody", "thermostat", "mode", "Cool"),
    ("Way out of {there}", "sensor", "smoke", "smoke", "always", "light", "power", "1"),
    ("Save when all are gone", "presence", "", "leave", "always", "plug", "power", "0"),
    ("Welcome home", "presence", "", "arrive", "dark", "light", "brightness", "80"),
    ("Shade for {here}", "time", "", "", "weekdays", "blind", "position", "60"),
    ("Lamp on motion in {there}", "sensor", "motion", "motion", "night", "light", "brightness", "20"),
    ("Fan for {there}", "sensor", "climate", "hot", "always", "fan", "speed", "4"),
    ("Close the shades of {here}", "time", "", "", "always", "blind", "position", "0"),
    ("Warm up with {there}", "sensor", "climate", "cold", "somebody", "thermostat", "mode", "Heat"),
)  # fmt: skip
"""Name, trigger, kind of sensor, event, condition, kind of device, trait and value of each automation."""

_TIMES: Final = ("06:20", "07:35", "12:10", "16:40", "19:25", "20:50")


def fill(db: Database, cast: Cast, draw: Draw) -> None:
    """Writes scenes, schedules and automations."""
    devices = db.rows("SELECT * FROM devices ORDER BY id")
    for place, (name, icon, words) in enumerate(_SCENES):
        last_run = cast.now - timedelta(days=draw.integer(0, 20), minutes=7 * place + draw.integer(60, 400))
        scene = db.insert("scenes", name=name, icon=icon, last_run=last_run.isoformat(), favourite=int(place < 3))
        for part in words.split(", "):
            _scene_actions(db, draw, devices, scene, part)
    _schedules(db, draw, devices)
    _automations(db, draw, devices)


def _of(devices: Sequence[sqlite3.Row], kind: str) -> list[sqlite3.Row]:
    return [row for row in devices if row["kind"] == kind]


def _scene_actions(db: Database, draw: Draw, devices: Sequence[sqlite3.Row], scene: int, words: str) -> None:
    kind, trait, value = words.split(" ", 2)
    for device in draw.sample(_of(devices, kind), draw.integer(1, 4) if kind == "light" else draw.integer(1, 2)):
        exists = db.one("SELECT 1 FROM scene_actions WHERE scene = ? AND device = ? AND trait = ?", scene, device["id"],
                       trait)  # fmt: skip
        if not exists:
            db.insert("scene_actions", scene=scene, device=device["id"], trait=trait, value=value)


def _schedules(db: Database, draw: Draw, devices: Sequence[sqlite3.Row]) -> None:
    """Devices with several schedules and devices with one; a device never has two at the same time."""
    for kind in dict.fromkeys(plan[0] for plan in _PLANS):
        plans = [plan for plan in _PLANS if plan[0] == kind]
        for place, device in enumerate(draw.sample(_of(devices, kind), 5 if kind == "light" else 2)):
            for _, trait, value, time, days in draw.sample(plans, len(plans) if place == 0 else 1 + place % 2):
                hour, minute = time.split(":")
                shifted = f"{hour}:{(int(minute) + draw.choice((0, 0, 5, 10))) % 60:02}"
                db.insert(
                    "schedules", device=device["id"], trait=trait, value=value, time=shifted, days=days,
                    enabled=int(not draw.chance(0.12)),
                )  # fmt: skip


def _automations(db: Database, draw: Draw, devices: Sequence[sqlite3.Row]) -> None:
    rooms = {row["id"]: row["name"] for row in db.rows("SELECT id, name FROM rooms")}
    for words, trigger, kind, event, condition, target, trait, value in _RULES:
        device = draw.choice(_of(devices, target))
        sensor = draw.choice(_of(devices, kind)) if kind else None
        there = rooms[sensor["room"]] if sensor is not None else ""
        db.insert(
            "automations", name=words.format(there=there, here=rooms[device["room"]]), trigger=trigger,
            sensor=sensor["id"] if sensor is not None else None, event=event,
            time=draw.choice(_TIMES) if trigger == "time" else "", condition=condition, device=device["id"],
            trait=trait, value=value, enabled=int(not draw.chance(0.2)),
        )  # fmt: skip
