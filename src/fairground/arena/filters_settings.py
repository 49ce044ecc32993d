"""The filters' settings as admins leave them: every version is kept, with who made it and when."""

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
    """The settings from one change to the next.

    Attributes:
        number: 0 for those that an arena begins with.
        settings: What the filters look for.
        changed: When they became so; None for number 0.
        person: Who made them so.
        before: What each setting that was changed was before, by name.
    """

    number: int
    settings: FilterSettings
    changed: float | None = None
    person: str = ""
    before: tuple[tuple[str, Any], ...] = ()


def settings_versions(store: Store) -> list[SettingsVersion]:
    """Every version, the newest first; the last is what an arena begins with."""
    with store.read() as connection:
        rows = connection.execute(select(filter_settings).order_by(filter_settings.c.number)).all()
    made = [SettingsVersion(0, FilterSettings())]
    for row in rows:
        settings = _read(row.settings)
        old, new = vars(made[-1].settings), vars(settings)
        before = tuple((name, old[name]) for name in new if old[name] != new[name])
        made.append(SettingsVersion(row.number, settings, row.changed, row.person, before))
    return made[::-1]


def current_settings(store: Store) -> FilterSettings:
    """What the filters look for now."""
    with store.read() as connection:
        return settings_in(connection)


def settings_in(connection: Connection) -> FilterSettings:
    """The same, for who has a connection."""
    query = select(filter_settings.c.settings).order_by(filter_settings.c.number.desc()).limit(1)
    found = connection.execute(query).scalar_one_or_none()
    return FilterSettings() if found is None else _read(found)


def change_settings(store: Store, person: Person, settings: FilterSettings, *, after: int) -> SettingsVersion:
    """Writes a new version; nothing when it says the same. Marks are not given or taken: `apply_filters` does that.

    Args:
        store: The arena.
        person: Who changes them.
        settings: What the filters shall look for.
        after: The version that the person saw.

    Raises:
        Refused: When the person is no admin, or somebody else has changed them meanwhile.
    """
    if person.role != "admin":
        raise Refused("only admins change what filters look for")
    newest = settings_versions(store)[0]
    if newest.number != after:
        raise _changed_meanwhile()
    if newest.settings == settings:
        return newest
    told = json.dumps(settings.plain(), ensure_ascii=False)
    row = {"number": after + 1, "changed": now(), "person": person.id, "settings": told}
    try:
        with store.write() as connection:
            connection.execute(filter_settings.insert(), row)
    except IntegrityError:  # another admin was faster by a moment
        raise _changed_meanwhile() from None
    return settings_versions(store)[0]


def _changed_meanwhile() -> Refused:
    return Refused("somebody else has changed the settings meanwhile", fix="reload the page, and look at theirs first")


def _read(text: str) -> FilterSettings:
    """What was kept; a setting that this version does not know, or finds silly, is left at what it begins with."""
    kept = json.loads(text)
    known = {name: value for name, value in kept.items() if name in FilterSettings.model_fields}
    for name in list(known):
        try:
            FilterSettings.parse({name: known[name]})
        except FairgroundError:
            del known[name]
    return FilterSettings.parse(known)
