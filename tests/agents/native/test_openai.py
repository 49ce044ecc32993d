"""OpenAI's computer tool and its preview, by hand, both ways, and against the SDK's own types."""

from typing import Any

import pydantic
import pytest
from openai.types import responses as types

from fairground.agents.native import Inexpressible, dialect
from fairground.core import Action, Click, Drag, InvalidAction, Key, KeyDown, Look, MouseDown, Move, Scroll, Type, Wait

SIZE = (1024, 768)
NAMES = ("openai-computer", "openai-preview")

BOTH_WAYS: list[tuple[dict[str, Any], Action]] = [
    ({"type": "click", "button": "left", "x": 10, "y": 20}, Click(point=(10, 20))),
    ({"type": "click", "button": "wheel", "x": 10, "y": 20}, Click(point=(10, 20), button="middle")),
    ({"type": "click", "button": "back", "x": 10, "y": 20}, Click(point=(10, 20), button="back")),
    (
        {"type": "click", "button": "right", "x": 10, "y": 20, "keys": ["CTRL", "SHIFT"]},
        Click(point=(10, 20), button="right", modifiers=("ctrl", "shift")),
    ),
    ({"type": "double_click", "x": 1, "y": 2, "keys": None}, Click(point=(1, 2), count=2)),
    ({"type": "double_click", "x": 1, "y": 2, "keys": ["ALT"]}, Click(point=(1, 2), count=2, modifiers=("alt",))),
    ({"type": "move", "x": 1023, "y": 767}, Move(point=(1023, 767))),
    (
        {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": 5, "y": 6}]},
        Drag(path=((1, 2), (3, 4), (5, 6))),
    ),
    (
        {"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": 240},
        Scroll(point=(1, 2), dy=240, unit="pixels"),
    ),
    (
        {"type": "scroll", "x": 1, "y": 2, "scroll_x": -100, "scroll_y": -50, "keys": ["SHIFT"]},
        Scroll(point=(1, 2), dx=-100, dy=-50, unit="pixels", modifiers=("shift",)),
    ),
    ({"type": "keypress", "keys": ["ENTER"]}, Key(keys=("enter",))),
    ({"type": "keypress", "keys": ["CTRL", "SHIFT", "t"]}, Key(keys=("ctrl", "shift", "t"))),
    ({"type": "keypress", "keys": ["ARROWDOWN"]}, Key(keys=("down",))),
    ({"type": "keypress", "keys": ["META"]}, Key(keys=("super",))),
    ({"type": "type", "text": "hello"}, Type(text="hello")),
    ({"type": "wait"}, Wait(seconds=2)),
    ({"type": "screenshot"}, Look()),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("native", "action"), BOTH_WAYS)
def test_each_action_is_read_and_written(name: str, native: dict[str, Any], action: Action) -> None:
    assert dialect(name).parse(native, SIZE) == (action,)
    assert dialect(name).write(action, SIZE) == (native,)


def test_a_call_holds_one_action_or_several() -> None:
    computer = dialect("openai-computer")
    actions = [native for native, _ in BOTH_WAYS]
    call = {"type": "computer_call", "call_id": "c1", "pending_safety_checks": [], "status": "completed"}
    assert computer.parse(call | {"actions": actions}, SIZE) == tuple(action for _, action in BOTH_WAYS)
    assert computer.parse(call | {"action": actions[0], "actions": None}, SIZE) == (BOTH_WAYS[0][1],)
    for wrong in ({}, {"action": actions[0], "actions": actions}, {"actions": []}):
        with pytest.raises(InvalidAction):
            computer.parse(call | wrong, SIZE)


def test_one_wrong_action_refuses_the_whole_call() -> None:
    actions = [{"type": "wait"}, {"type": "move", "x": 5000, "y": 0}]
    with pytest.raises(InvalidAction, match="off the 1024x768 screen"):
        dialect("openai-computer").parse({"type": "computer_call", "actions": actions}, SIZE)


@pytest.mark.parametrize(
    ("clicks", "pixels"), [(Scroll(point=(0, 0), dy=1), 120), (Scroll(point=(0, 0), dy=-10), -1200)]
)
def test_a_wheel_click_is_120_pixels(clicks: Scroll, pixels: int) -> None:
    (native,) = dialect("openai-computer").write(clicks, SIZE)
    assert (native["scroll_x"], native["scroll_y"]) == (0, pixels)
    (back,) = dialect("openai-computer").parse(native, SIZE)
    assert isinstance(back, Scroll) and back.clicks() == clicks.clicks()


@pytest.mark.parametrize(
    ("keys", "canonical"),
    [
        (["CTRL", "A"], ("ctrl", "a")),
        (["CTRL+A"], ("ctrl", "a")),
        (["CMD", "SPACE"], ("super", "space")),
        (["Return"], ("enter",)),
        (["ESC"], ("escape",)),
        (["PAGEDOWN"], ("pagedown",)),
        (["/"], ("/",)),
        (["+"], ("+",)),
        (["OPTION", "ARROWLEFT"], ("alt", "left")),
    ],
)
def test_keys_in_any_spelling(keys: list[str], canonical: tuple[str, ...]) -> None:
    assert dialect("openai-computer").parse({"type": "keypress", "keys": keys}, SIZE) == (Key(keys=canonical),)


@pytest.mark.parametrize(
    ("native", "complaint"),
    [
        ({"type": "clik", "x": 1, "y": 1}, "unknown action 'clik'\n  fix: did you mean click"),
        ({"type": "click", "button": "main", "x": 1, "y": 1}, "expected one of left, right, wheel, back, forward"),
        ({"type": "click", "button": "left", "x": 1}, "click: y is required, and missing"),
        ({"type": "click", "button": "left", "x": "1", "y": 1}, "click.x: expected a number, found '1'"),
        ({"type": "drag", "path": [{"x": 1, "y": 2}]}, "drag.path"),
        ({"type": "drag", "path": [[1, 2], [3, 4]]}, "drag.path\\[0\\]: expected an object with fields"),
        ({"type": "drag", "path": {"x": 1}}, "expected a list of points"),
        ({"type": "scroll", "x": 1, "y": 1, "scroll_x": 0, "scroll_y": 10**7}, "20000"),
        ({"type": "keypress", "keys": []}, "key.keys"),
        ({"type": "keypress", "keys": "ENTER"}, "expected a list of texts, found 'ENTER'"),
        ({"type": "keypress", "keys": ["HYPERDRIVE"]}, "unknown key"),
        ({"type": "type", "text": "x" * 20_001}, "20000 characters"),
        ("click", "expected an object with fields, found 'click'"),
        (None, "expected an object with fields, found None"),
    ],
)
def test_a_mistake_comes_back_with_what_was_found_and_expected(native: Any, complaint: str) -> None:
    with pytest.raises(InvalidAction, match=complaint):
        dialect("openai-computer").parse(native, SIZE)


@pytest.mark.parametrize(
    "action",
    [
        Click(),
        Click(point=(1, 1), count=3),
        Click(point=(1, 1), button="right", count=2),
        MouseDown(),
        KeyDown(key="a"),
        Key(keys=("a",), seconds=1),
        Wait(seconds=1),
        Look(region=(0, 0, 5, 5)),
        Scroll(point=(0, 0), dy=167),
    ],
)
def test_what_the_tool_lacks_is_inexpressible(action: Action) -> None:
    with pytest.raises(Inexpressible, match=f"openai-computer cannot express {action.kind}"):
        dialect("openai-computer").write(action, SIZE)


def test_calls_and_tools_have_the_sdks_types() -> None:
    (tool,) = dialect("openai-computer").describe_tools(SIZE)
    (preview,) = dialect("openai-preview").describe_tools(SIZE)
    assert types.ComputerTool.model_validate(tool).type == "computer"
    assert types.ComputerUsePreviewTool.model_validate(preview).display_width == 1024
    actions = pydantic.TypeAdapter(types.ComputerActionList)
    found = actions.validate_python([native for native, _ in BOTH_WAYS], strict=True)
    for (_, action), parsed in zip(BOTH_WAYS, found, strict=True):
        assert dialect("openai-computer").parse(parsed.model_dump(), SIZE) == (action,)
