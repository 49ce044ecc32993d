"""Anthropic's computer tool: `computer_20250124`, `computer_20251124` and `computer_toolset_20260801`.

A native call is a `tool_use` block. For the two older tools, the block is named `computer` and its input contains the
action (the input alone is accepted too). For the toolset, the block itself is named after the action.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from fairground.agents.native.dialect import CannotSay, Dialect, Size
from fairground.agents.native.fields import Fields
from fairground.agents.native.limits import MAX_ACTIONS, shown
from fairground.agents.native.spelling import XDOTOOL
from fairground.core import (
    Action,
    Click,
    Drag,
    InvalidAction,
    Key,
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

_Reader = Callable[[Fields], Iterable[Action]]
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_CLICKS: dict[tuple[str, int], str] = {
    ("left", 1): "left_click",
    ("right", 1): "right_click",
    ("middle", 1): "middle_click",
    ("left", 2): "double_click",
    ("left", 3): "triple_click",
}


# --- reading ---------------------------------------------------------------------------------------------------------


def _read_tool(readers: Mapping[str, _Reader], native: Any, size: Size) -> Iterable[Action]:
    block = native
    if isinstance(native, dict) and "input" in native:
        if native.get("name") != "computer":
            raise InvalidAction(f"expected a call of the tool 'computer', found {shown(native.get('name'))}")
        block = native["input"]
    fields = Fields(block, "input")
    return _read(readers, fields.text("action"), fields)


def _read_member(readers: Mapping[str, _Reader], native: Any, size: Size) -> Iterable[Action]:
    if not isinstance(native, dict) or not isinstance(native.get("name"), str):
        raise InvalidAction(f"expected a tool_use block with a name and an input, found {shown(native)}")
    if native.get("toolset_name") not in (None, "computer"):
        raise InvalidAction(f"expected a call of the toolset 'computer', found {shown(native['toolset_name'])}")
    return _read(readers, native["name"], Fields(native.get("input"), "input"))


def _read(readers: Mapping[str, _Reader], name: str, fields: Fields) -> Iterable[Action]:
    if name not in readers:
        raise unknown("action", name[:40], readers)
    fields.where = name
    actions = tuple(readers[name](fields))
    fields.end()
    return actions


def _point(fields: Fields) -> Point | None:
    return fields.pair("coordinate") if fields.has("coordinate") else None


def _held(fields: Fields) -> tuple[str, ...]:
    return XDOTOOL.read_chord(fields.text("text")) if fields.has("text") else ()


def _click(button: Any, count: int, fields: Fields) -> Iterable[Action]:
    yield Click(point=_point(fields), button=button, count=count, modifiers=_held(fields))


def _drag(fields: Fields) -> Iterable[Action]:
    yield Drag(path=(fields.pair("start_coordinate"), fields.pair("coordinate")), modifiers=_held(fields))


def _scroll(fields: Fields) -> Iterable[Action]:
    across, down = _DIRECTIONS[fields.choice("scroll_direction", _DIRECTIONS)]
    amount = fields.whole("scroll_amount")
    if amount < 0:
        raise InvalidAction(f"scroll.scroll_amount: expected 0 or more wheel clicks, found {amount}")
    yield Scroll(point=_point(fields), dx=across * amount, dy=down * amount, modifiers=_held(fields))


def _key(fields: Fields) -> Iterable[Action]:
    """Yield keys. Several chords (`Down Down`) are allowed, as in xdotool; equal consecutive chords are one action."""
    text = fields.text("text")
    repeat = fields.whole("repeat") if fields.has("repeat") else 1
    try:
        chords = [XDOTOOL.read_chord(text)]
    except InvalidAction:
        words = text.split()
        if not 2 <= len(words) <= MAX_ACTIONS:
            raise
        chords = list(map(XDOTOOL.read_chord, words))
    runs = [(keys, len(list(run))) for keys, run in itertools.groupby(chords)]
    if len(runs) == 1:
        yield Key(keys=runs[0][0], repeat=runs[0][1] * repeat)
    else:
        Key(keys=runs[0][0], repeat=repeat)  # rejects too many repetitions
        yield from [Key(keys=keys, repeat=count) for keys, count in runs] * repeat


def _hold_key(fields: Fields) -> Iterable[Action]:
    yield Key(keys=XDOTOOL.read_chord(fields.text("text")), seconds=fields.number("duration"))


def _zoom(fields: Fields) -> Iterable[Action]:
    left, top, right, bottom = fields.wholes("region", 4)
    yield Look(region=(left, top, right, bottom))


_READERS: dict[str, _Reader] = {
    "key": _key,
    "hold_key": _hold_key,
    "type": lambda fields: [Type(text=fields.text("text"))],
    "cursor_position": lambda fields: [Look()],  # the observation has the pointer's position
    "mouse_move": lambda fields: [Move(point=fields.pair("coordinate"))],
    "left_mouse_down": lambda fields: [MouseDown()],
    "left_mouse_up": lambda fields: [MouseUp()],
    "left_click": partial(_click, "left", 1),
    "left_click_drag": _drag,
    "right_click": partial(_click, "right", 1),
    "middle_click": partial(_click, "middle", 1),
    "double_click": partial(_click, "left", 2),
    "triple_click": partial(_click, "left", 3),
    "scroll": _scroll,
    "wait": lambda fields: [Wait(seconds=fields.number("duration"))],
    "screenshot": lambda fields: [Look()],
}
_WITH_ZOOM = _READERS | {"zoom": _zoom}


# --- writing ---------------------------------------------------------------------------------------------------------


def _say(readers: Mapping[str, _Reader], wrap: Callable[[str, dict[str, Any]], Any], action: Action) -> Sequence[Any]:
    calls = _calls(action)
    for name, _ in calls:
        if name not in readers:
            raise CannotSay(f"it has no {name}")
    return [wrap(name, fields) for name, fields in calls]


def _calls(action: Action) -> list[tuple[str, dict[str, Any]]]:
    match action:
        case Click() if (action.button, action.count) in _CLICKS:
            return [(_CLICKS[action.button, action.count], _at(action.point) | _holding(action.modifiers))]
        case Move() if action.point is not None and not action.modifiers:
            return [("mouse_move", _at(action.point))]
        case MouseDown() | MouseUp() if action.button == "left" and action.point is None and not action.modifiers:
            return [("left_mouse_down" if action.kind == "mouse_down" else "left_mouse_up", {})]
        case Scroll() if not (action.dx and action.dy):
            across, down = action.clicks()
            direction = ("right" if across > 0 else "left") if across else ("up" if down < 0 else "down")
            amount = {"scroll_direction": direction, "scroll_amount": abs(across or down)}
            return [("scroll", amount | _at(action.point) | _holding(action.modifiers))]
        case Drag() if action.button == "left" and len(action.path) == 2:
            ends = {"start_coordinate": list(action.path[0]), "coordinate": list(action.path[1])}
            return [("left_click_drag", ends | _holding(action.modifiers))]
        case Key(seconds=0):
            chord: dict[str, Any] = {"text": "+".join(XDOTOOL.write_keys(action.keys))}
            return [("key", chord | ({"repeat": action.repeat} if action.repeat > 1 else {}))]
        case Key():
            chord = {"text": "+".join(XDOTOOL.write_keys(action.keys)), "duration": _seconds(action.seconds)}
            return [("hold_key", chord)] * action.repeat
        case Type():
            return [("type", {"text": action.text})]
        case Wait():
            return [("wait", {"duration": _seconds(action.seconds)})]
        case Look(region=None):
            return [("screenshot", {})]
        case Look(region=(left, top, right, bottom)):
            return [("zoom", {"region": [int(left), int(top), int(right), int(bottom)]})]
    raise CannotSay("it has no such action")


def _at(point: Point | None) -> dict[str, Any]:
    return {} if point is None else {"coordinate": list(point)}


def _holding(modifiers: tuple[str, ...]) -> dict[str, Any]:
    return {"text": "+".join(XDOTOOL.write_keys(modifiers))} if modifiers else {}


def _seconds(seconds: float) -> int:
    if seconds != int(seconds):
        raise CannotSay("its durations are whole seconds")
    return int(seconds)


def _tool_call(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "name": "computer", "input": {"action": name, **fields}}


def _member_call(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "toolset_name": "computer", "input": fields}


# --- dialects --------------------------------------------------------------------------------------------------------


def _tool(version: str, size: Size) -> list[dict[str, Any]]:
    tool = {"type": version, "name": "computer", "display_width_px": size[0], "display_height_px": size[1]}
    return [tool | ({"enable_zoom": True} if version == "computer_20251124" else {})]


def _dialect(version: str, readers: Mapping[str, _Reader]) -> Dialect:
    return Dialect(
        name=version.replace("computer_", "anthropic-"),
        summary=f"Anthropic's {version}",
        read=partial(_read_tool, readers),
        say=lambda action, size: _say(readers, _tool_call, action),
        tools=partial(_tool, version),
    )


DIALECTS = (
    _dialect("computer_20250124", _READERS),
    _dialect("computer_20251124", _WITH_ZOOM),
    Dialect(
        name="anthropic-toolset-20260801",
        summary="Anthropic's computer_toolset_20260801",
        read=partial(_read_member, _WITH_ZOOM),
        say=lambda action, size: _say(_WITH_ZOOM, _member_call, action),
        tools=lambda size: [{"type": "computer_toolset_20260801"}],
    ),
)
