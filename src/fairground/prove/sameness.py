"""Whether two recorded states are the same to a proof: what checks may see, clocks aside; and where they differ."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import zipfile
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from io import BytesIO
from typing import Any

from fairground.core import State

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.*")
_CLOCK_SECONDS = 600.0
"""Two readings of a clock that are nearer than this are of the same attempt."""

_VOLATILE_PARTS = ("meta.xml", "settings.xml", "Thumbnails/", "docProps/")
"""Of documents that are archives: what saving writes anew each time."""


def differences(one: State, other: State, clocks: Collection[str] = ()) -> dict[str, tuple[Any, Any]]:
    """Places where two states differ, with what is there in each; clocks are not looked at.

    Args:
        one: A state.
        other: Another.
        clocks: Names of fields that a clock writes.
    """
    left, right = leaves(one), leaves(other)
    found = {}
    for place in dict.fromkeys((*left, *right)):
        a, b = left.get(place), right.get(place)
        if a != b and place.rpartition(".")[2] not in clocks and not (place in left and place in right and _tick(a, b)):
            found[place] = (a, b)
    return found


def leaves(state: State) -> dict[str, Any]:
    """A state as values by place, such as `notes[7].title`; a database is read table by table."""
    found: dict[str, Any] = {}
    for name, value in state.data.items():
        found.update(_walk(name, value))
    for path, content in state.files.items():
        found.update(_file(path, content))
    found.update({f"{path} (missing)": True for path in state.missing})
    return found


def _walk(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _walk(f"{place}.{name}", entry)
    elif isinstance(value, list | tuple):
        keys = [entry.get("id") if isinstance(entry, Mapping) else None for entry in value]
        named = None not in keys and len(set(map(str, keys))) == len(keys)
        for number, entry in enumerate(value):
            yield from _walk(f"{place}[{keys[number] if named else number}]", entry)
        if not value:
            yield place, []
    else:
        yield place, value


def _file(path: str, content: bytes) -> Iterator[tuple[str, Any]]:
    try:
        if content.startswith(b"SQLite format 3\0"):
            yield from _database(path, content)
            return
        if content.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(BytesIO(content)) as archive:
                for part in archive.infolist():
                    if not part.filename.startswith(_VOLATILE_PARTS):
                        yield f"{path}/{part.filename}", (part.CRC, part.file_size)
            return
    except (sqlite3.Error, zipfile.BadZipFile, ValueError, OverflowError):
        pass  # damaged: compared as it is
    yield path, f"{len(content)} bytes, {hashlib.blake2b(content, digest_size=8).hexdigest()}"


def _database(path: str, content: bytes) -> Iterator[tuple[str, Any]]:
    db = sqlite3.connect(":memory:")
    try:
        # A header that asks for a write-ahead log, which a copy in memory cannot have.
        db.deserialize(content[:18] + b"\x01\x01" + content[20:])
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
            quoted = table.replace('"', '""')
            rows = db.execute(f'SELECT * FROM "{quoted}"')
            names = [column[0] for column in rows.description]
            for row in rows:
                place = f"{path}:{table}[{row[0]}]"
                yield from ((f"{place}.{name}", value) for name, value in zip(names, row, strict=True))
    finally:
        db.close()


def _tick(one: Any, other: Any) -> bool:
    """Whether two values are readings of a clock: instants to the second, minutes apart at most.

    A time that a person sets has no seconds.
    """
    if not (isinstance(one, str) and isinstance(other, str) and _INSTANT.fullmatch(one) and _INSTANT.fullmatch(other)):
        return False
    try:
        a, b = (datetime.fromisoformat(text) for text in (one, other))
        near = abs((a - b).total_seconds()) < _CLOCK_SECONDS
    except (ValueError, TypeError):
        return False
    return near and bool(a.second or a.microsecond) and bool(b.second or b.microsecond)
