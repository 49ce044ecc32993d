"""What a benchmark measured, and how it is shown."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    Attributes:
        what: What was measured, in words.
        value: The median.
        unit: What it is measured in.
        bar: The bar that it should keep, in words, or "" when there is none.
        ok: Whether it kept the bar, or None when there is none.
        note: Such as the figure of the peer that it was compared with.
    """

    what: str
    value: float
    unit: str
    bar: str = ""
    ok: bool | None = None
    note: str = ""


def show(figures: list[Figure], *, as_json: bool) -> int:
    """Prints one benchmark's figures; returns 0 when every bar was kept, else 1."""
    if as_json:
        print(json.dumps([asdict(figure) for figure in figures], indent=2))
    else:
        Console().print(table({"": figures}))
    return int(any(figure.ok is False for figure in figures))


def table(figures: dict[str, list[Figure]]) -> Table:
    """All figures, with whether each kept its bar."""
    shown = Table("what", "figure", "bar", "", title="medians of this run", title_justify="left")
    shown.columns[1].justify = "right"
    for name, rows in figures.items():
        shown.add_section()
        for figure in rows:
            mark = {True: "[green]kept[/green]", False: "[red]missed[/red]", None: ""}[figure.ok]
            note = f"[dim]{escape(figure.note)}[/dim]" if figure.note else ""
            bar = "\n".join(part for part in (escape(figure.bar), note) if part)
            number = f"{figure.value:,.0f}" if abs(figure.value) >= 100 else f"{figure.value:.3g}"
            what = f"{name}: {figure.what}" if name else figure.what
            shown.add_row(escape(what), f"{number} {figure.unit}", bar, mark)
    return shown
