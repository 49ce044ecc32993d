"""Inkscape's own automation: the actions that a running Inkscape offers on the session bus.

They are the entries of its menus and of its command palette. `app.` are those of the program, `win.` those of its
window, `doc.` those of the drawing.
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
"""An action: its name, or its name and what it is given."""

# One action as the bus describes it: name, whether it can be used, type of what it takes, its state.
_DESCRIBED = re.compile(r"'([\w.-]+)': \((true|false), (?:signature )?'[^']*', (?:@av )?\[(?:<([^>]*)>)?\]\)")


def actions(*steps: Step) -> Command:
    """Has Inkscape carry out actions, one after the other: `actions(("app.select-by-id", "rect7"), "app.delete")`.

    A text that begins with `~/` is a path in the user's home.
    """
    return Command("actions", {"steps": [list(step) if isinstance(step, tuple) else [step] for step in steps]})


def select(*ids: str) -> tuple[Step, Step]:
    """The steps that select these objects and nothing else."""
    return "app.select-clear", ("app.select-by-id", ",".join(ids))


def run_actions(seat: Seat, steps: Sequence[Sequence[Any]]) -> None:
    """Carries actions out in the running program; each has ended when this returns.

    Raises:
        AppError: When the program does not answer.
    """
    for name, *given in steps:
        place, _, action = str(name).partition(".")
        values = [
            seat.sandbox.home + one[1:] if isinstance(one, str) and one.startswith("~/") else one for one in given
        ]
        _call(seat, _PLACES[place], "Activate", action, f"[{', '.join(map(_variant, values))}]", "{}")


def action_states(seat: Seat) -> dict[str, str]:
    """What the window's and the drawing's actions say of themselves, such as `tool-switch` and `canvas-rulers`.

    Those without a state say whether they can be used, as `undo` does.
    """
    found = {}
    for place in ("win", "doc"):
        for name, usable, state in _DESCRIBED.findall(_call(seat, _PLACES[place], "DescribeAll")):
            found[name] = state.removeprefix("int32 ").strip("'") if state else usable
    return found


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
