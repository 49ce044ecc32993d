"""The computer as plain functions, one per kind of action, for models that can only call functions.

There is one flat function per kind, rather than one function with many optional fields: small models make fewer
mistakes, and servers can enforce the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fairground.agents.native import Dialect
from fairground.agents.native.dialect import CannotSay, Size
from fairground.agents.native.fields import Fields
from fairground.agents.native.spelling import LOOSE_PYAUTOGUI
from fairground.core import Action, Button, Click, Drag, Key, Look, Move, Point, Scroll, Type, Wait, unknown

_BUTTONS: dict[str, Button] = {"left": "left", "middle": "middle", "right": "right"}
_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(native: Any, size: Size) -> Iterable[Action]:
    call = Fields(native, "call")
    name = call.text("name")
    if name not in _READERS:
        raise unknown("function", name[:60], _READERS)
    fields = Fields(call.take("arguments"), name)
    actions = tuple(_READERS[name](fields))
    fields.end()
    return actions


def _point(fields: Fields, prefix: str = "") -> Point:
    return (fields.whole(f"{prefix}x"), fields.whole(f"{prefix}y"))


def _button(fields: Fields) -> Button:
    return _BUTTONS[fields.choice("button", _BUTTONS)] if fields.has("button") else "left"


def _held(fields: Fields) -> tuple[str, ...]:
    return LOOSE_PYAUTOGUI.read_keys(fields.texts("modifiers")) if fields.has("modifiers") else ()


def _count(fields: Fields, name: str, default: int) -> int:
    return fields.whole(name) if fields.has(name) else default


def _scroll(fields: Fields) -> Iterable[Action]:
    across, down = _WAYS[fields.choice("direction", _WAYS)]
    clicks = _count(fields, "clicks", 3)
    yield Scroll(point=_point(fields), dx=across * clicks, dy=down * clicks, modifiers=_held(fields))


_READERS: dict[str, Callable[[Fields], Iterable[Action]]] = {
    "click": lambda fields: [
        Click(point=_point(fields), button=_button(fields), count=_count(fields, "count", 1), modifiers=_held(fields))
    ],
    "move": lambda fields: [Move(point=_point(fields))],
    "drag": lambda fields: [
        Drag(path=(_point(fields), _point(fields, "to_")), button=_button(fields), modifiers=_held(fields))
    ],
    "scroll": _scroll,
    "type": lambda fields: [Type(text=fields.text("text"))],
    "key": lambda fields: [
        Key(keys=LOOSE_PYAUTOGUI.read_keys(fields.texts("keys")), repeat=_count(fields, "repeat", 1))
    ],
    "wait": lambda fields: [Wait(seconds=fields.number("seconds"))],
    "look": lambda fields: [Look()],
}


# --- writing ---------------------------------------------------------------------------------------------------------


def _say(action: Action, size: Size) -> Sequence[Any]:
    match action:
        case Click(point=(x, y)) if action.button in _BUTTONS:
            more = {"button": action.button, "count": action.count} | _holding(action.modifiers)
            return [_call("click", x=x, y=y, **more)]
        case Move(point=(x, y), modifiers=()):
            return [_call("move", x=x, y=y)]
        case Drag(path=((x, y), (to_x, to_y))) if action.button in _BUTTONS:
            place = {"x": x, "y": y, "to_x": to_x, "to_y": to_y}
            return [_call("drag", **place, button=action.button, **_holding(action.modifiers))]
        case Scroll(point=(x, y)) if not (action.dx and action.dy):
            across, down = action.clicks()
            way = ("right" if across > 0 else "left") if across else ("up" if down < 0 else "down")
            more = {"clicks": abs(across or down)} | _holding(action.modifiers)
            return [_call("scroll", x=x, y=y, direction=way, **more)]
        case Type():
            return [_call("type", text=action.text)]
        case Key(seconds=0):
            return [_call("key", keys=LOOSE_PYAUTOGUI.write_keys(action.keys), repeat=action.repeat)]
        case Wait():
            return [_call("wait", seconds=action.seconds)]
        case Look(region=None):
            return [_call("look")]
    raise CannotSay("there is no such function")


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _holding(modifiers: tuple[str, ...]) -> dict[str, Any]:
    return {"modifiers": LOOSE_PYAUTOGUI.write_keys(modifiers)} if modifiers else {}


# --- telling ---------------------------------------------------------------------------------------------------------


def _tools(size: Size) -> list[dict[str, Any]]:
    width, height = size
    x = {"type": "integer", "minimum": 0, "maximum": width - 1, "description": "pixels from the left"}
    y = {"type": "integer", "minimum": 0, "maximum": height - 1, "description": "pixels from the top"}
    keys = {"type": "array", "items": {"type": "string"}}
    button = {"type": "string", "enum": list(_BUTTONS), "description": "left unless you say so"}
    held = {"modifiers": keys | {"description": "keys held meanwhile: ctrl, alt, shift, super"}}
    count = {"type": "integer", "minimum": 1, "maximum": 3, "description": "2 for a double click"}
    ends = {"to_x": x, "to_y": y, "button": button}
    way = {"type": "string", "enum": list(_WAYS), "description": "which way to read on"}
    clicks = {"type": "integer", "minimum": 1, "maximum": 50, "description": "of the wheel; 3 unless you say so"}
    pressed = {"keys": keys | {"description": 'pressed together, such as ["ctrl", "s"] or ["enter"]'}}
    times = {"repeat": {"type": "integer", "minimum": 1, "maximum": 100}}
    seconds = {"seconds": {"type": "number", "minimum": 0, "maximum": 120}}
    text = {"text": {"type": "string", "description": "a newline in it presses Enter"}}
    return [
        _tool("click", "Click a mouse button.", {"x": x, "y": y, "button": button, "count": count} | held, "x y"),
        _tool("move", "Move the pointer.", {"x": x, "y": y}, "x y"),
        _tool("drag", "Drag from one place to another.", {"x": x, "y": y} | ends | held, "x y to_x to_y"),
        _tool(
            "scroll", "Turn the wheel.", {"x": x, "y": y, "direction": way, "clicks": clicks} | held, "x y direction"
        ),
        _tool("type", "Type text where the cursor is.", text, "text"),
        _tool("key", "Press keys together.", pressed | times, "keys"),
        _tool("wait", "Let time pass.", seconds, "seconds"),
        _tool("look", "Get a new screenshot, and touch nothing.", {}, ""),
    ]


def _tool(name: str, words: str, fields: dict[str, Any], required: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": words, "parameters": schema}}


FUNCTIONS = Dialect("functions", "the computer as plain functions, in pixels", _read, _say, _tools)
"""The dialect for any model that can call functions."""
