"""What an agent is: something that is told a task and then exchanges observations for actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from fairground.core import Action, Observation, parse_action


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
