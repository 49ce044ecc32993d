"""An agent that is driven from outside: nobody waits for ever, whoever leaves first."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from fairground.agents import Agent, Brief, Turn
from fairground.agents.driven import Driven
from fairground.core import Done, Fail, Frame, InvalidInput, Look, Observation

FRAME = Frame(np.zeros((4, 4, 3), np.uint8))


def loop(agent: Driven, played: list[Turn], steps: int) -> None:
    """What an episode does."""
    agent.begin(Brief("Do it.", (4, 4), steps))
    for step in range(steps):
        played.append(agent.act(Observation(FRAME, step)))
        if played[-1].action.ends:
            break
    agent.end()


@pytest.fixture
def episode() -> Iterator[tuple[Driven, list[Turn], threading.Thread]]:
    agent, played = Driven("someone"), list[Turn]()
    assert isinstance(agent, Agent)
    thread = threading.Thread(target=loop, args=(agent, played, 3))
    thread.start()
    yield agent, played, thread
    agent.leave("the test is over")
    thread.join(20)
    assert not thread.is_alive()


Episode = tuple[Driven, list[Turn], threading.Thread]


def test_the_driver_sees_plays_and_sees_again(episode: Episode) -> None:
    agent, played, thread = episode
    first = agent.see()
    assert first is not None and first.step == 0 and agent.see() is first
    then = agent.play(Turn(Look(), "again"))
    assert then is not None and then.step == 1
    assert agent.play(Turn(Done())) is None and agent.see() is None
    thread.join()
    assert played == [Turn(Look(), "again"), Turn(Done())]
    with pytest.raises(InvalidInput, match="over"):
        agent.play(Turn(Look()))


def test_a_driver_that_leaves_has_given_up(episode: Episode) -> None:
    agent, played, thread = episode
    agent.play(Turn(Look()))
    agent.leave("gone home")
    thread.join()
    assert played == [Turn(Look()), Turn(Fail(reason="gone home"))]


def test_a_driver_that_left_before_the_first_observation_is_not_waited_for() -> None:
    agent, played = Driven("someone"), list[Turn]()
    agent.leave("never came")
    loop(agent, played, 3)
    assert played == [Turn(Fail(reason="never came"))]


def test_when_the_episode_ends_by_itself_both_sides_go_on() -> None:
    agent = Driven("someone")
    left_behind = threading.Thread(target=agent.act, args=(Observation(FRAME),))  # as when time is up
    left_behind.start()
    assert agent.see() is not None
    agent.end()
    left_behind.join(20)
    assert not left_behind.is_alive() and agent.see() is None


def test_drivers_that_come_at_once_take_turns(episode: Episode) -> None:
    agent, played, thread = episode
    drivers = [threading.Thread(target=agent.play, args=(Turn(Look(), str(number)),)) for number in range(3)]
    for driver in drivers:
        driver.start()
    for driver in drivers:
        driver.join(20)
    thread.join()
    assert sorted(turn.thought for turn in played) == ["0", "1", "2"]
