"""Commands of every desk app that wait for the effect of a move. With them, oracles succeed on a busy machine too."""

from __future__ import annotations

import re
import time
from typing import Final

from fairground.worlds import Command, Seat, Stuck

_SECONDS: Final = 45.0  # dialogs of some programs are separate processes, which start slowly
_QUIET: Final = 0.4
_LOOK_AGAIN: Final = 0.1


def window(title: str, *, gone: bool = False) -> Command:
    """Wait until a window whose title matches a pattern exists, or no longer exists."""
    return Command("window", {"title": title, "gone": gone})


def rest() -> Command:
    """Wait until the screen has not changed for a while, such as for lists that load, and completions."""
    return Command("rest")


def wait(seat: Seat, command: Command) -> None:
    """Carry out one of the commands above.

    Raises:
        Stuck: The condition did not come true in time, or the command is unknown.
    """
    deadline = time.monotonic() + _SECONDS
    if command.name == "rest":
        while seat.screen.wait_change(_QUIET) and time.monotonic() < deadline:
            continue
        return
    if command.name != "window":
        raise Stuck(f"{seat.world.app.name} takes no command {command.name!r}")
    pattern, gone = re.compile(command.arguments["title"]), bool(command.arguments.get("gone"))
    while any(pattern.search(window.title) for window in seat.screen.windows()) is gone:
        if time.monotonic() > deadline:
            titles = [window.title for window in seat.screen.windows()]
            raise Stuck(f"{'still a' if gone else 'no'} window {pattern.pattern!r}; there are {titles}")
        seat.screen.wait_change(_LOOK_AGAIN)
