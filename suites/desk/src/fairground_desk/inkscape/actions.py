"""Inkscape's actions, called over the session bus (D-Bus).

Actions are the entries of the menus and of the command palette. The prefix is `app.` for the program, `win.` for its
window and `doc.` for the drawing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fairground.core import AppError, FairgroundError
from fairground.worlds import Command, Seat

_BUS = "org.inkscape.Inkscape"
_ROOT = "/org/inkscape/Inkscape"
_PLACES = {"app": _ROOT, "win": f"{_ROOT}/window/1", "doc": f"{_ROOT}/document/1"}
_SECONDS = 30.0

Step = str | tuple[str, str | float | int | bool]
"""An action: its name, or its name and its argument."""

# One action as described on the bus: name, whether it is enabled, parameter type, state.
_DESCRIBED = re.compile(r"'([\w.-]+)': \((true|false), (?:signature )?'[^']*', (?:@av )?\[(?:<([^>]*)>)?\]\)")


def actions(*steps: Step) -> Command:
    """Return a command that runs actions in order: `actions(("app.select-by-id", "rect7"), "app.delete")`.

    An argument that begins with `~/` is a path in the user's home.
    """
    return Command("actions", {"steps": [list(step) if isinstance(step, tuple) else [step] for step in steps]})


def select(*ids: str) -> tuple[Step, Step]:
    """Return the steps that select exactly these objects."""
    return "app.select-clear", ("app.select-by-id", ",".join(ids))


def run_actions(seat: Seat, steps: Sequence[Sequence[Any]]) -> None:
    """Run actions in the running program. Each has finished when this returns.

    Raises:
        AppError: If the program does not answer.
    """
    for name, *given in steps:
        place, _, action = str(name).partition(".")
        values = [
            seat.sandbox.home + argument[1:] if isinstance(argument, str) and argument.startswith("~/") else argument
            for argument in given
        ]
        _call(seat, _PLACES[place], "Activate", action, f"[{', '.join(map(_variant, values))}]", "{}")


def action_states(seat: Seat) -> dict[str, str]:
    """Return the states of the window's and drawing's actions, such as `tool-switch` and `canvas-rulers`.

    For an action without a state, such as `undo`, the value is whether it is enabled.
    """
    states = {}
    for place in ("win", "doc"):
        for name, usable, state in _DESCRIBED.findall(_call(seat, _PLACES[place], "DescribeAll")):
            states[name] = state.removeprefix("int32 ").strip("'") if state else usable
    return states


def _variant(value: str | float | int | bool) -> str:
    if isinstance(value, bool):
        return f"<{str(value).lower()}>"
    if isinstance(value, int):
        return f"<int32 {value}>"
    if isinstance(value, float):
        return f"<{value!r}>"
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"<'{escaped}'>"


def _call(seat: Seat, place: str, method: str, *arguments: str) -> str:
    argv = ["gdbus", "call", "--session", "-d", _BUS, "-o", place, "-m", f"org.gtk.Actions.{method}", *arguments]
    try:
        done = seat.sandbox.run(argv, env=seat.env, timeout=_SECONDS, check=False)
    except FairgroundError as error:
        raise AppError(f"Inkscape does not answer: {error.message}") from error
    if done.code != 0:
        raise AppError(f"Inkscape does not answer: {done.stderr.decode(errors='replace').strip()[:300]}")
    return done.stdout.decode(errors="replace")
