"""Whole episodes: a scripted model server, the vendor's SDK, the agent, and a real application in a real seat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fairground.agents.models import RetryPolicy
from fairground.core import Check, Outcome, State
from fairground.rollout import read_episode, run_episode
from fairground.sandbox import Sandbox
from fairground.worlds import App, Scenario, Seat, Suite, World

from .stage import Time, agent_at
from .wire.anthropic_wire import AnthropicServer, busy, member, overloaded, says, text, thinking

pytestmark = pytest.mark.process


class Editor(App):
    name = "editor"
    packages = ("mousepad",)
    recorded = ("~/list.txt",)

    def setup(self, sandbox: Sandbox, world: World) -> None:
        sandbox.write_file("~/list.txt", b"milk\n")

    def launch(self, seat: Seat) -> None:
        seat.start(["mousepad", f"{seat.sandbox.home}/list.txt"])
        seat.wait_window("list")


class AddTea(Scenario):
    name = "add-tea"
    app = "editor"
    template = "Add tea to the list and save it."
    step_budget = 8

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        found = after.text("~/list.txt")
        return [Check(name="tea is on the list", passed="tea" in found, expected="tea", found=found)]


SUITE = Suite("test", "Test", "1", (Editor(),), (AddTea(),))
SOLVE = [
    says(thinking("The list is open."), member("left_click", coordinate=[640, 360]), member("key", text="ctrl+End")),
    busy(retry_after="1"),
    says(member("type", text="tea"), member("key", text="ctrl+s")),
    says(text("Tea is on the list, and it is saved.")),
]


def world() -> World:
    return World.of(SUITE, SUITE.configurations()[0])


def test_a_model_solves_a_task_in_a_real_seat(tmp_path: Path) -> None:
    time = Time()
    with AnthropicServer(SOLVE) as server:
        episode = run_episode(world(), agent_at(server, time=time), tmp_path / "e", video=False)
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.PASSED, "agent", 5), episode.error
    assert server.complaints == [] and time.waits == [1.0]
    assert episode.agent == "anthropic:claude-sonnet-5-5"
    usage = episode.extra["usage"]
    assert (usage["requests"], usage["failures"], usage["tokens"]) == (3, 1, 3150) and usage["dollars"] > 0
    steps = read_episode(tmp_path / "e").steps
    assert steps[0].thought == "The list is open." and steps[-1].thought.startswith("Tea is on the list")


def test_a_server_that_stays_away_is_an_error_and_not_a_failure(tmp_path: Path) -> None:
    with AnthropicServer([says(member("wait", duration=0.1)), overloaded(), overloaded()]) as server:
        agent = agent_at(server, retries=RetryPolicy(attempts=2))
        episode = run_episode(world(), agent, tmp_path / "e", video=False)
    assert (episode.outcome, episode.verdict, episode.steps) == (Outcome.ERRORED, None, 1)
    assert "Overloaded" in episode.error and episode.extra["usage"]["failures"] == 2


@pytest.mark.slow
def test_a_refusal_is_the_agents_own_and_is_judged(tmp_path: Path) -> None:
    with AnthropicServer([says(stop="refusal")]) as server:
        episode = run_episode(world(), agent_at(server), tmp_path / "e", video=False)
    assert (episode.outcome, episode.ended_by) == (Outcome.FAILED, "agent")
    assert "the model refused" in read_episode(tmp_path / "e").steps[0].thought
