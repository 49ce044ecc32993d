"""What `fairground show` says of a folder with runs or episodes: scores, and what failed."""

from __future__ import annotations

import webbrowser
from dataclasses import dataclass, replace
from pathlib import Path

from fairground.cli.output import clean, console, print_json
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
    """An episode that did not pass, and the first thing that was wrong with it."""

    ended: Ended
    why: str

    @property
    def folder(self) -> Path:
        return self.ended.home / self.ended.finished.folder


def show_runs(folder: Path, *, browser: bool, json: bool) -> None:
    """Prints the leaderboard of a folder's runs, and the episodes that did not pass."""
    by_home = {home: ended_episodes(home) for home in result_folders([folder])}
    tables = [ended_table(ended, notes, home) for home, (ended, notes) in by_home.items()]
    table = replace(join_tables(tables), source=str(folder))
    summary = summarise(table, depth="scores")
    missed = [one for ended, _ in by_home.values() for one in ended if one.finished.outcome is not Outcome.PASSED]
    missed.sort(key=lambda one: one.finished.outcome is Outcome.FAILED)  # what broke comes first
    page = folder / "report.html"
    if json:
        found = _explained(missed)
        listed = [
            {
                "folder": str(one.folder),
                "agent": one.ended.agent,
                "configuration": one.ended.configuration.id,
                "rollout": one.ended.rollout,
                "outcome": one.ended.finished.outcome.value,
                "why": one.why,
            }
            for one in found
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
        console.print(f"[dim]for a page: fairground report {label(folder, 1000)}[/]", highlight=False, soft_wrap=True)


def _print_missed(folder: Path, found: list[_Shown], whole: int) -> None:
    made = grid(f"{counted(whole, 'episode')} did not pass", "outcome", "agent", "episode", "scenario", "why")
    for one in found:
        ended = one.ended
        made.add_row(
            outcome_markup(ended.finished.outcome),
            label(ended.agent, 24),
            label(one.folder.relative_to(folder)),
            label(f"{ended.configuration.app}/{ended.configuration.scenario}"),
            label(one.why, 70),
        )
    show(made)
    if whole > len(found):
        console.print(f"... and {whole - len(found):,} more; --json has them all", highlight=False)
    console.print(
        f"[dim]look at one: fairground show {label(found[0].folder, 1000)}[/]", highlight=False, soft_wrap=True
    )


def _explained(missed: list[Ended]) -> list[_Shown]:
    homes = {one.home for one in missed if is_run(one.home)}
    scored_again = {(home, file.rpartition("/")[0]): file for home in homes for file in verdict_files(home).values()}
    found = []
    for one in missed:
        folder = one.finished.folder
        file = scored_again.get((one.home, folder), f"{folder}/episode.json")
        found.append(_Shown(one, _why(one, file)))
    return found


def _why(one: Ended, file: str) -> str:
    if one.finished.outcome is not Outcome.FAILED:
        return clean(in_a_line(one.finished.error))
    try:
        checks = failed_checks(one.home, file)
    except FairgroundError as error:
        return error.message
    return _words(checks[0]) if checks else ""


def _words(check: Check) -> str:
    return clean(f"{check.name}: expected {check.expected}, found {check.found}")
