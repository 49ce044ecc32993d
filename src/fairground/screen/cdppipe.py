"""The pair of pipes to Chromium, and the routing of its messages.

The browser runs with `--remote-debugging-pipe`: messages are JSON objects that end with a NUL byte, and there is no
port that a program in the sandbox could connect to. A thread reads continuously, so that the browser never waits for
us, events are handled at once, and a browser that dies is noticed at once.
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
_PIPE_SIZE: Final = 1 << 20  # fits a screenshot; with the default of 64 KB both sides would take turns
_WRITE_SECONDS: Final = 10.0
_END_SECONDS: Final = 2.0
_ID: Final = re.compile(rb'\{"id":\s*(\d+)')
_F_SETPIPE_SZ: Final = 1031


class Gone(ScreenError):
    """The page or the browser no longer exists."""


class Listener(Protocol):
    """Receives messages of the browser, in the reading thread."""

    def take(self, message: dict[str, Any]) -> None:
        """Handle an answer to its command, or an event for it."""

    def fail(self, number: int, why: str) -> None:
        """Handle that its command with this number gets no usable answer."""

    def die(self, why: str) -> None:
        """Handle the end of the browser."""


class Pipe:
    """Carries messages of several listeners to and from one browser.

    The first listener gets everything that belongs to no other. Each later one has a browser context, with the pages in
    it.

    Args:
        reader: The pipe that the browser writes to; owned from now on.
        writer: The pipe that the browser reads from; owned from now on.
        describe: Returns why the browser is gone, such as the end of its output.
        limit: Maximum bytes per message. A longer one fails the command that it answers.
    """

    def __init__(
        self, reader: int, writer: int, *, describe: Callable[[], str] = str, limit: int = MAX_MESSAGE
    ) -> None:
        self.dead: str | None = None
        """Why the browser is gone, or None while it runs."""
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
            with contextlib.suppress(OSError):  # over the user's limit for pipes: slower, but not wrong
                fcntl.fcntl(fd, _F_SETPIPE_SZ, _PIPE_SIZE)
        # Wakes the reading thread on `close`, because closing a file does not wake its reader.
        self._wake_reader, self._wake_writer = os.pipe2(os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._read, name="cdp", daemon=True)

    def join(self, listener: Listener, context: str = "") -> None:
        """Add a listener. Reading begins with the first."""
        with self._lock:
            self._listeners.append(listener)
            if context:
                self._contexts[context] = listener
        if self._thread.ident is None:
            self._thread.start()

    def leave(self, listener: Listener) -> None:
        """Remove a listener."""
        with self._lock:
            self._listeners = [present for present in self._listeners if present is not listener]
            self._contexts = _without(self._contexts, listener)
            self._sessions = _without(self._sessions, listener)
            self._senders = _without(self._senders, listener)

    def put(self, sender: Listener | None, method: str, params: Mapping[str, Any], session: str) -> int:
        """Queue a message for the next `flush`, and return its number. Without a sender, the answer is dropped."""
        with self._lock:
            self._last_id += 1
            if sender is not None:
                self._senders[self._last_id] = sender
            self._outbox.append(_encode(self._last_id, method, params, session))
            return self._last_id

    def flush(self) -> None:
        """Send the queued messages in order. Never call it while holding a lock, because the pipe may be full.

        Does nothing in the reading thread, which sends after each message that it has handled.
        """
        if threading.current_thread() is not self._thread:
            self._flush()

    def close(self) -> None:
        """Close the pipes, which ends the browser. Called once, possibly by a handler's thread."""
        self._die("the screen was closed")
        with self._lock:
            # Releases what they hold (the browser's process, and this pipe) now, not at garbage collection.
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
            self._die(why)  # after releasing the lock, because a listener may be about to write
            raise Gone(str(self.dead))

    def _write(self) -> str | None:
        """Write all queued messages. Returns the reason if that failed."""
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
                        # Part of a message may have been sent, so nothing after it would be understood.
                        return f"the browser read no input for {_WRITE_SECONDS:g} s"
                    _poll({self._writer: select.POLLOUT}, 0.1)
                except OSError:
                    if threading.current_thread() is not self._thread:
                        self._thread.join(_END_SECONDS)  # it reads what the browser still sent
                    return "the browser exited"
        return None

    def _read(self) -> None:
        why = "the browser exited"
        buffer = bytearray()
        searched = 0
        skipping = False  # inside a message over the limit
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
        except Exception as error:  # raised by a handler; waiting callers must not wait forever
            why = f"an event could not be handled: {type(error).__name__}: {error}"
        printed = self._describe().strip()
        self._die(f"{why}; its output ends:\n{printed}" if printed else why)

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
        """The listeners of a message: the sender, its page's, its context's, or all."""
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
        match = _ID.match(head)
        with self._lock:
            sender = self._senders.pop(int(match[1]), None) if match else None
        if sender is not None and match is not None:
            sender.fail(int(match[1]), why)

    def _die(self, why: str) -> None:
        with self._lock:
            self.dead = self.dead or why
            listeners = list(self._listeners)
        for listener in listeners:
            listener.die(self.dead)


def _without(table: dict[K, Listener], listener: Listener) -> dict[K, Listener]:
    return {key: holder for key, holder in table.items() if holder is not listener}


def _poll(events: Mapping[int, int], timeout: float | None = None) -> list[int]:
    poll = select.poll()  # not select(), which does not support file descriptors above 1023
    for fd, mask in events.items():
        poll.register(fd, mask)
    return [fd for fd, _ in poll.poll(None if timeout is None else timeout * 1000)]


def _encode(number: int, method: str, params: Mapping[str, Any], session: str) -> bytes:
    message: dict[str, Any] = {"id": number, "method": method, "params": params}
    if session:
        message["sessionId"] = session
    return json.dumps(message, separators=(",", ":")).encode() + b"\0"
