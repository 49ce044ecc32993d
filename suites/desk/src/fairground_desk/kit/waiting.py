"""Waiting for what a move has begun, so that a busy machine fails no proof: commands that every desk app takes."""

from __future__ import annotations

import re
import time
from typing import Final

from fairground.worlds import Command, Seat, Stuck

_SECONDS: Final = 45.0  # the dialogs of some programs are programs of their own, and take a while to start
_QUIET: Final = 0.4
_LOOK_AGAIN: Final = 0.1


def window(title: str, *, gone: bool = False) -> Command:
    """Waits until there is a window whose title matches a pattern, or none any more."""
    return Command("window", {"title": title, "gone": gone})


def rest() -> Command:
    """Waits until nothing on the screen has changed for a while: for lists that fill themselves, and completions."""
    return Command("rest")


def wait(seat: Seat, command: Command) -> None:
    """Carries one of the above out.

    Raises:
        Stuck: When it did not come true, or is neither.
    """
    deadline = time.monotonic() + _SECONDS
    if command.name == "rest":
        while seat.screen.wait_change(_QUIET) and time.monotonic() < deadline:
            continue
        return
    if command.name != "window":
        raise Stuck(f"{seat.world.app.name} takes no command {command.name!r}")
    pattern, gone = re.compile(command.arguments["title"]), bool(command.arguments.get("gone"))
    while any(pattern.search(one.title) for one in seat.screen.windows()) is gone:
        if time.monotonic() > deadline:
            titles = [one.title for one in seat.screen.windows()]
            raise Stuck(f"{'still a' if gone else 'no'} window {pattern.pattern!r}; there are {titles}")
        seat.screen.wait_change(_LOOK_AGAIN)
