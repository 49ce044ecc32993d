"""OpenAI's computer tool (`computer`) and its preview (`computer_use_preview`).

A native call is a `computer_call` with one `action` or several `actions`. A single action, or a list of actions, is
accepted too. Scrolling is in pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fairground.agents.native.dialect import CannotSay, Dialect, Size
from fairground.agents.native.fields import Fields
from fairground.agents.native.limits import MAX_ACTIONS, shown
from fairground.agents.native.scrolling import whole_pixels
from fairground.agents.native.spelling import CAPITALS
from fairground.core import (
    Action,
    Button,
    Click,
    Drag,
    InvalidAction,
    Key,
    Look,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
    unknown,
)

WAIT_SECONDS = 2.0  # a wait has no duration; OpenAI's own example waits this long
_BUTTONS: dict[str, Button] = {
    "left": "left",
    "right": "right",
    "wheel": "middle",
    "back": "back",
    "forward": "forward",
}
_BUTTON_NAMES = {button: name for name, button in _BUTTONS.items()}


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(native: Any, size: Size) -> Iterable[Action]:
    calls = native
    if isinstance(native, dict) and native.get("type") == "computer_call":
        given = [native[name] for name in ("action", "actions") if native.get(name) is not None]
        if len(given) != 1:
            raise InvalidAction("computer_call: expected either an action or actions, found both or neither")
        calls = given[0]
    listed = calls if isinstance(calls, list | tuple) else [calls]
    if len(listed) > MAX_ACTIONS:
        raise InvalidAction(f"computer_call.actions: expected at most {MAX_ACTIONS}, found {len(listed)}")
    return [action for call in listed for action in _read_action(call)]


def _read_action(native: Any) -> Iterable[Action]:
    fields = Fields(native, "action")
    name = fields.text("type")
    if name not in _READERS:
        raise unknown("action", name[:40], _READERS)
    fields.where = name
    actions = tuple(_READERS[name](fields))
    fields.end()
    return actions


def _point(fields: Fields) -> Point:
    return (fields.whole("x"), fields.whole("y"))


def _held(fields: Fields) -> tuple[str, ...]:
    return CAPITALS.read_keys(fields.texts("keys")) if fields.has("keys") else ()


def _click(fields: Fields) -> Iterable[Action]:
    button = _BUTTONS[fields.choice("button", _BUTTONS)]
    yield Click(point=_point(fields), button=button, modifiers=_held(fields))


def _drag(fields: Fields) -> Iterable[Action]:
    listed = fields.take("path")
    if not isinstance(listed, list | tuple):
        raise InvalidAction(f"drag.path: expected a list of points, found {shown(listed)}")
    path = []
    for index, item in enumerate(listed):
        point = Fields(item, f"drag.path[{index}]")
        path.append(_point(point))
        point.end()
    yield Drag(path=tuple(path), modifiers=_held(fields))


def _scroll(fields: Fields) -> Iterable[Action]:
    dx, dy = fields.whole("scroll_x"), fields.whole("scroll_y")
    yield Scroll(point=_point(fields), dx=dx, dy=dy, unit="pixels", modifiers=_held(fields))


_READERS: dict[str, Callable[[Fields], Iterable[Action]]] = {
    "click": _click,
    "double_click": lambda fields: [Click(point=_point(fields), count=2, modifiers=_held(fields))],
    "drag": _drag,
    "keypress": lambda fields: [Key(keys=CAPITALS.read_keys(fields.texts("keys")))],
    "move": lambda fields: [Move(point=_point(fields), modifiers=_held(fields))],
    "screenshot": lambda fields: [Look()],
    "scroll": _scroll,
    "type": lambda fields: [Type(text=fields.text("text"))],
    "wait": lambda fields: [Wait(seconds=WAIT_SECONDS)],
}


# --- writing ---------------------------------------------------------------------------------------------------------


def _say(action: Action, size: Size) -> Sequence[Any]:
    match action:
        case Click(point=(x, y)) if action.count == 1:
            button = _BUTTON_NAMES[action.button]
            return [{"type": "click", "button": button, "x": x, "y": y} | _holding(action.modifiers)]
        case Click(point=(x, y)) if action.count == 2 and action.button == "left":
            # The keys of a double click are required, even if null.
            return [{"type": "double_click", "x": x, "y": y, "keys": None} | _holding(action.modifiers)]
        case Move(point=(x, y)):
            return [{"type": "move", "x": x, "y": y} | _holding(action.modifiers)]
        case Scroll(point=(x, y)):
            across, down = whole_pixels(action)
            wheel = {"type": "scroll", "x": x, "y": y, "scroll_x": across, "scroll_y": down}
            return [wheel | _holding(action.modifiers)]
        case Drag(button="left"):
            return [{"type": "drag", "path": [{"x": x, "y": y} for x, y in action.path]} | _holding(action.modifiers)]
        case Key(seconds=0, repeat=1):
            return [{"type": "keypress", "keys": CAPITALS.write_keys(action.keys)}]
        case Type():
            return [{"type": "type", "text": action.text}]
        case Wait() if action.seconds % WAIT_SECONDS == 0 and action.seconds:
            return [{"type": "wait"}] * int(action.seconds / WAIT_SECONDS)
        case Wait():
            raise CannotSay(f"a wait of its own takes {WAIT_SECONDS:g} seconds")
        case Look(region=None):
            return [{"type": "screenshot"}]
    raise CannotSay("it has no such action")


def _holding(modifiers: tuple[str, ...]) -> dict[str, Any]:
    return {"keys": CAPITALS.write_keys(modifiers)} if modifiers else {}


# --- dialects --------------------------------------------------------------------------------------------------------


def _preview(size: Size) -> list[dict[str, Any]]:
    return [
        {"type": "computer_use_preview", "display_width": size[0], "display_height": size[1], "environment": "linux"}
    ]


DIALECTS = (
    Dialect("openai-computer", "OpenAI's computer tool", _read, _say, lambda size: [{"type": "computer"}]),
    Dialect("openai-preview", "OpenAI's computer_use_preview", _read, _say, _preview),
)
