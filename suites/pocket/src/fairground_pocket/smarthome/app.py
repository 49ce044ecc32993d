"""The smart home app as a world: its profiles and UI states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fairground_pocket.kit import Cast, Database, Draw, PocketApp
from fairground_pocket.smarthome import (
    automations,
    care,
    climate,
    codes,
    devices,
    energy,
    events,
    filling,
    members,
    overview,
    preferences,
    rooms,
    scenes,
    schedules,
)
from fairground_pocket.smarthome.schema import SITE

PAGES = (
    overview,
    rooms,
    devices,
    climate,
    scenes,
    schedules,
    automations,
    members,
    codes,
    energy,
    events,
    care,
    preferences,
)
"""The modules with handlers; importing them registers their pages."""

_LIGHT = "SELECT id FROM devices WHERE kind = 'light' AND online = 1 ORDER BY id LIMIT 1"


class SmartHome(PocketApp):
    """A smart home on a phone: rooms, devices, scenes, schedules, automations, people, energy."""

    name = "smart-home"
    title = "Smart Home"
    site = SITE
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "overview": {"path": "/"},
        "what-is-on": {"path": "/devices?only=on"},
        "lights-by-kind": {"path": "/devices?kind=light&by=kind"},
        "light": {"path": "/d/{number}", "facts": {"number": _LIGHT}},
        "brightness-sheet": {"path": "/d/{number}#set-brightness", "facts": {"number": _LIGHT}},
        "half-made-schedule": {
            "path": "/schedules/new?device={number}&time=06%3A50&days=0000011",
            "facts": {"number": _LIGHT},
        },
        "scene-delete-sheet": {
            "path": "/scenes/{number}#delete",
            "facts": {"number": "SELECT id FROM scenes ORDER BY id LIMIT 1 OFFSET 3"},
        },
        "energy-by-device": {
            "path": "/energy?month={month}&by=device",
            "facts": {"month": "SELECT DISTINCT month FROM energy_months ORDER BY month DESC LIMIT 1 OFFSET 2"},
        },
        "activity-search": {"path": "/activity?q=lock"},
        "half-written-code": {"path": "/codes/new?name=Window+cleaner&code=4471"},
    }

    def fill(self, database: Database, cast: Cast, draw: Draw) -> None:
        """Fills the home of the cast."""
        filling.fill(database, cast, draw)
