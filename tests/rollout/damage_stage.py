"""A sound run to be damaged, and what must hold of it afterwards."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

from fairground.core import Check, Click, Done, FairgroundError, Outcome, State, Verdict
from fairground.core.damage import Damaged, noticing
from fairground.rollout import Job, RunSpec, RunStore, run_table, start_run
from fairground.rollout.ended import finished_of
from fairground.rollout.executor import Ended
from fairground.rollout.store import Finished

from .recordings import an_episode, record

SPEC = RunSpec(worlds=("pocket/notes/count-label",), agent="do-nothing", configs=2, rollouts=3)
PASSED = frozenset({0, 2, 4})
EPISODES = 6


class Inline:
    """An executor that records an episode as soon as it is asked to: the even ones pass."""

    room = 1

    def __init__(self, run: Path) -> None:
        self.run = run
        self.did: list[Job] = []
        self._ended: list[Ended] = []

    def submit(self, job: Job) -> None:
        self.did.append(job)
        self._ended.append((job, record_job(self.run, job)))

    def wait(self, seconds: float) -> list[Ended]:
        ended, self._ended = self._ended, []
        return ended

    def close(self, *, kill: bool = False) -> None:
        """Nothing to close."""


def record_job(run: Path, job: Job) -> Finished:
    number = job.planned.number
    after = State(files={"~/notes.db": b"%03d" % number}, data={"notes": [number]})
    found = record(
        run / job.folder,
        "abc",
        [Click(point=(number, 1)), Done()],
        episode=an_episode(job.planned.configuration, seed=job.planned.seed, id=f"e{number}"),
        states=(State(files={"~/notes.db": b"old"}, data={"notes": []}), after),
        verdict=Verdict.of([Check(name="it is done", passed=number in PASSED, expected=number, found=number)]),
    )
    return finished_of(found.episode, job.folder)


def sound_run(folder: Path) -> Path:
    """A run of six episodes, three of which passed."""
    with start_run(folder, SPEC) as store:
        for row in list(store.unfinished()):
            number = row.planned.number
            store.finish(number, record_job(folder, Job(row.planned, 0, f"episodes/{number:06d}")))
    return folder


def copied(run: Path, to: Path) -> Path:
    return Path(shutil.copytree(run, to, symlinks=True))


def edit_index(run: Path, *statements: str, values: tuple[Any, ...] = ()) -> None:
    db = sqlite3.connect(run / "run.sqlite")
    with db:
        for statement in statements:
            db.execute(statement, values)
    db.close()


def passes(run: Path) -> tuple[set[int], tuple[Damaged, ...]]:
    """Which episodes count as passed, and which are damaged."""
    with noticing() as damaged, RunStore.open(run) as store:
        rows = list(store.rows())
        progress, scored = store.progress(), store.scored()
    passed = {row.planned.number for row in rows if row.finished and row.finished.outcome is Outcome.PASSED}
    assert progress.outcomes.get(Outcome.PASSED, 0) == len(passed) == sum(one[0] for one in scored.values())
    return passed, tuple(damaged)


def never_a_new_pass(run: Path) -> None:
    """Whatever was done to a run, reading it ends with a typed error, or with passes that were there before."""
    try:
        passed, damaged = passes(run)
        assert passed <= PASSED, "a pass that was not there"
        lost = PASSED - passed
        assert lost <= {one.number for one in damaged}, "a pass was lost without a word"
        table = run_table(run)
        assert int(table.outcomes().get(Outcome.PASSED, 0)) == len(passed)
        assert [str(one) for one in table.contenders] == [SPEC.agent]
    except FairgroundError as error:
        assert error.message
