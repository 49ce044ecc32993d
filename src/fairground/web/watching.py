"""The thread that watches a seat: it publishes new images and executes input."""

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

RATE: Final = 24.0  # maximum number of images per second
_REACTION: Final = 0.005  # seconds to wait after input before looking
_AWAKE: Final = 1.0  # seconds after an event in which more changes are likely
_BUSY, _IDLE = 0.01, 0.05  # seconds between two looks, during that time and afterwards,
_BUSY_COSTS, _IDLE_COSTS = 3.0, 9.0  # or this multiple of the duration of a look, if that is longer
_REST: Final = 0.2  # after this many seconds without a change, a lossless image replaces the JPEG
_CHECK: Final = 0.5  # seconds between checks of the seat, and between retries of a failed screen
_QUALITY: Final = 80  # JPEG quality
_GIVE_UP: Final = 10.0

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Subject(Protocol):
    """The world of a watched seat."""

    @property
    def id(self) -> str:
        """ID of the configuration."""

    @property
    def instruction(self) -> str:
        """The agent's instruction."""


class Watched(Protocol):
    """The part of a seat that is needed to watch it."""

    @property
    def screen(self) -> Screen:
        """The screen."""

    @property
    def world(self) -> Subject:
        """The world."""

    def check(self) -> None:
        """Raise an error if the app or its sandbox has died."""


@dataclass(frozen=True)
class View:
    """What viewers see.

    Attributes:
        number: Sequence number of the image.
        image: JPEG while the screen changes, PNG after it has settled.
        cursor: Position of the pointer.
        trouble: Current problem of the seat.
        blind: True if there is no current image, so `image` is an old one.
    """

    number: int = 0
    image: bytes = b""
    cursor: tuple[int, int] | None = None
    trouble: FairgroundError | None = None
    blind: bool = False


class Watcher:
    """Captures the screen in its own thread, for all viewers.

    Args:
        seat: The seat to watch.
        lock: Held while the screen is used, for other code that uses it too.
        look: How to capture the screen. By default, it takes turns with others through the lock.
    """

    def __init__(
        self, seat: Watched, lock: threading.Lock | None = None, look: Callable[[], Glimpse] | None = None
    ) -> None:
        self.view = View()
        self._seat = seat
        self._lock = lock or threading.Lock()
        self._glimpse = look or sharer(seat.screen, self._lock)
        # Cost of a look: if memory is read, our own CPU time; if a request is sent, also the time of the other side.
        self._clock = time.monotonic if look is None else time.thread_time
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._viewers: list[Callable[[], None]] = []
        self._over = False
        self._thread = threading.Thread(target=self._run, name="fairground-watcher", daemon=True)
        self._frame: Frame | None = None
        self._exact = False  # whether the current image is lossless
        self._next_look = self._next_check = 0.0
        self._last_picture = self._last_event = 0.0

    @property
    def watched(self) -> bool:
        """Whether anyone watches."""
        return bool(self._viewers)

    def start(self) -> None:
        """Start the thread. It captures nothing until somebody watches."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the pending requests. Can be called twice. Does not wait for a screen that hangs."""
        self._tasks.put(None)
        self._thread.join(_GIVE_UP)

    def do(self, job: Callable[[Screen], T]) -> Future[T]:
        """Run a function on the screen in the watcher's thread, in order."""

        def touch() -> T:
            with self._lock:
                return job(self._seat.screen)

        return self._in_turn(touch)

    def expect(self) -> None:
        """Announce that other code has used the screen, so a new look is worthwhile."""
        self._in_turn(lambda: None)

    def picture(self) -> Future[bytes]:
        """Capture the screen now as PNG, in order."""

        def take() -> bytes:
            frame, _ = self._glimpse()
            if frame is None:
                raise ScreenError("there is no image yet", fix="wait until the screen has been used once")
            return encode_png(frame)

        return self._in_turn(take)

    def clipboard(self) -> Clipping:
        """Return the text that was copied last in the seat.

        Runs out of order, because the clipboard's owner may respond slowly.
        """
        return read_clipboard(self._seat.screen)

    def add(self, viewer: Callable[[], None]) -> Future[None]:
        """Call `viewer` from the watcher's thread whenever `view` changes."""

        def join() -> None:
            if not self._viewers:
                # Nobody watched for a while, so the last image may be outdated.
                self.view = replace(self.view, image=b"")
                self._frame = None
            self._viewers.append(viewer)

        return self._in_turn(join)

    def remove(self, viewer: Callable[[], None]) -> Future[None]:
        """Undo `add`."""
        return self._in_turn(lambda: self._viewers.remove(viewer))

    def _in_turn(self, job: Callable[[], T]) -> Future[T]:
        done: Future[T] = Future()

        def run() -> None:
            if not done.set_running_or_notify_cancel():
                return
            if self._over:
                done.set_exception(ScreenError("this seat is no longer watched"))
                return
            try:
                done.set_result(job())
            except BaseException as error:  # passed to the caller
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
        """Fail requests that arrived too late, so that nobody waits forever."""
        with contextlib.suppress(queue.Empty):
            while True:
                if (task := self._tasks.get_nowait()) is not None:
                    task()

    def _look(self) -> None:
        """Publish the current screen if it has changed."""
        now, began = time.monotonic(), self._clock()
        try:
            frame, cursor = self._glimpse()
            trouble = self._trouble(now)
        except FairgroundError as error:
            return self._lose(error)
        except Exception as error:  # an unexpected error of a screen must not end the thread
            _log.exception("the screen failed")
            return self._lose(InfrastructureError(f"the screen failed: {type(error).__name__}: {error}"))
        view = replace(self.view, cursor=cursor, trouble=trouble, blind=False)
        # Compare instead of waiting for damage: a change between two waits would be missed.
        if frame is not None and (self._frame is None or not _same(frame, self._frame)):
            self._last_picture = self._last_event = now
            view = self._picture(view, frame, exact=self._frame is None)
        elif frame is not None and not self._exact and now - self._last_picture >= _REST:
            view = self._picture(view, frame, exact=True)
        self._show(view)
        self._next_look = max(self._pause(self._clock() - began), self._last_picture + 1 / RATE)

    def _pause(self, cost: float) -> float:
        """Return the time of the next look: soon, but without using too much CPU time."""
        now = time.monotonic()
        least, costs = (_BUSY, _BUSY_COSTS) if now - self._last_event < _AWAKE else (_IDLE, _IDLE_COSTS)
        return now + max(least, costs * cost)

    def _picture(self, view: View, frame: Frame, *, exact: bool) -> View:
        self._frame, self._exact = frame, exact
        image = encode_png(frame) if exact else encode_jpeg(frame, _QUALITY)
        return replace(view, number=self.view.number + 1, image=image)

    def _trouble(self, now: float) -> FairgroundError | None:
        """Check for problems that the image does not show, such as an app that has exited."""
        if now < self._next_check:
            return self.view.trouble
        self._next_check = now + _CHECK
        try:
            self._seat.check()
        except FairgroundError as error:
            return error
        return None

    def _lose(self, error: FairgroundError) -> None:
        # Retry later: a screen that was only too busy to answer recovers.
        self._next_look = time.monotonic() + _CHECK
        self._next_check = 0.0
        self._frame, self._exact = None, False
        self._show(replace(self.view, trouble=error, blind=True))

    def _show(self, view: View) -> None:
        if view != self.view:
            self.view = view
            for viewer in self._viewers:
                viewer()


def _same(before: Frame, after: Frame) -> bool:
    return before is after or np.array_equal(before.pixels, after.pixels)
