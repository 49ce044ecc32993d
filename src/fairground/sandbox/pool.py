"""The warm pool: seats made ahead and frozen, so that a reset is a hand-over."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from fairground.core import InfrastructureError


class Poolable(Protocol):
    """What a pool can hold."""

    @property
    def alive(self) -> bool:
        """False when it died while it waited."""

    def freeze(self) -> None:
        """Called when it is put away."""

    def thaw(self) -> None:
        """Called when it is handed over."""

    def close(self) -> None:
        """Called when it is not wanted any more."""


K = TypeVar("K", bound=Hashable)
T = TypeVar("T", bound=Poolable)


class Pool(Generic[K, T]):
    """Keeps up to `size` things of each wanted kind ready, made in the background.

    Args:
        build: Makes one of a kind; called in background threads.
        size: How many of each kind to keep ready.
        workers: How many to make at the same time.
    """

    def __init__(self, build: Callable[[K], T], *, size: int = 2, workers: int = 1) -> None:
        if size < 1 or workers < 1:
            raise ValueError(f"a pool has a size and workers of at least 1, got {size} and {workers}")
        self._build = build
        self._size = size
        self._ready: dict[K, deque[T]] = {}
        self._failed: dict[K, Exception] = {}
        self._making: dict[K, int] = {}
        self._wanted: deque[K] = deque()
        self._changed = threading.Condition()
        self._open = True
        self.replaced = 0
        """How many were found dead while they waited."""
        self._threads = [
            threading.Thread(target=self._work, name=f"pool-{number}", daemon=True) for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def warm(self, kind: K) -> None:
        """Has things of this kind made ahead from now on."""
        with self._changed:
            self._order(kind)

    def take(self, kind: K, timeout: float = 120.0) -> T:
        """Hands one over, thawed; waits for it to be made when none is ready, and has its place refilled.

        Raises what making it raised, so that a broken app is known at once and not as a time-out.
        """
        while True:
            thing = self._next(kind, timeout)
            try:
                thing.thaw()
                if thing.alive:
                    return thing
            except InfrastructureError:
                pass  # it died between the look and the hand-over; the next one is as good
            self.replaced += 1
            thing.close()

    def ready(self, kind: K) -> int:
        """How many of this kind wait."""
        with self._changed:
            return len(self._ready.get(kind, ()))

    def wait_ready(self, kind: K, count: int = 1, timeout: float = 120.0) -> None:
        """Waits until at least `count` of this kind wait."""
        with self._changed:
            self._order(kind)
            self._changed.wait_for(lambda: self._count(kind) >= count or kind in self._failed, timeout)
            self._raise_failure(kind)
            if self._count(kind) < count:
                raise InfrastructureError(f"{count} of {kind} were not ready within {timeout:g} s")

    def close(self) -> None:
        """Closes everything that waits and stops making more; may be called twice."""
        with self._changed:
            self._open = False
            self._wanted.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        with self._changed:
            things = [thing for row in self._ready.values() for thing in row]
            self._ready.clear()
        for thing in things:
            thing.close()

    def __enter__(self) -> Pool[K, T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next(self, kind: K, timeout: float) -> T:
        with self._changed:
            self._order(kind)
            self._changed.wait_for(lambda: self._count(kind) or kind in self._failed or not self._open, timeout)
            self._raise_failure(kind)
            if not self._open:
                raise InfrastructureError("the pool was closed")
            if not self._count(kind):
                raise InfrastructureError(f"no {kind} was ready within {timeout:g} s")
            thing = self._ready[kind].popleft()
            self._order(kind)
            return thing

    def _count(self, kind: K) -> int:
        """Those that still live; the dead are cleared away and replaced."""
        row = self._ready.get(kind, deque())
        dead = [thing for thing in row if not thing.alive]
        if dead:
            self._ready[kind] = deque(thing for thing in row if not any(thing is other for other in dead))
            self.replaced += len(dead)
            for thing in dead:
                thing.close()
            self._order(kind)
        return len(self._ready.get(kind, ()))

    def _order(self, kind: K) -> None:
        if not self._open:
            raise InfrastructureError("the pool was closed")
        row = self._ready.setdefault(kind, deque())
        due = self._making.get(kind, 0) + sum(1 for wanted in self._wanted if wanted == kind)
        missing = self._size - len(row) - due
        self._wanted.extend([kind] * max(0, missing))
        if missing > 0:
            self._changed.notify_all()

    def _raise_failure(self, kind: K) -> None:
        if failure := self._failed.pop(kind, None):
            raise failure

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or not self._open)
                if not self._open:
                    return
                kind = self._wanted.popleft()
                self._making[kind] = self._making.get(kind, 0) + 1
            thing: T | None = None
            failure: Exception | None = None
            try:
                thing = self._build(kind)
                thing.freeze()
            except Exception as error:  # whatever it is, it belongs to whoever takes one
                failure = error
                if thing is not None:
                    thing.close()
                    thing = None
            with self._changed:
                self._making[kind] -= 1
                if failure is not None:
                    self._failed[kind] = failure
                    self._wanted = deque(wanted for wanted in self._wanted if wanted != kind)
                elif thing is not None and self._open:
                    self._ready.setdefault(kind, deque()).append(thing)
                    thing = None
                self._changed.notify_all()
            if thing is not None:
                thing.close()
