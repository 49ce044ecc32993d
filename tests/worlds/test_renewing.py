"""Seats that are used again: whoever sits there next finds nothing of whoever sat there before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from fairground.core import Click, Key, KeyDown, MouseDown, ScreenError, Scroll, Type
from fairground.env import FairgroundEnv
from fairground.sandbox import Sandbox
from fairground.worlds import Ahead, Seat, World, open_seat, renew, resolve

from .board import Board, page_of, server_of, world

INPUT, OPEN, ASK, GET = (150, 30), (150, 80), (150, 130), (150, 180)

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def kept() -> Iterator[list[Seat]]:
    """The seat that the tests use one after another, as long as it can be renewed."""
    seats: list[Seat] = []
    yield seats
    for seat in seats:
        seat.close()


@pytest.fixture
def seat(kept: list[Seat]) -> Seat:
    if not kept or not renew(kept[-1], world()):
        kept.append(open_seat(world()))
    return kept[-1]


@pytest.fixture(scope="module")
def fresh() -> Iterator[Seat]:
    """A new seat at the world that the tests renew another to."""
    with open_seat(world(profile="long", theme="blue")) as seat:
        yield seat


def tap(seat: Seat, point: tuple[int, int]) -> None:
    seat.screen.act(Click(point=point))
    seat.screen.settle()


def assert_like_new(seat: Seat, fresh: Seat) -> None:
    assert seat.world == fresh.world and seat.fingerprint == fresh.fingerprint and seat.before == fresh.before
    assert seat.screen.take_notes() == ()
    assert len(seat.screen.windows()) == 1
    assert seat.screen.cursor() == fresh.screen.cursor()
    assert np.array_equal(seat.screen.grab().pixels, fresh.screen.grab().pixels)
    assert page_of(seat).evaluate("look()") == page_of(fresh).evaluate("look()")


def test_nothing_that_a_page_can_store_is_found_by_the_next(seat: Seat, fresh: Seat) -> None:
    page_of(seat).evaluate("plant()", 20)
    page_of(seat).settle()
    found = page_of(seat).evaluate("look()")
    assert found["cookie"] and found["local"] and found["session"] and found["name"] and found["databases"]
    assert found["caches"] and found["workers"] and found["history"] > 1 and found["scroll"] and found["text"]
    assert renew(seat, fresh.world)
    assert_like_new(seat, fresh)
    seat.screen.act(Key(keys=("alt", "left")))
    seat.screen.settle()
    assert np.array_equal(seat.screen.grab().pixels, fresh.screen.grab().pixels)


def test_popups_dialogs_and_held_keys_are_gone(seat: Seat, fresh: Seat) -> None:
    tap(seat, OPEN)
    assert len(seat.screen.windows()) == 2
    tap(seat, ASK)
    assert len(seat.screen.windows()) == 3
    seat.screen.act(KeyDown(key="shift"))
    seat.screen.act(MouseDown(point=(200, 400)))
    assert renew(seat, fresh.world)
    assert_like_new(seat, fresh)
    tap(seat, INPUT)
    seat.screen.act(Type(text="abc"))
    assert page_of(seat).evaluate("document.querySelector('input').value") == "abc"


@pytest.mark.slow
def test_neither_the_clipboard_nor_what_an_input_remembered_is_offered(seat: Seat, fresh: Seat) -> None:
    def write_and_send(text: str) -> None:
        tap(seat, INPUT)
        seat.screen.act(Type(text=text))
        for keys in (("ctrl", "a"), ("ctrl", "c")):
            seat.screen.act(Key(keys=keys))

    write_and_send("secret")
    seat.screen.act(Key(keys=("ctrl", "v")))
    assert page_of(seat).evaluate("document.querySelector('input').value") == "secret"
    seat.screen.act(Key(keys=("ctrl", "a")))
    seat.screen.act(Key(keys=("ctrl", "c")))
    seat.screen.act(Key(keys=("enter",)))
    seat.screen.settle()
    assert renew(seat, fresh.world)
    tap(seat, INPUT)
    seat.screen.act(Click(point=INPUT, button="middle"))
    for keys in (("ctrl", "v"), ("s",), ("down",), ("down",), ("enter",)):
        seat.screen.act(Key(keys=keys))
    seat.screen.settle()
    assert "/?q=s" in server_of(seat).requests


def test_what_a_page_of_before_still_sends_reaches_nobody(seat: Seat, fresh: Seat) -> None:
    tap(seat, (200, 400))  # a page that was touched may object to being left
    page_of(seat).evaluate("plant()", 20)
    page_of(seat).evaluate("hammer()")
    page_of(seat)._wire.wait(lambda: len(set(server_of(seat).posted)) >= 3, 60)
    assert renew(seat, fresh.world)
    assert_like_new(seat, fresh)
    for _ in range(3):
        seat.screen.act(Scroll(point=(200, 400), dy=1))
        seat.screen.settle()
    assert seat.capture().data["posted"] == []
    assert renew(seat, world()) and renew(seat, fresh.world)
    assert_like_new(seat, fresh)


@pytest.mark.slow
def test_a_frozen_seat_is_thawed_and_its_end_forgotten(seat: Seat, fresh: Seat) -> None:
    seat.finish()
    assert renew(seat, fresh.world) and not seat.sandbox.frozen
    assert_like_new(seat, fresh)


@pytest.mark.slow
def test_a_downloaded_file_makes_a_new_seat_necessary(seat: Seat) -> None:
    tap(seat, GET)
    page_of(seat)._wire.wait(lambda: any("Downloads" in info.path for info in seat.sandbox.list_files()), 60)
    assert not renew(seat, world())


def test_a_crashed_page_makes_a_new_seat_necessary(seat: Seat) -> None:
    with pytest.raises(ScreenError):
        page_of(seat).navigate("chrome://crash")
    page_of(seat)._wire.wait(lambda: not seat.alive, 60)
    assert not renew(seat, world())


def test_a_seat_whose_app_cannot_reset_or_whose_files_depend_on_the_world_is_not_renewed(seat: Seat) -> None:
    class Files(Board):
        def setup(self, sandbox: Sandbox, world: World) -> None:
            sandbox.write_file("~/words.txt", str(world.profile["words"]).encode())

    class Stiff(Board):
        def reset(self, seat: Seat, world: World) -> bool:
            return False

    assert not renew(seat, world(Files()))
    assert not renew(seat, world(Stiff()))
    assert not renew(seat, resolve("pocket/notes"))


def test_an_environment_goes_on_in_its_seat_once_the_episode_was_judged() -> None:
    env = FairgroundEnv([world(), world(profile="long")])
    try:
        env.reset(options={"world": world()})
        first = env.seat
        env.reset(options={"world": world(profile="long")})
        second = env.seat
        assert second is not first  # nobody knows how the first was left
        assert env.step({"kind": "answer", "text": "Lunch at one"})[1] == 1.0
        _, info = env.reset(options={"world": world(theme="blue")})
        assert env.seat is second and info["world"] == env.world.id == world(theme="blue").id
        assert env.step({"kind": "answer", "text": "Lunch at one"})[1] == 0.0
    finally:
        env.close()


@pytest.mark.slow
def test_seats_that_are_given_back_are_renewed_ahead() -> None:
    built: list[World] = []

    def build(wanted: World) -> Seat:
        built.append(wanted)
        return open_seat(wanted)

    ahead = Ahead(build)
    try:
        used = []
        for number in range(4):
            wanted = world(seed=number, theme="white" if number % 2 else "blue")
            ahead.order(wanted)
            taken = ahead.take(wanted)
            assert taken.world == wanted and not taken.sandbox.frozen and taken.alive
            used.append(taken)
            taken.finish()
            ahead.give_back(taken)
        assert len(built) == 1 and ahead.renewed == 3 and len(set(map(id, used))) == 1
        used[0].close()
        ahead.order(world())
        assert ahead.take(world()).alive and len(built) == 2
    finally:
        ahead.close()
