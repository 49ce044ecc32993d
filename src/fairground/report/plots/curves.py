"""Curves with bands, in one or several panels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from fairground.report.html import Html, join, tag
from fairground.report.palette import Look, marker, paint
from fairground.report.plots.axes import bottom_axis, left_axis, legend
from fairground.report.plots.scale import Scale, Write, around, whole
from fairground.report.plots.svg import WIDE, Drawing, line, mark, n, words


@dataclass(frozen=True)
class Curve:
    """A line through points, with an optional band or whiskers.

    Attributes:
        label: Label in the legend.
        look: Appearance.
        x: Horizontal positions of its points.
        y: Values between 0 and 1.
        low: Lower edge of its band, if it has one.
        high: Upper edge.
        step: Whether to draw steps instead of straight lines.
        points: Whether to draw markers and whiskers instead of a band.
        said: Tooltip.
    """

    label: str
    look: Look
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    step: bool = False
    points: bool = False
    said: tuple[str, ...] | str = ""


@dataclass(frozen=True)
class Panel:
    """Curves with common axes.

    Attributes:
        title: Title of the panel.
        curves: In the order of the legend.
        ghost: A grey curve for comparison, such as the effect of noise alone.
        at: A value of x to mark with a dashed line.
    """

    title: str
    curves: tuple[Curve, ...]
    ghost: Curve | None = None
    at: float | None = None


def panels(
    shown: Sequence[Panel],
    *,
    width: int,
    across: int,
    x: tuple[float, float],
    ticks: tuple[float, ...],
    x_axis: str,
    y_axis: str,
    write_x: Write,
    write_y: Write,
    tall: float = 250,
    ghost: str = "",
    fitted: bool = False,
) -> Drawing:
    """Draw panels with the same axes: beside each other if there is room, otherwise below each other.

    Args:
        shown: The panels.
        width: Width of the drawing.
        across: Number of panels beside each other if there is room.
        x: Ends of the horizontal axis.
        ticks: Its ticks.
        x_axis: Its title.
        y_axis: Title of the vertical axis, which goes from 0 to 1.
        write_x: Formats the horizontal numbers.
        write_y: Formats the vertical numbers.
        tall: Height of a panel.
        ghost: Legend of the grey curves.
        fitted: Whether the vertical axis ends at the highest curve instead of at 1.
    """
    across = min(across, len(shown)) if width >= WIDE else 1
    entries = list(dict.fromkeys((curve.label, curve.look) for panel in shown for curve in panel.curves))
    keys, high = legend(entries, width, 0, lines=True) if len(entries) > 1 or ghost else (Html(""), 0.0)
    parts = [keys]
    if ghost:
        parts.append(line(0, high + 8, 20, high + 8, paint("ghost"), 2, stroke_dasharray="4 3"))
        parts.append(words(ghost, 26, high + 12, fill=paint("muted")))
        high += 22
    gap, left = 30.0, 42.0
    heights = [height for panel in shown for curve in panel.curves for height in curve.y]
    end = around(heights, 0, 1, floor=0.0, ceiling=1.0, include=(0.0,)) if fitted else whole(0, 1)
    column = (width - gap * (across - 1)) / across
    block = tall + 84
    for place, panel in enumerate(shown):
        row, at = divmod(place, across)
        start = at * (column + gap)
        top = high + row * block + 40
        parts.append(
            tag(
                "g",
                _panel(panel, left, column - 14, top, top + tall, x, ticks, x_axis, y_axis, write_x, write_y, end),
                transform=f"translate({n(start)} 0)",
            )
        )
    rows = math.ceil(len(shown) / across)
    return Drawing(width, high + rows * block, join(parts))


def _panel(
    panel: Panel, left: float, right: float, top: float, bottom: float, ends: tuple[float, float],
    ticks: tuple[float, ...], x_axis: str, y_axis: str, write_x: Write, write_y: Write, heights: Scale,
) -> Html:  # fmt: skip
    x = Scale(ends[0], ends[1] if ends[1] > ends[0] else ends[0] + 1, left, right, ticks)
    y = replace(heights, start=bottom, end=top)
    parts = [left_axis(y, left, right, write_y, title="" if panel.title else y_axis)]
    if panel.title:
        parts.append(words(panel.title, 0, top - 14, room=right, weight=600))
    parts.append(bottom_axis(x, top, bottom, write_x, title=x_axis, grid=False))
    if panel.at is not None and x.holds(panel.at):
        parts.append(line(x(panel.at), top, x(panel.at), bottom, paint("muted"), 1, stroke_dasharray="3 3"))
    # Bands first, so that they do not cover lines.
    faint = min(0.16, 0.42 / max(len(panel.curves), 1))  # many opaque bands would be unreadable
    parts += [_band(curve, x, y, faint) for curve in panel.curves if curve.low and not curve.points]
    if panel.ghost is not None:
        drawn = _path(panel.ghost, x, y, panel.ghost.y)
        parts.append(tag("path", d=drawn, fill="none", stroke=paint("ghost"), stroke_width=2, stroke_dasharray="4 3"))
    shifts = _shifts(panel.curves)
    parts += [_curve(curve, shift, x, y) for curve, shift in zip(panel.curves, shifts, strict=True)]
    return join(parts)


def _shifts(curves: Sequence[Curve]) -> list[float]:
    """Return by how many pixels to shift each curve, because whiskers at the same x would overlap."""
    among = sum(curve.points for curve in curves)
    places = accumulate((curve.points for curve in curves), initial=0)
    return [
        (place - (among - 1) / 2) * min(5.0, 24.0 / among) if curve.points else 0.0
        for curve, place in zip(curves, places, strict=False)
    ]


def _curve(curve: Curve, shift: float, x: Scale, y: Scale) -> Html:
    stroke = tag(
        "path", d=_path(curve, x, y, curve.y, shift), fill="none", stroke=curve.look.colour, stroke_width=2,
        stroke_linejoin="round", stroke_dasharray=curve.look.dash,
    )  # fmt: skip
    if not curve.points:
        return mark(curve.said if isinstance(curve.said, str) else curve.said[-1], stroke)
    drawn = [stroke]
    for index, (at, value) in enumerate(zip(curve.x, curve.y, strict=True)):
        place_x = x(at) + shift
        dot: list[Html] = []
        if curve.low:
            dot.append(
                line(place_x, y(curve.low[index]), place_x, y(curve.high[index]), curve.look.colour, 1.5, opacity=0.75)
            )
        dot.append(marker(curve.look, place_x, y(value), size=4.2))
        tooltip = curve.said[index] if isinstance(curve.said, tuple) else curve.label
        drawn.append(mark(tooltip, dot))
    return join(drawn)


def _band(curve: Curve, x: Scale, y: Scale, opacity: float) -> Html:
    there = _path(curve, x, y, curve.low)
    back = _corners(curve, x, y, curve.high)[::-1]
    d = there + "".join(f"L{n(a)} {n(b)}" for a, b in back) + "z"
    return tag("path", d=d, fill=curve.look.colour, opacity=f"{opacity:.2f}")


def _path(curve: Curve, x: Scale, y: Scale, heights: Sequence[float], shift: float = 0.0) -> str:
    corners = _corners(curve, x, y, heights)
    return "M" + "L".join(f"{n(a + shift)} {n(b)}" for a, b in corners)


def _corners(curve: Curve, x: Scale, y: Scale, heights: Sequence[float]) -> list[tuple[float, float]]:
    corners: list[tuple[float, float]] = []
    for at, height in zip(curve.x, heights, strict=True):
        point = (x(at), y(height))
        if curve.step and corners:
            # The share of apps with at least tau falls just after the tau that an app reached: first down, then right.
            if corners[-1][1] == point[1]:
                if len(corners) > 1 and corners[-2][1] == point[1]:
                    corners.pop()
                corners.append(point)
                continue
            corners.append((corners[-1][0], point[1]))
        corners.append(point)
    return corners
