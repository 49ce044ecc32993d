"""The warm pool: seats that are created in advance and frozen, so that a reset does not wait."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from fairground.core import InfrastructureError


class Poolable(Protocol):
    """An object that a pool can hold."""

    @property
    def alive(self) -> bool:
        """False if it died while waiting in the pool."""

    def freeze(self) -> None:
        """Called when it enters the pool."""

    def thaw(self) -> None:
        """Called when it is taken."""

    def close(self) -> None:
        """Called when it is no longer needed."""


K = TypeVar("K", bound=Hashable)
T = TypeVar("T", bound=Poolable)


class Pool(Generic[K, T]):
    """Keeps up to `size` objects of each requested kind ready. Background threads create them.

    Args:
        build: Creates an object of a kind; called in background threads.
        size: How many of each kind to keep ready.
        workers: How many to create at the same time.
    """

    def __init__(self, build: Callable[[K], T], *, size: int = 2, workers: int = 1) -> None:
        if size < 1 or workers < 1:
            raise ValueError(f"size and workers of a pool must be at least 1, got {size} and {workers}")
        self._build = build
        self._size = size
        self._ready: dict[K, deque[T]] = {}
        self._failed: dict[K, Exception] = {}
        self._making: dict[K, int] = {}
        self._wanted: deque[K] = deque()
        self._changed = threading.Condition()
        self._open = True
        self.replaced = 0
        """How many died while waiting."""
        self._threads = [
            threading.Thread(target=self._work, name=f"pool-{number}", daemon=True) for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def warm(self, kind: K) -> None:
        """Start creating objects of this kind in advance."""
        with self._changed:
            self._order(kind)

    def take(self, kind: K, timeout: float = 120.0) -> T:
        """Return a thawed object of this kind, and start creating its replacement. Waits if none is ready.

        Raises the error of `build` if that failed, so that a broken app is reported at once and not as a timeout.
        """
        while True:
            taken = self._next(kind, timeout)
            try:
                taken.thaw()
                if taken.alive:
                    return taken
            except InfrastructureError:
                pass  # it died just before it was taken; take the next one
            self.replaced += 1
            taken.close()

    def ready(self, kind: K) -> int:
        """How many objects of this kind are ready."""
        with self._changed:
            return len(self._ready.get(kind, ()))

    def wait_ready(self, kind: K, count: int = 1, timeout: float = 120.0) -> None:
        """Wait until at least `count` objects of this kind are ready."""
        with self._changed:
            self._order(kind)
            self._changed.wait_for(lambda: self._count(kind) >= count or kind in self._failed, timeout)
            self._raise_failure(kind)
            if self._count(kind) < count:
                raise InfrastructureError(f"{kind}: {count} were not ready within {timeout:g} s")

    def close(self) -> None:
        """Close all waiting objects and stop creating more. Calling it twice is allowed."""
        with self._changed:
            self._open = False
            self._wanted.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        with self._changed:
            remaining = [waiting for row in self._ready.values() for waiting in row]
            self._ready.clear()
        for leftover in remaining:
            leftover.close()

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
            oldest = self._ready[kind].popleft()
            self._order(kind)
            return oldest

    def _count(self, kind: K) -> int:
        """Number of live objects. Dead ones are removed and replaced."""
        row = self._ready.get(kind, deque())
        dead = [pooled for pooled in row if not pooled.alive]
        if dead:
            self._ready[kind] = deque(pooled for pooled in row if not any(pooled is gone for gone in dead))
            self.replaced += len(dead)
            for gone in dead:
                gone.close()
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
            built: T | None = None
            failure: Exception | None = None
            try:
                built = self._build(kind)
                built.freeze()
            except Exception as error:  # raised by `take`
                failure = error
                if built is not None:
                    built.close()
                    built = None
            with self._changed:
                self._making[kind] -= 1
                if failure is not None:
                    self._failed[kind] = failure
                    self._wanted = deque(wanted for wanted in self._wanted if wanted != kind)
                elif built is not None and self._open:
                    self._ready.setdefault(kind, deque()).append(built)
                    built = None
                self._changed.notify_all()
            if built is not None:
                built.close()
