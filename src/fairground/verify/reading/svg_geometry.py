"""Shapes of SVG drawings: transforms, path data, and the boxes and areas that follow from them.

Every outline is converted to cubic curves (including straight lines), so that one formula gives exact boxes and areas.
Elliptical arcs are approximated with an error below 0.03% of the radius.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairground.core import StateError

WHAT = "drawing (.svg)"
MAX_TRANSFORMS = 200
MAX_SEGMENTS = 200_000  # maximum of all outlines together
MAX_NUMBER = 1e9

Matrix: TypeAlias = tuple[float, float, float, float, float, float]
"""a, b, c, d, e, f: x' = a x + c y + e and y' = b x + d y + f."""
Point: TypeAlias = tuple[float, float]

IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Box:
    """An axis-aligned rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """X of the right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Y of the lower edge."""
        return self.y + self.height

    @property
    def center(self) -> Point:
        """The center point."""
        return self.x + self.width / 2, self.y + self.height / 2

    def joined(self, other: Box) -> Box:
        """The smallest box that contains both."""
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Box(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)


@dataclass(frozen=True)
class Outline:
    """The outline of a shape.

    Attributes:
        curves: Four points per segment: start, two handles, end.
        subpaths: Number of subpaths.
        closed: Whether all of them are closed.
        nodes: Number of points on the outline. The common start and end of a closed subpath counts once.
    """

    curves: NDArray[np.float64]
    subpaths: int
    closed: bool
    nodes: int

    def box(self, matrix: Matrix = IDENTITY) -> Box | None:
        """The exact box of the transformed outline; None without segments."""
        if len(self.curves) == 0:
            return None
        points = transformed(self.curves, matrix)
        first, second, third, last = (points[:, number] for number in range(4))
        # Where the derivative of a coordinate is 0: a t^2 + b t + c = 0.
        a = last - 3 * third + 3 * second - first
        b = 2 * (third - 2 * second + first)
        c = second - first
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(b * b - 4 * a * c)
            times = np.stack([(-b + root) / (2 * a), (-b - root) / (2 * a), -c / b])
        times = np.where(np.isfinite(times), np.clip(times, 0, 1), 0)
        rest = 1 - times
        turns = rest**3 * first + 3 * rest**2 * times * second + 3 * rest * times**2 * third + times**3 * last
        everything = np.concatenate([turns.reshape(-1, 2), first, last])
        (left, top), (right, bottom) = everything.min(axis=0), everything.max(axis=0)
        return Box(float(left), float(top), float(right - left), float(bottom - top))

    def area(self, matrix: Matrix = IDENTITY) -> float:
        """The enclosed area. A hole with the opposite direction is subtracted."""
        points = transformed(self.curves, matrix)
        (x0, x1, x2, x3), (y0, y1, y2, y3) = points[..., 0].T, points[..., 1].T
        sums = x0 * (6 * y1 + 3 * y2 + y3) + 3 * (x1 * (y2 + y3 - 2 * y0) - x2 * (y0 + y1 - 2 * y3))
        return abs(float(((sums - x3 * (y0 + 3 * y1 + 6 * y2)) / 20).sum()))


def transformed(points: NDArray[np.float64], matrix: Matrix) -> NDArray[np.float64]:
    """Apply a transform to points, whose last axis is x and y."""
    a, b, c, d, e, f = matrix
    result: NDArray[np.float64] = points @ np.array([[a, b], [c, d]]) + np.array([e, f])
    return result


def moved(point: Point, matrix: Matrix) -> Point:
    """Apply a transform to one point."""
    (x, y), (a, b, c, d, e, f) = point, matrix
    return a * x + c * y + e, b * x + d * y + f


def product(outer: Matrix, inner: Matrix) -> Matrix:
    """The combined transform, with the inner one applied first."""
    a, b, c, d, e, f = outer
    g, h, i, j, k, m = inner
    result = (a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * m + e, b * k + d * m + f)
    if not all(abs(number) <= MAX_NUMBER for number in result):
        raise StateError(f"{WHAT}: a transform that leads out of all bounds")
    return result


def scale_of(matrix: Matrix) -> float:
    """The mean scale factor of a transform over all directions."""
    a, b, c, d, _e, _f = matrix
    return math.sqrt(abs(a * d - b * c))


def parse_transform(text: str | None) -> Matrix:
    """Parse a `transform` attribute."""
    matrix = IDENTITY
    if text is None:
        return matrix
    text = text.strip()
    position, count = 0, 0
    while position < len(text):
        match = _FUNCTION.match(text, position)
        count += 1
        if match is None or count > MAX_TRANSFORMS:
            raise StateError(f"{WHAT}: the transform {text[:80]!r} is malformed, or too long")
        position = match.end()
        matrix = product(matrix, _function(match[1], _numbers(match[2])))
    return matrix


