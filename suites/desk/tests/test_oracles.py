"""Oracles on live seats: a few scenarios of each app, each with other data, another theme and another UI state.

The proof tables cover every scenario on every profile, and `make prove` plays what has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fairground.agents import make_moves
from fairground.core import Configuration
from fairground.verify import judge
from fairground.worlds import World, open_seat
from fairground_desk import suite

SCENARIOS_PER_APP = 4
QUICK = "mousepad"  # the app whose first scenario is played with every change


def configurations() -> Iterator[Any]:
    for app in suite.apps:
        table = suite.proof(app.name)
        assert table is not None
        own = [scenario for scenario in suite.scenarios if scenario.app == app.name]
        for number, scenario in enumerate(own[:: len(own) // SCENARIOS_PER_APP][:SCENARIOS_PER_APP]):
            proven = table.find(scenario.name)
            assert proven is not None
            pairs = [(row.instance, profile) for row in proven.instances for profile in row.proven]
            instance, profile = pairs[number * 7 % len(pairs)]
            chosen = Configuration(
                suite=suite.name,
                app=app.name,
                scenario=scenario.name,
                instance=instance,
                profile=profile,
                theme=list(app.themes)[(number * 3 + 1) % len(app.themes)],
                ui_state=list(app.ui_states)[number % len(app.ui_states)],
            )
            quick = number == 0 and app.name == QUICK
            yield pytest.param(chosen, id=chosen.id, marks=pytest.mark.process if quick else pytest.mark.slow)


@pytest.mark.parametrize("chosen", list(configurations()))
def test_the_oracle_solves_it_and_nothing_done_earns_nothing(chosen: Configuration) -> None:
    world = World.of(suite, chosen)
    with open_seat(world) as seat:
        said = make_moves(seat, world.scenario.oracle(world, seat.before))
        after = seat.finish()
    assert judge(world, seat.before, seat.before).reward < 0.01
    verdict = judge(world, seat.before, after, said)
    assert verdict.success, [check for check in verdict.checks if not check.passed]
