"""Size limits of a native call, checked before anything parses it."""

from __future__ import annotations

from typing import Any

from fairground.core import InvalidAction

MAX_CHARACTERS = 250_000  # a long thought, or the longest text that may be typed with every character escaped
MAX_VALUES = 10_000  # enough for three values per point of a drag with a thousand points
MAX_DEPTH = 16
MAX_ACTIONS = 200  # per call
_SHOWN = 80


def check_limits(native: Any) -> None:
    """Reject calls that are too large, too deep or not plain data."""
    left, characters = [(native, 1)], 0
    for count in range(1, MAX_VALUES + 2):
        if not left:
            return
        if count > MAX_VALUES:
            break
        value, depth = left.pop()
        if depth > MAX_DEPTH:
            raise InvalidAction(f"a call nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, str):
            characters += len(value)
            if characters > MAX_CHARACTERS:
                raise InvalidAction(f"a call of more than {MAX_CHARACTERS} characters")
        elif isinstance(value, dict):
            left += [(part, depth + 1) for part in (*value.keys(), *value.values())]
        elif isinstance(value, list | tuple):
            left += [(part, depth + 1) for part in value]
        elif value is not None and not isinstance(value, bool | int | float):
            raise InvalidAction(f"expected plain data (text, numbers, lists, objects), found {type(value).__name__}")
        if len(left) > MAX_VALUES:
            break
    raise InvalidAction(f"a call of more than {MAX_VALUES} values")


def shown(value: Any) -> str:
    """Format a value for an error: short, and safe to print."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**30:
        return "a number of more than thirty digits"  # Python refuses to print the longest
    if isinstance(value, dict | list | tuple):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
