"""Dumbbell plots: two numbers joined by a line, with ticks for what noise alone would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairground.report.html import Html, join, tag
from fairground.report.palette import Look, marker, paint
from fairground.report.plots.axes import bottom_axis, label_room, legend
from fairground.report.plots.scale import Write, around
from fairground.report.plots.svg import WIDE, Drawing, line, mark, n, words
from fairground.stats.interval import Interval


@dataclass(frozen=True)
class Dumbbell:
    """A pair of numbers.

    Attributes:
        group: Rows of the same group are drawn together under its name.
        label: Label of the row.
        look: Appearance.
        small: The first number with its interval.
        large: The second number.
        floor: The first number under noise alone.
        large_floor: The second number under noise alone.
        said: Tooltip.
    """

    group: str
    label: str
    look: Look
    small: Interval
    large: float
    floor: float | None = None
    large_floor: float | None = None
    said: str = ""


def dumbbells(rows: Sequence[Dumbbell], *, width: int, axis: str, write: Write, keys: tuple[str, str, str]) -> Drawing:
    """Draw rows in groups. `keys` are the legends of the small mark, the large mark and the tick for noise."""
    roomy = width >= WIDE
    groups = list(dict.fromkeys(row.group for row in rows))
    who, high = legend(list(dict.fromkeys((row.label, row.look) for row in rows)), width, 0, lines=False)
    kinds, top = _kinds(keys, width, high + 2)
    left = label_room(groups, 150) + 16 if roomy else 14.0
    values = [value for row in rows for value in (row.small.low, row.small.high, row.large, row.floor, row.large_floor)]
    scale = around(
        [value for value in values if value is not None], left, width - 18, floor=0.0, include=(0.0,),
        count=6 if roomy else 4,
    )  # fmt: skip
    pitch = 17
    head = 0 if roomy else 20
    sizes = [head + pitch * sum(row.group == group for row in rows) + 12 for group in groups]
    bottom = top + sum(sizes)
    parts: list[Html] = [who, kinds]
    upper = top
    for place, size in enumerate(sizes):
        if place % 2 == 0:
            parts.append(tag("rect", x=0, y=n(upper), width=width, height=n(size), fill=paint("soft"), opacity=0.6))
        upper += size
    parts.append(bottom_axis(scale, top, bottom, write, title=axis))
    upper = top
    for group, size in zip(groups, sizes, strict=True):
        if roomy:
            parts.append(words(group, left - 16, upper + size / 2 + 4, room=left - 16, anchor="end", weight=600))
        else:
            parts.append(words(group, 4, upper + 17, room=width - 8, weight=600))
        y = upper + head + 6 + pitch / 2
        for row in rows:
            if row.group != group:
                continue
            drawn = [
                line(scale(row.small.estimate), y, scale(row.large), y, row.look.colour, 1.5),
                line(scale(row.small.low), y, scale(row.small.high), y, row.look.colour, 5, opacity=0.3),
            ]
            for value in (row.floor, row.large_floor):
                if value is not None:
                    drawn.append(line(scale(value), y - 6, scale(value), y + 6, paint("ink"), 1.75))
            drawn.append(marker(row.look, scale(row.small.estimate), y, size=3.6))
            drawn.append(marker(row.look, scale(row.large), y, size=5.6))
            parts.append(mark(row.said, drawn))
            y += pitch
        upper += size
    return Drawing(width, bottom + 40, join(parts))


def _kinds(keys: tuple[str, str, str], width: float, top: float) -> tuple[Html, float]:
    """Draw the legend of the marks, wrapped if it does not fit on one line."""
    grey = Look(paint("muted"), 0, None)
    y = top + 12.0
    step = 0.0 if width >= WIDE else 18.0
    across = width / 3 if width >= WIDE else 0.0
    parts: list[Html] = []
    for place, label in enumerate(keys):
        x, at = across * place, y + step * place
        if place < 2:
            parts.append(marker(grey, x + 7, at - 4, size=(3.6, 5.6)[place]))
        else:
            parts.append(line(x + 7, at - 10, x + 7, at + 2, paint("ink"), 1.75))
        parts.append(words(label, x + 20, at, size=11, fill=paint("muted"), room=(across or width) - 24))
    return join(parts), y + step * 2 + 12
