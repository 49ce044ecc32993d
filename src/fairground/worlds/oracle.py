"""Oracles: moves that solve a scenario, performed on a screen or, faster, without one.

An oracle is a list of moves, derived from the state before. Moves are data, so a mutant is an edited list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from fairground.core import Action, FairgroundError, State


@dataclass(frozen=True)
class Tap:
    """Press the element with this name: a link, a button, a tab, a row of a list, a check box.

    Matches the exact name, ignoring white space. If there is no exact match, it matches names that contain it. More
    than one match is an error, so that no proof depends on chance.

    Attributes:
        name: The accessible name.
        role: Its role, such as `button` or `link`, if the name is ambiguous.
        within: The name of the row, group or dialog that contains it, if there are several.
        count: 2 for a double click.
    """

    name: str
    role: str = ""
    within: str = ""
    count: int = 1


@dataclass(frozen=True)
class Fill:
    """Replace the content of the text field with this name."""

    field: str
    text: str
    within: str = ""


@dataclass(frozen=True)
class Press:
    """Press keys together, such as `ctrl+s`, at the current focus."""

    keys: str


@dataclass(frozen=True)
class Enter:
    """Type text at the current focus. A newline is the Return key."""

    text: str


@dataclass(frozen=True)
class Point:
    """Click or drag at a position on the screen, for canvases, where nothing has a name.

    Attributes:
        at: Position in pixels.
        to: Where to drag to; None for a click.
        button: The mouse button.
        count: 2 for a double click.
    """

    at: tuple[int, int]
    to: tuple[int, int] | None = None
    button: Literal["left", "middle", "right"] = "left"
    count: int = 1


@dataclass(frozen=True)
class Command:
    """Run a command of the app's own automation (UNO, Script-Fu, CDP and similar).

    For what keys and names cannot reach. `App.command` performs it.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Say:
    """Give the answer that the instruction asks for."""

    text: str


@dataclass(frozen=True)
class Act:
    """Perform a canonical action, for what no other move does, such as scrolling."""

    action: Action


Move: TypeAlias = Tap | Fill | Press | Enter | Point | Command | Say | Act


class Stuck(FairgroundError):
    """A move cannot be performed: what it names does not exist, or is ambiguous."""


class Rehearsal(Protocol):
    """A world without a screen, where moves take milliseconds, for proofs over every configuration.

    Moves have the same effect as on the screen: they use the same links, forms and database.
    """

    before: State
    """The state before the first move."""

    def play(self, moves: Sequence[Move]) -> str | None:
        """Perform the moves. Returns the text of `Say`, if any.

        Raises:
            Stuck: A move cannot be performed. The moves before it have been performed.
        """

    def state(self) -> State:
        """Return the current state."""

    def close(self) -> None:
        """Discard it."""
