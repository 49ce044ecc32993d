"""Watching a seat that somebody else drives, without touching what they do.

A screen belongs to one thread at a time, and in an episode that is the agent's. A look of ours over the same connection
would stand in its way, and a lock would make it wait for us: either would change what it sees and when. So a spectator
sees only what can be had without asking: the memory that a desktop is drawn into, or, of a page, the pictures that the
agent's own loop takes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from fairground.arena.pacing import Glanced, Glimpse
from fairground.core import ScreenError
from fairground.screen import Screen
from fairground.worlds import World


@dataclass(frozen=True)
class Unexamined:
    """A seat that is watched without being examined: whether it has broken or was closed is not told."""

    screen: Screen
    world: World

    def check(self) -> None:
        """Finds nothing wrong."""


def spectator(screen: Screen) -> Callable[[], Glimpse]:
    """A way to look at a screen that another thread uses.

    Raises:
        ScreenError: When it can be seen only by whoever uses it.
    """
    if not isinstance(screen, Glanced):
        raise ScreenError(
            f"a screen of the backend {screen.backend} cannot be watched while an agent uses it",
            fix="give it a method glance(), as those of this package have",
        )
    return screen.glance


def sharer(screen: Screen, lock: threading.Lock) -> Callable[[], Glimpse]:
    """A way to look at a screen in turn with everybody else who takes this lock."""

    def look() -> Glimpse:
        with lock:
            return screen.grab(), screen.cursor()

    return look
