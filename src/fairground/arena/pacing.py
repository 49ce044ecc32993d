"""Pacing of a running battle: people see the steps of both sides together.

The thinking time of an agent reveals which model it is. Step k of both sides is therefore shown when both have done it:
the slower agent sets the pace, and nobody sees which one that is. After one agent has ended, the steps of the other are
shown in small batches at fixed times. That reveals only its average speed, which also follows from the length of the
battle.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

from fairground.core import Frame
from fairground.screen.encoding import decode, encode_png

TICK: Final = 15.0
"""Seconds between two batches of steps of an agent that continues alone."""

AT_ONCE: Final = 3
"""Maximum number of steps per batch, so that an agent that is far ahead does not look faster than others."""

State = Literal["waiting", "acting", "asking", "ended"]
Glimpse: TypeAlias = tuple[Frame | None, tuple[int, int] | None]
"""An image (None if there is none yet) and the position of the pointer."""


@runtime_checkable
class Glanced(Protocol):
    """A screen that can be captured from any thread while another thread uses it."""

    def glance(self) -> Glimpse:
        """Return the current image without waiting and without a request to the program that draws the screen."""


@dataclass
class _Side:
    """What one side has done, and what is shown of it.

    Attributes:
        steps: Number of steps done.
        asked: For each question, the number of steps before it.
        waits: Whether the last question waits for an answer.
        shown: The last image that may be shown.
        kept: Images of steps that may not be shown yet, by number; as PNG, because there can be many.
    """

    began: bool = False
    steps: int = 0
    ended: bool = False
    asked: list[int] = field(default_factory=list)
    waits: bool = False
    shown: Glimpse = (None, None)
    kept: dict[int, tuple[bytes, tuple[int, int] | None]] = field(default_factory=dict)


class Pacing:
    """What may be shown of a running battle. Thread-safe.

    Args:
        on_change: Called when more may be shown.
        later: Calls a function after some seconds, and returns a function that cancels it.
    """

    def __init__(
        self,
        on_change: Callable[[], None],
        later: Callable[[float, Callable[[], None]], Callable[[], None]] | None = None,
    ) -> None:
        self._on_change, self._later = on_change, later or _later
        self._sides = {"a": _Side(), "b": _Side()}
        self._released = 0
        self._lock = threading.Condition()
        self._cancel: Callable[[], None] | None = None
        self._closed = False

    def began(self, side: str, picture: Glimpse = (None, None)) -> None:
        """Record that a side is ready, with its screen."""
        with self._lock:
            self._sides[side].began = True
            self._sides[side].shown = picture
        self._on_change()

    def stepped(self, side: str, picture: Glimpse = (None, None)) -> None:
        """Record a step of a side, with the screen after it."""
        with self._lock:
            state, before = self._sides[side], self._visible
            state.steps += 1
            frame, cursor = picture
            if frame is not None:
                state.kept[state.steps] = (encode_png(frame), cursor)
            self._advance(before)

    def asked(self, side: str) -> int:
        """Record a question of a side. Returns its number."""
        with self._lock:
            state = self._sides[side]
            state.asked.append(state.steps)
            state.waits = True
            changed = state.steps <= self._released
        if changed:
            self._on_change()
        return len(state.asked) - 1

    def answered(self, side: str) -> None:
        """Record that a side continues after a question."""
        with self._lock:
            self._sides[side].waits = False
        self._on_change()

    def ended(self, side: str) -> None:
        """Record that a side has ended."""
        with self._lock:
            before = self._visible
            self._sides[side].ended = True
            self._advance(before)

    def wait_until_shown(self, side: str, number: int, until: Callable[[], bool]) -> None:
        """Wait until a question may be shown, or until `until` returns true after a call of `wake`."""
        with self._lock:
            self._lock.wait_for(lambda: until() or self._questions(self._sides[side]) > number)

    def wake(self) -> None:
        """Make waiting threads check again."""
        with self._lock:
            self._lock.notify_all()

    def close(self) -> None:
        """Stop showing more. Can be called twice."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
            if self._cancel is not None:
                self._cancel()
                self._cancel = None

    def state(self, side: str) -> State:
        """Return the visible state of a side."""
        with self._lock:
            state = self._sides[side]
            if not state.began and not state.ended:
                return "waiting"
            if state.ended and state.steps <= self._released:
                return "ended"
            return "asking" if state.waits and self._questions(state) == len(state.asked) else "acting"

    def steps(self, side: str) -> int:
        """Return the number of visible steps of a side."""
        with self._lock:
            return min(self._sides[side].steps, self._released)

    def questions(self, side: str) -> int:
        """Return the number of visible questions of a side."""
        with self._lock:
            return self._questions(self._sides[side])

    def picture(self, side: str) -> Glimpse:
        """Return the screen of a side after the last visible step."""
        with self._lock:
            return self._sides[side].shown

    def tick(self) -> None:
        """Show the next batch of steps of an agent that continues alone."""
        with self._lock:
            self._cancel = None
            if self._closed:
                return
            before = self._visible
            for _ in range(AT_ONCE):
                if not any(side.steps > self._released for side in self._sides.values()) or not self._is_alone():
                    break
                self._release()
            self._advance(before)

    def _advance(self, before: tuple[object, ...]) -> None:
        """Show what both have done, and schedule batches for an agent that continues alone."""
        while all(side.steps > self._released for side in self._sides.values()):
            self._release()
        if self._is_alone() and self._cancel is None and not self._closed:
            self._cancel = self._later(TICK, self.tick)
        self._lock.notify_all()
        if self._visible != before:
            self._on_change()

    @property
    def _visible(self) -> tuple[object, ...]:
        return self._released, *(side.ended and side.steps <= self._released for side in self._sides.values())

    def _release(self) -> None:
        self._released += 1
        for side in self._sides.values():
            if (glimpse := side.kept.pop(self._released, None)) is not None:
                side.shown = (decode(glimpse[0]), glimpse[1])

    def _is_alone(self) -> bool:
        """Whether one side has ended with all its steps shown, while the other has more or continues."""
        done = [side.ended and side.steps <= self._released for side in self._sides.values()]
        return any(done) and not all(done)

    def _questions(self, side: _Side) -> int:
        return sum(at <= self._released for at in side.asked)


def _later(seconds: float, call: Callable[[], None]) -> Callable[[], None]:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    return timer.cancel
