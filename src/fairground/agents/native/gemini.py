"""Gemini's computer use: the function names of the first models (`click_at`) and of later ones (`click`).

A native call is a function call: a `name`, and `args` (`arguments` in the Interactions API). Coordinates are on a grid
of 1000. Browser-only functions (`navigate`, `search`, `go_back` and similar) are rejected: on a desktop any window may
be in front, and the browser's keys would do something else there. The tool description excludes them, so they are not
offered to a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from fairground.agents.native.coordinates import GRID_1000
from fairground.agents.native.dialect import CannotSay, Dialect, Size
from fairground.agents.native.fields import Fields
from fairground.agents.native.limits import shown
from fairground.agents.native.scrolling import PIXELS_A_CLICK
from fairground.agents.native.spelling import BROWSER
from fairground.core import (
    Action,
    Click,
    Drag,
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

_Reader = Callable[[Fields, Size], Iterable[Action]]
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_REMARKS = ("intent", "safety_decision")  # may accompany any call; the conversation handles them
_PAGE = 800  # default scroll distance of older models, in grid lines
_PIXELS = 300  # default scroll distance of newer models, in pixels
_FARTHEST = 999  # maximum distance on the grid, and in pixels of one scroll

_BROWSER_ONLY = {
    "open_web_browser": "click the browser's icon",
    "search": "go to a search page as a person would",
    "navigate": "click the address bar, type the address and press enter",
    "go_back": "press alt+left",
    "go_forward": "press alt+right",
    "open_app": "click the app's icon",
    "list_apps": "look at the screen",
}


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(readers: Mapping[str, _Reader], native: Any, size: Size) -> Iterable[Action]:
    if not isinstance(native, dict) or not isinstance(native.get("name"), str):
        raise InvalidAction(f"expected a function call with a name and args, found {shown(native)}")
    name = native["name"]
    if name in _BROWSER_ONLY:
        raise InvalidAction(f"{name} is not a function of this screen, which may show any app", fix=_BROWSER_ONLY[name])
    if name not in readers:
        raise unknown("function", name[:40], readers)
    given = native["args"] if native.get("args") is not None else native.get("arguments")
    fields = Fields({} if given is None else given, name)
    for remark in _REMARKS:
        if fields.has(remark):
            fields.take(remark)
    actions = tuple(readers[name](fields, size))
    fields.end()
    return actions


def _point(fields: Fields, size: Size, x: str = "x", y: str = "y") -> Point:
    return GRID_1000.to_screen((fields.whole(x), fields.whole(y)), size)


def _click(button: Any, count: int, fields: Fields, size: Size) -> Iterable[Action]:
    yield Click(point=_point(fields, size), button=button, count=count)


def _move(fields: Fields, size: Size) -> Iterable[Action]:
    yield Move(point=_point(fields, size))


def _type_at(fields: Fields, size: Size) -> Iterable[Action]:
    yield Click(point=_point(fields, size))
    if fields.flag("clear_before_typing", True):
        yield Key(keys=("ctrl", "a"))
        yield Key(keys=("delete",))
    yield from _type(fields, enter=True)


def _type(fields: Fields, *, enter: bool) -> Iterable[Action]:
    yield Type(text=fields.text("text") + ("\n" if fields.flag("press_enter", enter) else ""))


def _drag(fields: Fields, size: Size) -> Iterable[Action]:
    if fields.has("start_x") or fields.has("start_y"):
        path = (_point(fields, size, "start_x", "start_y"), _point(fields, size, "end_x", "end_y"))
    else:
        path = (_point(fields, size), _point(fields, size, "destination_x", "destination_y"))
    yield Drag(path=path)


def _scroll_document(fields: Fields, size: Size) -> Iterable[Action]:
    """Scroll in the middle of the screen, where a user expects the document."""
    middle = (size[0] // 2, size[1] // 2)
    across, down = _DIRECTIONS[fields.choice("direction", _DIRECTIONS)]
    yield _grid_scroll(middle, across * _PAGE, down * _PAGE, size)


def _scroll_at(fields: Fields, size: Size) -> Iterable[Action]:
    across, down = _DIRECTIONS[fields.choice("direction", _DIRECTIONS)]
    far = _distance(fields, "magnitude") if fields.has("magnitude") else _PAGE
    yield _grid_scroll(_point(fields, size), across * far, down * far, size)


def _scroll(fields: Fields, size: Size) -> Iterable[Action]:
    point, (across, down) = _point(fields, size), _DIRECTIONS[fields.choice("direction", _DIRECTIONS)]
    if fields.has("magnitude"):
        far = _distance(fields, "magnitude")
        yield _grid_scroll(point, across * far, down * far, size)
    elif fields.has("magnitude_in_wheel_clicks"):
        far = _distance(fields, "magnitude_in_wheel_clicks")
        yield Scroll(point=point, dx=across * far, dy=down * far)
    else:
        far = _distance(fields, "magnitude_in_pixels") if fields.has("magnitude_in_pixels") else _PIXELS
        yield Scroll(point=point, dx=across * far, dy=down * far, unit="pixels")


def _distance(fields: Fields, name: str) -> int:
    far = fields.whole(name)
    if far < 0:
        raise InvalidAction(f"{fields.where}.{name}: expected 0 or more, found {far}")
    return far


def _grid_scroll(point: Point, across: int, down: int, size: Size) -> Scroll:
    return Scroll(point=point, dx=across * size[0] / 1000, dy=down * size[1] / 1000, unit="pixels")


def _long_press(fields: Fields, size: Size) -> Iterable[Action]:
    yield MouseDown(point=_point(fields, size))
    yield Wait(seconds=fields.number("seconds") if fields.has("seconds") else 2.0)
    yield MouseUp()


def _wait(fields: Fields, size: Size) -> Iterable[Action]:
    yield Wait(seconds=fields.number("seconds") if fields.has("seconds") else 1.0)


_OLDER: dict[str, _Reader] = {
    "click_at": partial(_click, "left", 1),
    "hover_at": _move,
    "type_text_at": _type_at,
    "scroll_document": _scroll_document,
    "scroll_at": _scroll_at,
    "key_combination": lambda fields, size: [Key(keys=BROWSER.read_chord(fields.text("keys")))],
    "drag_and_drop": _drag,
    "wait_5_seconds": lambda fields, size: [Wait(seconds=5.0)],
}
_NEWER: dict[str, _Reader] = {
    "click": partial(_click, "left", 1),
    "double_click": partial(_click, "left", 2),
    "triple_click": partial(_click, "left", 3),
    "middle_click": partial(_click, "middle", 1),
    "right_click": partial(_click, "right", 1),
    "mouse_down": lambda fields, size: [MouseDown(point=_point(fields, size) if fields.has("x") else None)],
    "mouse_up": lambda fields, size: [MouseUp(point=_point(fields, size) if fields.has("x") else None)],
    "move": _move,
    "type": lambda fields, size: _type(fields, enter=False),
    "press_key": lambda fields, size: [Key(keys=BROWSER.read_chord(fields.text("key")))],
    "key_down": lambda fields, size: [KeyDown(key=BROWSER.read(fields.text("key")))],
    "key_up": lambda fields, size: [KeyUp(key=BROWSER.read(fields.text("key")))],
    "hotkey": lambda fields, size: [Key(keys=BROWSER.read_keys(fields.texts("keys")))],
    "scroll": _scroll,
    "drag_and_drop": _drag,
    "long_press": _long_press,
    "wait": _wait,
    "take_screenshot": lambda fields, size: [Look()],
}


# --- writing ---------------------------------------------------------------------------------------------------------


def _say_older(action: Action, size: Size) -> Sequence[Any]:
    match action:
        case Click(point=(x, y), button="left", count=1, modifiers=()):
            return [_call("click_at", **_at((x, y), size))]
        case Move(point=(x, y), modifiers=()):
            return [_call("hover_at", **_at((x, y), size))]
        case Drag(path=((x, y), (end_x, end_y)), button="left", modifiers=()):
            end = _at((end_x, end_y), size)
            return [_call("drag_and_drop", **_at((x, y), size), destination_x=end["x"], destination_y=end["y"])]
        case Scroll(point=(x, y), modifiers=()) if not (action.dx and action.dy):
            return [
                _call("scroll_at", **_at((x, y), size), direction=way, magnitude=_lines(clicks, side))
                for way, clicks, side in _turns(action, size)
            ]
        case Key(seconds=0, repeat=1):
            return [_call("key_combination", keys="+".join(BROWSER.write_keys(action.keys)))]
        case Wait() if action.seconds and action.seconds % 5 == 0:
            return [_call("wait_5_seconds")] * int(action.seconds / 5)
        case Wait():
            raise CannotSay("a wait of its own takes 5 seconds")
        case Type():
            raise CannotSay("it types only where it clicks first")
    raise CannotSay("it has no such function")


_CLICK_NAMES = {
    ("left", 1): "click",
    ("left", 2): "double_click",
    ("left", 3): "triple_click",
    ("middle", 1): "middle_click",
    ("right", 1): "right_click",
}


def _say_newer(action: Action, size: Size) -> Sequence[Any]:
    match action:
        case Click(point=(x, y), modifiers=()) if (action.button, action.count) in _CLICK_NAMES:
            return [_call(_CLICK_NAMES[action.button, action.count], **_at((x, y), size))]
        case Move(point=(x, y), modifiers=()):
            return [_call("move", **_at((x, y), size))]
        case MouseDown(point=(x, y), button="left", modifiers=()) | MouseUp(point=(x, y), button="left", modifiers=()):
            return [_call(action.kind, **_at((x, y), size))]
        case Drag(path=((x, y), (end_x, end_y)), button="left", modifiers=()):
            start, end = _at((x, y), size), _at((end_x, end_y), size)
            ends = {"start_x": start["x"], "start_y": start["y"], "end_x": end["x"], "end_y": end["y"]}
            return [_call("drag_and_drop", **ends)]
        case Drag(path=path, button="left", modifiers=()):
            # Its mouse_down and mouse_up need a position, so a longer drag is written in parts here.
            moves = (Move(point=point) for point in path[1:])
            parts: list[Action] = [MouseDown(point=path[0]), *moves, MouseUp(point=path[-1])]
            return [call for part in parts for call in _say_newer(part, size)]
        case Scroll(point=(x, y), modifiers=()) if not (action.dx and action.dy):
            return [
                _call("scroll", **_at((x, y), size), direction=way, magnitude_in_pixels=clicks * PIXELS_A_CLICK)
                for way, clicks, _ in _turns(action, (_FARTHEST, _FARTHEST))
            ]
        case Key(keys=(key,), seconds=0, repeat=1) if len(BROWSER.write_keys((key,))) == 1:
            return [_call("press_key", key=BROWSER.write(key))]
        case Key(seconds=0, repeat=1):
            return [_call("hotkey", keys=BROWSER.write_keys(action.keys))]
        case KeyDown() | KeyUp():
            return [_call(action.kind, key=BROWSER.write(action.key))]
        case Type():
            return [_call("type", text=action.text, press_enter=False)]
        case Wait() if action.seconds == int(action.seconds):
            return [_call("wait", seconds=int(action.seconds))]
        case Wait():
            raise CannotSay("its durations are whole seconds")
        case Look(region=None):
            return [_call("take_screenshot")]
    raise CannotSay("it has no such function")


def _call(name: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args}


def _at(pixel: Point, size: Size) -> dict[str, Any]:
    x, y = GRID_1000.from_screen(pixel, size)
    return {"x": x, "y": y}


def _turns(scroll: Scroll, size: Size) -> list[tuple[str, int, int]]:
    """Return direction, wheel clicks and side of the screen per call. No call may scroll farther than the side."""
    across, down = scroll.clicks()
    way = ("right" if across > 0 else "left") if across else ("up" if down < 0 else "down")
    side = size[0] if across else size[1]
    most, left = max(1, side // PIXELS_A_CLICK), abs(across or down)
    full, rest = divmod(left, most)
    return [(way, most, side)] * full + ([(way, rest, side)] if rest or not left else [])


def _lines(clicks: int, side: int) -> int:
    return min(_FARTHEST, round(clicks * PIXELS_A_CLICK * 1000 / side))


# --- dialects --------------------------------------------------------------------------------------------------------


def _tools(environment: str, left_out: Sequence[str], size: Size) -> list[dict[str, Any]]:
    return [{"computer_use": {"environment": environment, "excluded_predefined_functions": list(left_out)}}]


DIALECTS = (
    Dialect(
        name="gemini-2.5",
        summary="Gemini's first names, such as click_at; Gemini 2.5 and 3",
        read=partial(_read, _OLDER),
        say=_say_older,
        tools=partial(
            _tools, "ENVIRONMENT_BROWSER", ("open_web_browser", "search", "navigate", "go_back", "go_forward")
        ),
    ),
    Dialect(
        name="gemini-3.5",
        summary="Gemini's later names, such as click; Gemini 3.5 and later",
        read=partial(_read, _NEWER),
        say=_say_newer,
        tools=partial(_tools, "ENVIRONMENT_DESKTOP", ()),
    ),
)
