"""A person as an agent: what they do is done at once, and told as actions."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from fairground.agents import Agent, Brief, HumanAgent, Turn
from fairground.core import (
    Action,
    Click,
    Done,
    Fail,
    Frame,
    InvalidAction,
    InvalidInput,
    MouseDown,
    MouseUp,
    Move,
    Observation,
    Type,
)

SIZE = (300, 200)
MENU = (10.0, 10.0)


@dataclass
class Screen:
    """A picture in which a menu opens at the other side when the pointer comes to one place."""

    backend = "x11"
    in_memory = True
    size = SIZE
    acted: list[Action] = field(default_factory=list)

    def act(self, action: Action) -> None:
        action.to_pixels(*SIZE)
        self.acted.append(action)

    def grab(self) -> Frame:
        pixels = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
        if any(isinstance(each, Move) and each.point == MENU for each in self.acted):
            pixels[100:150, 150:250] = 255
        return Frame(pixels, 0.0)


class _Scenario:
    time_budget = 1800.0


class _World:
    scenario = _Scenario()


@dataclass
class Seat:
    screen: Screen = field(default_factory=Screen)
    world: Any = field(default_factory=_World)


def begun(seat: Seat) -> HumanAgent:
    agent = HumanAgent()
    assert isinstance(agent, Agent) and agent.name == "human"
    agent.take_seat(seat)  # type: ignore[arg-type]
    agent.begin(Brief("do it", SIZE, 50))
    return agent


def turns(agent: HumanAgent, seat: Seat) -> list[Turn]:
    """Everything until the end, as an episode asks for it."""
    found = list[Turn]()
    while not (found and found[-1].action.ends):
        found.append(agent.act(Observation(frame=Screen().grab(), step=len(found))))
    return found


def test_what_is_done_is_carried_out_as_it_comes_and_told_when_it_amounts_to_something() -> None:
    seat = Seat()
    agent = begun(seat)
    raw: list[Action] = [Move(point=(40, 40)), MouseDown(point=(50, 50)), MouseUp(point=(50, 50)), Type(text="a")]
    done = [agent.put(action) for action in (*raw, Type(text="b"), Done())]
    found = turns(agent, seat)
    assert found == [
        Turn(Click(point=(50, 50)), performed=True),
        Turn(Type(text="ab"), performed=True),
        Turn(Done()),
    ]
    assert seat.screen.acted[:4] == raw
    assert all(each.result(0) is None for each in done)


def test_a_place_where_something_opened_on_the_way_is_a_step_of_its_own() -> None:
    seat = Seat()
    agent = begun(seat)
    found = list[Turn]()
    thread = threading.Thread(target=lambda: found.extend(turns(agent, seat)))
    thread.start()
    agent.put(Move(point=MENU)).result(60)
    while agent._hover is None:  # the pointer rests there until the menu was seen
        thread.join(0.02)
    for action in (Move(point=(200, 120)), MouseDown(point=(200, 120)), MouseUp(point=(200, 120)), Done()):
        agent.put(action)
    thread.join(60)
    assert [turn.action for turn in found] == [Move(point=MENU), Click(point=(200, 120)), Done()]


def test_what_cannot_be_done_is_refused_and_is_no_step() -> None:
    seat = Seat()
    agent = begun(seat)
    off = agent.put(MouseDown(point=(5_000, 5)))
    agent.put(Done())
    assert [turn.action for turn in turns(agent, seat)] == [Done()]
    with pytest.raises(InvalidAction, match="off the 300x200 screen"):
        off.result(0)


def test_input_that_nobody_waits_for_any_more_is_not_carried_out() -> None:
    seat = Seat()
    agent = begun(seat)
    assert agent.put(Type(text="gone")).cancel()
    agent.put(Done())
    assert [turn.action for turn in turns(agent, seat)] == [Done()] and not seat.screen.acted


def test_a_person_who_leaves_gives_up_and_after_the_end_nothing_is_taken() -> None:
    seat = Seat()
    agent = begun(seat)
    agent.leave("went home")
    assert turns(agent, seat) == [Turn(Fail(reason="went home"))]
    agent.close()
    late: Future[None] = agent.put(Type(text="late"))
    with pytest.raises(InvalidInput, match="over"):
        late.result(0)
    assert not seat.screen.acted


def test_nothing_touches_the_screen_once_the_time_is_up() -> None:
    seat = Seat()
    seat.world.scenario.time_budget = 0.0
    try:
        agent = begun(seat)
        late = agent.put(Type(text="late"))
        thread = threading.Thread(target=lambda: turns(agent, seat))
        thread.start()
        with pytest.raises(InvalidInput, match="time"):
            late.result(60)
        agent.close()
        thread.join(60)
        assert not thread.is_alive() and not seat.screen.acted
    finally:
        seat.world.scenario.time_budget = 1800.0
