"""Waiting in tests: for a condition, never for a fixed time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def eventually(check: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait until a check returns a true value, and return that value."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, f"{check} still returned {found!r} after {seconds:g} s"
        time.sleep(0.01)
    return found
