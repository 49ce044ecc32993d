"""`fairground stats compare`: the difference of two contenders, and the tasks that changed."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, console, print_entry, print_json
from fairground.cli.stats.options import (
    AS_IS,
    Design,
    File,
    Level,
    Method,
    Pairing,
    RandomSeed,
    Resamples,
    Scheme,
    Statistic,
    TableOptions,
    counted,
    grid,
    label,
    p_shown,
    points,
    print_notes,
    read,
    show,
    takes_tables,
)
from fairground.core import InvalidInput
from fairground.stats import (
    CLASSES,
    Cells,
    Comparison,
    Declared,
    Regret,
    Table,
    Transitions,
    compare_strictly,
    conclusions_differ,
    count,
    count_rewards,
    expected_regret,
    plain,
    wald_declares,
)
from fairground.stats import compare as compare_cells
from fairground.stats.tasks.task_reliability import follow

_LISTED = 8


@takes_tables
def compare(
    file: File,
    a: Annotated[str, typer.Argument(metavar="A", help="An agent, a condition, or 'agent [condition]'.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The one to compare with.")],
    tables: TableOptions = AS_IS,
    statistic: Statistic = "mean",
    level: Level = 0.95,
    scheme: Scheme = "clusters",
    resamples: Resamples = 5000,
    method: Method = "percentile",
    design: Design = "auto",
    pairing: Pairing = "auto",
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Compare two agents or conditions of a table.

    \b
    Example:
      fairground stats compare results.csv AGENT_A AGENT_B

    Shows the difference A minus B in total and per app, paired where both ran; the tasks that improved and regressed;
    and the expected regret.
    """  # noqa: D301 (\b keeps line breaks)
    table = read([file], tables)
    cells_a, cells_b = count(table, a), count(table, b)
    streams = np.random.default_rng(seed).spawn(3)
    compared = partial(
        compare_cells,
        statistic=statistic,
        resamples=resamples,
        level=level,
        scheme=scheme,  # type: ignore[arg-type]  # checked there
        method=method,  # type: ignore[arg-type]
        design=design,  # type: ignore[arg-type]
        pairing=pairing,  # type: ignore[arg-type]
    )
    result = compared(cells_a, cells_b, rng=streams[0])
    strict = compare_strictly(table, cells_a.contender, cells_b.contender, partial(compared, rng=streams[2]))
    rewards = compare_rewards(table, cells_a, cells_b, pairing=result.pairing, level=level)
    moves, why_none = follow(cells_a, cells_b, level)
    regrets, why_no_regret = _regrets(cells_a, cells_b, result, streams[1])
    notes = (*result.notes, *why_none, *(moves.notes if moves else ()), *why_no_regret)
    if strict is not None and strict.decided != result.decided:
        notes = (conclusions_differ(result, result.decided, strict.decided), *notes)
    if json:
        parts = {
            "comparison": result,
            "comparison_errors_failed": strict,
            "reward": rewards,
            "transitions": moves,
            "regret": regrets,
            "notes": notes,
        }
        print_json({name: plain(part) for name, part in parts.items()})
        return
    print_comparison(result)
    print_strict_comparison(strict)
    print_rewards(rewards)
    if moves is not None:
        print_changes(moves, cells_b, cells_a)
    if regrets:
        print_entry(
            "",
            "\n[bold]expected regret[/] of deploying the winner of a study of half the size, summed over apps, in "
            "points: " + "; ".join(f"{100 * regret.total.estimate:.1f} {rule}" for rule, regret in regrets.items()),
            indent=2,
        )
    print_notes(("", note) for note in notes)


def _regrets(
    cells_a: Cells, cells_b: Cells, comparison: Comparison, rng: np.random.Generator
) -> tuple[dict[str, Regret], tuple[str, ...]]:
    """Returns the expected regret of three rules: deploy always, by Wald intervals, and by these intervals."""
    ours = {app: 0 not in interval for app, interval in comparison.apps.items()}
    rules: dict[str, Declared | None] = {
        "everywhere": None,
        "where Wald intervals exclude 0": wald_declares,
        "where these intervals exclude 0": ours,
    }
    seed = int(rng.integers(2**63))  # the same splits for each rule
    try:
        regrets = {
            rule: expected_regret(
                cells_a, cells_b, rng=np.random.default_rng(seed), declared=declared, short="leave_out"
            )
            for rule, declared in rules.items()
        }
    except InvalidInput as error:
        return {}, (f"No expected regret: {error.message}.",)
    return regrets, ()


