"""Scatter plot of success against cost, with intervals in both directions and the Pareto front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairground.report.html import Html, join, tag
from fairground.report.palette import Look, marker, paint
from fairground.report.plots.axes import bottom_axis, left_axis, legend
from fairground.report.plots.scale import Scale, Write, around, logarithmic, percent, whole
from fairground.report.plots.svg import WIDE, Drawing, line, mark, n, width_of, words
from fairground.stats.interval import Interval

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class Spot:
    """A contender with its cost (`x`) and its success (`y`)."""

    label: str
    look: Look
    x: Interval
    y: Interval
    said: str = ""


def scatter(spots: Sequence[Spot], *, width: int, x_axis: str, y_axis: str, write: Write) -> Drawing:
    """Draw points with crossed intervals. The horizontal axis is logarithmic if costs differ more than tenfold."""
    tall = 300.0 if width >= WIDE else 250.0
    top = 26.0
    left, right, bottom = 44.0, width - 16.0, top + tall
    costs = [value for spot in spots for value in (spot.x.low, spot.x.estimate, spot.x.high) if math.isfinite(value)]
    means = [spot.x.estimate for spot in spots]
    if costs and min(costs) > 0 and max(means) > 10 * min(means):
        x = logarithmic(costs, left, right)
        x_axis += ", logarithmic"
    else:
        # Start at zero, unless that would push all points to one side.
        zero = (0.0,) if costs and min(costs) < 0.4 * max(costs) else ()
        x = around(costs, left, right, floor=0.0, include=zero, count=6 if width >= WIDE else 4)
    y = whole(bottom, top)
    parts: list[Html] = [left_axis(y, left, right, percent, title=y_axis)]
    parts.append(bottom_axis(x, top, bottom, write, title=x_axis))
    best = front([(spot.x.estimate, spot.y.estimate) for spot in spots])
    if len(best) > 1:
        parts.append(_front([spots[place] for place in best], x, y))
    taken: list[Box] = []
    for spot in spots:
        at, height = x(spot.x.estimate), y(spot.y.estimate)
        taken.append((at - 8, height - 8, at + 8, height + 8))
        taken.append((x(spot.x.low), height - 2, x(spot.x.high), height + 2))
        taken.append((at - 2, y(spot.y.high), at + 2, y(spot.y.low)))
    nameless = []
    for place, spot in enumerate(spots):
        at, height = x(spot.x.estimate), y(spot.y.estimate)
        drawn = [
            line(x(spot.x.low), height, x(spot.x.high), height, spot.look.colour, 1.5, opacity=0.7),
            line(at, y(spot.y.low), at, y(spot.y.high), spot.look.colour, 1.5, opacity=0.7),
            marker(spot.look, at, height, size=6 if place in best else 5),
        ]
        parts.append(mark(spot.said or spot.label, drawn))
        name = _name(spot.label, at, height, taken, (left, top, right, bottom))
        if name is None:
            nameless.append((spot.label, spot.look))
        else:
            parts.append(name)
    # Names without room beside their point are listed below.
    keys, high = legend(nameless, width, bottom + 42, lines=False)
    return Drawing(width, bottom + 40 + (high + 4 if nameless else 0), join((*parts, keys)))


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the indices of the points on the Pareto front, from cheap to expensive.

    No other point is at least as cheap and at least as good as one of these, and better in one of the two.
    """
    best = [
        place
        for place, (cost, good) in enumerate(points)
        if not any(c <= cost and g >= good and (c < cost or g > good) for c, g in points)
    ]
    return sorted(best, key=lambda place: points[place])


def _front(spots: Sequence[Spot], x: Scale, y: Scale) -> Html:
    path = f"M{n(x(spots[0].x.estimate))} {n(y(spots[0].y.estimate))}"
    for spot in spots[1:]:  # a staircase: between two contenders, the cheaper one is the best available
        path += f"H{n(x(spot.x.estimate))}V{n(y(spot.y.estimate))}"
    return tag("path", d=path, fill="none", stroke=paint("muted"), stroke_width=1.25, stroke_dasharray="5 4")


def _name(
    label: str, x: float, y: float, taken: list[Box], frame: Box
) -> Html | None:  # fmt: skip
    """Draw the name beside its point, in the first free corner; None if none is free."""
    wide = min(width_of(label, 11), 130.0)
    for dx, dy, anchor in ((9, -7, "start"), (9, 15, "start"), (-9, -7, "end"), (-9, 15, "end")):
        start = x + dx if anchor == "start" else x + dx - wide
        box = (start, y + dy - 10, start + wide, y + dy + 3)
        inside = frame[0] <= box[0] and frame[1] <= box[1] and box[2] <= frame[2] and box[3] <= frame[3]
        if inside and not any(_meet(box, occupied) for occupied in taken):
            taken.append(box)
            return words(label, x + dx, y + dy, anchor=None if anchor == "start" else anchor, size=11, room=131)
    return None


def _meet(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]
