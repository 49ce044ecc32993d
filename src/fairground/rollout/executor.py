"""Where episodes are carried out: an interface, and worker processes on this machine."""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import multiprocessing
import multiprocessing.connection
import os
import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, cast

from fairground.core import FairgroundError, InfrastructureError, Outcome
from fairground.rollout.attribution import words
from fairground.rollout.disk import CannotWrite
from fairground.rollout.store import Finished
from fairground.rollout.work import Job, Work
from fairground.rollout.worker_context import start_worker

_log = logging.getLogger(__name__)

PATIENCE = 4 * 3600.0
"""Seconds after which a job without an end is given up and its worker killed; episodes have budgets far below."""

AHEAD = 2
"""Jobs that a worker has at once: the one it does, and the one whose seat it opens meanwhile."""

UNWRITTEN = "unwritten"
"""How an attempt ended that could not be recorded because nothing can be written: the run's affair, not its own."""

EXITED = "exited"
"""How an attempt ended whose worker process exited with a status. Only an agent's code does that, by `os._exit`."""

DIED = "died"
"""How an attempt ended whose worker process crashed, was killed for no known reason, or never came to an end.

It is the agent's doing where its code runs in that process.
"""

_FROM_OUTSIDE = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
_STARTS = 5  # workers that die one after the other before any could begin: it is not chance then

Ended = tuple[Job, Finished | None]
"""A job and how it ended; None for one that was never begun because its worker died with another job in hand."""


class Executor(Protocol):
    """Carries jobs out, some at a time, in any order."""

    @property
    def room(self) -> int:
        """How many more jobs it takes now."""

    def submit(self, job: Job) -> None:
        """Takes a job."""

    def wait(self, seconds: float) -> list[Ended]:
        """Waits until a job ended, or so long; may be called when there is no room yet."""

    def close(self, *, kill: bool = False) -> None:
        """Ends the workers, after their jobs or at once."""


def attempt(work: Work, job: Job) -> tuple[Finished, bool]:
    """Does a job in a worker; says how it ended, and whether the worker may do another."""
    try:
        return work.do(job)
    except CannotWrite as error:
        return replace(errored(job, str(error)), ended_by=UNWRITTEN), True
    except FairgroundError as error:  # such as a world that is gone
        return errored(job, str(error)), True
    except Exception as error:  # a mistake of ours
        _log.exception("episode %s", job.planned.number)
        return errored(job, words(error)), False


def lost(jobs: Sequence[Job], why: str, ended_by: str = "error") -> list[Ended]:
    """The jobs of a worker that is no more: the one in hand errored, those behind it were not begun."""
    return [(job, None if place else replace(errored(job, why), ended_by=ended_by)) for place, job in enumerate(jobs)]


def errored(job: Job, why: str) -> Finished:
    """An attempt that came to nothing."""
    return Finished(Outcome.ERRORED, ended_by="error", error=why, folder=job.folder)


