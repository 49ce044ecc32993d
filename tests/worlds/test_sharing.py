"""Several seats on one browser: none of them reaches, sees or stops another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from fairground.core import Click, Key, SandboxError, Scroll, Type
from fairground.worlds import Seat, SharedBrowser, can_share, open_seat, renew, resolve

from .board import page_of, server_of, world

INPUT = (150, 30)
ATTEMPTS = """Promise.all(["http://127.0.0.1:%(port)d/add", "http://localhost:%(port)d/add", "http://[::1]:%(port)d/add"]
  .flatMap((url) => [
    fetch(url, { method: "POST", mode: "no-cors", body: "theirs" }).then(() => "fetched", () => "refused"),
    new Promise((done) => {
      const source = `fetch("${url}", { method: "POST", mode: "no-cors" }).then(() => 1, () => 0).then(postMessage)`;
      const worker = new Worker(URL.createObjectURL(new Blob([source])));
      worker.onmessage = (event) => done(event.data ? "fetched by a worker" : "refused");
    }),
    new Promise((done) => {
      const image = new Image(); image.onload = () => done("drawn"); image.onerror = () => done("refused");
      image.src = url;
    }),
    new Promise((done) => {
      const socket = new WebSocket(url.replace("http", "ws"));
      socket.onopen = () => done("connected"); socket.onclose = () => done("refused");
    }),
    new Promise((done) => {
      const frame = document.createElement("iframe"); frame.onload = () => done("refused"); frame.src = url;
      document.body.append(frame);
    }),
  ]))"""

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def browser() -> Iterator[SharedBrowser]:
    with SharedBrowser() as browser:
        yield browser


@pytest.fixture
def seats(browser: SharedBrowser) -> Iterator[tuple[Seat, Seat]]:
    with browser.open_seat(world()) as mine, browser.open_seat(world(theme="blue")) as theirs:
        yield mine, theirs


def test_a_page_reaches_its_own_server_and_no_other(seats: tuple[Seat, Seat]) -> None:
    mine, theirs = seats
    asked = list(server_of(theirs).requests)
    found = page_of(mine).evaluate(ATTEMPTS % {"port": server_of(theirs).port}, 30)
    assert set(found) == {"refused"}
    page_of(mine).evaluate(f"navigator.sendBeacon('http://127.0.0.1:{server_of(theirs).port}/add', 'x')")
    page_of(mine).evaluate("fetch('/add', { method: 'POST', body: 'mine' }).then(() => 1)")
    assert server_of(theirs).requests == asked and theirs.capture() == theirs.before
    assert "mine" in server_of(mine).posted


def test_neither_storage_nor_cookies_nor_popups_cross(seats: tuple[Seat, Seat]) -> None:
    mine, theirs = seats
    before = page_of(theirs).evaluate("look()")
    page_of(mine).evaluate("plant()", 20)
    page_of(mine).evaluate("scrollTo(0, 0)")
    mine.screen.act(Click(point=(150, 80)))
    mine.screen.settle()
    assert len(mine.screen.windows()) == 2 and len(theirs.screen.windows()) == 1
    assert page_of(theirs).evaluate("look()") == before


@pytest.mark.slow
def test_a_seat_on_a_shared_browser_looks_like_one_with_its_own(seats: tuple[Seat, Seat]) -> None:
    mine, _ = seats
    with open_seat(world()) as own:
        assert np.array_equal(mine.screen.grab().pixels, own.screen.grab().pixels)
        assert page_of(mine).evaluate("look()") == page_of(own).evaluate("look()")
        assert mine.before == own.before and mine.fingerprint == own.fingerprint
    assert any("shares its browser" in note for note in mine.sandbox.notes)


def test_freezing_one_stops_its_page_and_its_server_and_no_neighbour(seats: tuple[Seat, Seat]) -> None:
    mine, theirs = seats
    page_of(mine).evaluate("window.count = 0; setInterval(() => { count += 1 }, 2); hammer()")
    wait_for(mine, lambda: bool(server_of(mine).posted))
    mine.freeze()
    for _ in range(3):
        act_and_look(theirs)  # what was under way at that moment has arrived by now
    posted = len(server_of(mine).posted)
    for _ in range(5):
        act_and_look(theirs)
    assert len(server_of(mine).posted) == posted
    mine.thaw()
    wait_for(mine, lambda: len(server_of(mine).posted) > posted)
    assert page_of(mine).evaluate("count") > 0


@pytest.mark.slow
def test_a_frozen_seat_can_be_renewed_and_closed(browser: SharedBrowser, seats: tuple[Seat, Seat]) -> None:
    mine, theirs = seats
    port = server_of(mine).port
    for theme in ("blue", "white", "blue"):
        mine.finish()
        assert renew(mine, world(theme=theme)) and server_of(mine).port != port
        act_and_look(mine)
    assert np.array_equal(mine.screen.grab().pixels, theirs.screen.grab().pixels)
    mine.freeze()
    mine.close()
    assert browser.alive and theirs.alive
    act_and_look(theirs)


def test_what_one_seat_copies_no_other_can_paste(seats: tuple[Seat, Seat]) -> None:
    mine, theirs = seats
    for seat, text in ((mine, "mine"), (theirs, "theirs")):
        seat.screen.act(Click(point=INPUT))
        seat.screen.act(Type(text=text))
        for keys in (("ctrl", "a"), ("ctrl", "c"), ("right",)):
            seat.screen.act(Key(keys=keys))
    for seat, text in ((mine, "minemine"), (theirs, "theirstheirs")):
        seat.screen.act(Key(keys=("ctrl", "v")))
        assert page_of(seat).evaluate("document.querySelector('input').value") == text
    mine.screen.act(Key(keys=("ctrl", "a")))
    theirs.screen.act(Click(point=INPUT, button="middle"))
    assert "mine" not in page_of(theirs).evaluate("document.querySelector('input').value")


def test_a_seat_without_files_or_programs_says_so(seats: tuple[Seat, Seat]) -> None:
    for attempt in (lambda: seats[0].start(["true"]), lambda: seats[0].sandbox.read_file("~/x")):
        with pytest.raises(SandboxError, match="shared browser"):
            attempt()
    assert not can_share(resolve("desk/calc"))


def act_and_look(seat: Seat) -> None:
    seat.screen.act(Scroll(point=(200, 400), dy=1))
    assert seat.screen.settle(20).quiet
    seat.screen.act(Scroll(point=(200, 400), dy=-1))
    assert seat.screen.settle(20).quiet


def wait_for(seat: Seat, condition: object) -> None:
    assert callable(condition)
    assert page_of(seat)._wire.wait(condition, 20)
