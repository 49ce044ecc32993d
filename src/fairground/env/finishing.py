"""The end of an attempt, on the agent's account: saving and recording what it left, typed and bounded.

What a seat's programs answer may come from the agent: nonsense, more than can be kept, or nothing for hours.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from fairground.core import AppError, FairgroundError, State, StateError
from fairground.core.anytext import pack
from fairground.worlds import Seat

T = TypeVar("T")

SECONDS = 240.0
"""For saving and recording; the slowest app takes some 40 s when its program does not answer."""

_LARGEST = 24 << 20  # bytes of names and data: an episode's folder holds two states, and has room for 64 MB of them


def finish(seat: Seat) -> State:
    """Saves, freezes and records, as `Seat.finish`.

    Raises:
        AppError: When that takes too long, or the app cannot make sense of what its program answers.
        StateError: When there is more than can be kept.
    """
    return _within(seat, seat.finish)


def record(seat: Seat) -> State:
    """Freezes and records what lies there, without asking the app to save."""

    def capture() -> State:
        seat.freeze()
        return seat.capture()

    return _within(seat, capture)


def _within(seat: Seat, call: Callable[[], State]) -> State:
    if not seat.world.app.screen.has_desktop:
        return call()  # nobody but the app itself answers
    answers: queue.SimpleQueue[State | BaseException] = queue.SimpleQueue()

    def answer() -> None:
        try:
            answers.put(call())
        except BaseException as error:
            answers.put(error)

    threading.Thread(target=answer, daemon=True, name="finishing").start()
    name = seat.world.app.name
    try:
        found = answers.get(timeout=SECONDS)
    except queue.Empty:
        raise AppError(f"{name} could not be saved and recorded within {SECONDS:g} s") from None
    if isinstance(found, FairgroundError | OSError | MemoryError):
        raise found
    if isinstance(found, Exception):
        raise AppError(f"{name} could not be saved and recorded: {type(found).__name__}: {found}") from found
    if isinstance(found, BaseException):
        raise found
    told = [list(found.files), found.missing, found.data]
    if (size := len(json.dumps(pack(told), ensure_ascii=False, default=str).encode())) > _LARGEST:
        raise StateError(f"what {name} left has {size:,} bytes of names and data; at most {_LARGEST:,} are kept")
    return found
