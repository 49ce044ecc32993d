"""Counting votes for the leaderboard: once for everybody who looks, off the event loop, and not without end.

A count takes seconds of a core when there are many votes, and votes come while people look. So a count is kept until
the votes change; who looks while the next one is made waits a moment for it, and is then shown the last one, which says
that it is not the newest. Between two counts there is a pause of several times what one takes.
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
"""Seconds that somebody waits for a newer count before the last one is shown."""

_EVERY: Final = 0.2  # seconds for which nobody asks again whether the votes have changed
_PAUSES: Final = 4.0  # so many times as long as a count took, until the next one may begin,
_LONGEST: Final = 15.0  # but never longer than these seconds


@dataclass(frozen=True)
class View:
    """Which votes are looked at: all, or those of one category or platform."""

    kind: str = ""
    name: str = ""


@dataclass(frozen=True)
class Count:
    """What one view's votes say.

    Attributes:
        view: Which votes.
        version: Of the votes; the newest have another.
        at: When it was made, in seconds since 1970.
        standings: The figures.
        agreement: How far people agree; a text says why that is not known.
        retired: Agents that are drawn no more, with the reason.
        waiting: Votes that wait because somebody may still judge their battles.
        categories: All there are, with their numbers of votes.
        platforms: The same.
        kept: What was made of it, such as pages: made once, by `of`.
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
        """What `make` makes of it: made when it is first asked for."""
        with self._lock:
            if name not in self.kept:
                self.kept[name] = make(self)
            return self.kept[name]


@dataclass
class _Slot:
    """One view's last count, and the one that is being made."""

    last: Count | None = None
    running: Future[None] | None = None
    fault: BaseException | None = None
    ended: float = -1e9
    took: float = 0.0


class Counter:
    """The counts of one arena.

    Args:
        store: Its votes.
        clock: Seconds, for the pauses between two counts.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._slots: dict[View, _Slot] = {}
        self._lock = threading.Lock()
        self._turn = threading.Lock()  # one count at a time, whatever is looked at
        self._worker = Worker(store)
        self._threads: set[threading.Thread] = set()
        self._known, self._asked = "", -1e9
        self._asking: asyncio.Task[str] | None = None
        self.made = 0

    async def look(self, view: View) -> tuple[Count, bool]:
        """The view's count, and whether it is of the newest votes, give or take a fraction of a second.

        Raises:
            Refused: When there is no such category or platform.
        """
        version = await self._version()
        slot, running = self._begin(view, version)
        if running is not None:
            await asyncio.wait([asyncio.wrap_future(running)], timeout=WAIT if slot.last is not None else None)
        with self._lock:
            if slot.last is None:
                self._slots.pop(view, None)
                raise slot.fault or Absent("there is nothing to count")
            return slot.last, slot.last.version == version

    def close(self) -> None:
        """Returns when nothing is being counted any more."""
        for thread in list(self._threads):
            thread.join()
        self._worker.close()

    async def _version(self) -> str:
        """The version of the votes: looked up once for all who ask at about the same time."""
        if self._clock() - self._asked < _EVERY:
            return self._known
        if self._asking is None:
            self._asking = asyncio.create_task(self._look_up())
        return await asyncio.shield(self._asking)  # who leaves meanwhile must not end it for the others

    async def _look_up(self) -> str:
        try:
            asked = self._clock()
            self._known = await run_in_threadpool(votes_version, self._store)
            self._asked = asked
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
            except Exception as error:  # told to whoever waits
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
        found = self._worker.tally(version, view.kind, view.name)
        if found.told is None:
            raise Absent(f"there is no such {view.kind}")
        return Count(
            view,
            version,
            time.time(),
            *found.told,
            _retired(self._store),
            found.waiting,
            found.categories,
            found.platforms,
        )


def counter_of(connection: HTTPConnection) -> Counter:
    """The site's counter; made when it is first asked for, ended with the site."""
    state = connection.app.state
    with _MAKING:
        if not hasattr(state, "counter"):
            site = site_of(connection)
            state.counter = Counter(site.store)
            site.closing.append(state.counter.close)
    found: Counter = state.counter
    return found


_MAKING: Final = threading.Lock()


def _retired(store: Store) -> dict[str, str]:
    with store.read() as connection:
        rows = connection.execute(select(agents.c.name, agents.c.why).where(agents.c.retired.is_not(None)))
        return {row.name: row.why for row in rows}
