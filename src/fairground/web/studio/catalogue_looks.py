"""How apps look: pictures of every profile, theme and UI state, made once, one seat at a time, in the background.

The picture that stands for an app in lists comes with its suite, where the suite ships one.
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
"""What is shown of an app: all axes but the instances, which cannot be seen."""

_QUALITY: Final = 82
_FORMAT: Final = 1  # of the folder; raised when pictures have to be made anew
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Looks:
    """How far the pictures of an app are.

    Attributes:
        ready: Axis and value of those that can be shown.
        making: Whether more will come by themselves.
        fault: Why they will not, where that was tried.
        fix: What can be done about it on the server.
    """

    ready: tuple[tuple[str, str], ...]
    making: bool
    fault: str
    fix: str = ""

    def said(self, *, commands: bool) -> str:
        """The fault in words; how to fix it only for those who can run commands on the server."""
        return f"{self.fault} ({self.fix})" if self.fix and commands else self.fault


class LookBook:
    """Makes pictures of apps and keeps them.

    Args:
        folder: Where they are kept. May be thrown away at any time.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._wanted: list[_Wanted] = []  # the first of them is being made
        self._faults: dict[tuple[str, str], tuple[str, str]] = {}  # what is wrong, and how to fix it
        self._places: dict[tuple[str, str], Path] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def looks(self, suite: Suite, app: App) -> Looks:
        """What there is by now."""
        key = (suite.name, app.name)
        with self._lock:
            making = any(one.key == key for one in self._wanted)
            fault = self._faults.get(key, ("", ""))
        every = [(axis, value) for axis in AXES for value in _values(app, axis)]
        return Looks(tuple(one for one in every if self._find(suite, app, *one) is not None), making, *fault)

    def ask(self, suite: Suite, app: App, *, face: bool = False) -> None:
        """Has the missing pictures of an app made, after those that were asked for before.

        Args:
            suite: Where it is from.
            app: Which.
            face: Only the one that stands for it in lists. It is quickly made, and so before all others.
        """
        wanted = _Wanted(suite, app, face)
        with self._lock:
            if self._closed or any((one.key, one.face) == (wanted.key, face) for one in self._wanted):
                return
            self._faults.pop(wanted.key, None)
            place = 1 + sum(one.face for one in self._wanted[1:]) if face else len(self._wanted)
            self._wanted.insert(place, wanted)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="fairground-looks", daemon=True)
                self._thread.start()

    def picture(self, suite: Suite, app: App, axis: str, value: str) -> bytes | None:
        """A picture as WebP; None for what is no value of an axis of the app, and for what is not made yet."""
        if axis not in AXES or value not in _values(app, axis):
            return None
        found = self._find(suite, app, axis, value)
        return found.read_bytes() if found is not None else None

    def close(self) -> None:
        """Makes no more; returns when the seat is closed."""
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
            except Exception as error:  # somebody else's app, and no reason for ours to stop
                fault = f"{type(error).__name__}: {error}"
            with self._lock:
                self._wanted.pop(0)
                if fault:
                    _log.error("no pictures of %s/%s: %s (%s)", *wanted.key, fault, fix)
                    self._faults[wanted.key] = unplaced(fault)[:500], unplaced(fix)[:500]

    def _make(self, wanted: _Wanted) -> None:
        suite, app = wanted.suite, wanted.app
        place = self._place(suite, app)
        with writing(place):
            place.mkdir(parents=True, exist_ok=True)
        missing: dict[Configuration, list[Path]] = {}
        for (axis, value), one in axis_configurations(suite, app).items():
            if wanted.face and (axis, value) != face_of(app):
                continue
            if not (file := _file(place, axis, value)).is_file():
                missing.setdefault(one, []).append(file)
        with closing(first_frames(suite, missing)) as frames:
            for files, frame in zip(missing.values(), frames, strict=True):
                picture = _webp(frame)
                for file in files:
                    with writing(file):
                        replace_with(file, picture, durable=False)
                if self._closed:
                    return

    def _find(self, suite: Suite, app: App, axis: str, value: str) -> Path | None:
        """The file of a picture: one that was made here, or the one that the suite ships."""
        made = _file(self._place(suite, app), axis, value)
        shipped = suite.pictures / f"{app.name}.webp" if suite.pictures and (axis, value) == face_of(app) else made
        return next((one for one in (made, shipped) if one.is_file()), None)

    def _place(self, suite: Suite, app: App) -> Path:
        """Pictures of an app that was changed lie elsewhere, and so are made anew."""
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
    """The site's own."""
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
