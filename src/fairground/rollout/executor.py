"""Executors run episodes: the interface, and an implementation with local worker processes."""

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
from fairground.rollout.disk import CannotWrite
from fairground.rollout.raised import words
from fairground.rollout.store import Finished
from fairground.rollout.work import Job, Work
from fairground.rollout.worker_context import start_worker

_log = logging.getLogger(__name__)

PATIENCE = 4 * 3600.0
"""Timeout of a job in seconds. Its worker is then killed. Episode budgets are far below this."""

AHEAD = 2
"""Number of jobs per worker: the current one, and the next, whose seat is opened in the meantime."""

UNWRITTEN = "unwritten"
"""`ended_by` of an attempt that could not be recorded because the disk cannot be written. The run handles this."""

EXITED = "exited"
"""`ended_by` of an attempt whose worker process exited with a status. Only agent code does that, by `os._exit`."""

DIED = "died"
"""`ended_by` of an attempt whose worker process crashed, timed out, or was killed for no known reason.

The agent is held responsible if its code runs in that process.
"""

_STARTS = 5  # consecutive workers that die before they start a job; more is no longer chance

Ended = tuple[Job, Finished | None]
"""A job and how it ended. None if the job was never started because its worker died during another job."""


class Executor(Protocol):
    """Runs jobs in parallel, in any order."""

    @property
    def room(self) -> int:
        """Number of jobs it can accept now."""

    def submit(self, job: Job) -> None:
        """Queue a job."""

    def wait(self, seconds: float) -> list[Ended]:
        """Wait until a job ends, at most `seconds`. May be called while there is still room."""

    def close(self, *, kill: bool = False) -> None:
        """Stop the workers, after their jobs or immediately (`kill`)."""


def attempt(work: Work, job: Job) -> tuple[Finished, bool]:
    """Run a job in a worker. Returns how it ended, and whether the worker can continue."""
    try:
        return work.do(job)
    except CannotWrite as error:
        return replace(errored(job, str(error)), ended_by=UNWRITTEN), True
    except FairgroundError as error:  # such as a world that no longer exists
        return errored(job, str(error)), True
    except Exception as error:  # a bug in our code
        _log.exception("episode %s", job.planned.number)
        return errored(job, words(error)), False


def lost(jobs: Sequence[Job], why: str, ended_by: str = "error") -> list[Ended]:
    """Return the results of a dead worker's jobs: the current job errored, the queued jobs were not started."""
    return [(job, None if place else replace(errored(job, why), ended_by=ended_by)) for place, job in enumerate(jobs)]


def errored(job: Job, why: str) -> Finished:
    """Return the result of an attempt that ended in an error."""
    return Finished(Outcome.ERRORED, ended_by="error", error=why, folder=job.folder)


