"""What an agent is: something that is told a task and then exchanges observations for actions."""

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
    """What an agent is told before it begins, and all it is told.

    Attributes:
        instruction: The task, in a person's words.
        size: Width and height of the screen in pixels.
        step_budget: How many actions it has.
        kind: `action` changes something; `answer` wants an answer action at the end.
        seed: For whatever in the agent is random.
        observations: What every observation will hold, beside the frame.
    """

    instruction: str
    size: tuple[int, int]
    step_budget: int
    kind: Literal["action", "answer"] = "action"
    seed: int = 0
    observations: tuple[str, ...] = ("screen", "cursor")


@dataclass(frozen=True)
class Turn:
    """An action with what the agent said about it.

    Attributes:
        performed: That it was carried out already, by whoever has the seat in hand: a person at a live view.
    """

    action: Action
    thought: str = ""
    performed: bool = False


def turn_of(answer: Any, *, where: str) -> Turn:
    """A turn from what somebody gave: a turn, an action, or an action as plain data with a `thought` beside its fields.

    Raises:
        InvalidInput: When it is none of these; `where` says in the message what it was.
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
    """Who acts."""

    name: str

    def begin(self, brief: Brief) -> None:
        """Starts an episode; whatever was remembered of the last one is forgotten."""

    def act(self, observation: Observation) -> Turn | Action:
        """The next action."""


# What an agent may offer beside `begin` and `act`. None of it has to be inherited: an agent that has it, offers it.


@runtime_checkable
class HasObservations(Protocol):
    """Names what it wants to observe, for when nobody else says so."""

    observations: Sequence[str]


@runtime_checkable
class HasUsage(Protocol):
    """Says what the episode has used of a model so far."""

    @property
    def usage(self) -> Usage | None:
        """None when it asks no model."""


@runtime_checkable
class Checkable(Protocol):
    """Can say before anything starts that it cannot run: a missing SDK or key."""

    def check(self) -> None:
        """Raises `MissingPrerequisite`."""


@runtime_checkable
class TakesSeat(Protocol):
    """Is handed the seat: oracles, people, and the cheaters of a proof. Every other agent knows only what it sees."""

    def take_seat(self, seat: Seat) -> None:
        """Before `begin`."""


@runtime_checkable
class Closeable(Protocol):
    """Holds something that must be let go of: a process, a connection."""

    def close(self) -> None:
        """After the episode."""
