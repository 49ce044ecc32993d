"""Axes, grid lines, panel titles and legends."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.report.html import Html, join, tag
from fairground.report.palette import Look, marker, paint
from fairground.report.plots.scale import Scale, Write
from fairground.report.plots.svg import SIZE, fit, line, n, width_of, words

TICK = 11
"""Font size of the numbers along an axis."""


def bottom_axis(scale: Scale, top: float, bottom: float, write: Write, *, title: str = "", grid: bool = True) -> Html:
    """Draw ticks and numbers below, a grid line per tick, and the axis title."""
    parts: list[Html] = []
    if grid:
        d = "".join(f"M{n(scale(tick))} {n(top)}V{n(bottom)}" for tick in scale.ticks)
        parts.append(tag("path", d=d, stroke=paint("line")))
    edge = -1e9
    numbers = []
    for tick in scale.ticks:
        x, label = scale(tick), write(tick)
        half = width_of(label, TICK) / 2
        if x - half > edge:  # a number that would overlap the previous one is left out; its line stays
            numbers.append(words(label, x, bottom + 15))
            edge = x + half + 4
    parts.append(tag("g", numbers, text_anchor="middle", font_size=TICK, fill=paint("muted")))
    parts.append(line(scale.start, bottom, scale.end, bottom, paint("ghost")))
    if title:
        middle = (scale.start + scale.end) / 2
        parts.append(words(title, middle, bottom + 33, anchor="middle", fill=paint("muted")))
    return join(parts)


def left_axis(scale: Scale, left: float, right: float, write: Write, *, title: str = "") -> Html:
    """Draw numbers on the left, a grid line for each, and the axis title above."""
    d = "".join(f"M{n(left)} {n(scale(tick))}H{n(right)}" for tick in scale.ticks)
    numbers = [words(write(tick), left - 6, scale(tick) + 4) for tick in scale.ticks]
    parts = [
        tag("path", d=d, stroke=paint("line")),
        tag("g", numbers, text_anchor="end", font_size=TICK, fill=paint("muted")),
    ]
    if title:
        top = min(scale.start, scale.end)
        parts.append(words(title, 0, top - 12, fill=paint("muted"), room=right))
    return join(parts)


def reference(x: float, top: float, bottom: float, *, dash: str | None = None) -> Html:
    """Draw a reference line, such as zero."""
    return line(x, top, x, bottom, paint("muted"), 1.25, stroke_dasharray=dash)


def legend(entries: Sequence[tuple[str, Look]], width: float, top: float, *, lines: bool) -> tuple[Html, float]:
    """Draw a legend in rows that fit the width. Also returns its height."""
    placed: list[Html] = []
    sample = 26 if lines else 14
    x, y = 0.0, top + 12
    for label, look in entries:
        shown = fit(label, min(width - sample, 240))
        room = sample + width_of(shown) + 18
        if x and x + room - 18 > width:
            x, y = 0.0, y + 19
        if lines:
            placed.append(line(x, y - 4, x + 20, y - 4, look.colour, 2, stroke_dasharray=look.dash))
        placed.append(marker(look, x + (10 if lines else 5), y - 4, size=4))
        placed.append(words(label, x + sample, y, room=min(width - sample, 240)))
        x += room
    return join(placed), (y - top + 10 if entries else 0.0)


def label_room(labels: Sequence[str], most: float, *, size: float = SIZE) -> float:
    """Return the width for a column of labels, up to a limit."""
    return min(most, max((width_of(label, size) for label in labels), default=0.0) + 2)
