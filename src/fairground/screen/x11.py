"""A screen drawn by Xvfb: frames from its memory, input through XTEST."""

from __future__ import annotations

import contextlib
import itertools
import math
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

from fairground.core import (
    Action,
    Click,
    Drag,
    Frame,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Node,
    Point,
    ScreenError,
    Scroll,
    Type,
    Wait,
    Window,
)
from fairground.screen import xrequests as x
from fairground.screen.clipboard import SECONDS, Clipping
from fairground.screen.framebuffer import Box, Framebuffer
from fairground.screen.keyboard import Keyboard
from fairground.screen.protocol import Settled
from fairground.screen.settling import POLL, Meter, wait_until_quiet
from fairground.screen.xclipboard import read_selection
from fairground.screen.xwindows import Windows
from fairground.screen.xwire import XConnection

_BUTTONS: Final = {"left": 1, "middle": 2, "right": 3, "back": 8, "forward": 9}
_WHEEL_UP, _WHEEL_DOWN, _WHEEL_LEFT, _WHEEL_RIGHT = 4, 5, 6, 7
_CLICKS_APART: Final = 0.5  # seconds; toolkits treat two clicks at one place within 0.4 to 0.5 s as a double click
_CLICK_RADIUS: Final = 8
_DRAG_STEP: Final = 12  # pixels; more than the distance at which toolkits start a drag
_DRAG_PACE: Final = 0.004
_DRAG_BEATS: Final = 250  # so that the longest path takes a second
_CHORD_SECONDS: Final = 0.5  # timeout for the window manager before keys are released
_MANAGERS_KEYS: Final = frozenset({"alt", "alt_r", "super", "super_r"})
_DROP_SECONDS: Final = 1.0  # timeout for the programs before the button is released
_ACTIVATION_SECONDS: Final = 0.3  # GTK shows a button pressed by a key for 0.25 s before it acts
_TYPING_SECONDS: Final = 30.0
_POINTER: Final = 40  # pixels around its tip that the pointer may cover


class TreeReader(Protocol):
    """Reads the accessibility tree of the screen."""

    def __call__(self, *, depth: int, limit: int) -> Node: ...


