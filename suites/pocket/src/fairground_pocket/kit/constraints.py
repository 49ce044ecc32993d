"""What a profile must have for a task to make sense there; where it has not, the configuration is invalid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from fairground_pocket.kit.database import Database


class Constraint(Protocol):
    """Something that must hold of the data before the agent begins."""

    def fault(self, database: Database, named: Mapping[str, Any]) -> str | None:
        """What is wrong, or None."""


@dataclass(frozen=True)
class EntityExists:
    """At least so many rows of a table; `where` may use `:parameters` and `:fact_columns`."""

    table: str
    where: str = "1"
    at_least: int = 1

    def fault(self, database: Database, named: Mapping[str, Any]) -> str | None:
        found = _count(database, self.table, self.where, named)
        return (
            None if found >= self.at_least else f"{found} of {self.table} where {self.where}; at least {self.at_least}"
        )


@dataclass(frozen=True)
class DataVolume(EntityExists):
    """The same for larger numbers: enough rows for a search or a sum to be worth asking for."""

    at_least: int = 2


@dataclass(frozen=True)
class MaxCount:
    """At most so many rows, for what has room for no more."""

    table: str
    where: str = "1"
    at_most: int = 0

    def fault(self, database: Database, named: Mapping[str, Any]) -> str | None:
        found = _count(database, self.table, self.where, named)
        return None if found <= self.at_most else f"{found} of {self.table} where {self.where}; at most {self.at_most}"


@dataclass(frozen=True)
class Balance:
    """A number in the data that must reach another: both are SQL, such as `:amount`."""

    number: str
    at_least: str

    def fault(self, database: Database, named: Mapping[str, Any]) -> str | None:
        row = database.query(f"SELECT ({self.number}), ({self.at_least})", dict(named))[0]
        enough = row[0] is not None and row[1] is not None and row[0] >= row[1]
        return None if enough else f"{self.number} is {row[0]}; at least {row[1]}"


def _count(database: Database, table: str, where: str, named: Mapping[str, Any]) -> int:
    return int(database.query(f"SELECT count(*) FROM {table} WHERE {where}", dict(named))[0][0])
