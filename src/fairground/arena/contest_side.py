"""One side of a battle for the episode loop: an open seat, a stoppable agent and a person to ask."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any, Final

from fairground.agents import Agent, Brief, Closeable, HasUsage, TakesSeat, Turn
from fairground.agents.models import Usage
from fairground.core import Action, Check, Frame, InfrastructureError, Observation, State
from fairground.rollout.interventions.companion import Ending, Scene
from fairground.rollout.patience import Answers, Calls, Harness, OutOfTime, blaming, do_calls
from fairground.sandbox import Sandbox
from fairground.worlds import Scenario, Seat, World

MAX_QUESTIONS: Final = 20
"""Maximum number of questions that an agent can ask the person per battle."""

OWN_STEPS: Final = 60
"""Minimum step budget for a custom task."""


class OwnTask(Scenario):
    """A custom task in place of a scenario. Only people can judge it.

    Args:
        text: The instruction.
        under: The scenario whose world and data it uses.
    """

    def __init__(self, text: str, under: Scenario) -> None:
        self._text, self._under = text, under
        self.name, self.app = under.name, under.app  # type: ignore[misc]
        self.instances, self.recorded = under.instances, under.recorded  # type: ignore[misc]
        self.step_budget = max(OWN_STEPS, under.step_budget)  # type: ignore[misc]
        self.time_budget = under.time_budget  # type: ignore[misc]

    def phrase(self, world: World) -> str:
        """Return the person's text unchanged."""
        return self._text

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Set up the data of the underlying scenario."""
        self._under.setup(sandbox, world)

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Return one check that never passes, because only people can judge this task."""
        return [Check(name="judged by a person", passed=False)]


def own_world(world: World, text: str) -> World:
    """Return the same world with a custom task in it."""
    return replace(world, scenario=OwnTask(text, world.scenario))


def going_on(earlier: str, text: str) -> str:
    """Return the instruction for an agent that continues in its seat with a follow-up task."""
    words = resources.files("fairground.arena").joinpath("follow_up.md").read_text(encoding="utf-8")
    return words.replace("{earlier}", earlier).replace("{text}", text).strip()


class ReadySeat:
    """A seat source with one seat, which stays open after its episode."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        """Return the seat."""
        return self.seat

    def give_back(self, seat: Seat) -> None:
        """Do nothing: the seat stays frozen and open."""


class Reined(Harness):
    """An agent that starts together with another one, and can be stopped while it computes.

    The recording names it by its side only, so it does not reveal the agent.

    Args:
        agent: The wrapped agent.
        side: `a` or `b`.
        gate: Barrier at which it waits for the other side.
    """

    def __init__(self, agent: Agent, side: str, gate: threading.Barrier) -> None:
        self.name = f"arena-{side}"
        self._agent, self._gate = agent, gate
        self._stopped = threading.Event()
        self._calls: Calls = queue.SimpleQueue()
        self._answers: Answers = queue.SimpleQueue()
        if isinstance(agent, TakesSeat):
            self.take_seat = agent.take_seat
        do_calls(self._calls, self._answers, name=self.name)

    @property
    def usage(self) -> Usage | None:
        """Model usage of the agent."""
        agent = self._agent
        usage = blaming(agent, lambda: agent.usage if isinstance(agent, HasUsage) else None)
        return usage if isinstance(usage, Usage) else None

    def begin(self, brief: Brief) -> None:
        """Wait for the other side, then start the agent."""
        try:
            self._gate.wait()
        except threading.BrokenBarrierError:
            if self._stopped.is_set():
                raise OutOfTime from None
            raise InfrastructureError("the other side of the battle could not start") from None
        self._call(lambda: self._agent.begin(brief))

    def act(self, observation: Observation) -> Turn | Action:
        """Return the agent's next action. Raises `OutOfTime` if it was stopped, also during the computation."""
        turn: Turn | Action = self._call(lambda: self._agent.act(observation))
        return turn

    def stop(self) -> None:
        """End the episode now. It is judged on what was done. Thread-safe."""
        self._stopped.set()
        self._gate.abort()
        self._answers.put((None, OutOfTime()))

    def close(self) -> None:
        """Close the agent without waiting for a pending action."""
        self.stop()
        self._calls.put(None)
        if isinstance(self._agent, Closeable):
            blaming(self._agent, self._agent.close)

    def _call(self, call: Callable[[], Any]) -> Any:
        if self._stopped.is_set():
            raise OutOfTime
        self._calls.put(lambda: blaming(self._agent, call))
        value, error = self._answers.get()
        if error is not None:
            raise error
        return value


@dataclass
class Messenger:
    """Adapter between agent and person: gives the agent its task, and forwards its questions.

    Attributes:
        ask: Asks the person, and returns the answer for the agent.
        stopped: Returns whether the person has stopped the agent.
        words: Instruction that replaces the world's instruction, if any.
        questions: Number of questions so far.
        user: Callback for the episode loop.
    """

    ask: Callable[[str], str]
    stopped: Callable[[], bool]
    words: str = ""
    questions: int = 0
    user: Callable[[str, Sequence[Frame]], str] | None = None

    def __post_init__(self) -> None:
        self.user = self._answer

    def _answer(self, question: str, frames: Sequence[Frame]) -> str:
        self.questions += 1
        if self.questions > MAX_QUESTIONS:
            return "The person answers no more questions. Continue as you think best."
        return self.ask(question)

    def brief(self, scene: Scene) -> str:
        """Keep a scenario's own instruction unchanged."""
        return self.words or scene.world.instruction

    def audit(self, ending: Ending) -> str | None:
        """Raise no objection."""
        return None

    def review(self, ending: Ending) -> str | None:
        """Keep the episode ended."""
        return None

    def extra(self, own: Usage | None) -> dict[str, Any]:
        """Return the usage, and whether the person stopped the agent."""
        used: dict[str, Any] = {"usage": own.plain()} if own is not None else {}
        return {**used, "stopped": True} if self.stopped() else used