class X11Screen:
    """The screen of one Xvfb.

    Two clicks with the same button at the same place are kept far enough apart in time that no program treats them as a
    double click. For a double click, use `count=2`.

    Args:
        connection: The connection to the server; owned from now on.
        framebuffer: The mapped memory of the server; owned from now on.
        cpu_seconds: CPU time used by the programs on the screen, if known.
        at_work: Number of their threads that run, or wait for a CPU or a disk, if known.
        tree_reader: Reads the accessibility tree.
        reach: Opens another connection to the server, for `clipboard`.
    """

    backend = "x11"
    in_memory = True

    def __init__(
        self,
        connection: XConnection,
        framebuffer: Framebuffer,
        *,
        cpu_seconds: Callable[[], float] | None = None,
        at_work: Callable[[], int] | None = None,
        tree_reader: TreeReader | None = None,
        reach: Callable[[], socket.socket] | None = None,
    ) -> None:
        self.size = framebuffer.size
        if connection.size != self.size:
            raise ScreenError(f"the X server has a screen of {connection.size}, but its framebuffer has {self.size}")
        self.tree_reader = tree_reader
        self._reach = reach
        self._connection = connection
        self._framebuffer = framebuffer
        self._meter = Meter(cpu_seconds)
        self._at_work = at_work
        self._opcode = connection.extension("XTEST")
        # so that a program that holds a server grab cannot block us
        connection.send(x.ignore_server_grabs(self._opcode))
        self._windows = Windows(connection)
        self._keyboard = Keyboard(connection, self._opcode, self._typing_taken_in)
        self._held: dict[int, None] = {}
        self._last_click = (-math.inf, 0, 0, 0)
        self._touched = False
        self._activated = -math.inf  # when a key that may press a button was sent
        self._reacted = False
        self._pointer = self._pointer_seen = self.cursor()

    @property
    def alive(self) -> bool:
        """Whether the server still runs."""
        return self._connection.alive

    def has_window_manager(self) -> bool:
        """Whether a window manager runs and answers."""
        return self._windows.has_manager() and not self._windows.taken_in(time.monotonic() + 0.1)

    def grab(self) -> Frame:
        """Return the current picture, including the pointer."""
        self._connection.check()  # the memory outlives a dead server, and would show its last picture forever
        return Frame(self._framebuffer.pixels(), time.monotonic())

    def glance(self) -> tuple[Frame, tuple[int, int]]:
        """Return the picture and the last pointer position. Thread-safe, also while another thread uses the screen."""
        return self.grab(), self._pointer

    def act(self, action: Action) -> None:
        action = action.to_pixels(*self.size)
        self._connection.check()
        match action:
            case Click():
                self._click(action)
            case Move() | MouseDown() | MouseUp() | Scroll():
                self._with_modifiers(action.modifiers, [*self._move(action.point), *self._wheel_or_button(action)])
            case Drag():
                self._drag(action)
            case Key():
                self._key(action)
            case KeyDown():
                self._keyboard.hold(action.key)
            case KeyUp():
                self._keyboard.let_go(action.key)
            case Type():
                self._keyboard.type(action.text)
            case Wait():
                self._pause(action.seconds)
                return
            case _:
                return
        self._touched = True
        self._activated = time.monotonic() if _activates(action) else -math.inf

    def settle(self, timeout: float = 5.0) -> Settled:
        """Wait until programs have handled the input and the picture no longer changes."""
        started = time.monotonic()
        deadline = started + timeout
        self._connection.check()
        self._meter.reset()
        silent = self._windows.taken_in(deadline) if self._touched else ""
        # A change of the pointer that we moved ourselves is not a reaction.
        pointers = _around(self._pointer_seen), _around(self._pointer)
        changed = self._framebuffer.changed(pointers) is not None
        self._pointer_seen = self._pointer
        activated = self._activated + _ACTIVATION_SECONDS
        restless = wait_until_quiet(
            self._framebuffer.changed,
            self._pause,
            self._meter,
            deadline=deadline,
            reacted=changed or self._reacted or self._meter.busy(time.monotonic() - started),
            earliest=activated if activated > started and self._windows.dialog_in_front() else started,
            at_work=self._at_work,
        )
        self._reacted = False
        if not silent and not restless:
            self._keyboard.confirm()
            self._touched = False
        return Settled(not (silent or restless), time.monotonic() - started, silent or restless)

    def wait_change(self, timeout: float) -> bool:
        """Wait until the picture differs from what `settle` or this method saw last. Returns whether it does."""
        deadline = time.monotonic() + timeout
        self._connection.check()
        while self._framebuffer.changed() is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._pause(min(left, POLL))
        self._reacted = True
        return True

    def cursor(self) -> tuple[int, int]:
        pointer = x.pointer(self._connection.ask(x.query_pointer(self._connection.root))[0])
        return pointer.x, pointer.y

    def tree(self, *, depth: int = 64, limit: int = 5_000) -> Node:
        if self.tree_reader is None:
            raise ScreenError("this screen has no accessibility tree", fix="open the desktop with accessibility=True")
        return self.tree_reader(depth=depth, limit=limit)

    def windows(self) -> tuple[Window, ...]:
        """Return the visible windows, topmost last."""
        return self._windows.visible()

    def take_notes(self) -> tuple[str, ...]:
        """Return nothing: a desktop shows everything that happens on it."""
        return ()

    def clipboard(self) -> Clipping:
        """Return what was copied last. Uses a separate connection, so that other users of the screen do not wait."""
        if self._reach is None:
            raise ScreenError("this screen has no access to its clipboard", fix="open it with open_desktop")
        with contextlib.closing(XConnection(self._reach(), timeout=SECONDS)) as connection:
            return read_selection(connection, SECONDS)

    def release(self) -> None:
        self._touched = True
        self._keyboard.release()
        self._connection.send(*(self._button(button, down=False) for button in self._held))
        self._held.clear()
        self._connection.sync()

    def close(self) -> None:
        """Close the connection and release the memory. Calling it twice is allowed."""
        self._connection.close()
        self._framebuffer.close()

    def _click(self, action: Click) -> None:
        button = _BUTTONS[action.button]
        left, top = _whole(action.point) if action.point else self.cursor()
        then, last_left, last_top, last_button = self._last_click
        near = abs(left - last_left) <= _CLICK_RADIUS and abs(top - last_top) <= _CLICK_RADIUS
        if near and button == last_button:
            self._pause(then + _CLICKS_APART - time.monotonic())
        press = [self._button(button, down=True), self._button(button, down=False)]
        self._with_modifiers(action.modifiers, [*self._move(action.point), *press * action.count])
        self._held.pop(button, None)
        self._last_click = (time.monotonic(), left, top, button)

    def _wheel_or_button(self, action: Move | MouseDown | MouseUp | Scroll) -> list[bytes]:
        match action:
            case MouseDown():
                self._held[_BUTTONS[action.button]] = None
                return [self._button(_BUTTONS[action.button], down=True)]
            case MouseUp():
                self._held.pop(_BUTTONS[action.button], None)
                return [self._button(_BUTTONS[action.button], down=False)]
            case Scroll():
                across, down = action.clicks()
                wheel = [_WHEEL_DOWN if down > 0 else _WHEEL_UP] * abs(down)
                wheel += [_WHEEL_RIGHT if across > 0 else _WHEEL_LEFT] * abs(across)
                return [self._button(each, down=state) for each in wheel for state in (True, False)]
        return []

    def _drag(self, action: Drag) -> None:
        button = _BUTTONS[action.button]
        start, *_, end = path = [_whole(point) for point in action.path]
        down, up = self._keyboard.chord(action.modifiers)
        self._connection.send(*down, *self._move(start))
        self._connection.sync()
        steps = [self._move(point)[0] for point in _between(path)]
        beat = math.ceil(len(steps) / _DRAG_BEATS)
        try:
            self._connection.send(self._button(button, down=True))
            for first in range(0, len(steps), beat):
                # Paced like a hand: a program that gets the whole path at once sees only its end.
                self._pause(_DRAG_PACE)
                self._connection.send(*steps[first : first + beat])
            # Programs negotiate what is dragged. Releasing before that is done would drop nothing.
            self._windows.taken_in(time.monotonic() + _DROP_SECONDS)
            self._connection.send(*self._move(end))
            self._windows.taken_in(time.monotonic() + _DROP_SECONDS)
        finally:
            self._connection.send(self._button(button, down=False), *up)
        self._connection.sync()

    def _key(self, action: Key) -> None:
        down, up = self._keyboard.chord(action.keys, repeat=action.repeat)
        self._connection.send(*down)
        if not _MANAGERS_KEYS.isdisjoint(action.keys):
            # It grabs the keyboard when it gets the chord, and must see the keys go up.
            self._windows.manager_taken_in(time.monotonic() + _CHORD_SECONDS)
        if action.seconds:
            self._connection.sync()
            try:
                self._pause(action.seconds)
            finally:
                self._connection.send(*up)
        else:
            self._connection.send(*up)
        self._connection.sync()

    def _with_modifiers(self, modifiers: Sequence[str], requests: list[bytes]) -> None:
        down, up = self._keyboard.chord(modifiers)
        self._connection.send(*down, *requests)
        if modifiers:
            # A window manager may hold back the pointer events, but not the key events, while it handles a click. If
            # the keys were released too early, the click would arrive without them.
            self._windows.taken_in(time.monotonic() + _DROP_SECONDS)
        self._connection.send(*up)
        self._connection.sync()

    def _move(self, point: Point | None) -> list[bytes]:
        if point is None:
            return []
        left, top = self._pointer = _whole(point)
        return [x.fake_input(self._opcode, x.MOTION, 0, left, top)]

    def _button(self, button: int, *, down: bool) -> bytes:
        return x.fake_input(self._opcode, x.BUTTON_PRESS if down else x.BUTTON_RELEASE, button)

    def _pause(self, seconds: float) -> None:
        """Let time pass, and notice if the server dies meanwhile."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._connection.wait_event(left)

    def _typing_taken_in(self) -> bool:
        self._touched = True
        return self.settle(_TYPING_SECONDS).quiet


def _activates(action: Action) -> bool:
    """Whether an input presses the focused button, if a button has the focus."""
    if isinstance(action, Type):
        return action.text.endswith(("\n", "\r"))
    return isinstance(action, Key) and not {"enter", "kp_enter", "space", "alt"}.isdisjoint(action.keys)


def _whole(point: Point) -> tuple[int, int]:
    return int(point[0]), int(point[1])


def _around(point: tuple[int, int]) -> Box:
    return Box(point[0] - _POINTER, point[1] - _POINTER, 2 * _POINTER, 2 * _POINTER)


def _between(path: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The points of a path after its first, with others between those that are far apart."""
    for (left, top), (right, bottom) in itertools.pairwise(path):
        count = max(1, math.ceil(math.hypot(right - left, bottom - top) / _DRAG_STEP))
        for index in range(1, count + 1):
            share = index / count
            yield round(left + (right - left) * share), round(top + (bottom - top) * share)
