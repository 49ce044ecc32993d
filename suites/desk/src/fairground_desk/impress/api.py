"""What the oracles of this app ask LibreOffice's own programming interface for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.worlds import Command
from fairground_desk.office import api


def deck(*calls: Sequence[Any]) -> Command:
    """Calls in order, each a name of `impress_side.py` and its arguments: `deck(("hide", "Agenda"))`."""
    return api("impress", calls)
