"""One side of a battle as the episode loop meets it: a seat that is ready, an agent that can be stopped, a person."""

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
from fairground.rollout.patience import AgentRaised, Answers, Calls, Harness, OutOfTime, do_calls
from fairground.sandbox import Sandbox
from fairground.worlds import Scenario, Seat, World

MAX_QUESTIONS: Final = 20
"""Questions of one agent in one battle that reach the person."""

OWN_STEPS: Final = 60
"""Actions that an agent has for somebody's own task, at least."""


class OwnTask(Scenario):
    """Somebody's own words in the place of a scenario; only people can judge it.

    Args:
        text: What is asked.
        under: The scenario of the world in which it is asked, whose data it has.
    """

    def __init__(self, text: str, under: Scenario) -> None:
        self._text, self._under = text, under
        self.name, self.app = under.name, under.app  # type: ignore[misc]
        self.instances, self.recorded = under.instances, under.recorded  # type: ignore[misc]
        self.step_budget = max(OWN_STEPS, under.step_budget)  # type: ignore[misc]
        self.time_budget = under.time_budget  # type: ignore[misc]

    def phrase(self, world: World) -> str:
        """The person's words, as they are."""
        return self._text

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """As in the scenario under it."""
        self._under.setup(sandbox, world)

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """None that a program could make: nothing is passed by itself."""
        return [Check(name="a person has judged it", passed=False)]


def own_world(world: World, text: str) -> World:
    """The same world, with somebody's own task in it."""
    return replace(world, scenario=OwnTask(text, world.scenario))


def going_on(earlier: str, text: str) -> str:
    """What an agent is told when a person goes on with something new where it has stopped."""
    words = resources.files("fairground.arena").joinpath("follow_up.md").read_text(encoding="utf-8")
    return words.replace("{earlier}", earlier).replace("{text}", text).strip()


class ReadySeat:
    """A source of seats with one seat, which stays open when its episode has ended."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        """The seat."""
        return self.seat

    def give_back(self, seat: Seat) -> None:
        """It stays as it is: frozen, and open."""


class Reined(Harness):
    """An agent that begins together with another, and can be stopped while it thinks.

    What is recorded names it by its side, so that no recording tells who it was.

    Args:
        agent: Who acts.
        side: `a` or `b`.
        gate: Where it waits for the other to be ready.
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
        """What it has used of a model."""
        found = self._agent.usage if isinstance(self._agent, HasUsage) else None
        return found if isinstance(found, Usage) else None

    def begin(self, brief: Brief) -> None:
        """Waits for the other side, then has the agent begin."""
        try:
            self._gate.wait()
        except threading.BrokenBarrierError:
            if self._stopped.is_set():
                raise OutOfTime from None
            raise InfrastructureError("the other side of the battle could not begin") from None
        self._call(lambda: self._agent.begin(brief))

    def act(self, observation: Observation) -> Turn | Action:
        """The agent's next action; `OutOfTime` when it was stopped, even while it thinks."""
        turn: Turn | Action = self._call(lambda: self._agent.act(observation))
        return turn

    def stop(self) -> None:
        """From another thread: the episode ends now, and is judged on what was done."""
        self._stopped.set()
        self._gate.abort()
        self._answers.put((None, OutOfTime()))

    def close(self) -> None:
        """Lets go of the agent; an answer that is still waited for is waited for no longer."""
        self.stop()
        self._calls.put(None)
        if isinstance(self._agent, Closeable):
            self._agent.close()

    def _call(self, call: Callable[[], Any]) -> Any:
        if self._stopped.is_set():
            raise OutOfTime
        self._calls.put(call)
        value, error = self._answers.get()
        if self._stopped.is_set() and isinstance(error, OutOfTime):
            raise error
        if error is not None:
            raise AgentRaised(self._agent, error) from error
        return value


@dataclass
class Messenger:
    """Sits beside an agent: says the task in the person's words, and carries questions to the person.

    Attributes:
        ask: Puts a question to the person, and returns what to tell the agent.
        stopped: Says whether the person has stopped it.
        words: What the agent is told instead of the world's instruction, if anything.
        questions: How many were asked.
        user: What the episode loop asks.
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
            return "The person answers no more questions; go on as you think best."
        return self.ask(question)

    def brief(self, scene: Scene) -> str:
        """A scenario's own instruction stays as it is."""
        return self.words or scene.world.instruction

    def audit(self, ending: Ending) -> str | None:
        """No objection."""
        return None

    def review(self, ending: Ending) -> str | None:
        """It stays ended."""
        return None

    def extra(self, own: Usage | None) -> dict[str, Any]:
        """What was used, and whether the person stopped it."""
        used: dict[str, Any] = {"usage": own.plain()} if own is not None else {}
        return {**used, "stopped": True} if self.stopped() else used
