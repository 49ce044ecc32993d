"""Waiting until a screen has settled: nothing drawn and no program active for a short while.

A static picture alone is not enough: a program may be computing what it will draw next, or wait for the next tick of
its frame clock. So the CPU time of the programs counts as well, and after any activity the wait lasts two such ticks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fairground.screen.framebuffer import Box

POLL: Final = 0.003
STILL: Final = 0.012  # seconds of quiet that suffice if nothing has happened
CALM: Final = 0.036  # seconds of quiet that suffice after activity: two frames at 60 per second, and a little more
CARET: Final = (4, 96)  # maximum size of a change that counts as a blinking caret, if it repeats at the same place
BUSY_SHARE: Final = 0.15  # of one CPU
BUSY_SECONDS: Final = 0.001
_ROUNDING: Final = 1e-4


@dataclass
class Meter:
    """CPU time used since a moment, compared with what idle programs use."""

    cpu_seconds: Callable[[], float] | None
    start: float = 0.0

    def reset(self) -> None:
        """Start measuring now."""
        self.start = self.cpu_seconds() if self.cpu_seconds else 0.0

    def busy(self, seconds: float) -> bool:
        """Whether programs used more in these seconds than idle ones do."""
        if self.cpu_seconds is None:
            return False
        return self.cpu_seconds() - self.start > BUSY_SECONDS + BUSY_SHARE * seconds


def wait_until_quiet(
    changed: Callable[[], Box | None],
    pause: Callable[[float], None],
    meter: Meter,
    *,
    deadline: float,
    reacted: bool,
    earliest: float = 0.0,
    at_work: Callable[[], int] | None = None,
) -> str:
    """Wait until nothing has changed and no program has been active for a while.

    Args:
        changed: Returns what has changed since its last call.
        pause: Lets a little time pass; raises if the screen is gone.
        meter: Measures the CPU time of the programs.
        deadline: When to give up, in seconds of `time.monotonic`.
        reacted: Whether something has happened already, so that more may follow.
        earliest: Earliest time to return, in seconds of `time.monotonic`.
        at_work: Number of threads that wait for a CPU or a disk, or run. On a busy machine, a program may have to wait
            for a CPU so long that it seems idle.

    Returns:
        An empty string, or what it was still waiting for.
    """
    needed = CALM if reacted else STILL
    rest = 0.0
    caret: Box | None = None
    reason = "the picture has not been stable for long enough"
    meter.reset()
    while True:
        before = time.monotonic()
        left = needed - rest
        pause(left if _ROUNDING < left < POLL else POLL)
        # If we were not scheduled, the programs may not have been either, so that time proves nothing.
        rest += min(time.monotonic() - before, 2 * POLL)
        rested = rest >= needed - _ROUNDING and time.monotonic() >= earliest
        # Asked before looking at the picture and the meter, so that nothing that happens meanwhile is missed.
        working = rested and at_work is not None and at_work() > 0
        box = changed()
        if box is not None and _is_caret(box, caret):
            caret, box = box, None
        if box is not None or meter.busy(rest):
            reason = "programs are still working" if box is None else "the picture keeps changing"
            needed, rest = CALM, 0.0
            meter.reset()
        elif working:
            reason = "programs are still working"
        elif rested:
            return ""
        if time.monotonic() >= deadline:
            return reason


def _is_caret(box: Box, before: Box | None) -> bool:
    narrow = box.width <= CARET[0] and box.height <= CARET[1]
    return narrow and (before is None or (abs(box.left - before.left) <= 1 and abs(box.top - before.top) <= 1))
