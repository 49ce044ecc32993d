"""Seats for all sessions of a server: reused where that is safe, opened in advance, or in shared browsers."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

from fairground.core import FairgroundError, InfrastructureError, MissingPrerequisite
from fairground.worlds import Seat, SharedBrowser, World, can_share, open_seat, renew

PER_BROWSER: Final = 16
"""How many seats share one browser. If it crashes, their episodes end with an infrastructure error."""

_RETRIES: Final = 2


class Seats:
    """A source of seats for environments. Thread-safe.

    A seat that was given back stays open, and the next episode of its app takes it over: a database swap and a
    navigation instead of a new browser. `order` opens a seat in the background for an episode that is expected.

    Args:
        limit: How many seats are in use at most.
        warm: How many seats are opened in advance at most, in addition.
        share: Open seats of apps that allow it as pages of shared browsers. Less memory, less isolation.
        runner: Which runner creates sandboxes.
    """

    def __init__(self, limit: int, *, warm: int = 0, share: bool = False, runner: str | None = None) -> None:
        self._most, self._warm, self._runner = limit + warm, warm, runner
        self._browsers = _Browsers(runner) if share else None
        self._idle: list[Seat] = []
        self._orders: dict[Hashable, tuple[World, Future[Seat]]] = {}
        self._open = 0
        # Opening a seat keeps a CPU busy. More at once would only make each slower, up to the browser's timeouts.
        self._turn = threading.BoundedSemaphore(os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._opener = ThreadPoolExecutor(1, thread_name_prefix="warm")
        self._closer = ThreadPoolExecutor(1, thread_name_prefix="closing")

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        """Return a seat at this world: one that was ordered, else a reused one, else a new one."""
        with self._lock:
            key = next((key for key, (world, _) in self._orders.items() if world == kind), None)
            ordered = self._orders.pop(key)[1] if key is not None else None
        if ordered is not None and not ordered.cancel():  # it is being opened, or ready
            with contextlib.suppress(FairgroundError):  # opening another one raises the error, if it is not by chance
                seat = ordered.result(timeout)
                if _usable(seat):
                    return seat
                seat.close()
        return self._find(kind)

    def give_back(self, seat: Seat) -> None:
        """Return a seat after its episode was judged, for reuse."""
        if seat.world.app.screen.renewable:
            with self._lock:
                self._idle.append(seat)
        else:
            self._closer.submit(seat.close)

    def order(self, key: Hashable, world: World) -> None:
        """Open a seat in the background, if fewer than `warm` wait. It replaces an earlier order of the same key."""
        with self._lock:
            if key in self._orders and self._orders[key][0] == world:
                return
        self.drop(key)
        with self._lock:
            if len(self._orders) < self._warm:
                self._orders[key] = world, self._opener.submit(self._make, world)

    def drop(self, key: Hashable) -> None:
        """Cancel an order. A seat that was opened for it stays for reuse. Does not wait."""
        with self._lock:
            _, ordered = self._orders.pop(key, (None, None))
        if ordered is not None and not ordered.cancel():
            ordered.add_done_callback(self._keep)

    def lost(self, seat: Seat) -> bool:
        """Whether the browser that a seat shares is gone. No single agent caused that."""
        return self._browsers is not None and self._browsers.lost(seat)

    def close(self) -> None:
        """Close all seats that wait, and the shared browsers. The seats in use must be closed before."""
        for key in list(self._orders):
            self.drop(key)
        self._opener.shutdown(wait=True)
        while (seat := self._take_idle(None)) is not None:
            seat.close()
        self._closer.shutdown(wait=True)
        if self._browsers is not None:
            self._browsers.close()

    def _make(self, world: World) -> Seat:
        seat = self._find(world)
        seat.freeze()
        return seat

    def _find(self, world: World) -> Seat:
        with self._turn:
            while (seat := self._take_idle(world)) is not None:
                if _renewed(seat, world):
                    return seat
            for _ in range(_RETRIES):
                try:
                    return self._build(world)
                except MissingPrerequisite:
                    raise
                except InfrastructureError:
                    pass  # no agent was involved yet, and a busy machine may be the cause; the last attempt raises
            return self._build(world)

    def _build(self, world: World) -> Seat:
        if self._open >= self._most and (idle := self._take_idle(None)) is not None:
            idle.close()
        seat = (
            self._browsers.open(world) if self._browsers and can_share(world) else open_seat(world, runner=self._runner)
        )
        with self._lock:
            self._open += 1
        seat.defer(self._closed)
        return seat

    def _take_idle(self, world: World | None) -> Seat | None:
        """Return the idle seat of the world's app that was used last. Without a world, the one used longest ago."""
        with self._lock:
            if world is None:
                return self._idle.pop(0) if self._idle else None
            app = (world.suite.name, world.app.name)
            for place in reversed(range(len(self._idle))):
                seat = self._idle[place]
                if (seat.world.suite.name, seat.world.app.name) == app:
                    return self._idle.pop(place)
        return None

    def _keep(self, ordered: Future[Seat]) -> None:
        if not ordered.cancelled() and ordered.exception() is None:
            self.give_back(ordered.result())

    def _closed(self) -> None:
        with self._lock:
            self._open -= 1


@dataclass(eq=False)
class _Shared:
    """A browser and how many seats it has."""

    browser: SharedBrowser
    seats: int = 0


class _Browsers:
    """Browsers that seats share, each with at most `PER_BROWSER` of them."""

    def __init__(self, runner: str | None) -> None:
        self._runner = runner
        self._shared: list[_Shared] = []
        self._of: dict[int, _Shared] = {}  # by the seat's identity, until it is closed
        self._lock = threading.Lock()

    def open(self, world: World) -> Seat:
        """Open a seat in a browser with room for it."""
        with self._lock:  # others wait while a browser starts, and then share it
            with_room = (each for each in self._shared if each.seats < PER_BROWSER and each.browser.alive)
            shared = next(with_room, None)
            if shared is None:
                shared = _Shared(SharedBrowser(runner=self._runner))
                self._shared.append(shared)
            shared.seats += 1
        try:
            seat = shared.browser.open_seat(world)
        except BaseException:
            self._leave(shared)
            raise
        with self._lock:
            self._of[id(seat)] = shared
        seat.defer(partial(self._closed, id(seat)))
        return seat

    def lost(self, seat: Seat) -> bool:
        """Whether the seat's browser is gone."""
        with self._lock:
            shared = self._of.get(id(seat))
        return shared is not None and not shared.browser.alive

    def close(self) -> None:
        """End all browsers."""
        with self._lock:
            every, self._shared = self._shared, []
        for shared in every:
            shared.browser.close()

    def _closed(self, seat: int) -> None:
        with self._lock:
            shared = self._of.pop(seat)
        self._leave(shared)

    def _leave(self, shared: _Shared) -> None:
        with self._lock:
            shared.seats -= 1
            unused = shared.seats == 0 and not shared.browser.alive and shared in self._shared
            if unused:
                self._shared.remove(shared)
        if unused:
            shared.browser.close()


def _renewed(seat: Seat, world: World) -> bool:
    """Bring a seat to another world, or close it."""
    try:
        if renew(seat, world):
            return True
    except BaseException:
        seat.close()
        raise
    seat.close()
    return False


def _usable(seat: Seat) -> bool:
    try:
        seat.thaw()
        return seat.alive
    except FairgroundError:
        return False  # it died while it waited
