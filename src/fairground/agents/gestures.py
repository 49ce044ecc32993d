"""Convert raw user input into the actions that agents are recorded with.

A mouse reports that a button went down and up; an agent says `click`. Down and up at one place is a click (two or three
quick ones are one click with a count). Down at one place and up at another is a drag along the path. Consecutive
letters are one text, wheel turns are one scroll, and a held key repeats. Pointer movement before an action is part of
that action.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from fairground.core import Action, Click, Drag, Key, MouseDown, MouseUp, Move, Scroll, Type

AGAIN: Final = 0.4  # seconds within which another press at the same place belongs to the same click, as in GUI toolkits
NEAR: Final = 5.0  # pixels that a hand may move while it clicks
LONG: Final = 1.0  # seconds after which holding a button has its own meaning
TYPING: Final = 1.0  # maximum seconds between two letters of one text
TURNING: Final = 0.5  # maximum seconds between two turns of one scroll, or two repetitions of one key
_SCROLL_NEAR: Final = 20.0  # pixels that the pointer may move while the wheel turns
_MOST_CLICKS: Final = 3
_MOST_TEXT: Final = 2_000  # maximum characters per action; longer texts become several actions
_MOST_TURNS: Final = 100.0  # maximum wheel clicks per action
_MOST_REPEATS: Final = 100
_STEP: Final = 6.0  # minimum pixels between two points of a path
_MOST_POINTS: Final = 200

Point = tuple[float, float]


class Gestures:
    """Combines raw input events, in order, into actions. Times are in seconds, from the input's own clock."""

    def __init__(self) -> None:
        self._parts: list[Action] = []
        self._times: list[float] = []
        self.held = False
        """Whether a button of the current gesture is down."""
        self.pointer: Point | None = None
        """Last known position of the pointer."""

    @property
    def due(self) -> float | None:
        """When the current gesture ends if no more input comes. None without a gesture, and while a button is held."""
        if not self._parts or self.held:
            return None
        first, last = self._parts[0], self._times[-1]
        if isinstance(first, MouseDown):
            return last + (AGAIN if self._repeatable() else 0.0)
        if isinstance(first, Type):
            return last + TYPING
        return last + (TURNING if isinstance(first, Scroll | Key) else 0.0)

    def takes(self, event: Action, at: float) -> bool:
        """Return whether an event can be added. If not, the current gesture must be ended first."""
        due = self.due
        if not self._parts:
            return True
        if due is not None and at > due:
            return False
        if isinstance(event, Move):
            return True
        first, last = self._parts[0], self._parts[-1]
        match event:
            case MouseUp():
                return self.held and isinstance(first, MouseDown) and first.button == event.button
            case MouseDown() if isinstance(first, MouseDown) and not self.held:
                same = (event.button, event.modifiers) == (first.button, first.modifiers)
                return same and self._repeatable() and _distance(self._at(first), self._at(event)) <= NEAR
            case Type() if isinstance(last, Type):
                typed = sum(len(part.text) for part in self._parts if isinstance(part, Type))
                return typed + len(event.text) <= _MOST_TEXT
            case Scroll() if isinstance(last, Scroll):
                near = _distance(self._at(last), self._at(event)) <= _SCROLL_NEAR
                return near and _goes_on(_sum(self._parts), event)
            case Key() if isinstance(last, Key):
                return (event.keys, event.seconds) == (last.keys, last.seconds) and len(self._parts) < _MOST_REPEATS
        return False

    def add(self, event: Action, at: float) -> None:
        """Add an event that `takes` accepted."""
        point = getattr(event, "point", None)
        if point is not None:
            self.pointer = point
        if isinstance(event, Move) and not self.held:
            return  # pointer movement is not an action of its own
        if isinstance(event, MouseDown | MouseUp | Scroll) and point is None and self.pointer is not None:
            event = event.model_copy(update={"point": self.pointer})
        if isinstance(event, MouseDown | MouseUp):
            self.held = isinstance(event, MouseDown)
        self._parts.append(event)
        self._times.append(at)

    def end(self) -> list[Action]:
        """Return the actions of the gesture, usually one, and reset it."""
        parts, times = self._parts, self._times
        self._parts, self._times, self.held = [], [], False
        if not parts:
            return []
        first = parts[0]
        match first:
            case MouseDown():
                return _pressed(first, parts, times)
            case Type():
                return [Type(text="".join(part.text for part in parts if isinstance(part, Type)))]
            case Scroll():
                return [_sum(parts)]
            case Key():
                return [first.model_copy(update={"repeat": min(_MOST_REPEATS, sum(_repeats(part) for part in parts))})]
        return parts

    def _at(self, event: Action) -> Point | None:
        point: Point | None = getattr(event, "point", None)
        return point or self.pointer

    def _repeatable(self) -> bool:
        """Return whether the presses so far are a click that may become a double click."""
        presses = sum(isinstance(part, MouseDown) for part in self._parts)
        return presses < _MOST_CLICKS and not _travelled(self._parts) and not _is_long(self._parts, self._times)


def _pressed(first: MouseDown, parts: Sequence[Action], times: Sequence[float]) -> list[Action]:
    """Return a click, a drag, or otherwise the button events themselves."""
    last = parts[-1]
    if not isinstance(last, MouseUp):  # interrupted, for example by a key during a drag
        moved = [part for part in parts if isinstance(part, Move)]
        return [first, *moved[-1:]]
    if _travelled(parts):
        path = _thinned([point for part in parts if (point := getattr(part, "point", None)) is not None])
        return [Drag(path=path, button=first.button, modifiers=first.modifiers)]
    if _is_long(parts, times):
        return [first, last]
    count = sum(isinstance(part, MouseDown) for part in parts)
    return [Click(point=first.point, button=first.button, count=count, modifiers=first.modifiers)]


def _travelled(parts: Sequence[Action]) -> bool:
    points = [point for part in parts if (point := getattr(part, "point", None)) is not None]
    return any(_distance(points[0], point) > NEAR for point in points)


def _is_long(parts: Sequence[Action], times: Sequence[float]) -> bool:
    ups = [at for part, at in zip(parts, times, strict=True) if isinstance(part, MouseUp)]
    return bool(ups) and ups[0] - times[0] > LONG


def _thinned(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return a path without redundant points. The first and last points stay."""
    thinned = [points[0]]
    for point in points[1:-1]:
        if _distance(thinned[-1], point) >= _STEP:
            thinned.append(point)
    stride = math.ceil(len(thinned) / _MOST_POINTS)
    return (*thinned[::stride], points[-1])


def _goes_on(before: Scroll, more: Scroll) -> bool:
    """Return whether a wheel turn continues in the same direction, within the limit."""
    if (before.unit, before.modifiers) != (more.unit, more.modifiers):
        return False
    most = _MOST_TURNS * (1 if before.unit == "clicks" else 120)
    pairs = ((before.dx, more.dx), (before.dy, more.dy))
    return all(so_far * added >= 0 and abs(so_far + added) <= most for so_far, added in pairs)


def _sum(parts: Sequence[Action]) -> Scroll:
    turns = [part for part in parts if isinstance(part, Scroll)]
    totals = {"dx": sum(turn.dx for turn in turns), "dy": sum(turn.dy for turn in turns)}
    return turns[0].model_copy(update=totals)


def _repeats(part: Action) -> int:
    return part.repeat if isinstance(part, Key) else 0


def _distance(one: Point | None, other: Point | None) -> float:
    if one is None or other is None:
        return 0.0
    return math.dist(one, other)
