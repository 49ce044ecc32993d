"""A whole episode: a scripted model server, the vendor's SDK, the agent, and a real application in a real seat."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairground.core import Outcome
from fairground.rollout import read_episode, run_episode

from .stage import Time
from .test_anthropic_episode import world
from .wire.gemini_stage import agent_at
from .wire.gemini_wire import GeminiServer, busy, call, confirm, says, text, thought

SAVE = call("hotkey", keys=["Control", "S"], intent="Save it.", safety_decision=confirm("This changes a file."))
SOLVE = [
    says(thought("The list is open."), call("click", x=500, y=500), call("hotkey", keys=["Control", "End"])),
    busy("1s"),
    says(call("type", text="tea"), SAVE),
    says(text("Tea is on the list, and it is saved.")),
]

pytestmark = pytest.mark.process


@pytest.mark.slow
def test_a_model_solves_a_task_in_a_real_seat(tmp_path: Path) -> None:
    time = Time()
    with GeminiServer(SOLVE) as server:
        agent = agent_at(server, time=time, acknowledge_safety=True)
        episode = run_episode(world(), agent, tmp_path / "e", video=False)
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.PASSED, "agent", 5), episode.error
    assert server.complaints == [] and time.waits == [1.0]
    assert episode.agent == "gemini:gemini-3.5-flash"
    usage = episode.extra["usage"]
    assert (usage["requests"], usage["failures"], usage["tokens"]) == (3, 1, 3150) and usage["dollars"] > 0
    steps = read_episode(tmp_path / "e").steps
    assert steps[0].thought == "The list is open." and steps[-1].thought.startswith("Tea is on the list")


@pytest.mark.slow
def test_an_action_that_nobody_consented_to_is_not_done_and_the_episode_is_judged(tmp_path: Path) -> None:
    with GeminiServer([says(SAVE)]) as server:
        episode = run_episode(world(), agent_at(server), tmp_path / "e", video=False)
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.FAILED, "agent", 1)
    assert "This changes a file." in read_episode(tmp_path / "e").steps[0].thought
