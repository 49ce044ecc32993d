"""The framebuffer of Xvfb as shared memory: taking a frame is a view and a colour conversion.

Xvfb stores its framebuffer in a file (`-fbdir`). We pass it a memory file instead, sealed against shrinking. Otherwise
a program next to Xvfb could truncate the file, and reading the mapping would crash us.
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
    """A rectangle on the screen."""

    left: int
    top: int
    width: int
    height: int


class Framebuffer:
    """Memory that Xvfb draws into.

    Pass `fd` to Xvfb under any number N. Its `-fbdir` must be a folder in which `Xvfb_screen0` links to
    `/proc/self/fd/N`. Call `map` once Xvfb is ready, before any untrusted program runs.
    """

    def __init__(self) -> None:
        self.fd = os.memfd_create("screen", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        self.size = (0, 0)
        self._map: mmap.mmap | None = None

    def map(self) -> None:
        """Map the memory that Xvfb has initialized, and read its size."""
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        length = os.fstat(self.fd).st_size
        head = os.pread(self.fd, _HEADER.size, 0)
        offset, width, height, stride = _parse_header(head, length)
        self._map = mmap.mmap(self.fd, length, mmap.MAP_SHARED, mmap.PROT_READ)
        raw = np.frombuffer(self._map, np.uint8, height * stride, offset).reshape(height, stride)
        self._bgrx = raw[:, : width * 4].reshape(height, width, 4)
        self._bytes = memoryview(self._map)[offset : offset + height * stride]
        # Two copies that alternate: the last picture and the current one.
        self._seen, self._next = bytearray(self._bytes), bytearray(self._bytes)
        self._shape = (height, stride // 4, width)
        self.size = (width, height)

    def pixels(self) -> Pixels:
        """Return the current picture as RGB."""
        if self._map is None:
            raise ScreenError("the framebuffer is not mapped (the screen is closed, or Xvfb has not started)")
        return cv2.cvtColor(self._bgrx, cv2.COLOR_BGRA2RGB).view(np.uint8)

    def changed(self, ignoring: Sequence[Box] = ()) -> Box | None:
        """Return what has changed since the last call, or None. Takes 0.1 ms if nothing has changed."""
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
        # The fourth byte of a pixel is not drawn, and may have any value.
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
        """Release the memory. Calling it twice is allowed."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        # Arrays over the mapping keep it alive as long as they exist.
        self._map = None
        self.__dict__.pop("_bgrx", None)
        self.__dict__.pop("_bytes", None)

    def _as_words(self, copy: bytearray) -> NDArray[np.uint32]:
        height, stride, width = self._shape
        return np.frombuffer(copy, np.uint32).reshape(height, stride)[:, :width]


def _parse_header(head: bytes, length: int) -> tuple[int, int, int, int]:
    """Offset of the pixels, width, height, and bytes per line of an XWD file of this length."""
    if len(head) < _HEADER.size:
        raise ScreenError(f"the framebuffer is empty ({length} bytes): Xvfb did not initialize it")
    header = _HEADER.unpack(head)
    size, version, layout, depth, width, height, _, byte_order = header[:8]
    bits, stride, red, colours = header[11], header[12], header[14], header[19]
    offset = size + colours * _COLOUR_BYTES
    understood = version == 7 and layout == 2 and depth == 24 and bits == 32 and byte_order == 0 and red == 0xFF0000
    if not understood:
        raise ScreenError(
            f"unsupported framebuffer format: version {version}, depth {depth}, {bits} bits per pixel, "
            f"byte order {byte_order}; expected 7, 24, 32, 0",
            fix="start Xvfb with -screen 0 WIDTHxHEIGHTx24",
        )
    sides = 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE
    if not sides or stride < width * 4 or stride % 4 or not 100 <= size <= 4096 or offset % 4:
        raise ScreenError(f"the framebuffer has an invalid header: {width}x{height}, {stride} bytes per line")
    if offset + stride * height > length:
        raise ScreenError(f"the framebuffer is too short: {length} bytes, expected {offset + stride * height}")
    return offset, width, height, stride
