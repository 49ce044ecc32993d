"""Free columns that matter: those that tell agents or tasks apart, and those that may be ours under another name."""

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
"""Columns without which a table means something else: worth a word when a free column looks like one."""


def tell_apart(names: dict[str, Names], extra: dict[str, pa.ChunkedArray], source: str, *, rewarded: bool) -> list[str]:
    """Moves free columns that tell contenders or tasks apart to the names; returns what to say about free columns.

    Args:
        names: The columns of names.
        extra: The free columns.
        source: What the table is called.
        rewarded: Whether it has rewards, so that no other column is pointed out as such.

    Raises:
        NeedsOptions: When several agents would be added up as one.
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
                told = {column: "agent"}
                raise NeedsOptions(
                    f"{source}: no column 'agent', but {column!r} has several values: together they would count as one "
                    "agent",
                    fix=f"{renames(told)}; if it is something else: {options({column: f'other_{column}'})}",
                    options=options(told),
                )
        return _unnamed_agents(names, extra, source)
    for column in recognised("agent", extra):
        found = _named(extra[column])
        if found is None or not _splits(found, [names["agent"], names["condition"]]):
            continue
        if _absent(names["condition"]):
            names["condition"] = found
            del extra[column]
            notes.append(
                f"Column {column!r} of {source} has several values for the same agent. It is read as the condition: "
                "each of them is a contender of its own."
            )
        else:
            notes.append(
                f"Column {column!r} of {source} is not used, although it has several values for the same agent and "
                "condition: they are counted together."
            )
    return notes


def _unnamed_agents(names: dict[str, Names], extra: dict[str, pa.ChunkedArray], source: str) -> list[str]:
    """Rows of the same task that differ in one column only may be several agents'."""
    scenario = [names["suite"], names["app"], names["scenario"], names["rollout"]]
    for column in likely_agents(extra, tuple(extra)):
        found = _named(extra[column])
        if found is not None and distinct_rows([*scenario, found]) == len(found.codes) > distinct_rows(scenario):
            return [
                f"All rows of {source} count as those of one agent. Rows of the same task differ in column "
                f"{column!r}: if it names the agent, say {renames({column: 'agent'})}."
            ]
    return []


def _tasks(names: dict[str, Names], extra: dict[str, pa.ChunkedArray], source: str) -> list[str]:
    """Task 0 of one domain and task 0 of another are two tasks."""
    if not _absent(names["app"]):
        return []
    for column in [name for name in extra if bare(name) in TELLING_APPS]:
        found = _named(extra[column])
        if found is not None and _splits(found, [names["suite"], names["scenario"]]):
            names["app"] = found
            del extra[column]
            return [
                f"The same scenario occurs with several values of column {column!r} of {source}, so {column!r} is read "
                "as the app. Every app has the same weight in the score."
            ]
    return []


def _hints(names: dict[str, Names], extra: dict[str, pa.ChunkedArray], source: str, rewarded: bool) -> list[str]:
    told: dict[str, str] = {}
    if not rewarded:
        told = {column: "reward" for column in extra if set(spellings(column)) & set(REWARDS)}
    for name in _HINTED:
        for column in lookalikes(name, tuple(extra)) if _absent(names[name]) else ():
            if column not in told and len(extra[column].unique()) > 1:
                told[column] = name
    if not told:
        return []
    columns = ", ".join(map(repr, told))
    meaning = " and ".join(f"{column!r} is the {name}" for column, name in told.items())
    few = len(told) == 1
    return [
        f"Column{'' if few else 's'} {columns} of {source} {'is' if few else 'are'} not used. If {meaning}: "
        f"{renames(told)}."
    ]


def _absent(column: Names) -> bool:
    return column.values == ("",)


def _named(values: pa.ChunkedArray) -> Names | None:
    column = NameColumn()
    return None if column.add(values) is not None else column.finish()


def _splits(column: Names, groups: Sequence[Names]) -> bool:
    """Whether rows that are alike in the groups differ in the column."""
    return distinct_rows([*groups, column]) > distinct_rows(groups)
