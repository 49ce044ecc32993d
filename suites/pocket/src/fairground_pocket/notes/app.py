"""The notes app as a world: its axes, how it is launched, what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, cast
from urllib.parse import urlencode

from fairground.core import AppError, State
from fairground.worlds import App, ScreenSpec, Seat, World
from fairground_pocket.notes.profiles import PROFILES, read_profile
from fairground_pocket.notes.serving import Request, Response, Server
from fairground_pocket.notes.site import respond
from fairground_pocket.notes.store import Store
from fairground_pocket.notes.themes import THEMES

_KEPT = "notes"


class Notes(App):
    """Notes on a phone: a page of a real Chromium, with its database and its server outside of the sandbox."""

    name = "notes"
    title = "Notes"
    packages = ("chromium",)
    screen = ScreenSpec("cdp", (412, 915))
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"name": name} for name in PROFILES}
    themes: ClassVar[Mapping[str, Mapping[str, Any]]] = THEMES
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "list": {},
        "search": {"search": "list"},
        "note": {"open": "Wi-Fi password"},
    }

    def launch(self, seat: Seat) -> None:
        """Serves the app on the sandbox's own loopback, and opens its first screen."""
        phone = Phone(build(seat.world))
        server = Server(seat.sandbox.listen(), phone.respond)
        seat.defer(phone.close)
        seat.defer(server.close)
        phone.server = server
        seat.keep[_KEPT] = phone
        _show(seat, seat.world)

    def capture(self, seat: Seat, world: World) -> State:
        """Records the database: notes, labels and settings."""
        phone = _phone(seat)
        with phone.server.lock:
            if phone.server.fault is not None:
                fault = phone.server.fault
                raise AppError(f"notes could not answer a request: {type(fault).__name__}: {fault}") from fault
            return State(data=phone.store.dump())


class Phone:
    """What runs on the host for one seat: the database, exchangeable, and the server that answers from it."""

    server: Server

    def __init__(self, store: Store) -> None:
        self.store = store

    def respond(self, request: Request) -> Response:
        """Answers from the database that is there now."""
        return respond(self.store, request)

    def swap(self, store: Store) -> None:
        """Puts another database in place, between two requests."""
        with self.server.lock:
            self.store.close()
            self.store, self.server.fault = store, None

    def close(self) -> None:
        """Forgets the database."""
        with self.server.lock:
            self.store.close()


def build(world: World) -> Store:
    """The database of a configuration, before anybody has touched it."""
    profile = read_profile(str(world.profile["name"]))
    return Store(profile.owner, profile.labels, profile.notes, world.configuration.theme)


def reset(seat: Seat, world: World) -> None:
    """Brings a seat to another configuration of this app: a database swap and a navigation.

    What the seat says of its world (`world`, `before`, `fingerprint`) is for the caller to renew.
    """
    _phone(seat).swap(build(world))
    _show(seat, world)


def start(store: Store, ui_state: Mapping[str, Any]) -> str:
    """The address where a UI state begins."""
    if "search" in ui_state:
        return "/?" + urlencode({"q": ui_state["search"]})
    if "open" in ui_state:
        (number,) = [note.id for note in store.notes() if note.title == ui_state["open"]]
        return f"/note/{number}"
    return "/"


class _Page(Protocol):
    def navigate(self, url: str) -> object: ...


def _show(seat: Seat, world: World) -> None:
    phone = _phone(seat)
    address = f"http://127.0.0.1:{phone.server.port}{start(phone.store, world.ui_state)}"
    cast(_Page, seat.screen).navigate(address)


def _phone(seat: Seat) -> Phone:
    phone = seat.keep[_KEPT]
    assert isinstance(phone, Phone)
    return phone
