"""The index of a run: one SQLite file that a kill at any instant leaves whole, and that others may read meanwhile."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from fairground.core import FairgroundError, InfrastructureError, InvalidInput, Outcome
from fairground.rollout.disk import CannotWrite, writing
from fairground.rollout.plan import Planned, RunSpec

ORPHANS = 60.0
"""Seconds that workers of a killed run have to end."""

FORMAT = 2
"""Of the index; raised when an old program would misread a new one."""

_TABLES = """
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


class RunBusy(FairgroundError):
    """Another process writes this run."""


@dataclass(frozen=True)
class Finished:
    """How an attempt ended, as the index keeps it.

    Attributes:
        outcome: How.
        reward: The verdict's; None unless it was scored.
        steps: Actions taken.
        seconds: From the first frame to the end.
        tokens: Of a model; None where the agent has none.
        cost: In dollars; None where it is not known.
        ended_by: Who or what ended it.
        error: For errored and invalid: what happened.
        folder: Where it is recorded, below the run's folder.
    """

    outcome: Outcome
    reward: float | None = None
    steps: int = 0
    seconds: float = 0.0
    tokens: int | None = None
    cost: float | None = None
    ended_by: str = ""
    error: str = ""
    folder: str = ""


@dataclass(frozen=True)
class Row:
    """One episode of a run: planned, and finished or not yet."""

    planned: Planned
    attempts: int
    finished: Finished | None


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        planned: Episodes in all.
        outcomes: How many ended how.
        retried: Attempts that ended in an error and were tried again.
        cost: Dollars spent so far, where it is known, on attempts that errored too.
    """

    planned: int
    outcomes: dict[Outcome, int]
    retried: int
    cost: float

    @property
    def finished(self) -> int:
        """Episodes that need no more attempt."""
        return sum(self.outcomes.values())


class RunStore:
    """A run's index. Use `create`, or `open` to go on with one or to read it."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None) -> None:
        self.folder = folder
        self._db = connection
        self._lock = lock
        self._file = _identity(folder)
        self.spec = RunSpec.parse(json.loads(self._meta("spec")), where=f"{folder}: spec")

    @classmethod
    def create(cls, folder: Path, spec: RunSpec, plan: Sequence[Planned]) -> Self:
        """Starts a run in a folder that is empty or does not exist."""
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        if any(not entry.name.endswith(".lock") for entry in folder.iterdir()):
            raise InvalidInput(f"{folder} is not empty", fix="choose another folder, or `fairground resume` it")
        lock = _take_lock(folder)
        draft = folder / ".run.sqlite.tmp"
        with writing(folder), _told(folder):
            draft.unlink(missing_ok=True)
            db = sqlite3.connect(draft, isolation_level=None)
            db.executescript(_TABLES)
            db.execute("BEGIN")
            about = {"format": str(FORMAT), "spec": json.dumps(spec.plain()), "started": _now()}
            db.executemany("INSERT INTO meta VALUES (?, ?)", about.items())
            db.executemany(
                "INSERT INTO episodes (number, configuration, rollout, seed, paired_with) VALUES (?, ?, ?, ?, ?)",
                ((one.number, one.configuration, one.rollout, one.seed, one.paired_with) for one in plan),
            )
            db.execute("COMMIT")
            db.close()
            os.replace(draft, folder / "run.sqlite")  # whole or not there at all
        return cls(folder, _connect(folder, write=True), lock)

    @classmethod
    def open(cls, folder: Path, *, write: bool = False) -> Self:
        """Opens a run that is there: to go on with it (one process at a time), or to read it while it goes on."""
        if not is_run(folder):
            raise InvalidInput(f"{folder} is no run: it has no run.sqlite", fix="give the folder that `run` wrote")
        lock = _take_lock(folder) if write else None
        if write:
            _wait_for_orphans(folder)
        db = _connect(folder, write=write)
        with _told(folder):
            found = db.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        if found is None or found[0] != str(FORMAT):
            db.close()
            raise InvalidInput(
                f"{folder} was written in format {found[0] if found else '?'}; this version reads format {FORMAT}",
                fix="read it with the version of fairground that wrote it",
            )
        return cls(folder, db, lock)

    @classmethod
    def gathered(cls, folder: Path, spec: RunSpec, rows: Sequence[Row], started: str) -> Self:
        """An index in memory, to read episodes as a run that no run has made, such as people's attempts."""
        db = sqlite3.connect(":memory:", isolation_level=None)
        db.executescript(_TABLES)
        about = {"format": str(FORMAT), "spec": json.dumps(spec.plain()), "started": started}
        db.executemany("INSERT INTO meta VALUES (?, ?)", about.items())
        db.executemany(
            f"INSERT INTO episodes ({_COLUMNS}) VALUES ({', '.join('?' * len(_COLUMNS.split(',')))})",
            map(_values, rows),
        )
        return cls(folder, db, None)

    def finish(self, number: int, finished: Finished) -> None:
        """Commits an episode's end. Once only: an episode that has ended stays as it is."""
        with self._commit() as db:
            changed = db.execute(
                "UPDATE episodes SET attempts = attempts + 1, outcome = ?, reward = ?, steps = ?, seconds = ?,"
                " tokens = ?, cost = ?, ended_by = ?, error = ?, folder = ?, finished = ?"
                " WHERE number = ? AND outcome IS NULL",
                (
                    finished.outcome.value,
                    finished.reward,
                    finished.steps,
                    finished.seconds,
                    finished.tokens,
                    finished.cost,
                    finished.ended_by,
                    finished.error,
                    finished.folder,
                    _now(),
                    number,
                ),
            ).rowcount
            if not changed:
                raise InfrastructureError(f"{self.folder}: episode {number} has ended before, or was never planned")

    def retry(self, number: int, finished: Finished) -> int:
        """Commits an attempt that errored and will be tried again; returns how many there were."""
        with self._commit() as db:
            db.execute("UPDATE episodes SET attempts = attempts + 1 WHERE number = ?", (number,))
            (attempt,) = db.execute("SELECT attempts FROM episodes WHERE number = ?", (number,)).fetchone()
            db.execute(
                "INSERT INTO errors (number, attempt, error, folder, tokens, cost, finished)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (number, attempt, finished.error, finished.folder, finished.tokens, finished.cost, _now()),
            )
        return int(attempt)

    def reopen_errored(self) -> int:
        """Takes the end of every errored episode back, so that each is tried once more; returns how many there were."""
        with self._commit() as db:
            db.execute(
                "INSERT INTO errors (number, attempt, error, folder, tokens, cost, finished)"
                " SELECT number, attempts, error, folder, tokens, cost, finished FROM episodes"
                " WHERE outcome = 'errored'"
            )
            changed = db.execute(
                "UPDATE episodes SET outcome = NULL, reward = NULL, steps = NULL, seconds = NULL, tokens = NULL,"
                " cost = NULL, ended_by = NULL, error = NULL, folder = NULL, finished = NULL WHERE outcome = 'errored'"
            )
        return changed.rowcount

    def unfinished(self) -> Iterator[Row]:
        """Episodes that have not ended, in the order of the plan."""
        return self._rows("WHERE outcome IS NULL ORDER BY number")

    def rows(self) -> Iterator[Row]:
        """Every episode, in the order of the plan."""
        return self._rows("ORDER BY number")

    def progress(self) -> Progress:
        """How far the run is; counted in the index, not remembered."""
        with _told(self.folder):
            counts = dict(self._db.execute("SELECT outcome, count(*) FROM episodes GROUP BY outcome"))
            (retried,) = self._db.execute("SELECT count(*) FROM errors").fetchone()
            spent = "SELECT total(cost) FROM (SELECT cost FROM episodes UNION ALL SELECT cost FROM errors)"
            (cost,) = self._db.execute(spent).fetchone()
        return Progress(
            sum(counts.values()), {one: counts[one.value] for one in Outcome if one.value in counts}, retried, cost
        )

    def scored(self) -> dict[str, tuple[int, int, float]]:
        """Of each configuration with a score: episodes that passed, those that were scored, and their rewards' sum."""
        asked = """SELECT configuration, total(outcome = 'passed'), count(*), total(reward) FROM episodes
            WHERE outcome IN ('passed', 'failed') GROUP BY configuration ORDER BY min(number)"""
        with _told(self.folder):
            rows = self._db.execute(asked)
            return {str(name): (int(passed), int(scored), float(rewards)) for name, passed, scored, rewards in rows}

    @property
    def started(self) -> str:
        """When the run was begun, as ISO 8601."""
        return self._meta("started")

    def close(self) -> None:
        """Lets go of the index and of the right to write it; may be called twice."""
        self._db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, which: str) -> Iterator[Row]:
        with _told(self.folder):
            for found in self._db.execute(f"SELECT {_COLUMNS} FROM episodes {which}"):
                yield _row(found)

    def _meta(self, key: str) -> str:
        with _told(self.folder):
            (value,) = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(value)

    @contextmanager
    def _commit(self) -> Iterator[sqlite3.Connection]:
        if self._lock is None:
            raise InfrastructureError(f"{self.folder} was opened to be read")
        if _identity(self.folder) != self._file:  # SQLite would go on writing into a file without a name
            raise CannotWrite(f"{self.folder / 'run.sqlite'} was removed or replaced while the run went on")
        with _told(self.folder):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")


