"""Cache of proof results by content key: one SQLite file, safe against a kill at any time.

A result is used only while the code that took part in it is the same. Lists of code are stored once, by their digest.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self, TypeVar

from pydantic import ValidationError

from fairground.core import InfrastructureError, fingerprint
from fairground.core.writing import database_full, writing
from fairground.prove.findings import Traced
from fairground.sandbox.layers import cache_folder
from fairground.worlds.code_trace import changed_units

R = TypeVar("R", bound=Traced)

_AT_MOST = 500  # maximum number of results that a kill may lose
_SECONDS = 0.5
_FORMAT = "2"


class Cache:
    """Results by kind and key. Writes are batched. Several processes may use the cache at the same time.

    Args:
        path: The file. Default: in the user's cache folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_folder() / "proofs.sqlite"
        self._waiting: list[tuple[str, str, str, str]] = []
        self._traces: dict[str, tuple[str, ...] | None] = {}
        self._since = time.monotonic()
        with cache_errors(self.path), writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=60.0)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose the last batches, nothing else
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS traced_results"
                " (kind TEXT, key TEXT, value TEXT NOT NULL, trace TEXT NOT NULL, PRIMARY KEY (kind, key))"
                " WITHOUT ROWID"
            )
            self._db.execute("CREATE TABLE IF NOT EXISTS traces (digest TEXT PRIMARY KEY, units TEXT) WITHOUT ROWID")
            self._db.execute("CREATE TABLE IF NOT EXISTS about (format TEXT PRIMARY KEY) WITHOUT ROWID")
            self._db.execute("INSERT OR IGNORE INTO about VALUES (?)", (_FORMAT,))

    def get(self, kind: str, keys: Iterable[str], record: type[R]) -> dict[str, R]:
        """Return the known results for these keys. Without those whose code has changed, or that cannot be read."""
        wanted = list(keys)
        results: dict[str, R] = {}
        with cache_errors(self.path):
            for begin in range(0, len(wanted), 500):
                batch = wanted[begin : begin + 500]
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, value, trace FROM traced_results WHERE kind = ? AND key IN ({marks})"
                for key, value, trace in self._db.execute(query, (kind, *batch)).fetchall():
                    if (units := self._unchanged(trace)) is not None:
                        with contextlib.suppress(ValidationError):
                            result = record.model_validate_json(value, strict=False)
                            results[key] = result.model_copy(update={"units": units})
        return results

    def put(self, kind: str, key: str, value: Traced) -> None:
        """Store a result. It is on disk after about half a second."""
        trace = fingerprint(list(value.units))[:24]
        if trace not in self._traces:
            self._traces[trace] = value.units
            with cache_errors(self.path):
                self._db.execute("INSERT OR IGNORE INTO traces VALUES (?, ?)", (trace, json.dumps(value.units)))
        self._waiting.append((kind, key, value.model_dump_json(exclude={"units"}), trace))
        if len(self._waiting) >= _AT_MOST or time.monotonic() - self._since > _SECONDS:
            self.flush()

    def _unchanged(self, trace: str) -> tuple[str, ...] | None:
        """Return the units of a trace; None if one of them has changed."""
        if trace not in self._traces:
            row = self._db.execute("SELECT units FROM traces WHERE digest = ?", (trace,)).fetchone()
            units = tuple(json.loads(row[0])) if row else None
            self._traces[trace] = None if units is None or changed_units(units) else units
        return self._traces[trace]

    def flush(self) -> None:
        """Write pending results to disk."""
        self._since = time.monotonic()
        if not self._waiting:
            return
        with cache_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR REPLACE INTO traced_results VALUES (?, ?, ?, ?)", self._waiting)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has already ended it
                    self._db.execute("ROLLBACK")
                raise
        self._waiting.clear()

    def close(self) -> None:
        """Write pending results to disk and close. May be called twice."""
        self.flush()
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def cache_errors(path: Path) -> Iterator[None]:
    """Convert errors of a database in the cache into errors with a fix."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        if (full := database_full(error, path)) is not None:
            raise full from error
        raise InfrastructureError(
            f"{path}: {error}",
            fix="check whether the disk is full or the folder read-only; the file is a cache and may be deleted",
        ) from error
