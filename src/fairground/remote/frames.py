"""Frames that a client received: fast decoding of our own PNGs, and a bounded cache by digest."""

from __future__ import annotations

import struct
from typing import Final, cast
from weakref import WeakValueDictionary

import numpy as np

from fairground.core import Frame, InvalidInput
from fairground.remote.protocol import DIGEST_LENGTH, KEPT_FRAMES
from fairground.screen import decode

try:
    from isal import isal_zlib as _zlib
except ImportError:  # pragma: no cover - a platform without a wheel of it
    import zlib as _zlib  # type: ignore[no-redef]

KEPT_BYTES: Final = 32 << 20
"""Maximum size in bytes of the PNGs that a client keeps. It asks the server again for one that it dropped."""

MAX_FRAME_BYTES: Final = 64 << 20
"""Maximum size in bytes of a message with a frame."""

_MAX_PIXELS: Final = 16_384 * 4_096
_START: Final = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_END: Final = b"\x00\x00\x00\x00IEND\xaeB`\x82"
_DAMAGED: Final = cast("type[Exception]", _zlib.error)  # isal's stubs declare an instance
_RGB8: Final = (8, 2, 0, 0, 0)  # bits, colours, compression, filter method, not interlaced


def decode_frame(data: bytes) -> Frame:
    """Decode a PNG. One that `encode_png` wrote is inflated once and not copied; its pixels are a view of the rows.

    Raises:
        InvalidInput: The data is no image, is damaged, or is over the limits.
    """
    return _decode_plain(data) or decode(data)


def _decode_plain(data: bytes) -> Frame | None:
    """Decode a PNG of one data chunk with unfiltered RGB rows; None if it is anything else."""
    if len(data) < 57 or not data.startswith(_START) or data[37:41] != b"IDAT" or not data.endswith(_END):
        return None
    width, height, *kind = struct.unpack(">IIBBBBB", data[16:29])
    (length,) = struct.unpack(">I", data[33:37])
    if tuple(kind) != _RGB8 or len(data) != 57 + length or not 0 < width * height <= _MAX_PIXELS:
        return None
    size = height * (1 + 3 * width)
    inflate = _zlib.decompressobj()
    try:
        rows = np.frombuffer(inflate.decompress(memoryview(data)[41:-16], size + 1), np.uint8)
    except _DAMAGED as error:
        raise InvalidInput(f"not a readable image: {error}") from None
    if len(rows) != size or not inflate.eof:
        raise InvalidInput(f"not a readable image: expected {size:,} bytes of pixels for {width}x{height}")
    rows = rows.reshape(height, 1 + 3 * width)
    return None if rows[:, 0].any() else Frame(rows[:, 1:].reshape(height, width, 3))


class FrameCache:
    """The last frames of a connection, by digest: as PNG within limits, and decoded while somebody holds them."""

    def __init__(self) -> None:
        self._pngs: dict[str, bytes] = {}  # in the order in which they came
        self._bytes = 0
        self._decoded: WeakValueDictionary[str, Frame] = WeakValueDictionary()

    def receive(self, message: bytes) -> None:
        """Keep the frame of a binary message (its digest, then the PNG), and drop the oldest ones above the limits."""
        digest, png = message[:DIGEST_LENGTH].decode("ascii", "replace"), message[DIGEST_LENGTH:]
        self._bytes += len(png) - len(self._pngs.pop(digest, b""))
        self._pngs[digest] = png
        while len(self._pngs) > KEPT_FRAMES or (self._bytes > KEPT_BYTES and len(self._pngs) > 1):
            self._bytes -= len(self._pngs.pop(next(iter(self._pngs))))

    def get(self, digest: str) -> Frame | None:
        """Return a frame, or None if it was dropped or never came."""
        frame = self._decoded.get(digest)
        if frame is None and digest in self._pngs:
            frame = self._decoded[digest] = decode_frame(self._pngs[digest])
        return frame
