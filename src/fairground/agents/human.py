"""A person as an agent: input is performed immediately, and recorded as actions.

The episode loop asks for an action and waits. Meanwhile only the person touches the screen. Their input is performed
here as it arrives. Once it forms an action (see `gestures`), the loop gets it as already performed: it settles,
observes, records and counts it. Input that arrives in the meantime is queued.
"""

from __future__ import annotations

import contextlib
import queue
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from fairground.agents.driven import HUMAN
from fairground.agents.gestures import Gestures
from fairground.agents.protocol import Brief, Turn
from fairground.core import Action, Fail, Frame, InvalidAction, InvalidInput, MouseDown, Move, Observation, ScreenError

if TYPE_CHECKING:
    from fairground.worlds import Seat

SETTLE_SECONDS: Final = 0.4
"""Maximum seconds to wait for the screen after a person's action: people see for themselves when it has settled."""

_REST: Final = 0.5  # seconds that the pointer must rest before its hover effect counts
_POINTER: Final = 40  # pixels around its tip that the pointer itself may cover
_FAR: Final = 40.0
_LOOK: Final = 0.1  # seconds between two frames of a screen that must be polled
_REACTION: Final = 0.02  # seconds until the first frame after an action
_MARGIN: Final = 2.0  # seconds before the deadline in which no new input is accepted


@dataclass(frozen=True)
class _Event:
    action: Action
    at: float
    done: Future[None] = field(default_factory=Future)

    def refuse(self, why: BaseException) -> None:
        """Report why it was not performed, if the caller still waits."""
        if self.done.set_running_or_notify_cancel():
            self.done.set_exception(why)


