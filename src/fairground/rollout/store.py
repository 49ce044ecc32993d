"""The index of a run: one SQLite file, safe against a kill at any time and readable while the run is in progress.

Everything that reads results reads rows from here. An episode whose row or folder differs from what was committed is
not a result: its row has no end, says what is damaged, and is not counted.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from fairground.core import EpisodeError, FairgroundError, InfrastructureError, InvalidInput, Outcome
from fairground.core.damage import Damaged, notice
from fairground.core.plainjson import sayable
from fairground.rollout.damage import DamagedIndex
from fairground.rollout.disk import CannotWrite, read_inside, writing
from fairground.rollout.index_file import (
    INDEX,
    UNREADABLE,
    About,
    add_checksums,
    check_before_writing,
    connect,
    fill_index,
    identity,
    now,
    read_about,
    told,
    write_index,
)
from fairground.rollout.index_history import History, has_history, read_history
from fairground.rollout.index_rows import (
    COLUMNS,
    ENDING,
    PLAN,
    BadValue,
    check_plan,
    check_values,
    make_row,
    matches,
    row_seal,
)
from fairground.rollout.index_rows import Finished as Finished
from fairground.rollout.index_rows import Row as Row
from fairground.rollout.manifest import content_digest, folder_problem, manifest_digest
from fairground.rollout.plan import Planned, RunSpec, make_plan
from fairground.rollout.run_locks import RunBusy as RunBusy
from fairground.rollout.run_locks import hold as hold
from fairground.rollout.run_locks import is_going as is_going
from fairground.rollout.run_locks import take_lock, wait_for_orphans

EPISODES = "episodes"
"""Folder of the episodes, below the run's folder."""

_MAX_VERDICT = 64 << 20
_GAP = 1000  # maximum number of missing rows listed one by one if the index does not store the number of episodes
_EDITED = "the row does not match its checksum: a value was changed, or the row belongs to another run"


@dataclass(frozen=True)
class Progress:
    """Progress of a run.

    Attributes:
        planned: Total number of episodes.
        outcomes: Number of finished episodes by outcome, without damaged ones.
        retried: Number of attempts that errored and were retried.
        cost: Known cost in dollars so far, including errored attempts.
    """

    planned: int
    outcomes: dict[Outcome, int]
    retried: int
    cost: float

    @property
    def finished(self) -> int:
        """Number of episodes that need no further attempt."""
        return sum(self.outcomes.values())


