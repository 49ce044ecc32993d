"""What an agent is: something that is told a task and then exchanges observations for actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from fairground.core import Action, Observation


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


@runtime_checkable
class Agent(Protocol):
    """Who acts."""

    name: str

    def begin(self, brief: Brief) -> None:
        """Starts an episode; whatever was remembered of the last one is forgotten."""

    def act(self, observation: Observation) -> Turn | Action:
        """The next action."""
