"""Environments on the nodes of a Ray cluster: one actor per seat.

Seats are the Ray resource of the rollout executor: start nodes with `ray start ... --resources='{"seats": 8}'`. If no
node declares seats, each CPU counts as one. Nodes need this package, the suites and their programs.

Actors are started with the host and kept, so that a session does not wait for a process to start. If a node dies, its
seats are gone at once: each of its sessions learns it from its next call, and all others continue. Replacements wait
for a node that offers seats; when one joins, its seats are used.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, TextIO

from fairground.core import FairgroundError, InfrastructureError, InvalidInput
from fairground.remote.errors import Capacity
from fairground.remote.host import SeatLost
from fairground.remote.worker import Opening, Reply, Worker
from fairground.rollout import ray_executor
from fairground.rollout.ray_executor import SEATS, need_ray

START_SECONDS: Final = 120.0
"""How long the cluster may take to start the first actor."""

_STARTS: Final = 10  # consecutive actors that die before they are ready; more is not just one bad node


class RayHost:
    """Environments in actors on a Ray cluster, one seat each. Returns when the first seat is ready.

    Args:
        seats: Maximum number of sessions. Default: the current number of seats in the cluster.
        address: Address of a cluster (`host:port`, or `auto` for the one on this machine). Default: `RAY_ADDRESS`, or
            else a local cluster that lives as long as the host.
        runner: Which runner creates sandboxes.

    Raises:
        InfrastructureError: There is no cluster, or it offers no seats.
    """

    def __init__(
        self,
        seats: int | None = None,
        *,
        address: str | None = None,
        runner: str | None = None,
    ) -> None:
        self._ray = need_ray()
        self._runner = runner
        self._changed = threading.Condition()
        self._idle: list[_Actor] = []
        self._sessions: dict[str, _Actor] = {}
        self._starting: set[_Actor] = set()
        self._failed_starts = 0
        self._failure: FairgroundError | None = None
        self._shut = False
        self._left = contextlib.ExitStack()
        # Ray answers in a thread of its own, which must not wait for Ray.
        self._reactions = ThreadPoolExecutor(1, thread_name_prefix="ray-host")
        try:
            if not self._ray.is_initialized():
                self._left.enter_context(contextlib.redirect_stdout(_Output(sys.stdout)))
                self._left.callback(self._disconnect)
                with contextlib.redirect_stdout(sys.stderr):
                    ray_executor._connect(self._ray, address, seats)
            offered = self._ray.cluster_resources()
            declared = int(offered.get(SEATS, 0))
            self._claim = {"resources": {SEATS: 1}, "num_cpus": 0} if declared else {"num_cpus": 1}
            count = seats or declared or int(offered.get("CPU", 0))
            for _ in range(count):
                self._start()
            self._wait_for_first(count)
        except BaseException:
            self.shutdown()
            raise

    @property
    def seats(self) -> int:
        """Number of actors that are ready. Falls when a node is lost, and rises when one joins."""
        with self._changed:
            return len(self._idle) + len(self._sessions)

    @property
    def forks(self) -> bool:
        return False

    def open(self, session: str, observations: Sequence[str], opening: Opening) -> Future[Reply]:
        with self._changed:
            if not self._idle:
                return _failed(Capacity("no node has a free seat", fix="try again later, or add nodes"))
            actor = self._sessions[session] = self._idle.pop()
        call = actor.handle.open.remote(list(observations), opening)
        return self._future(actor, call, on_error=lambda: self._free(session))

    def call(self, session: str, method: str, arguments: Mapping[str, Any]) -> Future[Reply]:
        with self._changed:
            actor = self._sessions.get(session)
        if actor is None:
            return _failed(_lost("a node"))
        return self._future(actor, actor.handle.call.remote(method, dict(arguments)))

    def fork(self, session: str, copies: Sequence[str]) -> Future[list[Reply]]:
        return _failed(InvalidInput("a server on Ray cannot fork sessions: its seats are on several machines"))

    def close(self, session: str) -> Future[None]:
        with self._changed:
            actor = self._sessions.get(session)
        if actor is None:
            return _failed(_lost("a node"))

        def closed() -> None:
            self._free(session)

        return self._future(actor, actor.handle.close.remote(), on_error=closed, on_end=closed)

    def shutdown(self) -> None:
        """Close all environments and disconnect from the cluster. May be called twice."""
        with self._changed:
            self._shut = True
            actors = [*self._idle, *self._sessions.values(), *self._starting]
            ready = [*self._idle, *self._sessions.values()]
            self._idle, self._sessions, self._starting = [], {}, set()
        self._reactions.shutdown(wait=False)
        with self._left:
            if not self._ray.is_initialized():
                return
            ends = [actor.handle.close.remote() for actor in ready]
            if ends:
                self._ray.wait(ends, num_returns=len(ends), timeout=30)
            for actor in actors:
                self._ray.kill(actor.handle)

    def _disconnect(self) -> None:
        with contextlib.redirect_stdout(sys.stderr):  # Ray prints the messages that it still has
            self._ray.shutdown()

    def _start(self) -> None:
        """Start an actor. It is ready when a node has a seat for it."""
        remote = self._ray.remote(**self._claim, concurrency_groups={"watch": 1}, scheduling_strategy="SPREAD")(Seat)
        actor = _Actor(remote.remote(self._runner))
        with self._changed:
            self._starting.add(actor)
        self._react(actor.handle.node.remote(), lambda done: self._started(actor, done))

    def _started(self, actor: _Actor, done: Future[str]) -> None:
        error = done.exception()
        with self._changed:
            self._starting.discard(actor)
            if self._shut:
                return
            if error is None:
                actor.node = done.result()
                self._failed_starts = 0
                self._idle.append(actor)
            else:
                self._failed_starts += 1
                if self._failed_starts >= _STARTS:
                    self._failure = InfrastructureError(f"no seat could be started on the Ray cluster: {error}")
            self._changed.notify_all()
        if error is None:
            # This call never returns while the actor lives, so its end tells that the actor is lost.
            watch = actor.handle.watch.options(concurrency_group="watch").remote()
            self._react(watch, lambda _: self._lose(actor))
        elif self._failure is None:
            self._start()

    def _wait_for_first(self, count: int) -> None:
        fix = "start nodes with: ray start --address=HOST:PORT --resources='{\"seats\": 4}'"
        if not count:
            raise InfrastructureError("the Ray cluster offers neither seats nor CPUs", fix=fix)
        with self._changed:
            if not self._changed.wait_for(lambda: self._idle or self._failure, START_SECONDS):
                raise InfrastructureError(f"no node of the Ray cluster had a seat in {START_SECONDS:g} s", fix=fix)
            if self._failure is not None:
                raise self._failure

    def _lose(self, actor: _Actor) -> None:
        """Take a dead actor out, and start another one for when there is a seat for it."""
        with self._changed:
            if self._shut or actor.lost:
                return
            actor.lost = True
            if actor in self._idle:
                self._idle.remove(actor)
            for session in [name for name, holder in self._sessions.items() if holder is actor]:
                del self._sessions[session]
        self._reactions.submit(self._replace, actor)

    def _replace(self, actor: _Actor) -> None:
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.kill(actor.handle)
        self._start()

    def _free(self, session: str) -> None:
        """Make the seat of a session available to others."""
        with self._changed:
            actor = self._sessions.pop(session, None)
            if actor is not None:
                self._idle.append(actor)

    def _react(self, call: Any, react: Callable[[Future[Any]], None]) -> None:
        """Call `react` with the future of a Ray call when it is done."""

        def done(ended: Future[Any]) -> None:
            with contextlib.suppress(RuntimeError):  # shut down meanwhile
                self._reactions.submit(react, ended)

        call.future().add_done_callback(done)

    def _future(
        self,
        actor: _Actor,
        call: Any,
        *,
        on_error: Callable[[], None] = lambda: None,
        on_end: Callable[[], None] = lambda: None,
    ) -> Future[Any]:
        answered: Future[Any] = Future()
        answered.set_running_or_notify_cancel()  # a call that runs cannot be taken back

        def done(ended: Future[Any]) -> None:
            error = ended.exception()
            if error is None:
                on_end()
                answered.set_result(ended.result())
                return
            cause = getattr(error, "cause", None)  # what the call raised; None if the actor or its node died
            if cause is None:
                self._lose(actor)
            on_error()
            answered.set_exception(cause or _lost(f"node {actor.node}"))

        call.future().add_done_callback(done)
        return answered


class Seat:
    """An actor: the environment of one session at a time. Not for direct use."""

    def __init__(self, runner: str | None) -> None:
        self._runner = runner
        self._worker: Worker | None = None

    def node(self) -> str:
        """Return the name of the machine. The first call that is answered tells that the actor is ready."""
        return os.uname().nodename

    def watch(self) -> None:
        """Block as long as the actor lives."""
        threading.Event().wait()

    def open(self, observations: Sequence[str], opening: Opening) -> Reply:
        """Create the environment of a session and reset it."""
        self.close()
        self._worker = Worker(observations, runner=self._runner)
        return self._worker.reset(opening)

    def call(self, method: str, arguments: dict[str, Any]) -> Reply:
        """Call a method of the worker."""
        assert self._worker is not None
        reply: Reply = getattr(self._worker, method)(**arguments)
        return reply

    def close(self) -> None:
        """Close the environment. The actor can serve another session."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


class _Output(io.TextIOBase):
    """Standard output without Ray's messages about its nodes: what other threads print goes to standard error."""

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout

    @property
    def _stream(self) -> TextIO:
        return self._stdout if threading.current_thread() is threading.main_thread() else sys.stderr

    def write(self, text: str) -> int:
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stdout.isatty()

    def fileno(self) -> int:
        return self._stdout.fileno()


@dataclass(eq=False)
class _Actor:
    handle: Any
    node: str = ""
    lost: bool = False


def _lost(node: str) -> SeatLost:
    return SeatLost(f"{node} of the Ray cluster was lost, and this session with it", fix="open a new session")


def _failed(error: FairgroundError) -> Future[Any]:
    answered: Future[Any] = Future()
    answered.set_exception(error)
    return answered
