"""`fairground compare`: two or more runs, paired on the same configurations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from fairground.cli.output import Json, console, print_json
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
        list[Path], typer.Argument(help="Folders of runs, or tables of episodes; two or more.", metavar="DIR...")
    ],
    statistic: Statistic = "mean",
    level: Level = 0.95,
    scheme: Scheme = "clusters",
    resamples: Resamples = 5000,
    pairing: Annotated[str, typer.Option(help="auto, configurations, scenarios or apart.")] = "auto",
    tables: TableOptions = AS_IS,
    seed: RandomSeed = 0,
    page: Annotated[Path | None, typer.Option(help="Also write an HTML page, such as compare.html.")] = None,
    json: Json = False,
) -> None:
    """Says who is better, with an interval, on the configurations that both ran; and where they differ most.

    \b
      fairground compare first second                    the first minus the second
      fairground compare a b c --page compare.html       every pair, corrected for their number

    Errored and invalid episodes are counted apart. Runs in different worlds or under different budgets are told.
    """  # noqa: D301 (click reads \b as: keep these lines)
    if page is not None and page.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--page: expected a name that ends in .html, got {page.name!r}", fix="compare.html")
    _need(sources)
    table, everyone = _read(sources, tables)
    cells = {one: count(table, one) for one in everyone}
    pairs = list(combinations(everyone, 2))
    root = np.random.default_rng(seed)
    streams, stricter = root.spawn(len(pairs)), root.spawn(len(pairs))
    duels: list[Duel] = []
    rewards: list[Comparison | None] = []
    apart: list[str] = []
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
            found = compared(cells[a], cells[b], rng=rng)
        except InvalidInput as error:  # of many, some may share nothing
            if len(pairs) == 1 or len(apart) == len(pairs) - 1:
                raise
            apart.append(f"Not compared: {error.message}.")
            continue
        rewards.append(compare_rewards(table, cells[a], cells[b], pairing=found.pairing, level=level))
        strict = compare_strictly(table, a, b, partial(compared, rng=strict_rng))
        duels.append(duel(cells[a], cells[b], found, everyone[a], everyone[b], level=level, errors_failed=strict))
    adjusted = holm([one.comparison.p_value for one in duels]).tolist()
    if page is not None:
        write_report(summarise(table, seed=seed, statistic=statistic, level=level, scheme=scheme), page)  # type: ignore[arg-type]
    if json:
        print_json({**_plain(table, everyone, duels, rewards, adjusted, page), "notes": apart})
        return
    _print_denominators(table, everyone)
    for one, reward, p in zip(duels, rewards, adjusted, strict=True):
        _print_duel(one, reward, p if len(duels) > 1 else None, level)
    print_notes(("", note) for note in apart)
    if page is not None:
        console.print(f"\n[bold]page[/]   {label(page, 1000)}", highlight=False, soft_wrap=True)


def _need(sources: Sequence[Path]) -> None:
    """Raises `InvalidInput` with all that is missing, and what there is instead."""
    missing = [str(source) for source in sources if not source.exists()]
    if not missing:
        return
    there = sorted(str(path) for path in Path("runs").glob("*") if path.is_dir())[-_LISTED:]
    found = f"the newest in runs/ are {', '.join(there)}" if there else "`fairground run` makes them, in runs/"
    raise InvalidInput(
        f"{' and '.join(missing)} {'does' if len(missing) == 1 else 'do'} not exist",
        fix=f"give folders of runs ({found}), or tables: .csv, .jsonl or .parquet files",
    )


def _read(sources: Sequence[Path], options: TableOptions) -> tuple[Table, dict[Contender, RunSide | None]]:
    """One table of all sources, and who is in it, with the run it is of. Two of one name are told apart by source."""
    tables = [read([source], options) for source in sources]
    sides = [read_side(source) if is_run(source) else None for source in sources]
    everyone = [one for table in tables for one in table.contenders]
    twice = {one for one in everyone if everyone.count(one) > 1}
    named = [
        told_apart(table, _name(source, sources)) if twice & set(table.contenders) else table
        for table, source in zip(tables, sources, strict=True)
    ]
    found = {one: side for table, side in zip(named, sides, strict=True) for one in table.contenders}
    if len(found) < 2:
        raise InvalidInput(f"nothing to compare {next(iter(found))} with", fix="fairground compare FIRST SECOND")
    return join_tables(named), found


def _name(source: Path, sources: Sequence[Path]) -> str:
    """The last part of a path, unless another source ends alike."""
    resolved = source.resolve()
    alike = [one for one in sources if one.resolve().name == resolved.name]
    if sum(one.resolve() == resolved for one in sources) > 1:
        raise InvalidInput(f"{source} is there twice", fix="a run cannot be compared with itself")
    return resolved.name if len(alike) == 1 else str(source)


def _print_denominators(table: Table, everyone: dict[Contender, RunSide | None]) -> None:
    made = grid("episodes", "", ">passed", ">scored", ">errored", ">invalid", ">not ended")
    for one, side in everyone.items():
        outcomes = table.outcomes(one)
        passed, failed, errored, invalid = (outcomes[which] for which in Outcome)
        left = "" if side is None else f"{side.planned - len(side.attempts):,}"
        made.add_row(label(one), f"{passed:,}", f"{passed + failed:,}", f"{errored:,}", f"{invalid:,}", left)
    show(made)


def _print_duel(found: Duel, reward: Comparison | None, adjusted: float | None, level: float) -> None:
    console.print()
    print_comparison(found.comparison)
    print_strict_comparison(found.errors_failed)
    print_rewards(reward)
    if adjusted is not None:
        far = "still decided" if found.comparison.decided and adjusted <= 1 - level else "not decided"
        console.print(f"[dim]p {p_shown(adjusted)} after Holm's correction for all pairs: {far}[/]", highlight=False)
    if found.transitions is not None:
        print_changes(found.transitions, found.b, found.a)
    if found.contests:
        title = f"{counted(len(found.contests), 'configuration')} with unlike success; the largest differences"
        made = grid(title, "configuration", f">{label(found.a.contender, 20)}", f">{label(found.b.contender, 20)}")
        for one in found.contests[:_LISTED]:
            made.add_row(label(one.configuration, 90), f"{one.a[0]}/{one.a[1]}", f"{one.b[0]}/{one.b[1]}")
        show(made)
        first = found.contests[0]
        for folder in (first.a_folder, first.b_folder):
            console.print(f"[dim]look:[/] fairground show {label(folder, 1000)}", highlight=False, soft_wrap=True)
    print_notes(("", note) for note in found.notes)


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
                "contender": str(one),
                "run": None if side is None else str(side.folder),
                "outcomes": plain(table.outcomes(one)),
                "not_ended": None if side is None else side.planned - len(side.attempts),
            }
            for one, side in everyone.items()
        ],
        "pairs": [
            {
                "comparison": plain(found.comparison),
                "comparison_errors_failed": plain(found.errors_failed),
                "reward": plain(reward),
                "adjusted_p": p,
                "transitions": plain(found.transitions),
                "contests": [
                    {
                        "configuration": one.configuration,
                        "a": one.a,
                        "b": one.b,
                        "a_folder": str(one.a_folder),
                        "b_folder": str(one.b_folder),
                    }
                    for one in found.contests
                ],
                "notes": found.notes,
            }
            for found, reward, p in zip(duels, rewards, adjusted, strict=True)
        ],
        "page": None if page is None else str(page),
    }
