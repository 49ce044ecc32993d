"""`fairground stats compare`: two contenders, their difference, and what changed."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import (
    AS_IS,
    Design,
    File,
    Level,
    Method,
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
    a: Annotated[str, typer.Argument(help="An agent, or `agent [condition]`, or a condition.")],
    b: Annotated[str, typer.Argument(help="The other one.")],
    tables: TableOptions = AS_IS,
    statistic: Statistic = "mean",
    level: Level = 0.95,
    scheme: Scheme = "clusters",
    resamples: Resamples = 5000,
    method: Method = "percentile",
    design: Design = "auto",
    pairing: Annotated[str, typer.Option(help="auto, configurations, scenarios or apart.")] = "auto",
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """The difference A minus B, paired where both were run; per app; tasks that improved and regressed; regret."""
    table = read([file], tables)
    one, other = count(table, a), count(table, b)
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
    found = compared(one, other, rng=streams[0])
    strict = compare_strictly(table, one.contender, other.contender, partial(compared, rng=streams[2]))
    rewards = compare_rewards(table, one, other, pairing=found.pairing, level=level)
    moves, why_none = follow(one, other, level)
    regrets, why_no_regret = _regrets(one, other, found, streams[1])
    notes = (*found.notes, *why_none, *(moves.notes if moves else ()), *why_no_regret)
    if strict is not None and strict.decided != found.decided:
        notes = (conclusions_differ(found, found.decided, strict.decided), *notes)
    if json:
        parts = {
            "comparison": found,
            "comparison_errors_failed": strict,
            "reward": rewards,
            "transitions": moves,
            "regret": regrets,
            "notes": notes,
        }
        print_json({name: plain(part) for name, part in parts.items()})
        return
    print_comparison(found)
    print_strict_comparison(strict)
    print_rewards(rewards)
    if moves is not None:
        print_changes(moves, other, one)
    if regrets:
        console.print(
            "\n[bold]expected regret[/] of deploying the winner of a study of half the size, summed over apps, in "
            "points: " + "; ".join(f"{100 * one.total.estimate:.1f} {rule}" for rule, one in regrets.items()),
            highlight=False,
        )
    print_notes(("", note) for note in notes)


def _regrets(
    one: Cells, other: Cells, found: Comparison, rng: np.random.Generator
) -> tuple[dict[str, Regret], tuple[str, ...]]:
    """The regret of deploying everywhere, where a naive interval decides, and where ours does."""
    ours = {app: 0 not in interval for app, interval in found.apps.items()}
    rules: dict[str, Declared | None] = {
        "everywhere": None,
        "where Wald intervals part": wald_declares,
        "where these intervals part": ours,
    }
    seed = int(rng.integers(2**63))  # the same splits for each rule
    try:
        regrets = {
            rule: expected_regret(one, other, rng=np.random.default_rng(seed), declared=declared, short="leave_out")
            for rule, declared in rules.items()
        }
    except InvalidInput as error:
        return {}, (f"No expected regret: {error.message}.",)
    return regrets, ()


def compare_rewards(table: Table, one: Cells, other: Cells, *, pairing: str, level: float) -> Comparison | None:
    """How mean rewards compare, matched as success was; None where either has episodes without a reward."""
    a, b = (count_rewards(table, cells.contender) for cells in (one, other))
    if a is None or b is None:
        return None
    return compare_cells(a, b, rng=np.random.default_rng(0), level=level, pairing=pairing)  # type: ignore[arg-type]


def print_rewards(found: Comparison | None) -> None:
    """The two mean rewards and their difference, in a line."""
    if found is not None:
        between = found.difference
        console.print(
            f"mean reward {found.scores[0]:.2f} and {found.scores[1]:.2f}   difference {between.estimate:+.2f} "
            f"\\[{between.low:+.2f}, {between.high:+.2f}]   p {p_shown(found.p_value)}",
            highlight=False,
        )


def print_comparison(found: Comparison, *, apps: bool = True) -> None:
    """Scores, their difference, and the difference in each app unless `apps` is false."""
    on = {
        "configurations": f"{counted(found.matched, 'configuration')} that both ran",
        "scenarios": f"{counted(found.matched, 'scenario')} that both ran",
    }.get(found.pairing, "the apps that both ran, and nothing else in common")
    console.print(
        f"[bold]{label(found.a)}[/] {100 * found.scores[0]:.1f}%   [bold]{label(found.b)}[/] "
        f"{100 * found.scores[1]:.1f}%   ({found.statistic} of the apps, on {on})",
        highlight=False,
    )
    verdict = f"[green]{label(found.decided)} is better[/]" if found.decided else "[yellow]undecided by these data[/]"
    console.print(
        f"difference {points(found.difference)} percentage points   p {p_shown(found.p_value)}   {verdict}",
        highlight=False,
    )
    if not apps:
        return
    title = f"{label(found.a)} minus {label(found.b)}, app by app, in percentage points"
    made = grid(title, "app", ">difference", "")
    for app, interval in found.apps.items():
        mark = "" if 0 in interval else ("[green]▲[/]" if interval.estimate > 0 else "[red]▼[/]")
        made.add_row(label(app), points(interval), mark)
    show(made)


def print_strict_comparison(found: Comparison | None) -> None:
    """The same with errors counted as failures, where any episode errored."""
    if found is not None:
        console.print("[bold]with errors counted as failures:[/]", highlight=False)
        print_comparison(found, apps=False)


def print_changes(moves: Transitions, base: Cells, new: Cells) -> None:
    """Tasks by how often either solved them, those that changed, and the paired tests with their b - c."""
    title = (
        f"{counted(moves.tasks, 'task')}, by how often {label(base.contender)} (down) and {label(new.contender)} "
        "(across) solved them"
    )
    made = grid(title, "", *(f">{name}" for name in CLASSES))
    for name, row in zip(CLASSES, moves.flow, strict=True):
        made.add_row(name, *(f"{number:,}" for number in row))
    show(made)
    for name, tasks, colour in (("improved", moves.improved, "green"), ("regressed", moves.regressed, "red")):
        console.print(f"[{colour}]{name}[/] ({len(tasks):,})" + ("" if tasks else "  none"), highlight=False)
        for task in tasks[:_LISTED]:
            console.print(f"  {label(task, 76)}", highlight=False)
        if len(tasks) > _LISTED:
            console.print(f"  [dim]and {len(tasks) - _LISTED:,} more: --json has all[/]", highlight=False)
    console.print(
        f"McNemar b - c = {moves.mcnemar.improved} - {moves.mcnemar.regressed} = {moves.mcnemar.difference:+d}, "
        f"p {p_shown(moves.mcnemar.p_value)}   Wilcoxon p {p_shown(moves.wilcoxon.p_value)}   "
        f"mean change of {moves.unit} {moves.delta.estimate:+.3f} "
        f"\\[{moves.delta.low:+.3f}, {moves.delta.high:+.3f}]",
        highlight=False,
    )
