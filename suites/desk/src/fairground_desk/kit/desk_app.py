"""What every app of the desk has in common: its desktop, what is recorded of it, and what was only on its screen."""

from __future__ import annotations

import inspect
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fairground.core import AppError, FairgroundError, Pixels, State, Window
from fairground.screen import DesktopStyle
from fairground.worlds import App, Command, Seat, World
from fairground_desk.kit.recording import Recorded, record_files, record_folders
from fairground_desk.kit.themes import THEMES
from fairground_desk.kit.waiting import wait

READY_SECONDS = 90.0

_FOUND = "settings that the program found"


class DeskApp(App):
    """An unmodified program on a desktop.

    Its folder has `app.py`, `inspector.py`, `profiles/` or a module of that name, `scenarios/`, and `README.md`.

    Attributes:
        folders: Recorded whole, before and after: everything in which the user keeps files.
        settings: Files that are recorded where they are there: preferences, history, recent documents.
        launchers: Desktop entries on the panel.
    """

    themes: ClassVar[Mapping[str, Mapping[str, Any]]] = THEMES
    folders: ClassVar[tuple[str, ...]] = ("~/Documents",)
    settings: ClassVar[tuple[str, ...]] = ()
    launchers: ClassVar[tuple[str, ...]] = ()

    def source_files(self) -> Sequence[Path]:
        """The app and what it is built on, without scenarios, inspector and documents."""
        others = ("fairground", "builtins", "abc")
        ours = (base for base in type(self).__mro__ if base.__module__.partition(".")[0] not in others)
        return _source_files(tuple(dict.fromkeys(Path(inspect.getfile(base)).parent for base in ours)))

    def desktop(self, world: World) -> DesktopStyle:
        return DesktopStyle(**world.theme, launchers=self.launchers)

    def start(self, seat: Seat, argv: Sequence[str]) -> None:
        self.note_settings(seat)
        seat.start(argv)

    def note_settings(self, seat: Seat) -> None:
        """Reads the settings that the program will find: these are the ones recorded of the start.

        It writes notes of its own into them a moment later (recent documents, the language that it chose), and whether
        those are there when a person could begin is chance.
        """
        seat.keep[_FOUND] = found = Recorded()
        record_files(seat.sandbox, self.settings, found)

    def live(self, seat: Seat) -> Mapping[str, Any]:
        """What the running program says of itself and has not written anywhere; asked when an attempt ends.

        What it raises is recorded in its place, so that a dead or hung program is never taken for an answer.
        """
        return {}

    def command(self, seat: Seat, command: Command) -> None:
        """Waits for a window or for rest; see `waiting`. Apps add what their own automation can do."""
        wait(seat, command)

    def save(self, seat: Seat) -> None:
        """Asks the program what it has not saved, while it still runs. Nothing is saved for the agent."""
        seat.keep["live"] = self._ask(seat)

    def capture(self, seat: Seat, world: World) -> State:
        """The folders and settings, and what the program said last."""
        found = record_folders(seat.sandbox, self.folders)
        named = (path.format_map(world.parameters) for path in (*self.recorded, *world.scenario.recorded))
        if not seat.before.data and (begun := seat.keep.pop(_FOUND, None)) is not None:
            found.files |= begun.files
            found.missing |= begun.missing
        else:
            record_files(seat.sandbox, self.settings, found)
        record_files(seat.sandbox, named, found)
        data: dict[str, Any] = {"files": found.listing}
        live = seat.keep.pop("live", None)
        if live is None and seat.before.data and not seat.sandbox.frozen:  # somebody looks while it is used
            live = self._ask(seat)
        if live is not None:
            data["live"] = live
        return State(files=found.files, data=data, missing=found.missing)

    def _ask(self, seat: Seat) -> dict[str, Any]:
        try:
            return dict(self.live(seat))
        except FairgroundError as error:
            return {"error": error.message}

    @abstractmethod
    def launch(self, seat: Seat) -> None:
        """Starts the program and returns when a person could begin to work."""


def wait_drawn(seat: Seat, title: str, drawn: Callable[[Pixels, Window], bool] | None = None) -> Window:
    """Waits until a window is there and shows something, whatever "something" is for the app.

    Args:
        seat: Where the program was started.
        title: A pattern of the window's title.
        drawn: Whether the screen shows what it should; many colours unless given.
    """
    shows = drawn or has_content
    deadline = time.monotonic() + READY_SECONDS
    window = seat.wait_window(title, timeout=READY_SECONDS)
    while not shows(seat.screen.grab().pixels, window):
        seat.check()
        left = deadline - time.monotonic()
        if left <= 0:
            raise AppError(f"{seat.world.app.name} opened a window but drew nothing into it in {READY_SECONDS:g} s")
        if seat.screen.wait_change(min(left, 0.25)):
            seat.screen.settle(timeout=left)
        window = next((one for one in seat.screen.windows() if one.title == window.title), window)
    return window


def has_content(pixels: Pixels, window: Window, *, shades: int = 60) -> bool:
    """Whether a window shows more than an empty ground: icons and smoothed letters have dozens of shades."""
    left, top, width, height = window.bounds
    inside = pixels[max(top, 0) : top + height : 2, max(left, 0) : left + width : 2].astype(np.uint32)
    return len(np.unique(inside[..., 0] << 16 | inside[..., 1] << 8 | inside[..., 2])) > shades


@cache
def _source_files(folders: tuple[Path, ...]) -> tuple[Path, ...]:
    files = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            reads_only = inside.parts[0] in ("scenarios", "README.md") or inside.name.startswith("inspector")
            if path.is_file() and "__pycache__" not in inside.parts and not reads_only:
                files.append(path)
    return tuple(files)