class LocalExecutor:
    """Worker processes on this machine. A worker that dies loses only its current job, and is replaced.

    Args:
        make_work: Creates the work object inside the worker process. Must be picklable.
        workers: Number of processes.
        patience: Timeout of a job in seconds.
    """

    def __init__(self, make_work: Callable[[], Work], workers: int, *, patience: float = PATIENCE) -> None:
        self._make_work = make_work
        self._patience = patience
        self._failed_starts = 0
        self._workers = [self._start() for _ in range(workers)]

    @property
    def room(self) -> int:
        """Number of jobs it can accept now."""
        return sum(AHEAD - len(worker.jobs) for worker in self._workers)

    def submit(self, job: Job) -> None:
        """Queue a job at the worker with the fewest jobs."""
        worker = min(self._workers, key=lambda candidate: len(candidate.jobs))
        worker.jobs.append(job)
        with contextlib.suppress(OSError):  # the worker died; `wait` detects that and handles its jobs
            worker.pipe.send(job)

    def wait(self, seconds: float) -> list[Ended]:
        """Wait until a job ends, at most `seconds`.

        Raises:
            FairgroundError: If workers cannot start.
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
                ended += self._bury(worker, f"timed out after {self._patience:g} s; its worker was killed", DIED)
        return ended

    def close(self, *, kill: bool = False) -> None:
        """Stop the workers, after their jobs or immediately (`kill`)."""
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
            ended += [(queued, None) for queued in worker.jobs]
            worker.jobs.clear()
            self._replace(worker)
        return ended

    def _bury(self, worker: _Worker, why: str, ended_by: str) -> list[Ended]:
        self._replace(worker)
        hint = "; it may have run out of memory, or was killed from outside" if ended_by == "error" else ""
        return lost(worker.jobs, why + hint, ended_by)

    def _start_again(self, worker: _Worker, how: str) -> list[Ended]:
        """Handle a worker that ended without a current job: none of its jobs was started."""
        self._failed_starts += 1
        if self._failed_starts >= _STARTS:
            raise InfrastructureError(
                f"{_STARTS} worker processes in a row ended before they started a job; the last with {how}",
                fix=(
                    "check that there is enough free memory, or use fewer --workers; then continue the run with "
                    "`fairground resume`"
                ),
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
    """When it started the current job. None until then, so that start-up time does not count."""
    memory_kills: int | None = None
    """Value of `_memory_kills` at that time."""


def _who_ended(code: int | None, memory_kills: int | None) -> str:
    """Interpret a worker's exit code: `EXITED`, `DIED`, or `error` if the kernel may have ended it for lack of memory.

    SIGTERM and other signals of service managers do not count as an outside cause: an agent could send them to its
    worker whenever it is unsure. A manager that stops the run also signals its main process, and then nothing of the
    attempt is committed.
    """
    if code is None:
        return "error"
    if code >= 0:
        return EXITED
    if -code == signal.SIGKILL:
        return DIED if memory_kills is not None and memory_kills == _memory_kills() else "error"
    return DIED


def _memory_kills() -> int | None:
    """Return how many processes the kernel's OOM killer has ended. None if unknown.

    Counts only those of this process's own cgroup if the kernel tells: seats have cgroups of their own, in which an
    agent can provoke such a kill.
    """
    for path in (_own_cgroup() / "memory.events.local", Path("/proc/vmstat")):
        try:
            lines = path.read_text().splitlines()
        except OSError:
            continue
        if (count := next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), None)) is not None:
            return count
    return None


def _own_cgroup() -> Path:
    """Return the folder of this process's cgroup (version 2), or one that does not exist."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        lines = []
    own = next((line.removeprefix("0::") for line in lines if line.startswith("0::")), "/unknown")
    return Path("/sys/fs/cgroup") / own.lstrip("/")


class _Pipe:
    """The worker's end of its pipe, safe for several threads: agent threads may log while the main thread answers."""

    def __init__(self, pipe: Any) -> None:
        self.recv = pipe.recv
        self._pipe, self._lock = pipe, threading.Lock()

    def send(self, message: Any) -> None:
        with self._lock:
            self._pipe.send(message)

    put_nowait = send  # called by the logging handler


def _serve(connection: Any, make_work: Callable[[], Work]) -> None:
    """Main function of a worker process. Ignores Ctrl-C: the parent handles it, and ends its workers.

    Log records, such as that an agent waits for its model, are sent to the parent, which displays them.
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
            except (EOFError, OSError):  # the parent was killed, so nothing we write would be committed
                os.kill(os.getpid(), signal.SIGKILL)
            if job is not None:
                with contextlib.suppress(Exception):  # running the job reports what is wrong with it
                    work.order(job)
            jobs.put(job)
            if job is None:
                return

    threading.Thread(target=listen, daemon=True).start()
    try:
        while (job := jobs.get()) is not None:
            pipe.send(None)  # started
            answer = attempt(work, job)
            pipe.send(answer)
            if not answer[1]:
                return
    finally:
        work.close()
