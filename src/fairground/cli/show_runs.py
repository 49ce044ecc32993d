"""What `fairground show` prints for a folder of runs or episodes: scores and failures."""

from __future__ import annotations

import shlex
import webbrowser
from dataclasses import dataclass, replace
from pathlib import Path

from fairground.cli.output import clean, console, print_command, print_json
from fairground.cli.several_runs import refuse_repeats
from fairground.cli.stats.options import counted, grid, label, print_notes, show
from fairground.cli.stats.summary import print_standings
from fairground.core import Check, FairgroundError, Outcome
from fairground.report.describe import in_a_line
from fairground.report.outcomes import outcome_markup
from fairground.rollout.ended import Ended, ended_episodes, result_folders
from fairground.rollout.episode_table import ended_table
from fairground.rollout.failed_checks import failed_checks, verdict_files
from fairground.rollout.store import is_run
from fairground.stats import join_tables, plain, summarise

_LISTED = 20


@dataclass(frozen=True)
class _Shown:
    """An episode that did not pass, and its first failed check or its error."""

    ended: Ended
    why: str

    @property
    def folder(self) -> Path:
        return self.ended.home / self.ended.finished.folder


def show_runs(folder: Path, *, browser: bool, json: bool) -> None:
    """Prints the leaderboard of a folder's runs, and the episodes that did not pass."""
    by_home = {home: ended_episodes(home) for home in result_folders([folder])}
    refuse_repeats([folder], {home: ended for home, (ended, _) in by_home.items()})
    tables = [ended_table(ended, notes, home) for home, (ended, notes) in by_home.items()]
    table = replace(join_tables(tables), source=str(folder))
    summary = summarise(table, depth="scores")
    missed = [
        episode for ended, _ in by_home.values() for episode in ended if episode.finished.outcome is not Outcome.PASSED
    ]
    missed.sort(key=lambda episode: episode.finished.outcome is Outcome.FAILED)  # errors before failures
    page = folder / "report.html"
    if json:
        explained = _explained(missed)
        listed = [
            {
                "folder": str(episode.folder),
                "agent": episode.ended.agent,
                "configuration": episode.ended.configuration.id,
                "rollout": episode.ended.rollout,
                "outcome": episode.ended.finished.outcome.value,
                "why": episode.why,
            }
            for episode in explained
        ]
        print_json({"folder": str(folder), "summary": plain(summary), "not_passed": listed})
        return
    print_standings(summary, table)
    if missed:
        _print_missed(folder, _explained(missed[:_LISTED]), len(missed))
    print_notes(("", note) for note in (*table.notes, *summary.notes))
    if page.is_file():
        console.print(f"[bold]page[/]   {label(page, 1000)}", highlight=False, soft_wrap=True)
        if browser:
            webbrowser.open(page.resolve().as_uri())
    else:
        print_command("for an HTML report", shlex.join(["fairground", "report", str(folder)]))


def _print_missed(folder: Path, explained: list[_Shown], total: int) -> None:
    # A column in which all rows are the same says nothing.
    varying = {
        name: values
        for name, values in {
            "agent": [label(row.ended.agent, 24) for row in explained],
            "scenario": [
                label(f"{row.ended.configuration.app}/{row.ended.configuration.scenario}") for row in explained
            ],
        }.items()
        if len({*values}) > 1
    }
    columns = {
        "outcome": [outcome_markup(row.ended.finished.outcome) for row in explained],
        "episode": [label(row.folder.relative_to(folder)) for row in explained],
        **varying,
        "configuration": [label(row.ended.configuration.id.split("/", 3)[-1]) for row in explained],
        "failed check or error": [label(row.why, 70) for row in explained],
    }
    table = grid(f"{counted(total, 'episode')} did not pass", *columns)
    for column in table.columns:
        column.no_wrap = column.header in ("episode", "configuration")  # names to copy stay whole
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*cells)
    show(table)
    if total > len(explained):
        console.print(f"... and {total - len(explained):,} more; --json lists all", highlight=False)
    print_command("details of one", shlex.join(["fairground", "show", str(explained[0].folder)]))


def _explained(missed: list[Ended]) -> list[_Shown]:
    homes = {episode.home for episode in missed if is_run(episode.home)}
    scored_again = {(home, file.rpartition("/")[0]): file for home in homes for file in verdict_files(home).values()}
    explained = []
    for episode in missed:
        folder = episode.finished.folder
        file = scored_again.get((episode.home, folder), f"{folder}/episode.json")
        explained.append(_Shown(episode, _why(episode, file)))
    return explained


def _why(episode: Ended, file: str) -> str:
    if episode.finished.error:  # also of a failed episode: the agent caused it, and the checks only show the result
        return clean(in_a_line(episode.finished.error))
    try:
        checks = failed_checks(episode.home, file)
    except FairgroundError as error:
        return error.message
    return _words(checks[0]) if checks else ""


def _words(check: Check) -> str:
    return clean(f"{check.name}: expected {check.expected}, found {check.found}")
