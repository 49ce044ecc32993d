"""Descriptions of actions and checks, used on pages, contact sheets and in terminals."""

from __future__ import annotations

import json
from typing import Any

from fairground.core import (
    Action,
    Answer,
    CallUser,
    Check,
    Click,
    Drag,
    Fail,
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
)

_TIMES = {1: "click", 2: "double-click", 3: "triple-click"}
_VISIBLE = {ord("\n"): "⏎", ord("\r"): "⏎", ord("\t"): "⇥"}


def describe(action: Action, *, limit: int = 48) -> str:
    """Return a short description on one line, such as `click (120, 45)` or `press ctrl+s`.

    Args:
        action: Any action.
        limit: Maximum number of characters of typed text to quote.
    """
    match action:
        case Click():
            button = "" if action.button == "left" else f"{action.button}-"
            return f"{_held(action.modifiers)}{button}{_TIMES[action.count]}{_at(action.point, action.space)}"
        case Move():
            return f"{_held(action.modifiers)}move to{_at(action.point, action.space)}"
        case MouseDown():
            return f"{_held(action.modifiers)}hold {action.button} button{_at(action.point, action.space)}"
        case MouseUp():
            return f"{_held(action.modifiers)}release {action.button} button{_at(action.point, action.space)}"
        case Scroll():
            return f"{_held(action.modifiers)}scroll {_amount(action)}{_at(action.point, action.space)}"
        case Drag():
            button = "" if action.button == "left" else f"{action.button}-"
            bends = f" through {len(action.path) - 2} more" if len(action.path) > 2 else ""
            path = f"{_point(action.path[0])} to {_point(action.path[-1])}{_space(action.space)}"
            return f"{_held(action.modifiers)}{button}drag {path}{bends}"
        case Key():
            times = f" {action.repeat} times" if action.repeat > 1 else ""
            held = f" for {action.seconds:g} s" if action.seconds else ""
            return f"press {'+'.join(action.keys)}{times}{held}"
        case KeyDown():
            return f"hold {action.key}"
        case KeyUp():
            return f"release {action.key}"
        case Type():
            return f"type {quote(action.text, limit)}"
        case Wait():
            return f"wait {action.seconds:g} s"
        case Look():
            if action.region is None:
                return "look"
            return f"look at {_point(action.region[:2])} to {_point(action.region[2:])}{_space(action.space)}"
        case Answer():
            return f"answer {quote(action.text, limit)}"
        case CallUser():
            return f"ask the user {quote(action.text, limit)}" if action.text else "ask the user"
        case Fail():
            return f"give up: {quote(action.reason, limit)}" if action.reason else "give up"
        case _:
            return "done"


def quote(text: str, limit: int = 48) -> str:
    """Quote text on one line: line breaks and tabs become visible, and long text is shortened."""
    shown = text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"
    return "'" + "".join(c if c.isprintable() else "·" for c in shown.translate(_VISIBLE)) + "'"


def evidence(value: Any, *, indent: int | None = None) -> str:
    """Format what a check expected or found: `nothing` for null, plain text as it is, anything else as JSON."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return value if value.strip() == value and value else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=indent, default=repr)


def worth(check: Check, total: float) -> str:
    """Return what a check counts for, and whether its evidence is weak."""
    share = f"{check.weight / total:.0%} of the reward" if check.weight else ""
    weak = "weak evidence: the running program's answer" if check.weak else ""
    return ", ".join(filter(None, ("guard" if check.integrity else "", share, weak)))


def in_a_line(error: str) -> str:
    """Return an error as one line: its first line, and its last line too if the first only announces it."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):
        return f"{lines[0]} {lines[-1]}"
    return lines[0] if lines else ""


def _amount(scroll: Scroll) -> str:
    unit = " px" if scroll.unit == "pixels" else ""
    parts = []
    if scroll.dy:
        parts.append(f"{'down' if scroll.dy > 0 else 'up'} {abs(scroll.dy):g}{unit}")
    if scroll.dx:
        parts.append(f"{'right' if scroll.dx > 0 else 'left'} {abs(scroll.dx):g}{unit}")
    return " and ".join(parts) or "by 0"


def _held(modifiers: tuple[str, ...]) -> str:
    return "".join(f"{key}+" for key in modifiers)


def _at(point: Point | None, space: str) -> str:
    return " at the pointer" if point is None else f" {_point(point)}{_space(space)}"


def _point(point: Point) -> str:
    x, y = (f"{round(value, 3):g}" if abs(value) < 1e5 else f"{value:.0f}" for value in point)
    return f"({x}, {y})"


def _space(space: str) -> str:
    return "" if space == "pixels" else f" {space}"
