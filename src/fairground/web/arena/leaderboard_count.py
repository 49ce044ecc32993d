"""Cached and rate-limited counting of votes for the leaderboard.

Counting many votes takes seconds of CPU time, and votes arrive while people look. A count is cached until the votes
change. Requests that arrive during a new count wait for it briefly, and then get the previous count, marked as not
current. The pause between two counts is a multiple of the time that a count takes.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import select
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from fairground.arena import Absent, Standings, Store, votes_version
from fairground.arena.schema import agents
from fairground.stats import Agreement
from fairground.web.arena.leaderboard_worker import Worker
from fairground.web.visit import site_of

WAIT: Final = 0.25
"""Seconds to wait for a newer count before returning the previous one."""

_EVERY: Final = 0.2  # seconds between two checks whether the votes have changed
_PAUSES: Final = 4.0  # pause before the next count, as a multiple of the duration of the last one
_LONGEST: Final = 15.0  # maximum pause in seconds


@dataclass(frozen=True)
class View:
    """Which votes to count: all, or those of one category or platform."""

    kind: str = ""
    name: str = ""


@dataclass(frozen=True)
class Count:
    """Result of counting the votes of one view.

    Attributes:
        view: Which votes.
        version: Version of the votes. New votes have another version.
        at: When it was computed, in seconds since 1970.
        standings: The figures.
        agreement: Agreement between people, or a text that says why it is not known.
        retired: Retired agents, with the reason.
        waiting: Number of votes that do not count yet because their battles can still be judged.
        categories: All categories, with their numbers of votes.
        platforms: All platforms, with their numbers of votes.
        kept: Cache of derived values such as pages. Use `of` to read it.
    """

    view: View
    version: str
    at: float
    standings: Standings
    agreement: Mapping[str, Agreement | str]
    retired: Mapping[str, str]
    waiting: int
    categories: Mapping[str, int]
    platforms: Mapping[str, int]
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def of(self, name: str, make: Callable[[Count], Any]) -> Any:
        """Return `make(self)`, computed on first use."""
        with self._lock:
            if name not in self.kept:
                self.kept[name] = make(self)
            return self.kept[name]


@dataclass
class _Slot:
    """The last count of a view, and the count in progress."""

    last: Count | None = None
    running: Future[None] | None = None
    fault: BaseException | None = None
    ended: float = -1e9
    took: float = 0.0


class Counter:
    """Counts the votes of one arena, one count at a time.

    Args:
        store: The arena's votes.
        clock: Clock in seconds, for the pauses between counts.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._slots: dict[View, _Slot] = {}
        self._lock = threading.Lock()
        self._turn = threading.Lock()  # one count at a time over all views
        self._worker = Worker(store)
        self._threads: set[threading.Thread] = set()
        self._known, self._asked = "", -1e9
        self._asking: asyncio.Task[str] | None = None
        self.made = 0

    async def look(self, view: View) -> tuple[Count, bool]:
        """Return the count of a view, and whether it includes the newest votes (up to a fraction of a second).

        Raises:
            Refused: If the category or platform does not exist.
        """
        version = await self._version()
        slot, running = self._begin(view, version)
        if running is not None:
            await asyncio.wait([asyncio.wrap_future(running)], timeout=WAIT if slot.last is not None else None)
        with self._lock:
            if slot.last is None:
                self._slots.pop(view, None)
                raise slot.fault or Absent("the counter is closed")
            return slot.last, slot.last.version == version

    def close(self) -> None:
        """Wait until no count is in progress."""
        for thread in list(self._threads):
            thread.join()
        self._worker.close()

    async def _version(self) -> str:
        """Return the version of the votes. Concurrent callers share one lookup."""
        if self._clock() - self._asked < _EVERY:
            return self._known
        if self._asking is None:
            self._asking = asyncio.create_task(self._look_up())
        return await asyncio.shield(self._asking)  # a cancelled request must not cancel the lookup for others

    async def _look_up(self) -> str:
        try:
            at = self._clock()
            self._known = await run_in_threadpool(votes_version, self._store)
            self._asked = at
            return self._known
        finally:
            self._asking = None

    def _begin(self, view: View, version: str) -> tuple[_Slot, Future[None] | None]:
        with self._lock:
            slot = self._slots.setdefault(view, _Slot())
            if slot.last is not None and slot.last.version == version:
                return slot, None
            pause = min(_PAUSES * slot.took, _LONGEST)
            rests = slot.last is not None and self._clock() - slot.ended < pause
            if slot.running is None and not rests:
                slot.running = Future()
                thread = threading.Thread(target=self._count, args=(view, version, slot, slot.running), daemon=True)
                self._threads.add(thread)
                thread.start()
            return slot, slot.running

    def _count(self, view: View, version: str, slot: _Slot, done: Future[None]) -> None:
        count, fault = None, None
        with self._turn:
            began = self._clock()
            try:
                count = self._made(view, version)
            except Exception as error:  # raised in the requests that wait
                fault = error
        with self._lock:
            slot.last, slot.fault = count or slot.last, fault
            slot.ended = self._clock()
            slot.took = slot.ended - began
            slot.running = None
            self._threads.discard(threading.current_thread())
            self.made += 1
        done.set_result(None)

    def _made(self, view: View, version: str) -> Count:
        tally = self._worker.tally(version, view.kind, view.name)
        if tally.told is None:
            raise Absent(f"no such {view.kind}")
        return Count(
            view,
            version,
            time.time(),
            *tally.told,
            _retired(self._store),
            tally.waiting,
            tally.categories,
            tally.platforms,
        )


def counter_of(connection: HTTPConnection) -> Counter:
    """Return the site's counter. It is created on first use and closed with the site."""
    state = connection.app.state
    with _MAKING:
        if not hasattr(state, "counter"):
            site = site_of(connection)
            state.counter = Counter(site.store)
            site.closing.append(state.counter.close)
    counter: Counter = state.counter
    return counter


_MAKING: Final = threading.Lock()


def _retired(store: Store) -> dict[str, str]:
    with store.read() as connection:
        rows = connection.execute(select(agents.c.name, agents.c.why).where(agents.c.retired.is_not(None)))
        return {row.name: row.why for row in rows}
