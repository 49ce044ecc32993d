"""Screenshots of apps with every profile, theme and UI state, made once in the background, one seat at a time.

If a suite ships the screenshot used in lists, that one is used.
"""

from __future__ import annotations

import io
import logging
import threading
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fastapi import Request
from PIL import Image

from fairground.core import Configuration, FairgroundError, Frame, fingerprint
from fairground.report.looks import axis_configurations, face_of, first_frames
from fairground.rollout.disk import replace_with, writing
from fairground.web.trouble import unplaced
from fairground.web.visit import site_of
from fairground.worlds import App, Suite

AXES: Final = ("profile", "theme", "ui_state")
"""Axes with screenshots: all but the instances, which are not visible."""

_QUALITY: Final = 82
_FORMAT: Final = 1  # version of the folder; increase it to make all screenshots again
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Looks:
    """Progress of an app's screenshots.

    Attributes:
        ready: Axis and value of each finished screenshot.
        making: Whether more are being made.
        fault: Why making them failed.
        fix: How to fix that on the server.
    """

    ready: tuple[tuple[str, str], ...]
    making: bool
    fault: str
    fix: str = ""

    def said(self, *, commands: bool) -> str:
        """Return the fault as text. The fix is included only for people who can run commands on the server."""
        return f"{self.fault} ({self.fix})" if self.fix and commands else self.fault


class LookBook:
    """Makes and stores screenshots of apps.

    Args:
        folder: Where they are stored. It can be deleted at any time.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._wanted: list[_Wanted] = []  # the first one is in progress
        self._faults: dict[tuple[str, str], tuple[str, str]] = {}  # fault and fix
        self._places: dict[tuple[str, str], Path] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def looks(self, suite: Suite, app: App) -> Looks:
        """Return the current progress for an app."""
        key = (suite.name, app.name)
        with self._lock:
            making = any(wanted.key == key for wanted in self._wanted)
            fault = self._faults.get(key, ("", ""))
        every = [(axis, value) for axis in AXES for value in _values(app, axis)]
        return Looks(tuple(look for look in every if self._find(suite, app, *look) is not None), making, *fault)

    def ask(self, suite: Suite, app: App, *, face: bool = False) -> None:
        """Request the missing screenshots of an app, after earlier requests.

        Args:
            suite: The app's suite.
            app: The app.
            face: Only the screenshot used in lists. It is fast, so it has priority.
        """
        wanted = _Wanted(suite, app, face)
        with self._lock:
            if self._closed or any((entry.key, entry.face) == (wanted.key, face) for entry in self._wanted):
                return
            self._faults.pop(wanted.key, None)
            place = 1 + sum(wanted.face for wanted in self._wanted[1:]) if face else len(self._wanted)
            self._wanted.insert(place, wanted)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="fairground-looks", daemon=True)
                self._thread.start()

    def picture(self, suite: Suite, app: App, axis: str, value: str) -> bytes | None:
        """Return a screenshot as WebP, or None if it is unknown or not ready."""
        if axis not in AXES or value not in _values(app, axis):
            return None
        path = self._find(suite, app, axis, value)
        return path.read_bytes() if path is not None else None

    def close(self) -> None:
        """Stop making screenshots and wait until the seat is closed."""
        with self._lock:
            self._closed = True
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._closed or not self._wanted:
                    self._thread = None
                    return
                wanted = self._wanted[0]
            fault = fix = ""
            try:
                self._make(wanted)
            except FairgroundError as error:
                fault, fix = error.message, error.fix or ""
            except Exception as error:  # a fault in a third-party app must not stop this thread
                fault = f"{type(error).__name__}: {error}"
            with self._lock:
                self._wanted.pop(0)
                if fault:
                    _log.error("no screenshots of %s/%s: %s (%s)", *wanted.key, fault, fix)
                    self._faults[wanted.key] = unplaced(fault)[:500], unplaced(fix)[:500]

    def _make(self, wanted: _Wanted) -> None:
        suite, app = wanted.suite, wanted.app
        place = self._place(suite, app)
        with writing(place):
            place.mkdir(parents=True, exist_ok=True)
        missing: dict[Configuration, list[Path]] = {}
        for (axis, value), configuration in axis_configurations(suite, app).items():
            if wanted.face and (axis, value) != face_of(app):
                continue
            if not (file := _file(place, axis, value)).is_file():
                missing.setdefault(configuration, []).append(file)
        with closing(first_frames(suite, missing)) as frames:
            for files, frame in zip(missing.values(), frames, strict=True):
                picture = _webp(frame)
                for file in files:
                    with writing(file):
                        replace_with(file, picture, durable=False)
                if self._closed:
                    return

    def _find(self, suite: Suite, app: App, axis: str, value: str) -> Path | None:
        """Return the file of a screenshot: made here, or shipped with the suite."""
        own = _file(self._place(suite, app), axis, value)
        shipped = suite.pictures / f"{app.name}.webp" if suite.pictures and (axis, value) == face_of(app) else own
        return next((path for path in (own, shipped) if path.is_file()), None)

    def _place(self, suite: Suite, app: App) -> Path:
        """Return the folder of an app's screenshots. A changed app has a new folder, so they are made again."""
        key = (suite.name, app.name)
        if key not in self._places:
            mark = fingerprint([_FORMAT, suite.version, app.sources()])
            self._places[key] = self._folder / suite.name / app.name / mark
        return self._places[key]


@dataclass(frozen=True, eq=False)
class _Wanted:
    suite: Suite
    app: App
    face: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.suite.name, self.app.name


def book_of(request: Request) -> LookBook:
    """Return the site's look book."""
    site, state = site_of(request), request.app.state
    with _LOCK:
        if not hasattr(state, "look_book"):
            state.look_book = LookBook(site.home / "looks")
            site.closing.append(state.look_book.close)
    book: LookBook = state.look_book
    return book


_LOCK = threading.Lock()


def _values(app: App, axis: str) -> list[str]:
    return list({"profile": app.profiles, "theme": app.themes, "ui_state": app.ui_states}[axis])


def _file(place: Path, axis: str, value: str) -> Path:
    return place / f"{axis}-{value}.webp"


def _webp(frame: Frame) -> bytes:
    out = io.BytesIO()
    Image.fromarray(frame.pixels).save(out, "WEBP", quality=_QUALITY)
    return out.getvalue()
