"""Stacked bars with one row per whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairground.report.html import Html, join, tag
from fairground.report.palette import DARK, LIGHT, paint
from fairground.report.plots.axes import bottom_axis, label_room
from fairground.report.plots.scale import percent, whole
from fairground.report.plots.svg import WIDE, Drawing, fit, mark, n, width_of, words


@dataclass(frozen=True)
class Stack:
    """A stacked bar.

    Attributes:
        label: Label of the row.
        parts: Size of each part; the bar shows their shares of the sum.
        said: Tooltip of each part.
        inside: Text in each part, shown if it fits.
        note: Text after the bar.
    """

    label: str
    parts: tuple[float, ...]
    said: tuple[str, ...]
    inside: tuple[str, ...]
    note: str = ""


def stacks(rows: Sequence[Stack], names: Sequence[tuple[str, str]], *, width: int, axis: str) -> Drawing:
    """Draw one full-width bar per row. `names` are the parts with their colours, in order."""
    roomy = width >= WIDE
    keys, top = _keys(names, width)
    left = label_room([row.label for row in rows], 230) + 12 if roomy else 12.0
    right = width - (max((width_of(row.note) for row in rows), default=0.0) + 12 if roomy else 0.0)
    right = min(right, width - 20.0)
    scale = whole(left, right, ticks=5 if roomy else 4)
    tall = 32 if roomy else 48
    bottom = top + tall * len(rows) + 2
    parts = [keys, bottom_axis(scale, top, bottom, percent, title=axis, grid=False)]
    for place, row in enumerate(rows):
        upper = top + place * tall
        if roomy:
            parts.append(words(row.label, left - 12, upper + 20, room=left - 12, anchor="end"))
            parts.append(words(row.note, width, upper + 20, anchor="end", fill=paint("muted")))
        else:
            parts.append(words(row.label, 4, upper + 14, room=width - width_of(row.note) - 16))
            parts.append(words(row.note, width, upper + 14, anchor="end", fill=paint("muted")))
        y, high = (upper + 5, 22) if roomy else (upper + 20, 22)
        parts += _bar(row, names, scale.start, scale.end, y, high)
    return Drawing(width, bottom + 40, join(parts))


def _bar(
    row: Stack, names: Sequence[tuple[str, str]], start: float, end: float, y: float, high: float
) -> list[Html]:  # fmt: skip
    total = sum(row.parts)
    drawn = []
    at = start
    for size, tooltip, inside, (_, colour) in zip(row.parts, row.said, row.inside, names, strict=True):
        room = (end - start) * size / total if total > 0 else 0.0
        if room > 0:
            box = tag(
                "rect", x=n(at), y=n(y), width=n(max(room - 1, 0.5)), height=n(high), fill=paint(colour)
            )  # a gap of one pixel separates parts independently of colour
            text = None
            if width_of(inside, 11) + 8 <= room:
                text = words(inside, at + room / 2, y + high / 2 + 4, anchor="middle", size=11, fill=on(colour))
            drawn.append(mark(tooltip, box, text))
        at += room
    return drawn


def on(colour: str) -> str:
    """Return the text colour with the best contrast on a colour, in both themes."""
    paints = ("card", "ink", "black")
    return paint(
        max(paints, key=lambda name: min(contrast(colours[colour], colours[name]) for colours in (LIGHT, DARK)))
    )


def contrast(one: str, other: str) -> float:
    """Return the WCAG contrast ratio of two colours such as `#0072b2`, from 1 to 21."""
    dark, bright = sorted(_luminance(colour) for colour in (one, other))
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _keys(names: Sequence[tuple[str, str]], width: float) -> tuple[Html, float]:
    placed: list[Html] = []
    x, y = 0.0, 12.0
    for name, colour in names:
        shown = fit(name, width - 20)
        room = 18 + width_of(shown) + 16
        if x and x + room - 16 > width:
            x, y = 0.0, y + 19
        placed.append(tag("rect", x=n(x), y=n(y - 10), width=12, height=12, rx=2, fill=paint(colour)))
        placed.append(words(name, x + 18, y, room=width - 20))
        x += room
    return join(placed), y + 14
