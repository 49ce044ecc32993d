"""Reading SQLite databases that an untrusted program wrote.

The bytes become an in-memory database. Schema elements that could make SQLite execute something (views, triggers,
virtual tables, generated columns) are not used: such tables are listed as refused, and a query that names one is an
error.
"""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

from fairground.core import StateError
from fairground.verify.reading.leaf_room import LeafRoom

Value: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = dict[str, Value]

_WHAT = "database (SQLite)"
_MAGIC = b"SQLite format 3\0"
_HOT_JOURNAL = bytes.fromhex("d9d505f920a163d7")


@dataclass(frozen=True)
class DatabaseLimits:
    """Limits of a database and of one query, generous for databases of desktop programs."""

    size: int = 64 << 20
    """Maximum bytes of the database with its log replayed, and of the log."""
    objects: int = 1_000
    """Maximum number of tables, indices, views and triggers together."""
    value: int = 8 << 20
    """Maximum bytes of a value or a row."""
    rows: int = 200_000
    answer: int = 64 << 20
    """Maximum bytes of all values of one result."""
    steps: int = 50_000_000
    """Maximum instructions of SQLite's virtual machine per query."""
    seconds: float = 10.0
    """A second limit per query, for instructions that take long."""


class Database:
    """A validated database; create it with `read_database`.

    Attributes:
        tables: Names of the plain tables, sorted.
        refused: Names of tables that are never read, with the reason.
    """

    def __init__(self, data: bytes, limits: DatabaseLimits) -> None:
        self._limits = limits
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            self._load(data)
        except BaseException:
            self._connection.close()
            raise

    tables: tuple[str, ...]
    refused: Mapping[str, str]

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the memory. Also happens when the object is deleted."""
        self._connection.close()

    def columns(self, table: str) -> tuple[str, ...]:
        """Names of a table's columns, in order."""
        return self._columns[self._known(table)]

    def key(self, table: str) -> tuple[str, ...]:
        """Names of the columns of a table's primary key; empty if there is none."""
        return self._keys[self._known(table)]

    def rows(self, sql: str, *args: Value) -> tuple[Row, ...]:
        """Run a SELECT and return its rows, each a dict from column to value.

        Only plain tables and functions without side effects are allowed. Recursive queries are refused.

        Raises:
            StateError: The query does not fit the database, reads something refused, exceeds the limits of time or
                size, or has two columns with the same name.
        """
        with _faults(), _bounded(self._connection, self._limits.steps, self._limits.seconds):
            cursor = self._connection.execute(sql, args)
            names = [column[0] for column in cursor.description or ()]
            if not names or len(set(names)) != len(names):
                raise StateError(f"{_WHAT}: the query gives the columns {names}, expected each once: name them with AS")
            answer: list[Row] = []
            room = self._limits.answer
            for values in cursor:
                room -= sum(len(value) if isinstance(value, str | bytes) else 8 for value in values)
                if len(answer) == self._limits.rows or room < 0:
                    raise StateError(
                        f"{_WHAT}: an answer of more than {self._limits.rows} rows or {self._limits.answer} bytes"
                    )
                answer.append(dict(zip(names, values, strict=True)))
        return tuple(answer)

    def table(self, name: str) -> tuple[Row, ...]:
        """All rows of a table, ordered by its primary key if there is one."""
        order = ", ".join(map(_quoted, self.key(name)))
        return self.rows(f"SELECT * FROM {_quoted(name)}" + (f" ORDER BY {order}" if order else ""))

    def to_json(self) -> dict[str, object]:
        """Tables with their columns, and what is refused. Rows are available with queries."""
        return {
            "tables": {name: list(self._columns[name]) for name in self.tables},
            "refused": dict(self.refused),
        }

    def _known(self, table: str) -> str:
        if table in self.refused:
            raise StateError(f"{_WHAT}: {table!r} is not read: {self.refused[table]}")
        if table not in self._columns:
            raise StateError(f"{_WHAT}: no table {table[:80]!r}; it has {', '.join(self.tables)[:500]}")
        return table

    def _load(self, data: bytes) -> None:
        connection, limits = self._connection, self._limits
        for limit, most in (
            (sqlite3.SQLITE_LIMIT_LENGTH, limits.value),
            (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000),
            (sqlite3.SQLITE_LIMIT_COLUMN, 500),
            (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100),
            (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 20),
            (sqlite3.SQLITE_LIMIT_VDBE_OP, 100_000),
            (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 20),
            (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
            (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
        ):
            connection.setlimit(limit, most)
        with _faults():
            connection.deserialize(data)
            # The first statement parses the whole schema, with a few instructions per object, so the instruction limit
            # applies.
            with _bounded(connection, 20 * limits.objects, limits.seconds):
                for pragma in _PRAGMAS:
                    connection.execute(f"PRAGMA {pragma}")
                objects = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
            if len(objects) > limits.objects:
                raise StateError(f"{_WHAT}: {len(objects)} tables and indices, expected at most {limits.objects}")
            # Checked now, so that a damaged file is an error here and not a partial result later.
            with _bounded(connection, limits.steps, limits.seconds):
                fault = connection.execute("PRAGMA quick_check(1)").fetchone()
            if fault is None or fault[0] != "ok":
                raise StateError(f"{_WHAT}: it is damaged: {str(fault and fault[0])[:200]}")
            self._survey(objects)
        # Set only now, because SQLite loads the bytes by attaching them.
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_authorizer(self._allow)

    def _survey(self, objects: list[tuple[object, object, object]]) -> None:
        self._columns: dict[str, tuple[str, ...]] = {}
        self._keys: dict[str, tuple[str, ...]] = {}
        refused: dict[str, str] = {}
        for kind, name, sql in objects:
            if not isinstance(name, str) or len(name) > 500:
                raise StateError(f"{_WHAT}: something in its schema has the name {str(name)[:80]!r}")
            if kind in ("view", "trigger"):
                refused[name] = f"it is a {kind}"
            elif kind == "table" and not str(sql).upper().startswith("CREATE TABLE "):
                # SQLite writes these words itself; a comment between them would hide the word VIRTUAL.
                refused[name] = "it is a virtual table"
            elif kind == "table":
                columns = self._connection.execute(f"PRAGMA table_xinfo({_quoted(name)})").fetchall()
                if any(column[6] != 0 for column in columns):
                    refused[name] = "it has columns that are computed"
                else:
                    self._columns[name] = tuple(column[1] for column in columns)
                    keyed = sorted((column[5], column[1]) for column in columns if column[5])
                    self._keys[name] = tuple(column for _, column in keyed)
        self.tables = tuple(sorted(name for name in self._columns if not name.startswith("sqlite_")))
        self.refused = refused
        self._computed = frozenset(name.lower() for name in refused)
        self._readable = frozenset(name.lower() for name in self._columns) | {"sqlite_master", "sqlite_schema"}

    def _allow(
        self, action: int, first: str | None, second: str | None, database: str | None, source: str | None
    ) -> int:
        """SQLite's authorizer callback for every operation of a statement. `source` is the view that causes it."""
        allowed = (source or "").lower() not in self._computed and (
            action == sqlite3.SQLITE_SELECT
            or (action == sqlite3.SQLITE_READ and (first or "").lower() in self._readable)
            or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS)
        )
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def read_database(
    data: bytes, wal: bytes | None = None, *, journal: bytes | None = None, limits: DatabaseLimits | None = None
) -> Database:
    """Open a database from its bytes.

    Args:
        data: The database file.
        wal: Its write-ahead log (`-wal`). Committed transactions are replayed.
        journal: Its rollback journal (`-journal`). An active journal means that the database was captured during a
            change.
        limits: The limits.

    Raises:
        StateError: It is not a database, is damaged, encrypted or captured during a change, or is over a limit.
    """
    limits = limits or DatabaseLimits()
    for part in (data, wal or b""):
        if len(part) > limits.size:
            raise StateError(f"{_WHAT}: {len(part)} bytes, expected at most {limits.size}")
    if not data.startswith(_MAGIC) or len(data) < 512:
        raise StateError(f"{_WHAT}: it starts with {data[:16]!r}: no database, or an encrypted one")
    if journal is not None and journal.startswith(_HOT_JOURNAL):
        raise StateError(f"{_WHAT}: its journal is in use", fix="capture it when the program does not write")
    if wal:
        data = _replayed(data, wal, limits)
    # Marks the database as having no log, because SQLite opens no other kind in memory.
    return Database(data[:18] + b"\1\1" + data[20:], limits)


def leaves(database: Database) -> dict[str, object]:
    """Every value by table, primary key (or position) and column; bytes as their digest."""
    result: dict[str, object] = {}
    room = LeafRoom(_WHAT)
    for table in database.tables:
        key = database.key(table)
        for place, row in enumerate(database.table(table)):
            name = ",".join(str(_plain(row[column])) for column in key) if key else str(place)
            for column, value in row.items():
                result[room.take(f"{table}[{name}].{column}")] = _plain(value)
    return result


def _replayed(data: bytes, wal: bytes, limits: DatabaseLimits) -> bytes:
    """The database with its log replayed by SQLite itself, in a private folder."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder, _faults():
        path = Path(folder, "data")
        path.write_bytes(data)
        Path(folder, "data-wal").write_bytes(wal)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.value)
            with _bounded(connection, 20 * limits.objects, limits.seconds):
                connection.execute("PRAGMA trusted_schema=OFF")
                connection.execute("PRAGMA locking_mode=EXCLUSIVE")
                (pages,) = connection.execute("PRAGMA page_count").fetchone()
                (page,) = connection.execute("PRAGMA page_size").fetchone()
            # The log determines the number of pages, so check it before allocating memory.
            if pages * page > limits.size:
                raise StateError(f"{_WHAT}: {pages * page} bytes with its log, expected at most {limits.size}")
            return connection.serialize()


@contextmanager
def _bounded(connection: sqlite3.Connection, steps: int, seconds: float) -> Iterator[None]:
    left = steps
    end = time.monotonic() + seconds
    stride = 500

    def stop() -> bool:
        nonlocal left
        left -= stride
        return left < 0 or time.monotonic() > end

    connection.set_progress_handler(stop, stride)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _plain(value: Value) -> object:
    return f"sha256:{hashlib.sha256(value).hexdigest()}" if isinstance(value, bytes) else value


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError, UnicodeError, ValueError) as error:
        reason = "it ran longer than the limits allow" if str(error) == "interrupted" else str(error)[:300]
        raise StateError(f"{_WHAT}: {reason}") from None


_PRAGMAS = (
    "trusted_schema=OFF",
    "ignore_check_constraints=ON",
    "cell_size_check=ON",
    "query_only=ON",
    "mmap_size=0",
    "temp_store=MEMORY",
)

# Functions that depend only on their arguments (the date functions also know `now`: do not use it in checks).
_FUNCTIONS = frozenset(
    {
        *(
            "abs",
            "char",
            "coalesce",
            "glob",
            "hex",
            "ifnull",
            "iif",
            "instr",
            "json_extract",
            "length",
            "like",
            "lower",
        ),
        *("ltrim", "nullif", "replace", "round", "rtrim", "sign", "substr", "substring", "trim", "typeof", "unicode"),
        *("avg", "count", "group_concat", "max", "min", "sum", "total", "upper"),
        *("dense_rank", "lag", "lead", "rank", "row_number"),
        *("date", "datetime", "julianday", "strftime", "time", "unixepoch"),
    }
)
