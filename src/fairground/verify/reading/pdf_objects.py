"""The lowest level of PDF: objects, the table that says where they are, and their streams. Nothing in them is run."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fairground.core import StateError

WHAT = "PDF"
MAX_SIZE = 64 << 20  # bytes of the file
MAX_DECODED = 128 << 20  # bytes of all streams together, unpacked
MAX_OBJECTS = 100_000
MAX_TOKENS = 4_000_000  # in all objects and pages together
_MAX_DEPTH = 60
_MAX_UPDATES = 50  # versions of a file that were saved one behind the other
_TAIL = 2_048
_PREDICTED = 10  # of predictors, from which on they are those of PNG

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
    """A bare word: in a page, what is to be done with the values before it."""

    __slots__ = ()


@dataclass(frozen=True)
class Reference:
    """A pointer to another object."""

    number: int


@dataclass(frozen=True)
class Stream:
    """Bytes that come with facts about them.

    Attributes:
        data: Unpacked where it was packed with Flate alone; otherwise as the file has it.
        packed: Whether it is still packed in some other way, as photographs are.
    """

    facts: Mapping[str, Any]
    data: bytes
    packed: bool


def fault(said: str) -> StateError:
    """An error about the file."""
    return StateError(f"{WHAT}: {said}")


class Room:
    """How much may still be read and unpacked of one file."""

    def __init__(self) -> None:
        self.tokens, self.decoded = MAX_TOKENS, MAX_DECODED

    def take_token(self) -> None:
        """Counts one value."""
        self.tokens -= 1
        if self.tokens < 0:
            raise fault(f"more than {MAX_TOKENS} values in it")

    def inflate(self, data: bytes) -> bytes:
        """Unpacks what Flate packed, whole and undamaged."""
        unpacker = zlib.decompressobj()
        try:
            found = unpacker.decompress(data, self.decoded + 1)
            self.take_bytes(len(found))
        except zlib.error as error:
            raise fault(f"a stream is damaged: {error}") from None
        if not unpacker.eof or unpacker.unused_data.strip(b"\0\t\n\f\r "):
            raise fault("a stream is cut off, or goes on behind its end")
        return found

    def take_bytes(self, count: int) -> None:
        """Counts bytes that were unpacked, or are gone through once more."""
        self.decoded -= count
        if self.decoded < 0:
            raise fault(f"more than {MAX_DECODED} bytes when it is unpacked")


class Values:
    """Reads values one after the other."""

    def __init__(self, data: bytes, room: Room, position: int = 0) -> None:
        self.data, self.position, self._room = data, position, room

    def skip(self) -> None:
        """Past blanks and comments."""
        found = _BLANK.match(self.data, self.position)
        assert found is not None
        self.position = found.end()

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
        if found := _REFERENCE.match(self.data, self.position):
            self.position = found.end()
            return Reference(int(found[1]))
        if found := _NUMBER.match(self.data, self.position):
            self.position = found.end()
            return float(found[0]) if b"." in found[0] else int(found[0])
        found = _WORD.match(self.data, self.position)
        if not found:
            raise fault(f"{self.data[self.position : self.position + 8]!r} at byte {self.position}, expected a value")
        self.position = found.end()
        return _WORDS[found[0]] if found[0] in _WORDS else Operator(found[0])

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
        found = _NAME.match(self.data, self.position)
        assert found is not None
        self.position = found.end()
        told = re.sub(rb"#([0-9A-Fa-f]{2})", lambda one: bytes.fromhex(one[1].decode()), found[1])
        return Name(told.decode("latin-1"))

    def _hex(self) -> bytes:
        found = _HEX.match(self.data, self.position)
        if not found:
            raise fault(f"a string at byte {self.position} has no end")
        self.position = found.end()
        digits = b"".join(found[1].replace(b"\0", b"").split())
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())

    def _string(self) -> bytes:
        parts, depth, at = [], 1, self.position + 1
        while depth:
            if found := _PLAIN.match(self.data, at):
                parts.append(found[0])
                at = found.end()
            here = self.data[at : at + 1]
            at += 1
            if here == b"(":
                depth += 1
            elif here == b")":
                depth -= 1
                if not depth:
                    break
            elif here == b"\\" and (found := _ESCAPE.match(self.data, at - 1)):
                at = found.end()
                here = bytes([int(found[1], 8) & 255]) if found[1] else _ESCAPED.get(found[2], found[2])
            elif here == b"\r":
                at += self.data.startswith(b"\n", at)
                here = b"\n"
            else:
                raise fault(f"a string at byte {self.position} has no end")
            parts.append(here)
        self.position = at
        return b"".join(parts)


class Objects:
    """All objects of a file, read at once; a damaged one makes the whole file unreadable.

    Attributes:
        trailer: Facts about the file: `Root` and `Info` lead to everything else.

    Raises:
        StateError: It is no PDF, is damaged, cut off, encrypted, or over a limit.
    """

    def __init__(self, data: bytes) -> None:
        if len(data) > MAX_SIZE:
            raise fault(f"{len(data)} bytes, expected at most {MAX_SIZE}")
        if not re.match(rb"%PDF-[12]\.[0-9]", data):
            raise fault(f"begins with {data[:8]!r}, expected %PDF-1. or 2.")
        self.room = Room()
        self._data = data
        self._objects: dict[int, Any] = {}
        self._places: dict[int, int] = {}  # the byte where it begins; or, of packed ones, the stream that it is in
        self._packed: set[int] = set()
        self._unpacked: dict[int, dict[int, Any]] = {}
        self._busy: set[int] = set()
        self.trailer = self._read_tables()
        if "Encrypt" in self.trailer:
            raise fault("it is encrypted")
        for number in list(self._places):
            self._load(number)

    def follow(self, value: Any) -> Any:
        """What a value is, behind any references; None for an object that is not there."""
        for _ in range(_MAX_DEPTH):
            if not isinstance(value, Reference):
                return value
            value = self._load(value.number)
        raise fault("references that lead to references")

    def facts(self, value: Any) -> Mapping[str, Any]:
        """A dictionary, or that of a stream; an empty one for anything else."""
        found = self.follow(value)
        found = found.facts if isinstance(found, Stream) else found
        return found if isinstance(found, dict) else {}

    def items(self, value: Any) -> list[Any]:
        """A list; an empty one for anything else."""
        found = self.follow(value)
        return found if isinstance(found, list) else []

    def _load(self, number: int) -> Any:
        if number in self._objects or number not in self._places:
            return self._objects.get(number)
        if number in self._busy:
            raise fault(f"object {number} is needed to read itself")
        self._busy.add(number)
        where = self._places[number]
        found = self._inside(number, where) if number in self._packed else self._read(where, number)
        self._busy.discard(number)
        self._objects[number] = found
        return found

    def _read(self, position: int, number: int | None) -> Any:
        head = _OBJECT.match(self._data, position)
        if not head or (number is not None and int(head[1]) != number):
            raise fault(f"no object {'' if number is None else number} at byte {position}")
        values = Values(self._data, self.room, head.end())
        found = values.next()
        if isinstance(found, dict) and (start := _STREAM.match(self._data, values.position)):
            return self._stream(found, start.end())
        return found

    def _stream(self, facts: dict[str, Any], start: int) -> Stream:
        length = self.follow(facts.get("Length"))
        if not isinstance(length, int) or not 0 <= length <= len(self._data) - start:
            raise fault(f"a stream at byte {start} has the length {length!r:.40}")
        if not _ENDSTREAM.match(self._data, start + length):
            raise fault(f"a stream at byte {start} does not end behind its {length} bytes")
        data = self._data[start : start + length]
        named = self.follow(facts.get("Filter"))
        filters = [self.follow(one) for one in named] if isinstance(named, list) else [named] if named else []
        if filters[:1] in (["FlateDecode"], ["Fl"]):
            data, filters = self.room.inflate(data), filters[1:]
        return Stream(facts, data, bool(filters))

    # --- where objects are -------------------------------------------------------------------------------------------

    def _read_tables(self) -> dict[str, Any]:
        tail = self._data[-_TAIL:]
        last = re.search(rb"startxref[\r\n ]+([0-9]{1,10})[\r\n ]+%%EOF[\r\n ]*\Z", tail)
        if not last:
            raise fault("it does not end with where its table is: cut off, or something was added")
        position: Any = int(last[1])
        newest: dict[str, Any] | None = None
        for _ in range(_MAX_UPDATES):
            told = self._read_table(position)
            newest = newest if newest is not None else told
            position = told.get("Prev")
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
        found = self._read(position, None)
        if not isinstance(found, Stream) or found.facts.get("Type") != "XRef" or found.packed:
            raise fault(f"no table at byte {position}")
        told = dict(found.facts)
        widths: Any = told.get("W")
        index: Any = told.get("Index", [0, told.get("Size")])
        if not _whole(widths, 3) or not _whole(index) or len(index) % 2 or not 0 < sum(widths) < 32:
            raise fault("its packed table is damaged")
        a, b, _ = widths
        width = sum(widths)
        rows = unpredicted(found)
        at = 0
        for first, count in zip(index[::2], index[1::2], strict=True):
            if count > (len(rows) - at) // width:
                raise fault("its packed table is cut off")
            for number in range(first, first + count):
                row, at = rows[at : at + width], at + width
                kind = int.from_bytes(row[:a], "big") if a else 1
                if kind in (1, 2):
                    self._place(number, int.from_bytes(row[a : a + b], "big"), packed=kind == 2)
        return told

    def _place(self, number: int, where: int, *, packed: bool) -> None:
        """Notes where an object is; the newest table, which is read first, is right."""
        if number not in self._places:
            if len(self._places) >= MAX_OBJECTS:
                raise fault(f"more than {MAX_OBJECTS} objects")
            self._places[number] = where
            if packed:
                self._packed.add(number)

    def _inside(self, number: int, holder: int) -> Any:
        """An object that is in a stream with others."""
        if holder not in self._unpacked:
            found = None if holder in self._packed else self._load(holder)
            if not isinstance(found, Stream) or found.packed or found.facts.get("Type") != "ObjStm":
                raise fault(f"object {number} is not in object {holder}, where it should be")
            self._unpacked[holder] = self._unpack(found)
        if number not in self._unpacked[holder]:
            raise fault(f"object {number} is not in object {holder}, where it should be")
        return self._unpacked[holder][number]

    def _unpack(self, stream: Stream) -> dict[int, Any]:
        count, first = (self.follow(stream.facts.get(name)) for name in ("N", "First"))
        values = Values(unpredicted(stream), self.room)
        numbers = [count, first]
        if all(isinstance(one, int) and 0 <= one <= len(values.data) for one in numbers):
            numbers += [values.next() for _ in range(2 * count)]
        if len(numbers) < 2 + 2 * count or not all(isinstance(one, int) and one >= 0 for one in numbers):
            raise fault("a stream of objects is damaged")
        found = {}
        for number, offset in zip(numbers[2::2], numbers[3::2], strict=True):
            values.position = first + offset
            found[number] = values.next()
        return found


def unpredicted(stream: Stream) -> bytes:
    """A stream's bytes, after the step that makes tables easier to pack was undone."""
    parameters = stream.facts.get("DecodeParms")
    told = parameters if isinstance(parameters, dict) else {}
    predictor, width = told.get("Predictor", 1), told.get("Columns", 1)
    if predictor == 1:
        return stream.data
    if not _whole([predictor, width]) or predictor < _PREDICTED or not 0 < width < 1_000 or told.get("Colors", 1) != 1:
        raise fault("a packed table is written in an unknown way")
    found, above = bytearray(), bytes(width)
    for start in range(0, len(stream.data), width + 1):
        how, row = stream.data[start], bytearray(stream.data[start + 1 : start + 1 + width])
        if how == 2:
            row = bytearray((one + up) & 255 for one, up in zip(row, above, strict=False))
        elif how == 1:
            for at in range(1, len(row)):
                row[at] = (row[at] + row[at - 1]) & 255
        elif how:
            raise fault("a packed table is written in an unknown way")
        above = bytes(row.ljust(width, b"\0"))
        found += row
    return bytes(found)


def _whole(values: Any, count: int | None = None) -> bool:
    """Whether this is a list of whole numbers that are not negative."""
    listed = isinstance(values, list) and count in (None, len(values))
    return listed and all(isinstance(one, int) and one >= 0 for one in values)
