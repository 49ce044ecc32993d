"""What is asked of an app's seats: a clean start, the same every time, with nothing left and nobody disturbed.

One is looked at, littered and closed; a second at the same configuration must be as the first was; of two more, with
other data, one is used and the other watched. Further ones show every theme and UI state, and for an app in a page, one
is renewed as a pool would do it.
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
"""Share of the pixels that may differ between two starts: a caret, a clock."""

_REST_SECONDS: Final = 10.0
_FILES_REST_SECONDS: Final = 1.0  # without a new file, and with nothing at work
_LOOKS: Final = 4
_TYPED: Final = "typed next door"
_PANELS: Final = frozenset({"tint2"})
_DIALOGS: Final = frozenset({"dialog", "alertdialog", "alert", "file chooser"})
_NUMBERS: Final = re.compile(r"[0-9a-fA-F]{6,}|\d+|\.[A-Za-z0-9]{6}$")  # of processes, of instants, of temporary files
# A browser's own, which it writes when it likes.
_BROWSERS_OWN: Final = re.compile(r"\.(cache|pki|config/(page-[0-9a-f]+|chromium))(/|$)|\.config$")

_INSTANTS: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*Z?")

ASKS: Final = {
    "first run": "only the app's own window, no dialog, and a picture at rest",
    "reset": "nothing is left of who sat there before: files, recent documents, clipboard, windows",
    "same start": "two seats at one configuration begin with the same state",
    "renewal": "nothing is left either when a page is brought to the next episode",
    "side by side": "what is done on one seat does not touch another",
}

OnPhase = Callable[[str], None]
"""Told what is tried now."""


@dataclass(frozen=True)
class Shown:
    """What a person sees who sits down."""

    frame: Frame
    windows: tuple[str, ...]
    dialogs: tuple[str, ...]
    quiet: bool
    waited_for: str


@dataclass(frozen=True)
class Look:
    """All that is compared of a seat; its files when the look began, and when they had come to rest."""

    shown: Shown
    begun: frozenset[str]
    files: frozenset[str]
    recent: bool
    clipboard: bool | None
    state: State


def check_seats(
    suite: Suite, app: App, *, runner: str | None = None, on_phase: OnPhase = lambda phase: None
) -> list[Item]:
    """The items about an app's seats; opens real ones.

    Raises:
        MissingPrerequisite: When this machine lacks what the app needs: nothing is said of the app then.
    """
    worlds = [world for one in suite.scenarios if one.app == app.name for world in first_worlds(suite, one)]
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
"""What is wrong, else the evidence that nothing is; and the fix."""


def _tried(name: str, check: Callable[[], Found | None]) -> Item:
    """The item of a check; one that finds nothing does not apply."""
    try:
        found = check()
    except MissingPrerequisite:
        raise
    except FairgroundError as error:
        found = [error.message], "", error.fix or "look at it yourself: fairground open"
    except Exception as error:  # an author's own code
        found = [f"{type(error).__name__}: {error}"], "", "an app raises errors of fairground.core, with a fix"
    if found is None:
        told = "each episode has a seat of its own"
        return Item(name=name, asks=ASKS[name], status="not applicable", evidence=told)
    return decided(name, ASKS[name], *found)


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
        fix = "answer first-run questions in the profile that App.configure writes; wait for the rest in App.launch"
        return faults, evidence, fix

    def reset(self) -> Found:
        assert self.first is not None
        with self._open(self.world) as seat:
            self.before.append(seat.before)
            again = look_at(seat)
        share = _share_of_pixels(self.first.shown.frame, again.shown.frame)
        same = f"{counted(len(again.files & self.first.files), 'file')} as before, {share:.2%} of the picture differs"
        return left_over(self.first, again), f"{self.left}; {same}", "keep nothing outside of the seat's sandbox"

    def same_start(self) -> Found:
        if len(self.before) < 2:
            raise AppError("no second seat could be opened")
        one, other = self.before
        apart = _apart(one, other, self.world.app)
        faults = [f"{place} is {_shown(first)}, then {_shown(then)}" for place, (first, then) in apart.items()]
        evidence = f"{counted(len(one.files), 'file')} and {counted(len(one.data), 'answer')} are equal"
        return faults, evidence, "draw what is random from world.seed; name what a clock writes in App.clocks"

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
                faults.append("a seat with foreign files in it was renewed")
        evidence = "page, storage and windows as before; with foreign files in it, it is thrown away"
        return faults, evidence, "App.reset serves the new world anew, at another port"

    def side_by_side(self) -> Found:
        other = self._neighbour()
        with ExitStack() as stack:
            seat, beside = stack.enter_context(self._open(self.world)), stack.enter_context(self._open(other))
            calm, was = _calm(beside), seat.screen.grab()
            _type(seat.screen)
            moved = _share_of_pixels(was, seat.screen.grab())
            leave_files(seat)
            with cluttered(seat):
                after = look_at(beside)
        changed = [f"its {place} changed" for place in _apart(calm.state, after.state, self.world.app)]
        evidence = (
            f"typing changed {moved:.1%} of one picture, and nothing on the seat of {other.configuration.profile}"
        )
        return left_over(calm, after) + changed, evidence, "share nothing between seats: ports, sockets, folders"

    def _open(self, world: World) -> Seat:
        return open_seat(world, runner=self.runner)

    def _other_looks(self) -> list[World]:
        """As many further worlds as show every theme and every UI state once."""
        themes, ui_states = list(self.world.app.themes), list(self.world.app.ui_states)
        pairs = [
            (themes[number % len(themes)], ui_states[number % len(ui_states)])
            for number in range(1, max(len(themes), len(ui_states)))
        ]
        return [self._at(theme=theme, ui_state=ui_state) for theme, ui_state in pairs]

    def _neighbour(self) -> World:
        """The same task with other data, where there is such; else the same."""
        for profile in reversed(list(self.world.app.profiles)):
            other = self._at(profile=profile)
            if other.suite.why_not(other.configuration) is None:
                return other
        return self.world

    def _at(self, **axes: str) -> World:
        return World.of(self.world.suite, self.world.configuration.model_copy(update=axes))


def see(seat: Seat) -> Shown:
    """What a seat shows when it has come to rest."""
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
    """Looks at all of a seat, when also its files have come to rest: programs write some of them a while later."""
    begun, shown = _files(seat), see(seat)
    files, since = _files(seat), time.monotonic()
    deadline = since + _REST_SECONDS
    while time.monotonic() < min(since + _FILES_REST_SECONDS, deadline):
        seat.screen.wait_change(0.1)
        if (now := _files(seat)) != files or seat.sandbox.at_work():
            files, since = now, time.monotonic()
    return Look(shown, begun, files, recent_documents(seat), clipboard_used(seat), seat.capture())


def _calm(seat: Seat) -> Look:
    """Looks at a seat until two looks find the same, or it is clear that they never will."""
    look = look_at(seat)
    for _ in range(_LOOKS):
        last, look = look, look_at(seat)
        if look.files == last.files and not _apart(last.state, look.state, seat.world.app):
            break
    return look


def _litter_and_close(seat: Seat) -> str:
    """Leaves everything that can be left; says in words what it was."""
    _type(seat.screen)
    leave_files(seat)
    with cluttered(seat):
        kept = "storage and cookies"
        if not isinstance(seat.screen, CdpScreen):
            held = "a clipboard" if clipboard_used(seat) else "no clipboard, which could not be set"
            kept = f"{held}, one of {counted(len(seat.screen.windows()), 'window')}"
        seat.close()
    return f"gone are files, recent documents, {kept}"


def _unexpected(look: Shown) -> list[str]:
    """What a person would meet before the app itself."""
    faults = [f"a dialog: {one}" for one in look.dialogs]
    if len(look.windows) != 1:
        faults.append(f"{len(look.windows)} windows: {_quoted(look.windows)}")
    if not look.quiet:
        faults.append(f"the picture is not at rest after {_REST_SECONDS:g} s: {look.waited_for}")
    return faults


def left_over(first: Look, again: Look) -> list[str]:
    """What the second look shows that the first did not, or the other way round.

    What somebody left is there from the beginning. Programs write files of their own for half a minute, on timers, so
    that those at the end of one look are compared with those at the beginning of the other.
    """
    faults = [f"file {path} is new" for path in sorted(again.begun - first.files)]
    faults += [f"file {path} is gone" for path in sorted(first.begun - again.files)]
    if sorted(again.shown.windows) != sorted(first.shown.windows):
        faults.append(f"windows: {list(first.shown.windows)}, then {list(again.shown.windows)}")
    if again.recent:
        faults.append("the recent documents have what was used before")
    if again.clipboard:
        faults.append("the clipboard, or what pages keep, is not empty")
    if (share := _share_of_pixels(first.shown.frame, again.shown.frame)) > NEARLY:
        faults.append(f"{share:.1%} of the picture differs")
    return faults


def _type(screen: Screen) -> None:
    width, height = screen.size
    for action in (Click(point=(width // 2, height // 2)), Type(text=_TYPED)):
        try:
            screen.act(action)
        except InvalidAction:
            continue  # a page without a text field may refuse; what was done is what counts
        screen.settle()


def _apart(one: State, other: State, app: App) -> dict[str, tuple[Any, Any]]:
    """Where two states differ, instants that stand within a text aside."""
    found = differences(one, other, app.clocks)
    return {place: pair for place, pair in found.items() if _timeless(pair[0]) != _timeless(pair[1])}


def _timeless(value: Any) -> Any:
    return _INSTANTS.sub("", value) if isinstance(value, str) else value


def _files(seat: Seat) -> frozenset[str]:
    """The files in the home, with what is random taken out of their names; recent documents are looked into instead."""
    in_page = isinstance(seat.screen, CdpScreen)
    paths = [info.path for info in seat.sandbox.list_files() if info.kind != "folder" and f"~/{info.path}" != RECENT]
    return frozenset(_NUMBERS.sub("#", path) for path in paths if not (in_page and _BROWSERS_OWN.match(path)))


def _share_of_pixels(one: Frame, other: Frame) -> float:
    if one.pixels.shape != other.pixels.shape:
        return 1.0
    return float(np.mean(np.any(one.pixels != other.pixels, axis=2)))


def _quoted(titles: Sequence[str]) -> str:
    return listed([repr(title) for title in titles]) or "none"


def _shown(value: object) -> str:
    return repr(value)[:60]
