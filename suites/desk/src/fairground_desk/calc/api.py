"""Calls of Calc's programming interface, for oracles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.worlds import Command
from fairground_desk.office import api


def calc(*calls: Sequence[Any]) -> Command:
    """Call functions of `calc_side.py` in order, each as name and arguments: `calc(("freeze", "Staff", 1, 0))`."""
    return api("calc", calls)
