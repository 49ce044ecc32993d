"""Who may come in by which way: every route of the application, for four people and for nobody."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from fairground.arena import settings_versions
from fairground.rollout import read_episode
from fairground.web import Site
from fairground.web.playing import Play
from fairground.web.site import make_app
from fairground.worlds import Seat, resolve
from tests.web.arena_stage import Client
from tests.web.attacks.matrix import WAYS, Way
from tests.web.attacks.stage import WORLD, Crowd, cookie_of, fought
from tests.web.seat_stage import SECONDS, socket_of

pytestmark = pytest.mark.process

CHANGING = [name for name in WAYS if name.partition(" ")[0] not in ("GET", "HEAD", "WS")]


def every_way(routes: Any) -> Iterator[str]:
    """Method and path of every route of the application, `WS` for WebSockets; but for files that are everybody's."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from every_way(inner.routes)
        elif not route.path.startswith("/static/"):
            yield from (f"{method} {route.path}" for method in getattr(route, "methods", None) or ("WS",))


def test_a_new_way_in_says_who_may_use_it(site: Site) -> None:
    found = set(every_way(make_app(site).app.routes))  # type: ignore[attr-defined]
    assert found - WAYS.keys() == set(), "add these to matrix.py: what is each of four people told there?"
    assert WAYS.keys() - found == set(), "these are gone"


def ended_play(site: Site, crowd: Crowd, recording: Path) -> Play:
    """An attempt of the owner's, as it stands when it has ended."""
    play = Play(site.house, resolve(WORLD), recording, crowd.owner.person.id)
    play.status, play.episode = "over", read_episode(recording).episode
    site.house.admit(play)
    return play


class Ground:
    """What the ways lead to, anew for each of them."""

    def __init__(self, site: Site, url: str, crowd: Crowd, seat: Seat, recording: Path) -> None:
        self.site, self.url, self.crowd, self.seat, self.recording = site, url, crowd, seat, recording
        self.play = ended_play(site, crowd, recording).id
        self.frames = {
            path: min(read_episode(path).digests) for path in (recording, site.runs[0] / "first/episodes/000000")
        }

    def told(self, name: str, way: Way, client: Client, *, shared: bool) -> int:
        """The status that somebody gets on a battle that nobody has touched yet."""
        method, _, route = name.partition(" ")
        path = way.path or route.replace("{battle}", "BATTLE")
        needs = "BATTLE" in path or "BATTLE" in str(way.body) or "SEAT" in path
        recorded = self.recording if "/a/" in path else None
        battle = fought(self.site, self.crowd.owner, shared=shared, recording=recorded) if needs else ""
        hosted = self.site.contests.ground.on_seat(battle, "a", self.seat) if "SEAT" in path else None  # type: ignore[misc]
        frame = self.frames[self.site.runs[0] / "first/episodes/000000" if "first" in path else self.recording]
        holes = {"BATTLE": battle, "SEAT": hosted or "", "PLAY": self.play, "FRAME": frame}
        fill = re.compile("|".join(holes))
        try:
            path = fill.sub(lambda hole: holes[hole[0]], path)
            if method == "WS":
                return self._stream(path, client)
            body, kind = _body(way.body, battle, settings_versions(self.site.store)[0].number)
            headers = {"Content-Type": kind, "Accept": "application/json"}
            return client.send(method, path, body, headers).status
        finally:
            if hosted:
                self.site.contests.ground.on_left(battle, "a")  # type: ignore[misc]

    def _stream(self, path: str, client: Client) -> int:
        with socket_of(self.url, path, cookie_of(self.site, client)) as connection:
            try:
                connection.recv(SECONDS)
            except ConnectionClosed as closed:
                assert closed.rcvd is not None
                return closed.rcvd.code - 4_000
            return 200


def _body(said: Any, battle: str, settings: int = 0) -> tuple[bytes, str]:
    if isinstance(said, str):
        kind, _, rest = said.partition(" ")
        return rest.encode(), "application/x-www-form-urlencoded" if kind == "form" else "text/csv"
    plain = json.dumps(said or {}).replace("BATTLE", battle).replace('"SETTINGS"', str(settings))
    return plain.encode(), "application/json"


@pytest.fixture
def ground(site: Site, url: str, crowd: Crowd, seat: Seat, recording: Path) -> Ground:
    return Ground(site, url, crowd, seat, recording)


@pytest.mark.process
def test_everybody_gets_what_is_theirs_and_nothing_else(ground: Ground) -> None:
    wrong = []
    for name, way in WAYS.items():
        for shared, expected in ((False, way.expected), (True, way.shared)):
            if expected is not None:
                found = tuple(ground.told(name, way, one, shared=shared) for one in ground.crowd.each())
                if found != expected:
                    wrong.append(f"{name} ({'shared' if shared else 'own'}): {found}, expected {expected}")
    assert not wrong, "\n".join(wrong)


def test_nobody_changes_anything_without_a_session_or_without_the_token_of_a_page(crowd: Crowd, site: Site) -> None:
    battle = fought(site, crowd.owner)
    for name in CHANGING:
        method, _, route = name.partition(" ")
        path = WAYS[name].path or route.replace("{battle}", battle)
        kind = {"Content-Type": "application/json"}
        assert crowd.admin.send(method, path, b"{}", {**kind, "Cookie": ""}).status == 403, f"{name} without a session"
        assert crowd.admin.send(method, path, b"{}", kind, token="").status == 403, f"{name} without a token"


@pytest.mark.parametrize("path", ["/battles/none/news", "/seats/none/stream"])
def test_a_socket_without_a_session_is_not_opened(url: str, path: str) -> None:
    with pytest.raises(InvalidStatus, match="403"), socket_of(url, path, None):
        pass
