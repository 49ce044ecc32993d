"""Marks that show an action on its frame, drawn as SVG on pages and with Pillow on contact sheets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from fairground.core import (
    Action,
    Answer,
    CallUser,
    Click,
    Drag,
    InvalidAction,
    Key,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Scroll,
    Type,
)
from fairground.report.describe import quote

COLOUR = "#f0246e"
"""Visible on light and dark apps, together with its white outline."""


@dataclass(frozen=True)
class Ring:
    """Position of a button press, with one circle per click."""

    at: Point
    count: int = 1


@dataclass(frozen=True)
class Trail:
    """Path of a movement, with an arrow head at the end."""

    points: tuple[Point, ...]


@dataclass(frozen=True)
class Box:
    """A region of the screen: left, top, right, bottom."""

    region: tuple[float, float, float, float]


Mark: TypeAlias = Ring | Trail | Box


def marks(action: Action, size: tuple[int, int], cursor: tuple[int, int] | None = None) -> tuple[Mark, ...]:
    """Return what to draw, in pixels of a frame of this size.

    Args:
        action: Action in any coordinate space. One that is off screen has no marks.
        size: Width and height of the frame.
        cursor: Previous position of the pointer, for actions without a point.
    """
    try:
        aimed = action.to_pixels(*size)
    except InvalidAction:
        return ()
    match aimed:
        case Click():
            return tuple(Ring(point, aimed.count) for point in _points(aimed.points, cursor))
        case MouseDown() | MouseUp() | Move():
            return tuple(Ring(point) for point in _points(aimed.points, cursor))
        case Scroll():
            return tuple(_scroll(aimed, point, size) for point in _points(aimed.points, cursor))
        case Drag():
            return (Trail(aimed.path), Ring(aimed.path[0]))
        case Look():
            return () if aimed.region is None else (Box(aimed.region),)
        case _:
            return ()


def caption(action: Action, *, limit: int = 60) -> str:
    """Return the text to show over the frame for actions without a position: typed text, keys, an answer."""
    match action:
        case Type() | Answer() | CallUser():
            return quote(action.text, limit)[1:-1]
        case Key():
            times = f" ({action.repeat} times)" if action.repeat > 1 else ""
            return " + ".join(action.keys) + times
        case KeyDown():
            return f"{action.key} ↓"
        case KeyUp():
            return f"{action.key} ↑"
        case _:
            return ""


def scale(size: tuple[int, int]) -> float:
    """Return the drawing scale: 1 for a screen of 1280 by 720."""
    return min(max(math.hypot(*size) / math.hypot(1280, 720), 0.05), 4.0)


def arrow_head(points: tuple[Point, ...], length: float) -> tuple[Point, Point, Point] | None:
    """Return the corners of an arrow head at the end of a path; None if the path has no length."""
    for start, end in reversed(list(pairwise(points))):
        dx, dy = end[0] - start[0], end[1] - start[1]
        if distance := math.hypot(dx, dy):
            ux, uy = dx / distance * length, dy / distance * length
            base = (end[0] - ux, end[1] - uy)
            return end, (base[0] - uy * 0.6, base[1] + ux * 0.6), (base[0] + uy * 0.6, base[1] - ux * 0.6)
    return None


def _points(named: tuple[Point, ...], cursor: tuple[int, int] | None) -> tuple[Point, ...]:
    return named or ((cursor,) if cursor else ())


def _scroll(scroll: Scroll, at: Point, size: tuple[int, int]) -> Trail:
    # Proportional to the amount, with a limit so that it does not cover the picture.
    reach = min(size) / 4
    across, down = (math.copysign(min(abs(n) * reach / 6 + reach / 4, reach), n) if n else 0 for n in scroll.clicks())
    return Trail((at, (at[0] + across, at[1] + down)))
