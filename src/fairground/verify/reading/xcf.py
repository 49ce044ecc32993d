"""Reading GIMP's own file format (.xcf), in all versions that GIMP up to 2.10 writes.

Layers, masks, channels, paths, guides, text and parasites are always read. Pixels are decoded into colours if they have
8 bits per channel with gamma. For other precisions there is a digest of the bytes, which detects changes, and
`pixels_note` gives the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fairground.core import StateError
from fairground.verify.reading import xcf_properties as props
from fairground.verify.reading.picture import MAX_BYTES, MAX_PIXELS, MAX_SIDE, Pixels, pixels_digest, seen
from fairground.verify.reading.xcf_bytes import WHAT, Cursor, Plane, Work, read_tiles
from fairground.verify.reading.xcf_image import (
    Base,
    XcfChannel,
    XcfGuide,
    XcfImage,
    XcfLayer,
    XcfMask,
    xcf_leaves,
)
from fairground.verify.reading.xcf_properties import XcfPath, XcfStroke, XcfText

__all__ = [
    "XcfChannel",
    "XcfGuide",
    "XcfImage",
    "XcfLayer",
    "XcfMask",
    "XcfPath",
    "XcfStroke",
    "XcfText",
    "read_xcf",
    "xcf_leaves",
]

MAX_VERSION = 14
MAX_LAYERS = 2_000
MAX_DEPTH = 50

_T = TypeVar("_T")
_BASES: tuple[Base, ...] = ("rgb", "gray", "indexed")


def read_xcf(data: bytes, *, pixels: bool = True) -> XcfImage:
    """Read an image.

    Args:
        data: The file.
        pixels: False skips the tiles, which is much faster.

    Raises:
        StateError: It is not such a file, has a later version, is damaged, or is over a limit.
    """
    version = _version(data)
    if len(data) > MAX_BYTES:
        raise StateError(f"{WHAT}: {len(data)} bytes, expected at most {MAX_BYTES}")
    cursor = Cursor(data, 14, pointer=8 if version >= 11 else 4)
    width, height = _size(cursor)
    base = _of(_BASES, cursor.number(), "kind of image")
    precision = _PRECISIONS.get(cursor.number(), "unknown") if version >= 4 else "8-bit gamma"
    properties = props.read_properties(cursor)
    compression = properties[props.COMPRESSION].byte() if props.COMPRESSION in properties else 0
    if compression not in (0, 1, 2):
        raise StateError(f"{WHAT}: tiles packed in an unexpected way ({compression})")
    reader = _Reader(precision, compression, _colormap(properties), Work(), pixels)
    layers, active = reader.layers(_addresses(cursor))
    channels, selection = reader.channels(_addresses(cursor))
    parasites = props.read_parasites(properties.get(props.PARASITES))
    return XcfImage(
        version=version,
        width=width,
        height=height,
        base=base,
        precision=precision,
        compression=("none", "rle", "zlib")[compression],
        resolution=_resolution(properties),
        unit=_UNITS.get(properties[props.UNIT].number(), "other") if props.UNIT in properties else "inches",
        guides=_guides(properties),
        colormap=tuple(f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in reader.colormap.tolist()),
        comment=parasites.get("gimp-comment", b"").rstrip(b"\0").decode("utf-8", "replace"),
        parasites=parasites,
        paths=props.read_paths(properties),
        layers=layers,
        channels=channels,
        active_layer=active,
        selection=selection,
    )


@dataclass(frozen=True)
class _Reader:
    precision: str
    compression: int
    colormap: NDArray[np.uint8]
    work: Work
    wanted: bool

    def layers(self, cursors: list[Cursor]) -> tuple[tuple[XcfLayer, ...], tuple[str, ...] | None]:
        layers: list[XcfLayer] = []
        places: dict[tuple[int, ...], tuple[str, ...]] = {}
        active: tuple[str, ...] | None = None
        for cursor in cursors:
            width, height = _size(cursor)
            kind, name = cursor.number(), cursor.text()
            _of(_KINDS, kind, "kind of layer")
            own = props.read_properties(cursor)
            place = _place(own, len([place for place in places if len(place) == 1]))
            if place in places or (len(place) > 1 and place[:-1] not in places):
                raise StateError(f"{WHAT}: layer {name[:80]!r} is not in its group, or in the place of another one")
            places[place] = path = (*places.get(place[:-1], ()), name)
            tiles, mask = cursor.address(), cursor.address()
            x, y = (own[props.OFFSETS].signed(), own[props.OFFSETS].signed()) if props.OFFSETS in own else (0, 0)
            group = props.GROUP in own
            pixels, digest, note = None, "", ""
            if not group:
                pixels, digest, note = self.colours(cursor.at(tiles), width, height, kind)
            parasites = props.read_parasites(own.get(props.PARASITES))
            text = parasites.get("gimp-text-layer")
            if props.ACTIVE_LAYER in own:
                active = path
            layer = XcfLayer(
                name=name,
                path=path,
                width=width,
                height=height,
                x=x,
                y=y,
                has_alpha=kind % 2 == 1,
                opacity=_opacity(own),
                mode=_of(MODES, own[props.MODE].number() if props.MODE in own else _NORMAL, "mode"),
                visible=_flag(own, props.VISIBLE, default=True),
                linked=_flag(own, props.LINKED),
                lock_content=_flag(own, props.LOCK_CONTENT),
                lock_alpha=_flag(own, props.LOCK_ALPHA),
                lock_position=_flag(own, props.LOCK_POSITION),
                color_tag=own[props.COLOR_TAG].number() if props.COLOR_TAG in own else 0,
                group=group,
                floating=props.FLOATING in own,
                mask=self.mask(cursor.at(mask), width, height, own) if mask else None,
                text=props.read_text(text) if text is not None else None,
                painted_over=props.TEXT_FLAGS in own and own[props.TEXT_FLAGS].number() & 2 != 0,
                parasites=parasites,
                digest=digest,
                pixels_note=note,
                pixels=pixels,
            )
            layers.append(layer)
        return tuple(layers), active

    def mask(self, cursor: Cursor, width: int, height: int, layer: Mapping[int, Cursor]) -> XcfMask:
        if _size(cursor) != (width, height):
            raise StateError(f"{WHAT}: a mask that has not the size of its layer")
        name = cursor.text()
        props.read_properties(cursor)
        pixels, digest = self.shades(cursor.at(cursor.address()), width, height)
        return XcfMask(
            name, _flag(layer, props.APPLY_MASK, default=True), _flag(layer, props.SHOW_MASK), digest, pixels
        )

    def channels(self, cursors: list[Cursor]) -> tuple[tuple[XcfChannel, ...], tuple[int, int, int, int] | None]:
        channels: list[XcfChannel] = []
        selection = None
        for cursor in cursors:
            width, height = _size(cursor)
            name = cursor.text()
            own = props.read_properties(cursor)
            pixels, digest = self.shades(cursor.at(cursor.address()), width, height)
            if props.SELECTION in own:
                selection = None if pixels is None else _bounds(pixels)
                continue
            color = own[props.COLOR].take(3).hex() if props.COLOR in own else "000000"
            visible, linked = _flag(own, props.VISIBLE), _flag(own, props.LINKED)
            channels.append(XcfChannel(name, visible, linked, _opacity(own), f"#{color}", digest, pixels))
        return tuple(channels), selection

    def colours(self, cursor: Cursor, width: int, height: int, kind: int) -> tuple[Pixels | None, str, str]:
        """A layer's pixels, their digest, and the reason if there are none."""
        channels = _KINDS[kind]
        raw = self.bytes(cursor, width, height, channels)
        if raw is None:
            return None, "", "pixels not read: not asked for"
        if self.precision != "8-bit gamma":
            return None, pixels_digest(raw), f"pixels not read: {self.precision}, expected 8-bit gamma"
        colours: Plane
        if kind < 2:
            colours = raw[..., :3]
        elif kind < 4:
            colours = np.repeat(raw[..., :1], 3, axis=2)
        elif len(self.colormap) == 0 or int(raw[..., 0].max()) >= len(self.colormap):
            raise StateError(f"{WHAT}: a pixel has a colour that the colour map has not")
        else:
            colours = self.colormap[raw[..., 0]]
        alpha = raw[..., -1:] if kind % 2 else np.full((height, width, 1), 255, np.uint8)
        pixels = seen(np.concatenate([colours, alpha], axis=2))
        return pixels, pixels_digest(pixels), ""

    def shades(self, cursor: Cursor, width: int, height: int) -> tuple[NDArray[np.uint8] | None, str]:
        """Pixels of a mask or channel, and their digest."""
        raw = self.bytes(cursor, width, height, 1)
        if raw is None:
            return None, ""
        raw.setflags(write=False)
        return (raw[..., 0] if self.precision == "8-bit gamma" else None), pixels_digest(raw)

    def bytes(self, cursor: Cursor, width: int, height: int, channels: int) -> Plane | None:
        if not self.wanted:
            return None
        digits = self.precision.split("-")[0]
        if not digits.isdigit():
            raise StateError(f"{WHAT}: a precision that is not known")
        return read_tiles(cursor, width, height, channels * int(digits) // 8, self.compression, self.work)


def _version(data: bytes) -> int:
    tag = data[9:13]
    if (
        data[:9] != b"gimp xcf "
        or data[13:14] != b"\0"
        or not (tag == b"file" or (tag[1:].isdigit() and tag[:1] == b"v"))
    ):
        raise StateError(f"{WHAT}: does not begin as such a file does")
    version = 0 if tag == b"file" else int(tag[1:])
    if version > MAX_VERSION:
        raise StateError(f"{WHAT}: version {version}, expected at most {MAX_VERSION} (GIMP 2.10)")
    return version


def _size(cursor: Cursor) -> tuple[int, int]:
    width, height = cursor.number(), cursor.number()
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE) or width * height > MAX_PIXELS:
        raise StateError(f"{WHAT}: {width} x {height} pixels, expected at most {MAX_PIXELS} and {MAX_SIDE} a side")
    return width, height


