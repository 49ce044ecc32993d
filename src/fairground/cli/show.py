"""`fairground show`: one episode, in the terminal and as a page; or the results of runs."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, console, print_entry, print_json
from fairground.core import Episode, ended_by_words
from fairground.report import describe
from fairground.report.describe import in_a_line
from fairground.report.outcomes import outcome_markup
from fairground.report.plural import counted
from fairground.rollout import read_episode


def show(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of an episode, a run or several runs.")],
    steps: Annotated[bool, typer.Option("--steps", help="List all steps of the episode.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in your browser.")] = False,
    json: Json = False,
) -> None:
    """Show the scores and failures of a run, or one episode.

    \b
    Examples:
      fairground show runs/first                           Scores, failures.
      fairground show runs/first/episodes/000003           One episode.
      fairground show runs/first/episodes/000003 --steps   With its actions.

    For an episode, shows the outcome, the evidence of each check, and the path of a page with the replay.
    """  # noqa: D301 (\b keeps line breaks)
    if not (folder / "episode.json").exists():
        from fairground.cli.show_runs import show_runs  # late: loads the statistics

        show_runs(folder, browser=browser, json=json)
        return
    if (folder.absolute().parent.parent / "run.sqlite").is_file():
        from fairground.rollout.ended import check_in_run  # late: loads the planner of runs

        check_in_run(folder)  # first, so that an episode that cannot be read is known to be damaged
    recorded = read_episode(folder)
    page = _page(folder, fresh=browser)
    if json:
        print_json(
            {
                "folder": str(folder),
                "page": str(page),
                "complete": recorded.complete,
                **recorded.episode.plain(),
                **({"step_log": [step.plain() for step in recorded.steps]} if steps else {}),
            }
        )
        return
    console.print(f"[bold]{escape(recorded.episode.configuration.id)}[/]", highlight=False)
    print_entry("[bold]task[/]", escape(recorded.episode.instruction))
    if not recorded.complete:
        console.print("[yellow]incomplete: the recording stopped before the episode ended[/]")
    if steps:
        for step in recorded.steps:
            refused = f"  [red]refused: {escape(in_a_line(step.refused))}[/]" if step.refused else ""
            console.print(f"  {step.index + 1:>3}  {escape(describe(step.action))}{refused}", highlight=False)
    print_episode(recorded.episode)
    if "traceback" in recorded.log_names():
        console.print(f"[bold]trace[/]  {folder / 'logs' / 'traceback.txt'}", highlight=False, soft_wrap=True)
    console.print(f"[bold]page[/]   {page}", highlight=False, soft_wrap=True)
    if browser:
        webbrowser.open(page.resolve().as_uri())


def _page(folder: Path, *, fresh: bool) -> Path:
    """Returns the episode's page. Writing takes most of a second, so a page newer than the recording is kept."""
    page = folder / "index.html"
    recorded = max(path.stat().st_mtime_ns for path in folder.glob("*.json*"))
    if fresh or not page.is_file() or page.stat().st_mtime_ns <= recorded:
        from fairground.report import write_episode_page

        page = write_episode_page(folder)
    return page


def print_episode(episode: Episode) -> None:
    """Prints the outcome of an episode and the evidence of each check."""
    outcome = episode.outcome
    if outcome is not None:
        reward = f", reward {episode.verdict.reward:.2f}" if episode.verdict else ""
        ended = f", ended by {ended_by_words(episode.ended_by)}" if episode.ended_by else ""
        print_entry(
            "",
            f"[bold]{outcome_markup(outcome)}[/]{reward}: agent {escape(episode.agent)}, "
            f"{counted(episode.steps, 'step')}, {episode.seconds:.1f} s{ended}",
            indent=2,
        )
    if episode.error:
        console.print(escape(episode.error), highlight=False)
    if episode.verdict is not None:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("", "check", "expected", "found"):
            table.add_column(column)
        for check in episode.verdict.checks:
            mark = "[green]✓[/]" if check.passed else "[red]✗[/]"
            name = f"{check.name} (weak evidence)" if check.weak else check.name
            table.add_row(mark, escape(name), _short(check.expected), _short(check.found))
        console.print(table)
    for note in episode.notes:
        print_entry("[yellow]note[/]", escape(note))


def _short(value: object) -> str:
    text = str(value)
    return escape(text if len(text) <= 70 else text[:67] + "...")
