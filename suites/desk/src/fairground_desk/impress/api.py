"""The oracles' interface to Impress, over UNO."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.worlds import Command
from fairground_desk.office import api


def deck(*calls: Sequence[Any]) -> Command:
    """Return a command with calls to `impress_side.py`, each a name and arguments: `deck(("hide", "Agenda"))`."""
    return api("impress", calls)
