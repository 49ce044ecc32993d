"""`fairground behaviour`: how agents went about it, when they passed and when they failed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import Json, console, errors, print_json
from fairground.cli.stats.options import (
    Level,
    counted,
    grid,
    label,
    points,
    print_notes,
    progress,
    show,
    shown,
)
from fairground.core import Outcome, ended_by_words
from fairground.rollout.behaviour import MEASURES, Unit
from fairground.rollout.behaviour_by_outcome import BehaviourSummary, compare_by_outcome, watch_runs
from fairground.stats import Interval, plain

_SHOWN = 5  # problems that are spelt out


def behaviour(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs or episodes.", metavar="RUN...")],
    level: Level = 0.95,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = os.cpu_count() or 1,
    json: Json = False,
) -> None:
    """Repetition, retries, exploration, reflection, self-checks, time per step; by outcome, with intervals."""
    with progress("reading episodes", quiet=json) as bar:
        rows, problems = watch_runs(
            runs,
            workers=workers,
            on_done=lambda done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )
    found = compare_by_outcome(rows, level=level)
    if json:
        meanings = {name: one.meaning for name, one in MEASURES.items()}
        print_json({"contenders": plain(found), "measures": meanings, "problems": problems})
        return
    for one in found:
        _print(one)
    print_notes((str(one.contender), note) for one in found for note in one.notes)
    for problem in problems[:_SHOWN]:
        errors.print(f"[yellow]left out[/]  {escape(problem)}", highlight=False, soft_wrap=True)
    if len(problems) > _SHOWN:
        errors.print(f"[yellow]left out[/]  {counted(len(problems) - _SHOWN, 'episode')} more", highlight=False)


def _print(found: BehaviourSummary) -> None:
    counts = [found.outcomes.get(outcome, 0) for outcome in (Outcome.PASSED, Outcome.FAILED)]
    made = grid(
        f"{label(found.contender)}: {counted(sum(counts), 'episode')} in {counted(found.scenarios, 'scenario')}",
        "measure",
        f">passed ({counts[0]:,})",
        f">failed ({counts[1]:,})",
        ">passed - failed",
    )
    for name, one in found.measures.items():
        unit = MEASURES[name].unit
        if one.passed is None and one.failed is None:
            continue
        made.add_row(
            MEASURES[name].title + (" (ms)" if unit == "ms" else ""),
            _value(one.passed, unit),
            _value(one.failed, unit),
            _difference(one.difference, unit),
        )
    show(made)
    for outcome, endings in found.endings.items():
        told = ((ended_by_words(ended) or "unknown", number) for ended, number in endings.items())
        words = ", ".join(f"{number:,} {escape(ended)}" for ended, number in told)
        console.print(f"[dim]{outcome}, ended by[/]  {words}", highlight=False)


def _value(interval: Interval | None, unit: Unit) -> str:
    if interval is None:
        return "-"
    if unit == "share":
        return shown(interval)
    return f"{_number(interval.estimate)} \\[{_number(interval.low)}, {_number(interval.high)}]"


def _difference(interval: Interval | None, unit: Unit) -> str:
    if interval is None:
        return "-"
    if unit == "share":
        return points(interval)
    return f"{interval.estimate:+.3g} \\[{interval.low:+.3g}, {interval.high:+.3g}]"


def _number(value: float) -> str:
    return f"{value:,.1f}" if abs(value) < 1000 else f"{value:,.0f}"
