"""UI-TARS: actions as text, `Thought: ...` and `Action: click(point='<point>x y</point>')`.

A native call is the model's whole answer. The one or more calls after the last `Action:` are read. All three dialects
read both spellings of positions (points, and boxes between `<|box_start|>` and `<|box_end|>`), and each writes its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from fairground.agents.native.coordinates import FACTOR, GRID_1000, Plane, resized
from fairground.agents.native.dialect import CannotSay, Dialect, Size
from fairground.agents.native.fields import Fields, number
from fairground.agents.native.limits import shown
from fairground.agents.native.spelling import LOOSE_PYAUTOGUI
from fairground.core import (
    Action,
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    InvalidAction,
    Key,
    Point,
    Scroll,
    Type,
    Wait,
    unknown,
)

SCROLL_CLICKS = 5  # a scroll has no distance; UI-TARS' own runner turns the wheel this far
WAIT_SECONDS = 5.0  # a wait has no duration; the model is told this value
RESIZED = resized(100 * FACTOR**2, 16384 * FACTOR**2)

_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_ACTION = re.compile(r"^[ \t]*Action:", re.MULTILINE)
_CALL = re.compile(r"\s*(\w{1,40})\((.*)\)\s*", re.DOTALL)
_CONTENT = re.compile(r"""\s*content\s*=\s*(['"])(.*)\1\s*""", re.DOTALL)
_ARGUMENT = re.compile(r"""\s*(\w{1,40})\s*=\s*(?:'([^']*)'|"([^"]*)")\s*(?:,|$)""")
_WRAPPER = re.compile(r"</?point>|</?bbox>|<\|box_(?:start|end)\|>")
_NUMBERS = re.compile(r"[(\[]?\s*(-?\d{1,9}(?:\.\d{1,9})?(?:[\s,]+-?\d{1,9}(?:\.\d{1,9})?)*)\s*[)\]]?")
_LONGEST_PLACE = 200  # maximum characters; also keeps the patterns fast
_MOST_ARGUMENTS = 8
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\"}
_ESCAPED = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "'": "\\'", "\\": "\\\\"}


@dataclass(frozen=True)
class _Style:
    """How positions are written: argument names, the format around the numbers, and their coordinate system."""

    point: str
    start: str
    end: str
    frame: str
    plane: Plane


_POINTS = _Style("point", "start_point", "end_point", "<point>{} {}</point>", RESIZED)
_BOXES = _Style("start_box", "start_box", "end_box", "<|box_start|>({},{})<|box_end|>", RESIZED)
_GRID_POINTS = _Style("point", "start_point", "end_point", "<point>{} {}</point>", GRID_1000)


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(plane: Plane, native: Any, size: Size) -> Iterable[Action]:
    if not isinstance(native, str):
        raise InvalidAction(f"expected text with 'Action: ...', found {shown(native)}")
    marks = list(_ACTION.finditer(native))
    if not marks:
        raise InvalidAction("expected 'Action: ' and one of the actions, found neither", fix=f"actions: {_listed()}")
    text = native[marks[-1].end() :]
    return [action for call in _BETWEEN.split(text) for action in _read_call(call, plane, size)]


def _read_call(text: str, plane: Plane, size: Size) -> Iterable[Action]:
    match = _CALL.fullmatch(text)
    if match is None:
        raise InvalidAction(f"expected an action such as click(...), found {shown(text.strip())}")
    name, inside = match[1], match[2]
    if name not in _READERS:
        raise unknown("action", name, _READERS)
    fields = Fields(_arguments(name, inside), name)
    actions = tuple(_READERS[name](fields, plane, size))
    fields.end()
    return actions


def _arguments(name: str, inside: str) -> dict[str, str]:
    if content := _CONTENT.fullmatch(inside):
        # Up to the last quote: models do not escape quotes inside.
        return {"content": re.sub(r"\\([ntr'\"\\])", lambda mark: _ESCAPES[mark[1]], content[2])}
    arguments: dict[str, str] = {}
    at = 0
    while inside[at:].strip():
        argument = _ARGUMENT.match(inside, at)
        if argument is None or argument[1] in arguments or len(arguments) == _MOST_ARGUMENTS:
            raise InvalidAction(f"{name}: expected arguments such as key='enter', found {shown(inside[at:])}")
        arguments[argument[1]] = argument[2] if argument[2] is not None else argument[3]
        at = argument.end()
    return arguments


def _place(fields: Fields, names: Sequence[str], plane: Plane, size: Size) -> Point:
    """Return a point, or the centre of a box."""
    name = next((name for name in names if fields.has(name)), names[0])
    text = fields.text(name)
    bare = _NUMBERS.fullmatch(_WRAPPER.sub(" ", text).strip()) if len(text) <= _LONGEST_PLACE else None
    numbers = [number(float(part), fields.where) for part in re.split(r"[\s,]+", bare[1])] if bare else []
    if len(numbers) not in (2, 4):
        raise InvalidAction(f"{fields.where}.{name}: expected '<point>x y</point>', found {shown(text)}")
    middle = ((numbers[0] + numbers[-2]) / 2, (numbers[1] + numbers[-1]) / 2)
    return plane.to_screen(middle, size)


_POINT_NAMES = ("point", "start_box", "start_point")


def _click(button: Any, count: int, fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    yield Click(point=_place(fields, _POINT_NAMES, plane, size), button=button, count=count)


def _drag(fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    start = _place(fields, ("start_point", "start_box"), plane, size)
    yield Drag(path=(start, _place(fields, ("end_point", "end_box"), plane, size)))


def _hotkey(fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    words, at = fields.text("key").split(), 0
    keys: list[str] = []
    while at < len(words):
        try:
            keys += LOOSE_PYAUTOGUI.read_chord(words[at])
        except InvalidAction:
            if at + 1 == len(words):
                raise
            keys.append(LOOSE_PYAUTOGUI.read(" ".join(words[at : at + 2])))  # `page down` is one key
            at += 1
        at += 1
    yield Key(keys=tuple(keys))


def _scroll(fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    across, down = _DIRECTIONS[fields.choice("direction", _DIRECTIONS)]
    placed = any(fields.has(name) for name in _POINT_NAMES)
    point = _place(fields, _POINT_NAMES, plane, size) if placed else None
    yield Scroll(point=point, dx=across * SCROLL_CLICKS, dy=down * SCROLL_CLICKS)


def _finished(fields: Fields, plane: Plane, size: Size) -> Iterable[Action]:
    """End with the content as the answer; without content, with `Done`."""
    text = fields.text("content") if fields.has("content") else ""
    yield Answer(text=text) if text else Done()


_READERS: dict[str, Callable[[Fields, Plane, Size], Iterable[Action]]] = {
    "click": partial(_click, "left", 1),
    "left_double": partial(_click, "left", 2),
    "right_single": partial(_click, "right", 1),
    "drag": _drag,
    "hotkey": _hotkey,
    "type": lambda fields, plane, size: [Type(text=fields.text("content"))],
    "scroll": _scroll,
    "wait": lambda fields, plane, size: [Wait(seconds=WAIT_SECONDS)],
    "finished": _finished,
    "call_user": lambda fields, plane, size: [CallUser(text=fields.text("content") if fields.has("content") else "")],
}
_BETWEEN = re.compile(rf"(?<=\))[ \t]*\n\s*(?=(?:{'|'.join(_READERS)})\()")


def _listed() -> str:
    return ", ".join(_READERS)


# --- writing ---------------------------------------------------------------------------------------------------------


def _say(style: _Style, action: Action, size: Size) -> Sequence[str]:
    return [f"Action: {call}" for call in _calls(style, action, size)]


_CLICK_NAMES = {("left", 1): "click", ("left", 2): "left_double", ("right", 1): "right_single"}


def _calls(style: _Style, action: Action, size: Size) -> Sequence[str]:
    match action:
        case Click(point=(x, y), modifiers=()) if (action.button, action.count) in _CLICK_NAMES:
            return [f"{_CLICK_NAMES[action.button, action.count]}({_written(style, style.point, (x, y), size)})"]
        case Drag(path=(start, end), button="left", modifiers=()):
            ends = (_written(style, style.start, start, size), _written(style, style.end, end, size))
            return [f"drag({', '.join(ends)})"]
        case Key(seconds=0, repeat=1):
            return [f"hotkey(key='{' '.join(LOOSE_PYAUTOGUI.write_keys(action.keys))}')"]
        case Type():
            return [f"type(content='{_escaped(action.text)}')"]
        case Scroll(modifiers=()) if not (action.dx and action.dy):
            across, down = action.clicks()
            if (across or down) % SCROLL_CLICKS or not (across or down):
                raise CannotSay(f"it scrolls by {SCROLL_CLICKS} wheel clicks")
            way = ("right" if across > 0 else "left") if across else ("up" if down < 0 else "down")
            where = "" if action.point is None else _written(style, style.point, action.point, size) + ", "
            return [f"scroll({where}direction='{way}')"] * (abs(across or down) // SCROLL_CLICKS)
        case Wait() if action.seconds and action.seconds % WAIT_SECONDS == 0:
            return ["wait()"] * int(action.seconds / WAIT_SECONDS)
        case Wait():
            raise CannotSay(f"a wait of its own takes {WAIT_SECONDS:g} seconds")
        case Answer() if action.text:
            return [f"finished(content='{_escaped(action.text)}')"]
        case Done():
            return ["finished()"]
        case CallUser():
            return [f"call_user(content='{_escaped(action.text)}')" if action.text else "call_user()"]
    raise CannotSay("it has no such action")


def _written(style: _Style, name: str, point: Point, size: Size) -> str:
    return f"{name}='{style.frame.format(*style.plane.from_screen(point, size))}'"


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(character, character) for character in text)


# --- dialects --------------------------------------------------------------------------------------------------------


def _tools(style: _Style, size: Size) -> list[dict[str, Any]]:
    point = f"{style.point}='{style.frame.format('x', 'y')}'"
    start, end = (f"{name}='{style.frame.format('x', 'y')}'" for name in (style.start, style.end))
    usage = [
        ("click", f"click({point})", "click the left button"),
        ("left_double", f"left_double({point})", "double click"),
        ("right_single", f"right_single({point})", "click the right button"),
        ("drag", f"drag({start}, {end})", "drag from one place to another"),
        ("hotkey", "hotkey(key='ctrl c')", "press keys together; a space between them"),
        ("type", "type(content='text')", "type text; \\n at the end presses Enter, \\' is a quote"),
        ("scroll", f"scroll({point}, direction='down')", "turn the wheel up, down, left or right"),
        ("wait", "wait()", f"let {WAIT_SECONDS:g} seconds pass"),
        ("finished", "finished(content='answer')", "end; the content is the answer, if one was asked for"),
        ("call_user", "call_user(content='question')", "ask the person something"),
    ]
    return [{"name": name, "usage": line, "description": words} for name, line, words in usage]


def _dialect(name: str, summary: str, style: _Style) -> Dialect:
    return Dialect(name, summary, partial(_read, style.plane), partial(_say, style), partial(_tools, style))


DIALECTS = (
    _dialect("ui-tars-1.0", "UI-TARS with points, in pixels of the resized picture", _POINTS),
    _dialect("ui-tars-1.5", "UI-TARS with boxes, in pixels of the resized picture", _BOXES),
    _dialect("ui-tars-grid", "UI-TARS with points on a grid of 1000, as its hosted models write", _GRID_POINTS),
)
