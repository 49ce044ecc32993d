"""Qwen3-VL's computer_use, by hand and both ways."""

import json
from typing import Any

import pytest

from fairground.agents.native import Inexpressible, dialect
from fairground.core import (
    Action,
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    InvalidAction,
    Key,
    KeyDown,
    MouseDown,
    MouseUp,
    Move,
    Scroll,
    Type,
    Wait,
)

SIZE = (1000, 1000)  # as fine as the grid
NAMES = ("qwen3-vl", "qwen3-vl-absolute")

BOTH_WAYS: list[tuple[dict[str, Any], Action]] = [
    ({"action": "left_click", "coordinate": [0, 999]}, Click(point=(0, 999))),
    ({"action": "right_click", "coordinate": [10, 20]}, Click(point=(10, 20), button="right")),
    ({"action": "middle_click", "coordinate": [10, 20]}, Click(point=(10, 20), button="middle")),
    ({"action": "double_click", "coordinate": [10, 20]}, Click(point=(10, 20), count=2)),
    ({"action": "triple_click", "coordinate": [10, 20]}, Click(point=(10, 20), count=3)),
    ({"action": "mouse_move", "coordinate": [10, 20]}, Move(point=(10, 20))),
    ({"action": "scroll", "pixels": -240}, Scroll(dy=240, unit="pixels")),
    ({"action": "scroll", "pixels": 240}, Scroll(dy=-240, unit="pixels")),
    ({"action": "hscroll", "pixels": 240}, Scroll(dx=240, unit="pixels")),
    ({"action": "key", "keys": ["ctrl", "shift", "t"]}, Key(keys=("ctrl", "shift", "t"))),
    ({"action": "key", "keys": ["esc"]}, Key(keys=("escape",))),
    ({"action": "type", "text": 'say "</tool>" 漢字\n'}, Type(text='say "</tool>" 漢字\n')),
    ({"action": "wait", "time": 1.5}, Wait(seconds=1.5)),
    ({"action": "terminate", "status": "success"}, Done()),
    ({"action": "terminate", "status": "failure"}, Fail()),
    ({"action": "answer", "text": "42"}, Answer(text="42")),
]


def call(arguments: Any) -> str:
    body = json.dumps({"name": "computer_use", "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("arguments", "action"), BOTH_WAYS)
def test_each_action_is_read_and_written(name: str, arguments: dict[str, Any], action: Action) -> None:
    assert dialect(name).parse(f"I see.\n{call(arguments)}", SIZE) == (action,)
    assert dialect(name).write(action, SIZE) == (call(arguments),)


def test_a_call_that_a_server_took_apart_is_read_too() -> None:
    arguments = {"action": "left_click", "coordinate": [1, 2]}
    for form in (arguments, json.dumps(arguments)):
        native = {"name": "computer_use", "arguments": form}
        assert dialect("qwen3-vl").parse(native, SIZE) == (Click(point=(1, 2)),)


def test_the_grid_reaches_both_ends_of_the_screen() -> None:
    native = call({"action": "left_click", "coordinate": [999, 999]})
    assert dialect("qwen3-vl").parse(native, (1920, 1080)) == (Click(point=(1919, 1079)),)
    assert dialect("qwen3-vl-absolute").parse(native, (1920, 1080)) == (Click(point=(999, 999)),)


def test_a_drag_starts_where_the_pointer_is() -> None:
    native = call({"action": "left_click_drag", "coordinate": [10, 20]})
    assert dialect("qwen3-vl").parse(native, SIZE) == (MouseDown(), Move(point=(10, 20)), MouseUp())
    written = dialect("qwen3-vl").write(Drag(path=((1, 2), (10, 20))), SIZE)
    assert written == (call({"action": "mouse_move", "coordinate": [1, 2]}), native)


def test_a_scroll_at_a_place_goes_there_first() -> None:
    written = dialect("qwen3-vl").write(Scroll(point=(1, 2), dy=2), SIZE)
    expected = ({"action": "mouse_move", "coordinate": [1, 2]}, {"action": "scroll", "pixels": -240})
    assert written == tuple(map(call, expected))


def test_several_calls_and_a_missing_end_are_read() -> None:
    text = call({"action": "left_click"}) + "then" + call({"action": "type", "text": "x"}).removesuffix("</tool_call>")
    assert dialect("qwen3-vl").parse(text, SIZE) == (Click(), Type(text="x"))


@pytest.mark.parametrize(
    ("native", "complaint"),
    [
        ("I would click.", "found no tool call"),
        ("<tool_call>{'a': 1}</tool_call>", "tool_call: not valid JSON"),
        ('<tool_call>{"a": 1, "a": 2}</tool_call>', "'a' appears twice"),
        ("<tool_call>NaN</tool_call>", "NaN is not a number"),
        ("<tool_call>[]</tool_call>", "expected a call named 'computer_use', found a list of 0"),
        ("<tool_call>" + "[" * 5000 + "</tool_call>", "tool_call: not valid JSON"),
        ("<tool_call>" + "[" * 50 + "]" * 50 + "</tool_call>", "nested deeper than 16"),
        ('<tool_call>{"name": "browse", "arguments": {}}</tool_call>', "found 'browse'"),
        (call({"action": "left_clic"}), "unknown action 'left_clic'\n  fix: did you mean left_click"),
        (call({"action": "left_click", "coordinate": [1000, 0]}), "off the 1000x1000 screen"),
        (call({"action": "left_click", "coordinate": [1.5, 0]}), "expected a whole number, found 1.5"),
        (call({"action": "mouse_move"}), "coordinate is required, and missing"),
        (call({"action": "scroll", "pixels": 10**6}), "20000"),
        (call({"action": "key", "keys": "ctrl"}), "expected a list of texts"),
        (call({"action": "terminate", "status": "maybe"}), "expected one of success, failure"),
        (call({"action": "wait", "time": -1}), "wait.seconds"),
        (call([1]), "arguments: expected an object with fields"),
        (call(json.dumps("{")), "tool_call.arguments|expected an object"),
        (3, "expected a call named 'computer_use', found 3"),
    ],
)
def test_a_mistake_comes_back_with_what_was_found_and_expected(native: Any, complaint: str) -> None:
    with pytest.raises(InvalidAction, match=complaint):
        dialect("qwen3-vl").parse(native, SIZE)


@pytest.mark.parametrize("action", [Click(), MouseDown(), KeyDown(key="a"), CallUser(), Click(button="back")])
def test_what_it_lacks_is_inexpressible(action: Action) -> None:
    with pytest.raises(Inexpressible, match=f"qwen3-vl cannot express {action.kind}"):
        dialect("qwen3-vl").write(action, SIZE)
