"""An app's initial database: built once per profile, cached as a file, loaded in a millisecond."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

from fairground.sandbox import cache_folder
from fairground_pocket.kit.cast import Cast, cast
from fairground_pocket.kit.database import Database
from fairground_pocket.kit.draw import Draw
from fairground_pocket.kit.site import Site

Builder: TypeAlias = Callable[[Database, Cast, Draw], None]
"""Fills a new database for a cast. The result must depend only on the arguments."""


def build(site: Site, builder: Builder, profile: str) -> bytes:
    """Builds the database of a profile. The bytes are the same every time."""
    people = cast(profile)
    database = Database.create(site.schema, people.now)
    for name, value in (("owner", people.owner.name), ("address", people.owner.email), ("phone", people.owner.phone)):
        database.set(name, value)
    for name, value in (("currency", people.currency), ("timezone", people.timezone), ("city", people.city)):
        database.set(name, value)
    database.run("BEGIN")
    builder(database, people, people.draw(site.name))
    database.run("COMMIT")
    database.pack()
    content = database.dump()
    database.close()
    return content


def load(site: Site, builder: Builder, profile: str, sources: str) -> bytes:
    """The database of a profile, from memory or from the cache if it was built before.

    Args:
        site: The app.
        builder: Fills a new database.
        profile: Name of the cast.
        sources: Digest of the code and data from which the database is built.
    """
    key = (site.name, profile, sources)
    known = _known()
    if key not in known:
        path = cache_folder() / "pocket" / f"{site.name}-{profile}-{sources}.sqlite"
        try:
            known[key] = path.read_bytes()
        except OSError:
            known[key] = build(site, builder, profile)
            _keep(path, known[key])
    return known[key]


@cache
def source_files(folder: Path) -> tuple[Path, ...]:
    """Files of the kit and of an app's folder, without its scenarios: those are tasks, not part of the app."""
    files = []
    for place in (Path(__file__).parent, folder):
        for path in sorted(place.rglob("*")):
            inside = path.relative_to(place)
            if path.is_file() and "__pycache__" not in inside.parts and inside.parts[0] != "scenarios":
                files.append(path)
    return tuple(files)


@cache
def _known() -> dict[tuple[str, str, str], bytes]:
    return {}


def _keep(path: Path, content: bytes) -> None:
    """Writes a file atomically. If the cache is not writable, loading is only slower."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
