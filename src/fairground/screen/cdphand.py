"""Performs actions on the visible page."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from typing import Final

from fairground.core import Action, Button, Click, Drag, Key, KeyDown, KeyUp, MouseDown, MouseUp, Move, Scroll, Type
from fairground.screen.cdpinput import WHEEL_CLICK, Finger, Keyboard, Pointer, batches, waypoints
from fairground.screen.cdppages import Command, Page
from fairground.screen.cdppipe import Gone
from fairground.screen.cdpview import View
from fairground.screen.cdpwire import NoAnswer, ProtocolError, Reply
from fairground.screen.cdpworld import Stale

_SECONDS: Final = 10.0  # timeout for a page to handle an input, before its script is stopped
_DRAG_SECONDS: Final = 1.0  # timeout for the browser to report what a page drags
_HISTORY: Final[dict[frozenset[str], int]] = {
    frozenset({"back"}): -1,
    frozenset({"alt", "left"}): -1,
    frozenset({"forward"}): 1,
    frozenset({"alt", "right"}): 1,
}
_RELOAD: Final = (
    frozenset({"refresh"}), frozenset({"f5"}), frozenset({"ctrl", "r"}), frozenset({"ctrl", "f5"}),
    frozenset({"ctrl", "shift", "r"}),
)  # fmt: skip


class Hand:
    """Keyboard and pointer of a screen.

    Args:
        view: The visible page.
        size: Size of the screen.
        scale: Pixels of the screen per pixel of a page that is not zoomed.
        zoomable: Whether pages may be zoomed.
        touch: Use touch events instead of the left mouse button.
    """

    def __init__(self, view: View, size: tuple[int, int], scale: float, *, zoomable: bool, touch: bool) -> None:
        self.zoom: float | None = None if zoomable else 1.0
        """Zoom factor of the page, if known. Phones shrink a page that is too wide for them."""
        self._zoomable = zoomable
        self._view = view
        self._scale = scale
        self._keyboard = Keyboard()
        self._pointer = (Finger if touch else Pointer)((size[0] // 2, size[1] // 2), self._keyboard)

    @property
    def position(self) -> tuple[int, int]:
        """The pointer position."""
        return self._pointer.position

    @property
    def modifiers(self) -> int:
        """The held modifiers, as a bit mask of the protocol."""
        return self._keyboard.modifiers

    def act(self, action: Action) -> None:
        """Perform an action in screen pixels. Kinds that are not input do nothing."""
        match action:
            case Click() | Move() | MouseDown() | MouseUp() | Scroll():
                self._with_modifiers(action.modifiers, lambda: self._touch(action))
            case Drag():
                self._with_modifiers(action.modifiers, lambda: self._drag(action))
            case Key():
                self._key(action)
            case KeyDown():
                self._perform([self._keyboard.down(action.key)])
            case KeyUp():
                self._perform([self._keyboard.up(action.key)])
            case Type():
                self._perform(self._keyboard.type(action.text))
            case _:
                pass

    def release(self) -> None:
        """Release every held key and button."""
        self._perform([*self._pointer.release(), *self._keyboard.release()])

    def _perform(self, commands: Iterable[Command]) -> None:
        for group in batches(commands):
            page = self._view.page(time.monotonic() + _SECONDS)
            replies = self._view.wire.send_all(group, session=page.session)
            try:
                self._view.wait(page, replies, _SECONDS)
            except NoAnswer:
                self._stop_script(page, replies)
            except Stale:
                continue  # it opened a dialog, which gets the remaining input
            finally:
                if self._zoomable:
                    self.zoom = None
            for reply in replies:
                with contextlib.suppress(Gone):  # it closed its own page, as requested
                    self._view.wire.result(reply)

    def _stop_script(self, page: Page, replies: list[Reply]) -> None:
        self._view.wire.post("Runtime.terminateExecution", session=page.session)
        if not self._view.wire.wait(lambda: all(reply.done for reply in replies), _SECONDS):
            raise NoAnswer(f"the page handled no input for {2 * _SECONDS:g} s, and its script could not be stopped")
        self._view.pages.note(f"a script of the page was stopped: it handled no input for {_SECONDS:g} s")

    def _with_modifiers(self, names: tuple[str, ...], perform: Callable[[], None]) -> None:
        self._pointer.scale = self._scale * self._known_zoom()
        self._perform([self._keyboard.down(name) for name in names])
        try:
            perform()
        finally:
            self._perform([self._keyboard.up(name) for name in reversed(names)])

    def _known_zoom(self) -> float:
        if self.zoom is None:
            deadline = time.monotonic() + _SECONDS
            try:
                self.zoom = float(self._view.ask(self._view.page(deadline), "state()", deadline)["zoom"])
            except (Stale, NoAnswer, ProtocolError):
                return 1.0  # between two documents, or behind a dialog: there is nothing to aim at
        return self.zoom

    def _touch(self, action: Click | Move | MouseDown | MouseUp | Scroll) -> None:
        pointer = self._pointer
        commands = pointer.move(action.point)
        match action:
            case Click():
                commands += pointer.click(action.button, action.count)
            case MouseDown():
                commands.append(pointer.down(action.button))
            case MouseUp():
                self._move_dragged(commands)
                self._drop(action.button)
                return
            case Scroll():
                per = WHEEL_CLICK if action.unit == "clicks" else 1.0 / self._scale
                commands += pointer.wheel(action.dx * per, action.dy * per)
            case _:
                self._move_dragged(commands)
                return
        self._perform(commands)

    def _drag(self, action: Drag) -> None:
        pointer = self._pointer
        self._perform([*pointer.move(action.path[0]), pointer.down(action.button)])
        for point in waypoints(action.path):
            self._move_dragged(pointer.move(point))
        self._drop(action.button)

    def _move_dragged(self, commands: list[Command]) -> None:
        """Move the pointer. Once a page starts dragging data, the data is moved instead."""
        page = self._view.pages.shown
        if page is not None and page.drag is not None:
            self._perform([self._pointer.drag("dragOver", page.drag)])
            return
        self._perform(commands)
        if page is None or not self._pointer.pressed or isinstance(self._pointer, Finger):
            return
        with contextlib.suppress(Stale, ProtocolError, NoAnswer):
            if self._view.ask(page, "dragged()", time.monotonic() + _DRAG_SECONDS)["dragged"]:
                self._view.wire.wait(lambda: page.drag is not None, _DRAG_SECONDS)
        if page.drag is not None:
            self._perform([self._pointer.drag("dragEnter", page.drag), self._pointer.drag("dragOver", page.drag)])

    def _drop(self, button: Button) -> None:
        page = self._view.pages.shown
        if page is not None and page.drag is not None and button == "left":
            data, page.drag = page.drag, None
            self._perform([self._pointer.drag("dragOver", data), self._pointer.drag("drop", data)])
        self._perform([self._pointer.up(button)])

    def _key(self, action: Key) -> None:
        for number in range(action.repeat):
            self._perform([self._keyboard.down(name) for name in action.keys])
            if number == 0 and action.seconds:
                self._view.wire.wait(lambda: False, action.seconds)
            self._perform([self._keyboard.up(name) for name in reversed(action.keys)])
            self._browser_key(frozenset(action.keys))

    def _browser_key(self, keys: frozenset[str]) -> None:
        """Do what the browser itself would do on a key, because our events reach only the page."""
        page = self._view.pages.shown
        if page is None or page.crashed:
            return
        if keys in _RELOAD:
            self._view.call(page, "Page.reload", {}, _SECONDS)
        elif (step := _HISTORY.get(keys)) is not None:
            history = self._view.call(page, "Page.getNavigationHistory", {}, _SECONDS)
            index = history["currentIndex"] + step
            if 0 <= index < len(history["entries"]):
                entry = {"entryId": history["entries"][index]["id"]}
                self._view.call(page, "Page.navigateToHistoryEntry", entry, _SECONDS)
