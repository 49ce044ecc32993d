"""The open seats of the site: attacks first, then watching without disturbing, then what everybody may."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidStatus
from websockets.sync.client import ClientConnection

from fairground.agents import Scripted
from fairground.arena import Person, Refused, Store, new_person
from fairground.core import (
    Action,
    Click,
    Done,
    Episode,
    Fail,
    InfrastructureError,
    MouseDown,
    MouseUp,
    Move,
    Scroll,
)
from fairground.rollout import read_episode, run_episode
from fairground.sandbox import LayerStore
from fairground.screen import decode
from fairground.web import Site, serving
from fairground.web.house import Full, House, shown
from fairground.web.playing import Play
from fairground.web.studio.live_stream import MAX_VIEWERS
from fairground.web.viewing import MAX_MESSAGE
from fairground.worlds import Seat, World, open_seat, resolve
from tests.note_world import write_note_world
from tests.waiting import eventually
from tests.web.seat_stage import RECORDER, SECONDS, act, buttons, news, next_buttons, socket_of

pytestmark = pytest.mark.process


def somebody(site: Site, role: str) -> tuple[Person, str]:
    """Somebody new of this role, and their cookie."""
    person = new_person(site.store, role)
    return person, f"fairground={site.signer.cookie(person.id)}"


def watching(
    url: str, seat: str, cookie: str | None, origin: str | None = "own"
) -> AbstractContextManager[ClientConnection]:
    """A viewer without a browser, which can misbehave."""
    return socket_of(url, f"/seats/{seat}/stream", cookie, origin)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    write_note_world(folder / "recorder", *RECORDER)
    return folder


@pytest.fixture(scope="module")
def seat(folder: Path) -> Iterator[Seat]:
    with open_seat(resolve(str(folder / "recorder")), store=LayerStore(folder / "cache")) as seat:
        yield seat


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    with Store(folder / "arena.sqlite") as store:
        yield Site(store, folder / "home")


@pytest.fixture(scope="module")
def url(site: Site) -> Iterator[str]:
    with serving(site) as url:
        yield url


def get(url: str, path: str, cookie: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    try:
        connection.request("GET", path, headers={"Cookie": cookie})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_stream_without_a_session_or_from_a_foreign_page_is_refused(site: Site, url: str, seat: Seat) -> None:
    _, cookie = somebody(site, "admin")
    with shown(site.house, seat, owner="", title="one") as hosted:
        for given, origin in (
            (None, "own"),
            ("fairground=forged.1.2", "own"),
            (cookie, "http://evil.test"),
            (cookie, "null"),
        ):
            with pytest.raises(InvalidStatus, match="403"), watching(url, hosted.id, given, origin):
                pass


def test_ids_that_are_wrong_or_of_others_tell_nothing(site: Site, url: str, seat: Seat) -> None:
    owner, _ = somebody(site, "visitor")
    _, visitor = somebody(site, "visitor")
    _, admin = somebody(site, "admin")
    with shown(site.house, seat, owner=owner.id, title="one") as hosted:
        for id_, cookie in ((hosted.id, visitor), (hosted.id[:-1], admin), ("x" * 500, admin)):
            with pytest.raises(ConnectionClosed, match="4404"), watching(url, id_, cookie) as connection:
                connection.recv(SECONDS)
            status, said = get(url, f"/seats/{id_}/screenshot.png", cookie)
            assert status == 404 and b"no such seat" in said
            assert get(url, f"/live/{id_}", cookie)[0] == 404
    with pytest.raises(ConnectionClosed, match="4404"), watching(url, hosted.id, admin) as connection:
        connection.recv(SECONDS)  # it is not shown any more


@pytest.mark.parametrize(
    ("drive", "role", "own", "may"),
    [
        ("nobody", "admin", True, False),
        ("owner", "admin", False, False),
        ("owner", "visitor", True, True),
        ("judges", "judge", False, True),
        ("judges", "visitor", True, False),
    ],
)
def test_only_who_may_drive_does(site: Site, url: str, seat: Seat, drive: str, role: str, own: bool, may: bool) -> None:
    person, cookie = somebody(site, role)
    owner = person.id if own else "somebody else"
    hosted = site.house.add(seat, owner=owner, drive=drive, title="the task")  # type: ignore[arg-type]
    try:
        before = len(buttons(seat))
        with watching(url, hosted.id, cookie) as connection:
            hello = news(connection, "hello")
            assert hello == {"type": "hello", "size": [1280, 720], "backend": "x11", "control": may}
            connection.send(json.dumps({"type": "control", "on": True}))
            assert news(connection, "control", "refused")["type"] == ("control" if may else "refused")
            assert act(connection, kind="click", point=[300, 300])["type"] == ("done" if may else "refused")
            assert act(connection, kind="done")["type"] == "refused"  # there is no episode that it could end
        if may:
            next_buttons(seat, 2, before)
        assert len(buttons(seat)) == before + (2 if may else 0)
    finally:
        site.house.remove(hosted.id)


def test_a_message_beyond_all_limits_ends_only_that_viewer(site: Site, url: str, seat: Seat) -> None:
    person, cookie = somebody(site, "judge")
    hosted = site.house.add(seat, owner=person.id, drive="owner", title="one")
    try:
        with watching(url, hosted.id, cookie) as other:
            for size in (MAX_MESSAGE + 1, 3_000_000):
                with pytest.raises(ConnectionClosed), watching(url, hosted.id, cookie) as connection:
                    connection.send("x" * size)
                    news(connection, "done")
            assert act(other, kind="move", point=[51, 51])["type"] == "done"
    finally:
        site.house.remove(hosted.id)


def test_what_a_viewer_held_is_let_go_when_it_leaves(site: Site, url: str, seat: Seat) -> None:
    person, cookie = somebody(site, "judge")
    hosted = site.house.add(seat, owner=person.id, drive="owner", title="one")
    try:
        before = len(buttons(seat))
        with watching(url, hosted.id, cookie) as connection:
            assert act(connection, kind="mouse_down", point=[400, 400])["type"] == "done"
        assert [each.kind for each in next_buttons(seat, 2, before)] == ["ButtonPress", "ButtonRelease"]
    finally:
        site.house.remove(hosted.id)


def test_too_many_viewers_are_turned_away(site: Site, url: str, seat: Seat) -> None:
    _, cookie = somebody(site, "judge")
    with shown(site.house, seat, owner="", title="one") as hosted, ExitStack() as stack:
        for _ in range(MAX_VIEWERS):
            news(stack.enter_context(watching(url, hosted.id, cookie)), "hello")
        last = stack.enter_context(watching(url, hosted.id, cookie))
        with pytest.raises(ConnectionClosed, match="4429"):
            last.recv(SECONDS)


def test_judges_see_all_seats_and_others_their_own(site: Site, url: str, seat: Seat) -> None:
    owner, _ = somebody(site, "visitor")
    judge, cookie = somebody(site, "judge")
    visitor, _ = somebody(site, "visitor")
    with shown(site.house, seat, owner=owner.id, title="one") as hosted:
        assert len(hosted.id) >= 22
        assert [len(site.house.listed(person)) for person in (owner, judge, visitor)] == [1, 1, 0]
        status, image = get(url, f"/seats/{hosted.id}/screenshot.png", cookie)
        assert status == 200 and decode(image).size == (1280, 720)
        with watching(url, hosted.id, cookie) as connection:
            news(connection, "hello")
            site.house.remove(hosted.id)
            assert news(connection, "bye") == {"type": "bye"}
    with pytest.raises(Refused, match="no such seat"):
        site.house.seen_by(hosted.id, judge)
    with pytest.raises(InfrastructureError, match="no longer watched"):
        hosted.watcher.picture().result(10)


def test_people_cannot_open_more_seats_than_there_may_be(folder: Path, tmp_path: Path) -> None:
    world = resolve(str(folder / "recorder"))
    house = House(per_person=2, total=3)
    for number, owner in enumerate(("a", "a", "b")):
        house.admit(Play(house, world, tmp_path / str(number), owner))
    with pytest.raises(Full, match="you have 2"):
        house.admit(Play(house, world, tmp_path / "x", "a"))
    with pytest.raises(Full, match="3 seats are open"):
        house.admit(Play(house, world, tmp_path / "x", "b"))
    house.close()
    with pytest.raises(InfrastructureError, match="shutting down"):
        house.admit(Play(house, world, tmp_path / "x", "c"))


def test_a_house_that_closes_ends_attempts_and_they_are_recorded(folder: Path, tmp_path: Path) -> None:
    house = House()
    play = Play(house, resolve(str(folder / "recorder")), tmp_path / "episode", "somebody")
    play.start()
    eventually(lambda: play.status == "open")
    hosted = house.find(play.id)
    assert hosted is not None and hosted.steer is not None
    # At once: a button that is held for a second is no click, and on a busy machine each takes its time.
    for done in [hosted.steer(kind(point=(300, 300))) for kind in (MouseDown, MouseUp)]:
        done.result(SECONDS)
    eventually(lambda: play.steps == 1)
    house.close()
    assert play.over and house.find(play.id) is None
    found = read_episode(tmp_path / "episode")
    assert [step.action for step in found.steps] == [Click(point=(300, 300)), Fail(reason="the site was shut down")]
    assert (found.episode.agent, str(found.episode.outcome)) == ("human", "failed")


class Seats:
    """Opens seats for episodes, with a cache of their own."""

    def __init__(self, folder: Path) -> None:
        self.store = LayerStore(folder / "cache")

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        return open_seat(kind, store=self.store)


class Performer(Scripted):
    """Does what it was told, in a house."""

    def __init__(self, actions: list[Action], house: House) -> None:
        super().__init__(actions)
        self.house, self.hosted = house, ""
        self.ready = threading.Event()

    def take_seat(self, seat: Seat) -> None:
        self.hosted = self.house.add(seat, owner="", title="one").id
        assert self.ready.wait(SECONDS)

    def close(self) -> None:
        self.house.remove(self.hosted)


def perform(world: World, actions: list[Action], folder: Path, site: Site, url: str, *, watched: int) -> Episode:
    """Records an episode, watched by so many."""
    agent = Performer(actions, site.house)
    done = list[Episode]()
    thread = threading.Thread(
        target=lambda: done.append(run_episode(world, agent, folder, pool=Seats(folder.parent), video=False))
    )
    _, cookie = somebody(site, "judge")
    thread.start()
    eventually(lambda: agent.hosted)
    with ExitStack() as stack:
        pictures = 0
        for _ in range(watched):
            connection = stack.enter_context(watching(url, agent.hosted, cookie))
            news(connection, "hello")
        agent.ready.set()
        while watched:  # as quick as it can, until it is told that there is nothing more
            message = connection.recv(SECONDS)
            if isinstance(message, bytes):
                pictures += 1
                with suppress(ConnectionClosedOK):  # the episode may be over; that is told by what is still to be read
                    connection.send('{"type": "drawn"}')
            elif json.loads(message)["type"] == "bye":
                assert pictures
                break
    thread.join()
    return done[0]


@pytest.mark.parametrize("kind", ["desktop", pytest.param("page", marks=pytest.mark.slow)])
def test_an_agent_sees_and_does_the_same_whether_it_is_watched_or_not(
    site: Site, url: str, folder: Path, tmp_path: Path, kind: str
) -> None:
    world = resolve(str(folder / "recorder") if kind == "desktop" else "pocket/notes/count-label")
    width, height = world.app.screen.size
    places = [(width * 0.3, height * 0.2), (width * 0.7, height * 0.4), (width * 0.5, height * 0.9)]
    actions: list[Action] = [each for place in places for each in (Move(point=place), Scroll(point=place, dy=2))]
    actions += [Click(point=(width * 0.5, height * 0.5)), Done()]
    episodes = {
        watched: perform(world, actions, tmp_path / str(watched), site, url, watched=watched) for watched in (0, 2)
    }
    recorded = {watched: read_episode(tmp_path / str(watched)) for watched in episodes}
    assert {str(episode.outcome) for episode in episodes.values()} == {"failed"}
    assert recorded[0].digests == recorded[2].digests
    for one, other in zip(recorded[0].steps, recorded[2].steps, strict=True):
        assert (one.action, one.settled, one.cursor, one.refused) == (other.action, other.settled, other.cursor, "")


def test_a_seat_that_only_its_driver_can_see_is_not_hosted_for_others(seat: Seat) -> None:
    class Blind:
        backend, size = "vm", (10, 10)

    class Other:
        screen, world = Blind(), seat.world

        def check(self) -> None: ...

    with pytest.raises(InfrastructureError, match="cannot be watched"):
        House().add(Other(), owner="", title="one")  # type: ignore[arg-type]
