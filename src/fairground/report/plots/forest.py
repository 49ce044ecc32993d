"""Forest plots: one row per item, with estimate and interval along a common axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairground.report.html import Html, join, tag
from fairground.report.palette import Look, marker, paint
from fairground.report.plots.axes import bottom_axis, label_room, reference
from fairground.report.plots.scale import Scale, Write, around, whole
from fairground.report.plots.svg import WIDE, Drawing, line, mark, n, width_of, words
from fairground.stats.interval import Interval


@dataclass(frozen=True)
class Row:
    """A row of a forest plot.

    Attributes:
        label: Label of the row.
        interval: Estimate and interval.
        look: Appearance.
        note: The numbers as text, beside the row.
        said: Tooltip.
        ghost: Another interval for comparison, drawn in grey below.
        hollow: Whether it is drawn as not significant.
    """

    label: str
    interval: Interval
    look: Look
    note: str = ""
    said: str = ""
    ghost: Interval | None = None
    hollow: bool = False


def forest(
    rows: Sequence[Row],
    *,
    width: int,
    write: Write,
    axis: str,
    zero: float | None = None,
    ends: tuple[str, str] | None = None,
    floor: float = -math.inf,
    ceiling: float = math.inf,
    apart: bool = False,
) -> Drawing:
    """Draw one row per item: label, interval, numbers. On a narrow drawing, label and numbers are above the interval.

    Args:
        rows: From top to bottom.
        width: Width of the drawing.
        write: Formats the axis' numbers.
        axis: Title of the axis.
        zero: A value to mark with a line across all rows.
        ends: Meaning of the left and the right side of `zero`.
        floor: Lower limit of the axis.
        ceiling: Upper limit of the axis. With a floor of 0 and a ceiling of 1, values are shares, and the axis is the
            whole range.
        apart: Whether to draw a rule above each row, for rows with long labels.
    """
    roomy = width >= WIDE
    left = label_room([row.label for row in rows], 290) + 14 if roomy else 4.0
    right = width - (max((width_of(row.note) for row in rows), default=0.0) + 14 if roomy else 4.0)
    # The numbers at both ends of the axis extend half their width beyond it.
    left, right = max(left, 16.0), min(right, width - 16.0)
    values = [
        end
        for row in rows
        for interval in (row.interval, row.ghost)
        if interval
        for end in (interval.low, interval.high)
    ]
    values += [row.interval.estimate for row in rows]
    if (floor, ceiling) == (0.0, 1.0):
        scale = whole(left, right)
    else:
        scale = around(
            values, left, right, floor=floor, ceiling=ceiling, include=() if zero is None else (zero,),
            count=6 if roomy else 4,
        )  # fmt: skip
    tall = 30 if roomy else 46
    top = 22.0 if ends else 6.0
    bottom = top + tall * len(rows)
    parts = [bottom_axis(scale, top, bottom, write, title=axis)]
    if zero is not None and scale.holds(zero):
        parts.append(reference(scale(zero), top - 4, bottom))
        if ends:
            parts += _ends(ends, scale(zero), width)
    for place, row in enumerate(rows):
        upper = top + place * tall
        y = upper + (tall / 2 if roomy else 32)
        if apart and place:
            parts.append(line(0, upper, width, upper, paint("line"), 1))
        if roomy:
            parts.append(words(row.label, left - 14, y + 4, room=left - 14, anchor="end"))
            parts.append(words(row.note, width, y + 4, anchor="end", fill=paint("muted")))
        else:
            note = width_of(row.note)
            # The grid lines would cross the text.
            parts.append(tag("rect", x=0, y=n(upper + 2), width=width, height=18, fill=paint("card")))
            parts.append(words(row.label, 0, upper + 15, room=width - note - 12))
            parts.append(words(row.note, width, upper + 15, anchor="end", fill=paint("muted")))
        parts.append(mark(row.said or f"{row.label}: {row.note}", whisker(row, scale, y)))
    return Drawing(width, bottom + 40, join(parts))


def whisker(row: Row, scale: Scale, y: float, *, size: float = 5.0, weight: float = 2.5) -> Html:
    """Draw an interval as a line with its estimate. An end beyond the axis becomes an arrow."""
    drawn: list[Html] = []
    if row.ghost is not None:
        below = y + 7
        start = min(scale(row.ghost.low), scale.end - 2)
        end = max(scale(row.ghost.high), start + 2)  # so that an interval without width is visible
        drawn.append(line(start, below, end, below, paint("ghost"), 3))
    interval = row.interval
    drawn.append(
        line(scale(interval.low), y, scale(interval.high), y, row.look.colour, weight, stroke_linecap="round",
             stroke_dasharray="1 4" if row.hollow else None)
    )  # fmt: skip
    for end, way in ((interval.low, -1), (interval.high, 1)):
        if not scale.holds(end):
            tip = scale(end)
            drawn.append(
                tag("path", d=f"M{n(tip - way * 6)} {n(y - 4)}L{n(tip)} {n(y)}L{n(tip - way * 6)} {n(y + 4)}z",
                    fill=row.look.colour)
            )  # fmt: skip
    drawn.append(marker(row.look, scale(interval.estimate), y, size=size))
    return join(drawn)


def inline_bar(interval: Interval, look: Look, scale: Scale, said: str) -> Html:
    """Draw a row's interval for a table cell. `scale` must be the same for all rows."""
    row = Row("", interval, look)
    lines = [line(scale(tick), 0, scale(tick), 26, paint("line")) for tick in scale.ticks]
    return tag(
        "svg", tag("title", said), lines, whisker(row, scale, 11), class_="inline", role="img",
        viewBox=f"0 0 {scale.start + scale.end:g} 26",
    )  # fmt: skip


def _ends(ends: tuple[str, str], x: float, width: float) -> list[Html]:
    gap, least = 8, 40  # with less room than this, only an ellipsis would fit
    sides = ((ends[0], x - gap, x - gap, "end"), (ends[1], x + gap, width - x - gap, None))
    return [
        words(label, at, 11, room=room, anchor=anchor, size=11, fill=paint("muted"))
        for label, at, room, anchor in sides
        if room >= least
    ]
