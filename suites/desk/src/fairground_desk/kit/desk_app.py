"""Base class of the desk's apps: the desktop, what is recorded, and the live state of the program."""

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
        folders: Folders recorded completely, before and after: all places where the user keeps files.
        settings: Files recorded if they exist: preferences, history, recent documents.
        launchers: Desktop entries on the panel.
    """

    themes: ClassVar[Mapping[str, Mapping[str, Any]]] = THEMES
    folders: ClassVar[tuple[str, ...]] = ("~/Documents",)
    settings: ClassVar[tuple[str, ...]] = ()
    launchers: ClassVar[tuple[str, ...]] = ()

    def source_files(self) -> Sequence[Path]:
        """Return the sources of the app and its base classes, without scenarios, inspector and documents."""
        others = ("fairground", "builtins", "abc")
        ours = (base for base in type(self).__mro__ if base.__module__.partition(".")[0] not in others)
        return _source_files(tuple(dict.fromkeys(Path(inspect.getfile(base)).parent for base in ours)))

    def desktop(self, world: World) -> DesktopStyle:
        return DesktopStyle(**world.theme, launchers=self.launchers)

    def start(self, seat: Seat, argv: Sequence[str]) -> None:
        self.note_settings(seat)
        seat.start(argv)

    def note_settings(self, seat: Seat) -> None:
        """Read the settings before the program starts. They are the recorded settings of the initial state.

        The program writes to them shortly after its start (recent documents, the chosen language). Whether it has done
        so when the episode begins is chance.
        """
        seat.keep[_FOUND] = settings = Recorded()
        record_files(seat.sandbox, self.settings, settings)

    def live(self, seat: Seat) -> Mapping[str, Any]:
        """Return state that only the running program knows and has not written to disk. Called when an episode ends.

        An exception is recorded in its place, so that a dead or hung program never counts as an answer.
        """
        return {}

    def command(self, seat: Seat, command: Command) -> None:
        """Wait for a window or a still screen; see `waiting`. Apps add commands of their own."""
        wait(seat, command)

    def save(self, seat: Seat) -> None:
        """Record the unsaved state while the program still runs. Nothing is saved for the agent."""
        seat.keep["live"] = self._ask(seat)

    def capture(self, seat: Seat, world: World) -> State:
        """Record the folders, the settings, and the last live state."""
        recorded = record_folders(seat.sandbox, self.folders)
        named = (path.format_map(world.parameters) for path in (*self.recorded, *world.scenario.recorded))
        if not seat.before.data and (begun := seat.keep.pop(_FOUND, None)) is not None:
            recorded.files |= begun.files
            recorded.missing |= begun.missing
        else:
            record_files(seat.sandbox, self.settings, recorded)
        record_files(seat.sandbox, named, recorded)
        data: dict[str, Any] = {"files": recorded.listing}
        live = seat.keep.pop("live", None)
        if live is None and seat.before.data and not seat.sandbox.frozen:  # inspected while in use
            live = self._ask(seat)
        if live is not None:
            data["live"] = live
        return State(files=recorded.files, data=data, missing=recorded.missing)

    def _ask(self, seat: Seat) -> dict[str, Any]:
        try:
            return dict(self.live(seat))
        except FairgroundError as error:
            return {"error": error.message}

    @abstractmethod
    def launch(self, seat: Seat) -> None:
        """Start the program, and return when a user could begin to work."""


def wait_drawn(seat: Seat, title: str, drawn: Callable[[Pixels, Window], bool] | None = None) -> Window:
    """Wait until a window exists and shows content.

    Args:
        seat: Seat in which the program was started.
        title: Pattern of the window's title.
        drawn: Whether the screen shows the expected content; by default, whether it has many colours.
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
        window = next((candidate for candidate in seat.screen.windows() if candidate.title == window.title), window)
    return window


def has_content(pixels: Pixels, window: Window, *, shades: int = 60) -> bool:
    """Whether a window is not blank: icons and anti-aliased text have dozens of shades."""
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
