"""The one thread that touches a watched seat: it carries input out, and shows what is seen when that changes."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeVar

import numpy as np

from fairground.core import FairgroundError, Frame, InfrastructureError
from fairground.screen import Screen, encode_jpeg, encode_png

RATE: Final = 20.0  # pictures a second, at most
_LISTEN: Final = 0.002  # seconds at a time spent waiting for a change: input waits meanwhile
_BUSY, _IDLE = 0.01, 0.04  # seconds between two looks, soon after something happened and later
_AWAKE: Final = 1.0  # how soon that is
_REST: Final = 0.2  # without a change for so long, the exact picture follows the quick one
_CHECK: Final = 0.5  # how often the seat is examined although nothing seems to have changed
_QUALITY: Final = 80
_GIVE_UP: Final = 10.0

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Task(Protocol):
    """What the person is looking at."""

    @property
    def id(self) -> str:
        """The configuration's id."""

    @property
    def instruction(self) -> str:
        """What the agent is asked."""


class Watched(Protocol):
    """The part of a seat that is needed to watch it."""

    @property
    def screen(self) -> Screen:
        """What is seen and touched."""

    @property
    def world(self) -> Task:
        """What it is about."""

    def check(self) -> None:
        """Raises when the app or its sandbox is dead."""


@dataclass(frozen=True)
class View:
    """What there is to see.

    Attributes:
        number: Counts the pictures.
        image: The picture: JPEG while things move, PNG when they have come to rest.
        cursor: Where the pointer is.
        trouble: What is wrong with the seat.
        blind: True when there is no picture any more, so that `image` is the last one there was.
    """

    number: int = 0
    image: bytes = b""
    cursor: tuple[int, int] | None = None
    trouble: FairgroundError | None = None
    blind: bool = False


class Watcher:
    """Touches the screen from a thread of its own, for everybody who watches.

    Args:
        seat: What is watched.
        lock: Held while the screen is touched, for others who touch it too.
    """

    def __init__(self, seat: Watched, lock: threading.Lock) -> None:
        self.view = View()
        self._seat = seat
        self._lock = lock
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._viewers: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=self._run, name="fairground-watcher", daemon=True)
        self._frame: Frame | None = None
        self._exact = False  # whether what is shown is the frame itself, without loss
        self._sure = False  # whether nothing can have happened since the frame that would not be noticed
        self._next_look = self._next_grab = self._next_check = 0.0
        self._last_change = self._last_event = 0.0

    def start(self) -> None:
        """Begins; nothing is looked at before somebody watches."""
        self._thread.start()

    def stop(self) -> None:
        """Ends after what was asked for before; a screen that hangs is left to its fate."""
        self._tasks.put(None)
        self._thread.join(_GIVE_UP)

    def do(self, job: Callable[[Screen], T]) -> Future[T]:
        """Has something done to the screen, in turn."""

        def touch() -> T:
            with self._lock:
                return job(self._seat.screen)

        return self._in_turn(touch)

    def add(self, viewer: Callable[[], None]) -> Future[None]:
        """Has `viewer` called, from the watcher's thread, whenever `view` is another."""

        def join() -> None:
            if not self._viewers:
                # Nobody looked for a while: what was seen last may be long past.
                self.view = replace(self.view, image=b"")
                self._frame = None
            self._viewers.append(viewer)

        return self._in_turn(join)

    def remove(self, viewer: Callable[[], None]) -> Future[None]:
        """Ends what `add` began."""
        return self._in_turn(lambda: self._viewers.remove(viewer))

    def _in_turn(self, job: Callable[[], T]) -> Future[T]:
        done: Future[T] = Future()

        def run() -> None:
            if not done.set_running_or_notify_cancel():
                return
            try:
                done.set_result(job())
            except BaseException as error:  # whoever asked gets it
                done.set_exception(error)
            self._sure, self._next_look = False, 0.0
            self._last_event = time.monotonic()

        self._tasks.put(run)
        return done

    def _run(self) -> None:
        while True:
            try:
                left = self._next_look - time.monotonic()
                task = self._tasks.get(timeout=max(0.0, left) if self._viewers else None)
            except queue.Empty:
                self._look()
                continue
            if task is None:
                return
            task()

    def _look(self) -> None:
        """Shows what is to be seen, if it is something new."""
        now = time.monotonic()
        self._next_look = now + (_BUSY if now - self._last_event < _AWAKE else _IDLE)
        try:
            with self._lock:
                if not self._is_due(now):
                    return self._refine(now)
                frame, cursor = self._seat.screen.grab(), self._seat.screen.cursor()
            trouble = self._trouble(now)
        except FairgroundError as error:
            return self._lose(error)
        except Exception as error:  # a screen that breaks in a way of its own must not end the thread
            _log.exception("the screen failed")
            return self._lose(InfrastructureError(f"the screen failed: {type(error).__name__}: {error}"))
        self._next_grab = now + 1 / RATE
        view = replace(self.view, cursor=cursor, trouble=trouble, blind=False)
        self._sure = self._frame is not None and np.array_equal(frame.pixels, self._frame.pixels)
        if not self._sure:
            self._last_change = self._last_event = now
            view = self._picture(view, frame, exact=self._frame is None)
        self._show(view)

    def _is_due(self, now: float) -> bool:
        """Whether there is reason to take a frame, and a picture of it might be shown."""
        if now < self._last_change + 1 / RATE:
            return False
        if now >= self._next_check or (not self._sure and now >= self._next_grab):
            return True
        return self._seat.screen.wait_change(_LISTEN)

    def _refine(self, now: float) -> None:
        """Replaces the quick picture by the exact one when nothing has changed for a while."""
        if self._frame is not None and not self._exact and now - self._last_change >= _REST:
            self._show(self._picture(self.view, self._frame, exact=True))

    def _picture(self, view: View, frame: Frame, *, exact: bool) -> View:
        self._frame, self._exact = frame, exact
        image = encode_png(frame) if exact else encode_jpeg(frame, _QUALITY)
        return replace(view, number=self.view.number + 1, image=image)

    def _trouble(self, now: float) -> FairgroundError | None:
        """What is wrong although there is a picture: the app has ended, for example."""
        if now < self._next_check:
            return self.view.trouble
        self._next_check = now + _CHECK
        try:
            self._seat.check()
        except FairgroundError as error:
            return error
        return None

    def _lose(self, error: FairgroundError) -> None:
        # Looks again after a while: a screen that was only too busy to answer comes back.
        self._next_look = time.monotonic() + _CHECK
        self._next_check = 0.0
        self._frame, self._exact, self._sure = None, False, False
        self._show(replace(self.view, trouble=error, blind=True))

    def _show(self, view: View) -> None:
        if view != self.view:
            self.view = view
            for viewer in self._viewers:
                viewer()
