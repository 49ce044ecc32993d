"""The server of web sites: programs in a seat cannot use up the worker's files or threads."""

from __future__ import annotations

import contextlib
import os
import socket
import threading

import pytest

from fairground_desk.browser.serving import MAX_CONNECTIONS, Response, Server

pytestmark = pytest.mark.conformance


@pytest.fixture
def server() -> Server:
    listener = socket.create_server(("127.0.0.1", 0), backlog=MAX_CONNECTIONS)
    return Server(listener, lambda request: Response(request.path.encode()))


def test_a_flood_of_connections_uses_no_more_than_the_limit(server: Server) -> None:
    files, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    with contextlib.closing(server), contextlib.ExitStack() as stack:
        held = []
        for _ in range(3 * MAX_CONNECTIONS):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=20))
            held.append(client)
        for refused in held[MAX_CONNECTIONS:]:
            assert refused.recv(1) == b"", "closed by the server"
        assert threading.active_count() <= threads + MAX_CONNECTIONS
        assert len(os.listdir("/proc/self/fd")) <= files + len(held) + MAX_CONNECTIONS
        assert get(held[0], "/first") == b"/first", "those that were accepted are answered"


def test_a_connection_that_ended_makes_room_for_another(server: Server) -> None:
    with contextlib.closing(server):
        for number in range(2 * MAX_CONNECTIONS):
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
                assert get(client, f"/{number}") == f"/{number}".encode()


def get(client: socket.socket, path: str) -> bytes:
    client.sendall(f"GET http://news.example{path} HTTP/1.1\r\nHost: news.example\r\n\r\n".encode())
    with client.makefile("rb") as answer:
        return answer.read().partition(b"\r\n\r\n")[2]
