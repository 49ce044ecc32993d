"""Tables of numbers that can be sorted and copied as CSV or LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairground.report.html import Child, Html, tag


@dataclass(frozen=True)
class Value:
    """A cell whose sort key or copied text differs from what it shows.

    Attributes:
        shown: Content of the cell.
        order: Sort key; None sorts last.
        text: Text to copy, if `shown` is not plain text.
    """

    shown: Child
    order: float | None = None
    text: str | None = None


Rows = list[list[Value | str]]


def table(name: str, heads: Sequence[str], rows: Rows) -> Html:
    """Render a table with its buttons. A column is numeric if all its cells are `Value`s."""
    numeric = [bool(rows) and all(isinstance(row[place], Value) for row in rows) for place in range(len(heads))]
    kinds = ["n" if number else None for number in numeric]
    return tag(
        "div",
        copy_buttons(name),
        tag(
            "div",
            tag(
                "table",
                tag(
                    "thead",
                    tag("tr", [tag("th", head, class_=k, scope="col") for head, k in zip(heads, kinds, strict=True)]),
                ),
                tag("tbody", [tag("tr", [_cell(*pair) for pair in zip(row, kinds, strict=True)]) for row in rows]),
                id=name,
                class_="sortable",
            ),
            class_="scroll", tabindex=0, role="region", aria_label="Table of numbers",
        ),
    )  # fmt: skip


def copy_buttons(name: str) -> Html:
    """Render the buttons that copy the table of that name."""
    kinds = (("csv", "Copy CSV"), ("latex", "Copy LaTeX"))
    return tag(
        "div", [tag("button", label, type="button", data_copy=kind, data_table=name) for kind, label in kinds],
        class_="tools",
    )  # fmt: skip


def behind(title: str, *children: Child, aside: str = "") -> Html:
    """Render a fold-out section."""
    return tag("details", tag("summary", title, tag("small", f" {aside}") if aside else None), children)


def _cell(cell: Value | str, kind: str | None) -> Html:
    if isinstance(cell, str):
        return tag("td", tag("bdi", cell), class_=kind)
    # An empty sort key sorts last. Text cells have none and sort by their content.
    order = "" if cell.order is None else f"{cell.order:.6g}"
    return tag("td", cell.shown, class_=kind, data_v=order, data_text=cell.text)
