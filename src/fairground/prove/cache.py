"""What was found before, by content key: one SQLite file that a kill at any instant leaves whole."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self, TypeVar

from pydantic import ValidationError

from fairground.core import InfrastructureError, Record
from fairground.core.writing import database_full, writing
from fairground.sandbox.layers import cache_folder

R = TypeVar("R", bound=Record)

_AT_MOST = 500  # results that a kill may cost
_SECONDS = 0.5
_FORMAT = "1"


class Cache:
    """Results by kind and key. Written in batches; whoever else proves meanwhile may write too.

    Args:
        path: The file; in the cache of this user unless given.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_folder() / "proofs.sqlite"
        self._waiting: list[tuple[str, str, str]] = []
        self._since = time.monotonic()
        with cache_errors(self.path), writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=60.0)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")  # a cut of power may cost the last batches, nothing else
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS results"
                " (kind TEXT, key TEXT, value TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID"
            )
            self._db.execute("CREATE TABLE IF NOT EXISTS about (format TEXT PRIMARY KEY) WITHOUT ROWID")
            self._db.execute("INSERT OR IGNORE INTO about VALUES (?)", (_FORMAT,))

    def get(self, kind: str, keys: Iterable[str], record: type[R]) -> dict[str, R]:
        """What is known of these keys; what cannot be read any more is not known."""
        wanted = list(keys)
        found: dict[str, R] = {}
        with cache_errors(self.path):
            for begin in range(0, len(wanted), 500):
                some = wanted[begin : begin + 500]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM results WHERE kind = ? AND key IN ({marks})"
                for key, value in self._db.execute(query, (kind, *some)):
                    with contextlib.suppress(ValidationError):
                        found[key] = record.model_validate_json(value, strict=False)
        return found

    def put(self, kind: str, key: str, value: Record) -> None:
        """Keeps a result; on the disk within half a second or so."""
        self._waiting.append((kind, key, value.model_dump_json()))
        if len(self._waiting) >= _AT_MOST or time.monotonic() - self._since > _SECONDS:
            self.flush()

    def flush(self) -> None:
        """Puts on the disk what waits."""
        self._since = time.monotonic()
        if not self._waiting:
            return
        with cache_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", self._waiting)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it already
                    self._db.execute("ROLLBACK")
                raise
        self._waiting.clear()

    def close(self) -> None:
        """Puts on the disk what waits, and lets go of it; may be called twice."""
        self.flush()
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def cache_errors(path: Path) -> Iterator[None]:
    """Turns what a database in the cache cannot do into an error that says what to do about it."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        if (full := database_full(error, path)) is not None:
            raise full from error
        raise InfrastructureError(
            f"{path}: {error}",
            fix="is the disk full or the folder read-only? The file is a cache and may be deleted",
        ) from error
