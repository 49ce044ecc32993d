"""PNGs in bands of rows. Only what changed since the last frame of a session is compressed and decompressed.

Most steps change little of a screen. Each band of rows is an IDAT chunk that can be decompressed alone, so an encoder
keeps the chunks of bands that did not change, and a decoder keeps their pixels. A frame has the same PNG whatever came
before it. Every PNG reader reads them; a private chunk (`fgBd`) tells ours that the bands are independent.
"""

from __future__ import annotations

import ctypes
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from fairground.core import Frame, InvalidInput, Pixels
from fairground.screen import decode

try:
    from isal import isal_zlib as _zlib
except ImportError:  # pragma: no cover - a platform without a wheel of it
    import zlib as _zlib  # type: ignore[no-redef]

ROWS: Final = 48
"""Height of a band: 15 of them on a screen of 1280x720."""

_MAX_PIXELS: Final = 16_384 * 4_096
_MAGIC: Final = b"\x89PNG\r\n\x1a\n"
_RGB8: Final = (8, 2, 0, 0, 0)  # bits, colours, compression, filter method, not interlaced
_DAMAGED: Final = cast("type[Exception]", _zlib.error)  # isal's stubs declare an instance
_ADLER: Final = 65_521

_memcmp: Final = ctypes.CDLL(None).memcmp
_memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))))


_MARK: Final = _chunk(b"fgBd", struct.pack(">I", ROWS))
_HEAD: Final = _chunk(b"IDAT", b"\x78\x01")  # the header of the zlib stream that all bands form
_END: Final = _chunk(b"IEND", b"")


@dataclass(frozen=True)
class _Band:
    """A compressed band: its IDAT chunk, and the checksum and number of its bytes before compression."""

    chunk: bytes
    adler: int
    size: int


class BandEncoder:
    """Encodes the frames of a session, without loss."""

    def __init__(self) -> None:
        self._pixels: Pixels | None = None
        self._bands: list[_Band] = []

    def encode(self, frame: Frame) -> bytes:
        """Return the PNG of a frame."""
        pixels, before = frame.pixels, self._pixels
        height, width, _ = pixels.shape
        if before is None or before.shape != pixels.shape:
            self._bands = [_compress(pixels[top : top + ROWS]) for top in range(0, height, ROWS)]
        elif before is not pixels:
            for number, top in enumerate(range(0, height, ROWS)):
                rows = slice(top, top + ROWS)
                if not _equal(pixels[rows], before[rows]):
                    self._bands[number] = _compress(pixels[rows])
        self._pixels = pixels
        header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, *_RGB8))
        # An empty last block, and the checksum of the whole stream.
        tail = _chunk(b"IDAT", b"\x03\x00" + struct.pack(">I", _checksum(self._bands)))
        return b"".join((_MAGIC, header, _MARK, _HEAD, *(band.chunk for band in self._bands), tail, _END))


class BandDecoder:
    """Decodes the frames of a session."""

    def __init__(self) -> None:
        self._png = b""
        self._chunks: list[bytes] = []
        self._frame: Frame | None = None

    def decode(self, png: bytes) -> Frame:
        """Return the frame of a PNG, which may also be another program's.

        Raises:
            InvalidInput: The data is no image, is damaged, or is over the limits.
        """
        if self._frame is not None and png == self._png:
            return Frame(self._frame.pixels.copy())  # two observations must not share memory
        bands = _bands_of(png)
        if bands is None:
            return decode(png)
        (width, height), chunks = bands
        pixels = np.empty((height, width, 3), np.uint8)
        before = self._frame.pixels if self._frame is not None and self._frame.size == (width, height) else None
        for number, chunk in enumerate(chunks):
            rows = slice(number * ROWS, (number + 1) * ROWS)
            if before is not None and chunk == self._chunks[number]:
                pixels[rows] = before[rows]
            else:
                _decompress(chunk, pixels[rows])
        self._png, self._chunks, self._frame = png, chunks, Frame(pixels)
        return self._frame


def _equal(first: Pixels, second: Pixels) -> bool:
    """Compare pixels of the same shape. NumPy would compare all of them, and write the result of each to memory."""
    if first.flags.c_contiguous and second.flags.c_contiguous:
        return bool(_memcmp(first.ctypes.data, second.ctypes.data, first.nbytes) == 0)
    return np.array_equal(first, second)


def _compress(pixels: Pixels) -> _Band:
    height, width, _ = pixels.shape
    # Rows without a filter: screens consist of flat areas and repeated glyphs, where filters cost time and save
    # nothing.
    rows = np.zeros((height, 1 + width * 3), np.uint8)
    rows[:, 1:] = pixels.reshape(height, width * 3)
    deflate = _zlib.compressobj(1, _zlib.DEFLATED, -15)
    data = deflate.compress(rows) + deflate.flush(_zlib.Z_FULL_FLUSH)
    return _Band(_chunk(b"IDAT", data), _zlib.adler32(rows), rows.size)


def _decompress(chunk: bytes, into: Pixels) -> None:
    """Decompress an IDAT chunk into the pixels of its band."""
    height, width, _ = into.shape
    size = height * (1 + 3 * width)
    if zlib.crc32(memoryview(chunk)[4:-4]) != int.from_bytes(chunk[-4:]):
        raise InvalidInput("not a readable image: a checksum differs")
    try:
        rows = np.frombuffer(_zlib.decompressobj(-15).decompress(memoryview(chunk)[8:-4], size + 1), np.uint8)
    except _DAMAGED as error:
        raise InvalidInput(f"not a readable image: {error}") from None
    if len(rows) != size:
        raise InvalidInput(f"not a readable image: a band of {width}x{height} has {len(rows):,} bytes, not {size:,}")
    rows = rows.reshape(height, 1 + 3 * width)
    if rows[:, 0].any():
        raise InvalidInput("not a readable image: a row of a band has a filter")
    into.reshape(height, 3 * width)[:] = rows[:, 1:]


def _bands_of(png: bytes) -> tuple[tuple[int, int], list[bytes]] | None:
    """Return the size of a PNG in bands, and the chunks of its bands; None if it is anything else."""
    start = 33 + len(_MARK) + len(_HEAD)
    if not (png.startswith(_MAGIC) and png[33:start] == _MARK + _HEAD and png.endswith(_END)):
        return None
    width, height, *kind = struct.unpack(">IIBBBBB", png[16:29])
    if tuple(kind) != _RGB8 or not 0 < width * height <= _MAX_PIXELS:
        return None
    chunks = []
    for _ in range(0, height, ROWS):
        end = start + 12 + int.from_bytes(png[start : start + 4])
        if png[start + 4 : start + 8] != b"IDAT" or end > len(png):
            return None
        chunks.append(png[start:end])
        start = end
    return (width, height), chunks


def _checksum(bands: Sequence[_Band]) -> int:
    """Return the Adler-32 of the bytes of all bands, from those of each band."""
    low, high = 1, 0
    for band in bands:
        high = (high + band.size * (low - 1) + (band.adler >> 16)) % _ADLER
        low = (low + (band.adler & 0xFFFF) - 1) % _ADLER
    return high << 16 | low
