"""An HTTP proxy on the seat's loopback that serves web sites from the host, out of reach of the sandbox.

The browser sends every request to this proxy, so host names need no resolver and nothing leaves the machine.
"""

from __future__ import annotations

import contextlib
import http.server
import re
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

MAX_BODY: Final = 1 << 18
MAX_FIELDS: Final = 200
MAX_CONNECTIONS: Final = 64
"""Maximum number of open connections. Chromium opens at most 32 to a proxy; further ones are closed unanswered."""
SECONDS: Final = 10.0


@dataclass(frozen=True)
class Request:
    """A request. `query` and `form` have the last value of each field; `path` is unquoted."""

    method: str
    host: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Response:
    """The body, content type and status of an answer."""

    body: bytes
    kind: str = "text/html; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)


class Server:
    """Answers requests in threads of this process until it is closed.

    Args:
        listener: A listening socket; the server takes ownership.
        respond: Builds the response; called by one thread at a time.
    """

    def __init__(self, listener: socket.socket, respond: Callable[[Request], Response]) -> None:
        listener.setblocking(True)
        self.port: int = listener.getsockname()[1]
        self.lock = threading.RLock()
        """Held while a request is answered. Hold it to read what requests have changed."""
        self.fault: Exception | None = None
        """The first exception raised by `respond`. It is our fault, so recording a state must not ignore it."""
        self._respond = respond
        self._server = _Threads(("127.0.0.1", 0), self._handler(), bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = listener
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="sites", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the server. May be called twice."""
        self._server.shutdown()
        self._thread.join(SECONDS)
        self._server.server_close()

    def answer(self, request: Request) -> Response:
        """Return the response; keep an exception of ours in `fault` and answer with an error page."""
        with self.lock:
            try:
                return self._respond(request)
            except Exception as error:  # the browser needs an answer; `fault` keeps the exception
                self.fault = self.fault or error
                return Response(b"error", "text/plain", HTTPStatus.INTERNAL_SERVER_ERROR)

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            timeout = SECONDS
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer({})

            def do_POST(self) -> None:
                length = self.headers.get("Content-Length", "0")
                if not re.fullmatch(r"[0-9]{1,9}", length) or int(length) > MAX_BODY:
                    self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                    return
                self._answer(_fields(self.rfile.read(int(length)).decode("utf-8", "replace")))

            def do_CONNECT(self) -> None:
                self.send_error(HTTPStatus.FORBIDDEN)

            def log_message(self, format: str, *args: object) -> None:
                """Log nothing."""

            def _answer(self, form: Mapping[str, str]) -> None:
                try:
                    parts = urlsplit(self.path)
                    host = parts.hostname or ""
                except ValueError:
                    self.send_error(HTTPStatus.BAD_REQUEST)
                    return
                asked = Request(self.command, host, unquote(parts.path) or "/", _fields(parts.query), form)
                given = server.answer(asked)
                self.send_response(given.status)
                headers = {"Content-Type": given.kind, "Content-Length": str(len(given.body)), "Connection": "close"}
                for name, value in (headers | dict(given.headers)).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(given.body)
                self.close_connection = True

        return Handler


class _Threads(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own; close the connection if too many are open."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnected."""


def _fields(text: str) -> dict[str, str]:
    with contextlib.suppress(ValueError):
        return {name: values[-1] for name, values in parse_qs(text, True, max_num_fields=MAX_FIELDS).items()}
    return {}
