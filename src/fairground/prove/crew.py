"""Worker processes for many small jobs. One that dies or hangs costs its own job, and nothing else."""

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

_AHEAD = 2  # jobs that a worker has at once, so that it never waits for the next
_STAGE, _DONE, _READY, _UNABLE = range(4)
_GRACE = 2.0  # seconds in which a job that is told to stop may still say where it was


class Hand(Protocol):
    """What a worker does; made in its process."""

    def do(self, job: Any, say: Callable[[str], None]) -> Any:
        """Does a job; `say` tells what it is at, for the case that it never ends."""

    def close(self) -> None:
        """Lets go of everything."""


@dataclass(frozen=True)
class Lost:
    """What is left of a job that came to nothing.

    Attributes:
        why: What happened, and what the job was at.
        slow: Whether its time was over.
        died: Whether it took its process along.
    """

    why: str
    slow: bool = False
    died: bool = False


class Overdue(BaseException):
    """Raised in a job whose time is over, wherever it is; no `except Exception` keeps it."""


class Crew:
    """Worker processes, started when there is something to do.

    Args:
        make: Makes what a worker does, in the worker; must survive being pickled, as must jobs and results.
        workers: How many processes at most.
    """

    def __init__(self, make: Callable[[], Hand], workers: int) -> None:
        self._make, self._most = make, workers
        self._workers: list[_Worker] = []

    def do(self, jobs: Iterable[Any], *, seconds: float) -> Iterator[tuple[Any, Any | Lost]]:
        """Does jobs; yields each with its result, in the order in which they end.

        Args:
            jobs: Taken one by one as workers become free, so that they may depend on what was found.
            seconds: Time that each has. It is then interrupted, and its worker killed if that does not help.

        Raises:
            InfrastructureError: When workers cannot even start.
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
                for worker in [one for one in self._workers if one.overdue(seconds + _GRACE)]:
                    yield from self._bury(worker, again, f"no end after {seconds:g} s, interrupted or not", slow=True)
        except BaseException:
            self.close(kill=True)
            raise

    def close(self, *, kill: bool = False) -> None:
        """Ends the workers; may be called twice."""
        for worker in self._workers:
            worker.dismiss(kill=kill)
        while self._workers:
            self._workers.pop().end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _give(self, coming: Iterator[Any], again: deque[Any], seconds: float) -> bool:
        """Hands jobs out, to whoever has fewest; says whether any is under way."""
        while True:
            free = min(self._workers, key=lambda one: len(one.jobs), default=None)
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
        ready = multiprocessing.connection.wait([one.pipe for one in self._workers], 1.0)
        return [one for one in self._workers if one.pipe in ready]

    def _start(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        process = start_worker(_serve, theirs, self._make)
        theirs.close()
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _bury(self, worker: _Worker, again: deque[Any], why: str, *, slow: bool = False) -> Iterator[tuple[Any, Lost]]:
        if not worker.ready:
            raise InfrastructureError(f"{why} as it started")
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
        with contextlib.suppress(OSError):  # it died, which is found when it is listened to
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
    """The life of a worker. Ctrl-C is for the one who started us, who then ends us."""
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
        except OSError:  # whoever started us was killed: nobody would keep what we find
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        while (order := pipe.recv()) is not None:
            job, seconds = order
            say("")
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                result = hand.do(job, say)
            except Overdue as late:
                result = Lost(f"no end after {seconds:g} s, in {late}", slow=True)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            pipe.send((_DONE, result))
    except (EOFError, OSError):
        pass  # whoever started us is no more
    finally:
        hand.close()


def _overdue(_number: int, frame: Any) -> None:
    """Says where the job is: the innermost line that is neither of the standard library nor of this room."""
    places = []
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        standard = path.is_relative_to(sysconfig.get_path("stdlib")) and "site-packages" not in path.parts
        place = f"{frame.f_code.co_name} ({'/'.join(path.parts[-2:])}:{frame.f_lineno})"
        places.append((standard or path.parent == Path(__file__).parent, place))
        frame = frame.f_back
    raise Overdue(min(places, key=lambda one: one[0])[1])
