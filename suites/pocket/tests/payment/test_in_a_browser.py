"""Two tasks on a real screen: a payment with its PIN, and a total that is mailed from the app next door."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.agents.oracle import carry_out
from fairground.core import Answer, Configuration, Done
from fairground.verify import judge
from fairground.worlds import Seat, World, open_seat
from fairground_pocket import suite

CASES = [("send-with-card", "ocean", "person-menu"), ("mail-total", "forest", "half-split-bill")]


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
    instance = next(iter(suite.scenario("payment", scenario).instances))
    names = {"instance": instance, "profile": "elif-izmir", "theme": theme, "ui_state": ui_state}
    return World.of(suite, Configuration(suite=suite.name, app="payment", scenario=scenario, **names))