_COLUMNS = (
    "number, configuration, rollout, seed, paired_with, attempts, outcome, reward, steps, seconds, tokens, cost,"
    " ended_by, error, folder"
)


def _row(found: Sequence[Any]) -> Row:
    number, configuration, rollout, seed, paired_with, attempts, outcome, *rest = found
    planned = Planned.model_construct(
        number=number, configuration=configuration, rollout=rollout, seed=seed, paired_with=paired_with
    )
    return Row(planned, attempts, None if outcome is None else Finished(Outcome(outcome), *rest))


def _values(row: Row) -> tuple[Any, ...]:
    planned = row.planned
    begun = (planned.number, planned.configuration, planned.rollout, planned.seed, planned.paired_with, row.attempts)
    if row.finished is None:
        return (*begun, *[None] * 9)
    ended = vars(row.finished)
    return (*begun, row.finished.outcome.value, *(value for name, value in ended.items() if name != "outcome"))


def _connect(folder: Path, *, write: bool) -> sqlite3.Connection:
    with _told(folder):
        mode = "rw" if write else "ro"
        path = (folder / "run.sqlite").resolve()
        # SQLite keeps notes beside what it reads. On a medium that cannot be written it must be told that nothing
        # changes there; while there is a journal, somebody else may well write.
        still = not write and not os.access(folder, os.W_OK) and not path.with_name("run.sqlite-wal").exists()
        uri = f"{path.as_uri()}?mode={mode}" + ("&immutable=1" if still else "")
        db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=30.0)
        if write:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
        return db


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(folder / "run.sqlite")
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Turns what SQLite says into what a person can act on."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise InfrastructureError(
            f"{folder / 'run.sqlite'}: {error}", fix="is the disk full, or the folder read-only or damaged?"
        ) from error


