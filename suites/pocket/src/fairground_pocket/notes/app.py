"""The notes app as a world: its axes, how it is launched, and what is recorded."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast
from urllib.parse import urlencode

from fairground.core import AppError, State
from fairground.worlds import App, ForksExactly, ScreenSpec, Seat, World
from fairground_pocket.kit.forking import Answers
from fairground_pocket.kit.serving import Request, Response, Server
from fairground_pocket.notes.profiles import PROFILES, read_profile
from fairground_pocket.notes.site import FILES, HEADERS, respond
from fairground_pocket.notes.store import Store
from fairground_pocket.notes.themes import THEMES

_KEPT = "notes"


class Notes(ForksExactly, App):
    """Notes on a phone: a page of a real Chromium. Its database and server run outside the sandbox."""

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
        """Serves the app on the sandbox's own loopback interface, and opens its first screen."""
        _serve(seat, seat.world)

    def reset(self, seat: Seat, world: World) -> bool:
        """Replaces the database and changes the port, so that late requests of old pages cannot reach it."""
        _phone(seat).close()
        _serve(seat, world)
        return True

    def source_files(self) -> Sequence[Path]:
        """This folder, and the parts of the kit that it uses."""
        kit = Path(__file__).parents[1] / "kit"
        return [*super().source_files(), kit / "forking.py", kit / "markup.py", kit / "serving.py"]

    def capture(self, seat: Seat, world: World) -> State:
        """Records the database: notes, labels and settings."""
        phone = _phone(seat)
        with phone.server.lock:
            phone.check()
            return State(data=phone.store.dump())

    def copy_data(self, seat: Seat) -> tuple[bytes, datetime]:
        phone = _phone(seat)
        with phone.server.lock:
            phone.check()
            return phone.store.copy()

    def paste_data(self, seat: Seat, data: tuple[bytes, datetime]) -> None:
        phone = _phone(seat)
        with phone.server.lock:
            phone.store.paste(*data)

    def stand_in(self, seat: Seat, page: str | None, *, scripted: bool = False) -> None:
        _phone(seat).answers.stand_in(page, scripted=scripted)


class Phone:
    """What runs on the host for one seat: the replaceable database, and the server that answers from it."""

    server: Server

    def __init__(self, store: Store) -> None:
        self.store = store
        self.answers = Answers(self.respond, FILES, HEADERS)

    def respond(self, request: Request) -> Response:
        """Answers a request from the current database."""
        return respond(self.store, request)

    def serve(self, listener: socket.socket) -> None:
        self.server = Server(listener, self.answers)

    def swap(self, store: Store) -> None:
        """Replaces the database between two requests."""
        with self.server.lock:
            self.store.close()
            self.store, self.server.fault = store, None

    def check(self) -> None:
        """Raises an error if a request could not be answered."""
        if (fault := self.server.fault) is not None:
            raise AppError(f"notes could not answer a request: {type(fault).__name__}: {fault}") from fault

    def close(self) -> None:
        """Stops the server and releases the database."""
        self.server.close()
        self.store.close()


def build(world: World) -> Store:
    """The database of a configuration, before the episode."""
    profile = read_profile(str(world.profile["name"]))
    return Store(profile.owner, profile.labels, profile.notes, world.configuration.theme)


def reset(seat: Seat, world: World) -> None:
    """Resets a seat to another configuration of this app. The caller updates the seat's own record of its world."""
    seat.world.app.reset(seat, world)


def start(store: Store, ui_state: Mapping[str, Any]) -> str:
    """The address at which a UI state starts."""
    if "search" in ui_state:
        return "/?" + urlencode({"q": ui_state["search"]})
    if "open" in ui_state:
        (number,) = [note.id for note in store.notes() if note.title == ui_state["open"]]
        return f"/note/{number}"
    return "/"


class _Page(Protocol):
    def navigate(self, url: str) -> object: ...


def _serve(seat: Seat, world: World) -> None:
    phone = Phone(build(world))
    phone.serve(seat.sandbox.listen())
    if _KEPT not in seat.keep:
        seat.defer(lambda: _phone(seat).close())
    seat.keep[_KEPT] = phone
    address = f"http://127.0.0.1:{phone.server.port}{start(phone.store, world.ui_state)}"
    cast(_Page, seat.screen).navigate(address)


def _phone(seat: Seat) -> Phone:
    phone = seat.keep[_KEPT]
    assert isinstance(phone, Phone)
    return phone
