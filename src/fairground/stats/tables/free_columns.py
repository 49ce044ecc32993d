"""Extra columns that matter: those that distinguish agents or tasks, and those that may be ours under another name."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from fairground.core import AXES, NeedsOptions
from fairground.stats.tables.assigning import likely_agents
from fairground.stats.tables.name_column import NameColumn
from fairground.stats.tables.synonyms import (
    REWARDS,
    TELLING_APPS,
    bare,
    lookalikes,
    options,
    recognised,
    renames,
    spellings,
)
from fairground.stats.tables.table import Names, distinct_rows

_HINTED = ("condition", "suite", "app", *AXES)
"""Columns that change the meaning of a table: a note is shown if an extra column looks like one."""


def tell_apart(names: dict[str, Names], extra: dict[str, pa.ChunkedArray], source: str, *, rewarded: bool) -> list[str]:
    """Move extra columns that distinguish contenders or tasks to the names. Returns notes about extra columns.

    Args:
        names: The name columns.
        extra: The extra columns.
        source: Name of the table.
        rewarded: Whether it has rewards, so that no other column is suggested as such.

    Raises:
        NeedsOptions: If several agents would be counted as one.
    """
    return [
        *_contenders(names, extra, source),
        *_tasks(names, extra, source),
        *_hints(names, extra, source, rewarded),
    ]


def _contenders(names: dict[str, Names], extra: dict[str, pa.ChunkedArray], source: str) -> list[str]:
    notes = []
    if _absent(names["agent"]):
        for column in lookalikes("agent", tuple(extra)):
            if len(extra[column].unique()) > 1:
                suggested = {column: "agent"}
                raise NeedsOptions(
                    f"{source}: no column 'agent', but {column!r} has several values, which would be counted "
                    "as one agent",
                    fix=f"{renames(suggested)}; if it is something else: {options({column: f'other_{column}'})}",
                    options=options(suggested),
                )
        return _unnamed_agents(names, extra, source)
    for column in recognised("agent", extra):
        values = _named(extra[column])
        if values is None or not _splits(values, [names["agent"], names["condition"]]):
            continue
        if _absent(names["condition"]):
            names["condition"] = values
            del extra[column]
            notes.append(
                f"Column {column!r} of {source} has several values for the same agent. It is read as the "
                "condition: each value is a separate contender."
            )
        else:
            notes.append(
                f"Column {column!r} of {source} is not used, although it has several values for the same agent "
                "and condition. They are counted together."
            )
    return notes


def _unnamed_agents(names: dict[str, Names], extra: dict[str, pa.ChunkedArray], source: str) -> list[str]:
    """Return a note if rows of the same task differ in one column only: these may be several agents."""
    scenario = [names["suite"], names["app"], names["scenario"], names["rollout"]]
    for column in likely_agents(extra, tuple(extra)):
        values = _named(extra[column])
        if values is not None and distinct_rows([*scenario, values]) == len(values.codes) > distinct_rows(scenario):
            return [
                f"All rows of {source} are counted for one agent. Rows of the same task differ in column "
                f"{column!r}: if it names the agent, use {renames({column: 'agent'})}."
            ]
    return []


def _tasks(names: dict[str, Names], extra: dict[str, pa.ChunkedArray], source: str) -> list[str]:
    """Read a column as the app if needed: task 0 of one domain and task 0 of another are two tasks."""
    if not _absent(names["app"]):
        return []
    for column in [name for name in extra if bare(name) in TELLING_APPS]:
        values = _named(extra[column])
        if values is not None and _splits(values, [names["suite"], names["scenario"]]):
            names["app"] = values
            del extra[column]
            return [
                f"The same scenario occurs with several values of column {column!r} of {source}, so {column!r} is read "
                "as the app. Every app has the same weight in the score."
            ]
    return []


def _hints(names: dict[str, Names], extra: dict[str, pa.ChunkedArray], source: str, rewarded: bool) -> list[str]:
    suggested: dict[str, str] = {}
    if not rewarded:
        suggested = {column: "reward" for column in extra if set(spellings(column)) & set(REWARDS)}
    for name in _HINTED:
        for column in lookalikes(name, tuple(extra)) if _absent(names[name]) else ():
            if column not in suggested and len(extra[column].unique()) > 1:
                suggested[column] = name
    if not suggested:
        return []
    columns = ", ".join(map(repr, suggested))
    meaning = " and ".join(f"{column!r} is the {name}" for column, name in suggested.items())
    few = len(suggested) == 1
    return [
        f"Column{'' if few else 's'} {columns} of {source} {'is' if few else 'are'} not used. If {meaning}: "
        f"{renames(suggested)}."
    ]


def _absent(column: Names) -> bool:
    return column.values == ("",)


def _named(values: pa.ChunkedArray) -> Names | None:
    column = NameColumn()
    return None if column.add(values) is not None else column.finish()


def _splits(column: Names, groups: Sequence[Names]) -> bool:
    """Return whether rows that are equal in the groups differ in the column."""
    return distinct_rows([*groups, column]) > distinct_rows(groups)
