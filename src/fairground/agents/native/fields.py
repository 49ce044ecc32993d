"""The fields of a call that a model wrote, taken one by one, strictly."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from fairground.agents.native.limits import shown
from fairground.core import InvalidAction, Point, unknown

_LARGEST = 10**9  # no coordinate, count or duration is larger; and every such number is exact as a float


class Fields:
    """The fields of one call. Null is the same as absent; what nobody took is an error (`end`).

    Args:
        data: What should be an object.
        where: How errors name it.
    """

    def __init__(self, data: Any, where: str) -> None:
        if not isinstance(data, dict):
            raise InvalidAction(f"{where}: expected an object with fields, found {shown(data)}")
        self.where = where
        self._left = {name: value for name, value in data.items() if value is not None}
        self._known: list[str] = []

    def has(self, name: str) -> bool:
        """Whether an optional field is there."""
        self._known.append(name)
        return name in self._left

    def take(self, name: str) -> Any:
        """A required field, whatever it holds."""
        if not self.has(name):
            raise InvalidAction(f"{self.where}: {name} is required, and missing")
        return self._left.pop(name)

    def text(self, name: str) -> str:
        """A required text."""
        value = self.take(name)
        if not isinstance(value, str):
            raise InvalidAction(f"{self.where}.{name}: expected text, found {shown(value)}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A required list of texts."""
        value = self.take(name)
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise InvalidAction(f"{self.where}.{name}: expected a list of texts, found {shown(value)}")
        return tuple(value)

    def choice(self, name: str, options: Iterable[str]) -> str:
        """A required text that is one of a few."""
        value, known = self.text(name), tuple(options)
        if value not in known:
            error = unknown(name, value[:40], known)
            raise InvalidAction(
                f"{self.where}.{name}: expected one of {', '.join(known)}; {error.message}", fix=error.fix
            )
        return value

    def flag(self, name: str, default: bool) -> bool:
        """An optional truth."""
        value = self.take(name) if self.has(name) else default
        if not isinstance(value, bool):
            raise InvalidAction(f"{self.where}.{name}: expected true or false, found {shown(value)}")
        return value

    def whole(self, name: str) -> int:
        """A required whole number."""
        return whole(self.take(name), f"{self.where}.{name}")

    def number(self, name: str) -> float:
        """A required number."""
        return number(self.take(name), f"{self.where}.{name}")

    def pair(self, name: str) -> Point:
        """A required point, written as a list of two whole numbers."""
        x, y = self.wholes(name, 2)
        return (x, y)

    def wholes(self, name: str, count: int) -> tuple[int, ...]:
        """A required list of so many whole numbers."""
        value, place = self.take(name), f"{self.where}.{name}"
        if not isinstance(value, list | tuple) or len(value) != count:
            raise InvalidAction(f"{place}: expected a list of {count} whole numbers, found {shown(value)}")
        return tuple(whole(item, f"{place}[{index}]") for index, item in enumerate(value))

    def end(self) -> None:
        """Refuses the fields that nobody took."""
        for name in self._left:
            error = unknown("field", str(name)[:40], self._known)
            raise InvalidAction(f"{self.where}: {error.message}", fix=error.fix)


def whole(value: Any, where: str) -> int:
    """A whole number; `3.0` is one, `"3"`, `true` and `3.5` are not."""
    found = number(value, where)
    if found != int(found):
        raise InvalidAction(f"{where}: expected a whole number, found {shown(value)}")
    return int(found)


def number(value: Any, where: str) -> float:
    """A finite number of sensible size; text and truths are not taken for one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidAction(f"{where}: expected a number, found {shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidAction(f"{where}: expected a number, found {value!r}")
    if abs(value) > _LARGEST:
        raise InvalidAction(f"{where}: expected a number up to {_LARGEST}, found {shown(value)}")
    return value
