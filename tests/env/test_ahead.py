"""Seats of the next episode, opened while the present one goes on."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairground.core import Done, InvalidInput, Key, Type
from fairground.env import FairgroundEnv, environment
from fairground.sandbox import Pool
from fairground.worlds import Seat, World, open_seat, resolve
from tests.note_world import write_note_world
from tests.waiting import eventually

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[World]:
    """Two, on real desktops."""
    place = tmp_path_factory.mktemp("worlds")
    argv = ("mousepad", "--disable-server", "note.txt")
    return [resolve(str(write_note_world(place / name, "mousepad", "note", *argv))) for name in ("one", "two")]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Seat]:
    """Every seat that an environment opens, in order."""
    seats: list[Seat] = []

    def counted(world: World, *, runner: str | None = None) -> Seat:
        seats.append(open_seat(world, runner=runner))
        return seats[-1]

    monkeypatch.setattr(environment, "open_seat", counted)
    return seats


@pytest.fixture
def env(worlds: list[World]) -> Iterator[FairgroundEnv]:
    env = FairgroundEnv(worlds[0], ahead=True)
    yield env
    env.close()


def test_a_reset_hands_over_the_seat_that_waits_with_nothing_left_in_it_and_replaces_one_that_died(
    env: FairgroundEnv, opened: list[Seat]
) -> None:
    env.reset()
    first = env.seat
    for action in (Type(text="hello"), Key(keys=("ctrl", "s"))):
        env.step(action)
    waiting = eventually(lambda: opened[1:] and opened[1].sandbox.frozen and opened[1])
    assert env.step(Done())[1] == 1.0
    env.reset()
    assert env.seat is waiting and not waiting.sandbox.frozen and first is not None
    eventually(lambda: not first.sandbox.alive)
    assert env.step(Done())[1] == 0.0
    dead = eventually(lambda: opened[2:] and opened[2].sandbox.frozen and opened[2])
    os.kill(dead.sandbox.first_pid, signal.SIGKILL)
    eventually(lambda: not dead.sandbox.alive)
    env.reset()
    assert env.seat is not dead and env.seat is not None and env.seat.alive


@pytest.mark.slow
def test_one_that_nobody_comes_for_is_closed(env: FairgroundEnv, opened: list[Seat], worlds: list[World]) -> None:
    env.reset()
    unwanted = eventually(lambda: opened[1:] and opened[1].sandbox.frozen and opened[1])
    env.reset(options={"world": worlds[1]})
    assert env.world == worlds[1]
    eventually(lambda: not unwanted.sandbox.alive)
    assert len(opened) == 3  # nobody said what comes next, so nothing was opened for it
    env.reset(options={"world": worlds[1], "next": worlds[0]})
    expected = eventually(lambda: opened[4:] and opened[4].sandbox.frozen and opened[4])
    env.reset(options={"world": worlds[0]})
    assert env.seat is expected


def test_closing_leaves_nothing_and_a_closed_environment_can_be_reset(env: FairgroundEnv, opened: list[Seat]) -> None:
    env.reset()
    env.close()
    assert opened and not any(seat.sandbox.alive for seat in opened)
    env.reset()
    assert env.seat is not None and env.seat.alive


@pytest.mark.slow
def test_the_draws_are_those_without(worlds: list[World]) -> None:
    drawn = []
    for ahead in (False, True):
        env = FairgroundEnv(worlds, ahead=ahead)
        try:
            drawn.append([env.reset(seed=seed)[1]["world"] for seed in (5, None, None)])
        finally:
            env.close()
    assert drawn[0] == drawn[1] and len(set(drawn[0])) == 2


def test_a_pool_and_ahead_are_two_answers_to_one_question(worlds: list[World]) -> None:
    with Pool(open_seat) as pool, pytest.raises(InvalidInput, match="pool"):
        FairgroundEnv(worlds[0], pool=pool, ahead=True)


def test_what_fails_ahead_is_raised_by_the_reset_that_comes_for_it(tmp_path: Path, worlds: list[World]) -> None:
    broken = resolve(str(write_note_world(tmp_path / "broken", "mousepad", "note", "false")))
    env = FairgroundEnv(worlds[0], ahead=True)
    try:
        env.reset(options={"world": worlds[0], "next": broken})
        with pytest.raises(Exception, match="broken"):
            env.reset(options={"world": broken})
        env.reset()
        assert env.seat is not None and env.seat.alive
    finally:
        env.close()
