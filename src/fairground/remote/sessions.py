"""The table of sessions: capacity, leases, groups, one call at a time, cancel. Used from one event loop."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from fairground.core import FairgroundError, InvalidInput
from fairground.env import check_observations
from fairground.remote.drawing import Draws, narrow, screen_size
from fairground.remote.errors import Busy, Cancelled, Capacity, Closing, SessionLost
from fairground.remote.host import Host, SeatLost
from fairground.remote.metrics import Metrics
from fairground.remote.protocol import ForkRequest, OpenRequest, ResetRequest, ScoreRequest, StepRequest
from fairground.remote.worker import Opening, Reply
from fairground.worlds import Selection

T = TypeVar("T")


@dataclass(eq=False)
class Owner:
    """A connection whose sessions are closed with it."""

    gone: bool = False


@dataclass(eq=False)
class Session:
    """One session.

    Attributes:
        id: Its unguessable name. Any client that knows it may use the session.
        owner: The connection that opened it, if that closes it too.
        call: The call that runs.
        interrupt: Set when `cancel` or `close` answers the call that runs.
        expires: When the lease ends, unless a call comes before, in seconds of `time.monotonic`.
        start: The start of the current episode, without its observation.
        steps: Number of steps in the current episode.
    """

    id: str
    draws: Draws
    lease: float
    owner: Owner | None = None
    call: asyncio.Task[Any] | None = None
    interrupt: asyncio.Future[None] | None = None
    closing: asyncio.Task[None] | None = None
    expires: float = 0.0
    start: dict[str, Any] = field(default_factory=dict)
    steps: int = 0

    def begin(self, reply: Reply) -> Reply:
        """Note the start of an episode, and return it with the session's name."""
        self.start = {"session": self.id, **{name: reply.data[name] for name in reply.data if name != "observation"}}
        self.steps = reply.data["observation"]["step"]
        return replace(reply, data={**self.start, "observation": reply.data["observation"]})

    def touch(self) -> None:
        """Begin the lease again."""
        self.expires = time.monotonic() + self.lease


