"""Opening the next seat while the present one is in use, so that a worker never waits for an app to start."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from fairground.core import FairgroundError
from fairground.worlds import Seat, World


class Ahead:
    """A source of seats that were ordered before they are wanted.

    Args:
        build: Opens a seat.
    """

    def __init__(self, build: Callable[[World], Seat]) -> None:
        self._build = build
        self._ordered: dict[World, Future[Seat]] = {}
        self._maker = ThreadPoolExecutor(1, thread_name_prefix="ahead")

    def order(self, world: World) -> None:
        """Has a seat made, and frozen until it is taken."""
        if world not in self._ordered:
            self._ordered[world] = self._maker.submit(self._make, world)

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        """The seat that was ordered, or a new one where none was or it died; raises what making it raised."""
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
        return self._build(kind)

    def close(self) -> None:
        """Closes what was ordered and not taken."""
        self._maker.shutdown(wait=True, cancel_futures=True)
        for ordered in self._ordered.values():
            if not ordered.cancelled() and ordered.exception() is None:
                ordered.result().close()
        self._ordered.clear()

    def _make(self, world: World) -> Seat:
        seat = self._build(world)
        seat.freeze()
        return seat
