"""A small client of the Chrome DevTools Protocol over a pair of pipes.

The browser is started with `--remote-debugging-pipe`: messages are JSON objects, each ended by a NUL byte, and no
port exists that anything in the sandbox could reach. A thread reads all the time, so that the browser never
waits for us, events are handled when they happen, and a browser that dies is noticed at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import select
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fairground.core import ScreenError

Handler = Callable[[dict[str, Any], str], None]
"""Takes an event's parameters and the session it came from (empty: the browser)."""

MAX_MESSAGE: Final = 256 << 20
_CHUNK: Final = 1 << 20
_PIPE_SIZE: Final = 1 << 20  # a screenshot in one piece; the default of 64 KB makes both sides take turns
_WRITE_SECONDS: Final = 10.0
_END_SECONDS: Final = 2.0
_ID: Final = re.compile(rb'\{"id":\s*(\d+)')
_F_SETPIPE_SZ: Final = 1031


class ProtocolError(ScreenError):
    """The browser refused a command."""


class NoAnswer(ScreenError):
    """The browser or its page did not answer in time."""


class Gone(ScreenError):
    """The page or the browser that was asked is no more."""


class Reply:
    """The answer to one command, which may not be there yet."""

    __slots__ = ("_failure", "done", "method", "result", "session")

    def __init__(self, method: str, session: str) -> None:
        self.method = method
        self.session = session
        self.done = False
        self.result: dict[str, Any] = {}
        self._failure: tuple[type[ScreenError], str] | None = None

    def fail(self, kind: type[ScreenError], why: str) -> None:
        """Says that there will be no answer."""
        self.done = True
        self._failure = (kind, f"{self.method}: {why}")

    def check(self) -> None:
        """Raises what went wrong, anew each time: an error that is kept keeps every frame it went through."""
        if self._failure is not None:
            raise self._failure[0](self._failure[1])


