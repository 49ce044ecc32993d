"""Qwen3-VL's `computer_use` function: `<tool_call>{"name": "computer_use", "arguments": {...}}</tool_call>`.

A native call is the model's whole answer with one or more tool calls, or one tool call that a server has already parsed
(`name`, and `arguments` as an object or as JSON text).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from fairground.agents.native.coordinates import GRID_999, PIXELS, Plane
from fairground.agents.native.dialect import CannotSay, Dialect, Size
from fairground.agents.native.fields import Fields
from fairground.agents.native.limits import check_limits, shown
from fairground.agents.native.scrolling import whole_pixels
from fairground.agents.native.spelling import LOOSE_PYAUTOGUI
from fairground.core import (
    Action,
    Answer,
    Click,
    Done,
    Drag,
    Fail,
    InvalidAction,
    Key,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
    parse_json,
    unknown,
)

_Reader = Callable[[Fields, Plane, Size], Iterable[Action]]
_TOOL_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(plane: Plane, native: Any, size: Size) -> Iterable[Action]:
    if isinstance(native, str):
        calls = [parse_json(match[1].strip(), where="tool_call") for match in _TOOL_CALL.finditer(native)]
        if not calls:
            raise InvalidAction('expected <tool_call>{"name": "computer_use", ...}</tool_call>, found no tool call')
        check_limits(calls)
    else:
        calls = [native]
    return [action for call in calls for action in _read_call(call, plane, size)]


def _read_call(call: Any, plane: Plane, size: Size) -> Iterable[Action]:
    if not isinstance(call, dict) or call.get("name") != "computer_use":
        given = call.get("name") if isinstance(call, dict) else call
        raise InvalidAction(f"tool_call: expected a call named 'computer_use', found {shown(given)}")
    arguments = call.get("arguments")
    if isinstance(arguments, str):
        arguments = parse_json(arguments, where="tool_call.arguments")
        check_limits(arguments)
    fields = Fields(arguments, "arguments")
    name = fields.text("action")
    if name not in _READERS:
        raise unknown("action", name[:40], _READERS)
    fields.where = name
    actions = tuple(_READERS[name](fields, plane, size))
    fields.end()
    return actions


def _point(fields: Fields, plane: Plane, size: Size) -> Point:
    return plane.to_screen(fields.pair("coordinate"), size)


def _optional_point(fields: Fields, plane: Plane, size: Size) -> Point | None:
    return _point(fields, plane, size) if fields.has("coordinate") else None


def _click(button: Any, count: int, fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    yield Click(point=_optional_point(fields, plane, size), button=button, count=count)


def _move(fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    yield Move(point=_point(fields, plane, size))


def _drag(fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    """Drag from the current position."""
    end = _point(fields, plane, size)
    yield from (MouseDown(), Move(point=end), MouseUp())


def _scroll(fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    """Scroll vertically. Positive is up."""
    point = _optional_point(fields, plane, size)
    yield Scroll(point=point, dy=-fields.number("pixels"), unit="pixels")


def _hscroll(fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    """Scroll horizontally. Positive is right."""
    point = _optional_point(fields, plane, size)
    yield Scroll(point=point, dx=fields.number("pixels"), unit="pixels")


def _terminate(fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    yield Done() if fields.choice("status", ("success", "failure")) == "success" else Fail()


_READERS: dict[str, _Reader] = {
    "key": lambda fields, plane, size: [Key(keys=LOOSE_PYAUTOGUI.read_keys(fields.texts("keys")))],
    "type": lambda fields, plane, size: [Type(text=fields.text("text"))],
    "mouse_move": _move,
    "left_click": partial(_click, "left", 1),
    "left_click_drag": _drag,
    "right_click": partial(_click, "right", 1),
    "middle_click": partial(_click, "middle", 1),
    "double_click": partial(_click, "left", 2),
    "triple_click": partial(_click, "left", 3),
    "scroll": _scroll,
    "hscroll": _hscroll,
    "wait": lambda fields, plane, size: [Wait(seconds=fields.number("time"))],
    "terminate": _terminate,
    "answer": lambda fields, plane, size: [Answer(text=fields.text("text"))],
}


# --- writing ---------------------------------------------------------------------------------------------------------


def _say(plane: Plane, action: Action, size: Size) -> Sequence[str]:
    return [
        "<tool_call>\n"
        + json.dumps({"name": "computer_use", "arguments": fields}, ensure_ascii=False)
        + "\n</tool_call>"
        for fields in _calls(plane, action, size)
    ]


_CLICK_NAMES = {
    ("left", 1): "left_click",
    ("right", 1): "right_click",
    ("middle", 1): "middle_click",
    ("left", 2): "double_click",
    ("left", 3): "triple_click",
}


def _calls(plane: Plane, action: Action, size: Size) -> list[dict[str, Any]]:
    match action:
        case Click(point=(x, y), modifiers=()) if (action.button, action.count) in _CLICK_NAMES:
            return [{"action": _CLICK_NAMES[action.button, action.count], **_at((x, y), plane, size)}]
        case Move(point=(x, y), modifiers=()):
            return [{"action": "mouse_move", **_at((x, y), plane, size)}]
        case Drag(path=(start, end), button="left", modifiers=()):
            return [
                {"action": "mouse_move", **_at(start, plane, size)},
                {"action": "left_click_drag", **_at(end, plane, size)},
            ]
        case Scroll(point=None, modifiers=()) if not (action.dx and action.dy):
            across, down = whole_pixels(action)
            return [{"action": "hscroll", "pixels": across} if across else {"action": "scroll", "pixels": -down}]
        case Key(seconds=0, repeat=1):
            return [{"action": "key", "keys": LOOSE_PYAUTOGUI.write_keys(action.keys)}]
        case Type():
            return [{"action": "type", "text": action.text}]
        case Wait():
            return [{"action": "wait", "time": action.seconds}]
        case Done() | Fail():
            return [{"action": "terminate", "status": "success" if action.kind == "done" else "failure"}]
        case Answer():
            return [{"action": "answer", "text": action.text}]
    raise CannotSay("it has no such action")


def _at(pixel: Point, plane: Plane, size: Size) -> dict[str, Any]:
    return {"coordinate": list(plane.from_screen(pixel, size))}


# --- dialects --------------------------------------------------------------------------------------------------------


def _tools(absolute: bool, size: Size) -> list[dict[str, Any]]:
    across, down = (size[0] - 1, size[1] - 1) if absolute else (999, 999)
    described = {
        "action": {"type": "string", "enum": list(_READERS), "description": "What to do."},
        "keys": {"type": "array", "items": {"type": "string"}, "description": "For key: keys pressed together."},
        "text": {"type": "string", "description": "For type and answer."},
        "coordinate": {
            "type": "array",
            "items": {"type": "integer"},
            "description": f"A place: x from 0 (left) to {across} (right), y from 0 (top) to {down} (bottom). "
            "left_click_drag drags there from where the pointer is.",
        },
        "pixels": {
            "type": "number",
            "description": "For scroll: positive is up, negative down. For hscroll: positive is right, negative left.",
        },
        "time": {"type": "number", "description": "For wait: seconds."},
        "status": {"type": "string", "enum": ["success", "failure"], "description": "For terminate."},
    }
    function = {
        "name": "computer_use",
        "description": "Use the computer whose screen you see, with its mouse and keyboard.",
        "parameters": {"type": "object", "properties": described, "required": ["action"]},
    }
    return [{"type": "function", "function": function}]


def _dialect(name: str, summary: str, plane: Plane) -> Dialect:
    return Dialect(name, summary, partial(_read, plane), partial(_say, plane), partial(_tools, plane is PIXELS))


DIALECTS = (
    _dialect("qwen3-vl", "Qwen3-VL's computer_use, on a grid of 0 to 999", GRID_999),
    _dialect("qwen3-vl-absolute", "Qwen3-VL's computer_use, in pixels", PIXELS),
)