class LocalExecutor:
    """Worker processes on this machine. One that dies takes only its own job with it, and is replaced.

    Args:
        make_work: Makes what a worker does, in the worker; must survive being pickled.
        workers: How many processes.
        patience: Seconds after which a job counts as hung.
    """

    def __init__(self, make_work: Callable[[], Work], workers: int, *, patience: float = PATIENCE) -> None:
        self._make_work = make_work
        self._patience = patience
        self._failed_starts = 0
        self._workers = [self._start() for _ in range(workers)]

    @property
    def room(self) -> int:
        """How many more jobs fit."""
        return sum(AHEAD - len(worker.jobs) for worker in self._workers)

    def submit(self, job: Job) -> None:
        """Gives a job to the worker with the fewest."""
        worker = min(self._workers, key=lambda one: len(one.jobs))
        worker.jobs.append(job)
        with contextlib.suppress(OSError):  # it died; `wait` finds that, and what to do with its jobs
            worker.pipe.send(job)

    def wait(self, seconds: float) -> list[Ended]:
        """Waits until something ended, or so long.

        Raises:
            FairgroundError: When workers cannot begin at all.
        """
        ended: list[Ended] = []
        handles = {worker.pipe: worker for worker in self._workers}
        ready = multiprocessing.connection.wait(list(handles), seconds)
        for pipe in ready:
            worker = handles[pipe]
            ended += self._receive(worker)
        now = time.monotonic()
        for worker in list(self._workers):
            if worker.jobs and worker.since is not None and now - worker.since > self._patience:
                worker.process.kill()
                ended += self._bury(worker, f"no end after {self._patience:g} s; its worker was killed", DIED)
        return ended

    def close(self, *, kill: bool = False) -> None:
        """Ends the workers."""
        for worker in self._workers:
            if kill:
                worker.process.kill()
            else:
                with contextlib.suppress(OSError):
                    worker.pipe.send(None)
        for worker in self._workers:
            worker.process.join(30)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.pipe.close()

    def _receive(self, worker: _Worker) -> list[Ended]:
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(10)
            code = worker.process.exitcode
            how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"status {code}"
            if worker.since is None:
                return self._start_again(worker, how)
            return self._bury(worker, f"the worker process ended with {how}", _who_ended(code, worker.memory_kills))
        if isinstance(answer, FairgroundError):
            raise answer
        if isinstance(answer, logging.LogRecord):
            logging.getLogger(answer.name).handle(answer)
            return []
        if answer is None:
            worker.since, self._failed_starts = time.monotonic(), 0
            worker.memory_kills = _memory_kills()
            return []
        finished, goes_on = answer
        job = worker.jobs.popleft()
        worker.since = None
        ended: list[Ended] = [(job, finished)]
        if not goes_on:
            ended += [(one, None) for one in worker.jobs]
            worker.jobs.clear()
            self._replace(worker)
        return ended

    def _bury(self, worker: _Worker, why: str, ended_by: str) -> list[Ended]:
        self._replace(worker)
        hint = "; was memory short, or was it killed?" if ended_by == "error" else ""
        return lost(worker.jobs, why + hint, ended_by)

    def _start_again(self, worker: _Worker, how: str) -> list[Ended]:
        """One that ended with no job in hand: none of its jobs was begun."""
        self._failed_starts += 1
        if self._failed_starts >= _STARTS:
            raise InfrastructureError(
                f"{_STARTS} worker processes ended one after the other before they began; the last with {how}",
                fix="was memory short? try fewer --workers, then `fairground resume` the run",
            )
        self._replace(worker)
        return [(job, None) for job in worker.jobs]

    def _replace(self, worker: _Worker) -> None:
        worker.process.join(10)
        if worker.process.is_alive():
            worker.process.kill()
        worker.pipe.close()
        self._workers[self._workers.index(worker)] = self._start()

    def _start(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        process = start_worker(_serve, theirs, self._make_work)
        theirs.close()
        return _Worker(process, ours)


@dataclass(eq=False)
class _Worker:
    process: Any
    pipe: Any
    jobs: deque[Job] = field(default_factory=deque)
    since: float | None = None
    """When it began the job in hand; None before, so that starting up counts for nothing."""
    memory_kills: int | None = None
    """What `_memory_kills` said then."""


def _who_ended(code: int | None, memory_kills: int | None) -> str:
    """What a worker's exit code means: `EXITED`, `DIED`, or `error` where somebody outside may have ended it."""
    if code is None:
        return "error"
    if code >= 0:
        return EXITED
    if -code == signal.SIGKILL:
        return DIED if memory_kills is not None and memory_kills == _memory_kills() else "error"
    return "error" if -code in _FROM_OUTSIDE else DIED


def _memory_kills() -> int | None:
    """How many processes the kernel has ended for want of memory; None where it does not say."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), None)


class _Pipe:
    """The worker's end of its pipe, for several threads: an agent's may log while the main thread answers."""

    def __init__(self, pipe: Any) -> None:
        self.recv = pipe.recv
        self._pipe, self._lock = pipe, threading.Lock()

    def send(self, message: Any) -> None:
        with self._lock:
            self._pipe.send(message)

    put_nowait = send  # what a logging handler calls


def _serve(connection: Any, make_work: Callable[[], Work]) -> None:
    """The life of a worker process. Ctrl-C is for the one who started us, who then ends us.

    What it logs, such as that an agent waits for its model, is logged by the parent: only that knows how to show it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe = _Pipe(connection)
    log, to_parent = logging.getLogger("fairground"), cast(Any, pipe)
    log.addHandler(logging.handlers.QueueHandler(to_parent))
    log.propagate = False
    try:
        work = make_work()
    except FairgroundError as error:
        pipe.send(error)
        return
    jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()

    def listen() -> None:
        while True:
            try:
                job = pipe.recv()
            except (EOFError, OSError):  # whoever started us was killed: what we write now, nobody would commit
                os.kill(os.getpid(), signal.SIGKILL)
            if job is not None:
                with contextlib.suppress(Exception):  # what is wrong with it, doing it will tell
                    work.order(job)
            jobs.put(job)
            if job is None:
                return

    threading.Thread(target=listen, daemon=True).start()
    try:
        while (job := jobs.get()) is not None:
            pipe.send(None)  # begun
            answer = attempt(work, job)
            pipe.send(answer)
            if not answer[1]:
                return
    finally:
        work.close()
