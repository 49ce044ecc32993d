"""Flow diagram between three classes: tasks under one contender and under another."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.report.html import Html, join, tag
from fairground.report.palette import paint
from fairground.report.plots.svg import WIDE, Drawing, mark, n, words


def flow(
    counts: Sequence[Sequence[int]], classes: Sequence[tuple[str, str]], sides: tuple[str, str], *, width: int
) -> Drawing:
    """Draw ribbons with widths proportional to the number of tasks.

    Args:
        counts: From each class (row) to each class (column).
        classes: Their names and colours.
        sides: Titles of the left and right side.
        width: Width of the drawing.
    """
    roomy = width >= WIDE
    total = sum(map(sum, counts)) or 1
    gap, bar, top, tall = 14.0, 16.0, 30.0, 230.0
    margin = 128.0 if roomy else 78.0
    unit = (tall - gap * (len(classes) - 1)) / total
    left, right = margin, width - margin - bar
    heads = (
        words(sides[0], 0, 14, room=width / 2 - 8, weight=600),
        words(sides[1], width, 14, room=width / 2 - 8, anchor="end", weight=600),
    )
    outs = [sum(row) for row in counts]
    ins = [sum(row[place] for row in counts) for place in range(len(classes))]
    starts, ends = _tops(outs, unit, gap, top), _tops(ins, unit, gap, top)
    ribbons: list[Html] = []
    leave, arrive = list(starts), list(ends)
    for source, row in enumerate(counts):
        for target, count in enumerate(row):
            if not count:
                continue
            thick = count * unit
            tooltip = (
                f"{count} of {total}: {classes[source][0]} under {sides[0]}, {classes[target][0]} under {sides[1]}"
            )
            # Blue for better, vermilion for worse, grey for unchanged. Classes are ordered best first.
            colour = "ghost" if source == target else "more" if target < source else "less"
            ribbon = _ribbon(left + bar, leave[source], right, arrive[target], thick, colour)
            label = None
            if thick >= 11:
                label = _number(count, left, right, bar, leave[source], arrive[target], thick)
            ribbons.append(mark(tooltip, ribbon, label))
            leave[source] += thick
            arrive[target] += thick
    blocks: list[Html] = []
    for x, tops, sizes, anchor in ((left, starts, outs, "end"), (right, ends, ins, "start")):
        for (name, colour), y, count in zip(classes, tops, sizes, strict=True):
            high = max(count * unit, 1.5)
            blocks.append(tag("rect", x=n(x), y=n(y), width=bar, height=n(high), fill=paint(colour)))
            edge = x - 8 if anchor == "end" else x + bar + 8
            tooltip = f"{name} {count}" if roomy else name
            blocks.append(words(tooltip, edge, y + high / 2 + 4, anchor=anchor, room=margin - 10))
            if not roomy and high >= 26:
                blocks.append(words(str(count), edge, y + high / 2 + 18, anchor=anchor, size=11, fill=paint("muted")))
    return Drawing(width, top + tall + 12, join((heads, ribbons, blocks)))


def _tops(sizes: Sequence[int], unit: float, gap: float, top: float) -> list[float]:
    pieces = []
    for size in sizes:
        pieces.append(top)
        top += size * unit + gap
    return pieces


def _ribbon(x1: float, y1: float, x2: float, y2: float, thick: float, colour: str) -> Html:
    half = (x1 + x2) / 2
    d = (
        f"M{n(x1)} {n(y1)}C{n(half)} {n(y1)} {n(half)} {n(y2)} {n(x2)} {n(y2)}"
        f"v{n(thick)}C{n(half)} {n(y2 + thick)} {n(half)} {n(y1 + thick)} {n(x1)} {n(y1 + thick)}z"
    )
    return tag("path", d=d, fill=paint(colour), opacity=0.35 if colour == "ghost" else 0.6)


def _number(count: int, left: float, right: float, bar: float, y1: float, y2: float, thick: float) -> Html:
    """Place the number near the ribbon's start, before ribbons cross."""
    share = 0.16
    bend = share * share * (3 - 2 * share)  # approximate vertical position of the curve there
    x = left + bar + (right - left - bar) * share
    return words(str(count), x, y1 + (y2 - y1) * bend + thick / 2 + 4, anchor="middle", size=11)
