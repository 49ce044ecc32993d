"""The end of an attempt: save and record what the agent left, with limits on time and size.

The agent may control what programs in the seat answer: invalid data, too much data, or no answer at all. Such failures
count against the agent.
"""

from __future__ import annotations

import errno
import json
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from fairground.core import AppError, InfrastructureError, State, StateError
from fairground.core.anytext import pack
from fairground.core.nesting import MAX_DEPTH, too_deep
from fairground.worlds import Seat

T = TypeVar("T")

SECONDS = 240.0
"""Timeout for saving and recording. The slowest app takes about 40 s if its program does not answer."""

_LACKING = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""System errors that mean this machine lacks a resource. Others, such as a reset connection, come from the seat."""

_LARGEST = 24 << 20  # maximum bytes of names and data: an episode's folder holds two states, and may hold 64 MB of them


def finish(seat: Seat) -> State:
    """Save, freeze and record the seat, as `Seat.finish` does.

    Raises:
        AppError: This took too long, or the app could not interpret its program's answers, or lost its connection.
        StateError: The state is too large.
    """
    return _within(seat, seat.finish)


def record(seat: Seat) -> State:
    """Freeze the seat and record its state, without asking the app to save."""

    def capture() -> State:
        seat.freeze()
        return seat.capture()

    return _within(seat, capture)


def _within(seat: Seat, call: Callable[[], State]) -> State:
    if not seat.world.app.screen.has_desktop:
        return call()  # only the app itself answers, so no limits are needed
    answers: queue.SimpleQueue[State | BaseException] = queue.SimpleQueue()

    def answer() -> None:
        try:
            answers.put(call())
        except BaseException as error:
            answers.put(error)

    threading.Thread(target=answer, daemon=True, name="finishing").start()
    name = seat.world.app.name
    try:
        result = answers.get(timeout=SECONDS)
    except queue.Empty:
        raise AppError(f"{name} could not be saved and recorded within {SECONDS:g} s") from None
    if isinstance(result, State):
        if too_deep(result.data):
            raise StateError(f"an answer of {name} is nested more than {MAX_DEPTH} deep")
        try:
            size = _size(result)
        except (ValueError, TypeError) as error:  # for example a number of 5,000 digits
            result = error
    if isinstance(result, InfrastructureError | StateError | MemoryError):
        raise result
    if isinstance(result, OSError) and result.errno in _LACKING:
        raise result
    if isinstance(result, Exception):
        raise AppError(f"{name} could not be saved and recorded: {type(result).__name__}: {result}") from result
    if isinstance(result, BaseException):
        raise result
    if size > _LARGEST:
        raise StateError(
            f"the recorded state of {name} has {size:,} bytes of names and data; the limit is {_LARGEST:,}"
        )
    return result


def _size(state: State) -> int:
    """Return the bytes of a state's names and data in the folder of an episode."""
    contents = [list(state.files), state.missing, state.data]
    return len(json.dumps(pack(contents), ensure_ascii=False, default=str).encode())
