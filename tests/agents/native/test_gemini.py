"""Gemini's function names, the first and the later ones, by hand and both ways."""

from typing import Any

import pytest
from google.genai import types

from fairground.agents.native import Inexpressible, dialect
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
    Scroll,
    Type,
    Wait,
)

SIZE = (1000, 500)  # a pixel is a grid line across, and two of them down, of which the second is nearer its middle

OLDER: list[tuple[str, dict[str, Any], Action]] = [
    ("click_at", {"x": 500, "y": 501}, Click(point=(500, 250))),
    ("hover_at", {"x": 999, "y": 999}, Move(point=(999, 499))),
    (
        "drag_and_drop",
        {"x": 0, "y": 1, "destination_x": 10, "destination_y": 21},
        Drag(path=((0, 0), (10, 10))),
    ),
    ("key_combination", {"keys": "control+a"}, Key(keys=("ctrl", "a"))),
    ("key_combination", {"keys": "enter"}, Key(keys=("enter",))),
    ("wait_5_seconds", {}, Wait(seconds=5)),
]
NEWER: list[tuple[str, dict[str, Any], Action]] = [
    ("click", {"x": 500, "y": 501}, Click(point=(500, 250))),
    ("double_click", {"x": 1, "y": 3}, Click(point=(1, 1), count=2)),
    ("triple_click", {"x": 1, "y": 3}, Click(point=(1, 1), count=3)),
    ("middle_click", {"x": 1, "y": 3}, Click(point=(1, 1), button="middle")),
    ("right_click", {"x": 1, "y": 3}, Click(point=(1, 1), button="right")),
    ("mouse_down", {"x": 1, "y": 3}, MouseDown(point=(1, 1))),
    ("mouse_up", {"x": 1, "y": 3}, MouseUp(point=(1, 1))),
    ("move", {"x": 1, "y": 3}, Move(point=(1, 1))),
    ("type", {"text": "hi", "press_enter": False}, Type(text="hi")),
    ("press_key", {"key": "pagedown"}, Key(keys=("pagedown",))),
    ("key_down", {"key": "shift"}, KeyDown(key="shift")),
    ("key_up", {"key": "shift"}, KeyUp(key="shift")),
    ("hotkey", {"keys": ["control", "shift", "t"]}, Key(keys=("ctrl", "shift", "t"))),
    (
        "scroll",
        {"x": 1, "y": 3, "direction": "down", "magnitude_in_pixels": 360},
        Scroll(point=(1, 1), dy=360, unit="pixels"),
    ),
    (
        "drag_and_drop",
        {"start_x": 0, "start_y": 1, "end_x": 10, "end_y": 21},
        Drag(path=((0, 0), (10, 10))),
    ),
    ("wait", {"seconds": 3}, Wait(seconds=3)),
    ("take_screenshot", {}, Look()),
]
BOTH_WAYS = [("gemini-2.5", *row) for row in OLDER] + [("gemini-3.5", *row) for row in NEWER]


@pytest.mark.parametrize(("name", "function", "args", "action"), BOTH_WAYS)
def test_each_function_is_read_and_written(name: str, function: str, args: dict[str, Any], action: Action) -> None:
    native = {"name": function, "args": args}
    assert dialect(name).parse(native, SIZE) == (action,)
    assert dialect(name).write(action, SIZE) == (native,)


@pytest.mark.parametrize(("name", "function", "args", "action"), BOTH_WAYS)
def test_remarks_and_the_other_name_of_the_arguments_change_nothing(
    name: str, function: str, args: dict[str, Any], action: Action
) -> None:
    remarks = {"intent": "to see", "safety_decision": {"decision": "require_confirmation", "explanation": "why"}}
    native = {"type": "function_call", "id": "1", "name": function, "arguments": args | remarks}
    assert dialect(name).parse(native, SIZE) == (action,)


CLEARED = (Key(keys=("ctrl", "a")), Key(keys=("delete",)))
AT = {"x": 100, "y": 100, "text": "tea"}


@pytest.mark.parametrize(
    ("more", "actions"),
    [
        ({}, (Click(point=(100, 50)), *CLEARED, Type(text="tea\n"))),
        ({"press_enter": False}, (Click(point=(100, 50)), *CLEARED, Type(text="tea"))),
        ({"clear_before_typing": False}, (Click(point=(100, 50)), Type(text="tea\n"))),
        ({"press_enter": False, "clear_before_typing": False}, (Click(point=(100, 50)), Type(text="tea"))),
    ],
)
def test_typing_at_a_place_clicks_clears_types_and_submits(more: dict[str, bool], actions: tuple[Action, ...]) -> None:
    assert dialect("gemini-2.5").parse({"name": "type_text_at", "args": AT | more}, SIZE) == actions


def test_typing_may_submit() -> None:
    native = {"name": "type", "args": {"text": "tea", "press_enter": True}}
    assert dialect("gemini-3.5").parse(native, SIZE) == (Type(text="tea\n"),)


