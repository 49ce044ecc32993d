"""Strict access to the fields of a model's call."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from fairground.agents.native.limits import shown
from fairground.core import InvalidAction, Point, unknown

_LARGEST = 10**9  # no coordinate, count or duration is larger; every such number is exact as a float


class Fields:
    """The fields of one call. Null is the same as absent. A field that was not taken is an error (`end`).

    Args:
        data: What should be an object.
        where: Its name in errors.
    """

    def __init__(self, data: Any, where: str) -> None:
        if not isinstance(data, dict):
            raise InvalidAction(f"{where}: expected an object with fields, found {shown(data)}")
        self.where = where
        self._left = {name: value for name, value in data.items() if value is not None}
        self._known: list[str] = []

    def has(self, name: str) -> bool:
        """Return whether an optional field exists."""
        self._known.append(name)
        return name in self._left

    def take(self, name: str) -> Any:
        """Take a required field of any type."""
        if not self.has(name):
            raise InvalidAction(f"{self.where}: {name} is required, and missing")
        return self._left.pop(name)

    def text(self, name: str) -> str:
        """Take a required text."""
        value = self.take(name)
        if not isinstance(value, str):
            raise InvalidAction(f"{self.where}.{name}: expected text, found {shown(value)}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Take a required list of texts."""
        value = self.take(name)
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise InvalidAction(f"{self.where}.{name}: expected a list of texts, found {shown(value)}")
        return tuple(value)

    def choice(self, name: str, options: Iterable[str]) -> str:
        """Take a required text with one of the given values."""
        value, known = self.text(name), tuple(options)
        if value not in known:
            error = unknown(name, value[:40], known)
            raise InvalidAction(
                f"{self.where}.{name}: expected one of {', '.join(known)}; {error.message}", fix=error.fix
            )
        return value

    def flag(self, name: str, default: bool) -> bool:
        """Take an optional boolean."""
        value = self.take(name) if self.has(name) else default
        if not isinstance(value, bool):
            raise InvalidAction(f"{self.where}.{name}: expected true or false, found {shown(value)}")
        return value

    def whole(self, name: str) -> int:
        """Take a required integer."""
        return whole(self.take(name), f"{self.where}.{name}")

    def number(self, name: str) -> float:
        """Take a required number."""
        return number(self.take(name), f"{self.where}.{name}")

    def pair(self, name: str) -> Point:
        """Take a required point, written as a list of two integers."""
        x, y = self.wholes(name, 2)
        return (x, y)

    def wholes(self, name: str, count: int) -> tuple[int, ...]:
        """Take a required list of `count` integers."""
        value, place = self.take(name), f"{self.where}.{name}"
        if not isinstance(value, list | tuple) or len(value) != count:
            raise InvalidAction(f"{place}: expected a list of {count} whole numbers, found {shown(value)}")
        return tuple(whole(item, f"{place}[{index}]") for index, item in enumerate(value))

    def end(self) -> None:
        """Reject fields that were not taken."""
        for name in self._left:
            error = unknown("field", str(name)[:40], self._known)
            raise InvalidAction(f"{self.where}: {error.message}", fix=error.fix)


def whole(value: Any, where: str) -> int:
    """Return an integer. `3.0` is accepted; `"3"`, `true` and `3.5` are not."""
    value_read = number(value, where)
    if value_read != int(value_read):
        raise InvalidAction(f"{where}: expected a whole number, found {shown(value)}")
    return int(value_read)


def number(value: Any, where: str) -> float:
    """Return a finite number of sensible size. Texts and booleans are rejected."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidAction(f"{where}: expected a number, found {shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidAction(f"{where}: expected a number, found {value!r}")
    if abs(value) > _LARGEST:
        raise InvalidAction(f"{where}: expected a number up to {_LARGEST}, found {shown(value)}")
    return value
