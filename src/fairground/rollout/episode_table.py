"""Finished episodes as a table, for statistics and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fairground.core import AXES, InvalidInput
from fairground.rollout.ended import Ended, ended_episodes, ended_in, reading_notes, result_folders
from fairground.rollout.store import RunStore, lost_runs_in
from fairground.stats import Table, join_tables, table_of

_PARTS = ("suite", "app", "scenario", *AXES)


def run_table(folders: Path | Sequence[Path]) -> Table:
    """Return the finished episodes of runs as a table. Runs may still be in progress.

    Folders with several runs, or with episodes outside of a run, are read as well.
    """
    given = [folders] if isinstance(folders, Path) else folders
    table = join_tables([ended_table(*ended_episodes(folder), folder) for folder in result_folders(given)])
    lost = [f"left out: {run.folder}: {run.problem}" for folder in given for run in lost_runs_in(folder)]
    return replace(table, notes=(*table.notes, *lost))


def store_table(store: RunStore) -> Table:
    """Return the table of a run whose store is already open."""
    return ended_table(list(ended_in(store)), reading_notes(store), store.folder)


def ended_table(episodes: Sequence[Ended], notes: Sequence[str], source: Path) -> Table:
    """Return the table of episodes that were already read."""
    if not episodes:
        details = "".join(f"; {note}" for note in notes)
        raise InvalidInput(
            f"{source}: no episode has ended yet{details}",
            fix="wait for the run, or continue it with `fairground resume`",
        )
    columns: dict[str, list[object]] = {
        "agent": [episode.agent for episode in episodes],
        "condition": [episode.condition for episode in episodes],
        **{part: [getattr(episode.configuration, part) for episode in episodes] for part in _PARTS},
        "rollout": [episode.rollout for episode in episodes],
        "outcome": [episode.finished.outcome.value for episode in episodes],
        **{
            name: [getattr(episode.finished, name) for episode in episodes]
            for name in ("reward", "steps", "seconds", "cost")
        },
    }
    if all(value is None for value in columns["cost"]):
        columns.pop("cost")
    table = table_of(columns)
    return replace(table, source=str(source), notes=(*table.notes, *notes))
