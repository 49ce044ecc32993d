"""`fairground compare`: two or more runs, paired on the configurations that they share."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from fairground.cli.output import Json, console, print_command, print_json
from fairground.cli.stats.compare import (
    compare_rewards,
    print_changes,
    print_comparison,
    print_rewards,
    print_strict_comparison,
)
from fairground.cli.stats.options import (
    AS_IS,
    Level,
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
    print_notes,
    read,
    show,
    takes_tables,
)
from fairground.core import InvalidInput, Outcome
from fairground.report import write_report
from fairground.rollout import is_run
from fairground.rollout.differing import RunSide, read_side
from fairground.rollout.duels import Duel, duel, told_apart
from fairground.stats import (
    Comparison,
    Contender,
    Table,
    compare_strictly,
    count,
    holm,
    join_tables,
    plain,
    summarise,
)
from fairground.stats import compare as compare_cells

_LISTED = 8


@takes_tables
def compare(
    sources: Annotated[
        list[Path], typer.Argument(help="Two or more folders of runs, or tables of episodes.", metavar="RUN...")
    ],
    statistic: Statistic = "mean",
    level: Level = 0.95,
    scheme: Scheme = "clusters",
    resamples: Resamples = 5000,
    pairing: Pairing = "auto",
    tables: TableOptions = AS_IS,
    seed: RandomSeed = 0,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write an HTML page, such as compare.html.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare runs on the configurations that they share.

    \b
    Examples:
      fairground compare runs/first runs/second
      fairground compare runs/a runs/b runs/c --page compare.html

    Prints the difference (first minus second) with its interval and p-value, and where the runs differ most. With
    three or more runs, compares every pair and corrects for their number. Counts errored and invalid episodes
    separately. Notes where runs had different worlds or budgets.
    """  # noqa: D301 (\b keeps line breaks)
    if page is not None and page.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--page: expected a name that ends in .html, got {page.name!r}", fix="compare.html")
    _need(sources)
    table, everyone = _read(sources, tables)
    cells = {contender: count(table, contender) for contender in everyone}
    pairs = list(combinations(everyone, 2))
    root = np.random.default_rng(seed)
    streams, stricter = root.spawn(len(pairs)), root.spawn(len(pairs))
    duels: list[Duel] = []
    rewards: list[Comparison | None] = []
    not_compared: list[str] = []
    compared = partial(
        compare_cells,
        statistic=statistic,
        resamples=resamples,
        level=level,
        scheme=scheme,  # type: ignore[arg-type]  # checked there
        pairing=pairing,  # type: ignore[arg-type]  # checked there
    )
    for (a, b), rng, strict_rng in zip(pairs, streams, stricter, strict=True):
        try:
            comparison = compared(cells[a], cells[b], rng=rng)
        except InvalidInput as error:  # some of many pairs may have nothing in common
            if len(pairs) == 1 or len(not_compared) == len(pairs) - 1:
                raise
            not_compared.append(f"Not compared: {error.message}.")
            continue
        rewards.append(compare_rewards(table, cells[a], cells[b], pairing=comparison.pairing, level=level))
        strict = compare_strictly(table, a, b, partial(compared, rng=strict_rng))
        duels.append(duel(cells[a], cells[b], comparison, everyone[a], everyone[b], level=level, errors_failed=strict))
    adjusted = holm([pair.comparison.p_value for pair in duels]).tolist()
    if page is not None:
        write_report(summarise(table, seed=seed, statistic=statistic, level=level, scheme=scheme), page)  # type: ignore[arg-type]
    if json:
        print_json({**_plain(table, everyone, duels, rewards, adjusted, page), "notes": not_compared})
        return
    _print_denominators(table, everyone)
    for pair, reward, p in zip(duels, rewards, adjusted, strict=True):
        _print_duel(pair, reward, p if len(duels) > 1 else None, level)
    print_notes(("", note) for note in not_compared)
    if page is not None:
        console.print(f"\n[bold]page[/]   {label(page, 1000)}", highlight=False, soft_wrap=True)


def _need(sources: Sequence[Path]) -> None:
    """Raises `InvalidInput` for sources that do not exist, and suggests existing runs."""
    missing = [str(source) for source in sources if not source.exists()]
    if not missing:
        return
    there = sorted(str(path) for path in Path("runs").glob("*") if path.is_dir())[-_LISTED:]
    hint = f"the newest in runs/ are {', '.join(there)}" if there else "`fairground run` makes them, in runs/"
    raise InvalidInput(
        f"{' and '.join(missing)} {'does' if len(missing) == 1 else 'do'} not exist",
        fix=f"give folders of runs ({hint}), or tables: .csv, .jsonl or .parquet files",
    )


