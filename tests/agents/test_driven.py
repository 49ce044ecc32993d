"""An agent that is driven from outside: nobody waits for ever, whoever leaves first."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fairground import core
from fairground.agents import Agent, Brief, Driven, Turn, human_agent, make_agent
from fairground.core import (
    Answer,
    Click,
    Done,
    Fail,
    Frame,
    InvalidInput,
    Look,
    MissingPrerequisite,
    Observation,
    Outcome,
)
from fairground.rollout import read_episode, run_episode
from fairground.worlds import resolve

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
    thread.join(60)
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
    left_behind.join(60)
    assert not left_behind.is_alive() and agent.see() is None


def test_drivers_that_come_at_once_take_turns(episode: Episode) -> None:
    agent, played, thread = episode
    drivers = [threading.Thread(target=agent.play, args=(Turn(Look(), str(number)),)) for number in range(3)]
    for driver in drivers:
        driver.start()
    for driver in drivers:
        driver.join(60)
    thread.join()
    assert sorted(turn.thought for turn in played) == ["0", "1", "2"]


@pytest.mark.process
def test_a_person_is_an_agent_like_any_other_and_the_recording_is_an_episode_like_any_other(tmp_path: Path) -> None:
    """As a page will do it: the episode in a thread of its own, the person's clicks from another."""
    person = human_agent()
    ended: list[core.Episode] = []

    def episode() -> None:
        try:
            ended.append(run_episode(resolve("pocket/notes/count-label"), person, tmp_path / "e", video=False))
        finally:
            person.end()

    thread = threading.Thread(target=episode)
    thread.start()
    seen = person.see()
    assert seen is not None and person.brief is not None and person.brief.size == seen.frame.size
    width, height = seen.frame.size
    after = person.play(Turn(Click(point=(width // 2, height // 2)), "I try the first note."))
    assert after is not None and after.step == 1
    refused = person.play(Turn(Click(point=(width * 2, 5))))
    assert refused is not None and "Refused" in refused.messages[0]
    assert person.play(Turn(Answer(text="seven million"))) is None
    thread.join()
    recorded = read_episode(tmp_path / "e")
    assert ended[0].outcome is Outcome.FAILED and recorded.complete and recorded.episode.agent == "human"
    assert [step.action.kind for step in recorded.steps] == ["click", "click", "answer"]
    assert recorded.steps[0].thought == "I try the first note." and recorded.steps[1].refused


def test_whoever_names_a_person_where_there_is_no_page_is_told_how_to_be_one() -> None:
    with pytest.raises(MissingPrerequisite, match="acts through a page") as caught:
        make_agent("human")
    assert "fairground play" in str(caught.value)
