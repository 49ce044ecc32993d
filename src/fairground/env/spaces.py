"""Gymnasium spaces: an action space whose samples are valid canonical actions, and text in any script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from fairground.core import (
    Action,
    Answer,
    Button,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    InvalidAction,
    Key,
    Look,
    MouseDown,
    MouseUp,
    Move,
    Scroll,
    Type,
    Wait,
    from_pixel,
    parse_action,
)

KINDS = (
    "click", "double_click", "triple_click", "move", "mouse_down", "mouse_up", "drag", "scroll", "key", "type",
    "wait", "look", "answer", "call_user", "done", "fail",
)  # fmt: skip
BUTTONS: tuple[Button, ...] = ("left", "middle", "right")
MODIFIERS = ("ctrl", "alt", "shift", "super")
KEYS = (
    "enter", "tab", "space", "backspace", "delete", "escape", "insert", "home", "end", "pageup", "pagedown", "up",
    "down", "left", "right", *(f"f{number}" for number in range(1, 13)), *"abcdefghijklmnopqrstuvwxyz0123456789",
    *"-=[]\\;',./`",
)  # fmt: skip
_PRINTABLE = "".join(chr(code) for code in range(32, 127)) + "\n"
_MAX_TEXT = 256
_MAX_CLICKS = 10


def action_space() -> spaces.Dict:
    """Return a dictionary space with an entry for every parameter of any action kind. Each kind ignores the others."""
    return spaces.Dict(
        {
            "kind": spaces.Discrete(len(KINDS)),
            "point": spaces.Box(0, 1, (2,), np.float32),
            "end": spaces.Box(0, 1, (2,), np.float32),
            "button": spaces.Discrete(len(BUTTONS)),
            "modifiers": spaces.MultiBinary(len(MODIFIERS)),
            "scroll": spaces.MultiDiscrete([2 * _MAX_CLICKS + 1] * 2, start=[-_MAX_CLICKS] * 2),
            "key": spaces.Discrete(len(KEYS)),
            "text": spaces.Text(_MAX_TEXT, min_length=0, charset=_PRINTABLE),
            "seconds": spaces.Box(0, 1, (1,), np.float32),
        }
    )


def decode_action(sample: Any) -> Action:
    """Convert a sample of `action_space` to a canonical action. Also accepts a canonical action and its plain form."""
    if not isinstance(sample, Mapping) or isinstance(sample.get("kind"), str):
        return parse_action(sample)
    try:
        kind = KINDS[int(sample["kind"])]
        point = tuple(float(value) for value in sample["point"])
        end = tuple(float(value) for value in sample["end"])
        button = BUTTONS[int(sample["button"])]
        held = tuple(name for name, on in zip(MODIFIERS, sample["modifiers"], strict=True) if on)
        dx, dy = (int(value) for value in sample["scroll"])
        key = KEYS[int(sample["key"])]
        text = str(sample["text"])
        seconds = float(sample["seconds"][0])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidAction(f"not a sample of the action space: {type(error).__name__}: {error}") from None
    pointed: dict[str, Any] = {"point": point, "space": "unit", "modifiers": held}
    counts = {"click": 1, "double_click": 2, "triple_click": 3}
    if kind in counts:
        return Click(**pointed, button=button, count=counts[kind])
    if kind == "drag":
        return Drag(path=(point, end), space="unit", button=button, modifiers=held)  # type: ignore[arg-type]
    simple: dict[str, Action] = {
        "move": Move(**pointed),
        "mouse_down": MouseDown(**pointed, button=button),
        "mouse_up": MouseUp(**pointed, button=button),
        "scroll": Scroll(**pointed, dx=dx, dy=dy),
        "key": Key(keys=(*held, key)),
        "type": Type(text=text),
        "wait": Wait(seconds=seconds),
        "look": Look(),
        "answer": Answer(text=text),
        "call_user": CallUser(text=text),
        "done": Done(),
        "fail": Fail(),
    }
    return simple[kind]


def encode_action(action: Action, size: tuple[int, int]) -> dict[str, Any]:
    """Convert a canonical action to a sample of `action_space`, for training on recorded episodes.

    Raises:
        InvalidAction: The space cannot express the action (held keys, paths of many points, other scripts).
    """
    sample: dict[str, Any] = {
        "kind": 0,
        "point": np.zeros(2, np.float32),
        "end": np.zeros(2, np.float32),
        "button": 0,
        "modifiers": np.zeros(len(MODIFIERS), np.int8),
        "scroll": np.zeros(2, np.int64),
        "key": 0,
        "text": "",
        "seconds": np.zeros(1, np.float32),
    }
    kind: str = action.kind
    pixels = action.to_pixels(*size)
    try:
        if isinstance(pixels, Click):
            kind = ("click", "double_click", "triple_click")[pixels.count - 1]
        if pixels.points and not isinstance(pixels, Look):
            sample["point"] = np.array(from_pixel(pixels.points[0], "unit", *size), np.float32)
        if isinstance(pixels, Drag):
            if len(pixels.path) != 2:
                raise ValueError("a path of more than two points")
            sample["end"] = np.array(from_pixel(pixels.path[1], "unit", *size), np.float32)
        if isinstance(pixels, Click | MouseDown | MouseUp | Drag):
            sample["button"] = BUTTONS.index(pixels.button)
        if isinstance(pixels, Scroll):
            sample["scroll"] = np.clip(np.array(pixels.clicks(), np.int64), -_MAX_CLICKS, _MAX_CLICKS)
        held: tuple[str, ...] = getattr(pixels, "modifiers", ())
        if isinstance(pixels, Key):
            held, sample["key"] = pixels.keys[:-1], KEYS.index(pixels.keys[-1])
        for name in held:
            sample["modifiers"][MODIFIERS.index(name)] = 1
        if isinstance(pixels, Type | Answer | CallUser):
            if len(pixels.text) > _MAX_TEXT or set(pixels.text) - set(_PRINTABLE):
                raise ValueError("text that is too long or not ASCII")
            sample["text"] = pixels.text
        if isinstance(pixels, Wait):
            sample["seconds"] = np.array([min(pixels.seconds, 1)], np.float32)
        sample["kind"] = KINDS.index(kind)
    except ValueError as error:
        raise InvalidAction(f"{action.kind} cannot be expressed in the action space: {error}") from None
    return sample


class AnyText(spaces.Space[str]):
    """Text in any script up to a maximum length. `gymnasium.spaces.Text` would need a list of all characters."""

    def __init__(self, max_length: int, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(dtype=str, seed=seed)
        self.max_length = max_length

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "".join(self.np_random.choice(list(_PRINTABLE), size=int(self.np_random.integers(0, 32))))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText) and other.max_length == self.max_length

    def __repr__(self) -> str:
        return f"AnyText({self.max_length})"
