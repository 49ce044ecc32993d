"""A run as a table of episodes, for statistics and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fairground.core import AXES, Configuration, InvalidInput
from fairground.rollout.store import RunStore
from fairground.stats import Table, join_tables, table_of

_PARTS = ("suite", "app", "scenario", *AXES)


def run_table(folders: Path | Sequence[Path]) -> Table:
    """What runs have so far; one that still goes on may be read too. Episodes that have not ended are left out."""
    listed = [folders] if isinstance(folders, Path) else list(folders)
    return join_tables([_one(folder) for folder in listed])


def store_table(store: RunStore) -> Table:
    """The same of one run that is open."""
    names = (*_PARTS, "rollout", "outcome", "reward", "steps", "seconds", "cost")
    columns: dict[str, list[object]] = {name: [] for name in names}
    known: dict[str, Configuration] = {}
    spec = store.spec
    for row in store.rows():
        if row.finished is None:
            continue
        planned, finished = row.planned, row.finished
        configuration = known.get(planned.pairing)
        if configuration is None:
            configuration = known[planned.pairing] = Configuration.from_id(planned.pairing)
        values = [getattr(configuration, name) for name in _PARTS]
        values += [planned.rollout, finished.outcome.value, finished.reward]
        values += [finished.steps, finished.seconds, finished.cost]
        for name, value in zip(names, values, strict=True):
            columns[name].append(value)
    number = len(columns["outcome"])
    if not number:
        raise InvalidInput(
            f"{store.folder}: no episode of this run has ended yet", fix="wait, or `fairground resume` it"
        )
    if all(value is None for value in columns["cost"]):
        columns.pop("cost")
    agent = {"agent": [spec.agent] * number, "condition": [spec.condition] * number}
    return replace(table_of({**agent, **columns}), source=str(store.folder))


def _one(folder: Path) -> Table:
    with RunStore.open(folder) as store:
        return store_table(store)
