"""The one thread that looks at a watched seat: it shows what is seen when that changes, and carries input out."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeVar

import numpy as np

from fairground.arena.pacing import Glimpse
from fairground.core import FairgroundError, Frame, InfrastructureError, ScreenError
from fairground.screen import Clipping, Screen, encode_jpeg, encode_png, read_clipboard
from fairground.web.spectating import sharer

RATE: Final = 24.0  # pictures a second, at most
_REACTION: Final = 0.005  # seconds after input until a look is worth while
_AWAKE: Final = 1.0  # seconds after something happened in which more is expected
_BUSY, _IDLE = 0.01, 0.05  # seconds between two looks, in that time and after it;
_BUSY_COSTS, _IDLE_COSTS = 3.0, 9.0  # or so many times what a look takes, where that is longer
_REST: Final = 0.2  # without a change for so long, the exact picture follows the quick one
_CHECK: Final = 0.5  # how often the seat itself is examined, and a lost screen tried again
_QUALITY: Final = 80  # of a JPEG
_GIVE_UP: Final = 10.0

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Subject(Protocol):
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
    def world(self) -> Subject:
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
    """Looks at the screen from a thread of its own, for everybody who watches.

    Args:
        seat: What is watched.
        lock: Held while the screen is touched, for others who touch it too.
        look: How to see what is on the screen; in turn with others, by that lock, unless given.
    """

    def __init__(
        self, seat: Watched, lock: threading.Lock | None = None, look: Callable[[], Glimpse] | None = None
    ) -> None:
        self.view = View()
        self._seat = seat
        self._lock = lock or threading.Lock()
        self._glimpse = look or sharer(seat.screen, self._lock)
        # What a look costs: of one by memory our own work; of one that asks, also the work of who answers.
        self._clock = time.monotonic if look is None else time.thread_time
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._viewers: list[Callable[[], None]] = []
        self._over = False
        self._thread = threading.Thread(target=self._run, name="fairground-watcher", daemon=True)
        self._frame: Frame | None = None
        self._exact = False  # whether what is shown is the frame itself, without loss
        self._next_look = self._next_check = 0.0
        self._last_picture = self._last_event = 0.0

    @property
    def watched(self) -> bool:
        """Whether anybody watches."""
        return bool(self._viewers)

    def start(self) -> None:
        """Begins; nothing is looked at before somebody watches."""
        self._thread.start()

    def stop(self) -> None:
        """Ends after what was asked for before; may be called twice. A screen that hangs is left to its fate."""
        self._tasks.put(None)
        self._thread.join(_GIVE_UP)

    def do(self, job: Callable[[Screen], T]) -> Future[T]:
        """Has something done to the screen, in turn."""

        def touch() -> T:
            with self._lock:
                return job(self._seat.screen)

        return self._in_turn(touch)

    def expect(self) -> None:
        """Says that something was done to the screen by others, so that a look is worth while."""
        self._in_turn(lambda: None)

    def picture(self) -> Future[bytes]:
        """What is to be seen now, as PNG; in turn."""

        def take() -> bytes:
            frame, _ = self._glimpse()
            if frame is None:
                raise ScreenError("there is no picture yet", fix="wait until the screen was used once")
            return encode_png(frame)

        return self._in_turn(take)

    def clipboard(self) -> Clipping:
        """What was copied last in the seat; not in turn, because whoever holds it may let us wait for seconds."""
        return read_clipboard(self._seat.screen)

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
            if self._over:
                done.set_exception(ScreenError("this seat is not watched any more"))
                return
            try:
                done.set_result(job())
            except BaseException as error:  # whoever asked gets it
                done.set_exception(error)
            self._last_event = time.monotonic()
            self._next_look = max(self._last_event + _REACTION, self._last_picture + 1 / RATE)

        self._tasks.put(run)
        if self._over:
            self._refuse_rest()
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
                break
            task()
        self._over = True
        self._refuse_rest()

    def _refuse_rest(self) -> None:
        """Nobody waits for ever for what was asked too late."""
        with contextlib.suppress(queue.Empty):
            while True:
                if (task := self._tasks.get_nowait()) is not None:
                    task()

    def _look(self) -> None:
        """Shows what is to be seen, if it is something new."""
        now, began = time.monotonic(), self._clock()
        try:
            frame, cursor = self._glimpse()
            trouble = self._trouble(now)
        except FairgroundError as error:
            return self._lose(error)
        except Exception as error:  # a screen that breaks in a way of its own must not end the thread
            _log.exception("the screen failed")
            return self._lose(InfrastructureError(f"the screen failed: {type(error).__name__}: {error}"))
        view = replace(self.view, cursor=cursor, trouble=trouble, blind=False)
        # Compared rather than waited for: what changes between two waits would be seen by neither.
        if frame is not None and (self._frame is None or not _same(frame, self._frame)):
            self._last_picture = self._last_event = now
            view = self._picture(view, frame, exact=self._frame is None)
        elif frame is not None and not self._exact and now - self._last_picture >= _REST:
            view = self._picture(view, frame, exact=True)
        self._show(view)
        self._next_look = max(self._pause(self._clock() - began), self._last_picture + 1 / RATE)

    def _pause(self, cost: float) -> float:
        """When to look again: soon, without making looking the main thing that this machine does."""
        now = time.monotonic()
        least, costs = (_BUSY, _BUSY_COSTS) if now - self._last_event < _AWAKE else (_IDLE, _IDLE_COSTS)
        return now + max(least, costs * cost)

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
        self._frame, self._exact = None, False
        self._show(replace(self.view, trouble=error, blind=True))

    def _show(self, view: View) -> None:
        if view != self.view:
            self.view = view
            for viewer in self._viewers:
                viewer()


def _same(one: Frame, other: Frame) -> bool:
    return one is other or np.array_equal(one.pixels, other.pixels)
