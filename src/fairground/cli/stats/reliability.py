"""`fairground stats reliability`: how often tasks are solved in repeated attempts."""

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
    k: Annotated[int | None, typer.Option("-k", help="Largest k. [default: the number of attempts]", min=1)] = None,
    unit: Annotated[
        str, typer.Option(metavar="UNIT", help="What counts as a task: configuration, scenario, or auto.")
    ] = "auto",
    level: Level = 0.95,
    json: Json = False,
) -> None:
    """Show how reliably tasks are solved in repeated attempts.

    \b
    Example:
      fairground stats reliability results.csv -k 5

    Shows Pass^k (all of k attempts succeed), pass@k (at least one succeeds), and how many tasks are solved always,
    sometimes and never.
    """  # noqa: D301 (\b keeps line breaks)
    table = read(files, tables)
    by_agent = {
        str(cells.contender): reliability_of(
            cells,
            unit=unit,  # type: ignore[arg-type]  # checked there
            largest_k=k,
            level=level,
        )
        for cells in count_all(table)
    }
    if json:
        print_json(plain(by_agent))
        return
    _print_curves(by_agent)
    _print_classes(by_agent)
    print_notes(
        (who, note) for who, summary in by_agent.items() for note in summary.pass_hat.notes + summary.consistency.notes
    )


def _print_curves(by_agent: dict[str, ReliabilitySummary]) -> None:
    table = grid(
        "all of k attempts succeed (Pass^k); at least one succeeds (pass@k)",
        "agent",
        ">tasks",
        ">k",
        ">Pass^k",
        ">pass@k",
    )
    for who, summary in by_agent.items():
        for at, k in enumerate(summary.pass_hat.ks):
            table.add_row(
                folded(who) if at == 0 else "",
                f"{summary.pass_hat.tasks[at]:,}",
                str(k),
                shown(summary.pass_hat.points[at]),
                shown(summary.pass_at.points[at]),
            )
        table.add_section()
    show(table)
    console.print(
        "[dim]In a world that always starts the same, pass@k is what blind replay of one recorded success scores.[/]"
    )


def _print_classes(by_agent: dict[str, ReliabilitySummary]) -> None:
    table = grid("tasks solved always, sometimes, never; in percent", "agent", *(f">{name}" for name in CLASSES))
    for who, summary in by_agent.items():
        shares, counts = summary.consistency.shares, summary.consistency.counts
        table.add_row(folded(who), *(f"{counts[name]:,}: {compact(shares[name])}" for name in CLASSES))
    show(table)
