"""The tables of the smart home app, its tabs, and the site that its pages register with."""

from __future__ import annotations

from typing import Final

from fairground_pocket.kit import Site, Tab

SCHEMA: Final = """
CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, icon TEXT NOT NULL,
    floor TEXT NOT NULL, place INTEGER NOT NULL);
CREATE TABLE devices (
    id INTEGER PRIMARY KEY, room INTEGER NOT NULL REFERENCES rooms, kind TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE, model TEXT NOT NULL, serial TEXT NOT NULL, installed TEXT NOT NULL,
    firmware TEXT NOT NULL, newest TEXT NOT NULL, battery INTEGER, online INTEGER NOT NULL DEFAULT 1,
    favourite INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX devices_by_room ON devices (room);
CREATE TABLE traits (
    device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (device, name)
) WITHOUT ROWID;
CREATE TABLE scenes (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, icon TEXT NOT NULL, last_run TEXT NOT NULL,
    favourite INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE scene_actions (
    id INTEGER PRIMARY KEY, scene INTEGER NOT NULL REFERENCES scenes ON DELETE CASCADE,
    device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, trait TEXT NOT NULL, value TEXT NOT NULL,
    UNIQUE (scene, device, trait)
);
CREATE TABLE schedules (
    id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, trait TEXT NOT NULL,
    value TEXT NOT NULL, time TEXT NOT NULL, days TEXT NOT NULL, enabled INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE automations (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, trigger TEXT NOT NULL,
    sensor INTEGER REFERENCES devices ON DELETE CASCADE, event TEXT NOT NULL, time TEXT NOT NULL,
    condition TEXT NOT NULL, device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, trait TEXT NOT NULL,
    value TEXT NOT NULL, enabled INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE members (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, address TEXT NOT NULL UNIQUE COLLATE NOCASE, role TEXT NOT NULL,
    status TEXT NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL DEFAULT '', present INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE codes (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, code TEXT NOT NULL,
    lock INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, first TEXT NOT NULL, last TEXT NOT NULL,
    opens TEXT NOT NULL, closes TEXT NOT NULL
);
CREATE TABLE energy_months (
    device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, month TEXT NOT NULL, wh INTEGER NOT NULL,
    PRIMARY KEY (device, month)
) WITHOUT ROWID;
CREATE TABLE energy_days (
    device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, day TEXT NOT NULL, wh INTEGER NOT NULL,
    PRIMARY KEY (device, day)
) WITHOUT ROWID;
CREATE TABLE readings (
    device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, time TEXT NOT NULL, value INTEGER NOT NULL,
    PRIMARY KEY (device, time)
) WITHOUT ROWID;
CREATE TABLE activity (
    id INTEGER PRIMARY KEY, time TEXT NOT NULL, device INTEGER REFERENCES devices ON DELETE SET NULL,
    who TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX activity_by_time ON activity (time);
CREATE TABLE alerts (
    id INTEGER PRIMARY KEY, time TEXT NOT NULL, device INTEGER REFERENCES devices ON DELETE SET NULL,
    kind TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, handled INTEGER NOT NULL DEFAULT 0,
    seen INTEGER NOT NULL DEFAULT 0
);
"""

SITE: Final = Site(
    name="smart-home",
    title="Smart Home",
    icon="home",
    schema=SCHEMA,
    tabs=(
        Tab("overview", "Overview", "/smart-home/", "home"),
        Tab("devices", "Devices", "/smart-home/devices", "lamp"),
        Tab("routines", "Routines", "/smart-home/routines", "clock"),
        Tab("energy", "Energy", "/smart-home/energy", "bolt"),
        Tab("more", "More", "/smart-home/more", "more"),
    ),
    free=("alerts.seen",),
)

DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""Days of a schedule as seven digits from Monday: `1111100` are the weekdays."""

ROLES: Final = (
    ("admin", "Admin", "Controls and changes everything"),
    ("member", "Member", "Controls devices and runs scenes"),
    ("guest", "Guest", "Lights, blinds and speakers only"),
)
"""Roles of members: key, name, in words. The owner is above all of them."""

MODES: Final = (
    ("home", "Home", "Everything follows its schedule"),
    ("away", "Away", "Cameras record, doors are watched, heating saves"),
    ("night", "Night", "Alerts are silent, doors are watched"),
)
"""Modes of the home: key, name, in words."""
