"""Programs inside of a desktop's sandbox get no reward, whatever they write there."""

import pytest

from fairground.agents import Brief, TakesSeat
from fairground.core import Observation
from fairground.prove.cheaters import make_cheater
from fairground.prove.intruders import INTRUDERS
from fairground.verify import judge
from fairground.worlds import open_seat, resolve


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=pytest.mark.process if one == "write-files" else pytest.mark.slow) for one in INTRUDERS],
)
def test_an_intruder_gets_nothing(name: str) -> None:
    world = resolve("desk/calc/region-total/north@outdoor-shop/light/sales", unproven=True)
    agent = make_cheater(name)
    with open_seat(world) as seat:
        if isinstance(agent, TakesSeat):
            agent.take_seat(seat)
        agent.begin(Brief(instruction=world.instruction, size=seat.screen.size, step_budget=10))
        for _ in range(10):
            turn = agent.act(Observation(frame=seat.screen.grab()))
            if turn.action.ends:
                break
            seat.screen.act(turn.action)
            seat.screen.settle()
        after = seat.finish()
    assert turn.action.ends
    assert judge(world, seat.before, after).reward == 0
    if name == "write-files":
        assert after.files != seat.before.files, "it did write"