def _take_lock(folder: Path) -> int:
    """The right to write a run; the kernel takes it back when this process ends, however it ends."""
    with writing(folder / "run.lock"):
        handle = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        who = os.read(handle, 64).decode("utf-8", "replace").strip()
        os.close(handle)
        raise RunBusy(
            f"{folder} is being written by another process{f' ({who})' if who else ''}",
            fix="wait for it to end, or stop it; reading and reporting work meanwhile",
        ) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"process {os.getpid()}".encode(), 0)
    return handle


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run."""
    return (folder / "run.sqlite").is_file()


def is_going(folder: Path) -> bool:
    """Whether a process of this machine writes a run now; asked of the kernel, so that its lock is not touched."""
    try:
        lock = os.stat(folder / "run.lock").st_ino
        held = Path("/proc/locks").read_text()
    except OSError:
        return False
    # Such as: 3: FLOCK  ADVISORY  WRITE 4711 fe:01:131090 0 EOF
    lines = (line.split() for line in held.splitlines())
    return any(parts[1] == "FLOCK" and parts[5].endswith(f":{lock}") for parts in lines if len(parts) == 8)


def runs_in(folder: Path) -> list[Path]:
    """The run that a folder is, or the runs that lie in it side by side, by name."""
    if is_run(folder):
        return [folder]
    return sorted(path.parent for path in folder.glob("*/run.sqlite") if path.is_file())


def hold(folder: Path) -> int:
    """A worker's sign of life: while it is held, nobody else begins to write the run. Let go of at its death."""
    with writing(folder / "workers.lock"):
        handle = os.open(folder / "workers.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def _wait_for_orphans(folder: Path) -> None:
    """Workers of a process that was killed end by themselves, soon; until then they might still write."""
    with writing(folder / "workers.lock"):
        handle = os.open(folder / "workers.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    deadline = time.monotonic() + ORPHANS
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise RunBusy(
                        f"{folder}: workers of a run that was killed are still there after {ORPHANS:g} s",
                        fix="end them (they are python processes), then try again",
                    ) from None
                threading.Event().wait(0.02)
    finally:
        os.close(handle)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
