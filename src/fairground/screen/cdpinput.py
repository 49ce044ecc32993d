"""Input to a browser page: real events that go through the browser, so that pages trust them.

Everything here makes protocol commands; `Hand` sends a list of them in one go and waits for its end.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from fairground.core import Button, Point
from fairground.screen.cdpkeys import PageKey, modifier_bit, page_key, typed_key, with_shift
from fairground.screen.cdppages import Command

WHEEL_CLICK: Final = 120.0  # pixels
_MAX_WHEEL_EVENTS: Final = 50
_BUTTON_BITS: Final[dict[Button, int]] = {"left": 1, "right": 2, "middle": 4, "back": 8, "forward": 16}
_DRAG_STEP: Final = 16.0  # pixels between two moves; pages look at how a pointer moves, not only where it ends
_MAX_DRAG_MOVES: Final = 400
_MAX_INSERT: Final = 2_000  # characters in one command


class Keyboard:
    """Which keys are held, and what pressing one means then."""

    def __init__(self) -> None:
        self._held: dict[str, PageKey] = {}

    @property
    def modifiers(self) -> int:
        """The held modifiers as the protocol counts them."""
        bits = 0
        for name in self._held:
            bits |= modifier_bit(name)
        return bits

    def down(self, name: str) -> Command:
        """Presses a key and keeps it down; again when it is down already, as a held key repeats."""
        repeat = name in self._held
        key = page_key(name)
        self._held[name] = key
        return self._press(key, self.modifiers, repeat)

    def up(self, name: str) -> Command:
        """Lets a key go."""
        key = self._held.pop(name, None) or page_key(name)
        return "Input.dispatchKeyEvent", {"type": "keyUp", **_describe(key), "modifiers": self.modifiers}

    def type(self, text: str) -> Iterator[Command]:
        """Types text: key by key what a US keyboard has, inserted as an input method would what it has not."""
        insert = ""
        for character in text.replace("\r\n", "\n").replace("\r", "\n"):
            key = typed_key(character)
            if key is None and len(insert) < _MAX_INSERT:
                insert += character
                continue
            if insert:
                yield "Input.insertText", {"text": insert}
                insert = ""
            if key is None:
                insert = character
            else:
                yield from self._stroke(key)
        if insert:
            yield "Input.insertText", {"text": insert}

    def release(self) -> list[Command]:
        """Lets every held key go."""
        return [self.up(name) for name in reversed(list(self._held))]

    def _stroke(self, key: PageKey) -> Iterator[Command]:
        shift = key.shifted and not self.modifiers & modifier_bit("shift")
        if shift:
            yield self.down("shift")
        yield self._press(key, self.modifiers, False)
        yield "Input.dispatchKeyEvent", {"type": "keyUp", **_describe(key), "modifiers": self.modifiers}
        if shift:
            yield self.up("shift")

    def _press(self, key: PageKey, modifiers: int, repeat: bool) -> Command:
        if modifiers & modifier_bit("shift"):
            key = with_shift(key)
        # A key that is held with ctrl, alt or super is a command: it writes nothing.
        text = "" if modifiers & ~modifier_bit("shift") else key.text
        event = {"type": "keyDown" if text else "rawKeyDown", **_describe(key), "modifiers": modifiers}
        if text:
            event |= {"text": text, "unmodifiedText": key.text}
        if repeat:
            event["autoRepeat"] = True
        return "Input.dispatchKeyEvent", event


class Pointer:
    """Where the pointer is and which buttons are down; positions are in pixels of the screen."""

    def __init__(self, position: tuple[int, int], keyboard: Keyboard) -> None:
        self.position = position
        self.scale = 1.0
        self._wheeled_at: tuple[int, int] | None = None
        """Pixels of the screen for each unit in which the protocol takes positions."""
        self._keyboard = keyboard
        self._buttons: dict[Button, None] = {}

    @property
    def pressed(self) -> bool:
        """Whether the button that drags is down."""
        return "left" in self._buttons

    def move(self, point: Point | None) -> list[Command]:
        """Moves to a point; without one, tells the page again where the pointer is."""
        if point is not None:
            self.position = (int(point[0]), int(point[1]))
        held = next(iter(self._buttons), "none")
        return [self._mouse("mouseMoved", button=held, buttons=self._bits())]

    def down(self, button: Button, count: int = 1) -> Command:
        """Presses a button and keeps it down."""
        self._buttons[button] = None
        return self._mouse("mousePressed", button=button, buttons=self._bits(), clickCount=count)

    def up(self, button: Button, count: int = 1) -> Command:
        """Lets a button go."""
        self._buttons.pop(button, None)
        return self._mouse("mouseReleased", button=button, buttons=self._bits(), clickCount=count)

    def click(self, button: Button, count: int) -> Iterator[Command]:
        """Presses and releases a button, one to three times."""
        for number in range(1, count + 1):
            yield self.down(button, number)
            yield self.up(button, number)

    def wheel(self, dx: float, dy: float) -> Iterator[Command]:
        """Turns the wheel by pixels, in steps of a click as far as there are not too many."""
        before, self._wheeled_at = self._wheeled_at, self.position
        if before not in (None, self.position):
            # The browser holds on to what it scrolled last, for half a second, also when the pointer is elsewhere.
            # The first turn there only makes it let go: it may as well be one of nothing.
            yield self._mouse("mouseWheel", deltaX=0, deltaY=0, buttons=self._bits())
        steps = min(max(1, math.ceil(max(abs(dx), abs(dy)) / WHEEL_CLICK)), _MAX_WHEEL_EVENTS)
        for _ in range(steps):
            yield self._mouse("mouseWheel", deltaX=dx / steps, deltaY=dy / steps, buttons=self._bits())

    def drag(self, kind: str, data: Mapping[str, Any]) -> Command:
        """Tells the page what is being dragged over it, or dropped."""
        x, y = self._here()
        bits = self._keyboard.modifiers
        return "Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data, "modifiers": bits}

    def release(self) -> list[Command]:
        """Lets every held button go."""
        return [self.up(button) for button in list(self._buttons)]

    def _mouse(self, kind: str, **event: Any) -> Command:
        x, y = self._here()
        return "Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "modifiers": self._keyboard.modifiers, "pointerType": "mouse", **event,
        }  # fmt: skip

    def _here(self) -> Point:
        # Whole numbers, of the page's pixel that the middle of ours lies on: the browser rounds others up and down.
        return math.floor((self.position[0] + 0.5) / self.scale), math.floor((self.position[1] + 0.5) / self.scale)

    def _bits(self) -> int:
        return sum(_BUTTON_BITS[button] for button in self._buttons)


class Finger(Pointer):
    """A finger: what the left button would do is a touch, and between touches there is nothing that moves."""

    def move(self, point: Point | None) -> list[Command]:
        if self._buttons.keys() - {"left"}:
            return super().move(point)
        if point is not None:
            self.position = (int(point[0]), int(point[1]))
        return [self._touch("touchMove")] if self.pressed else []

    def down(self, button: Button, count: int = 1) -> Command:
        if button != "left":
            return super().down(button, count)
        self._buttons[button] = None
        return self._touch("touchStart")

    def up(self, button: Button, count: int = 1) -> Command:
        if button != "left" or not self.pressed:
            return super().up(button, count)
        del self._buttons[button]
        return self._touch("touchEnd")

    def _touch(self, kind: str) -> Command:
        x, y = self._here()
        touches = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        event = {"type": kind, "touchPoints": touches, "modifiers": self._keyboard.modifiers}
        return "Input.dispatchTouchEvent", event


def waypoints(path: Sequence[Point]) -> list[tuple[int, int]]:
    """The points of a path with further ones between them, as a hand would pass them."""
    length = sum(math.dist(one, other) for one, other in itertools.pairwise(path))
    step = max(_DRAG_STEP, length / _MAX_DRAG_MOVES)
    points: list[tuple[int, int]] = []
    for (x0, y0), (x1, y1) in itertools.pairwise(path):
        # At least two moves a leg: the first is where a drag is recognised, the last is where it goes.
        count = max(2, math.ceil(math.dist((x0, y0), (x1, y1)) / step))
        points += [(round(x0 + (x1 - x0) * i / count), round(y0 + (y1 - y0) * i / count)) for i in range(1, count + 1)]
    return points


def _describe(key: PageKey) -> dict[str, Any]:
    event: dict[str, Any] = {"key": key.key, "code": key.code, "windowsVirtualKeyCode": key.number}
    if key.location:
        event["location"] = key.location
        event["isKeypad"] = key.location == 3
    return event


def batches(commands: Iterable[Command], size: int = 200) -> Iterator[list[Command]]:
    """Commands in groups: enough at once to be fast, few enough that a slow page is not buried."""
    group: list[Command] = []
    for command in commands:
        group.append(command)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group
