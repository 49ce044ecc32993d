"""`fairground stats reliability`: does it work every time?"""

from __future__ import annotations

from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import (
    AS_IS,
    Files,
    Level,
    TableOptions,
    compact,
    folded,
    grid,
    print_notes,
    read,
    show,
    shown,
    takes_tables,
)
from fairground.stats import CLASSES, ReliabilitySummary, count_all, plain
from fairground.stats import reliability as reliability_of


@takes_tables
def reliability(
    files: Files,
    tables: TableOptions = AS_IS,
    k: Annotated[int | None, typer.Option("-k", help="How far the curves go.", min=1)] = None,
    unit: Annotated[str, typer.Option(help="What a task is: auto, configuration or scenario.")] = "auto",
    level: Level = 0.95,
    json: Json = False,
) -> None:
    """Pass^k (all of k attempts succeed), pass@k (any does), and tasks solved always, sometimes, never."""
    table = read(files, tables)
    found = {
        str(cells.contender): reliability_of(
            cells,
            unit=unit,  # type: ignore[arg-type]  # checked there
            largest_k=k,
            level=level,
        )
        for cells in count_all(table)
    }
    if json:
        print_json(plain(found))
        return
    _print_curves(found)
    _print_classes(found)
    print_notes((who, note) for who, one in found.items() for note in one.pass_hat.notes + one.consistency.notes)


def _print_curves(found: dict[str, ReliabilitySummary]) -> None:
    made = grid(
        "all of k attempts succeed (Pass^k); any of them does (pass@k)", "agent", ">tasks", ">k", ">Pass^k", ">pass@k"
    )
    for who, one in found.items():
        for at, k in enumerate(one.pass_hat.ks):
            made.add_row(
                folded(who) if at == 0 else "",
                f"{one.pass_hat.tasks[at]:,}",
                str(k),
                shown(one.pass_hat.points[at]),
                shown(one.pass_at.points[at]),
            )
        made.add_section()
    show(made)
    console.print(
        "[dim]In a world that always starts the same, pass@k is what blind replay of one recorded success scores.[/]"
    )


def _print_classes(found: dict[str, ReliabilitySummary]) -> None:
    made = grid("tasks solved always, sometimes, never; in percent", "agent", *(f">{name}" for name in CLASSES))
    for who, one in found.items():
        shares, counts = one.consistency.shares, one.consistency.counts
        made.add_row(folded(who), *(f"{counts[name]:,}: {compact(shares[name])}" for name in CLASSES))
    show(made)
