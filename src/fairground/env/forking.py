"""Copies of a seat in the middle of an episode, by copying its state or by repeating its actions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from fairground.core import (
    Action,
    Click,
    Drag,
    Frame,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Verdict,
)
from fairground.env.finishing import finish, record
from fairground.env.judging import judge_left
from fairground.worlds import ForkFailed, Seat, copy_seat, forking_of, paste_seat

_SAME_SECONDS: Final = 5.0  # timeout for the last picture of a replay to become that of the original

Played = Sequence[Action | None]
"""The actions of an episode. None stands where it had ended and was continued: the app was asked to save there."""


def fork_seat(seat: Seat, played: Played, take: Callable[[], Seat], count: int, settle_seconds: float) -> list[Seat]:
    """Return further seats in the same state. If one cannot be made, none is left.

    Args:
        seat: The original. Nothing in it changes.
        played: What was done in it since it was opened.
        take: Returns a fresh seat at the same world.
        count: How many seats to return.
        settle_seconds: Timeout for settling after each repeated action.

    Raises:
        ForkFailed: The app's state cannot be copied, or a copy differs from the original.
    """
    match forking_of(seat.world):
        case "exact":
            bring = _copying(seat, played)
        case "replay":
            bring = _replaying(seat, played, settle_seconds)
        case "none":
            raise ForkFailed(
                f"{seat.world.id} cannot be forked: its actions may have effects outside the seat",
                fix="check `forking` before you fork",
            )
    forks: list[Seat] = []
    try:
        for _ in range(count):
            forks.append(take())
            if forks[-1].fingerprint.digest != seat.fingerprint.digest:
                raise ForkFailed(f"{seat.world.id}: a fresh seat has another fingerprint than the original")
            bring(forks[-1])
    except BaseException:
        for fork in forks:
            fork.close()
        raise
    return forks


def _copying(seat: Seat, played: Played) -> Callable[[Seat], None]:
    if held := _held(played):
        raise ForkFailed(f"held down: {', '.join(sorted(held))}", fix="release it, and fork then")
    copy = copy_seat(seat, clipboard=any(_may_copy(action) for action in played))
    return lambda fork: paste_seat(copy, fork)


def _replaying(seat: Seat, played: Played, settle_seconds: float) -> Callable[[Seat], None]:
    seat.screen.settle(settle_seconds)
    frame, windows, cursor = seat.screen.grab(), seat.screen.windows(), seat.screen.cursor()
    results = _results(look(seat))

    def bring(fork: Seat) -> None:
        for action in played:
            if action is None:
                finish(fork)
                fork.thaw()
            else:
                fork.screen.act(action)
                fork.screen.settle(settle_seconds)
        _wait_same(fork, frame)
        differing = [
            what
            for what, same in (
                ("the picture", fork.screen.grab() == frame),
                ("the windows", fork.screen.windows() == windows),
                ("the pointer", fork.screen.cursor() == cursor),
                ("the results of the checks", _results(look(fork)) == results),
            )
            if not same
        ]
        if differing:
            raise ForkFailed(
                f"{seat.world.id}: after {len(played)} repeated actions, the fork differs: {', '.join(differing)}",
                fix="the app does not always do the same; start a new episode instead",
            )

    return bring


def look(seat: Seat, answer: str | None = None) -> Verdict:
    """Judge a seat as it is now: freeze it, record its state without saving, and continue it."""
    try:
        state = record(seat)
    finally:
        seat.thaw()
    return judge_left(seat.world, seat.before, state, answer)


def _results(verdict: Verdict) -> list[tuple[str, bool]]:
    return [(check.name, check.passed) for check in verdict.checks]


def _wait_same(fork: Seat, frame: Frame) -> None:
    deadline = time.monotonic() + _SAME_SECONDS
    while fork.screen.grab() != frame and (left := deadline - time.monotonic()) > 0:
        fork.screen.wait_change(min(left, 0.25))


def _held(played: Played) -> set[str]:
    """Return the keys and buttons that are down after these actions."""
    held: set[str] = set()
    for action in played:
        match action:
            case KeyDown():
                held.add(action.key)
            case MouseDown():
                held.add(f"{action.button} button")
            case KeyUp():
                held.discard(action.key)
            case Key():
                held.difference_update(action.keys)
            case MouseUp() | Click() | Drag():
                held.discard(f"{action.button} button")
            case None:
                held.clear()
    return held


def _may_copy(action: Action | None) -> bool:
    return isinstance(action, KeyDown) or (isinstance(action, Key) and len(action.keys) > 1)
