"""Worker processes for many small jobs. A worker that dies or hangs loses only its own job."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sysconfig
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

from fairground.core import InfrastructureError
from fairground.rollout.worker_context import start_worker

_AHEAD = 2  # jobs per worker, so that it never waits for the next
_STAGE, _DONE, _READY, _UNABLE = range(4)
_GRACE = 2.0  # seconds in which an interrupted job may still report its position


class Hand(Protocol):
    """What a worker executes. Created in its process."""

    def do(self, job: Any, say: Callable[[str], None]) -> Any:
        """Run a job. `say` reports the current stage, in case the job never ends."""

    def close(self) -> None:
        """Release all resources."""


@dataclass(frozen=True)
class Lost:
    """The result of a job that failed to finish.

    Attributes:
        why: What happened, and the stage of the job.
        slow: Whether it timed out.
        died: Whether its process died.
    """

    why: str
    slow: bool = False
    died: bool = False


class Overdue(BaseException):
    """Raised in a job that timed out. Not an `Exception`, so that no `except Exception` catches it."""


class Crew:
    """A pool of worker processes, started when needed.

    Args:
        make: Creates what a worker executes, in the worker. It must be picklable, as must jobs and results.
        workers: Maximum number of processes.
    """

    def __init__(self, make: Callable[[], Hand], workers: int) -> None:
        self._make, self._most = make, workers
        self._workers: list[_Worker] = []

    def do(self, jobs: Iterable[Any], *, seconds: float) -> Iterator[tuple[Any, Any | Lost]]:
        """Run jobs. Yields each with its result, in the order in which they end.

        Args:
            jobs: Consumed one by one as workers become free, so later jobs may depend on earlier results.
            seconds: Timeout per job. The job is interrupted, and its worker killed if that does not help.

        Raises:
            InfrastructureError: If workers cannot start.
        """
        coming, again = iter(jobs), deque[Any]()
        try:
            while self._give(coming, again, seconds):
                for worker in self._listen():
                    try:
                        answer = worker.receive()
                    except (EOFError, OSError):
                        yield from self._bury(worker, again, f"the worker process {worker.fate()}")
                    else:
                        if answer is not None:
                            yield answer
                for worker in [late for late in self._workers if late.overdue(seconds + _GRACE)]:
                    yield from self._bury(
                        worker, again, f"timed out after {seconds:g} s, and did not react to the interrupt", slow=True
                    )
        except BaseException:
            self.close(kill=True)
            raise

    def close(self, *, kill: bool = False) -> None:
        """Stop the workers. May be called twice."""
        for worker in self._workers:
            worker.dismiss(kill=kill)
        while self._workers:
            self._workers.pop().end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _give(self, coming: Iterator[Any], again: deque[Any], seconds: float) -> bool:
        """Assign jobs to the workers with the fewest jobs. Returns whether any job is running."""
        while True:
            free = min(self._workers, key=lambda worker: len(worker.jobs), default=None)
            full = free is None or len(free.jobs) >= (1 if len(self._workers) < self._most else _AHEAD)
            if full and len(self._workers) >= self._most:
                break
            job = again.popleft() if again else next(coming, None)
            if job is None:
                break
            if free is None or full:
                free = self._start()
            free.give(job, seconds)
        return any(worker.jobs for worker in self._workers)

    def _listen(self) -> list[_Worker]:
        ready = multiprocessing.connection.wait([worker.pipe for worker in self._workers], 1.0)
        return [worker for worker in self._workers if worker.pipe in ready]

    def _start(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        process = start_worker(_serve, theirs, self._make)
        theirs.close()
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _bury(self, worker: _Worker, again: deque[Any], why: str, *, slow: bool = False) -> Iterator[tuple[Any, Lost]]:
        if not worker.ready:
            raise InfrastructureError(f"{why} while starting")
        self._workers.remove(worker)
        worker.dismiss(kill=True)
        worker.end()
        lost = worker.jobs.popleft() if worker.jobs else None
        again.extend(worker.jobs)
        if lost is not None:
            yield lost, Lost(f"{why}{f', at: {worker.stage}' if worker.stage else ''}", slow=slow, died=not slow)


@dataclass(eq=False)
class _Worker:
    process: Any
    pipe: Any
    jobs: deque[Any] = field(default_factory=deque)
    began: float | None = None
    stage: str = ""
    ready: bool = False

    def give(self, job: Any, seconds: float) -> None:
        self.jobs.append(job)
        with contextlib.suppress(OSError):  # the worker died; this is detected when its pipe is read
            self.pipe.send((job, seconds))

    def receive(self) -> tuple[Any, Any] | None:
        kind, value = self.pipe.recv()
        if kind == _UNABLE:
            raise InfrastructureError(f"a worker process could not start: {value}")
        if kind == _DONE:
            self.began = None
            return self.jobs.popleft(), value
        self.ready = True
        if kind == _STAGE:
            self.began = self.began if value else time.monotonic()
            self.stage = value
        return None

    def overdue(self, seconds: float) -> bool:
        return self.began is not None and time.monotonic() - self.began > seconds

    def fate(self) -> str:
        self.process.join(10)
        code = self.process.exitcode
        return f"was ended by {signal.Signals(-code).name}" if code and code < 0 else f"ended with status {code}"

    def dismiss(self, *, kill: bool) -> None:
        if kill:
            self.process.kill()
        with contextlib.suppress(OSError):
            self.pipe.send(None)

    def end(self) -> None:
        self.process.join(30)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()


def _serve(pipe: Any, make: Callable[[], Hand]) -> None:
    """Main function of a worker. Ignores Ctrl-C: the parent handles it, and ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, _overdue)
    try:
        hand = make()
    except Exception as error:
        pipe.send((_UNABLE, f"{type(error).__name__}: {error}"))
        return
    pipe.send((_READY, None))

    def say(stage: str) -> None:
        try:
            pipe.send((_STAGE, stage))
        except OSError:  # the parent was killed, so nothing we find would be stored
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        while (order := pipe.recv()) is not None:
            job, seconds = order
            say("")
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                result = hand.do(job, say)
            except Overdue as late:
                result = Lost(f"timed out after {seconds:g} s, in {late}", slow=True)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            pipe.send((_DONE, result))
    except (EOFError, OSError):
        pass  # the parent is gone
    finally:
        hand.close()


def _overdue(_number: int, frame: Any) -> None:
    """Raise `Overdue` with the innermost position outside of the standard library and this package."""
    places = []
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        standard = path.is_relative_to(sysconfig.get_path("stdlib")) and "site-packages" not in path.parts
        place = f"{frame.f_code.co_name} ({'/'.join(path.parts[-2:])}:{frame.f_lineno})"
        places.append((standard or path.parent == Path(__file__).parent, place))
        frame = frame.f_back
    raise Overdue(min(places, key=lambda pair: pair[0])[1])
