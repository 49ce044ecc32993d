"""Hosts: where the environments of sessions live. The local host has a thread per session."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from fairground.core import InfrastructureError
from fairground.remote.worker import Opening, Reply, Worker

T = TypeVar("T")


class SeatLost(InfrastructureError):
    """The machine of a session is gone. The session ends; its seat does not come back."""


class Host(Protocol):
    """Where environments live. The table of sessions calls it, one call per session at a time, and never blocks on it.

    Every method returns at once. Futures raise the errors of the calls. `SeatLost` ends a session.
    """

    @property
    def seats(self) -> int:
        """How many sessions fit. May fall when a machine is lost."""

    @property
    def forks(self) -> bool:
        """Whether it can fork environments, where their apps can."""

    def open(self, session: str, observations: Sequence[str], opening: Opening) -> Future[Reply]:
        """Create the environment of a session and reset it. If that fails, nothing is left of it."""

    def call(self, session: str, method: str, arguments: Mapping[str, Any]) -> Future[Reply]:
        """Call a method of `Worker`: `reset`, `step`, `score` or `cancel`."""

    def fork(self, session: str, copies: Sequence[str]) -> Future[list[Reply]]:
        """Create environments in the same state, for new sessions. All or none."""

    def close(self, session: str) -> Future[None]:
        """Close the environment of a session after the call that runs. Its seat is free when this is done."""

    def shutdown(self) -> None:
        """Close everything, and wait for it."""


class LocalHost(Host):
    """Environments in threads of this process.

    Args:
        seats: How many sessions fit.
        make: Creates the environment of a session from the names of its observations.
        after: Called at the end of `shutdown`.
    """

    def __init__(
        self, seats: int, make: Callable[[Sequence[str]], Worker] = Worker, after: Callable[[], None] = lambda: None
    ) -> None:
        self._seats = seats
        self._make, self._after = make, after
        self._places: dict[str, _Place] = {}
        self._lock = threading.Lock()

    @property
    def seats(self) -> int:
        return self._seats

    @property
    def forks(self) -> bool:
        return True

    def open(self, session: str, observations: Sequence[str], opening: Opening) -> Future[Reply]:
        place = _Place(self._make(observations))
        with self._lock:
            self._places[session] = place

        def reset() -> Reply:
            try:
                return place.worker.reset(opening)
            except BaseException:
                self._forget(session)
                raise

        return place.submit(reset)

    def call(self, session: str, method: str, arguments: Mapping[str, Any]) -> Future[Reply]:
        place = self._place(session)
        return place.submit(lambda: getattr(place.worker, method)(**arguments))

    def fork(self, session: str, copies: Sequence[str]) -> Future[list[Reply]]:
        place = self._place(session)

        def fork() -> list[Reply]:
            forks = place.worker.fork(len(copies))
            with self._lock:
                self._places |= {name: _Place(worker) for name, (worker, _) in zip(copies, forks, strict=True)}
            return [reply for _, reply in forks]

        return place.submit(fork)

    def close(self, session: str) -> Future[None]:
        place = self._place(session)
        self._forget(session)
        return place.submit(place.worker.close, last=True)

    def shutdown(self) -> None:
        with self._lock:
            places, self._places = list(self._places.values()), {}
        ends = [place.submit(place.worker.close, last=True) for place in places]
        for end in ends:
            end.exception()  # wait; a seat that cannot be closed in order is gone with its sandbox
        self._after()

    def _place(self, session: str) -> _Place:
        with self._lock:
            place = self._places.get(session)
        if place is None:
            raise SeatLost("the session has no seat", fix="open a new session")
        return place

    def _forget(self, session: str) -> None:
        with self._lock:
            self._places.pop(session, None)


class _Place:
    """A worker with its thread."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="session")

    def submit(self, work: Callable[[], T], *, last: bool = False) -> Future[T]:
        future = self._thread.submit(work)
        if last:
            self._thread.shutdown(wait=False)
        return future
