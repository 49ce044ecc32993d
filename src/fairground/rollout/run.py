"""Execute a run: its plan, committed episode by episode, and resumable at any point."""

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
"""A run stops after this many attempts without an answer of the model and no score in between. Each has waited long."""


class AgentUnusable(InfrastructureError):
    """The run stopped early because its agent cannot act, for example because its model's server is down."""


@dataclass(frozen=True)
class Event:
    """The end of one attempt in a run.

    Attributes:
        row: The episode.
        finished: How the attempt ended.
        final: False if it errored and will be retried.
        progress: Progress of the run so far.
    """

    row: Row
    finished: Finished
    final: bool
    progress: Progress


def start_run(folder: Path, spec: RunSpec) -> RunStore:
    """Plan a run and write the plan to its folder. `carry_out` executes it."""
    return RunStore.create(folder, spec, make_plan(spec))


def carry_out(
    store: RunStore,
    *,
    workers: int = 2,
    make_work: Callable[[], Work] | None = None,
    executor: Executor | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Progress:
    """Execute the remaining episodes of a run. May be stopped at any time and called again.

    Args:
        store: The run, opened for writing.
        workers: Number of local worker processes.
        make_work: Creates what workers execute. Default: the episodes of the plan.
        executor: Executes the jobs. Default: local worker processes.
        on_event: Called at the end of every attempt.

    Raises:
        CannotWrite: If the disk is full, or the folder is missing or read-only. Committed episodes are kept, and the
            rest can be run once that is fixed.
        AgentUnusable: If the agent's model cannot be used: no server, rejected API key, unknown model, or no more
            answers. Nothing is committed for that attempt.
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
                if finished.ended_by == UNWRITTEN:  # the next attempt would fail too, and stopping loses nothing
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
                    waiting.append(row)  # at the end of the queue, because the cause may be temporary
                tally.add(finished, final)
                if on_event is not None:
                    on_event(Event(row, finished, final, tally.progress()))
    except BaseException as error:
        doing.close(kill=True)
        if isinstance(error, Unusable):  # detected before the first episode
            raise _hopeless(store, str(error)) from None
        raise
    doing.close()
    return store.progress()


def _hopeless(store: RunStore, error: str) -> AgentUnusable:
    """Build the error. Nothing was committed for the attempt, so the run can be resumed once its agent can act."""
    what, _, fix = error.partition("\n  fix: ")
    again = f"`fairground resume {store.folder}` continues with the same agent; use another --out for another agent"
    return AgentUnusable(
        f"the run stopped because {store.spec.agent} cannot act: {what}", fix=f"{fix}; {again}" if fix else again
    )


class _Tally:
    """Counts results, so that the index is not queried after every episode."""

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
    """Return the episodes that are still to be run.

    Episodes that were completely recorded but not committed are committed now. Damaged ones are run again.
    """
    store.reopen_damaged()
    rows = list(store.unfinished())
    left = []
    for row in rows:
        number = row.planned.number
        name = episode_folder(number, row.attempts)
        folder = store.folder / name
        finished = _recorded(folder, name) if folder.exists() else None
        if finished is None:
            left.append(row)
            continue
        store.finish(number, finished)
        if on_event is not None:
            on_event(Event(row, finished, True, store.progress()))
    return left


def _recorded(folder: Path, name: str) -> Finished | None:
    """Return how a completely recorded episode ended. An incomplete recording is deleted."""
    try:
        recorded = read_episode(folder)
    except EpisodeError:
        recorded = None
    if (
        recorded is None
        or not recorded.complete
        or recorded.episode.outcome is None
        or not recorded.episode.outcome.scored
    ):
        with writing(folder):
            shutil.rmtree(folder)
        return None
    return finished_of(recorded.episode, name)


def _spent(spec: RunSpec, cost: float) -> bool:
    return spec.budget.dollars is not None and cost >= spec.budget.dollars
