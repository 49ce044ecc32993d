"""The oracles' interface to Writer, over UNO."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.worlds import Command
from fairground_desk.office import api


def writer(*calls: Sequence[Any]) -> Command:
    """Return a command with calls to `writer_side.py`, each a name and arguments, such as `("do", "Bold")`."""
    return api("writer", calls)
