"""The agent protocol: an agent gets a task, then exchanges observations for actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from fairground.core import Action, Observation, parse_action

if TYPE_CHECKING:
    from fairground.agents.models.usage import Usage
    from fairground.worlds import Seat


@dataclass(frozen=True)
class Brief:
    """Everything an agent is told before an episode.

    Attributes:
        instruction: The task, in a user's words.
        size: Width and height of the screen in pixels.
        step_budget: Maximum number of actions.
        kind: `action` tasks change something; `answer` tasks need an answer action at the end.
        seed: Seed for the agent's randomness.
        observations: What every observation contains.
    """

    instruction: str
    size: tuple[int, int]
    step_budget: int
    kind: Literal["action", "answer"] = "action"
    seed: int = 0
    observations: tuple[str, ...] = ("screen", "cursor")


@dataclass(frozen=True)
class Turn:
    """An action with the agent's thought.

    Attributes:
        performed: Whether the action was already performed, as by a person at a live view.
    """

    action: Action
    thought: str = ""
    performed: bool = False


def turn_of(answer: Any, *, where: str) -> Turn:
    """Return a turn for a turn, an action, or an action as plain data (with an optional `thought`).

    Raises:
        InvalidInput: If it is none of these. The message calls it `where`.
    """
    if isinstance(answer, Turn):
        return answer
    thought = ""
    if isinstance(answer, Mapping):
        answer = dict(answer)
        thought = str(answer.pop("thought", ""))
    return Turn(parse_action(answer, where=where), thought)


@runtime_checkable
class Agent(Protocol):
    """An agent: anything with a name, `begin` and `act`."""

    name: str

    def begin(self, brief: Brief) -> None:
        """Start an episode. Nothing of the last one is remembered."""

    def act(self, observation: Observation) -> Turn | Action:
        """Return the next action."""


# Optional parts of an agent. They need not be inherited: an agent that has the attribute offers it.


@runtime_checkable
class HasObservations(Protocol):
    """Names its default observations."""

    observations: Sequence[str]


@runtime_checkable
class HasUsage(Protocol):
    """Reports its model usage in the episode so far."""

    @property
    def usage(self) -> Usage | None:
        """Usage so far. None if it uses no model."""


@runtime_checkable
class Checkable(Protocol):
    """Can check before anything starts whether it can run, such as for a missing SDK or API key."""

    def check(self) -> None:
        """Raise `MissingPrerequisite` if it cannot run."""


@runtime_checkable
class TakesSeat(Protocol):
    """Gets the seat: oracles, people, and the cheaters of a proof. All other agents know only what they see."""

    def take_seat(self, seat: Seat) -> None:
        """Called with the seat, before `begin`."""


@runtime_checkable
class Closeable(Protocol):
    """Holds a resource that must be released, such as a process or connection."""

    def close(self) -> None:
        """Called after the episode."""
