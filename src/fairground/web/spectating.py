"""Passive watching of a seat that an agent drives.

A screen belongs to one thread at a time; in an episode that is the agent's thread. Capturing over the same connection
would interfere with the agent, and a lock would delay it: both would change what it sees and when. A spectator
therefore uses only what is available without a request: the framebuffer memory of a desktop, or the screenshots that
the agent's own loop takes of a page.
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
    """A seat that is watched without health checks: whether it has failed or was closed is not reported."""

    screen: Screen
    world: World

    def check(self) -> None:
        """Do nothing."""


def spectator(screen: Screen) -> Callable[[], Glimpse]:
    """Return a passive view of a screen that another thread uses.

    Raises:
        ScreenError: If the screen has no passive view.
    """
    if not isinstance(screen, Glanced):
        raise ScreenError(
            f"a screen with the backend {screen.backend} cannot be watched while an agent uses it",
            fix="implement glance(), as the screens in this package do",
        )
    return screen.glance


def sharer(screen: Screen, lock: threading.Lock) -> Callable[[], Glimpse]:
    """Return a view of a screen that takes turns with all other users of this lock."""

    def look() -> Glimpse:
        with lock:
            return screen.grab(), screen.cursor()

    return look
