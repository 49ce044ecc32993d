"""The protocol client against a browser that misbehaves: the other ends of the pipes are ours."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fairground.core import ScreenError
from fairground.screen.cdppipe import Gone, Pipe
from fairground.screen.cdpwire import NoAnswer, ProtocolError, Wire


class Peer:
    """What plays the browser."""

    def __init__(self, *, limit: int = 1 << 20) -> None:
        self.reads, we_write = os.pipe()
        we_read, self.writes = os.pipe()
        self.wire = Wire(Pipe(we_read, we_write, describe=lambda: "its last words", limit=limit))
        self._buffer = b""

    def receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            self._buffer += os.read(self.reads, 65536)
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))

    def send(self, message: dict[str, Any] | bytes) -> None:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        data += b"\0"
        while data:
            data = data[os.write(self.writes, data) :]

    def answer(self, reply: Callable[[dict[str, Any]], dict[str, Any] | bytes]) -> threading.Thread:
        thread = threading.Thread(target=lambda: self.send(reply(self.receive())))
        thread.start()
        return thread

    def end(self) -> None:
        for fd in (self.reads, self.writes):
            if fd >= 0:
                os.close(fd)
        self.reads = self.writes = -1


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.wire.close()
    peer.end()


def test_a_call_returns_the_answer_to_its_own_number(peer: Peer) -> None:
    def reply(message: dict[str, Any]) -> dict[str, Any]:
        peer.send({"id": 999, "result": {"not": "ours"}})
        peer.send({"method": "Some.event", "params": {}})
        assert (message["method"], message["params"], message["sessionId"]) == ("A.b", {"x": 1}, "s")
        return {"id": message["id"], "result": {"ok": True}}

    thread = peer.answer(reply)
    assert peer.wire.call("A.b", {"x": 1}, session="s", timeout=10) == {"ok": True}
    thread.join()


def test_a_refused_command_names_the_method(peer: Peer) -> None:
    thread = peer.answer(lambda message: {"id": message["id"], "error": {"code": -1, "message": "no such thing"}})
    with pytest.raises(ProtocolError, match=r"A\.b: no such thing"):
        peer.wire.call("A.b", timeout=10)
    thread.join()


def test_no_answer_is_an_error_at_the_deadline(peer: Peer) -> None:
    with pytest.raises(NoAnswer, match=r"A\.b: no answer"):
        peer.wire.call("A.b", timeout=0.05)


def test_a_browser_that_ends_is_noticed_at_once_with_its_last_words(peer: Peer) -> None:
    started = time.monotonic()

    def receive_and_end() -> None:
        peer.receive()
        peer.end()

    thread = threading.Thread(target=receive_and_end)
    thread.start()
    with pytest.raises(Gone, match=r"A\.b: the browser exited(.|\n)*its last words"):
        peer.wire.call("A.b", timeout=60)
    thread.join()
    assert time.monotonic() - started < 30
    assert not peer.wire.alive
    with pytest.raises(ScreenError, match="the browser exited"):
        peer.wire.call("A.b")
    with pytest.raises(ScreenError, match="the browser exited"):
        peer.wire.wait(lambda: False, 60)
    peer.wire.post("A.b")


def test_an_answer_over_the_limit_fails_its_call_and_nothing_else() -> None:
    peer = Peer(limit=10_000)
    thread = peer.answer(lambda message: {"id": message["id"], "result": {"data": "x" * 3_000_000}})
    with pytest.raises(ScreenError, match=r"A\.b: an answer of over"):
        peer.wire.call("A.b", timeout=20)
    thread.join()
    thread = peer.answer(lambda message: {"id": message["id"], "result": {"n": 1}})
    assert peer.wire.call("A.c", timeout=20) == {"n": 1}
    thread.join()
    peer.wire.close()
    peer.end()


@pytest.mark.parametrize("garbage", [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b"null", b'{"method": 3}'])
def test_garbage_is_skipped(peer: Peer, garbage: bytes) -> None:
    def reply(message: dict[str, Any]) -> dict[str, Any]:
        peer.send(garbage)
        return {"id": message["id"], "result": {}}

    thread = peer.answer(reply)
    assert peer.wire.call("A.b", timeout=20) == {}
    thread.join()


def test_an_answer_that_is_not_json_fails_its_call(peer: Peer) -> None:
    thread = peer.answer(lambda message: b'{"id":%d,"result":' % message["id"] + b"[" * 100_000)
    with pytest.raises(ScreenError, match=r"A\.b: an answer that is not JSON"):
        peer.wire.call("A.b", timeout=20)
    thread.join()


def test_a_handler_may_send_commands(peer: Peer) -> None:
    peer.wire.on("Some.event", lambda params, session: peer.wire.post("Answer.it", params, session=session))
    peer.send({"method": "Some.event", "params": {"n": 7}, "sessionId": "s"})
    message = peer.receive()
    assert (message["method"], message["params"], message["sessionId"]) == ("Answer.it", {"n": 7}, "s")


def test_a_handler_that_fails_ends_the_wire_instead_of_hiding_it(peer: Peer) -> None:
    peer.wire.on("Some.event", lambda params, session: params["missing"])
    peer.send({"method": "Some.event", "params": {}})
    with pytest.raises(ScreenError, match="missing"):
        peer.wire.call("A.b", timeout=20)


def test_a_flood_of_events_is_read_as_it_comes(peer: Peer) -> None:
    seen: list[int] = []
    peer.wire.on("Some.event", lambda params, session: seen.append(params["n"]))
    for number in range(20_000):
        peer.send({"method": "Some.event", "params": {"n": number}})
    assert peer.wire.wait(lambda: len(seen) == 20_000, 30)
    assert seen == list(range(20_000))


def test_a_closed_session_fails_what_waits_for_it(peer: Peer) -> None:
    peer.wire.on("Gone", lambda params, session: peer.wire.end_session("s", "the page was closed"))
    thread = peer.answer(lambda message: {"method": "Gone", "params": {}})
    with pytest.raises(Gone, match=r"A\.b: the page was closed"):
        peer.wire.call("A.b", session="s", timeout=20)
    thread.join()
    assert peer.wire.alive


def test_a_browser_that_takes_no_input_is_given_up(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.screen.cdppipe._WRITE_SECONDS", 0.2)
    with pytest.raises(Gone, match="read no input"):
        peer.wire.call("A.b", {"text": "x" * 5_000_000}, timeout=20)


def test_closing_twice_and_from_a_handler_is_fine(peer: Peer) -> None:
    peer.wire.on("Some.event", lambda params, session: peer.wire.close())
    peer.send({"method": "Some.event", "params": {}})
    with pytest.raises(Gone, match="closed"):
        peer.wire.call("A.b", timeout=20)
    peer.wire.close()
    peer.wire.close()
