"""The run index file `run.sqlite`: its tables, how to open it, and its errors.

Format 3 added checksums (`index_rows`). Format 2 can be read; opening it for writing adds the columns.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairground.core import FairgroundError, InfrastructureError, InvalidInput
from fairground.core.writing import CannotWrite, database_full, writing
from fairground.rollout.damage import DamagedIndex
from fairground.rollout.index_rows import CHECKED, COLUMNS, matches, row_seal
from fairground.rollout.plan import Planned, RunSpec
from fairground.rollout.run_locks import RunBusy

INDEX = "run.sqlite"
FORMAT = 3
"""Increased when an older version would misread or damage a newer index."""

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""Exceptions raised when reading a damaged file. UnicodeDecodeError: SQLite quotes column names that are not text."""

_LONGEST = 64 << 20  # maximum bytes of a value or row
_UNSEALED = 2  # the last format without checksums; can still be read
_ADDED = ("manifest", "later", "seal")

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE episodes (
    number INTEGER PRIMARY KEY,
    configuration TEXT NOT NULL,
    rollout INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    paired_with TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    outcome TEXT,
    reward REAL,
    steps INTEGER,
    seconds REAL,
    tokens INTEGER,
    cost REAL,
    ended_by TEXT,
    error TEXT,
    folder TEXT,
    finished TEXT,
    manifest TEXT,
    later TEXT,
    seal TEXT,
    UNIQUE (paired_with, configuration, rollout)
);
CREATE TABLE errors (
    number INTEGER NOT NULL REFERENCES episodes (number),
    attempt INTEGER NOT NULL,
    error TEXT NOT NULL,
    folder TEXT,
    tokens INTEGER,
    cost REAL,
    finished TEXT NOT NULL,
    PRIMARY KEY (number, attempt)
) WITHOUT ROWID;
CREATE INDEX unfinished ON episodes (number) WHERE outcome IS NULL;
"""
SELECT = f"SELECT {', '.join(COLUMNS)}, seal FROM episodes"
_SELECT_UNSEALED = f"SELECT {', '.join(name for name in COLUMNS if name not in CHECKED)}, finished, NULL, NULL, NULL"


@dataclass(frozen=True)
class About:
    """Metadata of a run, from its index.

    Attributes:
        run: The run's ID, which keys its checksums; "" if there are none.
        spec: The run's specification.
        started: Start time, as ISO 8601.
        planned: Number of planned episodes. None in an index without checksums, which does not store it.
    """

    run: str
    spec: RunSpec
    started: str
    planned: int | None

    @property
    def select(self) -> str:
        """Query for `COLUMNS` and the checksum, without a condition."""
        return SELECT if self.run else f"{_SELECT_UNSEALED} FROM episodes"


def write_index(folder: Path, spec: RunSpec, plan: Sequence[Planned]) -> None:
    """Write the index of a new run atomically."""
    draft = folder / f".{INDEX}.tmp"
    journal = draft.with_name(f"{draft.name}-journal")
    try:
        with told(folder), writing(folder / INDEX):
            draft.unlink(missing_ok=True)
            with closing(sqlite3.connect(draft, isolation_level=None)) as db:
                fill_index(db, spec, plan, now())
            os.replace(draft, folder / INDEX)
    finally:
        for path in (draft, journal):
            path.unlink(missing_ok=True)


def fill_index(db: sqlite3.Connection, spec: RunSpec, plan: Sequence[Planned], started: str) -> About:
    """Create the tables in an empty database, and write the plan."""
    run, words = secrets.token_hex(16), json.dumps(spec.plain())
    db.executescript(TABLES)
    db.execute("BEGIN")
    db.executemany("INSERT INTO meta VALUES (?, ?)", _meta(run, words, started, len(plan)).items())
    rest = [0, *[None] * (len(COLUMNS) - 6)]
    rows = (
        [episode.number, episode.configuration, episode.rollout, episode.seed, episode.paired_with, *rest]
        for episode in plan
    )
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    db.executemany(
        f"INSERT INTO episodes ({', '.join(COLUMNS)}, seal) VALUES ({marks})",
        ([*values, row_seal(run, values)] for values in rows),
    )
    db.execute("COMMIT")
    return About(run, spec, started, len(plan))


def connect(folder: Path, *, write: bool) -> sqlite3.Connection:
    """Open the index.

    Text that is not UTF-8 is returned as bytes, so that one bad value does not hide the other rows.
    """
    with told(folder):
        path = (folder / INDEX).resolve()
        # SQLite writes helper files next to a database that it reads. On a read-only medium, `immutable` prevents that.
        # It is not used while there is a journal, because another process may be writing.
        still = not write and not os.access(folder, os.W_OK) and not path.with_name(f"{INDEX}-wal").exists()
        return _open(path, "rw" if write else "ro", still=still)


def _open(path: Path, mode: str, *, still: bool) -> sqlite3.Connection:
    uri = f"{path.as_uri()}?mode={mode}" + ("&immutable=1" if still else "")
    db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=30.0)
    try:
        db.text_factory = _text
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        db.execute("PRAGMA trusted_schema = OFF")
        if mode == "rw":
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
    except BaseException:
        db.close()
        raise
    return db


def read_about(db: sqlite3.Connection, folder: Path) -> About:
    """Read a run's metadata from its index.

    Raises:
        InvalidInput: If another version wrote it.
        DamagedIndex: If it contains what no version writes.
    """
    with told(folder):
        views = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index')")]
        meta: dict[Any, Any] = {} if views else dict(db.execute("SELECT key, value FROM meta"))
        columns = [str(name) for _, name, *_ in db.execute("PRAGMA table_info(episodes)")]
    if views:  # a view may define a query that never ends
        raise _damaged(folder, f"expected tables only, found {str(views[0])[:60]!r}")
    version = _value(folder, meta, "format")
    if version not in (str(_UNSEALED), str(FORMAT)):
        if not version.isdecimal():
            raise _damaged(folder, f"table meta, key format: expected {FORMAT}, found {version[:60]!r}")
        raise InvalidInput(
            f"{folder} was written in format {version[:20]}; this version reads formats {_UNSEALED} and {FORMAT}",
            fix="read it with the version of fairground that wrote it",
        )
    sealed = version == str(FORMAT)
    wanted = (*COLUMNS, "seal") if sealed else [name for name in COLUMNS if name not in _ADDED]
    for name in wanted:
        if name not in columns:
            raise _damaged(
                folder, f"table episodes: expected a column {name}, found {', '.join(columns) or 'no table'}"
            )
    if not sealed and "seal" in columns:
        raise _damaged(folder, f"table meta, key format: expected {FORMAT}, as there are checksums; found {version}")
    words, started = _value(folder, meta, "spec"), _value(folder, meta, "started")
    run, planned = "", None
    if sealed:
        run, count, seal = (_value(folder, meta, key) for key in ("run", "planned", "seal"))
        if not run or not matches(run, (words, started, count), seal):
            raise _damaged(folder, "table meta: run, spec, started and planned do not match their checksum")
        planned = int(count)
    try:
        spec = RunSpec.stored(json.loads(words))
    except (ValueError, RecursionError, FairgroundError) as error:
        detail = error.message if isinstance(error, FairgroundError) else error
        raise _damaged(folder, f"table meta, key spec: expected the run's specification, found {detail}") from None
    return About(run, spec, started, planned)


def check_before_writing(folder: Path) -> None:
    """Check an index before writing to it: writing to a damaged index would make it worse.

    Raises:
        DamagedIndex: If its structure is damaged, or the journal next to it belongs to another database.
    """
    path = (folder / INDEX).resolve()
    journal = path.with_name(f"{INDEX}-wal")
    with told(folder), closing(connect(folder, write=False)) as db:
        about = read_about(db, folder)
        (result,) = db.execute("PRAGMA integrity_check(1)").fetchone()
        if result != "ok":
            raise _damaged(folder, f"SQLite's integrity check reports: {result}")
        if not about.run or not journal.exists() or not journal.stat().st_size:
            return
        with closing(_open(path, "ro", still=True)) as without:
            for *values, seal in db.execute(about.select):
                if matches(about.run, values, seal):
                    continue
                *before, old = without.execute(f"{about.select} WHERE number = ?", values[:1]).fetchone() or [None]
                if matches(about.run, before, old):
                    raise DamagedIndex(
                        f"{path}: the journal next to it belongs to another database: with {journal.name}, "
                        f"episode {values[0]} does not match its checksum; without it, it does",
                        fix=f"move {journal} and {path.name}-shm away; recorded episodes are not lost by that",
                    )


def add_checksums(db: sqlite3.Connection, folder: Path, about: About) -> About:
    """Upgrade an index to the current format. Must be called within a transaction.

    Rows get a checksum. The folders of episodes that had already ended cannot be checked: their `manifest` is NULL.
    """
    words = _value(folder, dict(db.execute("SELECT key, value FROM meta")), "spec")
    run = secrets.token_hex(16)
    for name in _ADDED:
        db.execute(f"ALTER TABLE episodes ADD COLUMN {name} TEXT")
    rows = db.execute(SELECT).fetchall()
    meta = _meta(run, words, about.started, len(rows))
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
    for *values, _ in rows:
        if not any(isinstance(value, bytes) for value in values):  # such a row stays damaged
            db.execute("UPDATE episodes SET seal = ? WHERE number = ?", (row_seal(run, values), values[0]))
    return About(run, about.spec, about.started, len(rows))


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Convert SQLite errors into errors with a fix."""
    try:
        yield
    except UNREADABLE as error:
        raise _in_words(error, folder) from error


