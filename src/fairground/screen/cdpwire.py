"""A small client of the Chrome DevTools Protocol: commands, answers and events, over a pipe that may be shared."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairground.core import ScreenError
from fairground.screen.cdppipe import Gone, Pipe

Handler = Callable[[dict[str, Any], str], None]
"""Takes an event's parameters and its session ID (empty for the browser)."""


class ProtocolError(ScreenError):
    """The browser refused a command."""


class NoAnswer(ScreenError):
    """The browser or its page did not answer in time."""


class Reply:
    """The answer to a command, possibly still pending."""

    __slots__ = ("_failure", "done", "method", "result", "session")

    def __init__(self, method: str, session: str) -> None:
        self.method = method
        self.session = session
        self.done = False
        self.result: dict[str, Any] = {}
        self._failure: tuple[type[ScreenError], str] | None = None

    def fail(self, kind: type[ScreenError], why: str) -> None:
        """Mark that there will be no answer."""
        self.done = True
        self._failure = (kind, f"{self.method}: {why}")

    def check(self) -> None:
        """Raise the error, if there is one.

        Each call raises a new instance, because a stored error keeps its stack frames alive.
        """
        if self._failure is not None:
            raise self._failure[0](self._failure[1])


class Wire:
    """A connection to a browser, or to the pages of one of its contexts.

    One thread uses it; the pipe's own thread reads. Handlers run in the reading thread with `changed` held. They may
    `post`, but never `call`.

    Args:
        pipe: The pipe to the browser. The first connection over it owns it.
        context: ID of the browser context; empty for the browser itself.
    """

    def __init__(self, pipe: Pipe, context: str = "") -> None:
        self.context = context
        self.changed = threading.Condition()
        self._pipe = pipe
        self._handlers: dict[str, list[Handler]] = {}
        self._replies: dict[int, Reply] = {}
        self._dead: str | None = pipe.dead
        self._closed = False
        pipe.join(self, context)

    def branch(self, context: str) -> Wire:
        """Return a connection to the pages of a browser context. Closing it leaves this one open."""
        return Wire(self._pipe, context)

    @property
    def alive(self) -> bool:
        """Whether the browser still runs."""
        return self._dead is None

    def on(self, method: str, handler: Handler) -> None:
        """Add a handler for an event, called in the reading thread."""
        with self.changed:
            self._handlers.setdefault(method, []).append(handler)

    def call(
        self, method: str, params: Mapping[str, Any] | None = None, *, session: str = "", timeout: float = 10.0
    ) -> dict[str, Any]:
        """Send a command and wait for its answer.

        Raises:
            ProtocolError: The browser refused it.
            NoAnswer: There was no answer in time.
            Gone: The page or the browser no longer exists.
        """
        reply = self.send(method, params, session=session)
        self.wait(lambda: reply.done, timeout)
        return self.result(reply, timeout)

    def send(self, method: str, params: Mapping[str, Any] | None = None, *, session: str = "") -> Reply:
        """Send a command. Use `wait` and `result` to get its answer."""
        return self.send_all([(method, params or {})], session=session)[0]

    def send_all(self, commands: Sequence[tuple[str, Mapping[str, Any]]], *, session: str = "") -> list[Reply]:
        """Send commands in one write. The browser answers those of one page in order."""
        replies = [Reply(method, session) for method, _ in commands]
        with self.changed:
            if self._dead is not None:
                raise self._gone()
            for reply, (method, params) in zip(replies, commands, strict=True):
                self._replies[self._pipe.put(self, method, params, session)] = reply
        self._pipe.flush()
        return replies

    def post(self, method: str, params: Mapping[str, Any] | None = None, *, session: str = "") -> None:
        """Send a command and ignore its answer. Handlers may use only this."""
        self._pipe.put(None, method, params or {}, session)
        with contextlib.suppress(Gone):  # callers that wait for an answer get the same error
            self._pipe.flush()

    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Wait until a condition holds that browser messages change. Returns whether it holds.

        Raises:
            Gone: The browser ended first.
        """
        with self.changed:
            self.changed.wait_for(lambda: ready() or self._dead is not None, max(timeout, 0.0))
            if ready():
                return True
            if self._dead is not None:
                raise self._gone()
            return False

    def result(self, reply: Reply, waited: float = 0.0) -> dict[str, Any]:
        """Return the answer. Raises like `call` if there is none, or if it is a refusal."""
        with self.changed:
            if not reply.done:
                raise NoAnswer(f"{reply.method}: no answer from the browser within {waited:g} s")
            reply.check()
            return reply.result

    def end_session(self, session: str, why: str) -> None:
        """Fail all pending answers of a page that is gone."""
        with self.changed:
            for number in [number for number, reply in self._replies.items() if reply.session == session]:
                reply = self._replies.pop(number)
                reply.fail(Gone, why)
            self.changed.notify_all()

    def close(self) -> None:
        """Close the connection. Calling it twice is allowed, also in a handler's thread.

        The first connection also closes the pipe, which ends the browser.
        """
        with self.changed:
            if self._closed:
                return
            self._closed = True
            self.die("the screen was closed")
            self._handlers.clear()  # releases what they hold now, not at garbage collection
        if self.context:
            self._pipe.leave(self)
        else:
            self._pipe.close()

    def take(self, message: dict[str, Any]) -> None:
        """Called by the pipe: an answer or an event."""
        with self.changed:
            if "id" in message:
                reply = self._replies.pop(message["id"], None)
                if reply is not None:
                    _fill(reply, message)
            else:
                for handler in self._handlers.get(message.get("method", ""), ()):
                    handler(message.get("params", {}), message.get("sessionId", ""))
            self.changed.notify_all()

    def fail(self, number: int, why: str) -> None:
        """Called by the pipe: an answer that cannot be used."""
        with self.changed:
            reply = self._replies.pop(number, None)
            if reply is not None:
                reply.fail(ScreenError, why)
            self.changed.notify_all()

    def die(self, why: str) -> None:
        """Called by the pipe: the browser is gone."""
        with self.changed:
            if self._dead is None:
                self._dead = why
            for reply in self._replies.values():
                reply.fail(Gone, self._dead)
            self._replies.clear()
            self.changed.notify_all()

    def _gone(self) -> Gone:
        return Gone(str(self._dead))


def _fill(reply: Reply, message: Mapping[str, Any]) -> None:
    if "error" not in message:
        reply.done = True
        reply.result = message.get("result", {})
        return
    error = message["error"]
    text = str(error.get("message", error))
    kind = Gone if "Session with given id not found" in text or "Target closed" in text else ProtocolError
    detail = error.get("data")
    reply.fail(kind, text + (f" ({detail})" if isinstance(detail, str) else ""))
