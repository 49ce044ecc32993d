"""Clients whose server is missing, refuses them, restarts, loses their session, or sends nonsense."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.sync.server import ServerConnection, serve

from fairground.core import InfrastructureError, InvalidInput, Look
from fairground.remote import (
    AsyncClient,
    EnvironmentServer,
    RemoteEnv,
    RemoteError,
    ServerLost,
    SessionLost,
    Unauthorized,
)
from fairground.remote.bands import BandDecoder
from fairground.remote.connection import Address, Connection
from tests.waiting import eventually

pytestmark = pytest.mark.process

WORLD = "pocket/notes/count-label"


def closed_port() -> str:
    """An address where nothing listens; it stays bound, so that nothing else can."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    _HELD.append(taken)
    return f"http://127.0.0.1:{taken.getsockname()[1]}"


_HELD: list[socket.socket] = []


@pytest.fixture(autouse=True)
def released() -> Iterator[None]:
    yield
    while _HELD:
        _HELD.pop().close()


@pytest.fixture
def env() -> Iterator[Callable[..., RemoteEnv]]:
    """Makes environments that are closed at the end."""
    with contextlib.ExitStack() as stack:

        def make(*args: Any, **settings: Any) -> RemoteEnv:
            env = RemoteEnv(*args, **settings)
            stack.callback(env.close)
            return env

        yield make


