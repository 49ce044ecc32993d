"""Checks of an app's seats: a clean and reproducible start, nothing left over, and no effect on other seats.

One seat is inspected, littered and closed; a second at the same configuration must look like the first. Of two more,
with different data, one is used and the other watched. Further seats show every theme and UI state. For an app in a
page, one seat is renewed as a pool would do it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from fairground.core import AppError, Click, FairgroundError, Frame, InvalidAction, MissingPrerequisite, State, Type
from fairground.prove.app_check.item import Item, counted, decided, listed
from fairground.prove.app_check.litter import RECENT, clipboard_used, cluttered, leave_files, recent_documents
from fairground.prove.app_check.tasks import first_worlds
from fairground.prove.sameness import differences
from fairground.screen import CdpScreen, Screen
from fairground.worlds import App, Seat, Suite, World, open_seat, renew

NEARLY: Final = 0.02
"""Maximum share of pixels that may differ between two starts (a caret, a clock)."""

_REST_SECONDS: Final = 10.0
_FILES_REST_SECONDS: Final = 1.0  # without a new file, and with no process at work
_LOOKS: Final = 4
_TYPED: Final = "typed next door"
_PANELS: Final = frozenset({"tint2"})
_DIALOGS: Final = frozenset({"dialog", "alertdialog", "alert", "file chooser"})
_NUMBERS: Final = re.compile(r"[0-9a-fA-F]{6,}|\d+|\.[A-Za-z0-9]{6}$")  # process IDs, timestamps, temporary file names
# Files of the browser itself, written at any time.
_BROWSERS_OWN: Final = re.compile(r"\.(cache|pki|config/(page-[0-9a-f]+|chromium))(/|$)|\.config$")

_INSTANTS: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*Z?")

ASKS: Final = {
    "first run": "only the app's own window, no dialog, and a settled screen",
    "reset": "nothing is left of the previous episode: files, recent documents, clipboard, windows",
    "same start": "two seats at one configuration start in the same state",
    "renewal": "nothing is left when a page is renewed for the next episode",
    "side by side": "actions on one seat do not affect another",
}

OnPhase = Callable[[str], None]
"""Called with the name of the current check."""


@dataclass(frozen=True)
class Shown:
    """What a user sees when the seat opens."""

    frame: Frame
    windows: tuple[str, ...]
    dialogs: tuple[str, ...]
    quiet: bool
    waited_for: str


@dataclass(frozen=True)
class Look:
    """Everything that is compared of a seat. Files are listed at the start of the look, and after they settled."""

    shown: Shown
    begun: frozenset[str]
    files: frozenset[str]
    recent: bool
    clipboard: bool | None
    state: State


def check_seats(
    suite: Suite, app: App, *, runner: str | None = None, on_phase: OnPhase = lambda phase: None
) -> list[Item]:
    """Return the items about an app's seats. Opens real seats.

    Raises:
        MissingPrerequisite: If this machine lacks what the app needs. That says nothing about the app.
    """
    worlds = [
        world for scenario in suite.scenarios if scenario.app == app.name for world in first_worlds(suite, scenario)
    ]
    if not worlds:
        return [
            Item(name=name, asks=asks, status="not applicable", evidence="no scenario") for name, asks in ASKS.items()
        ]
    trying = _Trying(worlds[0], runner)
    checks = (trying.first_run, trying.reset, trying.same_start, trying.renewal, trying.side_by_side)
    items: list[Item] = []
    for name, check in zip(ASKS, checks, strict=True):
        on_phase(name)
        if items and trying.first is None:
            items.append(Item(name=name, asks=ASKS[name], status="not tried", evidence="no seat could be opened"))
        else:
            items.append(_tried(name, check))
    return items


Found = tuple[list[str], str, str]
"""What is wrong, or else the evidence that nothing is; and the fix."""


def _tried(name: str, check: Callable[[], Found | None]) -> Item:
    """Run a check and return its item. A check that returns None does not apply."""
    try:
        result = check()
    except MissingPrerequisite:
        raise
    except FairgroundError as error:
        result = [error.message], "", error.fix or "inspect it with `fairground open`"
    except Exception as error:  # the author's code
        result = (
            [f"{type(error).__name__}: {error}"],
            "raise errors of fairground.core, with a fix",
            "an app raises errors of fairground.core, with a fix",
        )
    if result is None:
        reason = "each episode has its own seat"
        return Item(name=name, asks=ASKS[name], status="not applicable", evidence=reason)
    return decided(name, ASKS[name], *result)


class _Trying:
    """The seats of one app, and what was seen on the first two."""

    def __init__(self, world: World, runner: str | None) -> None:
        self.world, self.runner = world, runner
        self.first: Look | None = None
        self.before: list[State] = []
        self.left = ""

    def first_run(self) -> Found:
        with self._open(self.world) as seat:
            self.before = [seat.before]
            self.first = look_at(seat)
            self.left = _litter_and_close(seat)
        looks = {self.world.id: self.first.shown}
        for world in self._other_looks():
            with self._open(world) as seat:
                looks[world.id] = see(seat)
        faults = [f"{fault} ({name})" for name, look in looks.items() for fault in _unexpected(look)]
        evidence = (
            f"one window, {_quoted(self.first.shown.windows)}; {counted(len(looks), 'look')} at themes and UI states"
        )
        fix = (
            "answer first-run questions in the profile that App.configure writes, and wait for the app to settle "
            "in App.launch"
        )
        return faults, evidence, fix

    def reset(self) -> Found:
        assert self.first is not None
        with self._open(self.world) as seat:
            self.before.append(seat.before)
            again = look_at(seat)
        share = _share_of_pixels(self.first.shown.frame, again.shown.frame)
        same = f"{counted(len(again.files & self.first.files), 'file')} unchanged, {share:.2%} of the screen differs"
        return left_over(self.first, again), f"{self.left}; {same}", "store nothing outside of the seat's sandbox"

    def same_start(self) -> Found:
        if len(self.before) < 2:
            raise AppError("no second seat could be opened")
        first_state, second_state = self.before
        apart = _apart(first_state, second_state, self.world.app)
        faults = [f"{place} is {_shown(first)}, then {_shown(then)}" for place, (first, then) in apart.items()]
        evidence = f"{counted(len(first_state.files), 'file')} and {counted(len(first_state.data), 'answer')} are equal"
        return faults, evidence, "draw random data from world.seed, and list fields written by a clock in App.clocks"

    def renewal(self) -> Found | None:
        assert self.first is not None
        if not self.world.app.screen.renewable or type(self.world.app).reset is App.reset:
            return None
        with self._open(self.world) as seat:
            _type(seat.screen)
            with cluttered(seat):
                renewed = renew(seat, self.world)
            faults = ["the seat could not be renewed"]
            if renewed:
                again = look_at(seat)
                faults = left_over(self.first, again)
            leave_files(seat)
            if renew(seat, self.world):
                faults.append("a seat with foreign files was renewed instead of discarded")
        evidence = "page, storage and windows unchanged; a seat with foreign files is discarded"
        return faults, evidence, "App.reset must serve the new world again, on another port"

    def side_by_side(self) -> Found:
        neighbour = self._neighbour()
        with ExitStack() as stack:
            seat, beside = stack.enter_context(self._open(self.world)), stack.enter_context(self._open(neighbour))
            calm, was = _calm(beside), seat.screen.grab()
            _type(seat.screen)
            moved = _share_of_pixels(was, seat.screen.grab())
            leave_files(seat)
            with cluttered(seat):
                after = look_at(beside)
        changed = [f"its {place} changed" for place in _apart(calm.state, after.state, self.world.app)]
        evidence = (
            f"typing changed {moved:.1%} of one screen, and nothing on the seat of {neighbour.configuration.profile}"
        )
        return left_over(calm, after) + changed, evidence, "share nothing between seats: ports, sockets, folders"

    def _open(self, world: World) -> Seat:
        return open_seat(world, runner=self.runner)

    def _other_looks(self) -> list[World]:
        """Return further worlds that together show every theme and every UI state once."""
        themes, ui_states = list(self.world.app.themes), list(self.world.app.ui_states)
        pairs = [
            (themes[number % len(themes)], ui_states[number % len(ui_states)])
            for number in range(1, max(len(themes), len(ui_states)))
        ]
        return [self._at(theme=theme, ui_state=ui_state) for theme, ui_state in pairs]

    def _neighbour(self) -> World:
        """Return the same task with other data if possible, otherwise the same world."""
        for profile in reversed(list(self.world.app.profiles)):
            candidate = self._at(profile=profile)
            if candidate.suite.why_not(candidate.configuration) is None:
                return candidate
        return self.world

    def _at(self, **axes: str) -> World:
        return World.of(self.world.suite, self.world.configuration.model_copy(update=axes))


def see(seat: Seat) -> Shown:
    """Return what a seat shows once its screen has settled."""
    screen = seat.screen
    settled = screen.settle(_REST_SECONDS)
    nodes = [node for node in screen.tree().walk() if node.role in _DIALOGS]
    return Shown(
        frame=screen.grab(),
        windows=tuple(window.title for window in screen.windows() if window.title not in _PANELS),
        dialogs=tuple(f"{node.role} {node.name!r}" for node in nodes),
        quiet=settled.quiet,
        waited_for=settled.reason,
    )


def look_at(seat: Seat) -> Look:
    """Inspect a seat after its screen and files have settled: programs write some files a while later."""
    begun, shown = _files(seat), see(seat)
    files, since = _files(seat), time.monotonic()
    deadline = since + _REST_SECONDS
    while time.monotonic() < min(since + _FILES_REST_SECONDS, deadline):
        seat.screen.wait_change(0.1)
        if (now := _files(seat)) != files or seat.sandbox.at_work():
            files, since = now, time.monotonic()
    return Look(shown, begun, files, recent_documents(seat), clipboard_used(seat), seat.capture())


def _calm(seat: Seat) -> Look:
    """Inspect a seat until two looks agree, or a limit is reached."""
    look = look_at(seat)
    for _ in range(_LOOKS):
        last, look = look, look_at(seat)
        if look.files == last.files and not _apart(last.state, look.state, seat.world.app):
            break
    return look


def _litter_and_close(seat: Seat) -> str:
    """Leave all kinds of user data on a seat, then close it. Returns a description."""
    _type(seat.screen)
    leave_files(seat)
    with cluttered(seat):
        left = "storage and cookies"
        if not isinstance(seat.screen, CdpScreen):
            held = "a clipboard" if clipboard_used(seat) else "no clipboard (it could not be set)"
            left = f"{held}, one of {counted(len(seat.screen.windows()), 'window')}"
        seat.close()
    return f"removed: files, recent documents, {left}"


def _unexpected(look: Shown) -> list[str]:
    """Return what a user would meet before the app itself."""
    faults = [f"a dialog: {dialog}" for dialog in look.dialogs]
    if len(look.windows) != 1:
        faults.append(f"{len(look.windows)} windows: {_quoted(look.windows)}")
    if not look.quiet:
        faults.append(f"the screen has not settled after {_REST_SECONDS:g} s: {look.waited_for}")
    return faults


def left_over(first: Look, again: Look) -> list[str]:
    """Return differences between two looks that show leftovers.

    Leftovers exist from the beginning. Programs also write their own files on timers for half a minute. So the files at
    the end of one look are compared with those at the beginning of the other.
    """
    faults = [f"file {path} is new" for path in sorted(again.begun - first.files)]
    faults += [f"file {path} is gone" for path in sorted(first.begun - again.files)]
    if sorted(again.shown.windows) != sorted(first.shown.windows):
        faults.append(f"windows: {list(first.shown.windows)}, then {list(again.shown.windows)}")
    if again.recent:
        faults.append("the recent documents list an earlier document")
    if again.clipboard:
        faults.append("the clipboard, or the page's storage, is not empty")
    if (share := _share_of_pixels(first.shown.frame, again.shown.frame)) > NEARLY:
        faults.append(f"{share:.1%} of the screen differs")
    return faults


def _type(screen: Screen) -> None:
    width, height = screen.size
    for action in (Click(point=(width // 2, height // 2)), Type(text=_TYPED)):
        try:
            screen.act(action)
        except InvalidAction:
            continue  # a page without a text field may refuse it; that is fine
        screen.settle()


def _apart(first: State, second: State, app: App) -> dict[str, tuple[Any, Any]]:
    """Return where two states differ, ignoring timestamps within texts."""
    differing = differences(first, second, app.clocks)
    return {place: pair for place, pair in differing.items() if _timeless(pair[0]) != _timeless(pair[1])}


def _timeless(value: Any) -> Any:
    return _INSTANTS.sub("", value) if isinstance(value, str) else value


def _files(seat: Seat) -> frozenset[str]:
    """Return the files in the home folder, with random parts of names removed.

    Recent documents are checked separately.
    """
    in_page = isinstance(seat.screen, CdpScreen)
    paths = [info.path for info in seat.sandbox.list_files() if info.kind != "folder" and f"~/{info.path}" != RECENT]
    return frozenset(_NUMBERS.sub("#", path) for path in paths if not (in_page and _BROWSERS_OWN.match(path)))


def _share_of_pixels(first: Frame, second: Frame) -> float:
    if first.pixels.shape != second.pixels.shape:
        return 1.0
    return float(np.mean(np.any(first.pixels != second.pixels, axis=2)))


def _quoted(titles: Sequence[str]) -> str:
    return listed([repr(title) for title in titles]) or "none"


def _shown(value: object) -> str:
    return repr(value)[:60]
