"""Outlines and boxes of the elements of an SVG drawing."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.svg_geometry import (
    MAX_SEGMENTS,
    WHAT,
    Box,
    Matrix,
    Outline,
    Pen,
    number,
    parse_path,
    parse_points,
    parse_transform,
    product,
)
from fairground.verify.reading.svg_style import SODIPODI, SVG, XLINK, length, reference

MAX_CLONES = 20  # maximum depth of clones of clones
MAX_VISITS = 40_000  # maximum number of measured elements, counted once per clone

SHAPES = frozenset(["rect", "circle", "ellipse", "line", "polyline", "polygon", "path"])
GROUPS = frozenset(["g", "a", "switch", "svg"])

_NUMBERS = {
    "x": 0, "y": 1, "width": 0, "height": 1, "rx": 0, "ry": 1, "cx": 0, "cy": 1, "r": 0, "x1": 0, "y1": 1, "x2": 0,
    "y2": 1,
}  # fmt: skip
_STAR = ("sides", "cx", "cy", "rx", "ry", "r1", "r2", "arg1", "arg2", "start", "end", "expansion", "revolution")


def geometry(element: Element, viewbox: tuple[float, float, float, float]) -> dict[str, float]:
    """The parameters of an element's shape, before transforms; for stars and arcs those that Inkscape stores."""
    parameters = {
        name: length(element.get(name), of=viewbox[2 + axis])
        for name, axis in _NUMBERS.items()
        if element.get(name) not in (None, "auto") and element.tag not in _TEXTS
    }
    if element.get(f"{SODIPODI}type"):
        parameters |= {
            name: length(element.get(f"{SODIPODI}{name}")) for name in _STAR if element.get(f"{SODIPODI}{name}")
        }
    return parameters


def own_transform(element: Element, viewbox: tuple[float, float, float, float]) -> Matrix:
    """The transform from the coordinates inside of an element to those around it."""
    matrix = parse_transform(element.get("transform"))
    if element.tag != f"{SVG}svg":
        return matrix
    x, y = length(element.get("x"), of=viewbox[2]), length(element.get("y"), of=viewbox[3])
    width = length(element.get("width", "100%"), of=viewbox[2])
    height = length(element.get("height", "100%"), of=viewbox[3])
    parts = [number(part) for part in element.get("viewBox", "").replace(",", " ").split()]
    scale = 1.0
    if len(parts) == 4 and parts[2] > 0 and parts[3] > 0:
        # Uniformly and centered, which is the default of `preserveAspectRatio`.
        scale = min(width / parts[2], height / parts[3])
        x += (width - scale * parts[2]) / 2 - scale * parts[0]
        y += (height - scale * parts[3]) / 2 - scale * parts[1]
    return product(matrix, (scale, 0.0, 0.0, scale, x, y))


# A text may have a list of positions, one per character.
_TEXTS = frozenset([f"{SVG}text", f"{SVG}flowRoot"])


