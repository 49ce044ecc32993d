"""OSWorld's computer_13, by hand and both ways."""

import json
from typing import Any

import pytest

from fairground.agents.native import Inexpressible, dialect
from fairground.core import (
    Action,
    Answer,
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
    Scroll,
    Type,
    Wait,
)

SIZE = (1920, 1080)
OSWORLD = dialect("computer-13")

BOTH_WAYS: list[tuple[str, dict[str, Any], Action]] = [
    ("MOVE_TO", {"x": 1, "y": 2}, Move(point=(1, 2))),
    ("CLICK", {"button": "left", "num_clicks": 1, "x": 1, "y": 2}, Click(point=(1, 2))),
    ("CLICK", {"button": "right", "num_clicks": 3}, Click(button="right", count=3)),
    ("MOUSE_DOWN", {"button": "left"}, MouseDown()),
    ("MOUSE_UP", {"button": "middle"}, MouseUp(button="middle")),
    ("SCROLL", {"dx": 2, "dy": -5}, Scroll(dx=2, dy=5)),
    ("TYPING", {"text": "a\n"}, Type(text="a\n")),
    ("PRESS", {"key": "enter"}, Key(keys=("enter",))),
    ("KEY_DOWN", {"key": "ctrl"}, KeyDown(key="ctrl")),
    ("KEY_UP", {"key": "ctrl"}, KeyUp(key="ctrl")),
    ("HOTKEY", {"keys": ["ctrl", "shift", "t"]}, Key(keys=("ctrl", "shift", "t"))),
    ("WAIT", {}, Wait(seconds=1)),
    ("FAIL", {}, Fail()),
    ("DONE", {}, Done()),
]


@pytest.mark.parametrize(("name", "parameters", "action"), BOTH_WAYS)
def test_each_action_is_read_and_written(name: str, parameters: dict[str, Any], action: Action) -> None:
    native = {"action_type": name, "parameters": parameters}
    assert OSWORLD.write(action, SIZE) == (native,)
    beside = {"action_type": name, **parameters}
    text = f"So:\n```json\n{json.dumps(native)}\n```"
    for form in (native, beside, json.dumps(native), text, [native]):
        assert OSWORLD.parse(form, SIZE) == (action,)


@pytest.mark.parametrize(
    ("native", "actions"),
    [
        ("DONE", (Done(),)),
        ("```\nWAIT\n```", (Wait(seconds=1),)),
        ({"action_type": "CLICK"}, (Click(),)),
        ({"action_type": "CLICK", "x": 1.9, "y": 2.1}, (Click(point=(1, 2)),)),
        ({"action_type": "RIGHT_CLICK", "x": 1, "y": 2}, (Click(point=(1, 2), button="right"),)),
        ({"action_type": "DOUBLE_CLICK"}, (Click(count=2),)),
        ({"action_type": "DRAG_TO", "x": 1, "y": 2}, (MouseDown(), Move(point=(1, 2)), MouseUp())),
        ({"action_type": "SCROLL", "dy": 3}, (Scroll(dy=-3),)),
    ],
)
def test_other_forms_are_read(native: Any, actions: tuple[Action, ...]) -> None:
    assert OSWORLD.parse(native, SIZE) == actions


def test_a_drag_moves_first() -> None:
    written = OSWORLD.write(Drag(path=((1, 2), (3, 4))), SIZE)
    assert [call["action_type"] for call in written] == ["MOVE_TO", "DRAG_TO"]
    longer = OSWORLD.write(Drag(path=((1, 2), (3, 4), (5, 6)), modifiers=("shift",)), SIZE)
    assert [call["action_type"] for call in longer] == [
        "KEY_DOWN", "MOVE_TO", "MOUSE_DOWN", "MOVE_TO", "MOVE_TO", "MOUSE_UP", "KEY_UP",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("native", "complaint"),
    [
        ("done", "action: not valid JSON"),
        ("{}", "expected an object with an action_type, or WAIT, FAIL, DONE; found an object of 0"),
        ({"action_type": "CLIK"}, "unknown action_type 'CLIK'\n  fix: did you mean CLICK"),
        ({"action_type": "CLICK", "x": 1}, "CLICK: y is required, and missing"),
        ({"action_type": "CLICK", "x": 1, "parameters": {"y": 1}}, "expected parameters in one place"),
        ({"action_type": "CLICK", "num_clicks": 4}, "click.count"),
        ({"action_type": "CLICK", "button": "back"}, "expected one of left, right, middle"),
        ({"action_type": "MOVE_TO", "x": 1920, "y": 0}, "off the 1920x1080 screen"),
        ({"action_type": "SCROLL"}, "SCROLL: dy is required, and missing"),
        ({"action_type": "SCROLL", "dy": 1.5}, "expected a whole number, found 1.5"),
        ({"action_type": "HOTKEY", "keys": ["ctrl+c"]}, "unknown key 'ctrl\\+c'"),
        ({"action_type": "WAIT", "seconds": 5}, "unknown field 'seconds'"),
    ],
)
def test_a_mistake_comes_back_with_what_was_found_and_expected(native: Any, complaint: str) -> None:
    with pytest.raises(InvalidAction, match=complaint):
        OSWORLD.parse(native, SIZE)


@pytest.mark.parametrize("action", [Look(), Answer(text="4"), Wait(seconds=0.5), Click(button="forward")])
def test_what_it_lacks_is_inexpressible(action: Action) -> None:
    with pytest.raises(Inexpressible, match=f"computer-13 cannot express {action.kind}"):
        OSWORLD.write(action, SIZE)
