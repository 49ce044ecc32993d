"""Attacks on the environment server: nonsense, floods, lost clients, dead browsers, restarts."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket as sockets
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed

from fairground.core import ACTION_KINDS
from fairground.remote import EnvironmentServer
from fairground.remote.protocol import MAX_MESSAGE
from tests.waiting import eventually

from .stage import BOARDS, LOOK, call, close, connected, held_server, open_session, request

pytestmark = pytest.mark.process

DEEP = b"[" * 100_000
NESTED: Any = 0
for _ in range(400):
    NESTED = [NESTED]


WRONG_MESSAGES: list[str | bytes] = [
    "",
    "{",
    "[]",
    "null",
    '{"id": 1}',
    '{"id": "x", "method": "open"}',
    '{"id": true, "method": "open"}',
    '{"id": 1, "method": 5}',
    '{"id": 1, "method": "dance"}',
    '{"id": 1, "method": "step"}',
    '{"id": 1, "method": "step", "session": 5, "action": {}}',
    '{"id": 1, "method": "open", "session": "mine"}',
    '{"id": 1, "method": "close", "session": "mine", "now": 1}',
    "[" * 100_000,
    b"\x00" * 10,
]


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        (b"", 201, None),
        (b"{", 422, "invalid_input"),
        (b"\xff\xfe", 422, "invalid_input"),
        (b"[]", 422, "invalid_input"),
        (b'{"seed": NaN}', 422, "invalid_input"),
        (b'{"seed": 1, "seed": 2}', 422, "invalid_input"),
        (b'{"seed": "1"}', 422, "invalid_input"),
        (b'{"seed": -1}', 422, "invalid_input"),
        (b'{"seeds": 1}', 422, "invalid_input"),
        (b'{"group": 0}', 422, "invalid_input"),
        (b'{"group": 1000000000}', 503, "capacity"),
        (b'{"lease": 1e300}', 422, "invalid_input"),
        (b'{"lease": 0}', 422, "invalid_input"),
        (b'{"split": "train"}', 422, "invalid_input"),
        (b'{"observations": ["smell"]}', 422, "invalid_input"),
        (b'{"options": {"colour": "red"}}', 422, "invalid_input"),
        (b'{"options": {"theme": 5}}', 422, "invalid_input"),
        (b'{"options": {"theme": "pink"}}', 422, "invalid_input"),
        (b'{"options": {"world": "pocket"}}', 422, "invalid_input"),
        (b'{"world": []}', 422, "invalid_input"),
        (b'{"world": "pocket/notes"}', 422, "invalid_input"),
        (b'{"world": "boards/board/write"}', 422, "invalid_input"),
        (b'{"world": "/etc"}', 422, "invalid_input"),
        (b'{"world": "."}', 422, "invalid_input"),
        (b'{"world": ""}', 422, "invalid_input"),
        (b'{"world": "boards/a/b/c/d/e"}', 422, "invalid_input"),
        (DEEP, 422, "invalid_input"),
        (json.dumps({"options": {"world": NESTED}}).encode(), 422, "invalid_input"),
        (b'{"world": "' + b"x" * MAX_MESSAGE + b'"}', 413, "too_large"),
    ],
    ids=lambda value: str(value)[:24] if isinstance(value, bytes) else None,
)
def test_what_a_client_sends_to_open_a_session_is_checked(url: str, body: bytes, status: int, kind: str | None) -> None:
    answered, data, _ = request(url, "POST", "/v1/sessions", raw=body)
    assert answered == status, data
    if kind is None:
        close(url, data["sessions"][0]["session"])
    else:
        assert data["error"]["type"] == kind and data["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/sessions", 405),
        ("POST", "/v1/server", 405),
        ("POST", "/v1/sessions/nobody/step", 422),
        ("POST", "/v1/sessions/nobody/reset", 404),
        ("POST", "/v1/sessions/nobody/dance", 422),
        ("POST", "/v1/sessions/nobody/open", 422),
        ("POST", "/v1/sessions/%2e%2e%2fetc/reset", 404),
        ("DELETE", "/v1/sessions/nobody", 404),
        ("GET", "/v1/frames/../../etc/passwd", 404),
        ("GET", "/state?session=nobody", 404),
    ],
)
def test_unknown_paths_sessions_and_methods_are_typed_errors(url: str, method: str, path: str, status: int) -> None:
    answered, body, _ = request(url, method, path)
    assert answered == status and body["error"]["message"]


def test_a_body_in_chunks_without_an_end_is_refused_when_it_is_too_large(url: str) -> None:
    place = urlsplit(url)
    with sockets.create_connection((place.hostname, place.port), timeout=60) as connection:
        head = f"POST /v1/sessions HTTP/1.1\r\nHost: {place.netloc}\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head.encode())
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        answer = b""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the server answered, and reads no more
            for _ in range(64):
                connection.sendall(chunk)
        with contextlib.suppress(ConnectionResetError):  # what was sent and not read may discard the answer
            while data := connection.recv(65536):
                answer += data
        assert b" 413 " in answer.split(b"\r\n")[0] or answer == b""


def test_wrong_messages_are_answered_and_the_connection_goes_on(url: str) -> None:
    with connected(url) as socket:
        for message in WRONG_MESSAGES:
            socket.connection.send(message)
            answer = socket.receive()
            assert answer["error"]["type"] == "invalid_input", (message[:40], answer)
            assert "id" in answer and "result" not in answer
        session = socket.call("open")["sessions"][0]["session"]
        wrong: list[Any] = [{}, {"kind": 5}, {"kind": "drag"}, {"kind": "click", "point": NESTED}, {"kind": NESTED}]
        wrong += [{"kind": kind, "nonsense": NESTED} for kind in ACTION_KINDS]
        for action in wrong:
            error = socket.call("step", session=session, action=action)
            assert error["type"] == "invalid_action", (action, error)
        assert socket.call("step", session=session, action="click")["type"] == "invalid_input"
        assert socket.call("step", session=session, action=LOOK)["observation"]["step"] == 1
        socket.call("close", session=session)


def test_a_message_that_is_too_large_ends_the_connection_and_its_sessions(url: str, board_server: Any) -> None:
    with connected(url) as socket:
        socket.call("open")
        socket.connection.send("x" * (MAX_MESSAGE + 1))
        with pytest.raises(ConnectionClosed) as closed:
            socket.receive()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
    eventually(lambda: board_server.sessions.in_use == 0)


def test_a_full_table_is_answered_at_once_and_a_freed_seat_is_usable_at_once(url: str) -> None:
    with connected(url) as socket:
        sessions = [start["session"] for start in socket.call("open", group=4)["sessions"]]
        for method in ("/v1/sessions", "/reset"):
            status, body, headers = request(url, "POST", method, {})
            assert status == 503 and body["error"]["type"] == "capacity" and "4 of 4" in body["error"]["message"]
            assert int(headers["retry-after"]) >= 1
        assert socket.call("open")["type"] == "capacity"
        assert socket.call("fork", session=sessions[0])["type"] == "capacity"
        with connected(url, "/ws") as peer:
            peer.connection.send('{"type": "reset"}')
            full = json.loads(peer.connection.recv(60))["data"]
            assert full["code"] == "CAPACITY_REACHED" and full["active_sessions"] == full["max_sessions"] == 4
        for _ in range(3):
            assert close(url, sessions.pop()) == 204
            sessions.append(open_session(url)["session"])
        for session in sessions:
            close(url, session)


@pytest.fixture
def held() -> Iterator[tuple[EnvironmentServer, Any]]:
    with held_server(2) as held:
        yield held


def test_a_second_call_is_busy_and_cancel_answers_the_first(held: tuple[EnvironmentServer, Any]) -> None:
    server, gate = held
    with connected(server.url) as first, connected(server.url) as second:
        session = first.call("open")["sessions"][0]["session"]
        number = first.send("step", session=session, action={"kind": "answer", "text": "Hello"})
        gate.wait_for_step()
        for method, fields in (("step", {"action": LOOK}), ("reset", {}), ("score", {}), ("fork", {})):
            assert second.call(method, session=session, **fields)["type"] == "busy"
        cancel = second.send("cancel", session=session)
        answer = first.receive()  # at once, while the seat is still at work
        assert answer["id"] == number and answer["error"]["type"] == "cancelled" and "result" not in answer
        assert second.call("step", session=session, action=LOOK)["type"] == "busy"
        gate.open.set()
        assert second.receive() == {"id": cancel, "result": {"cancelled": True}}
        assert second.call("step", session=session, action=LOOK)["type"] == "episode_over"
        assert second.call("reset", session=session)["observation"]["step"] == 0
        assert first.call("step", session=session, action=LOOK)["observation"]["step"] == 1
        second.call("close", session=session)


def test_a_client_that_disconnects_in_a_step_loses_its_sessions(held: tuple[EnvironmentServer, Any]) -> None:
    server, gate = held
    with connected(server.url) as socket:
        session = socket.call("open")["sessions"][0]["session"]
        socket.send("step", session=session, action=LOOK)
        gate.wait_for_step()
    _, body = call(server.url, session, "reset")
    assert body["error"]["type"] in ("busy", "unknown_session")
    assert server.sessions.in_use == 1  # the seat is at work
    gate.open.set()
    eventually(lambda: server.sessions.in_use == 0)
    assert 'sessions_closed_total{by="disconnect"} 1' in request(server.url, "GET", "/metrics")[1].decode()
    sessions = [open_session(server.url)["session"] for _ in range(2)]
    assert [close(server.url, session) for session in sessions] == [204, 204]


def test_a_client_that_disconnects_while_a_session_opens_leaves_none(held: tuple[EnvironmentServer, Any]) -> None:
    server, _ = held
    with connected(server.url) as socket:
        socket.send("open", group=2)
        eventually(lambda: server.sessions.in_use == 2)
    eventually(lambda: server.sessions.in_use == 0)


def test_closing_a_session_in_a_step_answers_the_step_and_frees_the_seat(held: tuple[EnvironmentServer, Any]) -> None:
    server, gate = held
    with connected(server.url) as socket:
        session = socket.call("open")["sessions"][0]["session"]
        step = socket.send("step", session=session, action=LOOK)
        gate.wait_for_step()
        closing = threading.Thread(target=close, args=(server.url, session))
        closing.start()
        answer = socket.receive()
        assert answer["id"] == step and answer["error"]["type"] == "cancelled"
        gate.open.set()
        closing.join()
        assert server.sessions.in_use == 0


def test_a_fork_that_is_cancelled_leaves_no_session(board_server: EnvironmentServer, url: str) -> None:
    with connected(url) as first, connected(url) as second:
        session = first.call("open")["sessions"][0]["session"]
        fork = first.send("fork", session=session, count=2)
        eventually(lambda: board_server.sessions.in_use == 3)
        assert second.call("cancel", session=session) == {"cancelled": True}
        answer = first.receive()
        assert answer["id"] == fork and answer["error"]["type"] == "cancelled"
        assert board_server.sessions.in_use == 1
        first.call("close", session=session)


@pytest.mark.slow
def test_stopping_the_server_answers_running_calls_and_leaves_no_seat() -> None:
    with held_server(2) as (server, gate), connected(server.url) as socket:
        session = socket.call("open", group=2)["sessions"][0]["session"]
        socket.send("step", session=session, action=LOOK)
        gate.wait_for_step()
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        assert socket.receive()["error"]["type"] == "closing"
        gate.open.set()
        stopping.join()
        with pytest.raises(ConnectionClosed):
            socket.receive()
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("session")]
    with EnvironmentServer(BOARDS, seats=1, port=urlsplit(server.url).port or 0) as again:
        assert call(again.url, session, "step", action=LOOK)[1]["error"]["type"] == "unknown_session"


def test_a_client_that_does_not_read_is_disconnected() -> None:
    with EnvironmentServer(BOARDS, seats=1, share_browser=True, send_seconds=0.2) as server:
        place = urlsplit(server.url)
        connection = sockets.socket()
        connection.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        connection.connect((place.hostname, place.port))
        with connection, connected(server.url, sock=connection) as socket:
            socket.call("open")
            flood = json.dumps({"id": 1, "method": "x" * 1000})
            # Answers name the method, so they fill the buffers. The server then reads no more, and gives up.
            stopped = threading.Event()

            def send() -> None:
                try:
                    while True:
                        socket.connection.send(flood)
                except ConnectionClosed:
                    stopped.set()

            sender = threading.Thread(target=send, daemon=True)
            sender.start()
            eventually(lambda: server.sessions.in_use == 0)
            assert stopped.wait(60)
            sender.join()


@pytest.mark.slow
def test_an_agent_that_breaks_its_own_seat_has_failed() -> None:
    others = set(_below(os.getpid()))
    with EnvironmentServer(BOARDS, seats=1) as server:
        session = open_session(server.url)["session"]
        _kill_browser(server, others)
        status, body = call(server.url, session, "step", action={"kind": "answer", "text": "Hello"})
        assert status == 200 and body["terminated"] and body["reward"] == 0.0
        assert body["info"]["outcome"] == "failed" and body["info"]["ended_by"] == "seat"
        assert any(check["integrity"] and not check["passed"] for check in body["info"]["verdict"]["checks"])
        assert call(server.url, session, "reset")[0] == 200
        assert close(server.url, session) == 204


@pytest.mark.slow
def test_a_dead_shared_browser_is_an_error_and_the_session_can_be_reset() -> None:
    others = set(_below(os.getpid()))
    with EnvironmentServer(BOARDS, seats=2, share_browser=True) as server:
        sessions = [open_session(server.url)["session"] for _ in range(2)]
        _kill_browser(server, others)
        for session in sessions:
            status, body = call(server.url, session, "step", action={"kind": "answer", "text": "Hello"})
            assert status == 500 and body["error"]["type"] == "infrastructure" and "reward" not in body
            assert call(server.url, session, "step", action=LOOK)[1]["error"]["type"] == "episode_over"
            assert call(server.url, session, "reset")[0] == 200
            assert call(server.url, session, "step", action=LOOK)[1]["observation"]["step"] == 1
            assert close(server.url, session) == 204


def _kill_browser(server: EnvironmentServer, others: set[int]) -> None:
    """Kill the processes of the only browser of a server, not those of others, and wait until its seats know."""
    host: Any = server.place
    worker = next(iter(host._places.values())).worker
    for child in set(_below(os.getpid())) - others:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ended with its parent
            if b"chrom" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGKILL)
    eventually(lambda: not worker._env.seat.screen.alive)


def _below(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(parent, []).append(int(name))
    found, left = [], [pid]
    while left:
        left += (below := children.get(left.pop(), []))
        found += below
    return found
