"""`fairground reverify`: recorded states, scored again with today's verifiers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import Json, clean, console, print_json
from fairground.cli.stats.options import counted, label, print_notes, progress
from fairground.report.outcomes import outcome_markup
from fairground.rollout.ended import run_folders
from fairground.rollout.reverifying import Rescored, write_changes
from fairground.rollout.reverifying import reverify as score_again
from fairground.stats import plain

_WORDS = {True: outcome_markup("passed"), False: outcome_markup("failed"), None: "[dim]not there[/]"}
_LISTED = 50


def reverify(
    folder: Annotated[Path, typer.Argument(help="The folder of a run, or of several side by side.", metavar="RUN")],
    write: Annotated[
        bool, typer.Option("--write", help="Write new verdicts beside the old ones, and count them from now on.")
    ] = False,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = os.cpu_count() or 1,
    json: Json = False,
) -> None:
    """Scores a run's recorded states again with today's verifiers, and shows what changed."""
    runs = run_folders([folder])
    by_run = {run: _scored(run, workers, f"scoring {run.name}", quiet=json) for run in runs}
    found = [one for some in by_run.values() for one in some]
    changed = [one for one in found if one.changed]
    written = [path for run, some in by_run.items() if write for path in _written(run, some)]
    if json:
        print_json(
            {
                "scored": sum(one.now is not None for one in found),
                "same": sum(one.now is not None and not one.changed for one in found),
                "changed": [_plain(run, one) for run, some in by_run.items() for one in some if one.changed],
                "not_scored": [
                    {"run": str(run), "number": one.number, "configuration": one.configuration, "problem": one.problem}
                    for run, some in by_run.items()
                    for one in some
                    if one.now is None
                ],
                "written": [str(path) for path in written],
            }
        )
        return
    if len(runs) > 1:
        console.print(f"[bold]runs[/]     {', '.join(escape(run.name) for run in runs)}", highlight=False)
    for one in changed[:_LISTED]:
        _print(one)
    if len(changed) > _LISTED:
        console.print(f"... and {counted(len(changed) - _LISTED, 'episode')} more; --json has them all")
    _print_sum(found, changed)
    print_notes((one.configuration, note) for one in found for note in one.notes)
    if written:
        console.print(f"[bold]written[/]  {counted(len(written), 'verdict')}, beside the old ones", highlight=False)
    elif changed:
        console.print("nothing was written; --write keeps these verdicts", highlight=False)


def _scored(run: Path, workers: int, words: str, *, quiet: bool) -> list[Rescored]:
    with progress(words, quiet=quiet) as bar:
        return score_again(
            run,
            workers=workers,
            on_done=lambda done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )


def _written(run: Path, found: Sequence[Rescored]) -> list[Path]:
    changed = [one for one in found if one.changed]
    return write_changes(run, changed) if changed else []


def _print(one: Rescored) -> None:
    assert one.now is not None
    console.print(
        f"[bold]{escape(one.configuration)}[/] rollout {one.rollout}: {outcome_markup(one.before)} -> "
        f"{outcome_markup(one.now)}{_rewards(one)}",
        highlight=False,
        soft_wrap=True,
    )
    if one.problem:
        console.print(f"  {escape(clean(one.problem))}", highlight=False, soft_wrap=True)
    for check in one.checks:
        console.print(
            f"  {label(check.name, 70)}: {_WORDS[check.before]} -> {_WORDS[check.now]}"
            f"  [dim]expected[/] {label(check.expected, 60)} [dim]found[/] {label(check.found, 60)}",
            highlight=False,
            soft_wrap=True,
        )


def _print_sum(found: Sequence[Rescored], changed: Sequence[Rescored]) -> None:
    again = sum(one.now is not None for one in found)
    moves = Counter(f"{one.before} -> {one.now}" for one in changed if one.now is not one.before)
    inside = len(changed) - sum(moves.values())
    words = [f"{number:,} {move}" for move, number in moves.items()]
    if inside:
        words.append(f"{inside:,} with the same outcome")
    how = f" ({', '.join(words)})" if words else ""
    console.print(
        f"[bold]scored[/]   {counted(again, 'episode')} again: {again - len(changed):,} the same, "
        f"{len(changed):,} changed{how}",
        highlight=False,
    )
    problems = Counter(one.problem for one in found if one.now is None)
    for problem, number in problems.most_common(5):
        console.print(f"[yellow]not scored[/]  {counted(number, 'episode')}: {escape(clean(problem))}", highlight=False)
    if len(problems) > 5:
        console.print(f"[yellow]not scored[/]  and for {len(problems) - 5} other reasons; --json has them all")


def _rewards(one: Rescored) -> str:
    if one.before_verdict is None or one.now_verdict is None:
        return ""
    before, now = one.before_verdict.reward, one.now_verdict.reward
    return f", reward {before:.2f} -> {now:.2f}" if before != now else ""


def _plain(run: Path, one: Rescored) -> dict[str, object]:
    return {
        "run": str(run),
        "number": one.number,
        "configuration": one.configuration,
        "rollout": one.rollout,
        "folder": one.folder,
        "before": one.before.value,
        "now": one.now.value if one.now is not None else None,
        "reward_before": one.before_verdict.reward if one.before_verdict is not None else None,
        "reward_now": one.now_verdict.reward if one.now_verdict is not None else None,
        "checks": plain(one.checks),
        "problem": one.problem,
        "notes": list(one.notes),
    }
