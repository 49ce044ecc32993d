"""The environment server as its clients see it: episodes, groups, frames, scores, leases and counts."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import socket as sockets
from typing import Any
from urllib.parse import urlsplit

import pytest
from PIL import Image

from fairground.core import ACTION_KINDS
from fairground.env import FairgroundEnv
from fairground.remote import EnvironmentServer
from fairground.remote.seats import Seats
from tests.waiting import eventually

from .stage import BOARDS, LOOK, WORDS, call, close, connected, open_session, request

pytestmark = pytest.mark.process


def words_of(start: dict[str, Any]) -> str:
    return next(words for profile, words in WORDS.items() if f"@{profile}/" in start["world"])


def test_an_episode_over_http_is_judged_and_the_session_can_be_reset(url: str) -> None:
    start = open_session(url, seed=3, observations=["screen", "cursor", "tree", "windows"])
    session = start["session"]
    assert start["instruction"] == "What is on the board?" and start["kind"] == "answer" and start["size"] == [412, 915]
    assert "Hello" in start["observation"]["tree"] or "Lunch" in start["observation"]["tree"]
    assert start["observation"]["step"] == 0 and start["observation"]["windows"]
    status, stepped = call(url, session, "step", action=LOOK)
    assert status == 200 and stepped["reward"] == 0.0 and stepped["observation"]["step"] == 1
    assert not stepped["terminated"] and not stepped["truncated"] and stepped["info"]["settled"]
    status, ended = call(url, session, "step", action={"kind": "answer", "text": words_of(start)})
    assert status == 200 and ended["reward"] == 1.0 and ended["terminated"]
    assert ended["info"]["outcome"] == "passed" and ended["info"]["verdict"]["checks"][0]["passed"]
    status, over = call(url, session, "step", action=LOOK)
    assert status == 409 and over["error"]["type"] == "episode_over"
    status, again = call(url, session, "reset", seed=4)
    assert status == 200 and again["session"] == session and again["observation"]["step"] == 0
    assert call(url, session, "step", action={"kind": "fail"})[1]["info"]["outcome"] == "failed"
    assert close(url, session) == 204
    assert call(url, session, "step", action=LOOK)[1]["error"]["type"] == "unknown_session"


def test_worlds_are_drawn_as_the_local_environment_draws_them(url: str) -> None:
    seats = Seats(1, share=True)
    local = FairgroundEnv(BOARDS, pool=seats)
    start = open_session(url, seed=11)
    drawn = [start["world"]]
    resets: list[dict[str, Any]] = [{}, {}, {}, {"seed": 11}, {"options": {"profile": "long", "theme": "blue"}}]
    for fields in resets:
        status, start = call(url, start["session"], "reset", **fields)
        assert status == 200, start
        drawn.append(start["world"])
    assert close(url, start["session"]) == 204
    try:
        expected = [local.reset(seed=11)[1]["world"]]
        expected += [local.reset()[1]["world"] for _ in range(3)]
        expected.append(local.reset(seed=11)[1]["world"])
    finally:
        local.close()
        seats.close()
    assert drawn[:-1] == expected and drawn[-1].endswith("@long/blue/default")


def test_a_group_has_one_start_and_stays_together_without_a_seed(url: str) -> None:
    with connected(url) as socket:
        group = socket.call("open", group=3)["sessions"]
        assert len({start["session"] for start in group}) == 3
        for _ in range(3):
            for name in ("world", "seed", "fingerprint", "instruction"):
                assert len({start[name] for start in group}) == 1
            assert len({start["observation"]["frame"]["digest"] for start in group}) == 1
            group = [socket.call("reset", session=start["session"]) for start in group]
        for start in group:
            socket.call("close", session=start["session"])


def test_a_group_that_does_not_fit_leaves_nothing(board_server: EnvironmentServer, url: str) -> None:
    status, body, headers = request(url, "POST", "/v1/sessions", {"group": 5})
    assert status == 503 and body["error"]["type"] == "capacity" and "0 of 4" in body["error"]["message"]
    assert int(headers["retry-after"]) >= 1 and board_server.sessions.count == 0


def test_frames_travel_once_and_can_be_fetched_by_their_digest(url: str) -> None:
    with connected(url) as socket:
        start = socket.call("open", world="boards/board/read/default@short/white", seed=1)["sessions"][0]
        named = start["observation"]["frame"]
        assert len(socket.frames) == 1
        digest, png = socket.frames[0][:32].decode(), socket.frames[0][32:]
        assert digest == named["digest"] == hashlib.blake2b(png, digest_size=16).hexdigest()
        assert Image.open(io.BytesIO(png)).size == (412, 915) == (named["width"], named["height"])
        for _ in range(2):
            assert socket.call("step", session=start["session"], action=LOOK)["observation"]["frame"] == named
        assert socket.call("reset", session=start["session"], seed=2)["observation"]["frame"] == named
        assert len(socket.frames) == 1
        status, content, headers = request(url, "GET", f"/v1/frames/{digest}")
        assert status == 200 and content == png and headers["content-type"] == "image/png"
        assert "immutable" in headers["cache-control"]
        assert request(url, "GET", f"/v1/frames/{digest}", headers={"If-None-Match": headers["etag"]})[0] == 304
        socket.call("close", session=start["session"])
    assert request(url, "GET", f"/v1/frames/{'0' * 32}")[0] == 404


def test_an_old_frame_is_sent_again_when_it_is_named_again(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.remote.websocket_api.KEPT_FRAMES", 1)
    with connected(url) as socket:
        session = socket.call("open")["sessions"][0]["session"]
        for theme in ("white", "blue", "white"):
            socket.call("reset", session=session, options={"profile": "short", "theme": theme})
        digests = [frame[:32] for frame in socket.frames]
        assert digests[-1] == digests[-3] != digests[-2]
        socket.call("close", session=session)


def test_only_what_was_asked_for_is_observed(url: str) -> None:
    with connected(url) as socket:
        start = socket.call("open", observations=["tree"])["sessions"][0]
        seen = start["observation"]
        assert seen["frame"] is None and seen["cursor"] is None and seen["windows"] is None and seen["tree"]
        assert socket.frames == []
        socket.call("close", session=start["session"])


def test_a_score_in_the_middle_does_not_end_the_episode(url: str) -> None:
    start = open_session(url)
    session = start["session"]
    status, score = call(url, session, "score")
    assert status == 200 and score["reward"] == 0.0 and not score["success"]
    assert call(url, session, "score", answer=words_of(start))[1]["reward"] == 1.0
    assert call(url, session, "step", action=LOOK)[1]["observation"]["step"] == 1
    ended = call(url, session, "step", action={"kind": "answer", "text": "wrong"})[1]
    assert ended["reward"] == 0.0 and ended["terminated"]
    assert close(url, session) == 204


def test_forks_go_on_independently(url: str) -> None:
    start = open_session(url)
    call(url, start["session"], "step", action=LOOK)
    status, forked = call(url, start["session"], "fork", count=2)
    assert status == 201
    for fork in forked["sessions"]:
        assert fork["world"] == start["world"] and fork["fingerprint"] == start["fingerprint"]
        assert fork["observation"]["step"] == 1
    sessions = [start["session"], *(fork["session"] for fork in forked["sessions"])]
    answers = [words_of(start), "wrong", words_of(start)]
    rewards = [
        call(url, session, "step", action={"kind": "answer", "text": answer})[1]["reward"]
        for session, answer in zip(sessions, answers, strict=True)
    ]
    assert rewards == [1.0, 0.0, 1.0]
    assert [close(url, session) for session in sessions] == [204] * 3


def test_a_cancelled_episode_has_no_reward_and_the_session_can_be_reset(url: str) -> None:
    session = open_session(url)["session"]
    assert call(url, session, "cancel") == (200, {"cancelled": True})
    status, body = call(url, session, "step", action={"kind": "done"})
    assert status == 409 and body["error"]["type"] == "episode_over" and "reward" not in body
    assert call(url, session, "reset")[0] == 200
    assert close(url, session) == 204


def test_a_session_without_calls_is_closed_when_its_lease_ends(board_server: EnvironmentServer, url: str) -> None:
    session = open_session(url, lease=0.2)["session"]
    eventually(lambda: board_server.sessions.in_use == 0)
    status, body = call(url, session, "step", action=LOOK)
    assert status == 404 and body["error"]["type"] == "unknown_session" and "lease" in body["error"]["message"]
    assert 'sessions_closed_total{by="lease"} 1' in request(url, "GET", "/metrics")[1].decode()


def test_an_http_client_that_leaves_while_a_session_opens_leaves_none(
    board_server: EnvironmentServer, url: str
) -> None:
    place = urlsplit(url)
    with sockets.create_connection((place.hostname, place.port)) as connection:
        body = b'{"group": 4}'
        head = f"POST /v1/sessions HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        eventually(lambda: board_server.sessions.in_use == 4)
    eventually(lambda: board_server.sessions.in_use == 0)


def test_a_server_of_one_side_of_a_split_refuses_the_other() -> None:
    with EnvironmentServer(BOARDS, seats=1, side="train") as server:
        assert request(server.url, "GET", "/v1/server")[1]["split"] == "train"
        status, body, _ = request(server.url, "POST", "/v1/sessions", {"split": "test", "group": 2})
        assert status == 422 and "'train'" in body["error"]["message"]
        assert request(server.url, "POST", "/v1/sessions", {"split": "train", "group": 2})[0] == 503


@pytest.mark.slow
def test_the_seat_of_the_next_episode_is_opened_in_advance() -> None:
    with EnvironmentServer(BOARDS, seats=1, warm=1, share_browser=True) as server, connected(server.url) as socket:
        session = socket.call("open", seed=2)["sessions"][0]["session"]
        host: Any = server.place
        worker = host._places[session].worker
        for _ in range(3):
            world, opening = worker._seats._orders[worker]
            waiting = opening.result(60)
            assert socket.call("reset", session=session)["world"] == world.id
            assert worker._env.seat is waiting


def test_the_server_describes_itself(url: str) -> None:
    assert request(url, "GET", "/health")[:2] == (200, {"status": "healthy"})
    status, body, _ = request(url, "GET", "/v1/server")
    assert status == 200 and body["seats"] == {"all": 4, "in_use": 0} and body["size"] == [412, 915]
    assert {part["name"] for part in body["worlds"]} == {"boards/board/read"}
    assert sum(part["configurations"] for part in body["worlds"]) == 4
    assert body["capabilities"] == {"fork": "replay", "score": True, "group": True}
    assert set(body["actions"]["discriminator"]["mapping"]) == set(ACTION_KINDS)


def test_metrics_count_calls_errors_and_seats(url: str) -> None:
    def counts() -> dict[str, float]:
        lines = request(url, "GET", "/metrics")[1].decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}

    before = counts()
    session = open_session(url)["session"]
    assert counts()["fairground_seats_in_use"] == 1 and counts()["fairground_seats"] == 4
    call(url, session, "step", action=LOOK)
    call(url, session, "step", action={"kind": "jump"})
    close(url, session)
    after = counts()
    for name, more in {
        'fairground_call_seconds_count{method="step"}': 1,
        'fairground_errors_total{method="step",type="invalid_action"}': 1,
        "fairground_sessions_opened_total": 1,
        'fairground_sessions_closed_total{by="client"}': 1,
    }.items():
        assert after[name] - before.get(name, 0) == more, name
    buckets = [
        value for name, value in after.items() if name.startswith('fairground_call_seconds_bucket{method="step"')
    ]
    assert all(low <= high for low, high in itertools.pairwise(buckets))


def test_openenv_messages(url: str) -> None:
    with connected(url, "/ws") as socket:

        def send(kind: str, /, **data: Any) -> Any:
            socket.connection.send(json.dumps({"type": kind, "data": data} if kind != "state" else {"type": kind}))
            return json.loads(socket.connection.recv(60))

        assert send("step", kind="look")["data"]["code"] == "VALIDATION_ERROR"
        begun = send("reset", seed=3, episode_id="mine", profile="short")
        assert begun["type"] == "observation" and not begun["data"]["done"] and begun["data"]["reward"] is None
        seen = begun["data"]["observation"]
        assert seen["instruction"] == "What is on the board?" and seen["screenshot_digest"]
        assert send("step", kind="look", metadata={})["data"]["observation"]["step"] == 1
        state = send("state")["data"]
        assert state["step_count"] == 1 and "@short/" in state["world"]
        ended = send("step", kind="answer", text="Hello")["data"]
        assert ended["done"] and ended["reward"] == 1.0 and ended["metadata"]["outcome"] == "passed"
        assert ended["metadata"]["checks"] and not ended["metadata"]["truncated"]
        assert send("reset", world="boards/board/read/default@long")["data"]["observation"]["step"] == 0
        for wrong in ({"options": [1]}, {"options": {"theme": 1}}, {"foo": 1}, {"observations": []}, {"seed": "x"}):
            assert send("reset", **wrong)["data"]["code"] == "VALIDATION_ERROR"
        assert send("dance")["data"]["code"] == "VALIDATION_ERROR"
    status, begun, _ = request(url, "POST", "/reset", {"seed": 1})
    session = begun["metadata"]["session"]
    assert status == 200 and request(url, "GET", f"/state?session={session}")[1]["step_count"] == 0
    stepped = request(url, "POST", "/step", {"session": session, "action": LOOK})[1]
    assert stepped["observation"]["step"] == 1 and stepped["observation"]["instruction"]
    assert request(url, "POST", "/reset", {"session": session})[1]["metadata"]["session"] == session
    assert request(url, "POST", "/step", {"action": LOOK})[0] == 422
    close(url, session)
    assert set(request(url, "GET", "/schema")[1]) == {"action", "observation", "state"}
    assert {"/reset", "/step", "/state"} <= set(request(url, "GET", "/openapi.json")[1]["paths"])
