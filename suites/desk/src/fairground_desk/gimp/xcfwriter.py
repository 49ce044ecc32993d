"""Writer of GIMP's XCF format, limited to what the profiles need: 8-bit layers, text and guides.

The same input always gives the same bytes; GIMP does not guarantee this.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_TILE = 64
_NORMAL = 28
_OWN_NAME = 1  # the text layer keeps its name when its text changes
_PRECISION = 150  # 8 bits, gamma-encoded


@dataclass(frozen=True)
class TextOf:
    """Content of a text layer, stored in the layer's parasite."""

    text: str
    font: str
    size: float
    color: tuple[int, int, int]


@dataclass(frozen=True)
class NewLayer:
    """A layer to write; pixels are rows, columns and RGB or RGBA."""

    name: str
    pixels: NDArray[np.uint8] = field(repr=False)
    x: int = 0
    y: int = 0
    opacity: float = 1.0
    mode: int = _NORMAL
    visible: bool = True
    text: TextOf | None = None


def write_xcf(
    size: tuple[int, int],
    layers: Sequence[NewLayer],
    *,
    dpi: float = 72.0,
    comment: str = "",
    guides: Sequence[tuple[int, bool]] = (),
) -> bytes:
    """Return an image in version 11 of the XCF format.

    Args:
        size: Width and height of the canvas.
        layers: Layers from top to bottom; the first is active.
        dpi: Resolution in pixels per inch.
        comment: The image's comment.
        guides: Position of each guide, and whether it is horizontal.
    """
    out = bytearray(b"gimp xcf v011\0" + struct.pack(">IIII", *size, 0, _PRECISION))
    out += _property(17, b"\2")
    if guides:
        out += _property(18, b"".join(struct.pack(">iB", at, 1 if level else 2) for at, level in guides))
    out += _property(19, struct.pack(">ff", dpi, dpi)) + _property(22, struct.pack(">I", 1))
    if comment:
        out += _property(21, _parasite("gimp-comment", comment.encode() + b"\0"))
    out += _property(0, b"")
    pointers = len(out)
    out += bytes(8 * (len(layers) + 1) + 8)  # no channels
    for number, layer in enumerate(layers):
        struct.pack_into(">Q", out, pointers + 8 * number, len(out))
        _add_layer(out, layer, active=number == 0)
    return bytes(out)


def _add_layer(out: bytearray, layer: NewLayer, *, active: bool) -> None:
    height, width, channels = layer.pixels.shape
    out += struct.pack(">III", width, height, 1 if channels == 4 else 0) + _text(layer.name)
    if active:
        out += _property(2, b"")
    out += _property(6, struct.pack(">I", round(layer.opacity * 255))) + _property(33, struct.pack(">f", layer.opacity))
    out += _property(8, struct.pack(">I", layer.visible)) + _property(9, struct.pack(">I", 0))
    out += _property(15, struct.pack(">ii", layer.x, layer.y)) + _property(7, struct.pack(">I", layer.mode))
    if layer.text is not None:
        out += _property(21, _parasite("gimp-text-layer", _settings(layer.text))) + _property(
            26, struct.pack(">I", _OWN_NAME)
        )
    out += _property(0, b"")
    out += struct.pack(">QQ", len(out) + 16, 0)
    out += struct.pack(">IIIQQ", width, height, channels, len(out) + 28, 0)
    rows, columns = -(-height // _TILE), -(-width // _TILE)
    out += struct.pack(">II", width, height)
    table = len(out)
    out += bytes(8 * (rows * columns + 1))
    for number in range(rows * columns):
        top, left = number // columns * _TILE, number % columns * _TILE
        tile = np.ascontiguousarray(layer.pixels[top : top + _TILE, left : left + _TILE])
        struct.pack_into(">Q", out, table + 8 * number, len(out))
        out += zlib.compress(tile.tobytes(), 6)


def _settings(text: TextOf) -> bytes:
    red, green, blue = (value / 255 for value in text.color)
    lines = [
        f'(text "{text.text}")',
        f'(font "{text.font}")',
        f"(font-size {text.size:.6f})",
        "(font-size-unit pixels)",
        "(antialias yes)",
        '(language "en-us")',
        "(base-direction ltr)",
        f"(color (color-rgb {red:.6f} {green:.6f} {blue:.6f}))",
        "(justify left)",
        "(box-mode dynamic)",
        "(box-unit pixels)",
        "(hinting yes)",
    ]
    return "\n".join(lines).encode() + b"\n\0"


def _property(kind: int, data: bytes) -> bytes:
    return struct.pack(">II", kind, len(data)) + data


def _parasite(name: str, data: bytes) -> bytes:
    return _text(name) + struct.pack(">II", 1, len(data)) + data


def _text(text: str) -> bytes:
    data = text.encode() + b"\0"
    return struct.pack(">I", len(data)) + data
