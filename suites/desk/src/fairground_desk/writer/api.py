"""LibreOffice's own programming interface, for oracles: what dialogs do, without their many clicks.

A short-lived program inside of the seat asks the running Writer to do it, in the document that is in front, as a macro
of a user would. `writer_side.py` is that program.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from fairground.core import FairgroundError
from fairground.worlds import Command, Seat, Stuck
from fairground_desk.office.uno import PIPE

API = "writer"

_PYTHON = "/usr/bin/python3"
_SECONDS = 30.0


def writer(*calls: Sequence[Any]) -> Command:
    """Calls in order, each a name of `writer_side.py` and its arguments: `writer(("place", 3), ("do", "Bold"))`."""
    return Command(API, {"calls": [list(call) for call in calls]})


def ask_writer(seat: Seat, calls: Sequence[Sequence[Any]]) -> None:
    """Has them carried out.

    Raises:
        Stuck: When LibreOffice refuses.
    """
    script = files(__package__).joinpath("writer_side.py").read_text(encoding="utf-8")
    order = json.dumps({"pipe": PIPE, "home": seat.sandbox.home, "calls": list(calls)}).encode()
    try:
        done = seat.sandbox.run([_PYTHON, "-I", "-c", script], env=seat.env, input=order, timeout=_SECONDS, check=False)
    except FairgroundError as error:
        raise Stuck(f"LibreOffice does not answer: {error.message}") from error
    if done.code != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Stuck(f"LibreOffice refused: {said[-1][:300] if said else f'status {done.code}'}")