def _addresses(cursor: Cursor) -> list[Cursor]:
    cursors: dict[int, Cursor] = {}
    while address := cursor.address():
        if address in cursors or len(cursors) >= MAX_LAYERS:
            raise StateError(f"{WHAT}: more than {MAX_LAYERS} layers or channels, or two in one place")
        cursors[address] = cursor.at(address)
    return list(cursors.values())


def _place(own: Mapping[int, Cursor], outside: int) -> tuple[int, ...]:
    """The position of the layer in the tree of groups: an index per level."""
    if props.ITEM_PATH not in own:
        return (outside,)
    cursor = own[props.ITEM_PATH]
    place = tuple(cursor.number() for _ in range(cursor.left // 4))
    if not 1 <= len(place) <= MAX_DEPTH:
        raise StateError(f"{WHAT}: groups in groups, {len(place)} deep, expected at most {MAX_DEPTH}")
    return place


def _of(names: tuple[_T, ...], number: int, what: str) -> _T:
    if not 0 <= number < len(names):
        raise StateError(f"{WHAT}: {what} {number} is not known")
    return names[number]


def _flag(own: Mapping[int, Cursor], which: int, *, default: bool = False) -> bool:
    return own[which].number() != 0 if which in own else default


def _opacity(own: Mapping[int, Cursor]) -> float:
    if props.EXACT_OPACITY in own:
        value = own[props.EXACT_OPACITY].real()
    else:
        value = own[props.OPACITY].number() / 255 if props.OPACITY in own else 1.0
    if not 0 <= value <= 1:
        raise StateError(f"{WHAT}: an opacity of {value}, expected 0 to 1")
    return round(value, 4)


def _colormap(found: Mapping[int, Cursor]) -> NDArray[np.uint8]:
    if props.COLORMAP not in found:
        return np.zeros((0, 3), np.uint8)
    count = found[props.COLORMAP].number()
    if count > 256:
        raise StateError(f"{WHAT}: a colour map of {count} colours, expected at most 256")
    return np.frombuffer(found[props.COLORMAP].take(3 * count), np.uint8).reshape(count, 3)


def _resolution(found: Mapping[int, Cursor]) -> tuple[float, float]:
    if props.RESOLUTION not in found:
        return 72.0, 72.0
    return round(found[props.RESOLUTION].real(), 3), round(found[props.RESOLUTION].real(), 3)


def _guides(found: Mapping[int, Cursor]) -> tuple[XcfGuide, ...]:
    if props.GUIDES not in found:
        return ()
    cursor = found[props.GUIDES]
    if cursor.left > 5 * MAX_LAYERS:
        raise StateError(f"{WHAT}: more than {MAX_LAYERS} guides")
    guides: list[XcfGuide] = []
    while cursor.left:
        position = cursor.signed()
        guides.append(XcfGuide("horizontal" if cursor.byte() == 1 else "vertical", position))
    return tuple(guides)


def _bounds(pixels: NDArray[np.uint8]) -> tuple[int, int, int, int] | None:
    rows, columns = np.flatnonzero(pixels.any(axis=1)), np.flatnonzero(pixels.any(axis=0))
    if len(rows) == 0:
        return None
    x, y = int(columns[0]), int(rows[0])
    return x, y, int(columns[-1]) - x + 1, int(rows[-1]) - y + 1


_NORMAL = 28  # GIMP's default mode for a layer without one

_KINDS = (3, 4, 1, 2, 1, 2)  # channels of RGB, gray and indexed layers, each without and with alpha

_UNITS = {0: "pixels", 1: "inches", 2: "millimeters", 3: "points", 4: "picas"}

# Version 4 numbers them from 0. The meaning of 400 to 550 changed with version 7, and no release wrote the others.
_PRECISIONS = {
    **{0: "8-bit gamma", 1: "16-bit gamma", 2: "32-bit linear", 3: "16-bit float linear", 4: "32-bit float linear"},
    **{100: "8-bit linear", 150: "8-bit gamma", 175: "8-bit perceptual"},
    **{200: "16-bit linear", 250: "16-bit gamma", 275: "16-bit perceptual"},
    **{300: "32-bit linear", 350: "32-bit gamma", 375: "32-bit perceptual"},
    **{500: "16-bit float linear", 550: "16-bit float gamma", 575: "16-bit float perceptual"},
    **{600: "32-bit float linear", 650: "32-bit float gamma", 675: "32-bit float perceptual"},
    **{700: "64-bit float linear", 750: "64-bit float gamma", 775: "64-bit float perceptual"},
}

_OLD_MODES = (
    *("normal", "dissolve", "behind", "multiply", "screen", "overlay", "difference", "addition", "subtract"),
    *("darken-only", "lighten-only", "hsv-hue", "hsv-saturation", "hsl-color", "hsv-value", "divide", "dodge", "burn"),
    *("hardlight", "softlight", "grain-extract", "grain-merge", "color-erase"),
)
MODES = (
    *(name if name == "dissolve" else f"{name}-legacy" for name in _OLD_MODES),
    *("overlay", "lch-hue", "lch-chroma", "lch-color", "lch-lightness", "normal", "behind", "multiply", "screen"),
    *("difference", "addition", "subtract", "darken-only", "lighten-only", "hsv-hue", "hsv-saturation", "hsl-color"),
    *("hsv-value", "divide", "dodge", "burn", "hardlight", "softlight", "grain-extract", "grain-merge"),
    *("vivid-light", "pin-light", "linear-light", "hard-mix", "exclusion", "linear-burn", "luma-darken-only"),
    *("luma-lighten-only", "luminance", "color-erase", "erase", "merge", "split", "pass-through"),
)
