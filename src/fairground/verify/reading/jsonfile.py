"""Reading JSON that an untrusted program wrote."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from fairground.core import StateError
from fairground.verify.reading.leaf_room import LeafRoom

MAX_SIZE = 32 << 20
MAX_ITEMS = 1_000_000
MAX_DEPTH = 100


def read_json(
    data: bytes, *, what: str = "JSON", size: int = MAX_SIZE, items: int = MAX_ITEMS, depth: int = MAX_DEPTH
) -> Any:
    """Parse JSON (UTF-8) within limits of size, number of values and depth.

    Raises:
        StateError: It is malformed or over a limit, an object contains a key twice (which of the two counts depends on
            the reader), or a number is not finite.
    """
    if len(data) > size:
        raise StateError(f"{what}: {len(data)} bytes, expected at most {size}")
    # Counted before parsing: a list needs fifty times the memory of its two characters.
    if data.count(b",") + data.count(b"[") + data.count(b"{") > items:
        raise StateError(f"{what}: more than {items} values")
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise StateError(f"{what}: not sound JSON: {str(error)[:200]}") from None
    halves = "\\ud" in text.lower()
    for level, part in _walk(value):
        if level > depth:
            raise StateError(f"{what}: nested deeper than {depth}")
        if halves and isinstance(part, str) and not _encodes(part):
            raise StateError(f"{what}: a text with half a character in it")
    return value


def flat_json(value: Any, prefix: str = "") -> dict[str, object]:
    """Paths such as `roots.other.children[2].name` to plain values. Empty objects and lists are kept as values."""
    result: dict[str, object] = {}
    room = LeafRoom("JSON")
    stack = [(prefix, value)]
    while stack:
        path, part = stack.pop()
        if isinstance(part, dict) and part:
            stack += [(room.take(f"{path}.{key}" if path else key), part[key]) for key in reversed(part)]
        elif isinstance(part, list) and part:
            stack += [(room.take(f"{path}[{index}]"), part[index]) for index in reversed(range(len(part)))]
        else:
            result[path] = part
    return result


def _walk(value: Any) -> Iterator[tuple[int, Any]]:
    stack = [(1, value)]
    while stack:
        level, part = stack.pop()
        yield level, part
        if isinstance(part, dict):
            stack += [(level + 1, key) for key in part]
            stack += [(level + 1, inner) for inner in part.values()]
        elif isinstance(part, list):
            stack += [(level + 1, inner) for inner in part]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        raise ValueError("an object says a key twice")
    return unique


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is not a finite number")
    return number


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