class Shapes:
    """Measures the elements of one drawing, within a total number of segments."""

    def __init__(self, ids: dict[str, Element], viewbox: tuple[float, float, float, float]) -> None:
        self._ids = ids
        self._viewbox = viewbox
        self._left = MAX_SEGMENTS
        self._visits_left = MAX_VISITS
        self._outlines: dict[Element, Outline] = {}

    def outline(self, element: Element) -> Outline:
        """The outline of a shape, before transforms."""
        if element not in self._outlines:
            self._outlines[element] = outline = self._outline(element)
            self._left -= len(outline.curves)
        return self._outlines[element]

    def box(self, element: Element, matrix: Matrix, *, depth: int = 0) -> Box | None:
        """The box of an element under a transform that includes its own; None if unknown."""
        tag = element.tag.removeprefix(SVG)
        self._visits_left -= 1
        if depth > MAX_CLONES or self._visits_left < 0:
            raise StateError(f"{WHAT}: clones of clones of itself, or too many")
        if tag in SHAPES:
            return self._measured(self.outline(element), matrix)
        if tag == "image":
            return self._measured(self._rectangle(element), matrix)
        if tag == "use":
            return self._clone_box(element, matrix, depth)
        return self.children_box(element, matrix, depth=depth) if tag in (*GROUPS, "symbol") else None

    def children_box(self, element: Element, matrix: Matrix, *, depth: int = 0) -> Box | None:
        """The box of all children of an element; None if a part is unknown."""
        joined: Box | None = None
        for child in element:
            tag = child.tag.removeprefix(SVG)
            if tag not in SHAPES and tag not in GROUPS and tag not in ("image", "use", "text", "flowRoot"):
                continue
            box = self.box(child, product(matrix, own_transform(child, self._viewbox)), depth=depth)
            if box is None:
                return None
            joined = box if joined is None else joined.joined(box)
        return joined

    def _measured(self, outline: Outline, matrix: Matrix) -> Box | None:
        # A long outline that is cloned often counts as several elements.
        self._visits_left -= len(outline.curves) // 100
        return outline.box(matrix)

    def _clone_box(self, element: Element, matrix: Matrix, depth: int) -> Box | None:
        target = self._ids.get(reference(element.get(f"{XLINK}href") or element.get("href")))
        if target is None:
            return None
        x, y = (self._length(element, name, axis) for name, axis in (("x", 0), ("y", 1)))
        inner = product(product(matrix, (1.0, 0.0, 0.0, 1.0, x, y)), own_transform(target, self._viewbox))
        return self.box(target, inner, depth=depth + 1)

    def _length(self, element: Element, name: str, axis: int) -> float:
        return length(element.get(name), of=self._viewbox[2 + axis])

    def _outline(self, element: Element) -> Outline:
        tag = element.tag.removeprefix(SVG)
        if tag == "path":
            return parse_path(element.get("d", ""), left=self._left)
        if tag == "rect":
            return self._rectangle(element)
        pen = Pen(self._left)
        if tag in ("circle", "ellipse"):
            cx, cy = self._length(element, "cx", 0), self._length(element, "cy", 1)
            rx = self._length(element, "r" if tag == "circle" else "rx", 0)
            ry = rx if tag == "circle" else self._length(element, "ry", 1)
            pen.move((cx + rx, cy))
            for dx, dy in ((0, 1), (-1, 0), (0, -1), (1, 0)):
                pen.arc(rx, ry, 0, False, True, (cx + dx * rx, cy + dy * ry))
            pen.close()
        elif tag == "line":
            pen.move((self._length(element, "x1", 0), self._length(element, "y1", 1)))
            pen.line((self._length(element, "x2", 0), self._length(element, "y2", 1)))
        else:
            points = parse_points(element.get("points", ""))
            for place, point in enumerate(points):
                (pen.line if place else pen.move)(point)
            if tag == "polygon" and points:
                pen.close()
        return pen.done()

    def _rectangle(self, element: Element) -> Outline:
        x, y, width, height = (
            self._length(element, name, axis) for name, axis in (("x", 0), ("y", 1), ("width", 0), ("height", 1))
        )
        rx, ry = (element.get(name) for name in ("rx", "ry"))
        rx, ry = (None if value == "auto" else value for value in (rx, ry))
        across = min(length(rx if rx is not None else ry, of=self._viewbox[2]), width / 2)
        down = min(length(ry if ry is not None else rx, of=self._viewbox[3]), height / 2)
        pen = Pen(self._left)
        right, bottom = x + width, y + height
        if across <= 0 or down <= 0:
            pen.move((x, y))
            for corner in ((right, y), (right, bottom), (x, bottom)):
                pen.line(corner)
        else:
            pen.move((x + across, y))
            pen.line((right - across, y))
            pen.arc(across, down, 0, False, True, (right, y + down))
            pen.line((right, bottom - down))
            pen.arc(across, down, 0, False, True, (right - across, bottom))
            pen.line((x + across, bottom))
            pen.arc(across, down, 0, False, True, (x, bottom - down))
            pen.line((x, y + down))
            pen.arc(across, down, 0, False, True, (x + across, y))
        pen.close()
        return pen.done()
