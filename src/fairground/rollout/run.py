"""A run: a plan carried out, committed episode by episode, and resumed from wherever it was stopped."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fairground.agents.models import Unusable
from fairground.core import EpisodeError, InfrastructureError, Outcome
from fairground.rollout.disk import CannotWrite, writing
from fairground.rollout.ended import finished_of
from fairground.rollout.executor import DIED, EXITED, UNWRITTEN, Executor, LocalExecutor
from fairground.rollout.folder import read_episode
from fairground.rollout.lost_worker import lost_worker
from fairground.rollout.plan import RunSpec, make_plan
from fairground.rollout.store import Finished, Progress, Row, RunStore, episode_folder
from fairground.rollout.work import OUTAGE, UNANSWERED, UNUSABLE, Episodes, Job, Work

OUTAGES = 2
"""Attempts without an answer of the model, with no score in between, after which a run stops: each has waited long."""


class AgentUnusable(InfrastructureError):
    """The run stopped early because its agent cannot act, such as when its model's server is not there."""


@dataclass(frozen=True)
class Event:
    """Something that happened in a run.

    Attributes:
        row: Which episode.
        finished: How it ended.
        final: False when it errored and will be tried again.
        progress: How far the run is now.
    """

    row: Row
    finished: Finished
    final: bool
    progress: Progress


def start_run(folder: Path, spec: RunSpec) -> RunStore:
    """Plans a run and writes the plan down; `carry_out` does it."""
    return RunStore.create(folder, spec, make_plan(spec))


def carry_out(
    store: RunStore,
    *,
    workers: int = 2,
    make_work: Callable[[], Work] | None = None,
    executor: Executor | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Progress:
    """Does what a plan still lacks. May be stopped at any instant, and called again.

    Args:
        store: The run, opened to be written.
        workers: Processes of the local executor.
        make_work: What workers do; the episodes of the plan unless given.
        executor: Who does it; local processes unless given.
        on_event: Told of every end of an attempt.

    Raises:
        CannotWrite: When the disk is full, or the folder is gone or read-only. What was committed stays, and the rest
            can be done once that is corrected.
        AgentUnusable: When the agent's model cannot be asked: no server, a key that is refused, no such model, or no
            answer any more. Nothing is committed of that attempt.
    """
    waiting = deque(_leftovers(store, on_event))
    if not waiting:
        if executor is not None:
            executor.close()
        return store.progress()
    rows = {row.planned.number: row for row in waiting}
    attempts = {number: row.attempts for number, row in rows.items()}
    work = make_work or partial(Episodes, store.folder, store.spec)
    doing = executor or LocalExecutor(work, min(workers, len(waiting)))
    tally = _Tally(store.progress())
    open_jobs = outages = 0
    try:
        while waiting or open_jobs:
            while waiting and doing.room > 0 and not _spent(store.spec, tally.cost):
                row = waiting.popleft()
                number = row.planned.number
                doing.submit(Job(row.planned, attempts[number], episode_folder(number, attempts[number])))
                open_jobs += 1
            if not open_jobs and _spent(store.spec, tally.cost):
                break
            for job, finished in doing.wait(1.0):
                open_jobs -= 1
                row = rows[job.planned.number]
                if finished is None:
                    waiting.appendleft(row)
                    continue
                if finished.ended_by == UNWRITTEN:  # the next would fare no better; nothing is lost by stopping
                    raise CannotWrite(f"the run stopped: {finished.error}")
                if finished.ended_by == UNUSABLE or (finished.ended_by == UNANSWERED and not tally.scored):
                    raise _hopeless(store, finished.error)
                if finished.ended_by in (EXITED, DIED):
                    finished = lost_worker(store.folder, store.spec, job, finished)
                outages = outages + 1 if finished.ended_by == OUTAGE else 0 if finished.outcome.scored else outages
                if outages >= OUTAGES:
                    raise _hopeless(store, finished.error)
                if finished.ended_by in (UNANSWERED, OUTAGE):
                    finished = replace(finished, ended_by="error")
                final = finished.outcome is not Outcome.ERRORED or attempts[job.planned.number] >= store.spec.retries
                if final:
                    store.finish(job.planned.number, finished)
                else:
                    attempts[job.planned.number] = store.retry(job.planned.number, finished)
                    waiting.append(row)  # at the end: what was wrong may have passed by then
                tally.add(finished, final)
                if on_event is not None:
                    on_event(Event(row, finished, final, tally.progress()))
    except BaseException as error:
        doing.close(kill=True)
        if isinstance(error, Unusable):  # found before the first episode
            raise _hopeless(store, str(error)) from None
        raise
    doing.close()
    return store.progress()


def _hopeless(store: RunStore, error: str) -> AgentUnusable:
    """Nothing was committed of the attempt, so that the run can be resumed once its agent can act."""
    what, _, fix = error.partition("\n  fix: ")
    again = f"`fairground resume {store.folder}` continues with the same agent; another one needs another --out"
    return AgentUnusable(
        f"the run stopped, because {store.spec.agent} cannot act: {what}", fix=f"{fix}; {again}" if fix else again
    )


class _Tally:
    """Counts along, so that the index need not be asked after every episode."""

    def __init__(self, begun: Progress) -> None:
        self._planned, self._outcomes = begun.planned, dict(begun.outcomes)
        self._retried, self.cost = begun.retried, begun.cost

    def add(self, finished: Finished, final: bool) -> None:
        self.cost += finished.cost or 0.0
        if final:
            self._outcomes[finished.outcome] = self._outcomes.get(finished.outcome, 0) + 1
        else:
            self._retried += 1

    @property
    def scored(self) -> int:
        return sum(number for outcome, number in self._outcomes.items() if outcome.scored)

    def progress(self) -> Progress:
        return Progress(self._planned, dict(self._outcomes), self._retried, self.cost)


def _leftovers(store: RunStore, on_event: Callable[[Event], None] | None) -> list[Row]:
    """Episodes that are still to be done. One that was recorded to its end, and only not committed, is taken over.

    Those that are damaged are run again.
    """
    store.reopen_damaged()
    rows = list(store.unfinished())
    left = []
    for row in rows:
        number = row.planned.number
        name = episode_folder(number, row.attempts)
        folder = store.folder / name
        found = _recorded(folder, name) if folder.exists() else None
        if found is None:
            left.append(row)
            continue
        store.finish(number, found)
        if on_event is not None:
            on_event(Event(row, found, True, store.progress()))
    return left


def _recorded(folder: Path, name: str) -> Finished | None:
    """How an episode ended that is whole on the disk; what is not is thrown away."""
    try:
        found = read_episode(folder)
    except EpisodeError:
        found = None
    if found is None or not found.complete or found.episode.outcome is None or not found.episode.outcome.scored:
        with writing(folder):
            shutil.rmtree(folder)
        return None
    return finished_of(found.episode, name)


def _spent(spec: RunSpec, cost: float) -> bool:
    return spec.budget.dollars is not None and cost >= spec.budget.dollars
