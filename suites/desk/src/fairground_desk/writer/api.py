"""What the oracles of this app ask LibreOffice's own programming interface for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.worlds import Command
from fairground_desk.office import api


def writer(*calls: Sequence[Any]) -> Command:
    """Calls in order, each a name of `writer_side.py` and its arguments: `writer(("place", 3), ("do", "Bold"))`."""
    return api("writer", calls)
