"""The lowest level of GIMP's file format: numbers, strings, and tiles with pixels."""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairground.core import StateError

WHAT = "GIMP image (.xcf)"
MAX_STRING = 1_000_000  # bytes
TILE = 64

Plane = NDArray[np.uint8]
"""Rows, columns, and the bytes of a pixel as in the file."""


class Cursor:
    """A position in the file's bytes. Reading beyond the end raises `StateError`."""

    def __init__(self, data: bytes, position: int = 0, *, end: int | None = None, pointer: int = 4) -> None:
        self._data = data
        self._end = len(data) if end is None else end
        self._pointer = pointer
        self.position = position
        if not 0 <= position <= self._end <= len(data):
            raise StateError(f"{WHAT}: points to byte {position} of {len(data)}")

    @property
    def left(self) -> int:
        """Number of bytes up to the end."""
        return self._end - self.position

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if not 0 <= count <= self.left:
            raise StateError(f"{WHAT}: cut off: {count} bytes expected at byte {self.position}, {self.left} are there")
        self.position += count
        return self._data[self.position - count : self.position]

    def part(self, count: int) -> Cursor:
        """A cursor over the next bytes only. This one moves past them."""
        start = self.position
        self.take(count)
        return Cursor(self._data, start, end=self.position, pointer=self._pointer)

    def at(self, position: int) -> Cursor:
        """A cursor at another position in the file."""
        return Cursor(self._data, position, pointer=self._pointer)

    def byte(self) -> int:
        """The next byte."""
        return self.take(1)[0]

    def number(self) -> int:
        """The next unsigned 32-bit number."""
        return int(struct.unpack(">I", self.take(4))[0])

    def signed(self) -> int:
        """The next signed 32-bit number."""
        return int(struct.unpack(">i", self.take(4))[0])

    def real(self) -> float:
        """The next 32-bit floating-point number."""
        value = float(struct.unpack(">f", self.take(4))[0])
        if not math.isfinite(value):
            raise StateError(f"{WHAT}: a number that is none at byte {self.position - 4}")
        return value

    def address(self) -> int:
        """The next pointer: a position in the file, or 0."""
        return int.from_bytes(self.take(self._pointer), "big")

    def text(self) -> str:
        """The next string."""
        length = self.number()
        if length > MAX_STRING:
            raise StateError(f"{WHAT}: a string of {length} bytes, expected at most {MAX_STRING}")
        raw = self.take(length)
        if raw and raw[-1] != 0:
            raise StateError(f"{WHAT}: a string that has no end at byte {self.position}")
        try:
            return raw[:-1].decode()
        except UnicodeDecodeError:
            raise StateError(f"{WHAT}: a string that is not UTF-8 at byte {self.position}") from None


@dataclass
class Work:
    """The remaining decoding budget. A small file can refer to one tile many times."""

    bytes: int = 200_000_000
    runs: int = 20_000_000

    def spend(self, *, decoded: int = 0, runs: int = 0) -> None:
        """Use up some of the budget.

        Raises:
            StateError: The budget is exceeded.
        """
        self.bytes -= decoded
        self.runs -= runs
        if self.bytes < 0 or self.runs < 0:
            raise StateError(f"{WHAT}: more pixels than the limit allows")


def read_tiles(cursor: Cursor, width: int, height: int, depth: int, compression: int, work: Work) -> Plane:
    """Read the bytes of all pixels from the hierarchy at the cursor. Size and depth are those that the owner declares.

    Args:
        cursor: Start of the hierarchy.
        width: Width of the layer, channel or mask.
        height: Height of the layer, channel or mask.
        depth: Bytes per pixel.
        compression: 0 for none, 1 for run-length encoding, 2 for zlib.
        work: The remaining budget.
    """
    work.spend(decoded=width * height * depth)
    declared = cursor.number(), cursor.number(), cursor.number()
    level = cursor.at(cursor.address())
    if declared != (width, height, depth) or (level.number(), level.number()) != (width, height):
        raise StateError(f"{WHAT}: pixels of size {declared}, expected {(width, height, depth)}")
    across, down = -(-width // TILE), -(-height // TILE)
    starts = [level.address() for _ in range(across * down)]
    if level.address() != 0:
        raise StateError(f"{WHAT}: more tiles than the {across * down} that the size asks for")
    pixels = np.zeros((height, width, depth), np.uint8)
    for number, start in enumerate(starts):
        top, left = number // across * TILE, number % across * TILE
        rows, columns = min(TILE, height - top), min(TILE, width - left)
        tile = _tile(cursor.at(start), rows * columns, depth, compression, work)
        pixels[top : top + rows, left : left + columns] = tile.reshape(rows, columns, depth)
    return pixels


def _tile(cursor: Cursor, count: int, depth: int, compression: int, work: Work) -> Plane:
    if compression == 0:
        return np.frombuffer(cursor.take(count * depth), np.uint8)
    # Packing hardly enlarges a tile, so no more than this can belong to it.
    packed = cursor.take(min(cursor.left, 2 * count * depth + 1000))
    if compression == 1:
        raw = _runs(packed, count, depth, work)
        return np.frombuffer(raw, np.uint8).reshape(depth, count).T
    try:
        raw = zlib.decompressobj().decompress(packed, count * depth)
    except zlib.error as error:
        raise StateError(f"{WHAT}: a damaged tile: {error}") from None
    if len(raw) != count * depth:
        raise StateError(f"{WHAT}: a tile of {len(raw)} bytes, expected {count * depth}")
    return np.frombuffer(raw, np.uint8)


def _runs(packed: bytes, count: int, depth: int, work: Work) -> bytes:
    """The planes of a tile, one byte of all pixels after another: runs of one value, and literal bytes."""
    parts: list[bytes] = []
    position = 0
    for _ in range(depth):
        left = count
        while left > 0:
            kind = packed[position] if position < len(packed) else 0
            position += 1
            if kind == 127 or kind == 128:
                length = int.from_bytes(packed[position : position + 2], "big")
                position += 2
            else:
                length = kind + 1 if kind < 127 else 256 - kind
            left -= length
            taken = 1 if kind <= 127 else length
            part = packed[position : position + taken]
            position += taken
            if left < 0 or length == 0 or len(part) != taken:
                raise StateError(f"{WHAT}: a tile that is damaged or cut off")
            parts.append(part * length if kind <= 127 else part)
    work.spend(runs=len(parts))
    return b"".join(parts)
