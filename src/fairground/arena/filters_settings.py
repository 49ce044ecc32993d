"""Versions of the filter settings, with the admin and time of each change."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from fairground.arena.filters import FilterSettings
from fairground.arena.people import Person, Refused
from fairground.arena.schema import filter_settings
from fairground.arena.store import Store, now
from fairground.core import FairgroundError


@dataclass(frozen=True)
class SettingsVersion:
    """One version of the settings.

    Attributes:
        number: 0 for the initial settings.
        settings: The settings.
        changed: Time of the change; None for number 0.
        person: The admin who made it.
        before: Previous value of each changed setting, by name.
    """

    number: int
    settings: FilterSettings
    changed: float | None = None
    person: str = ""
    before: tuple[tuple[str, Any], ...] = ()


def settings_versions(store: Store) -> list[SettingsVersion]:
    """Return every version, newest first. The last one holds the initial settings."""
    with store.read() as connection:
        rows = connection.execute(select(filter_settings).order_by(filter_settings.c.number)).all()
    versions = [SettingsVersion(0, FilterSettings())]
    for row in rows:
        settings = _read(row.settings)
        old, new = vars(versions[-1].settings), vars(settings)
        before = tuple((name, old[name]) for name in new if old[name] != new[name])
        versions.append(SettingsVersion(row.number, settings, row.changed, row.person, before))
    return versions[::-1]


def current_settings(store: Store) -> FilterSettings:
    """Return the current settings."""
    with store.read() as connection:
        return settings_in(connection)


def settings_in(connection: Connection) -> FilterSettings:
    """Return the current settings, using an open connection."""
    query = select(filter_settings.c.settings).order_by(filter_settings.c.number.desc()).limit(1)
    text = connection.execute(query).scalar_one_or_none()
    return FilterSettings() if text is None else _read(text)


def change_settings(store: Store, person: Person, settings: FilterSettings, *, after: int) -> SettingsVersion:
    """Store a new version, unless nothing has changed. Flags are not updated: call `apply_filters` for that.

    Args:
        store: The arena.
        person: The admin.
        settings: The new settings.
        after: The version that the person saw.

    Raises:
        Refused: If the person is not an admin, or somebody else has changed the settings in the meantime.
    """
    if person.role != "admin":
        raise Refused("only admins can change the filter settings")
    newest = settings_versions(store)[0]
    if newest.number != after:
        raise _changed_meanwhile()
    if newest.settings == settings:
        return newest
    text = json.dumps(settings.plain(), ensure_ascii=False)
    row = {"number": after + 1, "changed": now(), "person": person.id, "settings": text}
    try:
        with store.write() as connection:
            connection.execute(filter_settings.insert(), row)
    except IntegrityError:  # another admin was slightly faster
        raise _changed_meanwhile() from None
    return settings_versions(store)[0]


def _changed_meanwhile() -> Refused:
    return Refused(
        "somebody else has changed the settings in the meantime", fix="reload the page and check their changes first"
    )


def _read(text: str) -> FilterSettings:
    """Read stored settings. Unknown or invalid values are replaced by the defaults."""
    stored = json.loads(text)
    known = {name: value for name, value in stored.items() if name in FilterSettings.model_fields}
    for name in list(known):
        try:
            FilterSettings.parse({name: known[name]})
        except FairgroundError:
            del known[name]
    return FilterSettings.parse(known)
