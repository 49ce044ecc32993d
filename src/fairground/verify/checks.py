"""Checks as pure functions of recorded values, each with its evidence.

Each function compares values and returns a `Check` with what was expected and what was found, as JSON-serializable data
of limited size, so that verdicts can be stored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from fairground.core import Check, StateError

MAX_EVIDENCE = 2_000  # maximum characters of what was expected, and of what was found
MAX_LISTED = 20  # maximum number of differences that are listed


def equal(name: str, expected: Any, found: Any, *, weight: float = 1.0, integrity: bool = False) -> Check:
    """Passes if both are equal and of the same type. A number never equals a truth value or its text."""
    same = _same(expected, found)
    return _check(name, same, expected, found, weight, integrity)


def close_to(
    name: str,
    expected: float,
    found: Any,
    *,
    within: float = 1e-6,
    relative: float = 1e-9,
    weight: float = 1.0,
) -> Check:
    """Passes if `found` is a finite number at most `within`, or this share of `expected`, away from it."""
    is_number = isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found)
    passed = is_number and math.isclose(found, expected, rel_tol=relative, abs_tol=within)
    return _check(name, passed, expected, found, weight)


def contains(name: str, expected: Any, found: Any, *, weight: float = 1.0, ignore_case: bool = False) -> Check:
    """Passes if a text contains another, or a collection an element."""
    if isinstance(found, str) and isinstance(expected, str):
        passed = expected.casefold() in found.casefold() if ignore_case else expected in found
    elif isinstance(found, Collection) and not isinstance(found, str | bytes):
        passed = any(_same(expected, element) for element in found)
    else:
        passed = False
    return _check(name, passed, {"contains": plain(expected)}, found, weight)


def holds(name: str, passed: bool, *, expected: Any = None, found: Any = None, weight: float = 1.0) -> Check:
    """A condition that the caller decided, with its evidence."""
    return _check(name, passed, expected, found, weight)


def unchanged(
    name: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    allowed: Collection[str] = (),
    same: Callable[[Any, Any], bool] | None = None,
) -> Check:
    """A guard: passes if only the `allowed` keys were added, removed or changed.

    It has weight 0; if it fails, the whole reward is 0. The evidence lists the first differences.

    Args:
        name: What is guarded, in words.
        before: Values by key, such as a path or `Sales.B3`.
        after: The same, recorded later.
        allowed: Keys that the task may change.
        same: Compares two values; by default, equality of value and type.
    """
    compare = same or _same
    differences: dict[str, Any] = {}
    count = 0
    for key in dict.fromkeys((*before, *after)):
        if key in allowed or (key in before and key in after and compare(before[key], after[key])):
            continue
        count += 1
        if len(differences) < MAX_LISTED:
            differences[str(key)[:200]] = {
                "before": plain(before[key], MAX_EVIDENCE // MAX_LISTED) if key in before else None,
                "after": plain(after[key], MAX_EVIDENCE // MAX_LISTED) if key in after else None,
            }
    summary = "unchanged" if not count else {"differences": count, "first": differences}
    return Check(name=name, passed=count == 0, weight=0.0, expected="unchanged", found=summary, integrity=True)


def readable(name: str, error: StateError | None, *, weight: float = 0.0) -> Check:
    """A guard that a recorded file can be read. On failure, the evidence is the error."""
    evidence = "readable" if error is None else error.message[:MAX_EVIDENCE]
    return Check(name=name, passed=error is None, weight=weight, expected="readable", found=evidence, integrity=True)


def plain(value: Any, limit: int = MAX_EVIDENCE) -> Any:
    """Convert a value to JSON-serializable data of at most about `limit` characters. Other values become text."""
    data = _plain(value, depth=6, width=100, limit=limit)
    text = json.dumps(data, ensure_ascii=False)
    return data if len(text) <= limit else text[:limit] + "..."


def _check(name: str, passed: bool, expected: Any, found: Any, weight: float, integrity: bool = False) -> Check:
    return Check(
        name=name, passed=passed, weight=weight, expected=plain(expected), found=plain(found), integrity=integrity
    )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


def _plain(value: Any, *, depth: int, width: int, limit: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        # JSON parsers disagree about larger integers, and a hostile one would have thousands of digits.
        return value if abs(value) < 1 << 53 else f"{value:.6e}" if abs(value) < 10**300 else "a huge integer"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return value[:limit].encode("utf-8", "backslashreplace").decode()
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if depth == 0:
        return "..."
    if isinstance(value, Mapping):
        shown = list(value.items())[:width]
        return {str(key)[:200]: _plain(entry, depth=depth - 1, width=width, limit=limit) for key, entry in shown}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry, depth=depth - 1, width=width, limit=limit) for entry in list(value)[:width]]
    return str(value)[:limit].encode("utf-8", "backslashreplace").decode()
