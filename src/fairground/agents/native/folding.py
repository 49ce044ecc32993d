"""Combine consecutive small actions into larger ones, so that a block of code costs as few steps as possible."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Action, Click, Drag, KeyDown, KeyUp, MouseDown, MouseUp, Move, Scroll, is_modifier


def fold(actions: Sequence[Action]) -> list[Action]:
    """Combine move, press, moves and release into drags; and modifier keys around a click, drag, move or scroll."""
    return _fold_held(_fold_drags(actions))


def _fold_drags(actions: Sequence[Action]) -> list[Action]:
    folded: list[Action] = []
    at = 0
    while at < len(actions):
        drag, length = _drag_at(actions, at)
        folded.append(actions[at] if drag is None else drag)
        at += length
    return folded


def _drag_at(actions: Sequence[Action], at: int) -> tuple[Drag | None, int]:
    first, press = actions[at], actions[at + 1] if at + 1 < len(actions) else None
    if not (isinstance(first, Move) and first.points and isinstance(press, MouseDown) and press.point is None):
        return None, 1
    path, end = list(first.points), at + 2
    while end < len(actions) and isinstance(move := actions[end], Move):
        path += move.points
        end += 1
    release = actions[end] if end < len(actions) else None
    if not (isinstance(release, MouseUp) and release.button == press.button) or len(path) < 2:
        return None, 1
    if release.point is not None and release.point != path[-1]:
        path.append(release.point)
    return Drag(path=tuple(path), button=press.button), end + 1 - at


def _fold_held(actions: Sequence[Action]) -> list[Action]:
    combined: list[Action] = []
    at = 0
    while at < len(actions):
        folded, length = _held_at(actions, at)
        combined.append(actions[at] if folded is None else folded)
        at += length
    return combined


def _held_at(actions: Sequence[Action], at: int) -> tuple[Action | None, int]:
    end, keys = at, []
    while end < len(actions) and isinstance(down := actions[end], KeyDown) and is_modifier(down.key):
        keys.append(down.key)
        end += 1
    ups = actions[end + 1 : end + 1 + len(keys)]
    if not keys or len(set(keys)) < len(keys) or [up.key for up in ups if isinstance(up, KeyUp)] != keys[::-1]:
        return None, 1
    inner = actions[end]
    if not isinstance(inner, Click | Drag | Move | Scroll) or inner.modifiers:
        return None, 1
    return inner.model_copy(update={"modifiers": tuple(keys)}), end + 1 + len(keys) - at
