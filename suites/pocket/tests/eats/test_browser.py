"""Orders placed with real taps in a real browser end as those over HTTP do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.agents.oracle import carry_out
from fairground.core import Configuration, Done
from fairground.verify import judge
from fairground.worlds import Seat, World, open_seat
from fairground_pocket import suite


def world(task: str, profile: str, theme: str, ui_state: str) -> World:
    instance = next(iter(next(one for one in suite.scenarios if (one.app, one.name) == ("eats", task)).instances))
    names = {"instance": instance, "profile": profile, "theme": theme, "ui_state": ui_state}
    return World.of(suite, Configuration(suite=suite.name, app="eats", scenario=task, **names))


WORLDS = (
    world("order-with-extras", "chiara-bologna", "ocean", "half-chosen-dish"),
    world("order-again", "mateo-medellin", "forest", "cancelling"),
)


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    with open_seat(WORLDS[0]) as made:
        yield made


@pytest.mark.parametrize("here", WORLDS, ids=lambda one: one.scenario.name)
def test_a_browser_and_the_hand_place_the_same_order(seat: Seat, here: World) -> None:
    assert here.app.reset(seat, here)
    seat.world, seat.before = here, here.app.capture(seat, here)
    for turn in carry_out(seat, here.scenario.oracle(here, seat.before)):
        if isinstance(turn.action, Done):
            break
        seat.screen.act(turn.action)
        seat.screen.settle()
    after = seat.capture()
    assert judge(here, seat.before, after).success
    rehearsal = here.app.rehearse(here)
    assert rehearsal is not None
    rehearsal.play(here.scenario.oracle(here, rehearsal.before))
    assert rehearsal.state() == after
    rehearsal.close()