class HumanAgent:
    """A person, for one episode.

    Args:
        on_seat: Called with the seat once it is open, in the episode's thread. Show it, and send the person's input to
            `put`.
        on_close: Called before the seat is closed.
        watched: Whether somebody is watching. Screens that must be polled are polled only while watched.
    """

    name = HUMAN

    def __init__(
        self,
        on_seat: Callable[[Seat], None] = lambda _: None,
        on_close: Callable[[], None] = lambda: None,
        watched: Callable[[], bool] = lambda: True,
    ) -> None:
        self.brief: Brief | None = None
        self._on_seat, self._on_close, self._watched = on_seat, on_close, watched
        self._seat: Seat | None = None
        self._events: queue.SimpleQueue[_Event | None] = queue.SimpleQueue()
        self._waiting: _Event | None = None  # taken from the queue, but not its turn yet
        self._turns: deque[Turn] = deque()
        self._gestures = Gestures()
        self._seen: Frame | None = None
        self._moved: float | None = None  # when the pointer last moved, until its hover effect was checked
        self._hover: tuple[float, float] | None = None
        self._next_look = 0.0
        self._left = ""
        self._over = False
        self._until = 0.0

    def put(self, action: Action) -> Future[None]:
        """Queue the person's next action, from any thread.

        The future completes when it was performed, or with its error.

        Besides input, it accepts actions that end the episode.
        """
        event = _Event(action, time.monotonic())
        if self._over:
            event.refuse(InvalidInput("the episode is over"))
        else:
            self._events.put(event)
        return event.done

    def leave(self, reason: str) -> None:
        """The person left: the agent gives up with this reason."""
        self._left = reason
        self._events.put(None)

    def take_seat(self, seat: Seat) -> None:
        """Called by the episode loop with the seat."""
        self._seat = seat
        self._on_seat(seat)

    def begin(self, brief: Brief) -> None:
        """Store the brief."""
        assert self._seat is not None
        self.brief = brief
        self._until = time.monotonic() + self._seat.world.scenario.time_budget - _MARGIN

    def act(self, observation: Observation) -> Turn:
        """Perform the person's input until it forms an action, and return that action."""
        self._seen, self._hover = observation.frame, None
        while not self._turns:
            event = self._waiting = self._waiting or self._next()
            if self._left or self._over:
                return Turn(Fail(reason=self._left))
            if event is None:
                self._pass_time()
            elif event.action.ends or not self._gestures.takes(event.action, event.at):
                self._close_gesture()
                if event.action.ends and not self._turns:
                    self._waiting = None
                    if event.done.set_running_or_notify_cancel():
                        event.done.set_result(None)
                    return Turn(event.action)
            elif (place := self._shown_on_the_way(event.action)) is not None:
                self._turns.append(Turn(Move(point=place), performed=True))
            else:
                self._waiting = None
                self._perform(event)
        return self._turns.popleft()

    def close(self) -> None:
        """Called by the episode loop: the episode is over."""
        self._over = True
        self._on_close()
        self._refuse_rest()
        self._events.put(None)  # wakes a thread that was left behind and waits

    def _next(self) -> _Event | None:
        """Return the next event, or None when something else is due."""
        now = time.monotonic()
        if now > self._until or self._over:
            self._wait_for_the_end()
        times = [self._until, self._gestures.due, self._moved and self._moved + _REST]
        if self._asks_for_pictures:
            times.append(self._next_look)
        try:
            return self._events.get(timeout=max(0.0, min(at for at in times if at is not None) - now))
        except queue.Empty:
            return None

    def _pass_time(self) -> None:
        assert self._seat is not None
        now = time.monotonic()
        due = self._gestures.due
        if due is not None and now >= due:
            self._close_gesture()
            return
        if self._moved is not None and now >= self._moved + _REST:
            self._moved = None
            if self._gestures.pointer is not None and not self._gestures.held and self._shows_something():
                self._hover = self._gestures.pointer
        elif self._asks_for_pictures and now >= self._next_look:
            with contextlib.suppress(ScreenError):  # a page may be busy; the next action detects whether it is dead
                self._seat.screen.grab()
            self._next_look = time.monotonic() + _LOOK

    def _perform(self, event: _Event) -> None:
        assert self._seat is not None
        if not event.done.set_running_or_notify_cancel():
            return  # the caller gave up before its turn
        try:
            self._seat.screen.act(event.action)
        except InvalidAction as error:
            event.done.set_exception(error)
            return
        except BaseException as error:
            event.done.set_exception(error)
            raise
        self._gestures.add(event.action, event.at)
        self._moved = event.at if isinstance(event.action, Move) else None
        self._next_look = time.monotonic() + _REACTION
        event.done.set_result(None)

    def _close_gesture(self) -> None:
        self._turns += [Turn(action, performed=True) for action in self._gestures.end()]

    def _shown_on_the_way(self, action: Action) -> tuple[float, float] | None:
        """Return where the pointer rested and something appeared, such as a menu, before the press elsewhere."""
        if not isinstance(action, MouseDown) or self._hover is None or action.point is None or self._gestures.held:
            return None
        place, self._hover = self._hover, None
        far = max(abs(place[0] - action.point[0]), abs(place[1] - action.point[1])) > _FAR
        return place if far else None

    def _shows_something(self) -> bool:
        """Return whether the screen changed since the last action, apart from the pointer."""
        assert self._seat is not None and self._seen is not None
        now = self._seat.screen.grab()
        changed = (now.pixels != self._seen.pixels).any(axis=2)
        rows, columns = np.nonzero(changed)
        pointer = self._gestures.pointer or (0.0, 0.0)
        near = (np.abs(columns - pointer[0]) <= _POINTER) & (np.abs(rows - pointer[1]) <= _POINTER)
        return bool((~near).any())

    @property
    def _asks_for_pictures(self) -> bool:
        # If the frame is in memory, viewers read it directly. Otherwise they see the frames polled here.
        return self._seat is not None and not self._seat.screen.in_memory and self._watched()

    def _wait_for_the_end(self) -> None:
        """The time is up: the loop ends the episode, and nothing may touch the screen meanwhile."""
        while not self._over:
            event = self._events.get()
            if event is not None:
                event.refuse(InvalidInput("the time for this task is over"))

    def _refuse_rest(self) -> None:
        waiting, self._waiting = self._waiting, None
        while True:
            if waiting is not None:
                waiting.refuse(InvalidInput("the episode is over"))
            try:
                waiting = self._events.get_nowait()
            except queue.Empty:
                return
