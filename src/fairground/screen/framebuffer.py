"""The picture of an Xvfb as memory: a frame is a view and a colour conversion.

Xvfb keeps its framebuffer in a file (`-fbdir`). We hand it a memory file of ours instead, sealed against
shrinking: whatever runs next to Xvfb could otherwise truncate the file, and reading the mapping would kill us.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from fairground.core import Pixels, ScreenError

MAX_SIDE: Final = 16_384
_HEADER: Final = struct.Struct(">20I")
_COLOUR_BYTES: Final = 12
_COLOURS: Final = 0x00FFFFFF


class Box(NamedTuple):
    """A part of the screen."""

    left: int
    top: int
    width: int
    height: int


class Framebuffer:
    """Memory that an Xvfb draws into.

    Give `fd` to Xvfb under any number N, with `-fbdir` naming a folder in which `Xvfb_screen0` links to
    `/proc/self/fd/N`; call `map` once Xvfb says that it is ready, before any program that is not trusted runs.
    """

    def __init__(self) -> None:
        self.fd = os.memfd_create("screen", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        self.size = (0, 0)
        self._map: mmap.mmap | None = None

    def map(self) -> None:
        """Maps what Xvfb has laid out, and learns its size."""
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        length = os.fstat(self.fd).st_size
        head = os.pread(self.fd, _HEADER.size, 0)
        offset, width, height, stride = _parse_header(head, length)
        self._map = mmap.mmap(self.fd, length, mmap.MAP_SHARED, mmap.PROT_READ)
        raw = np.frombuffer(self._map, np.uint8, height * stride, offset).reshape(height, stride)
        self._bgrx = raw[:, : width * 4].reshape(height, width, 4)
        self._bytes = memoryview(self._map)[offset : offset + height * stride]
        # Two copies that take turns: what was seen last, and what is seen now.
        self._seen, self._next = bytearray(self._bytes), bytearray(self._bytes)
        self._shape = (height, stride // 4, width)
        self.size = (width, height)

    def pixels(self) -> Pixels:
        """What is on the screen now, as RGB."""
        if self._map is None:
            raise ScreenError("the framebuffer is not mapped (the screen is closed, or Xvfb has not started)")
        return cv2.cvtColor(self._bgrx, cv2.COLOR_BGRA2RGB).view(np.uint8)

    def changed(self, ignoring: Sequence[Box] = ()) -> Box | None:
        """What has changed since the last call, or None. Costs 0.1 ms while nothing changes."""
        if self._map is None:
            raise ScreenError("the framebuffer is not mapped (the screen is closed, or Xvfb has not started)")
        if self._seen == self._bytes:
            return None
        self._next[:] = self._bytes
        self._seen, self._next = self._next, self._seen
        before, now = self._as_words(self._next), self._as_words(self._seen)
        rows = np.flatnonzero((before != now).any(axis=1))
        if not rows.size:
            return None
        top, bottom = int(rows[0]), int(rows[-1]) + 1
        # The fourth byte of a pixel is not drawn, and may hold anything.
        changed = ((before[top:bottom] ^ now[top:bottom]) & _COLOURS) != 0
        for box in ignoring:
            first, last = max(0, box.top - top), max(0, box.top + box.height - top)
            changed[first:last, max(0, box.left) : max(0, box.left + box.width)] = False
        columns = np.flatnonzero(changed.any(axis=0))
        if not columns.size:
            return None
        rows = np.flatnonzero(changed.any(axis=1))
        left, right = int(columns[0]), int(columns[-1]) + 1
        return Box(left, top + int(rows[0]), right - left, int(rows[-1] - rows[0]) + 1)

    def close(self) -> None:
        """Lets the memory go; may be called twice."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        # Arrays over the mapping keep it alive for as long as somebody holds one.
        self._map = None
        self.__dict__.pop("_bgrx", None)
        self.__dict__.pop("_bytes", None)

    def _as_words(self, copy: bytearray) -> NDArray[np.uint32]:
        height, stride, width = self._shape
        return np.frombuffer(copy, np.uint32).reshape(height, stride)[:, :width]


def _parse_header(head: bytes, length: int) -> tuple[int, int, int, int]:
    """Offset of the pixels, width, height, and bytes a line, of an XWD file of this length."""
    if len(head) < _HEADER.size:
        raise ScreenError(f"the framebuffer is empty ({length} bytes): Xvfb did not lay it out")
    header = _HEADER.unpack(head)
    size, version, layout, depth, width, height, _, byte_order = header[:8]
    bits, stride, red, colours = header[11], header[12], header[14], header[19]
    offset = size + colours * _COLOUR_BYTES
    understood = version == 7 and layout == 2 and depth == 24 and bits == 32 and byte_order == 0 and red == 0xFF0000
    if not understood:
        raise ScreenError(
            f"the framebuffer has an unknown form: version {version}, depth {depth}, {bits} bits a pixel, "
            f"byte order {byte_order}; expected 7, 24, 32, 0",
            fix="start Xvfb with -screen 0 WIDTHxHEIGHTx24",
        )
    sides = 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE
    if not sides or stride < width * 4 or stride % 4 or not 100 <= size <= 4096 or offset % 4:
        raise ScreenError(f"the framebuffer's header makes no sense: {width}x{height}, {stride} bytes a line")
    if offset + stride * height > length:
        raise ScreenError(f"the framebuffer is cut short: {length} bytes, {offset + stride * height} expected")
    return offset, width, height, stride
