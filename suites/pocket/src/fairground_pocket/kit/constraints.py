"""What a profile must contain for a task to make sense. Otherwise the configuration is invalid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from fairground_pocket.kit.database import Database


class Constraint(Protocol):
    """A condition that the data must meet before the agent starts."""

    def fault(self, database: Database, named: Mapping[str, Any]) -> str | None:
        """What is wrong, or None if the condition is met."""


@dataclass(frozen=True)
class EntityExists:
    """Requires at least `at_least` rows of a table; `where` may use `:parameters` and `:fact_columns`."""

    table: str
    where: str = "1"
    at_least: int = 1

    def fault(self, database: Database, named: Mapping[str, Any]) -> str | None:
        count = _count(database, self.table, self.where, named)
        return (
            None if count >= self.at_least else f"{count} of {self.table} where {self.where}; at least {self.at_least}"
        )


@dataclass(frozen=True)
class DataVolume(EntityExists):
    """As `EntityExists`, for larger numbers: enough rows that a search or a sum is worth asking for."""

    at_least: int = 2


@dataclass(frozen=True)
class MaxCount:
    """Requires at most `at_most` rows, for tables with limited room."""

    table: str
    where: str = "1"
    at_most: int = 0

    def fault(self, database: Database, named: Mapping[str, Any]) -> str | None:
        count = _count(database, self.table, self.where, named)
        return None if count <= self.at_most else f"{count} of {self.table} where {self.where}; at most {self.at_most}"


@dataclass(frozen=True)
class Balance:
    """Requires one number in the data to reach another. Both are SQL, such as `:amount`."""

    number: str
    at_least: str

    def fault(self, database: Database, named: Mapping[str, Any]) -> str | None:
        row = database.query(f"SELECT ({self.number}), ({self.at_least})", dict(named))[0]
        enough = row[0] is not None and row[1] is not None and row[0] >= row[1]
        return None if enough else f"{self.number} is {row[0]}; at least {row[1]}"


def _count(database: Database, table: str, where: str, named: Mapping[str, Any]) -> int:
    return int(database.query(f"SELECT count(*) FROM {table} WHERE {where}", dict(named))[0][0])
