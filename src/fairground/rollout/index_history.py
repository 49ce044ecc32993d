"""The table `verdicts` of a run's index: every verdict of episodes that were scored again, oldest first."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import Any

from fairground.rollout.index_rows import BadValue, check_value

_RULES = ("number", "finished", "outcome", "reward", "folder")  # by which the values of a row are checked


@dataclass(frozen=True)
class History:
    """What the table holds.

    Attributes:
        rows: Number, when, outcome, reward and file of each verdict; rows that no run writes are left out.
        newest: Outcome, reward and file of each episode's last verdict.
        problems: What is wrong with a row, by episode. A row that belongs to no episode concerns none.
    """

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    newest: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)


def has_history(db: sqlite3.Connection) -> bool:
    """Whether any episode was scored again."""
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'verdicts'").fetchone())


def read_history(db: sqlite3.Connection) -> History:
    """Reads and checks the table; empty where there is none."""
    found = History()
    if not has_history(db):
        return found
    for values in db.execute("SELECT number, scored, outcome, reward, file FROM verdicts ORDER BY number, id"):
        number = values[0]
        try:
            for rule, value in zip(_RULES, values, strict=True):
                check_value(rule, value)
        except BadValue as error:
            if isinstance(number, int):
                found.problems[number] = f"table verdicts, {error}"
            continue
        found.rows.append(values)
        found.newest[number] = values[2:]
    return found
