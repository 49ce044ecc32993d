"""Opening the next seat while the present one is in use, so that nobody waits for an app to start."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from fairground.core import FairgroundError
from fairground.worlds.app import World
from fairground.worlds.renewing import renew
from fairground.worlds.seat import Seat


class Ahead:
    """A source of seats that were ordered before they are wanted, and that uses seats again where that is sound.

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
        """How many seats were used again."""

    def order(self, world: World) -> None:
        """Has a seat made, and frozen until it is taken."""
        if world not in self._ordered:
            self._ordered[world] = self._maker.submit(self._make, world)

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        """The seat that was ordered, or another where none was or it died; raises what making it raised."""
        ordered = self._ordered.pop(kind, None)
        if ordered is not None:
            seat = ordered.result(timeout)
            try:
                seat.thaw()
                if seat.alive:
                    return seat
            except FairgroundError:
                pass  # it died while it waited; a new one is as good
            seat.close()
        return self._find(kind)

    def give_back(self, seat: Seat) -> None:
        """Takes a seat that is not needed any more, for the next order; only the last one is kept.

        Others are closed before the next order is seen to, and nobody waits for that.
        """
        if not seat.world.app.screen.renewable:
            self._maker.submit(seat.close)
            return
        with self._lock:
            left, self._idle = self._idle, seat
        if left is not None:
            left.close()

    def drop(self) -> None:
        """Takes back what was ordered and not taken; waits for nothing."""
        for ordered in self._ordered.values():
            ordered.cancel()
            ordered.add_done_callback(_throw_away)
        self._ordered.clear()

    def close(self) -> None:
        """Closes what was ordered and not taken, and what was given back."""
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


def _throw_away(ordered: Future[Seat]) -> None:
    if not ordered.cancelled() and ordered.exception() is None:
        ordered.result().close()


def _renewed(seat: Seat, world: World) -> bool:
    try:
        return renew(seat, world)
    except BaseException:
        seat.close()
        raise
