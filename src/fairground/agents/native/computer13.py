"""OSWorld's `computer_13`: `{"action_type": "CLICK", "parameters": {"x": 10, "y": 20}}`.

A native call is such an object (its parameters may also be next to `action_type`), a model's answer that contains JSON,
or one of the words WAIT, FAIL and DONE. Scrolling is in wheel clicks: positive `dy` is up, positive `dx` right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fairground.agents.native.dialect import CannotSay, Dialect, Size
from fairground.agents.native.fenced import fenced
from fairground.agents.native.fields import Fields
from fairground.agents.native.limits import check_limits, shown
from fairground.agents.native.spelling import PYAUTOGUI
from fairground.core import (
    Action,
    Button,
    Click,
    Done,
    Drag,
    Fail,
    InvalidAction,
    Key,
    KeyDown,
    KeyUp,
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

WAIT_SECONDS = 1.0  # WAIT has no duration
_BUTTONS: dict[str, Button] = {"left": "left", "right": "right", "middle": "middle"}
_WORDS = ("WAIT", "FAIL", "DONE")


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(native: Any, size: Size) -> Iterable[Action]:
    if isinstance(native, str):
        text = fenced(native).strip()
        native = text if text in _WORDS else parse_json(text, where="action")
        check_limits(native)
    listed = native if isinstance(native, list | tuple) else [native]
    return [action for call in listed for action in _read_call(call)]


def _read_call(call: Any) -> Iterable[Action]:
    if isinstance(call, str):
        call = {"action_type": call}
    if not isinstance(call, dict) or not isinstance(call.get("action_type"), str):
        raise InvalidAction(f"expected an object with an action_type, or {', '.join(_WORDS)}; found {shown(call)}")
    name = call["action_type"]
    if name not in _READERS:
        raise unknown("action_type", name[:40], _READERS)
    beside = {key: value for key, value in call.items() if key not in ("action_type", "parameters")}
    nested = call.get("parameters")
    if nested is not None and beside:
        raise InvalidAction(f"{name}: expected parameters in one place, found them in parameters and beside it")
    fields = Fields(beside if nested is None else nested, name)
    actions = tuple(_READERS[name](fields))
    fields.end()
    return actions


def _point(fields: Fields) -> Point:
    return (fields.number("x"), fields.number("y"))


def _optional_point(fields: Fields) -> Point | None:
    return _point(fields) if fields.has("x") or fields.has("y") else None


def _button(fields: Fields) -> Button:
    return _BUTTONS[fields.choice("button", _BUTTONS)] if fields.has("button") else "left"


def _click(fields: Fields) -> Iterable[Action]:
    count = fields.whole("num_clicks") if fields.has("num_clicks") else 1
    yield Click(point=_optional_point(fields), button=_button(fields), count=count)


def _drag(fields: Fields) -> Iterable[Action]:
    """Drag from the current position."""
    end = _point(fields)
    yield from (MouseDown(), Move(point=end), MouseUp())


def _scroll(fields: Fields) -> Iterable[Action]:
    across = fields.whole("dx") if fields.has("dx") else 0
    up = fields.whole("dy") if fields.has("dy") or not across else 0
    yield Scroll(dx=across, dy=-up)


_READERS: dict[str, Callable[[Fields], Iterable[Action]]] = {
    "MOVE_TO": lambda fields: [Move(point=_point(fields))],
    "CLICK": _click,
    "MOUSE_DOWN": lambda fields: [MouseDown(button=_button(fields))],
    "MOUSE_UP": lambda fields: [MouseUp(button=_button(fields))],
    "RIGHT_CLICK": lambda fields: [Click(point=_optional_point(fields), button="right")],
    "DOUBLE_CLICK": lambda fields: [Click(point=_optional_point(fields), count=2)],
    "DRAG_TO": _drag,
    "SCROLL": _scroll,
    "TYPING": lambda fields: [Type(text=fields.text("text"))],
    "PRESS": lambda fields: [Key(keys=(PYAUTOGUI.read(fields.text("key")),))],
    "KEY_DOWN": lambda fields: [KeyDown(key=PYAUTOGUI.read(fields.text("key")))],
    "KEY_UP": lambda fields: [KeyUp(key=PYAUTOGUI.read(fields.text("key")))],
    "HOTKEY": lambda fields: [Key(keys=tuple(map(PYAUTOGUI.read, fields.texts("keys"))))],
    "WAIT": lambda fields: [Wait(seconds=WAIT_SECONDS)],
    "FAIL": lambda fields: [Fail()],
    "DONE": lambda fields: [Done()],
}


# --- writing ---------------------------------------------------------------------------------------------------------


def _say(action: Action, size: Size) -> Sequence[dict[str, Any]]:
    match action:
        case Click(modifiers=()) if action.button in _BUTTONS:
            return [_call("CLICK", button=action.button, num_clicks=action.count, **_at(action.point))]
        case Move(point=(x, y), modifiers=()):
            return [_call("MOVE_TO", x=x, y=y)]
        case MouseDown(point=None, modifiers=()) | MouseUp(point=None, modifiers=()) if action.button in _BUTTONS:
            return [_call(action.kind.upper(), button=action.button)]
        case Drag(path=(start, (x, y)), button="left", modifiers=()):
            return [_call("MOVE_TO", **_at(start)), _call("DRAG_TO", x=x, y=y)]
        case Scroll(point=None, modifiers=()):
            across, down = action.clicks()
            return [_call("SCROLL", dx=across, dy=-down)]
        case Type():
            return [_call("TYPING", text=action.text)]
        case Key(keys=(key,), seconds=0, repeat=1):
            return [_call("PRESS", key=PYAUTOGUI.write(key))]
        case Key(seconds=0, repeat=1):
            return [_call("HOTKEY", keys=PYAUTOGUI.write_keys(action.keys))]
        case KeyDown() | KeyUp():
            return [_call(action.kind.upper(), key=PYAUTOGUI.write(action.key))]
        case Wait() if action.seconds and action.seconds % WAIT_SECONDS == 0:
            return [_call("WAIT")] * int(action.seconds / WAIT_SECONDS)
        case Wait():
            raise CannotSay(f"a wait of its own takes {WAIT_SECONDS:g} seconds")
        case Done() | Fail():
            return [_call(action.kind.upper())]
    raise CannotSay("it has no such action")


def _call(name: str, **parameters: Any) -> dict[str, Any]:
    return {"action_type": name, "parameters": parameters}


def _at(point: Point | None) -> dict[str, Any]:
    return {} if point is None else {"x": point[0], "y": point[1]}


# --- dialect ---------------------------------------------------------------------------------------------------------

_PARAMETERS = {
    "MOVE_TO": ("x, y", "move the pointer"),
    "CLICK": ("button?, x?, y?, num_clicks?", "click; without a place, where the pointer is"),
    "MOUSE_DOWN": ("button?", "press a button and keep it down"),
    "MOUSE_UP": ("button?", "let a button go"),
    "RIGHT_CLICK": ("x?, y?", "click the right button"),
    "DOUBLE_CLICK": ("x?, y?", "double click"),
    "DRAG_TO": ("x, y", "drag there from where the pointer is"),
    "SCROLL": ("dx, dy", "turn the wheel by clicks; positive dy is up, positive dx right"),
    "TYPING": ("text", "type text"),
    "PRESS": ("key", "press a key and let it go"),
    "KEY_DOWN": ("key", "press a key and keep it down"),
    "KEY_UP": ("key", "let a key go"),
    "HOTKEY": ("keys", "press keys together"),
    "WAIT": ("", f"let {WAIT_SECONDS:g} second pass"),
    "FAIL": ("", "end: the task cannot be done"),
    "DONE": ("", "end: the task is done"),
}


def _tools(size: Size) -> list[dict[str, Any]]:
    return [
        {"name": name, "usage": f'{{"action_type": "{name}", "parameters": {{{names}}}}}', "description": words}
        for name, (names, words) in _PARAMETERS.items()
    ]


DIALECTS = (Dialect("computer-13", "OSWorld's computer_13", _read, _say, _tools),)