def _function(name: str, values: list[float]) -> Matrix:
    match name, values:
        case "matrix", [a, b, c, d, e, f]:
            return a, b, c, d, e, f
        case "translate", [x, *rest] if len(rest) < 2:
            return 1.0, 0.0, 0.0, 1.0, x, rest[0] if rest else 0.0
        case "scale", [x, *rest] if len(rest) < 2:
            return x, 0.0, 0.0, rest[0] if rest else x, 0.0, 0.0
        case "rotate", [angle, *around] if len(around) in (0, 2):
            turn = math.radians(angle)
            matrix = (math.cos(turn), math.sin(turn), -math.sin(turn), math.cos(turn), 0.0, 0.0)
            x, y = around or (0.0, 0.0)
            return product(product((1.0, 0.0, 0.0, 1.0, x, y), matrix), (1.0, 0.0, 0.0, 1.0, -x, -y))
        case "skewX", [angle]:
            return 1.0, 0.0, math.tan(math.radians(angle)), 1.0, 0.0, 0.0
        case "skewY", [angle]:
            return 1.0, math.tan(math.radians(angle)), 0.0, 1.0, 0.0, 0.0
    raise StateError(f"{WHAT}: the transform {name} with {len(values)} numbers")


_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_FUNCTION = re.compile(r"[\s,]*(matrix|translate|scale|rotate|skewX|skewY)\s*\(([^()]*)\)[\s,]*")
_SPACE = re.compile(r"[\s,]*")


def number(text: str) -> float:
    """Parse a plain number.

    Raises:
        StateError: It is not a number, or too large.
    """
    if not _NUMBER.fullmatch(text) or len(text) > 100 or abs(float(text)) > MAX_NUMBER:
        raise StateError(f"{WHAT}: {text[:80]!r} where a number was expected")
    return float(text)


def _numbers(text: str) -> list[float]:
    return [number(part) for part in text.replace(",", " ").split()]


def parse_points(text: str) -> list[Point]:
    """Parse a `points` attribute."""
    values = _Tokens(text).all_numbers()
    if len(values) % 2:
        raise StateError(f"{WHAT}: an odd count of coordinates in a list of points")
    return list(zip(values[::2], values[1::2], strict=True))


class Pen:
    """Draws an outline, within a remaining number of segments."""

    def __init__(self, left: int = MAX_SEGMENTS) -> None:
        self._left = left
        self._curves: list[tuple[Point, Point, Point, Point]] = []
        self._closed: list[bool] = []
        self._nodes = 0
        self.at: Point = (0.0, 0.0)
        self._begin: Point = (0.0, 0.0)

    def move(self, to: Point) -> None:
        """Begin a new subpath."""
        self.at = self._begin = to
        self._closed.append(False)
        self._nodes += 1

    def line(self, to: Point) -> None:
        """Draw a straight line."""
        self.curve(self.at, to, to)

    def curve(self, first: Point, second: Point, to: Point, *, node: bool = True) -> None:
        """Draw a cubic curve."""
        if not self._closed:
            raise StateError(f"{WHAT}: a path that does not begin with a move")
        if self._closed[-1]:
            self.move(self._begin)
        if len(self._curves) >= self._left:
            raise StateError(f"{WHAT}: more than {MAX_SEGMENTS} segments in its outlines")
        if not all(abs(value) <= MAX_NUMBER for value in (*first, *second, *to)):
            raise StateError(f"{WHAT}: an outline that leads out of all bounds")
        self._curves.append((self.at, first, second, to))
        self._nodes += node
        self.at = to

    def arc(self, rx: float, ry: float, tilt: float, large: bool, sweep: bool, to: Point) -> None:
        """Draw a part of an ellipse, with the parameters of path data."""
        (x0, y0), (x1, y1) = self.at, to
        if self.at == to:
            return
        if rx == 0 or ry == 0:
            self.line(to)
            return
        rx, ry, turn = abs(rx), abs(ry), math.radians(tilt)
        cos, sin = math.cos(turn), math.sin(turn)
        # In the ellipse's own axes, with the midpoint of the two points at 0.
        x, y = cos * (x0 - x1) / 2 + sin * (y0 - y1) / 2, -sin * (x0 - x1) / 2 + cos * (y0 - y1) / 2
        fit = math.hypot(x / rx, y / ry)
        if fit > 1:
            rx, ry = rx * fit, ry * fit
        rest = max(0.0, 1 / max(math.hypot(x / rx, y / ry), 1e-12) ** 2 - 1)
        away = math.sqrt(rest) * (-1 if large == sweep else 1)
        cx, cy = away * rx * y / ry, -away * ry * x / rx
        start = math.atan2((y - cy) / ry, (x - cx) / rx)
        span = math.atan2((-y - cy) / ry, (-x - cx) / rx) - start
        if sweep and span < 0:
            span += math.tau
        elif not sweep and span > 0:
            span -= math.tau
        middle = cos * cx - sin * cy + (x0 + x1) / 2, sin * cx + cos * cy + (y0 + y1) / 2
        own = (cos * rx, sin * rx, -sin * ry, cos * ry, *middle)
        steps = max(1, math.ceil(abs(span) / (math.pi / 2) - 1e-9))
        for step in range(steps):
            self._circle_part(own, start + span * step / steps, span / steps, to if step == steps - 1 else None)

    def _circle_part(self, own: Matrix, start: float, span: float, to: Point | None) -> None:
        reach = 4 / 3 * math.tan(span / 4)
        end = start + span
        first = math.cos(start) - reach * math.sin(start), math.sin(start) + reach * math.cos(start)
        second = math.cos(end) + reach * math.sin(end), math.sin(end) - reach * math.cos(end)
        target = moved((math.cos(end), math.sin(end)), own) if to is None else to
        self.curve(moved(first, own), moved(second, own), target, node=to is not None)

    def close(self) -> None:
        """Return to the start of the subpath."""
        if not self._closed:
            raise StateError(f"{WHAT}: a path that does not begin with a move")
        if self._closed[-1]:
            return
        if math.dist(self.at, self._begin) > 1e-9:
            self.line(self._begin)
        if self._nodes > 1:
            self._nodes -= 1
        self._closed[-1] = True
        self.at = self._begin

    def done(self) -> Outline:
        """Return the outline."""
        curves = np.array(self._curves, np.float64).reshape(-1, 4, 2)
        return Outline(curves, len(self._closed), bool(self._closed) and all(self._closed), self._nodes)


