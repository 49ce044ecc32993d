"""WebSockets: who may open them, how many, and what may be said over them."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from fairground.arena.battles import share
from fairground.web import Site
from fairground.web.house import shown
from fairground.web.limits import MAX_SOCKETS
from fairground.web.studio.live_stream import MAX_VIEWERS
from fairground.worlds import Seat
from tests.waiting import eventually
from tests.web.attacks.stage import Crowd, cookie_of, fought
from tests.web.seat_stage import SECONDS, socket_of

DEEP = "[" * 100_000
MALFORMED = [
    "", "{", "null", "[]", "7", '"act"', DEEP, '{"type":' * 20_000, '{"type": "none"}', '{"type": "act"}', "\ud83d",
    '{"type": "act", "id": 1e999, "action": {}}', '{"type": "act", "id": NaN, "action": {"kind": "click"}}',
    '{"type": "act", "id": %s, "action": {"kind": "type", "text": "x"}}' % ("9" * 5_000),
    '{"type": "act", "id": 1, "id": 2, "action": {}}', '{"type": "act", "id": 1, "action": {"kind": "wait"}}',
    '{"type": "act", "id": 1, "action": {"kind": "none", "__class__": "x"}}', '{"type": "control", "on": "yes"}',
    b"\x00\xff" * 100,
]  # fmt: skip


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1:1", "file://"])
@pytest.mark.parametrize("path", ["/battles/BATTLE/news", "/seats/none/stream"])
def test_a_page_from_elsewhere_opens_no_socket(
    site: Site, url: str, crowd: Crowd, path: str, origin: str | None
) -> None:
    path = path.replace("BATTLE", fought(site, crowd.owner))
    with (
        pytest.raises(InvalidStatus, match="403"),
        socket_of(url, path, cookie_of(site, crowd.owner), origin),
    ):
        pass


def test_a_forged_session_opens_no_socket(site: Site, url: str, crowd: Crowd) -> None:
    path = f"/battles/{fought(site, crowd.owner)}/news"
    for cookie in (
        "fairground=x",
        f"fairground={crowd.owner.person.id}.0.{'0' * 64}",
        cookie_of(site, crowd.owner)[:-2],
    ):
        with pytest.raises(InvalidStatus, match="403"), socket_of(url, path, cookie):
            pass


@pytest.mark.process
def test_a_judge_sees_the_seats_of_a_battle_once_it_is_open_to_judges(
    site: Site, url: str, crowd: Crowd, seat: Seat
) -> None:
    battle = fought(site, crowd.owner)
    hosted = site.contests.ground.on_seat(battle, "a", seat)  # type: ignore[misc]
    assert hosted is not None
    try:
        path, cookie = f"/seats/{hosted}/stream", cookie_of(site, crowd.other)
        with socket_of(url, path, cookie) as connection, pytest.raises(ConnectionClosed, match="4404"):
            connection.recv(SECONDS)
        assert hosted not in crowd.other.get("/live").text and hosted in crowd.owner.get("/live").text
        share(site.store, battle)
        with socket_of(url, path, cookie) as connection:
            assert json.loads(connection.recv(SECONDS))["control"] is False
    finally:
        site.contests.ground.on_left(battle, "a")  # type: ignore[misc]


@pytest.mark.process
@pytest.mark.parametrize("drive", ["nobody", "owner"])
def test_nothing_that_is_said_breaks_a_seat(site: Site, url: str, crowd: Crowd, seat: Seat, drive: str) -> None:
    hosted = site.house.add(seat, owner=crowd.owner.person.id, drive=drive, title="one")  # type: ignore[arg-type]
    try:
        with socket_of(url, f"/seats/{hosted.id}/stream", cookie_of(site, crowd.owner)) as connection:
            for said in MALFORMED:
                connection.send(said if isinstance(said, bytes) else said.encode("utf-8", "replace").decode())
                assert _refused(connection.recv, SECONDS)
            for _ in range(3_000):
                connection.send('{"type": "drawn"}')
            connection.send("no json")
            assert _refused(connection.recv, SECONDS)
        seat.check()
    finally:
        site.house.remove(hosted.id)


def _refused(receive: object, seconds: float) -> bool:
    """Waits for the answer to something that cannot be done; pictures come in between."""
    while True:
        said = receive(seconds)  # type: ignore[operator]
        if isinstance(said, str) and json.loads(said)["type"] == "refused":
            assert "/tmp" not in said and "Traceback" not in said
            return True


def test_what_is_said_to_the_news_is_of_no_interest(site: Site, url: str, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner)
    with socket_of(url, f"/battles/{battle}/news", cookie_of(site, crowd.owner)) as connection:
        assert json.loads(connection.recv(SECONDS))["status"] == "judging"
        for said in MALFORMED:
            connection.send(said if isinstance(said, bytes) else said.encode("utf-8", "replace").decode())
        for _ in range(3_000):
            connection.send("x")
        assert crowd.owner.post(f"/api/battles/{battle}/close").status == 200
        assert json.loads(connection.recv(SECONDS))["status"] == "closed"
        with pytest.raises(ConnectionClosed, match="1009"):  # perhaps while it is still being sent
            connection.send("x" * (1 << 20) + "x")
            connection.recv(SECONDS)


def test_one_person_cannot_take_all_sockets(site: Site, url: str, crowd: Crowd) -> None:
    path = f"/battles/{fought(site, crowd.owner, shared=True)}/news"
    own = cookie_of(site, crowd.owner)
    with ExitStack() as stack:
        for _ in range(MAX_SOCKETS):
            stack.enter_context(socket_of(url, path, own)).recv(SECONDS)
        with pytest.raises(InvalidStatus, match="429"), socket_of(url, path, own):
            pass
        with socket_of(url, path, cookie_of(site, crowd.other)) as others:
            assert others.recv(SECONDS)

    def opens() -> bool:
        try:
            with socket_of(url, path, own) as again:
                return bool(again.recv(SECONDS))
        except InvalidStatus:
            return False

    assert eventually(opens), "who has closed some may open others"


@pytest.mark.process
def test_others_cannot_keep_an_owner_from_their_own_seat(site: Site, url: str, crowd: Crowd, seat: Seat) -> None:
    with shown(site.house, seat, owner=crowd.owner.person.id, title="one") as hosted, ExitStack() as stack:
        path = f"/seats/{hosted.id}/stream"
        for _ in range(MAX_VIEWERS):
            stack.enter_context(socket_of(url, path, cookie_of(site, crowd.other))).recv(SECONDS)
        last = stack.enter_context(socket_of(url, path, cookie_of(site, crowd.admin)))
        with pytest.raises(ConnectionClosed, match="4429"):
            last.recv(SECONDS)
        with socket_of(url, path, cookie_of(site, crowd.owner)) as connection:
            assert json.loads(connection.recv(SECONDS))["type"] == "hello"
