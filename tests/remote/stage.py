"""A raw client of an environment server, and a server whose steps a test can hold."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

from fairground.remote import EnvironmentServer, LocalHost
from fairground.remote.seats import Seats
from fairground.remote.worker import Reply, Worker
from fairground.worlds import World
from tests.worlds.board import world

BOARDS: tuple[World, ...] = tuple(
    world(profile=profile, theme=theme) for profile in ("short", "long") for theme in ("white", "blue")
)
WORDS = {"short": "Hello", "long": "Lunch at one"}
LOOK = {"kind": "look"}


def request(
    url: str,
    method: str,
    path: str,
    body: Any = None,
    *,
    headers: dict[str, str] | None = None,
    raw: bytes | None = None,
) -> tuple[int, Any, dict[str, str]]:
    """Send a request. Returns status, body (parsed if it is JSON) and headers."""
    place = urlsplit(url)
    if place.scheme == "https":
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(place.netloc, timeout=60, context=context)
    else:
        connection = http.client.HTTPConnection(place.netloc, timeout=60)
    try:
        data = raw if raw is not None else json.dumps(body).encode() if body is not None else None
        connection.request(method, path, data, headers or {})
        response = connection.getresponse()
        content = response.read()
        named = {name.lower(): value for name, value in response.getheaders()}
        if named.get("content-type") == "application/json":
            return response.status, json.loads(content), named
        return response.status, content, named
    finally:
        connection.close()


def open_session(url: str, **fields: Any) -> dict[str, Any]:
    """Open a session over HTTP and return its start."""
    status, body, _ = request(url, "POST", "/v1/sessions", fields)
    assert status == 201, body
    start: dict[str, Any] = body["sessions"][0]
    return start


def call(url: str, session: str, method: str, **fields: Any) -> tuple[int, Any]:
    """Call a method of a session over HTTP."""
    status, body, _ = request(url, "POST", f"/v1/sessions/{session}/{method}", fields)
    return status, body


def close(url: str, session: str) -> int:
    """Close a session over HTTP."""
    return request(url, "DELETE", f"/v1/sessions/{session}")[0]


class Socket:
    """A raw WebSocket client: sends messages, and keeps what it received."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.frames: list[bytes] = []
        self._number = 0

    def send(self, method: str, **fields: Any) -> int:
        self._number += 1
        self.connection.send(json.dumps({"id": self._number, "method": method, **fields}))
        return self._number

    def receive(self) -> Any:
        """Return the next answer. Frames before it are added to `frames`."""
        while isinstance(message := self.connection.recv(60), bytes):
            self.frames.append(message)
        return json.loads(message)

    def call(self, method: str, **fields: Any) -> Any:
        """Call a method, and return its result or error."""
        number = self.send(method, **fields)
        answer = self.receive()
        assert answer.pop("id") == number
        return answer.get("result", answer.get("error"))


@contextmanager
def connected(url: str, path: str = "/v1/connect", **options: Any) -> Iterator[Socket]:
    """A connection to the WebSocket API."""
    with connect(url.replace("http", "ws", 1) + path, max_size=1 << 26, **options) as connection:
        yield Socket(connection)


class Gate:
    """Holds every step of a server until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.entered = threading.Semaphore(0)

    def worker(self, observations: Sequence[str], seats: Seats) -> Worker:
        gate = self

        class Held(Worker):
            def step(self, action: dict[str, Any]) -> Reply:
                gate.entered.release()
                assert gate.open.wait(60)
                return super().step(action)

        return Held(observations, seats=seats)

    def wait_for_step(self) -> None:
        """Wait until a step has begun."""
        assert self.entered.acquire(timeout=60)


@contextmanager
def held_server(seats: int, **options: Any) -> Iterator[tuple[EnvironmentServer, Gate]]:
    """A server whose steps wait for the gate."""
    gate, source = Gate(), Seats(seats, share=True)
    host = LocalHost(seats, lambda observations: gate.worker(observations, source), source.close)
    with EnvironmentServer(BOARDS, place=host, **options) as server:
        try:
            yield server, gate
        finally:
            gate.open.set()  # or else the seats would not close