class Sessions:
    """All sessions of a server.

    Args:
        host: Where their environments live.
        served: The configurations that clients may use.
        lease: Seconds without a call after which a session is closed, by default. Also the longest that clients may
            ask for.
        metrics: Where to count.
        observations: What sessions observe, unless their client asks for something else.
        side: The side of a split that is served, such as `train`.
        ahead: Tell the host which world probably follows, so that it can open a seat in advance.
    """

    def __init__(
        self,
        host: Host,
        served: Selection,
        *,
        lease: float,
        metrics: Metrics,
        observations: Sequence[str] = ("screen",),
        side: str | None = None,
        ahead: bool = False,
    ) -> None:
        self.host, self.served, self.lease, self.metrics = host, served, lease, metrics
        self.observations = tuple(observations)
        self.side, self._ahead = side, ahead
        self._sessions: dict[str, Session] = {}
        self._reserved = 0  # seats of sessions that are being opened or closed
        self._shut = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def in_use(self) -> int:
        """Number of seats in use."""
        return len(self._sessions) + self._reserved

    @property
    def count(self) -> int:
        """Number of open sessions."""
        return len(self._sessions)

    @property
    def accepting(self) -> bool:
        """Whether sessions can be opened, if a seat is free."""
        return not self._shut and self.host.seats > 0

    async def open(self, request: OpenRequest, owner: Owner | None = None) -> list[Reply]:
        """Open a session, or a group of them: all or none."""
        self._loop = asyncio.get_running_loop()
        observations = self.observations if request.observations is None else request.observations
        check_observations(observations)
        lease = self._lease(request.lease)
        if request.split not in (None, self.side):
            serves = f"the side {self.side!r} of its split" if self.side else "no split"
            raise InvalidInput(f"split: this server serves {serves}, got {request.split!r}")
        count = request.group or 1
        with self._seats(count):
            # Selections may have thousands of parts, so they are not searched in the event loop.
            draws = await asyncio.to_thread(_draws, self.served, request)
            opening = await self._draw(draws, None, request.options)
            names = [_new_id() for _ in range(count)]
            opens = [self.host.open(name, observations, opening) for name in names]
            replies = await self._all(names, opens)
            return self._add(names, draws.copies(count), replies, lease, owner)

    async def reset(self, name: str, request: ResetRequest) -> Reply:
        """Start another episode."""
        session = self._find(name)

        async def work() -> Reply:
            opening = await self._draw(session.draws, request.seed, request.options)
            reply = await asyncio.wrap_future(self.host.call(name, "reset", {"opening": opening}))
            return session.begin(reply)

        return await self._one_at_a_time(session, work())

    async def step(self, name: str, request: StepRequest) -> Reply:
        """Perform an action."""
        reply = await self._call(name, "step", {"action": request.action})
        if (session := self._sessions.get(name)) is not None:
            session.steps = reply.data["observation"]["step"]
        return reply

    async def score(self, name: str, request: ScoreRequest) -> Reply:
        """Judge the state as it is now."""
        return await self._call(name, "score", {"answer": request.answer})

    async def fork(self, name: str, request: ForkRequest, owner: Owner | None = None) -> list[Reply]:
        """Open further sessions in the same state: all or none."""
        session = self._find(name)
        if not self.host.forks:
            raise InvalidInput("this server cannot fork sessions", fix="see `fork` in the answer of /v1/server")
        _check_idle(session)
        reservation = self._seats(request.count)
        names = [_new_id() for _ in range(request.count)]

        async def work() -> list[Reply]:
            with reservation:
                replies = await asyncio.wrap_future(self.host.fork(name, names))
                if session.interrupt is None or session.interrupt.done():  # nobody learns of them
                    await self._discard(names)
                    raise Cancelled("the fork was cancelled")
                return self._add(names, session.draws.copies(request.count), replies, session.lease, owner)

        return await self._one_at_a_time(session, work())

    async def cancel(self, name: str) -> Reply:
        """End the episode without a verdict. A call that runs is answered at once with `Cancelled`."""
        session = self._find(name)
        await self._interrupted(session, Cancelled("the call was cancelled", fix="call reset to go on"))
        return await self._call(name, "cancel", {})

    async def close(self, name: str, by: str = "client") -> None:
        """Close a session, and wait until its seat is free. A call that runs is answered with `Cancelled`."""
        self._check_open()
        session = self._sessions.get(name)  # also one that is being closed: wait for the same end
        await self._close(session or self._find(name), by)

    def facts(self, name: str) -> tuple[dict[str, Any], int]:
        """Return the start of a session's episode, without its observation, and the number of steps.

        Raises:
            SessionLost: There is no such session.
        """
        session = self._find(name)
        return session.start, session.steps

    def leave(self, owner: Owner) -> None:
        """Close all sessions of a connection that ended. Does not wait."""
        owner.gone = True  # also for sessions that are being opened
        for session in [session for session in self._sessions.values() if session.owner is owner]:
            self._background(self._close(session, "disconnect"))

    def shut(self) -> None:
        """Answer all calls with `Closing` from now on, also those that run. The host closes the seats. Thread-safe."""
        self._shut = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._interrupt_all)

    def _interrupt_all(self) -> None:
        for session in self._sessions.values():
            _interrupt(session, Closing("the server is shutting down"))

    def _lease(self, wanted: float | None) -> float:
        if wanted is not None and wanted > self.lease:
            raise InvalidInput(f"lease: expected at most {self.lease:g} seconds, got {wanted:g}")
        return self.lease if wanted is None else wanted

    def _find(self, name: str) -> Session:
        self._check_open()
        session = self._sessions.get(name)
        if session is None or session.closing is not None:
            raise SessionLost(
                f"there is no session {name[:60]!r}: it was closed, its lease ran out, or the server was restarted",
                fix="open a new session",
            )
        return session

    def _check_open(self) -> None:
        if self._shut:
            raise Closing("the server is shutting down", fix="connect to another server, or again later")

    async def _draw(self, draws: Draws, seed: int | None, options: dict[str, Any]) -> Opening:
        return Opening(*await asyncio.to_thread(draws.draw, seed, options, further=self._ahead))

    async def _call(self, name: str, method: str, arguments: dict[str, Any]) -> Reply:
        session = self._find(name)

        async def work() -> Reply:
            return await asyncio.wrap_future(self.host.call(name, method, arguments))

        return await self._one_at_a_time(session, work())

    async def _one_at_a_time(self, session: Session, work: Coroutine[Any, Any, T]) -> T:
        try:
            _check_idle(session)
        except Busy:
            work.close()
            raise
        session.touch()
        # A task of its own: it goes on if the client that waits for it is gone.
        task = self._background(work)
        session.call = task
        interrupt = session.interrupt = asyncio.get_running_loop().create_future()

        def ended(_: object) -> None:
            session.call = session.interrupt = None
            session.touch()
            if not interrupt.done():
                interrupt.cancel()

        task.add_done_callback(ended)
        await asyncio.wait({task, interrupt}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.add_done_callback(_retrieve)
            interrupt.result()  # raises why
        try:
            return task.result()
        except SeatLost:
            self._background(self._close(session, "lost"))
            raise

    async def _interrupted(self, session: Session, reason: FairgroundError) -> None:
        """Answer the call that runs with this error, and wait for the seat to be idle."""
        while (task := session.call) is not None:
            _interrupt(session, reason)
            await asyncio.wait({task})

    async def _close(self, session: Session, by: str) -> None:
        if session.closing is None:
            session.closing = self._background(self._really_close(session, by))
        await asyncio.shield(session.closing)

    async def _really_close(self, session: Session, by: str) -> None:
        await self._interrupted(session, Cancelled("the session was closed", fix="open a new session"))
        self._sessions.pop(session.id, None)
        self.metrics.closed[by] += 1
        self._reserved += 1  # until its seat is free
        try:
            await self._discard([session.id])
        finally:
            self._reserved -= 1

    def _seats(self, count: int) -> _Reservation:
        self._check_open()
        seats = self.host.seats
        if count > seats - self.in_use:
            now = time.monotonic()
            ends = min((session.expires for session in self._sessions.values()), default=now) - now
            when, fix = f"the next lease could end in {max(ends, 0):.0f} s", "close sessions, try again later"
            if count > seats:
                ends, when, fix = self.lease, f"this server has only {seats}", "ask for fewer sessions"
            raise Capacity(
                f"{count} {'seat is' if count == 1 else 'seats are'} needed, and {self.in_use} of {seats} are in use; "
                f"{when}",
                fix=f"{fix}, or start the server with more --seats",
                retry_after=max(1.0, round(ends, 1)),
            )
        return _Reservation(self, count)

    async def _all(self, names: Sequence[str], opens: Sequence[Future[Reply]]) -> list[Reply]:
        """Open all, or none: if one fails, the others are closed again."""
        results = await asyncio.gather(*map(asyncio.wrap_future, opens), return_exceptions=True)
        failures = [result for result in results if isinstance(result, BaseException)]
        if failures or self._shut:
            opened = zip(names, results, strict=True)
            await self._discard([name for name, result in opened if not isinstance(result, BaseException)])
            raise failures[0] if failures else Closing("the server is shutting down")
        return [result for result in results if not isinstance(result, BaseException)]

    async def _discard(self, names: Sequence[str]) -> None:
        """Close environments that have no session."""
        for name in names:
            with contextlib.suppress(FairgroundError):  # it is broken or lost; nothing of it is left
                await asyncio.wrap_future(self.host.close(name))

    def _add(
        self, names: Sequence[str], draws: Sequence[Draws], replies: Sequence[Reply], lease: float, owner: Owner | None
    ) -> list[Reply]:
        starts = []
        for name, own, reply in zip(names, draws, replies, strict=True):
            session = self._sessions[name] = Session(name, own, lease, owner)
            starts.append(session.begin(reply))
            session.touch()
            self._watch(session)
            if owner is not None and owner.gone:
                self._background(self._close(session, "disconnect"))
        self.metrics.opened += len(names)
        return starts

    def _watch(self, session: Session) -> None:
        """Close the session when its lease has run out."""
        if self._sessions.get(session.id) is not session:
            return
        left = session.expires - time.monotonic()
        if left > 0 or session.call is not None:
            asyncio.get_running_loop().call_later(max(left, 0.05), self._watch, session)
        else:
            self._background(self._close(session, "lease"))

    def _background(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)  # the loop itself keeps only weak references
        task.add_done_callback(self._tasks.discard)
        return task


class _Reservation:
    """Seats that are taken for sessions being opened, until the block ends."""

    def __init__(self, table: Sessions, count: int) -> None:
        self._table, self._count = table, count
        table._reserved += count

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._table._reserved -= self._count


def _check_idle(session: Session) -> None:
    if session.call is not None:
        raise Busy("the session is serving another call", fix="wait for its answer, or call cancel")


def _interrupt(session: Session, reason: FairgroundError) -> None:
    if session.interrupt is not None and not session.interrupt.done():
        session.interrupt.set_exception(reason)


def _retrieve(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # its client was answered already


def _draws(served: Selection, request: OpenRequest) -> Draws:
    selection = narrow(served, request.world)
    screen_size(selection)
    return Draws.seeded(selection, request.seed)


def _new_id() -> str:
    return secrets.token_urlsafe(18)
