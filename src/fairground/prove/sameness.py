"""Whether two recorded states are the same to a proof: what they mean, clocks aside; and where they differ."""

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
    same = {path for path, content in one.files.items() if other.files.get(path) == content}
    return different(leaves(one, same), leaves(other, same), clocks)


def different(
    left: Mapping[str, Any], right: Mapping[str, Any], clocks: Collection[str] = ()
) -> dict[str, tuple[Any, Any]]:
    """The same for leaves."""
    found = {}
    for place in dict.fromkeys((*left, *right)):
        a, b = left.get(place), right.get(place)
        if a != b and not _is_clock(place, clocks) and not (place in left and place in right and _tick(a, b)):
            found[place] = (a, b)
    return found


def _is_clock(place: str, clocks: Collection[str]) -> bool:
    """Whether this is a place that a clock writes: by its last name, or by its last two with a dot between them."""
    *_, above, last = ("", "", *place.split("."))
    return last in clocks or f"{above.partition('[')[0]}.{last}" in clocks


def leaves(state: State, without: Collection[str] = ()) -> dict[str, Any]:
    """A state as values by place, such as `notes[7].title`; files are read as what they are.

    Args:
        state: A recording.
        without: Files that are not read.
    """
    found: dict[str, Any] = {}
    for name, value in state.data.items():
        if is_listing(value):  # how many bytes a file has says nothing beside the file
            value = [
                {key: said for key, said in entry.items() if key != "size" or entry["path"] not in state.files}
                for entry in value
            ]
        found.update(_walk(name, value))
    for path, content in state.files.items():
        if path not in without:
            found.update((f"{path}{place}", value) for place, value in leaves_of_file(path, content).items())
    found.update({f"{path} (missing)": True for path in state.missing})
    return found


@lru_cache(maxsize=8)
def leaves_of_file(path: str, content: bytes) -> Mapping[str, Any]:
    """A file as values by place, set off from its path; one that nobody can read, as its size and digest.

    The solved state is compared with one near miss after the other, and read once.
    """
    try:
        found = file_leaves(path, content)
        if found is not None:
            return {f":{place}": value for place, value in found.items()}
        if content.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(BytesIO(content)) as archive:
                parts = [part for part in archive.infolist() if not part.filename.startswith(_VOLATILE_PARTS)]
            return {f"/{part.filename}": (part.CRC, part.file_size) for part in parts}
    except (StateError, zipfile.BadZipFile, ValueError, OverflowError):
        pass  # damaged: compared as it is
    return {"": f"{len(content)} bytes, {hashlib.blake2b(content, digest_size=8).hexdigest()}"}


def is_listing(value: Any) -> bool:
    """Whether captured data is a list of files, each with its path."""
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
    """What entries are known by, where each has a name of its own."""
    for key in ("id", "path"):
        names = [entry.get(key) if isinstance(entry, Mapping) else None for entry in entries]
        if None not in names and len(set(map(str, names))) == len(names):
            return [str(name) for name in names]
    return None


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
