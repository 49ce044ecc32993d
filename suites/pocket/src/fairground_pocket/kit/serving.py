"""A small HTTP server on a listening socket: one thread and one request per connection, with limits on everything.

A connection is closed after its response. A browser that is frozen for hours therefore never reuses a stale
connection, and a second request cannot be confused with the first.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs, unquote

MAX_HEAD: Final = 16_384
MAX_BODY: Final = 262_144
MAX_FIELDS: Final = 200
MAX_CONNECTIONS: Final = 64
SECONDS: Final = 10.0
"""Timeout for a whole request to arrive, and for its response to be sent."""

_ACCEPT_SECONDS: Final = 0.1
_DRAIN_SECONDS: Final = 1.0
_REQUEST_LINE: Final = re.compile(r"([A-Z]{1,10}) (/[!-~]*) HTTP/1\.[01]")
_FORM: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Request:
    """A request. `query` and `form` hold every value of a field; `path` is unquoted."""

    method: str
    path: str
    query: Mapping[str, list[str]] = field(default_factory=dict)
    form: Mapping[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Response:
    """The response to a request."""

    body: bytes = b""
    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)


class Refused(Exception):
    """A request that is malformed or too large and gets no page."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class Server:
    """Answers requests in threads of this process until it is closed.

    Args:
        listener: A listening socket; the server takes ownership.
        respond: Returns the response. Called by one thread at a time.
        seconds: Timeout for a request to arrive, and for its response to be sent.
    """

    def __init__(
        self, listener: socket.socket, respond: Callable[[Request], Response], *, seconds: float = SECONDS
    ) -> None:
        listener.setblocking(True)
        self.port: int = listener.getsockname()[1]
        self.fault: Exception | None = None
        """The first exception of `respond`: an infrastructure error, which judging an episode must not ignore."""
        self.lock = threading.RLock()
        """Held while a request is answered; hold it to read or replace the data behind the responses."""
        self._listener = listener
        self._respond = respond
        self._seconds = seconds
        self._connections: set[socket.socket] = set()
        self._threads: set[threading.Thread] = set()
        self._changed = threading.Condition()
        self._open = True
        self._accepting = threading.Thread(target=self._accept, name=f"pocket-{self.port}", daemon=True)
        self._accepting.start()

    def close(self) -> None:
        """Ends all connections and threads. It may be called twice."""
        with self._changed:
            self._open = False
            self._changed.notify_all()
            living = list(self._connections)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes `accept`; closing the socket alone would not
        for connection in living:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._accepting.join(SECONDS)
        self._listener.close()
        with self._changed:
            self._changed.wait_for(lambda: not self._threads, SECONDS)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                with self._changed:
                    if not self._open:
                        return
                    self._changed.wait(_ACCEPT_SECONDS)  # the client gave up, or no file descriptor is free
                continue
            with self._changed:
                if not self._open or len(self._connections) >= MAX_CONNECTIONS:
                    connection.close()
                    continue
                self._connections.add(connection)
                thread = threading.Thread(target=self._talk, args=(connection,), name="pocket-request", daemon=True)
                self._threads.add(thread)
            thread.start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            with contextlib.suppress(OSError):  # the client disconnected, was too slow, or sent nothing
                connection.sendall(_encode(self._answer(connection)))
                connection.shutdown(socket.SHUT_WR)
                _drain(connection)
        finally:
            with self._changed:
                self._connections.discard(connection)
                connection.close()
                self._threads.discard(threading.current_thread())
                self._changed.notify_all()

    def _answer(self, connection: socket.socket) -> Response:
        try:
            request = _read(connection, time.monotonic() + self._seconds)
        except Refused as refused:
            return Response(refused.status.phrase.encode(), refused.status, {"Content-Type": "text/plain"})
        finally:
            connection.settimeout(self._seconds)
        with self.lock:
            try:
                return self._respond(request)
            except Exception as error:  # the browser needs an answer; `fault` keeps the exception
                self.fault = self.fault or error
                status = HTTPStatus.INTERNAL_SERVER_ERROR
                return Response(status.phrase.encode(), status, {"Content-Type": "text/plain"})


def _read(connection: socket.socket, deadline: float) -> Request:
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > MAX_HEAD:
            raise Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        data += _receive(connection, deadline)
    head, _, body = data.partition(b"\r\n\r\n")
    if len(head) > MAX_HEAD:
        raise Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
    line, *lines = head.decode("latin-1").split("\r\n")
    match = _REQUEST_LINE.fullmatch(line)
    headers = {name.strip().lower(): value.strip() for name, colon, value in (text.partition(":") for text in lines)}
    if match is None or "transfer-encoding" in headers:
        raise Refused(HTTPStatus.BAD_REQUEST)
    length = headers.get("content-length", "0")
    if not re.fullmatch(r"[0-9]{1,12}", length):
        raise Refused(HTTPStatus.BAD_REQUEST)
    if int(length) > MAX_BODY:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    while len(body) < int(length):
        body += _receive(connection, deadline)
    if body and not headers.get("content-type", "").lower().startswith(_FORM):
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    path, _, query = match[2].partition("?")
    return Request(match[1], unquote(path), _fields(query), _fields(body[: int(length)].decode("latin-1")))


def _receive(connection: socket.socket, deadline: float) -> bytes:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)
    data = connection.recv(65536)
    if not data:
        raise ConnectionError
    return data


def _drain(connection: socket.socket) -> None:
    """Reads what the client is still sending: closing earlier could discard the response before the client reads it."""
    connection.settimeout(_DRAIN_SECONDS)
    left = 8 * MAX_BODY
    while left > 0 and (data := connection.recv(65536)):
        left -= len(data)


def _fields(text: str) -> dict[str, list[str]]:
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise Refused(HTTPStatus.BAD_REQUEST) from None


def _encode(response: Response) -> bytes:
    status = response.status
    headers = {**response.headers, "Content-Length": str(len(response.body)), "Connection": "close"}
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + response.body