def parse_path(text: str, *, left: int = MAX_SEGMENTS) -> Outline:
    """Parse a `d` attribute.

    Raises:
        StateError: It is malformed, or has more segments than are left.
    """
    pen, tokens = Pen(left), _Tokens(text)
    handle: Point | None = None
    command = ""
    while not tokens.finished:
        letter = tokens.letter()
        if letter:
            command = letter
        elif command in "MmZz":
            # After a move, further points are lines.
            command = {"M": "L", "m": "l"}.get(command, "")
        if command not in _COMMANDS:
            raise StateError(f"{WHAT}: path data that is malformed at character {tokens.position}")
        handle = _draw(pen, tokens, command, handle)
    return pen.done()


_COMMANDS = frozenset("MmLlHhVvCcSsQqTtAaZz")


def _draw(pen: Pen, tokens: _Tokens, command: str, handle: Point | None) -> Point | None:
    """Draw one command. Returns the last handle, for commands that continue smoothly."""
    kind, (x, y) = command.upper(), pen.at
    from_x, from_y = (x, y) if command.islower() else (0.0, 0.0)

    def point() -> Point:
        return tokens.number() + from_x, tokens.number() + from_y

    mirrored = (2 * x - handle[0], 2 * y - handle[1]) if handle else (x, y)
    if kind == "Z":
        pen.close()
    elif kind == "M":
        pen.move(point())
    elif kind == "L":
        pen.line(point())
    elif kind == "H":
        pen.line((tokens.number() + from_x, y))
    elif kind == "V":
        pen.line((x, tokens.number() + from_y))
    elif kind == "A":
        rx, ry, tilt, large, sweep = tokens.number(), tokens.number(), tokens.number(), tokens.flag(), tokens.flag()
        pen.arc(rx, ry, tilt, large, sweep, point())
    elif kind in "CS":
        first = point() if kind == "C" else mirrored
        second, to = point(), point()
        pen.curve(first, second, to)
        return second
    else:
        middle = point() if kind == "Q" else mirrored
        to = point()
        pen.curve(_between((x, y), middle), _between(to, middle), to)
        return middle
    return None


def _between(end: Point, middle: Point) -> Point:
    return end[0] + (middle[0] - end[0]) * 2 / 3, end[1] + (middle[1] - end[1]) * 2 / 3


class _Tokens:
    def __init__(self, text: str) -> None:
        self._text = text
        self.position = 0
        self._skip()

    @property
    def finished(self) -> bool:
        return self.position >= len(self._text)

    def letter(self) -> str:
        """The next character if it is a letter; otherwise empty."""
        character = self._text[self.position]
        if not character.isalpha():
            return ""
        self.position += 1
        self._skip()
        return character

    def flag(self) -> bool:
        character = self._text[self.position : self.position + 1]
        if character not in ("0", "1"):
            raise StateError(f"{WHAT}: path data that is malformed at character {self.position}")
        self.position += 1
        self._skip()
        return character == "1"

    def number(self) -> float:
        match = _NUMBER.match(self._text, self.position)
        if match is None:
            raise StateError(f"{WHAT}: path data that is malformed at character {self.position}")
        value = float(match[0])
        if abs(value) > MAX_NUMBER:
            raise StateError(f"{WHAT}: path data with the number {match[0][:80]}, which is out of all bounds")
        self.position = match.end()
        self._skip()
        return value

    def all_numbers(self) -> list[float]:
        values: list[float] = []
        while not self.finished:
            values.append(self.number())
            if len(values) > 2 * MAX_SEGMENTS:
                raise StateError(f"{WHAT}: more than {MAX_SEGMENTS} points")
        return values

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self.position)
        assert match is not None  # it also matches the empty string
        self.position = match.end()
