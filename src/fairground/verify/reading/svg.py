"""Reading SVG drawings, as written by Inkscape, or crafted by an attacker.

Links are never opened. Scripts, animations and definitions (in `defs`) are not objects.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import urllib.parse
from functools import lru_cache
from typing import Literal
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.archive import MEGABYTE, parse_xml
from fairground.verify.reading.svg_drawing import (
    Drawing,
    DrawingObject,
    DrawingPicture,
    Gradient,
    Grid,
    Guide,
    Kind,
    Page,
    Paint,
    Shape,
    Span,
    Stop,
    Style,
    Text,
    drawing_leaves,
)
from fairground.verify.reading.svg_geometry import (
    IDENTITY,
    WHAT,
    Box,
    Matrix,
    Outline,
    number,
    product,
    scale_of,
)
from fairground.verify.reading.svg_paint import Paints
from fairground.verify.reading.svg_shapes import GROUPS, SHAPES, Shapes, geometry, own_transform
from fairground.verify.reading.svg_style import (
    INKSCAPE,
    SODIPODI,
    SVG,
    XLINK,
    Properties,
    cascaded,
    length,
    own_properties,
    read_stylesheet,
    reference,
    share,
)
from fairground.verify.reading.svg_text import read_text

__all__ = [
    "Box",
    "Drawing",
    "DrawingObject",
    "DrawingPicture",
    "Gradient",
    "Grid",
    "Guide",
    "Page",
    "Paint",
    "Shape",
    "Span",
    "Stop",
    "Style",
    "Text",
    "drawing_leaves",
    "read_svg",
]

MAX_BYTES = 32 * MEGABYTE
MAX_ELEMENTS = 200_000
MAX_OBJECTS = 20_000
MAX_TEXT = 200_000  # maximum characters of a title, description or name


@lru_cache(maxsize=4)
def read_svg(data: bytes) -> Drawing:
    """Read a drawing.

    Raises:
        StateError: It is not such a file, is compressed (.svgz), damaged, or over a limit.
    """
    if len(data) > MAX_BYTES:
        raise StateError(f"{WHAT}: {len(data)} bytes, expected at most {MAX_BYTES}")
    if data[:2] == b"\x1f\x8b":
        raise StateError(f"{WHAT}: it is packed (.svgz), expected plain SVG")
    root = parse_xml(data, what=WHAT, elements=MAX_ELEMENTS)
    if root.tag != f"{SVG}svg":
        raise StateError(f"{WHAT}: its outermost element is {root.tag[:80]!r}, expected svg")
    reader = _Reader(root)
    reader.walk(root, cascaded({}, own_properties(root, reader.sheet)), IDENTITY, (), "", True)
    view = root.find(f"{SODIPODI}namedview")
    view = Element("namedview") if view is None else view
    return Drawing(
        width=reader.size[0],
        height=reader.size[1],
        size=(root.get("width", "100%")[:100], root.get("height", "100%")[:100]),
        viewbox=reader.viewbox,
        unit=view.get(f"{INKSCAPE}document-units", "px")[:100],
        page_color=view.get("pagecolor", "#ffffff")[:100].lower(),
        metadata=_metadata(root),
        objects=tuple(part for part in reader.objects if part is not None),
        gradients=reader.paints.gradients(),
        guides=_guides(view, reader.viewbox[3]),
        grids=_grids(view, reader.viewbox[2] / reader.size[0]),
        pages=_pages(view),
        unread_rules=reader.sheet.unread,
    )


class _Reader:
    def __init__(self, root: Element) -> None:
        self.sheet = read_stylesheet(root)
        self.ids = _ids(root)
        self.size, self.viewbox = _page_size(root)
        self.paints = Paints(self.ids, self.sheet)
        self.shapes = Shapes(self.ids, self.viewbox)
        self.objects: list[DrawingObject | None] = []

    def walk(
        self,
        element: Element,
        properties: Properties,
        matrix: Matrix,
        parents: tuple[str, ...],
        layer: str,
        visible: bool,
    ) -> Box | None:
        """Read the children of a group. Returns the box of all; `_UNKNOWN` if one of them cannot be measured."""
        boxes: list[Box | None] = []
        for child in element:
            tag = child.tag.removeprefix(SVG)
            kind = _kind(child, tag)
            if kind is None:
                continue
            if len(self.objects) >= MAX_OBJECTS:
                raise StateError(f"{WHAT}: more than {MAX_OBJECTS} objects")
            place = len(self.objects)
            self.objects.append(None)  # a group comes before its objects, but is complete only after them
            own = own_properties(child, self.sheet)
            effective = cascaded(properties, own)
            inner = product(matrix, own_transform(child, self.viewbox))
            # With `display`, a hidden group hides everything in it; `visibility` is inherited and can be overridden.
            displayed = visible and own.get("display") != "none"
            name = child.get("id") or f"{kind}@{place}"
            shape: Outline | None = None
            if tag in GROUPS:
                around, inside = (*parents, name), name if kind == "layer" else layer
                box = self.walk(child, effective, inner, around, inside, displayed)
            else:
                shape = self.shapes.outline(child) if tag in SHAPES else None
                box = self.shapes.box(child, inner)
            boxes.append(box if box is not None or _can_be_measured(kind) else _UNKNOWN)
            shown = displayed and effective.get("visibility", "visible") == "visible"
            self.objects[place] = DrawingObject(
                id=name,
                kind=kind,
                label=_bounded(child.get(f"{INKSCAPE}label", "")),
                title=_said(child, "title"),
                description=_said(child, "desc"),
                parents=parents,
                layer=layer,
                visible=shown,
                locked=child.get(f"{SODIPODI}insensitive") == "true",
                box=None if box is _UNKNOWN else box,
                geometry=geometry(child, self.viewbox),
                transform=inner,
                style=self.style(effective, inner),
                shape=_shape(shape, inner),
                text=read_text(child, effective, inner, self.sheet, self.paints) if kind == "text" else None,
                picture=_picture(child) if kind == "image" else None,
                href=reference(_href(child)) if kind == "use" else "",
                clip=(clip := reference(own.get("clip-path"))),
                clip_box=self.shapes.children_box(self.ids[clip], inner) if clip in self.ids else None,
                mask=reference(own.get("mask")),
                effects=tuple(
                    part.strip("# ") for part in child.get(f"{INKSCAPE}path-effect", "")[:5000].split(";") if part
                ),
            )
        return _joined(boxes)

    def style(self, properties: Properties, matrix: Matrix) -> Style:
        scale = scale_of(matrix)
        dashes = properties.get("stroke-dasharray", "none").replace(",", " ").split()[:100]
        width = length(properties.get("stroke-width"), default=1.0, of=self.viewbox[2])
        every = properties.get("marker", "none")
        markers = [reference(properties.get(f"marker-{place}", every)) for place in ("start", "mid", "end")]
        return Style(
            fill=self.paints.read(properties, "fill", "black"),
            stroke=self.paints.read(properties, "stroke", "none"),
            stroke_width=width * scale,
            opacity=share(properties.get("opacity")),
            dashes=() if dashes == ["none"] else tuple(length(part, of=self.viewbox[2]) * scale for part in dashes),
            cap=properties.get("stroke-linecap", "butt"),
            join=properties.get("stroke-linejoin", "miter"),
            fill_rule=properties.get("fill-rule", "nonzero"),
            markers=(markers[0], markers[1], markers[2]),
            blend=properties.get("mix-blend-mode", "normal"),
            filters=self.paints.filters(properties.get("filter")),
        )


_UNKNOWN = Box(0.0, 0.0, -1.0, -1.0)


def _joined(boxes: list[Box | None]) -> Box | None:
    """The box around all. None means no content."""
    joined: Box | None = None
    for box in boxes:
        if box is _UNKNOWN:
            return _UNKNOWN
        if box is not None:
            joined = box if joined is None else joined.joined(box)
    return joined


def _can_be_measured(kind: Kind) -> bool:
    return kind not in ("text", "use", "image")


def _kind(element: Element, tag: str) -> Kind | None:
    if tag in GROUPS:
        return "layer" if element.get(f"{INKSCAPE}groupmode") == "layer" else "group"
    if tag in SHAPES or tag in ("text", "image", "use"):
        return tag  # type: ignore[return-value]  # the names of elements are the kinds
    return "text" if tag == "flowRoot" else None


def _shape(outline: Outline | None, matrix: Matrix) -> Shape | None:
    if outline is None:
        return None
    return Shape(outline.nodes, outline.subpaths, outline.closed, outline.area(matrix))


def _ids(root: Element) -> dict[str, Element]:
    by_id: dict[str, Element] = {}
    for element in root.iter():
        name = element.get("id")
        if name is None:
            continue
        if name in by_id or len(name) > 500:
            # Which of the two a reference means depends on the reader.
            raise StateError(f"{WHAT}: two elements have the id {name[:80]!r}, or it is too long")
        by_id[name] = element
    return by_id


def _page_size(root: Element) -> tuple[tuple[float, float], tuple[float, float, float, float]]:
    """Width and height in pixels, and the page in user units."""
    parts = root.get("viewBox", "").replace(",", " ").split()
    if parts and len(parts) != 4:
        raise StateError(f"{WHAT}: a viewBox of {len(parts)} numbers, expected 4")
    box = [number(part) for part in parts]
    across, down = (box[2], box[3]) if box else (100.0, 100.0)
    width = length(root.get("width", "100%"), of=across)
    height = length(root.get("height", "100%"), of=down)
    x, y, box_width, box_height = box or (0.0, 0.0, width, height)
    if min(width, height, box_width, box_height) <= 0:
        raise StateError(f"{WHAT}: a page without width or height")
    return (width, height), (x, y, box_width, box_height)


def _href(element: Element) -> str:
    return element.get(f"{XLINK}href") or element.get("href") or ""


def _said(element: Element, what: Literal["title", "desc"]) -> str:
    child = element.find(f"{SVG}{what}")
    return "" if child is None else _bounded("".join(child.itertext()).strip())


def _bounded(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise StateError(f"{WHAT}: a text of {len(text)} characters, expected at most {MAX_TEXT}")
    return text


def _picture(element: Element) -> DrawingPicture:
    link = _href(element)
    if not link.startswith("data:"):
        return DrawingPicture(_bounded(link), "", "")
    head, comma, body = link[5:].partition(",")
    try:
        if head.endswith(";base64"):
            raw = base64.b64decode(re.sub(r"\s+", "", body), validate=True)
        else:
            raw = urllib.parse.unquote_to_bytes(body)
    except (binascii.Error, ValueError):
        comma, raw = "", b""
    if not comma:
        raise StateError(f"{WHAT}: an embedded picture that is damaged")
    return DrawingPicture("", head.split(";")[0][:100], hashlib.sha256(raw).hexdigest()[:32], raw)


def _guides(view: Element, height: float) -> tuple[Guide, ...]:
    guides: list[Guide] = []
    for element in view.findall(f"{SODIPODI}guide"):
        x, y = _pair(element.get("position", "0,0"))
        across, down = _pair(element.get("orientation", "0,1"))
        orientation: Literal["horizontal", "vertical", "slanted"]
        orientation = "horizontal" if abs(across) < 1e-9 else "vertical" if abs(down) < 1e-9 else "slanted"
        label = _bounded(element.get(f"{INKSCAPE}label", ""))
        locked = element.get(f"{INKSCAPE}locked") == "true"
        # Inkscape stores the y of guides from the lower edge, as in old versions.
        guides.append(Guide(x, height - y, orientation, label, locked))
    return tuple(guides)


def _pair(text: str) -> tuple[float, float]:
    parts = text.replace(",", " ").split()
    if len(parts) != 2:
        raise StateError(f"{WHAT}: {text[:80]!r} where two numbers were expected")
    return number(parts[0]), number(parts[1])


def _grids(view: Element, unit: float) -> tuple[Grid, ...]:
    grids: list[Grid] = []
    for element in view.findall(f"{INKSCAPE}grid"):
        spacing = [length(element.get(f"spacing{axis}"), default=1.0) for axis in "xy"]
        kind = element.get("type", "xygrid")[:100]
        # Grid values are in pixels if the grid has a unit, and in user units if it has none.
        spacing = [
            value * (unit if re.search(r"[a-z]", element.get(f"spacing{axis}", "")) else 1)
            for axis, value in zip("xy", spacing, strict=True)
        ]
        visible, enabled = (element.get(name, "true") in ("true", "1") for name in ("visible", "enabled"))
        grids.append(Grid(kind, (spacing[0], spacing[1]), visible, enabled))
    return tuple(grids)


def _pages(view: Element) -> tuple[Page, ...]:
    pages: list[Page] = []
    for element in view.findall(f"{INKSCAPE}page"):
        x, y, width, height = (length(element.get(name)) for name in ("x", "y", "width", "height"))
        pages.append(Page(_bounded(element.get(f"{INKSCAPE}label", "")), Box(x, y, width, height)))
    return tuple(pages)


_DC = "{http://purl.org/dc/elements/1.1/}"
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_CC = tuple(f"{{{space}}}" for space in ("http://creativecommons.org/ns#", "http://web.resource.org/cc/"))


def _metadata(root: Element) -> dict[str, str]:
    """Title, creator and so on: first those of Inkscape's dialog, then the drawing's own title."""
    values: dict[str, str] = {}
    for work in (work for space in _CC for work in root.iter(f"{space}Work")):
        for part in work:
            name = part.tag.rpartition("}")[2]
            value = _value(part)
            if value and (part.tag.startswith((_DC, *_CC))):
                values[{"subject": "keywords"}.get(name, name)] = _bounded(value)
    title = _said(root, "title")
    return values if "title" in values or not title else {"title": title, **values}


def _value(element: Element) -> str:
    items = [" ".join("".join(item.itertext()).split()) for item in element.iter(f"{_RDF}li")]
    if items:
        return ", ".join(item for item in items if item)
    return element.get(f"{_RDF}resource") or " ".join("".join(element.itertext()).split())
