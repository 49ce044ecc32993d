"""Generated pictures of an organisation: landscapes, a logo and charts. The bytes are always the same."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

_SKIES = ((203, 222, 239), (250, 224, 186), (226, 211, 238), (186, 206, 228))
_GROUNDS = ((70, 104, 96), (158, 116, 62), (134, 66, 78), (52, 76, 106))


def landscape(number: int, hills: int, *, width: int = 480, height: int = 300) -> bytes:
    """Draw rows of hills below a sky, in the colours of an organisation."""
    x = np.arange(width)
    y = np.arange(height)[:, None]
    sky, ground = np.array(_SKIES[number % 4], float), np.array(_GROUNDS[number % 4], float)
    fade = np.broadcast_to((y / height)[..., None], (height, width, 1))
    pixels = sky * (1 - 0.25 * fade) + 12 * fade
    for row in range(1, hills + 1):
        base = height * (0.35 + 0.5 * row / (hills + 1))
        crest = base - 26 * np.sin(x / (34 + 11 * row) + number + row) - 9 * np.sin(x / 13 + 2 * row)
        share = row / hills
        pixels = np.where((y > crest)[..., None], ground * share + sky * (1 - share) * 0.8, pixels)
    return png(pixels.astype(np.uint8))


def logo(number: int, *, size: int = 160) -> bytes:
    """Draw a ring with a wave in it."""
    y, x = np.mgrid[:size, :size] - size / 2
    distance = np.hypot(x, y)
    ground = np.array(_GROUNDS[number % 4], np.uint8)
    ring = (distance < size * 0.46) & (distance > size * 0.38)
    wave = (distance < size * 0.34) & (y > 10 * np.sin(x / 11 + number))
    return png(np.where((ring | wave)[..., None], ground, np.uint8(255)))


def bars(number: int, values: Sequence[int], *, width: int = 480, height: int = 280) -> bytes:
    """Draw a bar chart without labels."""
    pixels = np.full((height, width, 3), 255, np.uint8)
    step = width // (len(values) + 1)
    for place, value in enumerate(values):
        top = int((height - 30) * (1 - 0.92 * value / max(values)))
        left = step // 2 + place * step
        pixels[top : height - 20, left : left + step * 2 // 3] = _GROUNDS[(number + place % 2) % 4]
    pixels[height - 20 : height - 18, 10 : width - 10] = 60
    return png(pixels)


def png(pixels: Pixels) -> bytes:
    """Encode pixels as a PNG file."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + width * 3), np.uint8)
    rows[:, 1:] = pixels.reshape(height, width * 3)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
