"""The pair of pipes to a Chromium: who reads, who writes, and whose each message is.

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
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeVar

from fairground.core import ScreenError

K = TypeVar("K")
MAX_MESSAGE: Final = 256 << 20
_CHUNK: Final = 1 << 20
_PIPE_SIZE: Final = 1 << 20  # a screenshot in one piece; the default of 64 KB makes both sides take turns
_WRITE_SECONDS: Final = 10.0
_END_SECONDS: Final = 2.0
_ID: Final = re.compile(rb'\{"id":\s*(\d+)')
_F_SETPIPE_SZ: Final = 1031


class Gone(ScreenError):
    """The page or the browser that was asked is no more."""


class Listener(Protocol):
    """Who is told what the browser says, in the reading thread."""

    def take(self, message: dict[str, Any]) -> None:
        """An answer to what it sent, or an event that concerns it."""

    def fail(self, number: int, why: str) -> None:
        """There will be no usable answer to what it sent under this number."""

    def die(self, why: str) -> None:
        """The browser is gone."""


class Pipe:
    """Carries messages of several listeners to and from one browser.

    The first listener has everything that belongs to none other: a later one has a browser context, with the pages
    that open in it.

    Args:
        reader: Where the browser writes to; owned from now on.
        writer: Where the browser reads from; owned from now on.
        describe: Says why the browser is gone, such as the end of its output.
        limit: Bytes of the longest message that is taken; longer ones fail the call they answer.
    """

    def __init__(
        self, reader: int, writer: int, *, describe: Callable[[], str] = str, limit: int = MAX_MESSAGE
    ) -> None:
        self.dead: str | None = None
        """Why the browser is gone, once it is."""
        self._reader, self._writer = reader, writer
        self._describe = describe
        self._limit = limit
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []
        self._contexts: dict[str, Listener] = {}
        self._sessions: dict[str, Listener] = {}
        self._senders: dict[int, Listener] = {}
        self._outbox: list[bytes] = []
        self._writing = threading.Lock()
        self._last_id = 0
        os.set_blocking(writer, False)
        for fd in (reader, writer):
            with contextlib.suppress(OSError):  # over the user's limit for pipes; slower, not wrong
                fcntl.fcntl(fd, _F_SETPIPE_SZ, _PIPE_SIZE)
        # What wakes the reading thread when we close: closing a file under a reader does not.
        self._wake_reader, self._wake_writer = os.pipe2(os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._read, name="cdp", daemon=True)

    def join(self, listener: Listener, context: str = "") -> None:
        """Has somebody told of what concerns them; reading begins with the first."""
        with self._lock:
            self._listeners.append(listener)
            if context:
                self._contexts[context] = listener
        if self._thread.ident is None:
            self._thread.start()

    def leave(self, listener: Listener) -> None:
        """Has somebody told nothing more."""
        with self._lock:
            self._listeners = [other for other in self._listeners if other is not listener]
            self._contexts = _without(self._contexts, listener)
            self._sessions = _without(self._sessions, listener)
            self._senders = _without(self._senders, listener)

    def put(self, sender: Listener | None, method: str, params: Mapping[str, Any], session: str) -> int:
        """Takes a message in, to be sent by the next `flush`; returns its number. No sender: no answer is wanted."""
        with self._lock:
            self._last_id += 1
            if sender is not None:
                self._senders[self._last_id] = sender
            self._outbox.append(_encode(self._last_id, method, params, session))
            return self._last_id

    def flush(self) -> None:
        """Sends what was taken in, in its order. Never call it with a lock held: the pipe may be full.

        Does nothing in the reading thread, which sends after each message that it has handled.
        """
        if threading.current_thread() is not self._thread:
            self._flush()

    def close(self) -> None:
        """Closes the pipes, upon which the browser ends; called once, also by a handler's thread."""
        self._die("the screen was closed")
        with self._lock:
            # What they hold (the browser's process, and us again) is let go of now, not when rubbish is collected.
            self._listeners.clear()
            self._contexts.clear()
            self._sessions.clear()
            self._senders.clear()
            self._describe = str
        os.write(self._wake_writer, b"x")
        if threading.current_thread() is not self._thread and self._thread.ident is not None:
            self._thread.join()
        with self._writing:
            for fd in (self._reader, self._writer, self._wake_reader, self._wake_writer):
                os.close(fd)

    def _flush(self) -> None:
        if (why := self._write()) is not None:
            self._die(why)  # only now that the next one may write: whoever is told may be about to
            raise Gone(str(self.dead))

    def _write(self) -> str | None:
        """Writes all there is; returns why it could not."""
        deadline = time.monotonic() + _WRITE_SECONDS
        with self._writing:
            with self._lock:
                packet = memoryview(b"".join(self._outbox))
                self._outbox.clear()
            while packet:
                if self.dead is not None:
                    return self.dead
                try:
                    packet = packet[os.write(self._writer, packet) :]
                except BlockingIOError:
                    if time.monotonic() >= deadline:
                        # Half a message may be out, so nothing that follows would be understood.
                        return f"the browser took no input for {_WRITE_SECONDS:g} s"
                    _poll({self._writer: select.POLLOUT}, 0.1)
                except OSError:
                    if threading.current_thread() is not self._thread:
                        self._thread.join(_END_SECONDS)  # it reads what the browser still had to say
                    return "the browser ended"
        return None

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
                        self._fail(bytes(buffer[:64]), f"an answer of over {self._limit >> 20} MB")
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
            self._fail(data[:64], f"an answer that is not JSON: {error}")
            return
        if isinstance(message, dict):
            for listener in self._concerned(message):
                listener.take(message)

    def _concerned(self, message: dict[str, Any]) -> list[Listener]:
        """Whose a message is: the sender's, its page's, its context's, or everybody's."""
        with self._lock:
            if "id" in message:
                sender = self._senders.pop(message["id"], None)
                return [] if sender is None else [sender]
            first = self._listeners[:1]
            params, session = message.get("params", {}), message.get("sessionId", "")
            match message.get("method"):
                case "Target.attachedToTarget":
                    owner = self._contexts.get(params["targetInfo"].get("browserContextId", ""))
                    if owner is None:
                        return first
                    self._sessions[params["sessionId"]] = owner
                    return [owner]
                case "Target.detachedFromTarget":
                    owner = self._sessions.pop(params["sessionId"], None)
                    return first if owner is None else [owner]
            if session:
                owner = self._sessions.get(session)
                return first if owner is None else [owner]
            return list(self._listeners)

    def _fail(self, head: bytes, why: str) -> None:
        found = _ID.match(head)
        with self._lock:
            sender = self._senders.pop(int(found[1]), None) if found else None
        if sender is not None and found is not None:
            sender.fail(int(found[1]), why)

    def _die(self, why: str) -> None:
        with self._lock:
            self.dead = self.dead or why
            listeners = list(self._listeners)
        for listener in listeners:
            listener.die(self.dead)


def _without(table: dict[K, Listener], listener: Listener) -> dict[K, Listener]:
    return {key: other for key, other in table.items() if other is not listener}


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
