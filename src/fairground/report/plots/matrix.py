"""Matrix of numbers with colours by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairground.report.html import Html, join, tag
from fairground.report.palette import paint
from fairground.report.plots.axes import label_room
from fairground.report.plots.svg import WIDE, Drawing, mark, n, width_of, words


@dataclass(frozen=True)
class Cell:
    """A cell of a matrix.

    Attributes:
        shade: Colour from -1 (one hue) over 0 (none) to 1 (the other hue).
        shown: Text in the cell, if it fits.
        said: Tooltip.
        strong: Whether it is significant, and therefore bold.
    """

    shade: float
    shown: str
    said: str
    strong: bool = True


def matrix(
    rows: Sequence[str], tops: Sequence[str], cells: Sequence[Sequence[Cell | None]], *, width: int, corner: str = ""
) -> Drawing:
    """Draw a matrix; None is an empty cell.

    If column names do not fit, columns and rows have numbers.

    Args:
        rows: Names of the rows.
        tops: Names of the columns.
        cells: Rows of cells.
        width: Width of the drawing.
        corner: Text above the row names.
    """
    roomy = width >= WIDE
    square = list(rows) == list(tops)
    number = 24.0 if square else 0.0
    left = label_room(rows, 180 if roomy else 84) + 10 + number
    slanted = 0.0 if square else min(130.0, max((width_of(name, 11) for name in tops), default=0.0)) * 0.71
    # The last slanted name extends to the right.
    side = min(64.0, (width - left - max(0.0, slanted - 12)) / max(len(tops), 1))
    high = min(max(side, 18.0), 34.0)
    head = (18.0 if corner else 0.0) + max(22.0, slanted + 14)
    parts: list[Html] = [words(corner, 0, 12, size=11, fill=paint("muted"), room=width)] if corner else []
    for place, name in enumerate(tops):
        x = left + side * (place + 0.5)
        if square:
            parts.append(words(str(place + 1), x, head - 8, anchor="middle", size=11, fill=paint("muted")))
        else:
            parts.append(words(name, x - 2, head - 6, size=11, fill=paint("muted"), room=130, turn=-45))
    for row, name in enumerate(rows):
        y = head + row * high
        middle = y + high / 2 + 4
        parts.append(words(name, left - 10 - number, middle, room=left - 10 - number, anchor="end"))
        if square:  # separate from the name, which may be in a right-to-left script
            parts.append(words(str(row + 1), left - 10, middle, anchor="end", size=11, fill=paint("muted")))
        for place, cell in enumerate(cells[row]):
            if cell is not None:
                parts.append(_cell(cell, left + side * place, y, side, high))
    return Drawing(width, head + high * len(rows) + 4, join(parts))


def _cell(cell: Cell, x: float, y: float, side: float, high: float) -> Html:
    colour = paint("more" if cell.shade > 0 else "less")
    ground = tag("rect", x=n(x), y=n(y), width=n(side - 2), height=n(high - 2), rx=3, fill=paint("soft"))
    tint = tag(
        "rect", x=n(x), y=n(y), width=n(side - 2), height=n(high - 2), rx=3, fill=colour,
        opacity=f"{min(1.0, abs(cell.shade)) * 0.55:.2f}",
    )  # fmt: skip
    text = None
    size = 11 if side >= 34 else 9
    if width_of(cell.shown, size) <= side - 4:
        text = words(
            cell.shown, x + side / 2 - 1, y + high / 2 + 3, anchor="middle", size=size,
            weight=700 if cell.strong else None, fill=paint("ink" if cell.strong else "muted"),
        )  # fmt: skip
    return mark(cell.said, ground, tint if cell.shade else None, text)
