"""pyautogui code as text, as written by OSWorld's agents and OpenCUA. It is parsed, never executed.

A native call is a block of code, with or without fences, or one of the words WAIT, FAIL and DONE. OpenCUA's
`computer.wait`, `computer.triple_click` and `computer.terminate` are supported too. Timing arguments (`duration`,
`interval`, `tween`) are ignored. Scrolling is in wheel clicks, positive up.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from fairground.agents.native.coordinates import FACTOR, PIXELS, UNIT, Plane, resized
from fairground.agents.native.dialect import CannotSay, Dialect, Size
from fairground.agents.native.fenced import fenced
from fairground.agents.native.fields import Fields, number, whole
from fairground.agents.native.folding import fold
from fairground.agents.native.limits import MAX_ACTIONS, shown
from fairground.agents.native.pycode import Names, bind, call_of, refused, statements
from fairground.agents.native.spelling import PYAUTOGUI
from fairground.core import (
    Action,
    Answer,
    Button,
    Click,
    Done,
    Drag,
    Fail,
    InvalidAction,
    Key,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
    unknown,
)

WAIT_SECONDS = 1.0  # WAIT has no duration
_OPENCUA_WAIT = 20.0  # default duration of computer.wait()
_BUTTONS: dict[Any, Button] = {
    "left": "left", "middle": "middle", "right": "right", "primary": "left", "secondary": "right",
    1: "left", 2: "middle", 3: "right",
}  # fmt: skip
_WORDS: dict[str, Callable[[], Action]] = {"WAIT": partial(Wait, seconds=WAIT_SECONDS), "FAIL": Fail, "DONE": Done}
_SETTINGS = ("pyautogui.PAUSE", "pyautogui.FAILSAFE")  # speed and safety are handled by the screen
_UNREAD = ("interval", "duration", "tween", "logScreenshot", "_pause", "mouseDownUp")
_Reader = Callable[[Fields, "_Where"], Iterable[Action]]


class _Where:
    """The coordinate system of a block on its screen."""

    def __init__(self, plane: Plane, size: Size) -> None:
        self._plane, self._size = plane, size

    def point(self, fields: Fields) -> Point:
        """Take a required position: `x, y`, or both in one."""
        x = fields.take("x")
        if isinstance(x, list):
            if len(x) != 2 or fields.has("y"):
                raise InvalidAction(f"{fields.where}: expected x and y, found {shown(x)}")
            x, y = x
        else:
            y = fields.take("y")
        place = (number(x, f"{fields.where}.x"), number(y, f"{fields.where}.y"))
        return self._plane.to_screen(place, self._size)

    def optional(self, fields: Fields) -> Point | None:
        """Take a position, or None for where the pointer is."""
        return self.point(fields) if fields.has("x") or fields.has("y") else None


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(plane: Plane, native: Any, size: Size) -> Iterable[Action]:
    if not isinstance(native, str):
        raise InvalidAction(f"expected code as text, found {shown(native)}")
    where, names, actions = _Where(plane, size), Names(), list[Action]()
    for statement in statements(fenced(native)):
        actions += _read_statement(statement, where, names)
        if len(actions) > 4 * MAX_ACTIONS:
            raise InvalidAction(f"expected at most {MAX_ACTIONS} actions in one block")
    return fold(actions)


def _read_statement(statement: ast.stmt, where: _Where, names: Names) -> Iterable[Action]:
    match statement:
        case ast.Import(names=modules) if all(m.name in ("pyautogui", "time") and not m.asname for m in modules):
            return []
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=module), attr=name)]) if (
            f"{module}.{name}" in _SETTINGS
        ):
            return []
        case ast.Assign(targets=[target], value=value):
            names.assign(target, names.value(value))
            return []
        case ast.Expr(value=ast.Constant(value=str())):
            return []  # a remark
        case ast.Expr(value=ast.Name(id=word)) if word in _WORDS:
            return [_WORDS[word]()]
        case ast.Expr(value=expression):
            call = call_of(expression)
            if call.name not in _FUNCTIONS:
                raise unknown("function", call.name[:60], _FUNCTIONS)
            parameters, reader = _FUNCTIONS[call.name]
            if parameters == "*":
                keys = [names.value(node) for node in call.positional]
                given = {"keys": keys[0] if len(keys) == 1 and isinstance(keys[0], list) else keys}
                given |= bind(replace(call, positional=()), _UNREAD, _UNREAD, names)
            else:
                given = bind(call, parameters.split(), _UNREAD, names)
            fields = Fields(given, f"line {call.line}: {call.name}")
            actions = tuple(reader(fields, where))
            fields.end()
            return actions
    raise refused(statement)


def _button(fields: Fields) -> Button:
    if not fields.has("button"):
        return "left"
    name = fields.take("button")
    if isinstance(name, list | bool | float) or name not in _BUTTONS:
        raise InvalidAction(f"{fields.where}.button: expected left, middle or right, found {shown(name)}")
    return _BUTTONS[name]


def _count(fields: Fields, name: str) -> int:
    return whole(fields.take(name), f"{fields.where}.{name}") if fields.has(name) else 1


def _click(button: Button | None, count: int | None, fields: Fields, where: _Where) -> Iterable[Action]:
    point = where.optional(fields)
    times = _count(fields, "clicks") if count is None else count
    yield Click(point=point, button=_button(fields) if button is None else button, count=times)


def _drag(fields: Fields, where: _Where) -> Iterable[Action]:
    """Drag from the current position. After a move in the same block, it becomes a drag from there."""
    end, button = where.point(fields), _button(fields)
    yield from (MouseDown(button=button), Move(point=end), MouseUp(button=button))


def _scroll(across: int, down: int, fields: Fields, where: _Where) -> Iterable[Action]:
    clicks = fields.number("clicks")
    yield Scroll(point=where.optional(fields), dx=across * clicks, dy=down * clicks)


def _write(fields: Fields, where: _Where) -> Iterable[Action]:
    message = fields.take("message")
    if isinstance(message, list):
        yield from (Key(keys=(key,)) for key in _keys(message, fields))
    elif isinstance(message, str):
        yield Type(text=message)
    else:
        raise InvalidAction(f"{fields.where}.message: expected text, found {shown(message)}")


def _press(fields: Fields, where: _Where) -> Iterable[Action]:
    keys = fields.take("keys")
    pressed = _keys(keys if isinstance(keys, list) else [keys], fields)
    times = _count(fields, "presses")
    if len(pressed) == 1:
        yield Key(keys=pressed, repeat=times)
    elif times * len(pressed) > MAX_ACTIONS:
        raise InvalidAction(f"{fields.where}.presses: expected at most {MAX_ACTIONS} keys in all, found more")
    else:
        yield from [Key(keys=(key,)) for key in pressed] * times


def _keys(names: Any, fields: Fields) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidAction(f"{fields.where}: expected names of keys, found {shown(names)}")
    return tuple(map(PYAUTOGUI.read, names))


def _terminate(fields: Fields, where: _Where) -> Iterable[Action]:
    status = fields.choice("status", ("success", "failure", "fail")) if fields.has("status") else "success"
    answer = fields.text("answer") if fields.has("answer") else ""
    if status != "success":
        yield Fail(reason=answer)
    else:
        yield Answer(text=answer) if answer else Done()


def _wait(name: str, default: float, fields: Fields, where: _Where) -> Iterable[Action]:
    yield Wait(seconds=fields.number(name) if fields.has(name) else default)


_CLICK = "x y clicks interval button duration tween logScreenshot _pause"
_PLACE = "x y interval button duration tween logScreenshot _pause"
_PLAIN = "x y duration tween logScreenshot _pause"
_HOLD = "x y button duration tween logScreenshot _pause"
_WHEEL = "clicks x y logScreenshot _pause"
_ONE_KEY = "key logScreenshot _pause"

_FUNCTIONS: dict[str, tuple[str, _Reader]] = {
    "pyautogui.click": (_CLICK, partial(_click, None, None)),
    "pyautogui.leftClick": (_PLACE.replace("button ", ""), partial(_click, "left", 1)),
    "pyautogui.rightClick": (_PLACE.replace("button ", ""), partial(_click, "right", 1)),
    "pyautogui.middleClick": (_PLACE.replace("button ", ""), partial(_click, "middle", 1)),
    "pyautogui.doubleClick": (_PLACE, partial(_click, None, 2)),
    "pyautogui.tripleClick": (_PLACE, partial(_click, None, 3)),
    "pyautogui.moveTo": (_PLAIN, lambda fields, where: [Move(point=where.point(fields))]),
    "pyautogui.dragTo": ("x y duration tween button logScreenshot _pause mouseDownUp", _drag),
    "pyautogui.mouseDown": (
        _HOLD,
        lambda fields, where: [MouseDown(point=where.optional(fields), button=_button(fields))],
    ),
    "pyautogui.mouseUp": (_HOLD, lambda fields, where: [MouseUp(point=where.optional(fields), button=_button(fields))]),
    "pyautogui.scroll": (_WHEEL, partial(_scroll, 0, -1)),
    "pyautogui.vscroll": (_WHEEL, partial(_scroll, 0, -1)),
    "pyautogui.hscroll": (_WHEEL, partial(_scroll, 1, 0)),
    "pyautogui.write": ("message interval logScreenshot _pause", _write),
    "pyautogui.typewrite": ("message interval logScreenshot _pause", _write),
    "pyautogui.press": ("keys presses interval logScreenshot _pause", _press),
    "pyautogui.hotkey": ("*", lambda fields, where: [Key(keys=_keys(fields.take("keys"), fields))]),
    "pyautogui.keyDown": (
        _ONE_KEY,
        lambda fields, where: [KeyDown(key=PYAUTOGUI.read(fields.text("key")))],
    ),
    "pyautogui.keyUp": (_ONE_KEY, lambda fields, where: [KeyUp(key=PYAUTOGUI.read(fields.text("key")))]),
    "pyautogui.sleep": ("seconds", partial(_wait, "seconds", WAIT_SECONDS)),
    "pyautogui.screenshot": ("", lambda fields, where: [Look()]),
    "time.sleep": ("seconds", partial(_wait, "seconds", WAIT_SECONDS)),
    "computer.wait": ("seconds", partial(_wait, "seconds", _OPENCUA_WAIT)),
    "computer.triple_click": ("x y", partial(_click, "left", 3)),
    "computer.terminate": ("status answer", _terminate),
}


# --- writing ---------------------------------------------------------------------------------------------------------


def _say(plane: Plane, opencua: bool, action: Action, size: Size) -> Sequence[str]:
    match action:
        case Click(modifiers=()) if action.button in ("left", "middle", "right"):
            more = [f"clicks={action.count}"] * (action.count > 1) + [f"button={action.button!r}"] * (
                action.button != "left"
            )
            return [f"pyautogui.click({', '.join([*_at(action.point, plane, size), *more])})"]
        case Move(point=(x, y), modifiers=()):
            return [f"pyautogui.moveTo({', '.join(_at((x, y), plane, size))})"]
        case MouseDown(modifiers=()) | MouseUp(modifiers=()) if action.button in ("left", "middle", "right"):
            name = "mouseDown" if action.kind == "mouse_down" else "mouseUp"
            place = [*_at(action.point, plane, size), f"button={action.button!r}"]
            return [f"pyautogui.{name}({', '.join(place)})"]
        case Drag(path=(start, end), modifiers=()) if action.button in ("left", "middle", "right"):
            to = [*_at(end, plane, size), f"button={action.button!r}"]
            return [f"pyautogui.moveTo({', '.join(_at(start, plane, size))})", f"pyautogui.dragTo({', '.join(to)})"]
        case Scroll(modifiers=()) if not (action.dx and action.dy):
            across, down = action.clicks()
            name, clicks = ("hscroll", across) if across else ("scroll", -down)
            return [f"pyautogui.{name}({', '.join([str(clicks), *_at(action.point, plane, size)])})"]
        case Key(keys=(key,), seconds=0):
            presses = f", presses={action.repeat}" if action.repeat > 1 else ""
            return [f"pyautogui.press({PYAUTOGUI.write(key)!r}{presses})"]
        case Key(seconds=0, repeat=1):
            return [f"pyautogui.hotkey({', '.join(map(repr, PYAUTOGUI.write_keys(action.keys)))})"]
        case KeyDown() | KeyUp():
            return [f"pyautogui.{'keyDown' if action.kind == 'key_down' else 'keyUp'}({PYAUTOGUI.write(action.key)!r})"]
        case Type():
            return [f"pyautogui.write({action.text!r})"]
        case Wait():  # the dialect's text; nothing sleeps here
            return [f"computer.wait(seconds={action.seconds!r})" if opencua else f"time.sleep({action.seconds!r})"]
        case Done():
            return ["computer.terminate(status='success')" if opencua else "DONE"]
        case Fail():
            return ["computer.terminate(status='failure')" if opencua else "FAIL"]
        case Answer() if opencua and action.text:
            return [f"computer.terminate(status='success', answer={action.text!r})"]
        case Look(region=None):
            return ["pyautogui.screenshot()"]
    raise CannotSay("it has no such call")


def _at(point: Point | None, plane: Plane, size: Size) -> list[str]:
    if point is None:
        return []
    x, y = plane.from_screen(point, size)
    return [f"x={x}", f"y={y}"]


# --- dialects --------------------------------------------------------------------------------------------------------

_USAGE = [
    ("click", "pyautogui.click(x, y, clicks=1, button='left')", "click; without a place, where the pointer is"),
    ("doubleClick", "pyautogui.doubleClick(x, y)", "double click"),
    ("tripleClick", "pyautogui.tripleClick(x, y)", "triple click"),
    ("rightClick", "pyautogui.rightClick(x, y)", "click the right button"),
    ("middleClick", "pyautogui.middleClick(x, y)", "click the middle button"),
    ("moveTo", "pyautogui.moveTo(x, y)", "move the pointer"),
    ("dragTo", "pyautogui.dragTo(x, y, button='left')", "drag there from where the pointer is"),
    ("mouseDown", "pyautogui.mouseDown(button='left')", "press a button and keep it down"),
    ("mouseUp", "pyautogui.mouseUp(button='left')", "let a button go"),
    ("scroll", "pyautogui.scroll(clicks, x, y)", "turn the wheel; positive is up"),
    ("hscroll", "pyautogui.hscroll(clicks, x, y)", "turn the wheel sideways; positive is right"),
    ("write", "pyautogui.write('text')", "type text; a newline is Enter"),
    ("press", "pyautogui.press('enter', presses=1)", "press a key, or a list of keys one after the other"),
    ("hotkey", "pyautogui.hotkey('ctrl', 'c')", "press keys together"),
    ("keyDown", "pyautogui.keyDown('shift')", "press a key and keep it down"),
    ("keyUp", "pyautogui.keyUp('shift')", "let a key go"),
]
_OSWORLD_USAGE = [
    ("sleep", "time.sleep(seconds)", "let time pass"),  # as models write it
    ("WAIT", "WAIT", f"let {WAIT_SECONDS:g} second pass"),
    ("FAIL", "FAIL", "end: the task cannot be done"),
    ("DONE", "DONE", "end: the task is done"),
]
_OPENCUA_USAGE = [
    ("wait", "computer.wait(seconds=1)", "let time pass"),
    ("terminate", "computer.terminate(status='success', answer='')", "end with success or failure, and an answer"),
]


def _tools(opencua: bool, size: Size) -> list[dict[str, Any]]:
    rows = _USAGE + (_OPENCUA_USAGE if opencua else _OSWORLD_USAGE)
    return [{"name": name, "usage": usage, "description": words} for name, usage, words in rows]


def _dialect(name: str, summary: str, plane: Plane, opencua: bool) -> Dialect:
    say, tools = partial(_say, plane, opencua), partial(_tools, opencua)
    return Dialect(name, summary, partial(_read, plane), say, tools, join="\n".join)


DIALECTS = (
    _dialect("pyautogui", "pyautogui text in pixels, as OSWorld's agents write it", PIXELS, False),
    _dialect(
        "opencua",
        "OpenCUA's text, in pixels of the resized picture",
        resized(4 * FACTOR**2, 16384 * FACTOR**2),
        True,
    ),
    _dialect("opencua-relative", "OpenCUA's text, in shares of the screen from 0 to 1", UNIT, True),
)
