"""A person as an agent: what their hands do is done at once, and recorded as actions like anybody's.

The episode loop asks for an action and waits; while it waits, nobody but the person touches the screen. So their input
is carried out here, as it comes, and when it amounts to an action (`gestures`), the loop gets that as one that was
performed already: it settles, looks, records and counts it. Input that comes meanwhile waits for its turn.
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
"""How long an episode may wait for the screen after a person's action: they see for themselves when it is at rest."""

_REST: Final = 0.5  # seconds that a pointer rests before what it shows there counts
_POINTER: Final = 40  # pixels around its tip that the pointer itself may cover
_FAR: Final = 40.0
_LOOK: Final = 0.1  # seconds between two pictures of a screen that has to be asked for them,
_REACTION: Final = 0.02  # and until the first after something was done
_MARGIN: Final = 2.0  # seconds before the end of the time in which nothing is begun any more


@dataclass(frozen=True)
class _Event:
    action: Action
    at: float
    done: Future[None] = field(default_factory=Future)

    def refuse(self, why: BaseException) -> None:
        """Says why it was not carried out, if anybody still wants to know."""
        if self.done.set_running_or_notify_cancel():
            self.done.set_exception(why)


class HumanAgent:
    """A person, for one episode.

    Args:
        on_seat: Told of the seat once it is open, in the episode's thread: show it, and have what the person does
            sent to `put`.
        on_close: Called when the seat is about to be closed.
        watched: Whether somebody looks. Asked of screens whose picture is not memory, to spare it where nobody does.
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
        self._waiting: _Event | None = None  # taken from the queue, not yet its turn
        self._turns: deque[Turn] = deque()
        self._gestures = Gestures()
        self._seen: Frame | None = None
        self._moved: float | None = None  # when the pointer moved last, until it was looked at what that showed
        self._hover: tuple[float, float] | None = None
        self._next_look = 0.0
        self._left = ""
        self._over = False
        self._until = 0.0

    def put(self, action: Action) -> Future[None]:
        """What the person does next; from any thread. Done when it was carried out, with what was wrong if it was not.

        Of actions that are not input it takes those that end the episode.
        """
        event = _Event(action, time.monotonic())
        if self._over:
            event.refuse(InvalidInput("the episode is over"))
        else:
            self._events.put(event)
        return event.done

    def leave(self, reason: str) -> None:
        """The person went away: the agent gives up with this reason."""
        self._left = reason
        self._events.put(None)

    def take_seat(self, seat: Seat) -> None:
        """For the episode loop."""
        self._seat = seat
        self._on_seat(seat)

    def begin(self, brief: Brief) -> None:
        """Keeps the brief."""
        assert self._seat is not None
        self.brief = brief
        self._until = time.monotonic() + self._seat.world.scenario.time_budget - _MARGIN

    def act(self, observation: Observation) -> Turn:
        """Carries out what the person does until it amounts to an action, and says which."""
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
        """For the episode loop: the episode is over."""
        self._over = True
        self._on_close()
        self._refuse_rest()
        self._events.put(None)  # for a thread that was left behind, and waits

    def _next(self) -> _Event | None:
        """The next event, or None when it is time for something else."""
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
            with contextlib.suppress(ScreenError):  # a page may be busy; whether it is dead, the next action finds out
                self._seat.screen.grab()
            self._next_look = time.monotonic() + _LOOK

    def _perform(self, event: _Event) -> None:
        assert self._seat is not None
        if not event.done.set_running_or_notify_cancel():
            return  # whoever wanted it went away before its turn
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
        """Where the pointer rested and something appeared, such as a menu, before it went on to press elsewhere."""
        if not isinstance(action, MouseDown) or self._hover is None or action.point is None or self._gestures.held:
            return None
        place, self._hover = self._hover, None
        far = max(abs(place[0] - action.point[0]), abs(place[1] - action.point[1])) > _FAR
        return place if far else None

    def _shows_something(self) -> bool:
        """Whether the picture is another than after the last action, apart from the pointer."""
        assert self._seat is not None and self._seen is not None
        now = self._seat.screen.grab()
        changed = (now.pixels != self._seen.pixels).any(axis=2)
        rows, columns = np.nonzero(changed)
        pointer = self._gestures.pointer or (0.0, 0.0)
        near = (np.abs(columns - pointer[0]) <= _POINTER) & (np.abs(rows - pointer[1]) <= _POINTER)
        return bool((~near).any())

    @property
    def _asks_for_pictures(self) -> bool:
        # Where the picture is memory, whoever watches reads it; elsewhere they see what was asked for here.
        return self._seat is not None and not self._seat.screen.in_memory and self._watched()

    def _wait_for_the_end(self) -> None:
        """The time is up: the loop ends the episode, and nothing may touch the screen while it does."""
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
