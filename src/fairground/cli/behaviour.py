"""`fairground behaviour`: how agents behaved in passed and in failed episodes."""

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

_SHOWN = 5  # number of problems to print


def behaviour(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs or episodes.", metavar="FOLDER...")],
    level: Level = 0.95,
    workers: Annotated[int, typer.Option(help="Number of processes.", min=1)] = os.cpu_count() or 1,
    json: Json = False,
) -> None:
    """Measure how agents behave when they pass and when they fail.

    \b
    Example:
      fairground behaviour runs/first

    Measures repetition, retries, exploration, reflection, self-checks and time per step, each with an interval and
    the difference between passed and failed episodes.
    """  # noqa: D301 (\b keeps line breaks)
    with progress("reading episodes", quiet=json) as bar:
        rows, problems = watch_runs(
            runs,
            workers=workers,
            on_done=lambda done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )
    summaries = compare_by_outcome(rows, level=level)
    if json:
        meanings = {name: measure.meaning for name, measure in MEASURES.items()}
        print_json({"contenders": plain(summaries), "measures": meanings, "problems": problems})
        return
    for summary in summaries:
        _print(summary)
    print_notes((str(summary.contender), note) for summary in summaries for note in summary.notes)
    for problem in problems[:_SHOWN]:
        errors.print(f"[yellow]excluded[/]  {escape(problem)}", highlight=False, soft_wrap=True)
    if len(problems) > _SHOWN:
        errors.print(f"[yellow]excluded[/]  {counted(len(problems) - _SHOWN, 'episode')} more", highlight=False)


def _print(summary: BehaviourSummary) -> None:
    counts = [summary.outcomes.get(outcome, 0) for outcome in (Outcome.PASSED, Outcome.FAILED)]
    table = grid(
        f"{label(summary.contender)}: {counted(sum(counts), 'episode')} in {counted(summary.scenarios, 'scenario')}",
        "measure",
        f">passed ({counts[0]:,})",
        f">failed ({counts[1]:,})",
        ">passed - failed",
    )
    for name, measured in summary.measures.items():
        unit = MEASURES[name].unit
        if measured.passed is None and measured.failed is None:
            continue
        table.add_row(
            MEASURES[name].title + (" (ms)" if unit == "ms" else ""),
            _value(measured.passed, unit),
            _value(measured.failed, unit),
            _difference(measured.difference, unit),
        )
    show(table)
    for outcome, endings in summary.endings.items():
        counted_endings = ((ended_by_words(ended) or "unknown", number) for ended, number in endings.items())
        words = ", ".join(f"{number:,} {escape(ended)}" for ended, number in counted_endings)
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
