"""Agents that need no model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fairground.agents import Agent, Brief, DoNothing, RandomAgent, Scripted, make_agent
from fairground.core import Done, Frame, InvalidAction, InvalidInput, Observation, Type, UnknownName

BRIEF = Brief("Do it.", (1280, 720), 10, seed=4)
SEEN = Observation(Frame(np.zeros((720, 1280, 3), np.uint8)))


@pytest.mark.parametrize("agent", [DoNothing(), RandomAgent(), Scripted([])])
def test_each_is_an_agent(agent: Agent) -> None:
    assert isinstance(agent, Agent)


def test_do_nothing_is_done_at_once() -> None:
    agent = DoNothing()
    agent.begin(BRIEF)
    assert isinstance(agent.act(SEEN).action, Done)


def test_random_is_the_same_for_the_same_seed_and_ends_with_its_budget() -> None:
    def play(seed: int) -> list[object]:
        agent = RandomAgent()
        agent.begin(Brief("Do it.", (1280, 720), 10, seed=seed))
        return [agent.act(SEEN).action for _ in range(10)]

    assert play(1) == play(1) != play(2)
    assert isinstance(play(1)[-1], Done)
    assert not any(isinstance(action, Done) for action in play(1)[:-1])


def test_a_script_is_read_line_by_line_and_starts_again(tmp_path: Path) -> None:
    script = tmp_path / "solve.jsonl"
    script.write_text('{"kind": "type", "text": "hi", "thought": "greet"}\n\n{"kind": "done"}\n')
    agent = make_agent(f"script:{script}")
    for _ in range(2):
        agent.begin(BRIEF)
        turn = agent.act(SEEN)
        assert turn.action == Type(text="hi") and turn.thought == "greet"
        assert isinstance(agent.act(SEEN).action, Done)
        assert isinstance(agent.act(SEEN).action, Done)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ('{"kind": "type"}\n', InvalidAction, "solve.jsonl:1.text: required"),
        ('\n{"kind": "typo"}\n', InvalidAction, "solve.jsonl:2.kind"),
        ("nonsense\n", InvalidInput, "solve.jsonl:1: not valid JSON"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    script = tmp_path / "solve.jsonl"
    script.write_text(text)
    with pytest.raises(error, match=message):
        make_agent(f"script:{script}")


def test_unknown_agents_and_missing_scripts_say_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean random"):
        make_agent("randm")
    with pytest.raises(InvalidInput, match="cannot be read"):
        make_agent(f"script:{tmp_path / 'nothing.jsonl'}")
