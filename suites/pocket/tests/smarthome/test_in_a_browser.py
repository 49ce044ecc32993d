"""Two tasks on a real screen: a light by its sheets, and a door code that a mail asks for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.agents.oracle import carry_out
from fairground.core import Answer, Configuration, Done
from fairground.verify import judge
from fairground.worlds import Seat, World, open_seat
from fairground_pocket import suite

CASES = [("colour-the-light", "ocean", "brightness-sheet"), ("access-asked-for", "midnight", "half-made-schedule")]


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    """One seat for all: each test brings it to its configuration."""
    with open_seat(_world(*CASES[0])) as made:
        yield made


@pytest.mark.parametrize(("scenario", "theme", "ui_state"), CASES)
def test_an_oracle_solves_its_task_by_tapping_and_typing(seat: Seat, scenario: str, theme: str, ui_state: str) -> None:
    world = _world(scenario, theme, ui_state)
    assert world.app.reset(seat, world)
    seat.world, seat.before = world, world.app.capture(seat, world)
    for turn in carry_out(seat, world.scenario.oracle(world, seat.before)):
        if isinstance(turn.action, Done | Answer):
            break
        seat.screen.act(turn.action)
        seat.screen.settle()
    assert judge(world, seat.before, seat.capture(), None).success


def _world(scenario: str, theme: str, ui_state: str) -> World:
    instance = next(iter(suite.scenario("smart-home", scenario).instances))
    names = {"instance": instance, "profile": "priya-pune", "theme": theme, "ui_state": ui_state}
    return World.of(suite, Configuration(suite=suite.name, app="smart-home", scenario=scenario, **names))