class RunStore:
    """A run's index. Use `create` for a new run, or `open` to continue or read one."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None, about: About) -> None:
        self.folder = folder
        self.spec: RunSpec = about.spec
        self._db = connection
        self._lock = lock
        self._about = about
        self._file = identity(folder)
        self._damaged: dict[int, Damaged] | None = None
        self._read_fully = False
        self._history: History | None = None

    @classmethod
    def create(cls, folder: Path, spec: RunSpec, plan: Sequence[Planned]) -> Self:
        """Start a run in a folder that is empty or does not exist."""
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        if any(not entry.name.endswith(".lock") for entry in folder.iterdir()):
            raise InvalidInput(
                f"{folder} is not empty", fix="choose another folder, or continue this run with `fairground resume`"
            )
        if [episode.number for episode in plan] != list(range(len(plan))):
            raise InvalidInput("the episodes of a plan must be numbered 0, 1, 2, ...")
        lock = take_lock(folder)
        try:
            write_index(folder, spec, plan)
            return cls._opened(folder, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def open(cls, folder: Path, *, write: bool = False) -> Self:
        """Open an existing run: to continue it (one process at a time), or to read it, even while it is in progress.

        Raises:
            DamagedIndex: If the index cannot be read, or is too damaged to be written. Nothing was written to it.
        """
        if not is_run(folder):
            raise no_run(folder)
        if not write:
            return cls._opened(folder, None)
        lock = take_lock(folder)
        try:
            wait_for_orphans(folder)
            check_before_writing(folder)
            return cls._opened(folder, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def _opened(cls, folder: Path, lock: int | None) -> Self:
        db = connect(folder, write=lock is not None)
        try:
            store = cls(folder, db, lock, read_about(db, folder))
            if lock is not None and not store._about.run:
                with store.committing():
                    store._about = add_checksums(db, folder, store._about)
        except BaseException:
            db.close()
            raise
        return store

    @classmethod
    def gathered(cls, folder: Path, spec: RunSpec, rows: Sequence[Row], started: str) -> Self:
        """Return an index in memory, to read episodes outside of a run (such as people's attempts) like a run."""
        db = sqlite3.connect(":memory:", isolation_level=None)
        about = fill_index(db, spec, [row.planned for row in rows], started)
        store = cls(folder, db, None, about)
        for row in rows:
            if row.finished is not None:
                store._write_end(row.planned.number, row.finished, row.manifest)
        return store

    def finish(self, number: int, finished: Finished) -> None:
        """Commit an episode's end. An episode that has ended is never changed."""
        parts = finished.folder.split("/") if finished.folder else []
        manifest = manifest_digest(self.folder, *parts) if parts else ""
        with self.committing():
            if not self._write_end(number, finished, manifest):
                raise InfrastructureError(f"{self.folder}: episode {number} has already ended, or was never planned")

    def retry(self, number: int, finished: Finished) -> int:
        """Commit an attempt that errored and will be retried. Returns the number of attempts so far."""
        with self.committing() as db:
            db.execute("UPDATE episodes SET attempts = attempts + 1 WHERE number = ?", (number,))
            (attempt,) = db.execute("SELECT attempts FROM episodes WHERE number = ?", (number,)).fetchone()
            error, folder = sayable(finished.error), sayable(finished.folder)
            db.execute(
                "INSERT INTO errors (number, attempt, error, folder, tokens, cost, finished)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (number, attempt, error, folder, finished.tokens, finished.cost, now()),
            )
            self.seal(number)
        return int(attempt)

    def reopen_errored(self) -> int:
        """Reopen every errored episode, so that each is tried once more. Returns their number."""
        with self.committing() as db:
            errored = [number for (number,) in db.execute("SELECT number FROM episodes WHERE outcome = 'errored'")]
            db.execute(
                "INSERT OR REPLACE INTO errors (number, attempt, error, folder, tokens, cost, finished)"
                " SELECT number, attempts, error, folder, tokens, cost, finished FROM episodes"
                " WHERE outcome = 'errored'"
            )
            for number in errored:
                db.execute(f"{_UNFINISH} WHERE number = ?", (number,))
                self.seal(number)
        return len(errored)

    def reopen_damaged(self) -> tuple[Damaged, ...]:
        """Reopen every damaged episode, so that it is run again. Returns what was damaged.

        Every file is read. Folders are kept, and the table `errors` stores the reason. A row whose plan cannot be
        trusted is planned again from the spec.

        Raises:
            DamagedIndex: If such a row cannot be planned again, because the world has changed since.
        """
        damaged = self.damaged(full=True)
        if not damaged:
            return ()
        own = {item: self._own_plan(item) for item in damaged}
        again = self._plan_again() if None in own.values() else ()
        with self.committing() as db:
            spent = {item: self._take_out(db, item) for item in damaged}  # all first, because of unique values
            for item, planned in own.items():
                assert item.number is not None
                if planned is not None or item.number < len(again):
                    self._put_back(db, item, planned or again[item.number], spent[item])
        self._damaged = {}
        return damaged

    def unfinished(self) -> Iterator[Row]:
        """Yield the unfinished episodes, in the order of the plan."""
        with told(self.folder):
            for values in self._db.execute(f"{self._about.select} WHERE outcome IS NULL ORDER BY number"):
                row, damaged = self._checked(values)
                if row is not None and damaged is None:
                    yield row

    def rows(self, *, full: bool = False) -> Iterator[Row]:
        """Yield every episode in the order of the plan. A damaged episode has no end, and says what is damaged.

        A row is left out if its episode is unknown; `damaged` lists it.

        Args:
            full: Read every file of every episode. Otherwise `episode.json` is read, and the other files must have the
                recorded size.
        """
        damaged_rows: dict[int, Damaged] = {}
        for row, damaged in self._scan(full=full):
            if damaged is not None and damaged.number is not None:
                damaged_rows[damaged.number] = damaged
                notice(damaged)
            if row is not None:
                yield row
        self._damaged = damaged_rows
        self._read_fully |= full

    def damaged(self, *, full: bool = False) -> tuple[Damaged, ...]:
        """Return the episodes that differ from what was committed, in the order of the plan. The result is cached.

        Args:
            full: Read every file of every episode, as `rows` does.
        """
        if self._damaged is None or (full and not self._read_fully):
            pairs = (damaged for _, damaged in self._scan(full=full))
            self._damaged = {item.number: item for item in pairs if item is not None and item.number is not None}
            self._read_fully = full
        return tuple(self._damaged.values())

    def progress(self) -> Progress:
        """Return the progress of the run, counted in the index."""
        damaged = [item.number for item in self.damaged()]
        with told(self.folder):
            counts = dict(self._db.execute("SELECT outcome, count(*) FROM episodes GROUP BY outcome"))
            for number in damaged:
                row = self._db.execute("SELECT outcome FROM episodes WHERE number = ?", (number,)).fetchone()
                if row is not None:
                    counts[row[0]] -= 1
            (retried,) = self._db.execute("SELECT count(*) FROM errors").fetchone()
            (cost,) = self._db.execute(_SPENT).fetchone()
            planned = self._about.planned
            if planned is None:
                (planned,) = self._db.execute("SELECT count(*) FROM episodes").fetchone()
        outcomes = {outcome: counts[outcome.value] for outcome in Outcome if counts.get(outcome.value)}
        return Progress(planned, outcomes, retried, cost)

    def scored(self) -> dict[str, tuple[int, int, float]]:
        """Return passed episodes, scored episodes and the sum of rewards, for each configuration with a score."""
        totals: dict[str, tuple[int, int, float]] = {}
        for row in self.rows():
            if row.finished is not None and row.finished.outcome.scored:
                name, passes = row.planned.configuration, row.finished.outcome is Outcome.PASSED
                passed, number, rewards = totals.get(name, (0, 0, 0.0))
                totals[name] = (passed + passes, number + 1, rewards + (row.finished.reward or 0.0))
        return totals

    @property
    def started(self) -> str:
        """Start time of the run, as ISO 8601."""
        return self._about.started

    @property
    def unchecked(self) -> int:
        """Number of scored episodes whose files cannot be checked, because an earlier version committed them."""
        with told(self.folder):
            where = "outcome IN ('passed', 'failed')" + (" AND manifest IS NULL" if self._about.run else "")
            (number,) = self._db.execute(f"SELECT count(*) FROM episodes WHERE {where}").fetchone()
        return int(number)

    def close(self) -> None:
        """Close the index and release the write lock. May be called twice."""
        self._db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def committing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction. Rows that it changes must be sealed again."""
        if self._lock is None:
            raise InfrastructureError(f"{self.folder} was opened read-only")
        if identity(self.folder) != self._file:  # SQLite would continue to write into the deleted file
            raise CannotWrite(f"{self.folder / INDEX} was removed or replaced during the run")
        with told(self.folder):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has already ended it
                    self._db.execute("ROLLBACK")
                raise

    def seal(self, number: int) -> None:
        """Write the checksum of a row, within a transaction."""
        *values, _ = self._db.execute(f"{self._about.select} WHERE number = ?", (number,)).fetchone()
        try:
            check_values(values)
        except BadValue as error:
            raise InfrastructureError(f"{self.folder / INDEX}: episode {number} was not committed: {error}") from None
        self._db.execute("UPDATE episodes SET seal = ? WHERE number = ?", (row_seal(self._about.run, values), number))

    def _write_end(self, number: int, finished: Finished, manifest: str | None) -> bool:
        ended = [sayable(value) if isinstance(value, str) else value for value in vars(finished).values()]
        changed = self._db.execute(
            f"UPDATE episodes SET attempts = attempts + 1, {', '.join(f'{name} = ?' for name in ENDING)},"
            " finished = ?, manifest = ?, later = '' WHERE number = ? AND outcome IS NULL",
            (*ended, now(), manifest, number),
        ).rowcount
        if changed:
            self.seal(number)
        return bool(changed)

    def _scan(self, *, full: bool = False) -> Iterator[tuple[Row | None, Damaged | None]]:
        """Yield every row of the plan, and what is wrong with it."""
        planned, expected = self._about.planned, 0
        for values in self._values():
            number = int(values[0])
            for missing in range(expected, min(number, expected + _GAP if planned is None else planned)):
                yield None, Damaged(self.folder, missing, "", f"its row is missing in {INDEX}")
            expected = max(expected, number + 1)
            if planned is None or 0 <= number < planned:
                yield self._checked(values, full=full)
            else:
                problem = f"its row was added to {INDEX}: {planned:,} episodes were planned"
                yield None, Damaged(self.folder, number, "", problem)
        for missing in range(expected, planned or 0):
            yield None, Damaged(self.folder, missing, "", f"its row is missing in {INDEX}, or cannot be read")

    def _values(self) -> Iterator[Sequence[Any]]:
        """Yield the rows of the index. If a part of the file is damaged, yields the rows of the other parts."""
        number = -1
        try:
            for values in self._db.execute(f"{self._about.select} ORDER BY number"):
                yield values
                number = values[0]
            return
        except UNREADABLE:
            if self._about.planned is None:
                with told(self.folder):
                    raise
        for place in range(number + 1, self._about.planned):
            try:
                row = self._db.execute(f"{self._about.select} WHERE number = ?", (place,)).fetchone()
            except UNREADABLE:
                continue  # listed as missing or unreadable
            if row is not None:
                yield row

    def _checked(self, stored: Sequence[Any], *, full: bool = False) -> tuple[Row | None, Damaged | None]:
        *values, seal = stored
        try:
            if not self._about.run:
                check_values(values)
            elif not matches(self._about.run, values, seal):
                check_values(values)  # raises an error that says what is wrong, if it can tell
                return self._unbelievable(values, _EDITED)
        except BadValue as error:
            return self._unbelievable(values, f"its row in {INDEX}, {error}")
        row = make_row(values)
        if row.finished is None:
            return row, None
        if self._damaged is None or full:
            problem = self._folder_problem(row, row.finished.folder, full) or self._history_problem(row, row.finished)
        else:  # already checked
            problem = self._damaged[row.planned.number].problem if row.planned.number in self._damaged else ""
        if not problem:
            return row, None
        damaged = Damaged(self.folder, row.planned.number, row.finished.folder, problem)
        return Row(row.planned, row.attempts, None, problem), damaged

    def _unbelievable(self, values: Sequence[Any], problem: str) -> tuple[Row | None, Damaged]:
        known = dict(zip(COLUMNS, values, strict=True))
        folder = episode_folder(known["number"], 0)
        damaged = Damaged(self.folder, known["number"], folder if (self.folder / folder).is_dir() else "", problem)
        try:
            check_plan(known)
        except BadValue:
            return None, damaged
        planned = Planned.model_construct(**{name: known[name] for name in PLAN})
        return Row(planned, 0, None, problem), damaged

    def _folder_problem(self, row: Row, folder: str, full: bool) -> str:
        if not row.manifest:
            return ""
        parts = folder.split("/")
        problem = folder_problem(self.folder, *parts, digest=row.manifest, full=full)
        if problem or not row.later:
            return problem
        name, _, digest = row.later.partition(":")
        try:
            data = read_inside(self.folder, *parts, name, limit=_MAX_VERDICT)
        except EpisodeError as error:
            return error.message
        return "" if content_digest(data) == digest else f"{name}: content differs from what was committed"

    def _history_problem(self, row: Row, finished: Finished) -> str:
        """Return how the verdict history of a rescored episode contradicts its row; "" if it does not."""
        if self._history is None:
            with told(self.folder):
                self._history = read_history(self._db)
        number = row.planned.number
        if number in self._history.problems:
            return f"its history in {INDEX}, {self._history.problems[number]}"
        counts = (finished.outcome.value, finished.reward, f"{finished.folder}/{row.later.partition(':')[0]}")
        if row.later and self._history.newest.get(number) != counts:
            return f"its history in {INDEX}, table verdicts, does not end with the verdict that counts"
        return ""

    def _own_plan(self, damaged: Damaged) -> Planned | None:
        """Return the plan of an episode from its row. None if the row cannot be trusted."""
        with told(self.folder):
            row = self._db.execute(f"{self._about.select} WHERE number = ?", (damaged.number,)).fetchone()
        if row is None or not matches(self._about.run, row[:-1], row[-1]):
            return None
        return make_row(row[:-1]).planned

    def _plan_again(self) -> Sequence[Planned]:
        """Return the plan made from the spec again, if it agrees with all rows that can be trusted."""
        why = "the world now gives a different plan"
        try:
            plan = make_plan(self.spec)
        except FairgroundError as error:
            plan, why = (), error.message
        trusted = [row.planned for row, damaged in self._scan() if row is not None and damaged is None]
        if len(plan) != self._about.planned or any(plan[planned.number] != planned for planned in trusted):
            raise DamagedIndex(
                f"{self.folder / INDEX}: rows are damaged, and their episodes cannot be planned again: {why}",
                fix="restore the file from a copy; the other episodes can be read in the meantime",
            )
        return plan

    def _take_out(self, db: sqlite3.Connection, damaged: Damaged) -> float | None:
        """Remove a damaged row. Returns the cost of its episode, if that is a number."""
        row = db.execute(f"SELECT cost FROM episodes WHERE number = ? AND {_IS_COST}", (damaged.number,)).fetchone()
        db.execute("DELETE FROM episodes WHERE number = ?", (damaged.number,))
        if has_history(db):
            db.execute("DELETE FROM verdicts WHERE number = ?", (damaged.number,))
            self._history = None
        return None if row is None else float(row[0])

    def _put_back(self, db: sqlite3.Connection, damaged: Damaged, planned: Planned, cost: float | None) -> None:
        number = planned.number
        attempt = 1  # the first attempt without a folder: damaged folders are kept for inspection
        while os.path.lexists(self.folder / episode_folder(number, attempt)):
            attempt += 1
        error, folder = sayable(f"damaged: {damaged.problem}"), sayable(damaged.folder)
        db.execute(
            "INSERT OR REPLACE INTO errors (number, attempt, error, folder, cost, finished) VALUES (?, ?, ?, ?, ?, ?)",
            (number, attempt, error, folder, cost, now()),
        )
        db.execute(
            f"INSERT INTO episodes ({', '.join(PLAN)}, attempts) VALUES (?, ?, ?, ?, ?, ?)",
            (number, planned.configuration, planned.rollout, planned.seed, planned.paired_with, attempt),
        )
        self.seal(number)


_UNFINISH = f"UPDATE episodes SET {', '.join(f'{name} = NULL' for name in (*ENDING, 'finished', 'manifest', 'later'))}"
_IS_COST = "typeof(cost) IN ('real', 'integer') AND cost BETWEEN 0 AND 1e12"
_SPENT = f"SELECT total(cost) FROM (SELECT cost FROM episodes UNION ALL SELECT cost FROM errors) WHERE {_IS_COST}"


def episode_folder(number: int, attempt: int) -> str:
    """Return the folder of an attempt at an episode, relative to the run's folder."""
    return f"{EPISODES}/{number:06d}" + (f"-{attempt}" if attempt else "")


def is_run(folder: Path) -> bool:
    """Return whether a folder is a run."""
    return (folder / INDEX).is_file()


def runs_in(folder: Path) -> list[Path]:
    """Return the run at a folder, or the runs directly inside it, sorted by name.

    Runs inside that have lost their index are reported as damaged.
    """
    if is_run(folder):
        return [folder]
    for run in lost_runs_in(folder):
        notice(run)
    return sorted(path.parent for path in folder.glob(f"*/{INDEX}") if path.is_file())


def lost_runs_in(folder: Path) -> tuple[Damaged, ...]:
    """Return the runs directly inside a folder whose index is missing or not a file."""
    inside = sorted(path for path in folder.glob("*") if has_lost_index(path))
    return tuple(Damaged(folder, None, run.name, _LOST, no_run(run).fix or "") for run in inside)


def has_lost_index(folder: Path) -> bool:
    """Return whether a folder is a run without its index: it has a run's episodes, or something else as index."""
    if is_run(folder):
        return False
    try:
        names = os.listdir(folder / EPISODES)
    except OSError:
        names = []
    return os.path.lexists(folder / INDEX) or any(_EPISODE.fullmatch(name) for name in names)


_EPISODE = re.compile(r"[0-9]{6}(-[0-9]+)?")
_LOST = f"the run's index {INDEX} is missing or not a file, so none of its episodes is counted"


def no_run(folder: Path) -> FairgroundError:
    """Return the error for a folder that is not a run: `DamagedIndex` if it was one."""
    if has_lost_index(folder):
        return DamagedIndex(
            f"{folder} has episodes but no {INDEX}: the run's index is missing",
            fix=f"restore the file from a copy; or read the episodes without it: fairground stats {folder / EPISODES}",
        )
    return InvalidInput(f"{folder} is not a run: it has no {INDEX}", fix="give the folder that `fairground run` wrote")
