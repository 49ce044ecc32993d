"""Compare two recorded states by meaning, ignoring clocks."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from io import BytesIO
from typing import Any

from fairground.core import State, StateError
from fairground.verify.reading.meaning import file_leaves

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.*")
_CLOCK_SECONDS = 600.0
"""Two clock readings closer than this (in seconds) belong to the same attempt."""

_VOLATILE_PARTS = ("meta.xml", "settings.xml", "Thumbnails/", "docProps/")
"""Parts of archive documents that every save writes again."""


def differences(one: State, other: State, clocks: Collection[str] = ()) -> dict[str, tuple[Any, Any]]:
    """Return the places where two states differ, with both values. Clocks are ignored.

    Args:
        one: A state.
        other: Another state.
        clocks: Names of fields that a clock writes.
    """
    same = {path for path, content in one.files.items() if other.files.get(path) == content}
    return different(leaves(one, same), leaves(other, same), clocks)


def different(
    left: Mapping[str, Any], right: Mapping[str, Any], clocks: Collection[str] = ()
) -> dict[str, tuple[Any, Any]]:
    """Return the differences between leaves; see `differences`."""
    differing = {}
    for place in dict.fromkeys((*left, *right)):
        a, b = left.get(place), right.get(place)
        if a != b and not _is_clock(place, clocks) and not (place in left and place in right and _tick(a, b)):
            differing[place] = (a, b)
    return differing


def _is_clock(place: str, clocks: Collection[str]) -> bool:
    """Return whether a clock writes this place: by its last name, or its last two names joined by a dot."""
    *_, above, last = ("", "", *place.split("."))
    return last in clocks or f"{above.partition('[')[0]}.{last}" in clocks


def leaves(state: State, without: Collection[str] = ()) -> dict[str, Any]:
    """Return a state as values by place, such as `notes[7].title`. Files are read according to their format.

    Args:
        state: A recorded state.
        without: Files to skip.
    """
    values: dict[str, Any] = {}
    for name, value in state.data.items():
        if is_listing(value):  # the size of a recorded file adds nothing to its content
            value = [
                {key: fact for key, fact in entry.items() if key != "size" or entry["path"] not in state.files}
                for entry in value
            ]
        values.update(_walk(name, value))
    for path, content in state.files.items():
        if path not in without:
            values.update((f"{path}{place}", value) for place, value in leaves_of_file(path, content).items())
    values.update({f"{path} (missing)": True for path in state.missing})
    return values


@lru_cache(maxsize=8)
def leaves_of_file(path: str, content: bytes) -> Mapping[str, Any]:
    """Return a file as values by place. An unreadable file is represented by its size and digest.

    The result is cached: the solved state is compared with many near misses.
    """
    try:
        values = file_leaves(path, content)
        if values is not None:
            return {f":{place}": value for place, value in values.items()}
        if content.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(BytesIO(content)) as archive:
                parts = [part for part in archive.infolist() if not part.filename.startswith(_VOLATILE_PARTS)]
            return {f"/{part.filename}": (part.CRC, part.file_size) for part in parts}
    except (StateError, zipfile.BadZipFile, ValueError, OverflowError):
        pass  # damaged: compared as bytes
    return {"": f"{len(content)} bytes, {hashlib.blake2b(content, digest_size=8).hexdigest()}"}


def is_listing(value: Any) -> bool:
    """Return whether captured data is a list of files, each with its path."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(entry, Mapping) and isinstance(entry.get("path"), str) for entry in value)
    )


def _walk(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _walk(f"{place}.{name}", entry)
    elif isinstance(value, list | tuple):
        keys = _keys(value)
        for number, entry in enumerate(value):
            yield from _walk(f"{place}[{keys[number] if keys else number}]", entry)
        if not value:
            yield place, []
    else:
        yield place, value


def _keys(entries: list[Any] | tuple[Any, ...]) -> list[str] | None:
    """Return what identifies the entries of a list, if each has a unique `id` or `path`."""
    for key in ("id", "path"):
        names = [entry.get(key) if isinstance(entry, Mapping) else None for entry in entries]
        if None not in names and len(set(map(str, names))) == len(names):
            return [str(name) for name in names]
    return None


def _tick(left: Any, right: Any) -> bool:
    """Return whether two values are readings of a clock: timestamps with seconds, at most minutes apart.

    A time set by a user has no seconds.
    """
    if not (
        isinstance(left, str) and isinstance(right, str) and _INSTANT.fullmatch(left) and _INSTANT.fullmatch(right)
    ):
        return False
    try:
        a, b = (datetime.fromisoformat(text) for text in (left, right))
        near = abs((a - b).total_seconds()) < _CLOCK_SECONDS
    except (ValueError, TypeError):
        return False
    return near and bool(a.second or a.microsecond) and bool(b.second or b.microsecond)