def compare_rewards(table: Table, cells_a: Cells, cells_b: Cells, *, pairing: str, level: float) -> Comparison | None:
    """Compares mean rewards with the pairing of success; None where either has episodes without a reward."""
    a, b = (count_rewards(table, cells.contender) for cells in (cells_a, cells_b))
    if a is None or b is None:
        return None
    return compare_cells(a, b, rng=np.random.default_rng(0), level=level, pairing=pairing)  # type: ignore[arg-type]


def print_rewards(comparison: Comparison | None) -> None:
    """Prints the two mean rewards and their difference in one line."""
    if comparison is not None:
        between = comparison.difference
        print_entry(
            "",
            f"mean reward {comparison.scores[0]:.2f} and {comparison.scores[1]:.2f}   "
            f"difference {between.estimate:+.2f} \\[{between.low:+.2f}, {between.high:+.2f}]   "
            f"p {p_shown(comparison.p_value)}",
            indent=2,
        )


def print_comparison(comparison: Comparison, *, apps: bool = True) -> None:
    """Prints the scores, their difference, and if `apps` the difference per app."""
    on = {
        "configurations": f"{counted(comparison.matched, 'configuration')} that both ran",
        "scenarios": f"{counted(comparison.matched, 'scenario')} that both ran",
    }.get(comparison.pairing, "the apps that both ran; nothing else is shared")
    print_entry(
        "",
        f"[bold]{label(comparison.a)}[/] {100 * comparison.scores[0]:.1f}%   [bold]{label(comparison.b)}[/] "
        f"{100 * comparison.scores[1]:.1f}%   ({comparison.statistic} of the apps, on {on})",
        indent=2,
    )
    verdict = f"[green]{label(comparison.decided)} is better[/]" if comparison.decided else "[yellow]undecided[/]"
    print_entry(
        "",
        f"difference {points(comparison.difference)} percentage points   p {p_shown(comparison.p_value)}   {verdict}",
        indent=2,
    )
    if not apps:
        return
    title = f"{label(comparison.a)} minus {label(comparison.b)}, per app, in percentage points"
    table = grid(title, "app", ">difference", "")
    for app, interval in comparison.apps.items():
        mark = "" if 0 in interval else ("[green]▲[/]" if interval.estimate > 0 else "[red]▼[/]")
        table.add_row(label(app), points(interval), mark)
    show(table)


def print_strict_comparison(comparison: Comparison | None) -> None:
    """Prints the comparison with errors counted as failures, where any episode errored."""
    if comparison is not None:
        console.print("[bold]with errors counted as failures:[/]", highlight=False)
        print_comparison(comparison, apps=False)


def print_changes(moves: Transitions, base: Cells, new: Cells) -> None:
    """Prints how many tasks each solved always, sometimes and never, which changed, and the paired tests.

    Nothing is printed for a single task: the difference says all there is.
    """
    if moves.tasks == 1:
        return
    title = (
        f"{counted(moves.tasks, 'task')}, by how often {label(base.contender)} (down) and {label(new.contender)} "
        "(across) solved them"
    )
    table = grid(title, "", *(f">{name}" for name in CLASSES))
    for name, row in zip(CLASSES, moves.flow, strict=True):
        table.add_row(name, *(f"{number:,}" for number in row))
    show(table)
    for name, tasks, colour in (("improved", moves.improved, "green"), ("regressed", moves.regressed, "red")):
        console.print(f"[{colour}]{name}[/] ({len(tasks):,})" + ("" if tasks else "  none"), highlight=False)
        for task in tasks[:_LISTED]:
            console.print(f"  {label(task, 76)}", highlight=False)
        if len(tasks) > _LISTED:
            console.print(f"  [dim]and {len(tasks) - _LISTED:,} more: --json has all[/]", highlight=False)
    print_entry(
        "",
        f"McNemar b - c = {moves.mcnemar.improved} - {moves.mcnemar.regressed} = {moves.mcnemar.difference:+d}, "
        f"p {p_shown(moves.mcnemar.p_value)}   Wilcoxon p {p_shown(moves.wilcoxon.p_value)}   "
        f"mean change of {moves.unit} {moves.delta.estimate:+.3f} "
        f"\\[{moves.delta.low:+.3f}, {moves.delta.high:+.3f}]",
        indent=2,
    )
