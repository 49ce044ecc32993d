"""Decoding GVariant, the binary format of settings of GTK programs.

Only the normal form is accepted: where GLib would substitute a default for invalid data, this is an error.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairground.core import StateError

Variant: TypeAlias = "bool | int | float | str | list[Variant] | tuple[Variant, ...] | dict[Variant, Variant] | None"

MAX_DEPTH = 32
MAX_TYPE = 200
MAX_ITEMS = 500_000

_WHAT = "settings (GVariant)"
_FIXED = {"b": "B", "y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d"}


@dataclass(frozen=True)
class Type:
    """A parsed type: its letter (`(` for tuples, `{` for entries), inner types, alignment and size.

    Attributes:
        size: Bytes if every value has the same size; otherwise 0.
    """

    letter: str
    inner: tuple[Type, ...]
    align: int
    size: int


def parse_type(text: str) -> Type:
    """Parse a type such as `a{sv}`.

    Raises:
        StateError: It is not a type, or is too long or deep.
    """
    if len(text) > MAX_TYPE:
        raise StateError(f"{_WHAT}: a type of {len(text)} characters")
    kind, end = _type(text, 0, 0)
    if end != len(text):
        raise StateError(f"{_WHAT}: {text!r} is more than one type")
    return kind


def decode_variant(data: bytes, order: Literal["<", ">"] = "<") -> Variant:
    """Decode a value with its type, as stored by dconf. Maybes become `None` or the value, dictionaries dicts.

    Raises:
        StateError: It is not in normal form, or over a limit.
    """
    return _Decoder(order).variant(data, 0)


class _Decoder:
    def __init__(self, order: Literal["<", ">"]) -> None:
        self._order = order
        self._left = MAX_ITEMS

    def variant(self, data: bytes, depth: int) -> Variant:
        content, zero, kind = data.rpartition(b"\0")
        if not zero or not kind.isascii():
            raise StateError(f"{_WHAT}: a value without its type")
        return self.value(parse_type(kind.decode()), content, depth + 1)

    def value(self, kind: Type, data: bytes, depth: int) -> Variant:
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            raise StateError(f"{_WHAT}: more than {MAX_ITEMS} values, or nested deeper than {MAX_DEPTH}")
        if kind.size and len(data) != kind.size:
            raise StateError(f"{_WHAT}: {len(data)} bytes for the type {kind.letter!r}, expected {kind.size}")
        if kind.letter in _FIXED:
            return self._number(kind.letter, data)
        if kind.letter in "sog":
            return _text(data)
        if kind.letter == "v":
            return self.variant(data, depth)
        if kind.letter == "m":
            return self._maybe(kind.inner[0], data, depth)
        if kind.letter == "a":
            return self._array(kind.inner[0], data, depth)
        return tuple(self._members(kind, data, depth))

    def _number(self, letter: str, data: bytes) -> Variant:
        (number,) = struct.unpack(self._order + _FIXED[letter], data)
        if letter == "b":
            if number > 1:
                raise StateError(f"{_WHAT}: a truth value is {number}")
            return bool(number)
        if isinstance(number, float) and not math.isfinite(number):
            raise StateError(f"{_WHAT}: a number that is not finite")
        return number  # type: ignore[no-any-return]

    def _maybe(self, inner: Type, data: bytes, depth: int) -> Variant:
        if not data:
            return None
        if not inner.size and data[-1]:
            raise StateError(f"{_WHAT}: a maybe without its end")
        return self.value(inner, data if inner.size else data[:-1], depth + 1)

    def _array(self, inner: Type, data: bytes, depth: int) -> Variant:
        spans = self._spans(inner, data)
        values = [self.value(inner, data[start:end], depth + 1) for start, end in spans]
        if inner.letter != "{":
            return values
        entries: dict[Variant, Variant] = {}
        for value in values:
            assert isinstance(value, tuple)
            if value[0] in entries:
                raise StateError(f"{_WHAT}: a key is said twice: {str(value[0])[:80]!r}")
            entries[value[0]] = value[1]
        return entries

    def _spans(self, inner: Type, data: bytes) -> list[tuple[int, int]]:
        if inner.size:
            if len(data) % inner.size:
                raise StateError(f"{_WHAT}: a list of {len(data)} bytes with items of {inner.size}")
            return [(start, start + inner.size) for start in range(0, len(data), inner.size)]
        if not data:
            return []
        width = _offset_width(len(data))
        # The last item ends where the table of ends starts.
        table = self._offset(data, len(data) - width, width)
        count, rest = divmod(len(data) - table, width)
        if table > len(data) or rest or not count:
            raise StateError(f"{_WHAT}: a list whose table of ends is damaged")
        spans, start = [], 0
        for number in range(count):
            start += -start % inner.align
            end = self._offset(data, table + number * width, width)
            if not start <= end <= table:
                raise StateError(f"{_WHAT}: an item of a list ends at {end}, expected {start} to {table}")
            spans.append((start, end))
            start = end
        return spans

    def _members(self, kind: Type, data: bytes, depth: int) -> list[Variant]:
        if not kind.inner:
            if data != b"\0":
                raise StateError(f"{_WHAT}: an empty tuple with something in it")
            return []
        width = _offset_width(len(data))
        varied = sum(not member.size for member in kind.inner[:-1])
        body = len(data) - varied * width
        members: list[Variant] = []
        place, seen = 0, 0
        for number, member in enumerate(kind.inner):
            place += -place % member.align
            if member.size:
                end = place + member.size
            elif number == len(kind.inner) - 1:
                end = body
            else:
                seen += 1
                end = self._offset(data, len(data) - seen * width, width)
            if body < 0 or not place <= end <= body:
                raise StateError(f"{_WHAT}: a member of a tuple ends at {end}, expected {place} to {body}")
            members.append(self.value(member, data[place:end], depth + 1))
            place = end
        if not kind.size and place != body:
            raise StateError(f"{_WHAT}: a tuple with {body - place} bytes too many")
        return members

    def _offset(self, data: bytes, start: int, width: int) -> int:
        if start < 0:
            raise StateError(f"{_WHAT}: a table of ends that starts before its value")
        # GLib always writes these in little-endian order.
        return int.from_bytes(data[start : start + width], "little")


def _type(text: str, start: int, depth: int) -> tuple[Type, int]:
    letter = text[start : start + 1]
    if not letter or depth > MAX_DEPTH:
        raise StateError(f"{_WHAT}: {text!r} is not a type")
    if letter in _FIXED:
        size = struct.calcsize("=" + _FIXED[letter])
        return Type(letter, (), size, size), start + 1
    if letter in "sog":
        return Type(letter, (), 1, 0), start + 1
    if letter == "v":
        return Type(letter, (), 8, 0), start + 1
    if letter in "am":
        inner, end = _type(text, start + 1, depth + 1)
        return Type(letter, (inner,), inner.align, 0), end
    if letter not in "({":
        raise StateError(f"{_WHAT}: {text!r} is not a type that is read here")
    members: list[Type] = []
    place = start + 1
    close = ")" if letter == "(" else "}"
    while text[place : place + 1] != close:
        member, place = _type(text, place, depth + 1)
        members.append(member)
    if letter == "{" and (len(members) != 2 or members[0].letter not in "bynqiuxtdsog"):
        raise StateError(f"{_WHAT}: {text!r} has an entry that is not a plain key and a value")
    return _tuple_type(letter, tuple(members)), place + 1


def _tuple_type(letter: str, members: tuple[Type, ...]) -> Type:
    align = max((member.align for member in members), default=1)
    size = 0
    for member in members:
        if not member.size:
            return Type(letter, members, align, 0)
        size += -size % member.align + member.size
    return Type(letter, members, align, size + -size % align or 1)


def _offset_width(size: int) -> int:
    return 1 if size <= 0xFF else 2 if size <= 0xFFFF else 4


def _text(data: bytes) -> str:
    if not data or data[-1] or b"\0" in data[:-1]:
        raise StateError(f"{_WHAT}: a text without its end")
    try:
        return data[:-1].decode()
    except UnicodeDecodeError:
        raise StateError(f"{_WHAT}: a text that is not UTF-8") from None
