"""Seats with one program in them, and viewers without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from fairground.core import Action, Type
from fairground.sandbox import LayerStore
from fairground.worlds import Seat, open_seat, resolve
from tests.note_world import write_note_world
from tests.waiting import eventually

SECONDS = 60.0
RECORDER = ("x11-utils", "Event Tester", "xev", "-event", "button", "-geometry", "1200x650+20+20")
"""A program that writes down which button events it gets, and shows nothing else."""


@dataclass(frozen=True)
class Button:
    """A button event as a program in the seat got it."""

    kind: str
    point: tuple[int, int]
    state: int
    button: int


@contextmanager
def opened(folder: Path, package: str, window: str, *launch: str, **options: Any) -> Iterator[Seat]:
    """A seat with one program in it; its world lies in the folder, and its cache beside that."""
    world = write_note_world(folder, package, window, *launch, **options)
    with open_seat(resolve(str(world)), store=LayerStore(folder.parent / "cache")) as seat:
        yield seat


def buttons(seat: Seat) -> list[Button]:
    """Every button event that `RECORDER` got in this seat."""
    pattern = r"(Button\w+) event.*?root:\((\d+),(\d+)\),\s+state 0x(\w+), button (\d+)"
    found = re.findall(pattern, seat.logs["program-1"], re.DOTALL)
    return [Button(kind, (int(x), int(y)), int(state, 16), int(button)) for kind, x, y, state, button in found]


def next_buttons(seat: Seat, count: int, after: int) -> list[Button]:
    """Waits for so many button events after the first ones."""
    found: list[Button] = eventually(lambda: found if len(found := buttons(seat)[after:]) >= count else None)
    return found


@contextmanager
def socket_of(url: str, path: str, cookie: str | None, origin: str | None = "own") -> Iterator[ClientConnection]:
    """A WebSocket of somebody who may say anything about where it comes from."""
    place = urlsplit(url)
    said = f"http://{place.netloc}" if origin == "own" else origin
    with connect(
        f"ws://{place.netloc}{path}",
        origin=Origin(said) if said is not None else None,
        additional_headers={"Cookie": cookie} if cookie else {},
        open_timeout=SECONDS,
        max_size=None,
        proxy=None,
    ) as connection:
        yield connection


def news(connection: ClientConnection, *kinds: str) -> dict[str, Any]:
    """The next message of one of these kinds; pictures and others come in between."""
    while True:
        message = connection.recv(SECONDS)
        if isinstance(message, str) and (found := json.loads(message))["type"] in kinds:
            return dict(found)


def act(connection: ClientConnection, **action: Any) -> dict[str, Any]:
    """Does something as a page would, and returns the answer."""
    connection.send(json.dumps({"type": "act", "id": 7, "action": action}))
    return news(connection, "done", "refused")


def text_of(actions: Sequence[Action]) -> str:
    """What somebody typed; they are several actions where the machine was busy between two letters."""
    assert actions and all(isinstance(one, Type) for one in actions), actions
    return "".join(one.text for one in actions if isinstance(one, Type))