@pytest.mark.parametrize("url", ["", "127.0.0.1:8765", "ftp://host", "http://", "http://host/v1", "ws://host:1"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="expected the URL of a server"):
        RemoteEnv(url)


def test_a_server_that_is_not_there_is_said_with_what_to_do() -> None:
    url = closed_port()
    with pytest.raises(ServerLost, match="does not answer.*refused") as lost:
        RemoteEnv(url)
    assert isinstance(lost.value, InfrastructureError) and "serve-env" in str(lost.value.fix)

    async def connect() -> None:
        async with AsyncClient(url):
            raise AssertionError("it connected to nothing")

    with pytest.raises(ServerLost):
        asyncio.run(connect())


def test_a_token_is_asked_for_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with EnvironmentServer(WORLD, seats=1, token="open-sesame") as server:
        for wrong in (None, "sesame"):
            with pytest.raises(Unauthorized, match="missing or wrong"):
                RemoteEnv(server.url, token=wrong)
            with pytest.raises(Unauthorized, match="missing or wrong"):
                Connection(Address(server.url, wrong), 10)
        assert RemoteEnv(server.url, token="open-sesame").server["seats"]["all"] == 1
        monkeypatch.setenv("FAIRGROUND_TOKEN", "open-sesame")
        env = RemoteEnv(server.url)
        assert "sesame" not in repr(env._address)
        Connection(env._address, 10).close()


@pytest.mark.slow
def test_a_restarted_server_ends_the_episode_and_only_a_reset_goes_on_if_asked_for(
    env: Callable[..., RemoteEnv],
) -> None:
    with EnvironmentServer(WORLD, seats=2, share_browser=True) as server:
        url, port = server.url, urlsplit(server.url).port
        careful, eager = env(url), env(url, reconnect=True)
        for one in (careful, eager):
            one.reset(seed=1)
    assert port is not None
    with EnvironmentServer(WORLD, seats=2, port=port, share_browser=True) as server:
        for one in (careful, eager):
            with pytest.raises(InfrastructureError):
                one.step(Look())
            with pytest.raises(InvalidInput, match="call reset first"):
                one.step(Look())
        for _ in range(2):
            with pytest.raises(RemoteError, match=r"(?s)make a new environment, or pass reconnect=True"):
                careful.reset()
        assert server.sessions.count == 0
        eager.reset()
        assert eager.step(Look())[4]["step"] == 1 and server.sessions.count == 1
        eager.close()
        assert server.sessions.count == 0


@pytest.mark.slow
def test_a_session_whose_lease_ran_out_is_lost_and_replaced_if_asked_for(env: Callable[..., RemoteEnv]) -> None:
    with EnvironmentServer(WORLD, seats=1, share_browser=True) as server:
        idle = env(server.url, lease=0.2, reconnect=True)
        idle.reset(seed=1)
        eventually(lambda: server.sessions.in_use == 0)
        with pytest.raises(SessionLost, match="its lease ran out"):
            idle.step(Look())
        with pytest.raises(InvalidInput, match="call reset first"):
            idle.step(Look())
        idle._asked["lease"] = None
        idle.reset()
        assert idle.step(Look())[4]["step"] == 1


# --- servers that are not ours ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def speaking(handler: Callable[[ServerConnection], None]) -> Iterator[Connection]:
    """A connection to a WebSocket server that does this."""
    with serve(handler, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            connection = Connection(Address(f"http://127.0.0.1:{server.socket.getsockname()[1]}"), timeout=0.5)
            try:
                yield connection
            finally:
                connection.close()
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "message",
    ["", "no JSON", "[1]", '{"id": 0}', '{"result": 1}', '{"id": null, "error": {}}', "[" * 100_000],
    ids=["empty", "text", "list", "neither", "no id", "error without id", "deep"],
)
def test_nonsense_from_a_server_ends_the_connection_and_says_so(message: str) -> None:
    with speaking(lambda peer: (peer.recv(), peer.send(message))) as connection:
        for _ in range(2):
            with pytest.raises(ServerLost):
                connection.call("step")


def test_an_answer_that_nobody_asked_for_and_a_frame_that_is_none_do_no_harm() -> None:
    def answer(peer: ServerConnection) -> None:
        peer.recv()
        for message in (
            b"",
            b"short",
            b"0" * 32 + b"no PNG",
            '{"id": 99, "result": 1}',
            '{"id": 0, "result": {"a": 1}}',
        ):
            peer.send(message)
        peer.recv()

    with speaking(answer) as connection:
        assert connection.call("step") == {"a": 1}
        with pytest.raises(InvalidInput, match="not a readable image"):
            BandDecoder().decode(connection.png("0" * 32))


def test_an_error_of_a_kind_that_is_not_known_yet_is_still_an_error() -> None:
    error = {"type": "from_the_future", "message": "no", "fix": None, "retry_after": None}

    def answer(peer: ServerConnection) -> None:
        peer.recv()
        peer.send(json.dumps({"id": 0, "error": error}))
        peer.recv()
        peer.send(json.dumps({"id": 1, "error": {"surprise": 1}}))

    with speaking(answer) as connection:
        with pytest.raises(RemoteError, match="^no$"):
            connection.call("step")
        with pytest.raises(RemoteError, match="cannot read"):
            connection.call("step")


@pytest.mark.parametrize(
    "end", [lambda peer: peer.close(), lambda peer: peer.socket.shutdown(2)], ids=["closed", "cut"]
)
def test_all_threads_that_wait_learn_that_the_connection_ended(end: Callable[[ServerConnection], None]) -> None:
    asked = threading.Barrier(2)

    def hang_up(peer: ServerConnection) -> None:
        for _ in range(3):
            peer.recv()
        asked.wait()
        end(peer)

    with speaking(hang_up) as connection:
        connection._timeout = 60
        errors: list[BaseException] = []

        def call() -> None:
            try:
                connection.call("step")
            except ServerLost as error:
                errors.append(error)

        threads = [threading.Thread(target=call) for _ in range(3)]
        for thread in threads:
            thread.start()
        asked.wait()
        for thread in threads:
            thread.join()
        assert len(errors) == 3 and not connection.alive


def test_a_server_that_never_answers_is_given_up_after_the_timeout() -> None:
    done = threading.Event()
    with speaking(lambda peer: done.wait(60)) as connection:
        with pytest.raises(ServerLost, match="no answer within 0.5 s"):
            connection.call("step")
        done.set()


def test_an_answer_of_another_program_is_an_error_with_its_status() -> None:
    class Teapot(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(418)
            self.send_header("Content-Length", "15")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"short and stout")

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Teapot) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_port}"
            with pytest.raises(RemoteError, match="HTTP status 418"):
                RemoteEnv(url)
            with pytest.raises(RemoteError, match="HTTP status 418"):
                Connection(Address(url), 10)
        finally:
            server.shutdown()
            thread.join()
