"""Near misses of text files and plain data: a line, a setting, a value."""

from __future__ import annotations

import codecs
import copy
import json
import random
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from fairground.prove.edits_values import change, near_leaf, near_values

Place = tuple[str | int, ...]
"""Path of a value in JSON data: names and indices."""


def edit_lines(content: bytes, before: bytes | None, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield edits with lines dropped, duplicated, changed or swapped.

    New lines come first, alternating with old ones.
    """
    marks = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    mark = next((mark for mark in marks if content.startswith(mark)), b"")
    encoding = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}.get(mark, "utf-8")
    try:
        lines = content[len(mark) :].decode(encoding).splitlines(keepends=True)
    except UnicodeDecodeError:
        return
    was = (before or b"").removeprefix(mark).decode(encoding, "replace")
    known = set(was.splitlines())
    new = [number for number, line in enumerate(lines) if line.strip() and line.rstrip("\r\n") not in known]
    old = [number for number, line in enumerate(lines) if line.strip() and line.rstrip("\r\n") in known]
    draw.shuffle(new)
    draw.shuffle(old)
    for place in in_turn(new, old):
        for name, edited in _edit_line(lines, place, draw):
            yield name, mark + "".join(edited).encode(encoding)


def edit_json(content: bytes, before: bytes | None, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield edits with one value changed, or one entry removed or duplicated. The layout stays."""
    after, was = _loaded(content), _loaded(before)
    if after is None:
        return
    indent = 3 if b'\n   "' in content else 2 if b"\n  " in content else None
    for name, edited in edit_data(after, was, draw):
        yield name, json.dumps(edited, indent=indent, ensure_ascii=False).encode()


def edit_data(after: Any, before: Any, draw: random.Random, *, shaped: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield edits of plain data: values put back or changed, entries removed or duplicated.

    Changed values come first, alternating with unchanged ones.

    Args:
        after: The data to edit.
        before: The data before the solution.
        draw: Random generator.
        shaped: The data always has the same fields, so an entry that was there before is not removed.
    """
    new, was = dict(_values(after)), dict(_values(before))
    changed = [place for place, value in new.items() if place not in was or was[place] != value]
    stayed = [place for place, value in new.items() if place in was and was[place] == value]
    draw.shuffle(changed)
    draw.shuffle(stayed)
    for place in in_turn(changed, stayed):
        shown = _shown(place)
        if place in was and was[place] != new[place]:
            yield f"{shown} put back", _with(after, place, was[place])
        for value in list(near_leaf(new[place], draw))[:2]:
            yield f"{shown}: {change(str(new[place]), str(value))}", _with(after, place, value)
        if place and not (shaped and place in was):
            yield f"{shown} gone", _without(after, place)
        if len(place) > 1 and isinstance(place[-2], int):
            yield f"{_shown(place[:-1])} gone", _without(after, place[:-1])
            yield f"{_shown(place[:-1])} twice", _twice(after, place[:-1])


def in_turn(first: Collection[Any], second: Collection[Any]) -> Iterator[Any]:
    """Yield two of the first for one of the second, until both are used up."""
    first_items, second_items = iter(first), iter(second)
    while True:
        batch = [
            value
            for source in (first_items, first_items, second_items)
            for value in [next(source, _END)]
            if value is not _END
        ]
        if not batch:
            return
        yield from batch


_END = object()


def _edit_line(lines: list[str], place: int, draw: random.Random) -> Iterator[tuple[str, list[str]]]:
    line, shown = lines[place], f"line {place + 1}"
    bare = line.rstrip("\r\n")
    end = line[len(bare) :]
    key, sign, value = bare.partition("=")
    if sign and value.strip():  # a setting: edit its value, not its name
        near = [f"{key}={other}" for other in near_values(value, draw)]
    else:
        near = list(near_values(bare, draw))
    for other in near[:1]:
        yield f"{shown}: {change(bare, other)}", [*lines[:place], other + end, *lines[place + 1 :]]
    yield f"{shown} dropped", [*lines[:place], *lines[place + 1 :]]
    for other in near[1:2]:
        yield f"{shown}: {change(bare, other)}", [*lines[:place], other + end, *lines[place + 1 :]]
    yield f"{shown} twice", [*lines[:place], bare + (end or "\n"), *lines[place:]]
    if place + 1 < len(lines) and lines[place + 1].strip() and end:
        after = lines[place + 1].rstrip("\r\n")
        last = lines[place + 1][len(after) :]
        yield f"{shown} and the next one swapped", [*lines[:place], after + end, bare + last, *lines[place + 2 :]]


def _loaded(content: bytes | None) -> Any:
    try:
        return json.loads(content) if content is not None else None
    except (ValueError, RecursionError):
        return None


def _values(data: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    if isinstance(data, Mapping) and data:
        for name, entry in data.items():
            yield from _values(entry, (*place, name))
    elif isinstance(data, list | tuple) and data:
        for number, entry in enumerate(data):
            yield from _values(entry, (*place, number))
    elif data is not None or place:
        yield place, data


def _with(data: Any, place: Place, value: Any) -> Any:
    if not place:
        return value
    edited, holder = _holder(data, place)
    holder[place[-1]] = value
    return edited


def _without(data: Any, place: Place) -> Any:
    edited, holder = _holder(data, place)
    del holder[place[-1]]
    return edited


def _twice(data: Any, place: Place) -> Any:
    edited, holder = _holder(data, place)
    entry = copy.deepcopy(holder[place[-1]])
    ids = [row["id"] for row in holder if isinstance(row, dict) and isinstance(row.get("id"), int)]
    if len(ids) == len(holder):  # rows of a database: IDs are unique
        entry["id"] = max(ids) + 1
    holder.insert(int(place[-1]) + 1, entry)
    return edited


def _holder(data: Any, place: Place) -> tuple[Any, Any]:
    """Return a copy of the data, and the container of the value in it."""
    edited = json.loads(json.dumps(data))
    holder = edited
    for name in place[:-1]:
        holder = holder[name]
    return edited, holder


def _shown(place: Place) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    return text or "the value"
