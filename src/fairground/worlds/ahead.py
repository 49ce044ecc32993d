"""Opening the next seat while the current one is in use, so that an episode does not wait for an app to start."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from fairground.core import FairgroundError
from fairground.worlds.app import World
from fairground.worlds.renewing import renew
from fairground.worlds.seat import Seat


class Ahead:
    """A source of seats that are opened in advance, and reused where that is safe.

    Args:
        build: Opens a seat.
    """

    def __init__(self, build: Callable[[World], Seat]) -> None:
        self._build = build
        self._ordered: dict[World, Future[Seat]] = {}
        self._idle: Seat | None = None
        self._lock = threading.Lock()
        self._maker = ThreadPoolExecutor(1, thread_name_prefix="ahead")
        self.renewed = 0
        """How many seats were reused."""

    def order(self, world: World) -> None:
        """Start opening a seat. It is frozen until it is taken."""
        if world not in self._ordered:
            self._ordered[world] = self._maker.submit(self._make, world)

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        """Return the seat that was ordered. If there is none, or it died, open another. Raises errors of opening it."""
        ordered = self._ordered.pop(kind, None)
        if ordered is not None:
            seat = ordered.result(timeout)
            try:
                seat.thaw()
                if seat.alive:
                    return seat
            except FairgroundError:
                pass  # it died while waiting; open a new one
            seat.close()
        return self._find(kind)

    def give_back(self, seat: Seat) -> None:
        """Return a seat that is no longer needed, for reuse by the next order. Only the last one is kept.

        The others are closed in the background, before the next order is handled.
        """
        if not seat.world.app.screen.renewable:
            self._maker.submit(seat.close)
            return
        with self._lock:
            left, self._idle = self._idle, seat
        if left is not None:
            left.close()

    def drop(self) -> None:
        """Cancel all orders that were not taken. Does not wait."""
        for ordered in self._ordered.values():
            ordered.cancel()
            ordered.add_done_callback(_close_seat)
        self._ordered.clear()

    def close(self) -> None:
        """Close all seats that were ordered and not taken, or given back."""
        self.drop()
        self._maker.shutdown(wait=True)
        if (idle := self._take_idle()) is not None:
            idle.close()

    def _make(self, world: World) -> Seat:
        seat = self._find(world)
        seat.freeze()
        return seat

    def _find(self, world: World) -> Seat:
        seat = self._take_idle()
        if seat is not None:
            if _renewed(seat, world):
                self.renewed += 1
                return seat
            seat.close()
        return self._build(world)

    def _take_idle(self) -> Seat | None:
        with self._lock:
            idle, self._idle = self._idle, None
            return idle


def _close_seat(ordered: Future[Seat]) -> None:
    if not ordered.cancelled() and ordered.exception() is None:
        ordered.result().close()


def _renewed(seat: Seat, world: World) -> bool:
    try:
        return renew(seat, world)
    except BaseException:
        seat.close()
        raise
