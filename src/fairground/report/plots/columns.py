"""Intervals for many apps and contenders, grouped by app or with one column per contender."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fairground.report.html import Html, join, tag
from fairground.report.palette import Look, marker, paint
from fairground.report.plots.axes import TICK, bottom_axis, label_room, legend
from fairground.report.plots.forest import Row, whisker
from fairground.report.plots.scale import Scale, Write, percent, whole
from fairground.report.plots.svg import WIDE, Drawing, line, mark, width_of, words
from fairground.stats.interval import Interval

GROUPED = 110
"""Maximum number of contenders grouped by app; with more, each contender has its own column."""

Values = Mapping[str, Interval]


def columns(
    apps: Sequence[str],
    contenders: Sequence[tuple[str, Look]],
    values: Sequence[Values],
    *,
    width: int,
    axis: str,
    write: Write,
) -> Drawing:
    """Draw the success of each contender in each app. Missing values stay empty.

    Args:
        apps: From top to bottom.
        contenders: Names and appearance.
        values: For each contender (in the same order), its interval in each app that it was run in.
        width: Width of the drawing.
        axis: Title of the axis.
        write: Formats a value in a tooltip.
    """
    if len(apps) * len(contenders) <= GROUPED:
        return _grouped(apps, contenders, values, width, axis, write)
    return _side_by_side(apps, contenders, values, width, axis, write)


def _grouped(
    apps: Sequence[str],
    contenders: Sequence[tuple[str, Look]],
    values: Sequence[Values],
    width: int,
    axis: str,
    write: Write,
) -> Drawing:
    roomy = width >= WIDE
    keys, high = legend(contenders, width, 0, lines=False)
    parts = [keys]
    left = label_room(apps, 190) + 14 if roomy else 14.0
    scale = whole(left, width - 18, ticks=5 if roomy else 4)
    pitch = 11 if len(contenders) > 1 else 16
    title = 0 if roomy else 18
    tall = title + pitch * len(contenders) + 10
    top = high + 8
    bottom = top + tall * len(apps)
    for place in range(0, len(apps), 2):
        parts.append(_stripe(top + place * tall, tall, width))
    parts.append(bottom_axis(scale, top, bottom, percent, title=axis))
    for place, app in enumerate(apps):
        upper = top + place * tall
        if roomy:
            parts.append(words(app, left - 14, upper + tall / 2 + 4, room=left - 14, anchor="end"))
        else:
            parts.append(words(app, 4, upper + 16, room=width - 8))
        for row, ((name, look), intervals) in enumerate(zip(contenders, values, strict=True)):
            if app in intervals:
                y = upper + title + 5 + pitch * (row + 0.5)
                parts.append(_drawn(app, name, look, intervals[app], scale, y, write))
    return Drawing(width, bottom + 40, join(parts))


def _side_by_side(
    apps: Sequence[str],
    contenders: Sequence[tuple[str, Look]],
    values: Sequence[Values],
    width: int,
    axis: str,
    write: Write,
) -> Drawing:
    roomy = width >= WIDE
    left = label_room(apps, 170 if roomy else 92, size=11) + 10
    across = max(1, int((width - left) // (88 if roomy else 76)))
    bands = math.ceil(len(contenders) / across)
    across = math.ceil(len(contenders) / bands)
    column = (width - left) / across
    pitch = 15
    parts: list[Html] = []
    top = 0.0
    for band in range(bands):
        chosen = list(zip(contenders, values, strict=True))[band * across : (band + 1) * across]
        head = top + 24
        bottom = head + pitch * len(apps)
        for place in range(0, len(apps), 2):
            parts.append(_stripe(head + place * pitch, pitch, left + column * len(chosen)))
        for place, app in enumerate(apps):
            parts.append(words(app, left - 8, head + pitch * (place + 0.5) + 4, room=left - 8, anchor="end", size=11))
        for place, ((name, look), intervals) in enumerate(chosen):
            start = left + place * column
            scale = whole(start + 8, start + column - 14, ticks=2)
            parts.append(marker(look, start + 12, top + 9, size=4))
            parts.append(words(name, start + 20, top + 13, room=column - 22, size=11))
            ends = scale.ticks[:: 2 if column < 120 else 1]
            for tick in scale.ticks:
                parts.append(line(scale(tick), head, scale(tick), bottom, paint("line")))
            for tick in ends:
                label = percent(tick).removesuffix("%")
                parts.append(
                    words(label, scale(tick), bottom + 14, anchor="middle", size=TICK - 1, fill=paint("muted"))
                )
            for row, app in enumerate(apps):
                if app in intervals:
                    y = head + pitch * (row + 0.5)
                    parts.append(_drawn(app, name, look, intervals[app], scale, y, write, size=3.5))
        top = bottom + 24
    shown = f"{axis}, percent" if width_of(axis) < width - 80 else axis
    parts.append(words(shown, width / 2, top + 8, anchor="middle", fill=paint("muted")))
    return Drawing(width, top + 14, join(parts))


def _stripe(y: float, tall: float, width: float) -> Html:
    return tag("rect", x=0, y=f"{y:g}", width=f"{width:g}", height=f"{tall:g}", fill=paint("soft"), opacity=0.6)


def _drawn(
    app: str, name: str, look: Look, interval: Interval, scale: Scale, y: float, write: Write, size: float = 4.2,
) -> Html:  # fmt: skip
    tooltip = f"{app}, {name}: {write(interval.estimate)} [{write(interval.low)}, {write(interval.high)}]"
    return mark(tooltip, whisker(Row(name, interval, look), scale, y, size=size, weight=2))
