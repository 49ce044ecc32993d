"""Waiting for the effect of a move: a page, a window, a file. With it, oracles succeed on a busy machine too."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from fairground.core import AppError, StateError
from fairground.worlds import Command, Seat, Stuck
from fairground_desk import kit
from fairground_desk.browser.debugging import Debugger

SECONDS: Final = 90.0


def page(url: str) -> Command:
    """Wait until a page of this address has loaded."""
    return Command("wait-page", {"url": url})


def titled(title: str) -> Command:
    """Wait until a page whose title has this prefix has loaded."""
    return Command("wait-page", {"title": title})


def window(title: str, *, gone: bool = False) -> Command:
    """Wait until there is a window of exactly this title, such as a save dialog, or until there is none."""
    return kit.window(f"^{re.escape(title)}$", gone=gone)


def saved(path: str) -> Command:
    """Wait until a file exists."""
    return Command("wait-file", {"path": path})


def shown(name: str, role: str = "") -> Command:
    """Wait until a control of this name, and of this role if given, is visible and enabled."""
    return Command("wait-shown", {"name": name, "role": role})


def opened(name: str) -> Command:
    """Wait until the drop-down list of this name is open."""
    return Command("wait-opened", {"name": name})


def focused(name: str) -> Command:
    """Wait until the field of this name has the focus."""
    return Command("wait-focused", {"name": name})


def wait(seat: Seat, debugger: Debugger, command: Command) -> None:
    """Carry out a waiting command about pages, files or controls.

    Raises:
        Stuck: The condition did not come true in time.
    """
    arguments = command.arguments
    tries: dict[str, Callable[[], bool]] = {
        "wait-page": lambda: _has_page(debugger, arguments),
        "wait-shown": lambda: _is_shown(seat, str(arguments["name"]), str(arguments["role"])),
        "wait-opened": lambda: _is_open(seat, str(arguments["name"])),
        "wait-focused": lambda: _is_focused(seat, str(arguments["name"])),
        "wait-file": lambda: _has_file(seat, str(arguments["path"])),
    }
    if command.name not in tries:
        raise Stuck(f"the browser takes no command {command.name!r}; it takes {', '.join(tries)}")
    deadline = time.monotonic() + SECONDS
    while not tries[command.name]():
        if time.monotonic() > deadline:
            raise Stuck(f"{command.name} {dict(arguments)}: it did not come true in {SECONDS:g} s")
        seat.screen.wait_change(0.1)


def _has_page(debugger: Debugger, told: Mapping[str, Any]) -> bool:
    try:
        targets = [target for target in debugger.call("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        fitting = [
            target
            for target in targets
            if _bare(target["url"]) == _bare(str(told.get("url", target["url"])))
            and target["title"].startswith(str(told.get("title", "")))
        ]
        return any(_complete(debugger, target["targetId"]) for target in fitting)
    except AppError as error:
        raise Stuck(error.message) from error


def _complete(debugger: Debugger, target: str) -> bool:
    try:
        session = debugger.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        evaluated = debugger.call("Runtime.evaluate", {"expression": "document.readyState"}, session=session)
        debugger.call("Target.detachFromTarget", {"sessionId": session})
    except AppError:
        return False  # the page was closed meanwhile; the caller looks for it again
    return bool(evaluated.get("result", {}).get("value") == "complete")


def _is_shown(seat: Seat, name: str, role: str) -> bool:
    return any(
        node.name == name and role in ("", node.role) and "enabled" in node.states for node in seat.screen.tree().walk()
    )


def _is_open(seat: Seat, name: str) -> bool:
    nodes = seat.screen.tree().walk()
    return any(node.role == "combo box" and node.name == name and "expanded" in node.states for node in nodes)


def _is_focused(seat: Seat, name: str) -> bool:
    return any(node.name == name and "focused" in node.states for node in seat.screen.tree().walk())


def _bare(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


def _has_file(seat: Seat, path: str) -> bool:
    try:
        return len(seat.sandbox.read_file(path)) > 0
    except StateError:
        return False
