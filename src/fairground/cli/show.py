"""`fairground show`: an episode, in the terminal and as a page; or how a run ended."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, console, print_json
from fairground.core import Episode, ended_by_words
from fairground.report import describe
from fairground.report.describe import in_a_line
from fairground.report.outcomes import outcome_markup
from fairground.rollout import read_episode


def show(
    folder: Annotated[Path, typer.Argument(help="The folder of an episode, of a run, or of several runs.")],
    steps: Annotated[bool, typer.Option("--steps", help="List every step of an episode.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in a browser.")] = False,
    json: Json = False,
) -> None:
    """Shows an episode: outcome, evidence, and a page with the replay. Of a run: scores, and what failed.

    \b
      fairground show runs/first                      the leaderboard, and the episodes that failed
      fairground show runs/first/episodes/000003      one of them
    """  # noqa: D301 (click reads \b as: keep these lines)
    if not (folder / "episode.json").exists():
        from fairground.cli.show_runs import show_runs  # which loads the statistics

        show_runs(folder, browser=browser, json=json)
        return
    found = read_episode(folder)
    if (folder.absolute().parent.parent / "run.sqlite").is_file():
        from fairground.rollout.ended import check_in_run  # which loads what plans runs

        check_in_run(folder)
    page = _page(folder, fresh=browser)
    if json:
        print_json(
            {
                "folder": str(folder),
                "page": str(page),
                "complete": found.complete,
                **found.episode.plain(),
                **({"step_log": [step.plain() for step in found.steps]} if steps else {}),
            }
        )
        return
    console.print(f"[bold]{escape(found.episode.configuration.id)}[/]", highlight=False)
    console.print(f"[bold]task[/]   {escape(found.episode.instruction)}", highlight=False)
    if not found.complete:
        console.print("[yellow]incomplete: the recording stopped before the episode ended[/]")
    if steps:
        for step in found.steps:
            refused = f"  [red]refused: {escape(in_a_line(step.refused))}[/]" if step.refused else ""
            console.print(f"  {step.index + 1:>3}  {escape(describe(step.action))}{refused}", highlight=False)
    print_episode(found.episode)
    if "traceback" in found.log_names():
        console.print(f"[bold]trace[/]  {folder / 'logs' / 'traceback.txt'}", highlight=False, soft_wrap=True)
    console.print(f"[bold]page[/]   {page}", highlight=False, soft_wrap=True)
    if browser:
        webbrowser.open(page.resolve().as_uri())


def _page(folder: Path, *, fresh: bool) -> Path:
    """The episode's page. It takes most of a second to write, so one that is newer than the recording stays."""
    page = folder / "index.html"
    recorded = max(path.stat().st_mtime_ns for path in folder.glob("*.json*"))
    if fresh or not page.is_file() or page.stat().st_mtime_ns <= recorded:
        from fairground.report import write_episode_page

        page = write_episode_page(folder)
    return page


def print_episode(episode: Episode) -> None:
    """Outcome and evidence."""
    outcome = episode.outcome
    if outcome is not None:
        reward = f", reward {episode.verdict.reward:.2f}" if episode.verdict else ""
        console.print(
            f"[bold]{outcome_markup(outcome)}[/]{reward}: agent {escape(episode.agent)}, {episode.steps} steps, "
            f"{episode.seconds:.1f} s" + (f", ended by {ended_by_words(episode.ended_by)}" if episode.ended_by else ""),
            highlight=False,
        )
    if episode.error:
        console.print(escape(episode.error), highlight=False)
    if episode.verdict is not None:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("", "check", "expected", "found"):
            table.add_column(column)
        for check in episode.verdict.checks:
            mark = "[green]✓[/]" if check.passed else "[red]✗[/]"
            table.add_row(mark, escape(check.name), _short(check.expected), _short(check.found))
        console.print(table)
    for note in episode.notes:
        console.print(f"[yellow]note[/]   {escape(note)}", highlight=False)


def _short(value: object) -> str:
    text = str(value)
    return escape(text if len(text) <= 70 else text[:67] + "...")