def _read(sources: Sequence[Path], options: TableOptions) -> tuple[Table, dict[Contender, RunSide | None]]:
    """Returns one table of all sources, and its contenders with their runs.

    Contenders of the same name get the name of their source as their condition.
    """
    tables = [read([source], options) for source in sources]
    sides = [read_side(source) if is_run(source) else None for source in sources]
    everyone = [contender for table in tables for contender in table.contenders]
    twice = {contender for contender in everyone if everyone.count(contender) > 1}
    named = [
        told_apart(table, _name(source, sources)) if twice & set(table.contenders) else table
        for table, source in zip(tables, sources, strict=True)
    ]
    contenders = {contender: side for table, side in zip(named, sides, strict=True) for contender in table.contenders}
    if len(contenders) < 2:
        raise InvalidInput(f"nothing to compare {next(iter(contenders))} with", fix="fairground compare FIRST SECOND")
    return join_tables(named), contenders


def _name(source: Path, sources: Sequence[Path]) -> str:
    """Returns the last part of a path, or the whole path where another source has the same last part."""
    resolved = source.resolve()
    alike = [path for path in sources if path.resolve().name == resolved.name]
    if sum(path.resolve() == resolved for path in sources) > 1:
        raise InvalidInput(f"{source} is given twice", fix="give two different runs")
    return resolved.name if len(alike) == 1 else str(source)


def _print_denominators(table: Table, everyone: dict[Contender, RunSide | None]) -> None:
    waiting = {name: side.planned - len(side.attempts) for name, side in everyone.items() if side is not None}
    incomplete = any(waiting.values())
    columns = ("", ">passed", ">scored", ">errored", ">invalid", *((">still to run",) if incomplete else ()))
    rows = grid("episodes", *columns)
    for contender in everyone:
        outcomes = table.outcomes(contender)
        passed, failed, errored, invalid = (outcomes[which] for which in Outcome)
        cells = [f"{number:,}" for number in (passed, passed + failed, errored, invalid)]
        if incomplete:
            cells.append(f"{waiting[contender]:,}" if contender in waiting else "")
        rows.add_row(label(contender), *cells)
    show(rows)


def _print_duel(pair: Duel, reward: Comparison | None, adjusted: float | None, level: float) -> None:
    console.print()
    print_comparison(pair.comparison)
    print_strict_comparison(pair.errors_failed)
    print_rewards(reward)
    if adjusted is not None:
        far = "still decided" if pair.comparison.decided and adjusted <= 1 - level else "undecided"
        console.print(f"[dim]p {p_shown(adjusted)} after Holm's correction for all pairs: {far}[/]", highlight=False)
    if pair.transitions is not None:
        print_changes(pair.transitions, pair.b, pair.a)
    if pair.contests:
        title = f"{counted(len(pair.contests), 'configuration')} with different success; the largest differences"
        rows = grid(title, "configuration", f">{label(pair.a.contender, 20)}", f">{label(pair.b.contender, 20)}")
        for contest in pair.contests[:_LISTED]:
            rows.add_row(
                label(contest.configuration, 90), f"{contest.a[0]}/{contest.a[1]}", f"{contest.b[0]}/{contest.b[1]}"
            )
        show(rows)
        first = pair.contests[0]
        commands = [shlex.join(["fairground", "show", str(folder)]) for folder in (first.a_folder, first.b_folder)]
        print_command("replay the first", *commands)
    print_notes(("", note) for note in pair.notes)


def _plain(
    table: Table,
    everyone: dict[Contender, RunSide | None],
    duels: Sequence[Duel],
    rewards: Sequence[Comparison | None],
    adjusted: Sequence[float],
    page: Path | None,
) -> dict[str, Any]:
    return {
        "contenders": [
            {
                "contender": str(contender),
                "run": None if side is None else str(side.folder),
                "outcomes": plain(table.outcomes(contender)),
                "not_ended": None if side is None else side.planned - len(side.attempts),
            }
            for contender, side in everyone.items()
        ],
        "pairs": [
            {
                "comparison": plain(pair.comparison),
                "comparison_errors_failed": plain(pair.errors_failed),
                "reward": plain(reward),
                "adjusted_p": p,
                "transitions": plain(pair.transitions),
                "contests": [
                    {
                        "configuration": contest.configuration,
                        "a": contest.a,
                        "b": contest.b,
                        "a_folder": str(contest.a_folder),
                        "b_folder": str(contest.b_folder),
                    }
                    for contest in pair.contests
                ],
                "notes": pair.notes,
            }
            for pair, reward, p in zip(duels, rewards, adjusted, strict=True)
        ],
        "page": None if page is None else str(page),
    }
