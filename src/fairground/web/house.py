"""The open seats of the site, with access control and limits."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fairground.arena import Absent, Person
from fairground.arena.pacing import Glimpse
from fairground.core import Action, InfrastructureError
from fairground.web.spectating import spectator
from fairground.web.viewing import Steer, Viewer
from fairground.web.watching import Watched, Watcher

if TYPE_CHECKING:
    from concurrent.futures import Future

    from fairground.web.playing import Play

Drive: TypeAlias = Literal["nobody", "owner", "judges"]
_JUDGES = ("judge", "admin")
_KEPT = 200  # number of finished attempts to remember


class Full(InfrastructureError):
    """The limit of open seats is reached."""


@dataclass(eq=False)
class Hosted:
    """A seat that is shown on the site.

    Attributes:
        id: Unguessable ID, used in URLs.
        seat: The seat; owned by the code that opened it.
        watcher: Captures the seat's screen.
        owner: ID of the person it was opened for.
        drive: Who may use it.
        title: Shown in the list. Must not contain secrets.
        seen_by: Who else may watch; by default every judge and admin.
        steer: Where input goes, if not directly to the screen.
        opened: When, as `time.time`.
        viewers: Pages that show it now.
    """

    id: str
    seat: Watched
    watcher: Watcher
    owner: str
    drive: Drive
    title: str
    seen_by: Callable[[Person], bool] | None = None
    steer: Steer | None = None
    opened: float = field(default_factory=time.time)
    viewers: set[Viewer] = field(default_factory=set)

    def may_watch(self, person: Person) -> bool:
        """Whether this person may watch: the owner and those allowed by `seen_by`. May query the database."""
        if person.id == self.owner:
            return True
        return person.role in _JUDGES if self.seen_by is None else self.seen_by(person)

    def may_drive(self, person: Person) -> bool:
        """Whether this person may use the seat, according to `drive`."""
        return (self.drive == "owner" and person.id == self.owner) or (
            self.drive == "judges" and person.role in _JUDGES
        )

    def hello(self, person: Person) -> dict[str, Any]:
        """Return the first message to a page: the size of the screen, and nothing about the seat's user or purpose."""
        screen = self.seat.screen
        return {
            "type": "hello",
            "size": list(screen.size),
            "backend": screen.backend,
            "control": self.may_drive(person),
        }

    def close(self) -> None:
        """Disconnect all viewers. The seat stays open."""
        self.watcher.stop()  # set first: later viewers are rejected, and all earlier ones are in `viewers`
        for viewer in tuple(self.viewers):
            viewer.leave()


class House:
    """All open seats. Thread-safe.

    Args:
        per_person: Maximum number of seats that a person can have open.
        total: Maximum number for all people together. Seats of arena battles are not counted.
    """

    def __init__(self, *, per_person: int = 4, total: int = 4) -> None:
        self.per_person, self.total = per_person, total
        self._lock = threading.Lock()
        self._seats: dict[str, Hosted] = {}
        self._plays: dict[str, Play] = {}
        self._closed = False

    def add(
        self,
        seat: Watched,
        *,
        owner: str,
        drive: Drive = "nobody",
        title: str,
        lock: threading.Lock | None = None,
        seen_by: Callable[[Person], bool] | None = None,
        steer: Steer | None = None,
        id_: str | None = None,
        look: Callable[[], Glimpse] | None = None,
    ) -> Hosted:
        """Show a seat until `remove` is called. Call `remove` before closing the seat.

        Args:
            seat: The seat to show.
            owner: ID of the person it is for.
            drive: Who may use it. A seat that nobody may use is watched passively (see `spectating`), so that an
                agent can use it from any thread.
            title: Shown in the list. Must not contain an agent's name.
            seen_by: Who else may watch, if not every judge and admin.
            lock: Held while the screen is used directly, for other code that uses it too.
            steer: Where people's input goes instead. The seat is then watched passively.
            id_: ID to use, if one was given out before.
            look: Screen to show, if it is not the seat's own.

        Raises:
            ScreenError: If the seat cannot be watched while something else uses it.
            InfrastructureError: If the house is closed.
        """
        if look is None and (drive == "nobody" or steer is not None):
            look = spectator(seat.screen)
        watcher = Watcher(seat, lock, look)
        steered = steer and _telling(steer, watcher.expect)
        hosted = Hosted(id_ or new_id(), seat, watcher, owner, drive, title, seen_by, steered)
        with self._lock:
            if self._closed:
                raise InfrastructureError("the site is shutting down")
            watcher.start()
            self._seats[hosted.id] = hosted
        return hosted

    def find(self, id_: str) -> Hosted | None:
        """Return the seat with this ID, or None."""
        with self._lock:
            return self._seats.get(id_)

    def seen_by(self, id_: str, person: Person) -> Hosted:
        """Return the seat with this ID, if this person may watch it.

        Raises:
            Refused: If it does not exist or the person may not watch it. The message does not say which.
        """
        hosted = self.find(id_)
        if hosted is None or not hosted.may_watch(person):
            raise Absent("no such seat, or it is no longer open")
        return hosted

    def remove(self, id_: str) -> None:
        """Stop showing a seat. Does nothing if it is not shown."""
        with self._lock:
            hosted = self._seats.pop(id_, None)
        if hosted is not None:
            hosted.close()

    def listed(self, person: Person) -> list[Hosted]:
        """List the seats that a person may watch, oldest first."""
        with self._lock:
            seats = list(self._seats.values())
        return [hosted for hosted in seats if hosted.may_watch(person)]

    def admit(self, play: Play) -> None:
        """Register a person's attempt, and remember it for some time after it has ended.

        Raises:
            Full: If the person, or all people together, have too many seats open.
        """
        with self._lock:
            if self._closed:
                raise InfrastructureError("the site is shutting down")
            going = [play for play in self._plays.values() if not play.over]
            own = sum(running.owner == play.owner for running in going)
            if own >= self.per_person:
                raise Full(f"you have {own} seats open, the maximum", fix="close one of them first")
            if len(going) >= self.total:
                raise Full(f"{len(going)} seats are open, the maximum", fix="wait until one of them closes")
            ended = [play.id for play in self._plays.values() if play.over]
            for id_ in ended[: max(0, len(ended) - _KEPT)]:
                del self._plays[id_]
            self._plays[play.id] = play

    def play(self, id_: str) -> Play | None:
        """Return the attempt with this ID, or None."""
        with self._lock:
            return self._plays.get(id_)

    def plays(self, person: Person) -> list[Play]:
        """List a person's own attempts, oldest first."""
        with self._lock:
            return [play for play in self._plays.values() if play.owner == person.id]

    def close(self) -> None:
        """End all attempts and stop showing all seats."""
        with self._lock:
            self._closed = True
            plays, seats = list(self._plays.values()), list(self._seats)
        for play in plays:
            play.leave("the site was shut down")
        for play in plays:
            play.join()
        for id_ in seats:
            self.remove(id_)


@contextmanager
def shown(house: House, seat: Watched, *, owner: str, title: str) -> Iterator[Hosted]:
    """Show a seat for watching while the block runs."""
    hosted = house.add(seat, owner=owner, title=title)
    try:
        yield hosted
    finally:
        house.remove(hosted.id)


def new_id() -> str:
    """Return a new unguessable ID."""
    return secrets.token_urlsafe(18)


def _telling(steer: Steer, tell: Callable[[], None]) -> Steer:
    """Wrap `steer` so that the watcher is notified after each action."""

    def steer_and_tell(action: Action) -> Future[None]:
        done = steer(action)
        done.add_done_callback(lambda _: tell())
        return done

    return steer_and_tell
