"""`fairground stats reliability`: how often tasks are solved in repeated attempts."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import (
    AS_IS,
    Files,
    Level,
    TableOptions,
    compact,
    errored_notes,
    folded,
    grid,
    print_notes,
    read,
    show,
    shown,
    takes_tables,
)
from fairground.core import Outcome
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
    measured = partial(
        reliability_of,
        unit=unit,  # type: ignore[arg-type]  # checked there
        largest_k=k,
        level=level,
    )
    by_agent = {str(cells.contender): measured(cells) for cells in count_all(table)}
    errored = {str(who): table.outcomes(who)[Outcome.ERRORED] for who in table.contenders}
    strict = (
        {str(cells.contender): measured(cells) for cells in count_all(table.errors_failed())}
        if any(errored.values())
        else {}
    )
    if json:
        print_json(
            {
                who: {
                    **plain(summary),
                    "errored": errored[who],
                    "errors_failed": plain(strict[who]) if errored[who] else None,
                    "notes": table.notes,
                }
                for who, summary in by_agent.items()
            }
        )
        return
    _print_curves(by_agent, strict)
    _print_classes(by_agent)
    print_notes(
        [
            (who, note)
            for who, summary in by_agent.items()
            for note in summary.pass_hat.notes + summary.consistency.notes
        ]
        + [("", note) for note in errored_notes(table)]
    )


def _print_curves(by_agent: dict[str, ReliabilitySummary], strict: dict[str, ReliabilitySummary]) -> None:
    table = grid(
        "all of k attempts succeed (Pass^k); at least one succeeds (pass@k)",
        "agent",
        ">tasks",
        ">k",
        ">Pass^k",
        *([">errors as failures"] if strict else []),
        ">pass@k",
    )
    for who, summary in by_agent.items():
        for at, k in enumerate(summary.pass_hat.ks):
            table.add_row(
                folded(who) if at == 0 else "",
                f"{summary.pass_hat.tasks[at]:,}",
                str(k),
                shown(summary.pass_hat.points[at]),
                *([_point(strict[who], k)] if strict else []),
                shown(summary.pass_at.points[at]),
            )
        table.add_section()
    show(table)
    console.print(
        "[dim]In a world that always starts the same, pass@k is what blind replay of one recorded success scores.[/]"
    )


def _point(summary: ReliabilitySummary, k: int) -> str:
    return shown(summary.pass_hat.points[summary.pass_hat.ks.index(k)]) if k in summary.pass_hat.ks else "-"


def _print_classes(by_agent: dict[str, ReliabilitySummary]) -> None:
    table = grid("tasks solved always, sometimes, never; in percent", "agent", *(f">{name}" for name in CLASSES))
    for who, summary in by_agent.items():
        shares, counts = summary.consistency.shares, summary.consistency.counts
        table.add_row(folded(who), *(f"{counts[name]:,}: {compact(shares[name])}" for name in CLASSES))
    show(table)
