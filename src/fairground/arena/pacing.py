"""When people see what the agents of a running battle do: step by step, both sides together.

How long an agent thinks tells which model it is. So step k of both is shown when both have done it: the slower one sets
the pace, and nobody sees which of the two that is. When one has ended, the other goes on alone; what it does is then
shown a few steps at a time, at fixed moments. That tells how fast it is on average, and no more: so much could be
worked out from the length of the battle, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

from fairground.core import Frame
from fairground.screen.encoding import decode, encode_png

TICK: Final = 15.0
"""Seconds between two moments at which steps of an agent that goes on alone are shown."""

AT_ONCE: Final = 3
"""Steps that are shown at such a moment, at most: an agent that is far ahead does not look faster than others."""

State = Literal["waiting", "acting", "asking", "ended"]
Glimpse: TypeAlias = tuple[Frame | None, tuple[int, int] | None]
"""A picture, or None where there is none yet, and where the pointer is."""


@runtime_checkable
class Glanced(Protocol):
    """A screen that may be looked at from any thread, also while another uses it."""

    def glance(self) -> Glimpse:
        """What there is to see; waits for nobody, and asks nothing of what draws the screen."""


@dataclass
class _Side:
    """What one side has done, and what of it is shown.

    Attributes:
        steps: How many it has done.
        asked: For each question, after how many steps it was asked.
        waits: Whether the last question waits for an answer.
        shown: The last picture that may be seen.
        kept: Glimpses of steps that may not be seen yet, by number: as PNG, because there may be many.
    """

    began: bool = False
    steps: int = 0
    ended: bool = False
    asked: list[int] = field(default_factory=list)
    waits: bool = False
    shown: Glimpse = (None, None)
    kept: dict[int, tuple[bytes, tuple[int, int] | None]] = field(default_factory=dict)


class Pacing:
    """What may be seen of a running battle; may be used from any thread.

    Args:
        on_change: Called when more may be seen.
        later: Calls something after some seconds, and returns what cancels that.
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
        """A side is ready, and looks like this."""
        with self._lock:
            self._sides[side].began = True
            self._sides[side].shown = picture
        self._on_change()

    def stepped(self, side: str, picture: Glimpse = (None, None)) -> None:
        """A side has done a step, after which its screen looks like this."""
        with self._lock:
            one, before = self._sides[side], self._visible
            one.steps += 1
            frame, cursor = picture
            if frame is not None:
                one.kept[one.steps] = (encode_png(frame), cursor)
            self._advance(before)

    def asked(self, side: str) -> int:
        """A side asks the person; returns the number of the question."""
        with self._lock:
            one = self._sides[side]
            one.asked.append(one.steps)
            one.waits = True
            changed = one.steps <= self._released
        if changed:
            self._on_change()
        return len(one.asked) - 1

    def answered(self, side: str) -> None:
        """A side goes on after a question."""
        with self._lock:
            self._sides[side].waits = False
        self._on_change()

    def ended(self, side: str) -> None:
        """A side does nothing any more."""
        with self._lock:
            before = self._visible
            self._sides[side].ended = True
            self._advance(before)

    def wait_until_shown(self, side: str, number: int, until: Callable[[], bool]) -> None:
        """Waits until a question may be seen, or `until` says so after a call of `wake`."""
        with self._lock:
            self._lock.wait_for(lambda: until() or self._questions(self._sides[side]) > number)

    def wake(self) -> None:
        """Has those who wait look again."""
        with self._lock:
            self._lock.notify_all()

    def close(self) -> None:
        """Shows nothing more; may be called twice."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
            if self._cancel is not None:
                self._cancel()
                self._cancel = None

    def state(self, side: str) -> State:
        """What a side does, as far as that may be seen."""
        with self._lock:
            one = self._sides[side]
            if not one.began and not one.ended:
                return "waiting"
            if one.ended and one.steps <= self._released:
                return "ended"
            return "asking" if one.waits and self._questions(one) == len(one.asked) else "acting"

    def steps(self, side: str) -> int:
        """How many steps of a side may be seen."""
        with self._lock:
            return min(self._sides[side].steps, self._released)

    def questions(self, side: str) -> int:
        """How many questions of a side may be seen."""
        with self._lock:
            return self._questions(self._sides[side])

    def picture(self, side: str) -> Glimpse:
        """What was on the screen of a side after the last step that may be seen."""
        with self._lock:
            return self._sides[side].shown

    def tick(self) -> None:
        """Shows some more of an agent that goes on alone."""
        with self._lock:
            self._cancel = None
            if self._closed:
                return
            before = self._visible
            for _ in range(AT_ONCE):
                if not any(one.steps > self._released for one in self._sides.values()) or not self._is_alone():
                    break
                self._release()
            self._advance(before)

    def _advance(self, before: tuple[object, ...]) -> None:
        """Shows what both have done; sees to it that an agent that goes on alone is shown later."""
        while all(one.steps > self._released for one in self._sides.values()):
            self._release()
        if self._is_alone() and self._cancel is None and not self._closed:
            self._cancel = self._later(TICK, self.tick)
        self._lock.notify_all()
        if self._visible != before:
            self._on_change()

    @property
    def _visible(self) -> tuple[object, ...]:
        return self._released, *(one.ended and one.steps <= self._released for one in self._sides.values())

    def _release(self) -> None:
        self._released += 1
        for one in self._sides.values():
            if (kept := one.kept.pop(self._released, None)) is not None:
                one.shown = (decode(kept[0]), kept[1])

    def _is_alone(self) -> bool:
        """Whether all that one side has done is shown and it has ended, and the other has done or will do more."""
        done = [one.ended and one.steps <= self._released for one in self._sides.values()]
        return any(done) and not all(done)

    def _questions(self, one: _Side) -> int:
        return sum(at <= self._released for at in one.asked)


def _later(seconds: float, call: Callable[[], None]) -> Callable[[], None]:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    return timer.cancel
