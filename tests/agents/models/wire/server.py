"""A real HTTP server on the loopback interface whose answers a test has written down beforehand."""

from __future__ import annotations

import json
import platform
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

platform.platform()  # the SDKs ask for it, and the first time in a process it starts `uname`; tests of tier 0 may not
platform.processor()


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Any
    size: int


@dataclass(frozen=True)
class Answered:
    """What goes back: chunks one after the other; with `cut`, the connection breaks before the body ends."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    chunks: Iterable[bytes] = ()
    cut: bool = False


class WireServer:
    """Serves one function in threads; `url` is where."""

    def __init__(self, answer: Callable[[Asked], Answered]) -> None:
        self.asked: list[Asked] = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # a chunk would wait for the acknowledgement of the one before it: 40 ms

            def do_POST(handler) -> None:
                length = int(handler.headers.get("content-length") or 0)
                raw = handler.rfile.read(length)
                headers = {name.lower(): value for name, value in handler.headers.items()}
                try:
                    body = json.loads(raw)
                except ValueError:
                    body = None
                asked = Asked(handler.path, headers, body, length)
                self.asked.append(asked)
                handler.reply(answer(asked))

            def reply(handler, answered: Answered) -> None:
                handler.send_response(answered.status)
                for name, value in answered.headers.items():
                    handler.send_header(name, value)
                handler.send_header("transfer-encoding", "chunked")
                handler.end_headers()
                try:
                    for chunk in answered.chunks:
                        handler.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                        handler.wfile.flush()
                    if answered.cut:
                        handler.close_connection = True
                        handler.connection.shutdown(socket.SHUT_RDWR)
                        return
                    handler.wfile.write(b"0\r\n\r\n")
                except OSError:
                    handler.close_connection = True  # the other side had enough

            def log_message(handler, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> WireServer:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
