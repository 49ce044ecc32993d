"""`fairground reverify`: recorded states, scored again with the current checks."""

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

_WORDS = {True: outcome_markup("passed"), False: outcome_markup("failed"), None: "[dim]absent[/]"}
_LISTED = 50


def reverify(
    folder: Annotated[Path, typer.Argument(help="Folder of a run, or of several runs.", metavar="FOLDER")],
    write: Annotated[
        bool, typer.Option("--write", help="Keep the new verdicts. The old ones stay beside them, but no longer count.")
    ] = False,
    workers: Annotated[int, typer.Option(help="Number of processes.", min=1)] = os.cpu_count() or 1,
    json: Json = False,
) -> None:
    """Score recorded episodes again with the current checks.

    \b
    Examples:
      fairground reverify runs/first
      fairground reverify runs/first --write

    Judges the recorded states and opens no app. Shows the verdicts that changed; writes them only with --write.
    """  # noqa: D301 (\b keeps line breaks)
    runs = run_folders([folder])
    by_run = {run: _scored(run, workers, f"scoring {run.name}", quiet=json) for run in runs}
    episodes = [episode for rescored in by_run.values() for episode in rescored]
    changed = [episode for episode in episodes if episode.changed]
    written = [path for run, rescored in by_run.items() if write for path in _written(run, rescored)]
    if json:
        print_json(
            {
                "scored": sum(episode.now is not None for episode in episodes),
                "same": sum(episode.now is not None and not episode.changed for episode in episodes),
                "changed": [
                    _plain(run, episode) for run, rescored in by_run.items() for episode in rescored if episode.changed
                ],
                "not_scored": [
                    {
                        "run": str(run),
                        "number": episode.number,
                        "configuration": episode.configuration,
                        "problem": episode.problem,
                    }
                    for run, rescored in by_run.items()
                    for episode in rescored
                    if episode.now is None
                ],
                "written": [str(path) for path in written],
            }
        )
        return
    if len(runs) > 1:
        console.print(f"[bold]runs[/]     {', '.join(escape(run.name) for run in runs)}", highlight=False)
    for episode in changed[:_LISTED]:
        _print(episode)
    if len(changed) > _LISTED:
        console.print(f"... and {counted(len(changed) - _LISTED, 'episode')} more; --json lists all")
    _print_sum(episodes, changed)
    print_notes((episode.configuration, note) for episode in episodes for note in episode.notes)
    if written:
        console.print(f"[bold]written[/]  {counted(len(written), 'verdict')}, beside the old ones", highlight=False)
    elif changed:
        console.print("nothing was written; use --write to keep these verdicts", highlight=False)


def _scored(run: Path, workers: int, words: str, *, quiet: bool) -> list[Rescored]:
    with progress(words, quiet=quiet) as bar:
        return score_again(
            run,
            workers=workers,
            on_done=lambda done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )


def _written(run: Path, episodes: Sequence[Rescored]) -> list[Path]:
    changed = [episode for episode in episodes if episode.changed]
    return write_changes(run, changed) if changed else []


def _print(episode: Rescored) -> None:
    assert episode.now is not None
    console.print(
        f"[bold]{escape(episode.configuration)}[/] rollout {episode.rollout}: {outcome_markup(episode.before)} -> "
        f"{outcome_markup(episode.now)}{_rewards(episode)}",
        highlight=False,
        soft_wrap=True,
    )
    if episode.problem:
        console.print(f"  {escape(clean(episode.problem))}", highlight=False, soft_wrap=True)
    for check in episode.checks:
        console.print(
            f"  {label(check.name, 70)}: {_WORDS[check.before]} -> {_WORDS[check.now]}"
            f"  [dim]expected[/] {label(check.expected, 60)} [dim]found[/] {label(check.found, 60)}",
            highlight=False,
            soft_wrap=True,
        )


def _print_sum(episodes: Sequence[Rescored], changed: Sequence[Rescored]) -> None:
    again = sum(episode.now is not None for episode in episodes)
    moves = Counter(f"{episode.before} -> {episode.now}" for episode in changed if episode.now is not episode.before)
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
    problems = Counter(episode.problem for episode in episodes if episode.now is None)
    for problem, number in problems.most_common(5):
        console.print(f"[yellow]not scored[/]  {counted(number, 'episode')}: {escape(clean(problem))}", highlight=False)
    if len(problems) > 5:
        console.print(f"[yellow]not scored[/]  and for {counted(len(problems) - 5, 'other reason')}; --json lists all")


def _rewards(episode: Rescored) -> str:
    if episode.before_verdict is None or episode.now_verdict is None:
        return ""
    before, now = episode.before_verdict.reward, episode.now_verdict.reward
    return f", reward {before:.2f} -> {now:.2f}" if before != now else ""


def _plain(run: Path, episode: Rescored) -> dict[str, object]:
    return {
        "run": str(run),
        "number": episode.number,
        "configuration": episode.configuration,
        "rollout": episode.rollout,
        "folder": episode.folder,
        "before": episode.before.value,
        "now": episode.now.value if episode.now is not None else None,
        "reward_before": episode.before_verdict.reward if episode.before_verdict is not None else None,
        "reward_now": episode.now_verdict.reward if episode.now_verdict is not None else None,
        "checks": plain(episode.checks),
        "problem": episode.problem,
        "notes": list(episode.notes),
    }
