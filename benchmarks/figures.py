"""Results of benchmarks, and how they are printed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    Attributes:
        what: What was measured, in words.
        value: The median.
        unit: The unit of `value` and of its limits.
        bar: The bar (required result) in words, or "" if there is none.
        most: The largest value that meets the bar.
        least: The smallest value that meets the bar.
        note: Additional information, such as the figure of a peer.
    """

    what: str
    value: float
    unit: str
    bar: str = ""
    most: float | None = None
    least: float | None = None
    note: str = ""

    @property
    def ok(self) -> bool | None:
        """Whether the value meets the bar; None if there is no bar."""
        return None if self.most is None and self.least is None else self.limit_missed is None

    @property
    def limit_missed(self) -> float | None:
        """The limit that the value violates, if any."""
        if self.most is not None and not self.value <= self.most:  # NaN misses every bar
            return self.most
        if self.least is not None and not self.value >= self.least:
            return self.least
        return None


def show(figures: list[Figure], *, as_json: bool) -> int:
    """Print the figures of one benchmark. Returns 0 if every bar was met, else 1."""
    if as_json:
        print(json.dumps([to_json(figure) for figure in figures], indent=2))
        return int(any(figure.ok is False for figure in figures))
    return show_tables({"": figures})


def show_tables(figures: dict[str, list[Figure]]) -> int:
    """Print all figures, then each missed bar. Returns 0 if every bar was met, else 1.

    Args:
        figures: Figures by benchmark name.
    """
    console = Console()
    console.print(table(figures))
    missed = missed_bars(figures)
    for line in missed:
        console.print(line, style="red", markup=False, highlight=False, soft_wrap=True)
    return int(bool(missed))


def table(figures: dict[str, list[Figure]]) -> Table:
    """Return a table of all figures that shows whether each met its bar."""
    shown = Table("what", "figure", "bar", "", title="medians of this run", title_justify="left")
    shown.columns[1].justify = "right"
    for name, rows in figures.items():
        shown.add_section()
        for figure in rows:
            mark = {True: "[green]met[/green]", False: "[red]missed[/red]", None: ""}[figure.ok]
            note = f"[dim]{escape(figure.note)}[/dim]" if figure.note else ""
            bar = "\n".join(part for part in (escape(figure.bar), note) if part)
            shown.add_row(escape(_titled(name, figure)), f"{_number(figure.value)} {figure.unit}", bar, mark)
    return shown


def missed_bars(figures: dict[str, list[Figure]]) -> list[str]:
    """Return one line per missed bar, such as `replay: 500 steps: 1,158 ms, bar under 1 s: missed by 158 ms (16%)`."""
    lines = []
    for name, rows in figures.items():
        for figure in rows:
            limit = figure.limit_missed
            if limit is not None:
                excess = abs(figure.value - limit)
                share = f" ({excess / abs(limit):.0%})" if limit else ""
                lines.append(
                    f"{_titled(name, figure)}: {_number(figure.value)} {figure.unit}, bar {figure.bar}: "
                    f"missed by {_number(excess)} {figure.unit}{share}"
                )
    return lines


def to_json(figure: Figure) -> dict[str, Any]:
    """Convert a figure to JSON: its fields, `ok`, and `missed_by` (in the unit of the figure)."""
    limit = figure.limit_missed
    missed_by = None if limit is None else abs(figure.value - limit)
    return asdict(figure) | {"ok": figure.ok, "missed_by": missed_by}


def from_json(row: dict[str, Any]) -> Figure:
    """Restore a figure from the output of `to_json`."""
    return Figure(**{name: value for name, value in row.items() if name not in ("ok", "missed_by")})


def _titled(name: str, figure: Figure) -> str:
    return f"{name}: {figure.what}" if name else figure.what


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
