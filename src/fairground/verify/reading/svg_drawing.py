"""Content of an SVG drawing: page, layers, objects, styles, texts, and all of it as leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from fairground.core import InvalidInput, StateError
from fairground.verify.reading.kept import kept
from fairground.verify.reading.svg_geometry import Box, Matrix, Point
from fairground.verify.reading.svg_style import UNITS

Kind: TypeAlias = Literal[
    "rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text", "image", "use", "group", "layer"
]


@dataclass(frozen=True)
class Stop:
    """One colour of a gradient; `offset` and `opacity` from 0 to 1."""

    offset: float
    color: str
    opacity: float


@dataclass(frozen=True)
class Gradient:
    """A gradient, with what it inherits from others.

    Attributes:
        vector: x1, y1, x2, y2 of a linear one; cx, cy, r, fx, fy of a radial one; as in the file, before `transform`.
        units: `userSpaceOnUse` or `objectBoundingBox`.
    """

    id: str
    kind: Literal["linear", "radial"]
    stops: tuple[Stop, ...]
    vector: tuple[float, ...]
    units: str
    spread: str
    transform: Matrix


@dataclass(frozen=True)
class Paint:
    """The paint of a fill or a stroke.

    Attributes:
        kind: `other` is a pattern, a mesh, or something that is missing.
        color: `#rrggbb` of a plain colour.
        opacity: Combined opacity of the colour and of the fill or stroke, from 0 to 1.
        gradient: The gradient, if it is one.
        reference: The id of a gradient or pattern.
    """

    kind: Literal["none", "color", "linear", "radial", "other"]
    color: str = ""
    opacity: float = 1.0
    gradient: Gradient | None = None
    reference: str = ""


@dataclass(frozen=True)
class Style:
    """The look of a shape. Lengths are in user units of the drawing, with transforms applied.

    Attributes:
        opacity: Opacity of the object itself, without its groups.
        dashes: Alternating lengths of dash and gap; empty for a solid line.
        markers: Ids of the markers at start, middle and end.
        blend: The blend mode.
        filters: Such as `feGaussianBlur stdDeviation=3`; empty without a filter.
    """

    fill: Paint
    stroke: Paint
    stroke_width: float
    opacity: float
    dashes: tuple[float, ...] = ()
    cap: str = "butt"
    join: str = "miter"
    fill_rule: str = "nonzero"
    markers: tuple[str, str, str] = ("", "", "")
    blend: str = "normal"
    filters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Span:
    """A part of a text with the same look.

    Attributes:
        size: In user units of the drawing, with transforms applied.
        weight: 400 is normal, 700 bold.
        slant: `normal`, `italic` or `oblique`.
        decoration: `none`, `underline`, `line-through` and so on.
        shift: `super`, `sub` or a length, for text above or below its line.
    """

    text: str
    family: str
    size: float
    weight: int
    slant: str
    decoration: str
    fill: Paint
    shift: str = "baseline"


@dataclass(frozen=True)
class Text:
    """The content of a text object.

    Attributes:
        text: The text, with a line break between its lines.
        anchor: `start`, `middle` or `end`.
        position: The start of its first line (or its middle or end, according to `anchor`), with transforms applied.
        path: Id of the path that it follows.
        frame: Id of the shape that it flows in.
    """

    text: str
    spans: tuple[Span, ...]
    anchor: str
    line_height: str
    letter_spacing: str
    position: Point
    path: str = ""
    frame: str = ""


@dataclass(frozen=True)
class DrawingPicture:
    """A picture in the drawing: embedded (with its bytes) or linked (with a URL that is never opened)."""

    link: str
    mime: str
    digest: str
    data: bytes = field(default=b"", repr=False, compare=False)


@dataclass(frozen=True)
class Shape:
    """The outline of an object: number of nodes and subpaths, whether all are closed, and the enclosed area."""

    nodes: int
    subpaths: int
    closed: bool
    area: float


@dataclass(frozen=True)
class DrawingObject:
    """One object, group or layer.

    Attributes:
        label: As in the list of objects; empty if unnamed.
        parents: Ids of the groups around it, the outermost first.
        layer: Id of the innermost layer around it; empty without one.
        visible: Whether neither it nor a group around it is hidden.
        locked: Whether it is locked itself.
        box: In user units of the drawing, with transforms applied, without stroke width, clip and filter; None for
            text, whose size depends on fonts, and for groups that contain text.
        geometry: The parameters of the shape (`x`, `rx`, `sides`), before transforms.
        transform: From its own coordinates to the drawing's.
        shape: The outline, if it has one.
        href: Id of the original of a clone.
        clip: Id of its clip; `clip_box` is the box of the clip.
        mask: Id of its mask.
        effects: Ids of the live path effects.
    """

    id: str
    kind: Kind
    label: str
    title: str
    description: str
    parents: tuple[str, ...]
    layer: str
    visible: bool
    locked: bool
    box: Box | None
    geometry: Mapping[str, float]
    transform: Matrix
    style: Style
    shape: Shape | None = None
    text: Text | None = None
    picture: DrawingPicture | None = None
    href: str = ""
    clip: str = ""
    clip_box: Box | None = None
    mask: str = ""
    effects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Guide:
    """A guide through a point, with y from the top; `orientation` is `horizontal`, `vertical` or `slanted`."""

    x: float
    y: float
    orientation: Literal["horizontal", "vertical", "slanted"]
    label: str
    locked: bool


@dataclass(frozen=True)
class Grid:
    """A grid, with spacing in user units of the drawing."""

    kind: str
    spacing: tuple[float, float]
    visible: bool
    enabled: bool


@dataclass(frozen=True)
class Page:
    """One page of a drawing with several pages."""

    label: str
    box: Box


@dataclass(frozen=True)
class Drawing:
    """An SVG drawing.

    Attributes:
        width: In pixels, 96 per inch.
        height: In pixels, 96 per inch.
        size: Width and height as in the file, such as `210mm`.
        viewbox: x, y, width and height of the page in user units.
        unit: The display unit of Inkscape.
        metadata: Such as `title`, `creator`, `rights`, `license`, `keywords`; several values of one are joined by `, `.
        objects: In the order of the file: later ones are above. A group comes before its objects.
        gradients: All defined gradients, used or not.
        unread_rules: Selectors of style rules that are ignored.
    """

    width: float
    height: float
    size: tuple[str, str]
    viewbox: tuple[float, float, float, float]
    unit: str
    page_color: str
    metadata: Mapping[str, str]
    objects: tuple[DrawingObject, ...]
    gradients: tuple[Gradient, ...]
    guides: tuple[Guide, ...]
    grids: tuple[Grid, ...]
    pages: tuple[Page, ...]
    unread_rules: tuple[str, ...]

    @property
    def layers(self) -> tuple[DrawingObject, ...]:
        """The layers, the lowest first."""
        return tuple(part for part in self.objects if part.kind == "layer")

    def __getitem__(self, name: str) -> DrawingObject:
        """Return the object with this id, or else the only one with this label.

        Raises:
            StateError: There is none, or more than one.
        """
        matches = [part for part in self.objects if part.id == name]
        matches = matches or [part for part in self.objects if part.label == name]
        if len(matches) != 1:
            names = ", ".join(part.label or part.id for part in self.objects)
            raise StateError(
                f"the drawing has {len(matches)} objects named {name!r}, expected one; it has {names[:500]}"
            )
        return matches[0]

    def inside(self, name: str) -> tuple[DrawingObject, ...]:
        """All objects in the group or layer with this id or label, at any depth."""
        outer = self[name].id
        return tuple(part for part in self.objects if outer in part.parents)

    def length_in(self, unit: str, length: float) -> float:
        """Convert a length from user units of the drawing to `px`, `mm`, `cm`, `in`, `pt` or `pc`."""
        if unit not in UNITS:
            raise InvalidInput(f"the unit {unit!r}, expected one of {', '.join(UNITS)}")
        return length * self.width / self.viewbox[2] / UNITS[unit]

    def to_json(self) -> dict[str, object]:
        """Everything, as plain lists and dictionaries; embedded pictures as digests."""
        plain = _plain(self)
        assert isinstance(plain, dict)
        return plain


@kept
def drawing_leaves(drawing: Drawing) -> dict[str, object]:
    """The drawing's content, flattened. Gradients are described by their look, not by Inkscape's generated names."""
    leaves: dict[str, object] = {
        "size": (_short(drawing.width), _short(drawing.height)),
        "viewbox": _short(drawing.viewbox),
        "page_color": drawing.page_color,
        "order": tuple(part.id for part in drawing.objects),
        "guides": tuple(sorted((guide.orientation, _short(guide.x), _short(guide.y)) for guide in drawing.guides)),
        "grids": tuple((grid.kind, _short(grid.spacing), grid.visible) for grid in drawing.grids),
        "pages": tuple((page.label, _short(_plain(page.box))) for page in drawing.pages),
    }
    leaves |= {f"metadata.{name}": value for name, value in drawing.metadata.items()}
    for part in drawing.objects:
        _flatten(f"object[{part.id}]", part, leaves)
    return leaves


# Names that a save may change, and what follows from other fields.
_LEFT_OUT = frozenset(["id", "reference", "data"])
_ONLY_WHETHER = frozenset(["clip", "mask", "frame"])
_SINGLE = frozenset([bool, int, float, str])


@cache
def _part_names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(part.name for part in fields(kind) if part.name not in _LEFT_OUT)


def _flatten(start: str, value: object, leaves: dict[str, object]) -> None:
    if value is None or type(value) in _SINGLE:
        leaves[start] = _short(value)
    elif is_dataclass(value) and not isinstance(value, type):
        for name in _part_names(type(value)):
            if name in _ONLY_WHETHER:
                leaves[f"{start}.{name}"] = bool(getattr(value, name))
            else:
                _flatten(f"{start}.{name}", getattr(value, name), leaves)
    elif isinstance(value, Mapping):
        for name, part in value.items():
            _flatten(f"{start}.{name}", part, leaves)
    elif isinstance(value, tuple) and value and is_dataclass(value[0]):
        for number, part in enumerate(value):
            _flatten(f"{start}[{number}]", part, leaves)
    else:
        leaves[start] = _short(value)


def _short(value: object) -> object:
    """Numbers with the precision that Inkscape preserves in a save."""
    if isinstance(value, float):
        return round(value, 3) + 0.0  # avoids negative zero
    if isinstance(value, tuple | list):
        return tuple(_short(part) for part in value)
    if isinstance(value, dict):
        return tuple((name, _short(part)) for name, part in value.items())
    return value


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value) if part.name != "data"}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