@pytest.mark.parametrize(
    ("name", "function", "args", "scroll"),
    [
        ("gemini-2.5", "scroll_at", {"direction": "down", "magnitude": 400}, Scroll(dy=200, unit="pixels")),
        ("gemini-2.5", "scroll_at", {"direction": "right", "magnitude": 400}, Scroll(dx=400, unit="pixels")),
        ("gemini-2.5", "scroll_at", {"direction": "up"}, Scroll(dy=-400, unit="pixels")),
        ("gemini-3.5", "scroll", {"direction": "left"}, Scroll(dx=-300, unit="pixels")),
        ("gemini-3.5", "scroll", {"direction": "up", "magnitude": 100}, Scroll(dy=-50, unit="pixels")),
        ("gemini-3.5", "scroll", {"direction": "down", "magnitude_in_wheel_clicks": 3}, Scroll(dy=3)),
    ],
)
def test_a_scroll_in_each_of_its_units(name: str, function: str, args: dict[str, Any], scroll: Scroll) -> None:
    native = {"name": function, "args": {"x": 500, "y": 500, **args}}
    assert dialect(name).parse(native, SIZE) == (scroll.model_copy(update={"point": (500, 250)}),)


def test_scrolling_the_document_turns_the_wheel_in_the_middle() -> None:
    native = {"name": "scroll_document", "args": {"direction": "down"}}
    assert dialect("gemini-2.5").parse(native, SIZE) == (Scroll(point=(500, 250), dy=400, unit="pixels"),)


def test_a_long_press_holds_the_button() -> None:
    native = {"name": "long_press", "args": {"x": 0, "y": 0}}
    assert dialect("gemini-3.5").parse(native, SIZE) == (MouseDown(point=(0, 0)), Wait(seconds=2), MouseUp())


@pytest.mark.parametrize("name", ["gemini-2.5", "gemini-3.5"])
@pytest.mark.parametrize("function", ["open_web_browser", "search", "navigate", "go_back", "go_forward", "open_app"])
def test_what_only_a_browser_has_is_refused_with_another_way(name: str, function: str) -> None:
    with pytest.raises(InvalidAction, match=f"{function} is not a function of this screen") as refused:
        dialect(name).parse({"name": function, "args": {"url": "https://example.org"}}, SIZE)
    assert refused.value.fix


def test_functions_that_would_be_refused_are_not_offered() -> None:
    (tool,) = dialect("gemini-2.5").describe_tools(SIZE)
    assert "navigate" in tool["computer_use"]["excluded_predefined_functions"]


def test_modifiers_are_held_by_the_later_names_only() -> None:
    held = Click(point=(1, 1), modifiers=("ctrl", "shift"))
    names = [(call["name"], call["args"].get("key")) for call in dialect("gemini-3.5").write(held, SIZE)]
    assert names == [
        ("key_down", "control"), ("key_down", "shift"), ("click", None), ("key_up", "shift"), ("key_up", "control"),
    ]  # fmt: skip
    with pytest.raises(Inexpressible, match="gemini-2.5 cannot express click"):
        dialect("gemini-2.5").write(held, SIZE)


@pytest.mark.parametrize(
    ("native", "complaint"),
    [
        ({"name": "click", "args": {"x": 1001, "y": 0}}, "off the 1000x500 screen"),
        ({"name": "click", "args": {"x": 1}}, "y is required, and missing"),
        ({"name": "click", "args": {"x": 0.5, "y": 0}}, "expected a whole number, found 0.5"),
        ({"name": "click", "args": []}, "expected an object with fields, found a list of 0"),
        ({"name": "click_at", "args": {"x": 1, "y": 1}}, "unknown function 'click_at'\n  fix: did you mean"),
        ({"name": "scroll", "args": {"x": 1, "y": 1, "direction": "down", "magnitude": -5}}, "expected 0 or more"),
        ({"name": "type", "args": {"text": "a", "press_enter": "yes"}}, "expected true or false, found 'yes'"),
        ({"name": "wait", "args": {"seconds": -2}}, "wait.seconds"),
        ({"name": "press_key", "args": {"key": "any"}}, "unknown key 'any'"),
        ({"args": {}}, "expected a function call with a name and args"),
        ("click", "expected a function call with a name and args, found 'click'"),
    ],
)
def test_a_mistake_comes_back_with_what_was_found_and_expected(native: Any, complaint: str) -> None:
    with pytest.raises(InvalidAction, match=complaint):
        dialect("gemini-3.5").parse(native, SIZE)


def test_tools_have_the_sdks_types() -> None:
    for name in ("gemini-2.5", "gemini-3.5"):
        (tool,) = dialect(name).describe_tools(SIZE)
        assert types.Tool.model_validate(tool).computer_use.environment is not None


def test_a_call_as_the_sdk_gives_it_is_read() -> None:
    call = types.FunctionCall(id="1", name="click", args={"x": 500.0, "y": 500.0, "intent": "press it"})
    assert dialect("gemini-3.5").parse(call.model_dump(), SIZE) == (Click(point=(500, 250)),)
