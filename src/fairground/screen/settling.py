"""Waiting until a screen has come to rest: nothing drawn, and nobody at work, for a short while.

A picture that stands still proves little by itself: a program may be computing what it will draw next, or may
wait for the next beat of its frame clock. So the processor time of the programs counts as well, and once
anything has happened the wait is as long as two such beats.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fairground.screen.framebuffer import Box

POLL: Final = 0.003
STILL: Final = 0.012  # rest that suffices when nothing at all has happened
CALM: Final = 0.036  # rest that suffices after something has: two frames at 60 a second, and a little
CARET: Final = (4, 96)  # a change at most so wide and so high, at the same place again, is a caret that blinks
BUSY_SHARE: Final = 0.15  # of one processor
BUSY_SECONDS: Final = 0.001
_ROUNDING: Final = 1e-4


@dataclass
class Meter:
    """Processor time used since a moment, against what programs at rest use."""

    cpu_seconds: Callable[[], float] | None
    start: float = 0.0

    def reset(self) -> None:
        """Measures from now."""
        self.start = self.cpu_seconds() if self.cpu_seconds else 0.0

    def busy(self, seconds: float) -> bool:
        """Whether more was used in these seconds than by programs at rest."""
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
    """Waits until nothing has changed and nobody has worked for a while.

    Args:
        changed: What has changed since it was last called.
        pause: Lets a little time pass; raises when the screen has gone.
        meter: Of the processor time of the programs.
        deadline: When to give up, in seconds of `time.monotonic`.
        reacted: Whether something has happened already, so that more may follow.
        earliest: When it may return at the earliest, in seconds of `time.monotonic`.
        at_work: How many threads of the programs want a processor or wait for a disk. On a busy machine a program
            may be kept from running for so long that it seems to rest.

    Returns:
        An empty string, or what it was still waiting for.
    """
    needed = CALM if reacted else STILL
    rest = 0.0
    caret: Box | None = None
    reason = "the picture has not stood still for long enough"
    meter.reset()
    while True:
        before = time.monotonic()
        left = needed - rest
        pause(left if _ROUNDING < left < POLL else POLL)
        # Where we ourselves were kept from running, so were the programs: that time proves nothing.
        rest += min(time.monotonic() - before, 2 * POLL)
        rested = rest >= needed - _ROUNDING and time.monotonic() >= earliest
        # Asked before looking at the picture and the meter: what happens while it answers must not be missed.
        working = rested and at_work is not None and at_work() > 0
        box = changed()
        if box is not None and _is_caret(box, caret):
            caret, box = box, None
        if box is not None or meter.busy(rest):
            reason = "programs are still at work" if box is None else "the picture keeps changing"
            needed, rest = CALM, 0.0
            meter.reset()
        elif working:
            reason = "programs are still at work"
        elif rested:
            return ""
        if time.monotonic() >= deadline:
            return reason


def _is_caret(box: Box, before: Box | None) -> bool:
    narrow = box.width <= CARET[0] and box.height <= CARET[1]
    return narrow and (before is None or (abs(box.left - before.left) <= 1 and abs(box.top - before.top) <= 1))
