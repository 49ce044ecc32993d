"""What the oracles of this app ask LibreOffice's own programming interface for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.worlds import Command
from fairground_desk.office import api


def calc(*calls: Sequence[Any]) -> Command:
    """Calls in order, each a name of `calc_side.py` and its arguments: `calc(("freeze", "Staff", 1, 0))`."""
    return api("calc", calls)
