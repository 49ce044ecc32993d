"""An app's data: one SQLite database in the host's memory, replaced as a whole, with its own clock."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

STEP: Final = timedelta(seconds=20)
"""How far the app's clock advances per change. The same moves give the same times, whenever they are made."""

KIT_TABLES: Final = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE clock (now TEXT NOT NULL);
"""
"""Tables of every app's database besides its own. Changes of `clock` are never judged."""


class Database:
    """The database of one app. Only one thread may use it at a time; the phone ensures that.

    Args:
        content: The bytes that `dump` returned; None for a new database without tables.
    """

    def __init__(self, content: bytes | None = None) -> None:
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        if content is not None:
            self._connection.deserialize(content)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.create_function("fold", 1, _fold, deterministic=True)

    @classmethod
    def create(cls, schema: str, now: datetime) -> Database:
        """A new database with the tables of the kit and of the app. Its clock starts at `now`."""
        database = cls()
        database._connection.executescript(KIT_TABLES + schema)
        database.run("INSERT INTO clock VALUES (?)", now.isoformat())
        return database

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: Any) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        first: sqlite3.Row | None = self._connection.execute(sql, values).fetchone()
        return first

    def one(self, sql: str, *values: Any) -> Any:
        """The first column of the first row; None when there is no row."""
        first = self.row(sql, *values)
        return None if first is None else first[0]

    def column(self, sql: str, *values: Any) -> list[Any]:
        """The first column of every row."""
        return [row[0] for row in self.rows(sql, *values)]

    def run(self, sql: str, *values: Any) -> int:
        """Runs a statement that changes data. Returns the id of the last inserted row."""
        return self._connection.execute(sql, values).lastrowid or 0

    def many(self, sql: str, rows: Iterable[Iterable[Any]]) -> None:
        """Runs the same statement for each row of values."""
        self._connection.executemany(sql, [tuple(row) for row in rows])

    def insert(self, table: str, **values: Any) -> int:
        """Inserts a row and returns its id. Names of tables and columns come from code, never from users."""
        names = ", ".join(f'"{name}"' for name in values)
        return self.run(f'INSERT INTO "{table}" ({names}) VALUES ({", ".join("?" * len(values))})', *values.values())

    def query(self, sql: str, named: dict[str, Any]) -> list[sqlite3.Row]:
        """All rows of a query with `:named` values."""
        return self._connection.execute(sql, named).fetchall()

    @property
    def now(self) -> datetime:
        """The time in the app, in its owner's time zone."""
        return datetime.fromisoformat(str(self.one("SELECT now FROM clock")))

    def tick(self) -> None:
        self.run("UPDATE clock SET now = ?", (self.now + STEP).isoformat())

    def setting(self, name: str, default: str = "") -> str:
        value = self.one("SELECT value FROM settings WHERE name = ?", name)
        return default if value is None else str(value)

    def set(self, name: str, value: object) -> None:
        """Stores a setting; booleans become `1` and `0`."""
        text = str(int(value)) if isinstance(value, bool) else str(value)
        self.run("INSERT INTO settings VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2", name, text)

    def pack(self) -> None:
        """Makes the bytes depend only on the data, not on the order of past changes."""
        self._connection.execute("VACUUM")

    def dump(self) -> bytes:
        """The whole database as bytes."""
        return self._connection.serialize()

    def load(self, content: bytes) -> None:
        """Replaces the whole database."""
        self._connection.deserialize(content)

    def attach(self, name: str, content: bytes) -> None:
        """Attaches another app's database as `name.table`."""
        self._connection.execute(f'ATTACH ":memory:" AS "{name}"')
        self._connection.deserialize(content, name=name)

    def close(self) -> None:
        self._connection.close()


def _fold(text: object) -> str:
    """Case folding for searches in any script; SQLite's `lower` only handles ASCII."""
    return str(text if text is not None else "").casefold()
