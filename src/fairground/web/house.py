"""The open seats of the site: who may look at each, who may use it, and how many there may be."""

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
_KEPT = 200  # of people's attempts that have ended


class Full(InfrastructureError):
    """There are as many seats as there may be."""


@dataclass(eq=False)
class Hosted:
    """A seat that people see through the site.

    Attributes:
        id: Unguessable; the address.
        seat: Still of whoever opened it.
        watcher: Shows it.
        owner: Id of the person it was opened for.
        drive: Who may use it.
        title: What people read in the list. Nothing that must stay secret.
        seen_by: Who else may look; every judge and admin, where that is not said.
        steer: Where input goes, if not straight to the screen.
        opened: When, in seconds of `time.time`.
        viewers: The pages that show it now.
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
        """The owner, and whoever `seen_by` says; may ask the database."""
        if person.id == self.owner:
            return True
        return person.role in _JUDGES if self.seen_by is None else self.seen_by(person)

    def may_drive(self, person: Person) -> bool:
        """Whoever `drive` says."""
        return (self.drive == "owner" and person.id == self.owner) or (
            self.drive == "judges" and person.role in _JUDGES
        )

    def hello(self, person: Person) -> dict[str, Any]:
        """What a page is told first: how large the picture is, and nothing of who uses the seat or why."""
        screen = self.seat.screen
        return {
            "type": "hello",
            "size": list(screen.size),
            "backend": screen.backend,
            "control": self.may_drive(person),
        }

    def close(self) -> None:
        """Says goodbye to everybody who watches; the seat stays open."""
        self.watcher.stop()  # first: who comes from now on is refused, and everybody who came before is in `viewers`
        for viewer in tuple(self.viewers):
            viewer.leave()


class House:
    """All of them; may be used from any thread.

    Args:
        per_person: How many seats a person may have opened for themselves at a time.
        total: How many all people together may. What the arena opens for its battles is not counted.
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
        """Shows a seat from now on, until `remove`; call that before the seat is closed.

        Args:
            seat: What to show.
            owner: Id of the person it is for.
            drive: Who may use it. A seat that nobody may is watched without touching it (`spectating`), so that an
                agent may use it from any thread.
            title: What people read; never an agent's name.
            seen_by: Who else may look, where that is not every judge and admin.
            lock: Where people use the screen itself: held while it is touched, for others who touch it too.
            steer: Where people's input goes instead; the seat is then watched as if nobody drove it.
            id_: The address, where that was given out before.
            look: What people see of it, where that is not what it shows now.

        Raises:
            ScreenError: When the seat cannot be watched while something else uses it.
            InfrastructureError: When the house is closed.
        """
        if look is None and (drive == "nobody" or steer is not None):
            look = spectator(seat.screen)
        watcher = Watcher(seat, lock, look)
        told = steer and _telling(steer, watcher.expect)
        hosted = Hosted(id_ or new_id(), seat, watcher, owner, drive, title, seen_by, told)
        with self._lock:
            if self._closed:
                raise InfrastructureError("the site is being closed")
            watcher.start()
            self._seats[hosted.id] = hosted
        return hosted

    def find(self, id_: str) -> Hosted | None:
        """The seat at this address."""
        with self._lock:
            return self._seats.get(id_)

    def seen_by(self, id_: str, person: Person) -> Hosted:
        """The seat at this address, for this person.

        Raises:
            Refused: When there is none that they may see; which of the two is not told.
        """
        hosted = self.find(id_)
        if hosted is None or not hosted.may_watch(person):
            raise Absent("there is no such seat, or it is not open any more")
        return hosted

    def remove(self, id_: str) -> None:
        """Shows a seat no longer; nothing happens when it is not shown."""
        with self._lock:
            hosted = self._seats.pop(id_, None)
        if hosted is not None:
            hosted.close()

    def listed(self, person: Person) -> list[Hosted]:
        """The seats that a person may see, the oldest first."""
        with self._lock:
            seats = list(self._seats.values())
        return [hosted for hosted in seats if hosted.may_watch(person)]

    def admit(self, play: Play) -> None:
        """Takes up a person's attempt, and remembers it for some time after it has ended.

        Raises:
            Full: When they, or all people together, have as many seats as they may.
        """
        with self._lock:
            if self._closed:
                raise InfrastructureError("the site is being closed")
            going = [one for one in self._plays.values() if not one.over]
            own = sum(one.owner == play.owner for one in going)
            if own >= self.per_person:
                raise Full(f"you have {own} seats open", fix="end one of them first")
            if len(going) >= self.total:
                raise Full(f"{len(going)} seats are open, as many as there may be", fix="wait until one has ended")
            ended = [one.id for one in self._plays.values() if one.over]
            for id_ in ended[: max(0, len(ended) - _KEPT)]:
                del self._plays[id_]
            self._plays[play.id] = play

    def play(self, id_: str) -> Play | None:
        """The attempt at this address."""
        with self._lock:
            return self._plays.get(id_)

    def plays(self, person: Person) -> list[Play]:
        """A person's own attempts, the oldest first."""
        with self._lock:
            return [play for play in self._plays.values() if play.owner == person.id]

    def close(self) -> None:
        """Ends everything: attempts are given up, and nothing is shown any more."""
        with self._lock:
            self._closed = True
            plays, seats = list(self._plays.values()), list(self._seats)
        for play in plays:
            play.leave("the site was closed")
        for play in plays:
            play.join()
        for id_ in seats:
            self.remove(id_)


@contextmanager
def shown(house: House, seat: Watched, *, owner: str, title: str) -> Iterator[Hosted]:
    """Shows a seat to watch, as long as the block runs."""
    hosted = house.add(seat, owner=owner, title=title)
    try:
        yield hosted
    finally:
        house.remove(hosted.id)


def new_id() -> str:
    """An address that nobody can guess."""
    return secrets.token_urlsafe(18)


def _telling(steer: Steer, tell: Callable[[], None]) -> Steer:
    """As `steer`, and says when something was done."""

    def steer_and_tell(action: Action) -> Future[None]:
        done = steer(action)
        done.add_done_callback(lambda _: tell())
        return done

    return steer_and_tell
