"""Waiting in tests: for something to be so, never for some time to pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def eventually(check: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Waits until a check gives something true, and returns that."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, f"{check} gave {found!r} for {seconds:g} s"
        time.sleep(0.01)
    return found