class Wire:
    """The connection to one browser.

    One thread uses it; a second one, started here, reads. Handlers run in the reading thread with `changed` held:
    they may `post`, never `call`.

    Args:
        reader: Where the browser writes to; owned from now on.
        writer: Where the browser reads from; owned from now on.
        describe: Says why the browser is gone, such as the end of its output.
        limit: Bytes of the longest message that is taken; longer ones fail the call they answer.
    """

    def __init__(
        self, reader: int, writer: int, *, describe: Callable[[], str] = str, limit: int = MAX_MESSAGE
    ) -> None:
        self.changed = threading.Condition()
        self._reader, self._writer = reader, writer
        self._describe = describe
        self._limit = limit
        self._handlers: dict[str, list[Handler]] = {}
        self._replies: dict[int, Reply] = {}
        self._outbox: list[bytes] = []
        self._writing = threading.Lock()
        self._last_id = 0
        self._dead: str | None = None
        self._closed = False
        os.set_blocking(writer, False)
        for fd in (reader, writer):
            with contextlib.suppress(OSError):  # over the user's limit for pipes; slower, not wrong
                fcntl.fcntl(fd, _F_SETPIPE_SZ, _PIPE_SIZE)
        # What wakes the reading thread when we close: closing a file under a reader does not.
        self._wake_reader, self._wake_writer = os.pipe2(os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._read, name="cdp", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the browser is still there."""
        return self._dead is None

    def on(self, method: str, handler: Handler) -> None:
        """Has an event handled, in the reading thread."""
        with self.changed:
            self._handlers.setdefault(method, []).append(handler)

    def call(
        self, method: str, params: Mapping[str, Any] | None = None, *, session: str = "", timeout: float = 10.0
    ) -> dict[str, Any]:
        """Sends a command and waits for its answer.

        Raises:
            ProtocolError: The browser refused it.
            NoAnswer: No answer came in time.
            Gone: The page or the browser ended, before or meanwhile.
        """
        reply = self.send(method, params, session=session)
        self.wait(lambda: reply.done, timeout)
        return self.result(reply, timeout)

    def send(self, method: str, params: Mapping[str, Any] | None = None, *, session: str = "") -> Reply:
        """Sends a command; its answer is had later, with `wait` and `result`."""
        return self.send_all([(method, params or {})], session=session)[0]

    def send_all(self, commands: Sequence[tuple[str, Mapping[str, Any]]], *, session: str = "") -> list[Reply]:
        """Sends commands in one go; the browser answers in order as far as one page is concerned."""
        replies = [Reply(method, session) for method, _ in commands]
        with self.changed:
            if self._dead is not None:
                raise self._gone()
            for reply, (method, params) in zip(replies, commands, strict=True):
                self._last_id += 1
                self._replies[self._last_id] = reply
                self._outbox.append(_encode(self._last_id, method, params, session))
        self._flush()
        return replies

    def post(self, method: str, params: Mapping[str, Any] | None = None, *, session: str = "") -> None:
        """Sends a command and does not care for its answer; the one way to command from a handler."""
        with self.changed:
            self._last_id += 1
            self._outbox.append(_encode(self._last_id, method, params or {}, session))
        if threading.current_thread() is not self._thread:
            with contextlib.suppress(Gone):  # whoever waits for an answer will meet the same error
                self._flush()

    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Waits until a condition holds that messages from the browser change; says whether it does.

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
        """What the browser answered; raises like `call` when it did not, or refused."""
        with self.changed:
            if not reply.done:
                raise NoAnswer(f"{reply.method}: no answer from the browser within {waited:g} s")
            reply.check()
            return reply.result

    def end_session(self, session: str, why: str) -> None:
        """Fails everything that still waits for an answer from a page that is gone."""
        with self.changed:
            for number in [number for number, reply in self._replies.items() if reply.session == session]:
                reply = self._replies.pop(number)
                reply.fail(Gone, why)
            self.changed.notify_all()

    def close(self) -> None:
        """Closes the pipes, upon which the browser ends; may be called twice, also by a handler's thread."""
        with self.changed:
            if self._closed:
                return
            self._closed = True
            self._die("the screen was closed")
            # What they hold (the browser's process, and us again) is let go of now, not when rubbish is collected.
            self._handlers.clear()
            self._describe = str
        os.write(self._wake_writer, b"x")
        if threading.current_thread() is not self._thread:
            self._thread.join()
        with self._writing:
            for fd in (self._reader, self._writer, self._wake_reader, self._wake_writer):
                os.close(fd)

    def _flush(self) -> None:
        """Sends what is in the outbox, in its order; never with `changed` held, because the pipe may be full."""
        deadline = time.monotonic() + _WRITE_SECONDS
        with self._writing:
            with self.changed:
                packet = memoryview(b"".join(self._outbox))
                self._outbox.clear()
            while packet:
                if self._dead is not None:
                    raise self._gone()
                try:
                    packet = packet[os.write(self._writer, packet) :]
                except BlockingIOError:
                    if time.monotonic() < deadline:
                        _poll({self._writer: select.POLLOUT}, 0.1)
                        continue
                    # Half a message may be out, so nothing that follows would be understood.
                    self._die(f"the browser took no input for {_WRITE_SECONDS:g} s")
                except OSError:
                    if threading.current_thread() is not self._thread:
                        self._thread.join(_END_SECONDS)  # it reads what the browser still had to say
                    self._die("the browser ended")

    def _read(self) -> None:
        why = "the browser ended"
        buffer = bytearray()
        searched = 0
        skipping = False  # inside a message that is over the limit
        try:
            while True:
                if self._wake_reader in _poll({self._reader: select.POLLIN, self._wake_reader: select.POLLIN}):
                    return
                data = os.read(self._reader, _CHUNK)
                if not data:
                    break
                buffer += data
                while (end := buffer.find(0, searched)) >= 0:
                    message = bytes(memoryview(buffer)[:end])
                    del buffer[: end + 1]
                    searched = 0
                    if not skipping:
                        self._take(message)
                        if self._outbox:
                            with contextlib.suppress(Gone):
                                self._flush()
                    skipping = False
                searched = len(buffer)
                if skipping or len(buffer) > self._limit:
                    if not skipping:
                        self._fail_message(bytes(buffer[:64]), f"an answer of over {self._limit >> 20} MB")
                    skipping, searched = True, 0
                    buffer.clear()
        except OSError as error:
            why = f"the browser's pipe broke: {error.strerror}"
        except Exception as error:  # of a handler; whoever waits must not wait for ever
            why = f"an event could not be handled: {type(error).__name__}: {error}"
        said = self._describe().strip()
        self._die(f"{why}; its output ends:\n{said}" if said else why)

    def _take(self, data: bytes) -> None:
        try:
            message = json.loads(data)
        except (ValueError, RecursionError) as error:
            self._fail_message(data[:64], f"an answer that is not JSON: {error}")
            return
        if not isinstance(message, dict):
            return
        with self.changed:
            if "id" in message:
                reply = self._replies.pop(message["id"], None)
                if reply is not None:
                    _fill(reply, message)
            else:
                for handler in self._handlers.get(message.get("method", ""), ()):
                    handler(message.get("params", {}), message.get("sessionId", ""))
            self.changed.notify_all()

    def _fail_message(self, head: bytes, why: str) -> None:
        found = _ID.match(head)
        with self.changed:
            reply = self._replies.pop(int(found[1]), None) if found else None
            if reply is not None:
                reply.fail(ScreenError, why)
            self.changed.notify_all()

    def _die(self, why: str) -> None:
        with self.changed:
            if self._dead is None:
                self._dead = why
            for reply in self._replies.values():
                reply.fail(Gone, self._dead)
            self._replies.clear()
            self.changed.notify_all()

    def _gone(self) -> Gone:
        return Gone(str(self._dead))


def _poll(events: Mapping[int, int], timeout: float | None = None) -> list[int]:
    poll = select.poll()  # not select(), which knows no file above 1023
    for fd, mask in events.items():
        poll.register(fd, mask)
    return [fd for fd, _ in poll.poll(None if timeout is None else timeout * 1000)]


def _encode(number: int, method: str, params: Mapping[str, Any], session: str) -> bytes:
    message: dict[str, Any] = {"id": number, "method": method, "params": params}
    if session:
        message["sessionId"] = session
    return json.dumps(message, separators=(",", ":")).encode() + b"\0"


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
