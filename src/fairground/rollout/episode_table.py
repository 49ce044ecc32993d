"""Episodes that have ended as a table, for statistics and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fairground.core import AXES, InvalidInput
from fairground.rollout.ended import Ended, ended_episodes, ended_in, reading_notes, result_folders
from fairground.rollout.store import RunStore
from fairground.stats import Table, join_tables, table_of

_PARTS = ("suite", "app", "scenario", *AXES)


def run_table(folders: Path | Sequence[Path]) -> Table:
    """What runs have so far; one that still goes on may be read too. Episodes that have not ended are left out.

    Folders with several runs, or with episodes that belong to no run, are read as well.
    """
    listed = result_folders([folders] if isinstance(folders, Path) else folders)
    return join_tables([ended_table(*ended_episodes(folder), folder) for folder in listed])


def store_table(store: RunStore) -> Table:
    """The same of one run that is open."""
    return ended_table(list(ended_in(store)), reading_notes(store), store.folder)


def ended_table(episodes: Sequence[Ended], notes: Sequence[str], source: Path) -> Table:
    """The same of episodes that were read already."""
    if not episodes:
        said = "".join(f"; {note}" for note in notes)
        raise InvalidInput(f"{source}: no episode has ended yet{said}", fix="wait, or `fairground resume` the run")
    columns: dict[str, list[object]] = {
        "agent": [one.agent for one in episodes],
        "condition": [one.condition for one in episodes],
        **{part: [getattr(one.configuration, part) for one in episodes] for part in _PARTS},
        "rollout": [one.rollout for one in episodes],
        "outcome": [one.finished.outcome.value for one in episodes],
        **{name: [getattr(one.finished, name) for one in episodes] for name in ("reward", "steps", "seconds", "cost")},
    }
    if all(value is None for value in columns["cost"]):
        columns.pop("cost")
    table = table_of(columns)
    return replace(table, source=str(source), notes=(*table.notes, *notes))
