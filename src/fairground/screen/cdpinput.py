"""Input for a browser page: real events that go through the browser, so that pages trust them.

Everything here creates protocol commands. `Hand` sends them in batches and waits for the replies.
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
_DRAG_STEP: Final = 16.0  # pixels between two moves, because pages watch the path of a pointer, not only its end
_MAX_DRAG_MOVES: Final = 400
_MAX_INSERT: Final = 2_000  # maximum characters per command


class Keyboard:
    """The held keys, and what pressing a key means then."""

    def __init__(self) -> None:
        self._held: dict[str, PageKey] = {}

    @property
    def modifiers(self) -> int:
        """The held modifiers, as a bit mask of the protocol."""
        bits = 0
        for name in self._held:
            bits |= modifier_bit(name)
        return bits

    def down(self, name: str) -> Command:
        """Press a key and keep it down. If it is down already, this is a key repeat."""
        repeat = name in self._held
        key = page_key(name)
        self._held[name] = key
        return self._press(key, self.modifiers, repeat)

    def up(self, name: str) -> Command:
        """Release a key."""
        key = self._held.pop(name, None) or page_key(name)
        return "Input.dispatchKeyEvent", {"type": "keyUp", **_describe(key), "modifiers": self.modifiers}

    def type(self, text: str) -> Iterator[Command]:
        """Type text: characters on a US keyboard key by key, others inserted like by an input method."""
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
        """Release every held key."""
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
        # With ctrl, alt or super held, a key is a command and writes nothing.
        text = "" if modifiers & ~modifier_bit("shift") else key.text
        event = {"type": "keyDown" if text else "rawKeyDown", **_describe(key), "modifiers": modifiers}
        if text:
            event |= {"text": text, "unmodifiedText": key.text}
        if repeat:
            event["autoRepeat"] = True
        return "Input.dispatchKeyEvent", event


class Pointer:
    """The pointer position and the held buttons. Positions are in screen pixels."""

    def __init__(self, position: tuple[int, int], keyboard: Keyboard) -> None:
        self.position = position
        self.scale = 1.0
        self._wheeled_at: tuple[int, int] | None = None
        """Pixels of the screen per unit of the protocol's positions."""
        self._keyboard = keyboard
        self._buttons: dict[Button, None] = {}

    @property
    def pressed(self) -> bool:
        """Whether the left button, which drags, is down."""
        return "left" in self._buttons

    def move(self, point: Point | None) -> list[Command]:
        """Move to a point. Without one, report the current position to the page again."""
        if point is not None:
            self.position = (int(point[0]), int(point[1]))
        held = next(iter(self._buttons), "none")
        return [self._mouse("mouseMoved", button=held, buttons=self._bits())]

    def down(self, button: Button, count: int = 1) -> Command:
        """Press a button and keep it down."""
        self._buttons[button] = None
        return self._mouse("mousePressed", button=button, buttons=self._bits(), clickCount=count)

    def up(self, button: Button, count: int = 1) -> Command:
        """Release a button."""
        self._buttons.pop(button, None)
        return self._mouse("mouseReleased", button=button, buttons=self._bits(), clickCount=count)

    def click(self, button: Button, count: int) -> Iterator[Command]:
        """Press and release a button, one to three times."""
        for number in range(1, count + 1):
            yield self.down(button, number)
            yield self.up(button, number)

    def wheel(self, dx: float, dy: float) -> Iterator[Command]:
        """Scroll by pixels, in steps of a wheel click up to a maximum number of steps."""
        before, self._wheeled_at = self._wheeled_at, self.position
        if before not in (None, self.position):
            # For half a second the browser keeps scrolling the last target, even if the pointer has moved. The first
            # event at a new position only resets that, so send an empty one.
            yield self._mouse("mouseWheel", deltaX=0, deltaY=0, buttons=self._bits())
        steps = min(max(1, math.ceil(max(abs(dx), abs(dy)) / WHEEL_CLICK)), _MAX_WHEEL_EVENTS)
        for _ in range(steps):
            yield self._mouse("mouseWheel", deltaX=dx / steps, deltaY=dy / steps, buttons=self._bits())

    def drag(self, kind: str, data: Mapping[str, Any]) -> Command:
        """Report to the page what is dragged over it, or dropped."""
        x, y = self._here()
        bits = self._keyboard.modifiers
        return "Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data, "modifiers": bits}

    def release(self) -> list[Command]:
        """Release every held button."""
        return [self.up(button) for button in list(self._buttons)]

    def _mouse(self, kind: str, **event: Any) -> Command:
        x, y = self._here()
        return "Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "modifiers": self._keyboard.modifiers, "pointerType": "mouse", **event,
        }  # fmt: skip

    def _here(self) -> Point:
        # Whole numbers, of the page pixel at the middle of the screen pixel, because the browser rounds others
        # inconsistently.
        return math.floor((self.position[0] + 0.5) / self.scale), math.floor((self.position[1] + 0.5) / self.scale)

    def _bits(self) -> int:
        return sum(_BUTTON_BITS[button] for button in self._buttons)


class Finger(Pointer):
    """A finger: the left button becomes a touch, and there is no pointer movement between touches."""

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
    """Return the points of a path with additional ones between them, like those of a real hand."""
    length = sum(math.dist(start, end) for start, end in itertools.pairwise(path))
    step = max(_DRAG_STEP, length / _MAX_DRAG_MOVES)
    points: list[tuple[int, int]] = []
    for (x0, y0), (x1, y1) in itertools.pairwise(path):
        # At least two moves per segment: the first starts the drag, the last reaches the target.
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
    """Group commands: large batches for speed, but small enough not to overload a slow page."""
    group: list[Command] = []
    for command in commands:
        group.append(command)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group
