"""How a scenario is solved: moves that a person would name, carried out on a screen or, faster, without one.

An oracle is a list of moves, worked out from the state before. Because moves are data, a mutant is an edited list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from fairground.core import Action, FairgroundError, State


@dataclass(frozen=True)
class Tap:
    """Presses what has this name: a link, a button, a tab, a row of a list, a box to tick.

    A name is looked for as it is, spaces aside; where nothing is called exactly that, in the names that contain it.
    Two that would do are an error, so that no proof rests on luck.

    Attributes:
        name: The accessible name.
        role: Its role, such as `button` or `link`, where the name alone does not tell.
        within: The name of the row, group or dialog that it is in, where there are several.
        count: 2 for a double click.
    """

    name: str
    role: str = ""
    within: str = ""
    count: int = 1


@dataclass(frozen=True)
class Fill:
    """Replaces what is in the text field with this name."""

    field: str
    text: str
    within: str = ""


@dataclass(frozen=True)
class Press:
    """Presses keys together, such as `ctrl+s`, wherever the focus is."""

    keys: str


@dataclass(frozen=True)
class Enter:
    """Types text wherever the focus is; a newline is the Return key."""

    text: str


@dataclass(frozen=True)
class Point:
    """Presses at a place of the screen, or drags from it: for canvases, where nothing has a name.

    Attributes:
        at: In pixels.
        to: Where to drag to; None for a click.
        button: Which.
        count: 2 for a double click.
    """

    at: tuple[int, int]
    to: tuple[int, int] | None = None
    button: Literal["left", "middle", "right"] = "left"
    count: int = 1


@dataclass(frozen=True)
class Command:
    """Asks the app's own automation (UNO, Script-Fu, CDP and the like) to do what a menu of it does.

    For what keys and names do not reach. The app carries it out, by `App.command`.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Say:
    """Gives the answer that the instruction asks for."""

    text: str


@dataclass(frozen=True)
class Act:
    """Carries out one canonical action as it is: for what no other move does, such as a scroll."""

    action: Action


Move: TypeAlias = Tap | Fill | Press | Enter | Point | Command | Say | Act


class Stuck(FairgroundError):
    """A move cannot be made: what it names is not there, or is there twice."""


class Rehearsal(Protocol):
    """A world without a screen, where moves cost milliseconds: for proofs over every configuration.

    What is done here is what the same moves do on the screen: the same links, forms and database.
    """

    before: State
    """The state before anything was touched."""

    def play(self, moves: Sequence[Move]) -> str | None:
        """Makes the moves; returns what `Say` said, if anything. Raises `Stuck`, with the moves before it made."""

    def state(self) -> State:
        """The state as it is now."""

    def close(self) -> None:
        """Throws it away."""