def identity(folder: Path) -> tuple[int, int] | None:
    """Return device and inode of the index, to distinguish it from another file of the same name."""
    try:
        status = os.stat(folder / INDEX)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def now() -> str:
    """Return the current time in the index's format."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _meta(run: str, words: str, started: str, planned: int) -> dict[str, str]:
    sealed = (words, started, str(planned))
    return {
        "format": str(FORMAT),
        "run": run,
        "spec": words,
        "started": started,
        "planned": str(planned),
        "seal": row_seal(run, sealed),
    }


def _value(folder: Path, meta: dict[Any, Any], key: str) -> str:
    if key not in meta:
        raise _damaged(folder, f"table meta: expected a key {key}, found {', '.join(map(str, meta)) or 'none'}")
    value = meta[key]
    if not isinstance(value, str):
        raise _damaged(folder, f"table meta, key {key}: expected a text in UTF-8, found {repr(value)[:60]}")
    return value


def _damaged(folder: Path, what: str) -> DamagedIndex:
    return DamagedIndex(f"{folder / INDEX} is damaged: {what}", fix=_advice(folder))


def _advice(folder: Path) -> str:
    restore = "restore the file from a copy"
    if not (folder / "episodes").is_dir():
        return restore
    return f"{restore}; or read the episodes without it, such as: fairground stats {folder / 'episodes'}"


def _in_words(error: sqlite3.Error | UnicodeDecodeError, folder: Path) -> FairgroundError:
    path = folder / INDEX
    if isinstance(error, UnicodeDecodeError):
        return _damaged(folder, f"its tables have names that are not text: {error}")
    if (full := database_full(error, path)) is not None:
        return full
    code = vars(error).get("sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return RunBusy(
            f"{path}: locked by another process: {error}", fix="wait for that process to end, then run this again"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return CannotWrite(f"could not write {path}: {error}", fix="choose a writable folder with --out")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA):
        return _damaged(folder, str(error))
    return InfrastructureError(
        f"{path}: {error}", fix="check whether the disk is full, and whether the folder is read-only or damaged"
    )


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
