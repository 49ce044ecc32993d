"""Forking a seat: what an app declares so that a seat can be copied in the middle of an episode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

from fairground.core import InfrastructureError
from fairground.worlds.app import World
from fairground.worlds.seat import Seat

Forking = Literal["exact", "replay", "none"]
"""How an episode can be forked: by copying its state, by repeating its actions in another seat, or not at all."""


class ForkFailed(InfrastructureError):
    """A copy of a seat differs from the original, or could not be made. The original is not affected."""


class ForksExactly(ABC):
    """Base class of apps whose state can be copied to another seat: a page, and data on the host.

    The page is copied by `fairground.worlds.page_copy`. For that, its scripts mark every entry of the history in the
    state of the Navigation API: `document` is equal for the entries of one document, `url` is the address without the
    origin, `sent` is the URL-encoded form that the document answers, or null, and `scrolled` is `scrollY`.
    """

    @abstractmethod
    def copy_data(self, seat: Seat) -> Any:
        """Return a copy of everything on the host that answers depend on: databases, clock, sessions, messages."""

    @abstractmethod
    def paste_data(self, seat: Seat, data: Any) -> None:
        """Replace everything on the host by what `copy_data` returned for another seat at the same world."""

    @abstractmethod
    def stand_in(self, seat: Seat, page: str | None, *, scripted: bool = False) -> None:
        """Answer every request for a page with this HTML, until called with None. Other files are served as usual.

        Args:
            seat: The seat whose server answers.
            page: A whole document.
            scripted: Whether the document has inline scripts, which the app's own pages may not have.
        """


def forking_of(world: World) -> Forking:
    """Return how episodes at a world can be forked, by what its app declares.

    Actions in an app that uses the internet can have effects outside the seat, so they are never repeated.
    """
    if isinstance(world.app, ForksExactly):
        return "exact"
    return "replay" if world.app.network == "none" else "none"
