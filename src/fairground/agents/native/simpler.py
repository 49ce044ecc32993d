"""Split an action into simpler ones with the same effect, for dialects that cannot express it."""

from __future__ import annotations

from fairground.core import (
    Action,
    Click,
    Drag,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Scroll,
    Wait,
    is_modifier,
)


def simpler(action: Action) -> tuple[Action, ...] | None:
    """Return the parts of an action, closer to raw input. None if it has no parts.

    A double click has none: two separate clicks may be too slow to count as one.
    """
    match action:
        case Click() | Move() | MouseDown() | MouseUp() | Scroll() | Drag() if action.modifiers:
            bare = action.model_copy(update={"modifiers": ()})
            return (*map(_down, action.modifiers), bare, *map(_up, reversed(action.modifiers)))
        case Drag():
            first, *rest = (Move(point=point, space=action.space) for point in action.path)
            return (first, MouseDown(button=action.button), *rest, MouseUp(button=action.button))
        case Scroll() if action.dx and action.dy:
            return (action.model_copy(update={"dx": 0}), action.model_copy(update={"dy": 0}))
        case Click() | MouseDown() | MouseUp() | Scroll() if action.point is not None:
            return (Move(point=action.point, space=action.space), action.model_copy(update={"point": None}))
        case Key() if action.repeat > 1:
            return (action.model_copy(update={"repeat": 1}),) * action.repeat
        case Key() if len(action.keys) > 1 or action.seconds:
            keys = pressed(action.keys)
            held = (Wait(seconds=action.seconds),) if action.seconds else ()
            return (*map(_down, keys), *held, *map(_up, reversed(keys)))
    return None


def as_printed(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Lower the case of letters next to modifiers such as Ctrl: Ctrl+C means the key C, not Ctrl+Shift+C."""
    command = any(is_modifier(key) and not key.startswith("shift") for key in keys)
    return tuple(key.lower() if command and len(key) == len(key.lower()) == 1 else key for key in keys)


def pressed(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of a chord one by one, with Shift before a capital."""
    sequence: list[str] = []
    for key in as_printed(keys):
        capital = is_capital(key)
        if capital and not {"shift", "shift_r"} & {*keys, *sequence}:
            sequence.append("shift")
        sequence.append(key.lower() if capital else key)
    return tuple(sequence)


def is_capital(key: str) -> bool:
    """Return whether a key is an ASCII capital letter."""
    return len(key) == 1 and key.isascii() and key.isupper()


def _down(key: str) -> Action:
    return KeyDown(key=key)


def _up(key: str) -> Action:
    return KeyUp(key=key)
