"""The lowest level of PDF: objects, the cross-reference table, and streams. Nothing in them is executed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fairground.core import StateError

WHAT = "PDF"
MAX_SIZE = 64 << 20  # maximum bytes of the file
MAX_DECODED = 128 << 20  # maximum bytes of all unpacked streams together
MAX_OBJECTS = 100_000
MAX_TOKENS = 4_000_000  # in all objects and pages together
_MAX_DEPTH = 60
_MAX_UPDATES = 50  # maximum number of incremental updates
_TAIL = 2_048
_PREDICTED = 10  # predictors from this number on are those of PNG

_WHITE = rb"\0\t\n\f\r "
_REGULAR = rb"[^\0\t\n\f\r ()<>\[\]{}/%]"
_BLANK = re.compile(rb"(?:[" + _WHITE + rb"]+|%[^\r\n]*)*")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?!" + _REGULAR + rb")")
_REFERENCE = re.compile(rb"([0-9]{1,8})[" + _WHITE + rb"]+([0-9]{1,5})[" + _WHITE + rb"]+R(?!" + _REGULAR + rb")")
_NAME = re.compile(rb"/(" + _REGULAR + rb"*)")
_WORD = re.compile(_REGULAR + rb"+")
_HEX = re.compile(rb"<([0-9A-Fa-f" + _WHITE + rb"]*)>")
_PLAIN = re.compile(rb"[^()\\\r]+")
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|[\s\S]))")
_ENTRY = re.compile(rb"([0-9]{10}) ([0-9]{5}) ([nf])[ \r\n]{1,2}")
_OBJECT = re.compile(rb"([0-9]{1,8})[" + _WHITE + rb"]+([0-9]{1,5})[" + _WHITE + rb"]+obj(?!" + _REGULAR + rb")")
_STREAM = re.compile(rb"[" + _WHITE + rb"]*stream\r?\n")
_ENDSTREAM = re.compile(rb"[" + _WHITE + rb"]*endstream(?!" + _REGULAR + rb")")
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b"", b"\r\n": b""}
_WORDS: Mapping[bytes, Any] = {b"true": True, b"false": False, b"null": None}


class Name(str):
    """A name such as `/Page`, without its slash."""

    __slots__ = ()


class Operator(bytes):
    """A bare word: in a page, the operation on the values before it."""

    __slots__ = ()


@dataclass(frozen=True)
class Reference:
    """A reference to another object."""

    number: int


@dataclass(frozen=True)
class Stream:
    """Bytes with a dictionary.

    Attributes:
        data: Unpacked if it was packed with Flate alone; otherwise as in the file.
        packed: Whether it is still packed in another way, such as photographs.
    """

    facts: Mapping[str, Any]
    data: bytes
    packed: bool


def fault(said: str) -> StateError:
    """Create an error about the file."""
    return StateError(f"{WHAT}: {said}")


class Room:
    """The remaining limits for values and unpacked bytes of one file."""

    def __init__(self) -> None:
        self.tokens, self.decoded = MAX_TOKENS, MAX_DECODED

    def take_token(self) -> None:
        """Count one value."""
        self.tokens -= 1
        if self.tokens < 0:
            raise fault(f"more than {MAX_TOKENS} values in it")

    def inflate(self, data: bytes) -> bytes:
        """Unpack Flate data, which must be complete and undamaged."""
        unpacker = zlib.decompressobj()
        try:
            unpacked = unpacker.decompress(data, self.decoded + 1)
            self.take_bytes(len(unpacked))
        except zlib.error as error:
            raise fault(f"a stream is damaged: {error}") from None
        if not unpacker.eof or unpacker.unused_data.strip(b"\0\t\n\f\r "):
            raise fault("a stream is cut off, or goes on behind its end")
        return unpacked

    def take_bytes(self, count: int) -> None:
        """Count bytes that were unpacked, or are processed again."""
        self.decoded -= count
        if self.decoded < 0:
            raise fault(f"more than {MAX_DECODED} bytes when it is unpacked")


class Values:
    """Reads values one after another."""

    def __init__(self, data: bytes, room: Room, position: int = 0) -> None:
        self.data, self.position, self._room = data, position, room

    def skip(self) -> None:
        """Skip white space and comments."""
        match = _BLANK.match(self.data, self.position)
        assert match is not None
        self.position = match.end()

    def at_end(self) -> bool:
        """Whether nothing follows."""
        self.skip()
        return self.position >= len(self.data)

    def next(self, depth: int = 0) -> Any:
        """The next value: a number, string (`bytes`), `Name`, list, dictionary, `Reference`, or a bare `Operator`."""
        self.skip()
        self._room.take_token()
        if depth > _MAX_DEPTH:
            raise fault(f"values within values more than {_MAX_DEPTH} deep")
        first = self.data[self.position : self.position + 1]
        if first == b"/":
            return self._name()
        if first == b"(":
            return self._string()
        if first == b"<":
            return self._dictionary(depth) if self.data[self.position + 1 : self.position + 2] == b"<" else self._hex()
        if first == b"[":
            self.position += 1
            return list(self._until(b"]", depth))
        return self._bare()

    def _bare(self) -> Any:
        if match := _REFERENCE.match(self.data, self.position):
            self.position = match.end()
            return Reference(int(match[1]))
        if match := _NUMBER.match(self.data, self.position):
            self.position = match.end()
            return float(match[0]) if b"." in match[0] else int(match[0])
        match = _WORD.match(self.data, self.position)
        if not match:
            raise fault(f"{self.data[self.position : self.position + 8]!r} at byte {self.position}, expected a value")
        self.position = match.end()
        return _WORDS[match[0]] if match[0] in _WORDS else Operator(match[0])

    def _until(self, close: bytes, depth: int) -> Iterator[Any]:
        while True:
            self.skip()
            if self.data.startswith(close, self.position):
                self.position += len(close)
                return
            value = self.next(depth + 1)
            if isinstance(value, Operator):
                raise fault(f"{bytes(value[:20])!r} at byte {self.position}, expected a value or {close.decode()}")
            yield value

    def _dictionary(self, depth: int) -> dict[str, Any]:
        self.position += 2
        values = list(self._until(b">>", depth))
        keys = values[::2]
        if len(values) % 2 or not all(isinstance(key, Name) for key in keys):
            raise fault(f"a dictionary before byte {self.position} is not made of names and values")
        return dict(zip(map(str, keys), values[1::2], strict=True))

    def _name(self) -> Name:
        match = _NAME.match(self.data, self.position)
        assert match is not None
        self.position = match.end()
        unescaped = re.sub(rb"#([0-9A-Fa-f]{2})", lambda escape: bytes.fromhex(escape[1].decode()), match[1])
        return Name(unescaped.decode("latin-1"))

    def _hex(self) -> bytes:
        match = _HEX.match(self.data, self.position)
        if not match:
            raise fault(f"a string at byte {self.position} has no end")
        self.position = match.end()
        digits = b"".join(match[1].replace(b"\0", b"").split())
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())

    def _string(self) -> bytes:
        parts, depth, at = [], 1, self.position + 1
        while depth:
            if match := _PLAIN.match(self.data, at):
                parts.append(match[0])
                at = match.end()
            here = self.data[at : at + 1]
            at += 1
            if here == b"(":
                depth += 1
            elif here == b")":
                depth -= 1
                if not depth:
                    break
            elif here == b"\\" and (match := _ESCAPE.match(self.data, at - 1)):
                at = match.end()
                here = bytes([int(match[1], 8) & 255]) if match[1] else _ESCAPED.get(match[2], match[2])
            elif here == b"\r":
                at += self.data.startswith(b"\n", at)
                here = b"\n"
            else:
                raise fault(f"a string at byte {self.position} has no end")
            parts.append(here)
        self.position = at
        return b"".join(parts)


class Objects:
    """All objects of a file, read at once. A damaged object makes the whole file unreadable.

    Attributes:
        trailer: The trailer dictionary: `Root` and `Info` lead to everything else.

    Raises:
        StateError: It is not a PDF, is damaged, cut off, encrypted, or over a limit.
    """

    def __init__(self, data: bytes) -> None:
        if len(data) > MAX_SIZE:
            raise fault(f"{len(data)} bytes, expected at most {MAX_SIZE}")
        if not re.match(rb"%PDF-[12]\.[0-9]", data):
            raise fault(f"begins with {data[:8]!r}, expected %PDF-1. or 2.")
        self.room = Room()
        self._data = data
        self._objects: dict[int, Any] = {}
        self._places: dict[int, int] = {}  # the byte offset; for packed objects, the stream that contains it
        self._packed: set[int] = set()
        self._unpacked: dict[int, dict[int, Any]] = {}
        self._busy: set[int] = set()
        self.trailer = self._read_tables()
        if "Encrypt" in self.trailer:
            raise fault("it is encrypted")
        for number in list(self._places):
            self._load(number)

    def follow(self, value: Any) -> Any:
        """Resolve references. None for an object that does not exist."""
        for _ in range(_MAX_DEPTH):
            if not isinstance(value, Reference):
                return value
            value = self._load(value.number)
        raise fault("references that lead to references")

    def facts(self, value: Any) -> Mapping[str, Any]:
        """A dictionary, or that of a stream; empty for anything else."""
        target = self.follow(value)
        target = target.facts if isinstance(target, Stream) else target
        return target if isinstance(target, dict) else {}

    def items(self, value: Any) -> list[Any]:
        """A list; empty for anything else."""
        target = self.follow(value)
        return target if isinstance(target, list) else []

    def _load(self, number: int) -> Any:
        if number in self._objects or number not in self._places:
            return self._objects.get(number)
        if number in self._busy:
            raise fault(f"object {number} is needed to read itself")
        self._busy.add(number)
        where = self._places[number]
        loaded = self._inside(number, where) if number in self._packed else self._read(where, number)
        self._busy.discard(number)
        self._objects[number] = loaded
        return loaded

    def _read(self, position: int, number: int | None) -> Any:
        head = _OBJECT.match(self._data, position)
        if not head or (number is not None and int(head[1]) != number):
            raise fault(f"no object {'' if number is None else number} at byte {position}")
        values = Values(self._data, self.room, head.end())
        parsed = values.next()
        if isinstance(parsed, dict) and (start := _STREAM.match(self._data, values.position)):
            return self._stream(parsed, start.end())
        return parsed

    def _stream(self, facts: dict[str, Any], start: int) -> Stream:
        length = self.follow(facts.get("Length"))
        if not isinstance(length, int) or not 0 <= length <= len(self._data) - start:
            raise fault(f"a stream at byte {start} has the length {length!r:.40}")
        if not _ENDSTREAM.match(self._data, start + length):
            raise fault(f"a stream at byte {start} does not end behind its {length} bytes")
        data = self._data[start : start + length]
        named = self.follow(facts.get("Filter"))
        filters = [self.follow(entry) for entry in named] if isinstance(named, list) else [named] if named else []
        if filters[:1] in (["FlateDecode"], ["Fl"]):
            data, filters = self.room.inflate(data), filters[1:]
        return Stream(facts, data, bool(filters))

    # --- cross-reference tables --------------------------------------------------------------------------------------

    def _read_tables(self) -> dict[str, Any]:
        tail = self._data[-_TAIL:]
        last = re.search(rb"startxref[\r\n ]+([0-9]{1,10})[\r\n ]+%%EOF[\r\n ]*\Z", tail)
        if not last:
            raise fault("it does not end with where its table is: cut off, or something was added")
        position: Any = int(last[1])
        newest: dict[str, Any] | None = None
        for _ in range(_MAX_UPDATES):
            trailer = self._read_table(position)
            newest = newest if newest is not None else trailer
            position = trailer.get("Prev")
            if position is None:
                return newest
            if not isinstance(position, int) or position < 0:
                break
        raise fault("its tables lead to no first one")

    def _read_table(self, position: int) -> dict[str, Any]:
        if not self._data.startswith(b"xref", position):
            return self._read_packed_table(position)
        values = Values(self._data, self.room, position + 4)
        while isinstance(first := values.next(), int):
            count = values.next()
            values.skip()
            if not isinstance(count, int) or count < 0:
                raise fault(f"its table at byte {position} is damaged")
            for number in range(first, first + count):
                entry = _ENTRY.match(self._data, values.position)
                if not entry:
                    raise fault(f"its table has no entry for object {number}")
                values.position = entry.end()
                if entry[3] == b"n":
                    self._place(number, int(entry[1]), packed=False)
        trailer = values.next() if first == b"trailer" else None
        if not isinstance(trailer, dict):
            raise fault("no trailer behind its table")
        return trailer

    def _read_packed_table(self, position: int) -> dict[str, Any]:
        stream = self._read(position, None)
        if not isinstance(stream, Stream) or stream.facts.get("Type") != "XRef" or stream.packed:
            raise fault(f"no table at byte {position}")
        trailer = dict(stream.facts)
        widths: Any = trailer.get("W")
        index: Any = trailer.get("Index", [0, trailer.get("Size")])
        if not _whole(widths, 3) or not _whole(index) or len(index) % 2 or not 0 < sum(widths) < 32:
            raise fault("its packed table is damaged")
        a, b, _ = widths
        width = sum(widths)
        rows = unpredicted(stream)
        at = 0
        for first, count in zip(index[::2], index[1::2], strict=True):
            if count > (len(rows) - at) // width:
                raise fault("its packed table is cut off")
            for number in range(first, first + count):
                row, at = rows[at : at + width], at + width
                kind = int.from_bytes(row[:a], "big") if a else 1
                if kind in (1, 2):
                    self._place(number, int.from_bytes(row[a : a + b], "big"), packed=kind == 2)
        return trailer

    def _place(self, number: int, where: int, *, packed: bool) -> None:
        """Record where an object is. The newest table is read first and wins."""
        if number not in self._places:
            if len(self._places) >= MAX_OBJECTS:
                raise fault(f"more than {MAX_OBJECTS} objects")
            self._places[number] = where
            if packed:
                self._packed.add(number)

    def _inside(self, number: int, holder: int) -> Any:
        """An object that is in a stream with others."""
        if holder not in self._unpacked:
            stream = None if holder in self._packed else self._load(holder)
            if not isinstance(stream, Stream) or stream.packed or stream.facts.get("Type") != "ObjStm":
                raise fault(f"object {number} is not in object {holder}, where it should be")
            self._unpacked[holder] = self._unpack(stream)
        if number not in self._unpacked[holder]:
            raise fault(f"object {number} is not in object {holder}, where it should be")
        return self._unpacked[holder][number]

    def _unpack(self, stream: Stream) -> dict[int, Any]:
        count, first = (self.follow(stream.facts.get(name)) for name in ("N", "First"))
        values = Values(unpredicted(stream), self.room)
        numbers = [count, first]
        if all(isinstance(number, int) and 0 <= number <= len(values.data) for number in numbers):
            numbers += [values.next() for _ in range(2 * count)]
        if len(numbers) < 2 + 2 * count or not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise fault("a stream of objects is damaged")
        unpacked = {}
        for number, offset in zip(numbers[2::2], numbers[3::2], strict=True):
            values.position = first + offset
            unpacked[number] = values.next()
        return unpacked


def unpredicted(stream: Stream) -> bytes:
    """A stream's bytes with the PNG predictor undone."""
    parameters = stream.facts.get("DecodeParms")
    settings = parameters if isinstance(parameters, dict) else {}
    predictor, width = settings.get("Predictor", 1), settings.get("Columns", 1)
    if predictor == 1:
        return stream.data
    if (
        not _whole([predictor, width])
        or predictor < _PREDICTED
        or not 0 < width < 1_000
        or settings.get("Colors", 1) != 1
    ):
        raise fault("a packed table is written in an unknown way")
    decoded, above = bytearray(), bytes(width)
    for start in range(0, len(stream.data), width + 1):
        how, row = stream.data[start], bytearray(stream.data[start + 1 : start + 1 + width])
        if how == 2:
            row = bytearray((byte + up) & 255 for byte, up in zip(row, above, strict=False))
        elif how == 1:
            for at in range(1, len(row)):
                row[at] = (row[at] + row[at - 1]) & 255
        elif how:
            raise fault("a packed table is written in an unknown way")
        above = bytes(row.ljust(width, b"\0"))
        decoded += row
    return bytes(decoded)


def _whole(values: Any, count: int | None = None) -> bool:
    """Whether this is a list of non-negative whole numbers."""
    listed = isinstance(values, list) and count in (None, len(values))
    return listed and all(isinstance(value, int) and value >= 0 for value in values)
