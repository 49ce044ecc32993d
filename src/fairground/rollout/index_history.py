"""The table `verdicts` of a run's index: all verdicts of rescored episodes, oldest first."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import Any

from fairground.rollout.index_rows import BadValue, check_value

_RULES = ("number", "finished", "outcome", "reward", "folder")  # the rules that validate a row's values


@dataclass(frozen=True)
class History:
    """The content of the table.

    Attributes:
        rows: Number, time, outcome, reward and file of each verdict. Invalid rows are left out.
        newest: Outcome, reward and file of each episode's newest verdict.
        problems: What is wrong with a row, by episode. Rows without an episode number are ignored.
    """

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    newest: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)


def has_history(db: sqlite3.Connection) -> bool:
    """Return whether any episode was rescored."""
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'verdicts'").fetchone())


def read_history(db: sqlite3.Connection) -> History:
    """Read and validate the table. Empty if it does not exist."""
    history = History()
    if not has_history(db):
        return history
    for values in db.execute("SELECT number, scored, outcome, reward, file FROM verdicts ORDER BY number, id"):
        number = values[0]
        try:
            for rule, value in zip(_RULES, values, strict=True):
                check_value(rule, value)
        except BadValue as error:
            if isinstance(number, int):
                history.problems[number] = f"table verdicts, {error}"
            continue
        history.rows.append(values)
        history.newest[number] = values[2:]
    return history
