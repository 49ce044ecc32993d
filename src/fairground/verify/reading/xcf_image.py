"""Content of a GIMP file: image, layers, masks, channels, and all of it as leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairground.core import StateError
from fairground.verify.reading.picture import Pixels
from fairground.verify.reading.xcf_properties import XcfPath, XcfStroke, XcfText

Base: TypeAlias = Literal["rgb", "gray", "indexed"]


@dataclass(frozen=True)
class XcfGuide:
    """A guide: `vertical` ones have an x, `horizontal` ones a y."""

    orientation: Literal["horizontal", "vertical"]
    position: int


@dataclass(frozen=True)
class XcfMask:
    """A layer's mask; `pixels` are 0 for hidden, 255 for visible, None if not read."""

    name: str
    applied: bool
    shown: bool
    digest: str
    pixels: NDArray[np.uint8] | None = field(repr=False, compare=False)


@dataclass(frozen=True)
class XcfLayer:
    """One layer or group.

    Attributes:
        path: Names from the outermost group to the layer itself.
        x: X of its upper left corner on the canvas; may be negative.
        y: Y of its upper left corner.
        opacity: 0 to 1.
        mode: GIMP's name, such as `normal` or `multiply-legacy`.
        visible: Its own visibility; a hidden group also hides its layers.
        group: Whether it contains other layers.
        floating: Whether it is a floating selection.
        text: Its text, if it is a text layer.
        painted_over: For a text layer, whether it was painted on, so that its pixels may not show its text.
        digest: Digest of its pixels; empty for a group, and if pixels were not requested.
        pixels: Read-only, of the layer's size; None for a group, or for the reason in `pixels_note`.
    """

    name: str
    path: tuple[str, ...]
    width: int
    height: int
    x: int
    y: int
    has_alpha: bool
    opacity: float
    mode: str
    visible: bool
    linked: bool
    lock_content: bool
    lock_alpha: bool
    lock_position: bool
    color_tag: int
    group: bool
    floating: bool
    mask: XcfMask | None
    text: XcfText | None
    painted_over: bool
    parasites: Mapping[str, bytes]
    digest: str
    pixels_note: str
    pixels: Pixels | None = field(repr=False, compare=False)


@dataclass(frozen=True)
class XcfChannel:
    """A user-defined channel; `pixels` as in a mask."""

    name: str
    visible: bool
    linked: bool
    opacity: float
    color: str
    digest: str
    pixels: NDArray[np.uint8] | None = field(repr=False, compare=False)


@dataclass(frozen=True)
class XcfImage:
    """An image with everything that GIMP stores about it.

    Attributes:
        precision: Such as `8-bit gamma` or `32-bit float linear`.
        resolution: Dots per inch, horizontal and vertical.
        selection: x, y, width and height of the selection; None if there is none, or if pixels were not read.
        comment: The image comment, which GIMP stores in a parasite.
        layers: From top to bottom; a group comes before its layers.
        active_layer: Path of the active layer.
    """

    version: int
    width: int
    height: int
    base: Base
    precision: str
    compression: Literal["none", "rle", "zlib"]
    resolution: tuple[float, float]
    unit: str
    guides: tuple[XcfGuide, ...]
    colormap: tuple[str, ...]
    comment: str
    parasites: Mapping[str, bytes]
    paths: tuple[XcfPath, ...]
    layers: tuple[XcfLayer, ...]
    channels: tuple[XcfChannel, ...]
    active_layer: tuple[str, ...] | None
    selection: tuple[int, int, int, int] | None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the canvas."""
        return self.width, self.height

    def __getitem__(self, name: str) -> XcfLayer:
        """Return the only layer with this name, or with this path joined by `/`.

        Raises:
            StateError: There is none, or more than one.
        """
        matches = [layer for layer in self.layers if name in (layer.name, "/".join(layer.path))]
        if len(matches) != 1:
            names = ", ".join("/".join(layer.path) for layer in self.layers)
            raise StateError(f"the image has {len(matches)} layers named {name!r}, expected one; it has {names[:500]}")
        return matches[0]

    def to_json(self) -> dict[str, object]:
        """Everything but the pixels, which digests represent; parasites as text."""
        plain = _plain(self)
        assert isinstance(plain, dict)
        return plain


def xcf_leaves(image: XcfImage) -> dict[str, object]:
    """The image's content, flattened, without working state (selection, active layer)."""
    leaves: dict[str, object] = {
        **{name: getattr(image, name) for name in ("width", "height", "base", "precision", "comment", "colormap")},
        "resolution": tuple(round(value, 2) for value in image.resolution),
        "guides": tuple(sorted((guide.orientation, guide.position) for guide in image.guides)),
        "layers": tuple("/".join(layer.path) for layer in image.layers),
        "channels": tuple(channel.name for channel in image.channels),
        "paths": tuple(path.name for path in image.paths),
    }
    starts = _Starts()
    for layer in image.layers:
        start = starts.next("layer", "/".join(layer.path))
        for name in _LAYER_LEAVES:
            leaves[f"{start}.{name}"] = getattr(layer, name)
        if layer.mask is not None:
            leaves[f"{start}.mask.pixels"] = layer.mask.digest
            leaves[f"{start}.mask.applied"] = layer.mask.applied
        if layer.text is not None:
            leaves |= {f"{start}.text.{name}": value for name, value in layer.text.settings.items()}
    for channel in image.channels:
        start = starts.next("channel", channel.name)
        leaves |= {f"{start}.{name}": getattr(channel, name) for name in ("visible", "opacity", "color", "digest")}
    for path in image.paths:
        start = starts.next("path", path.name)
        leaves[f"{start}.visible"] = path.visible
        for number, stroke in enumerate(path.strokes):
            points = tuple((round(x, 3), round(y, 3)) for x, y in stroke.points)
            leaves[f"{start}.stroke[{number}]"] = (stroke.closed, points)
    return leaves


_LAYER_LEAVES = (
    *("width", "height", "x", "y", "has_alpha", "opacity", "mode", "visible", "linked", "lock_content", "lock_alpha"),
    *("lock_position", "color_tag", "group", "floating", "painted_over", "digest"),
)


class _Starts:
    """Prefixes of leaf paths. Names need not be unique in a file, so repeated ones get a number."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    def next(self, kind: str, name: str) -> str:
        start = f"{kind}[{name}]"
        self._times[start] = times = self._times.get(start, 0) + 1
        return start if times == 1 else f"{start}#{times}"


def _plain(value: object) -> object:
    if isinstance(value, XcfImage | XcfLayer | XcfMask | XcfChannel | XcfGuide | XcfPath | XcfStroke | XcfText):
        return {name: _plain(part) for name, part in vars(value).items() if name != "pixels"}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value[:2000].decode("utf-8", "replace") if isinstance(value, bytes) else value
