"""Anthropic's three generations of the computer tool, by hand, both ways, and against the SDK's own types."""

from typing import Any

import pytest
from anthropic.types import beta
from anthropic.types.beta import beta_computer_member_name as members

from fairground.agents.native import Inexpressible, dialect
from fairground.core import (
    Action,
    Click,
    Done,
    Drag,
    InvalidAction,
    Key,
    KeyDown,
    Look,
    MouseDown,
    MouseUp,
    Move,
    Scroll,
    Type,
    Wait,
)

SIZE = (1280, 720)
VERSIONS = ("anthropic-20250124", "anthropic-20251124", "anthropic-toolset-20260801")

BOTH_WAYS: list[tuple[str, dict[str, Any], Action]] = [
    ("left_click", {"coordinate": [100, 200]}, Click(point=(100, 200))),
    ("left_click", {}, Click()),
    ("left_click", {"coordinate": [1, 2], "text": "ctrl+shift"}, Click(point=(1, 2), modifiers=("ctrl", "shift"))),
    ("right_click", {"coordinate": [1279, 719]}, Click(point=(1279, 719), button="right")),
    ("middle_click", {"coordinate": [0, 0]}, Click(point=(0, 0), button="middle")),
    ("double_click", {"coordinate": [5, 6], "text": "shift"}, Click(point=(5, 6), count=2, modifiers=("shift",))),
    ("triple_click", {}, Click(count=3)),
    ("mouse_move", {"coordinate": [7, 8]}, Move(point=(7, 8))),
    ("left_mouse_down", {}, MouseDown()),
    ("left_mouse_up", {}, MouseUp()),
    ("left_click_drag", {"start_coordinate": [1, 2], "coordinate": [3, 4]}, Drag(path=((1, 2), (3, 4)))),
    (
        "left_click_drag",
        {"start_coordinate": [1, 2], "coordinate": [3, 4], "text": "alt"},
        Drag(path=((1, 2), (3, 4)), modifiers=("alt",)),
    ),
    ("scroll", {"scroll_direction": "down", "scroll_amount": 3, "coordinate": [9, 9]}, Scroll(point=(9, 9), dy=3)),
    ("scroll", {"scroll_direction": "up", "scroll_amount": 3}, Scroll(dy=-3)),
    ("scroll", {"scroll_direction": "right", "scroll_amount": 2}, Scroll(dx=2)),
    ("scroll", {"scroll_direction": "left", "scroll_amount": 2, "text": "shift"}, Scroll(dx=-2, modifiers=("shift",))),
    ("key", {"text": "Return"}, Key(keys=("enter",))),
    ("key", {"text": "ctrl+shift+t"}, Key(keys=("ctrl", "shift", "t"))),
    ("key", {"text": "Page_Down", "repeat": 4}, Key(keys=("pagedown",), repeat=4)),
    ("key", {"text": "ctrl+plus"}, Key(keys=("ctrl", "+"))),
    ("hold_key", {"text": "shift+Right", "duration": 2}, Key(keys=("shift", "right"), seconds=2)),
    ("type", {"text": "Grüße\n"}, Type(text="Grüße\n")),
    ("wait", {"duration": 3}, Wait(seconds=3)),
    ("screenshot", {}, Look()),
]


def block(version: str, name: str, fields: dict[str, Any]) -> dict[str, Any]:
    if "toolset" in version:
        return {"type": "tool_use", "name": name, "toolset_name": "computer", "input": fields}
    return {"type": "tool_use", "name": "computer", "input": {"action": name, **fields}}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("name", "fields", "action"), BOTH_WAYS)
def test_each_action_is_read_and_written(version: str, name: str, fields: dict[str, Any], action: Action) -> None:
    native = block(version, name, fields)
    assert dialect(version).parse(native, SIZE) == (action,)
    assert dialect(version).write(action, SIZE) == (native,)


READ_ONLY: list[tuple[str, dict[str, Any], tuple[Action, ...]]] = [
    ("cursor_position", {}, (Look(),)),
    ("key", {"text": "KP_Enter"}, (Key(keys=("kp_enter",)),)),
    ("key", {"text": "ENTER"}, (Key(keys=("enter",)),)),
    ("key", {"text": "cmd+C"}, (Key(keys=("super", "c")),)),
    ("key", {"text": "ctrl++"}, (Key(keys=("ctrl", "+")),)),
    ("key", {"text": "Page Down"}, (Key(keys=("pagedown",)),)),
    ("key", {"text": "Down Down Down"}, (Key(keys=("down",), repeat=3),)),
    ("key", {"text": "Tab Tab ctrl+v"}, (Key(keys=("tab",), repeat=2), Key(keys=("ctrl", "v")))),
    ("wait", {"duration": 0.5}, (Wait(seconds=0.5),)),
    ("left_click", {"coordinate": [100.0, 200.0], "text": None}, (Click(point=(100, 200)),)),
    ("scroll", {"scroll_direction": "down", "scroll_amount": 0}, (Scroll(),)),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("name", "fields", "actions"), READ_ONLY)
def test_other_spellings_are_read(version: str, name: str, fields: dict[str, Any], actions: tuple[Action, ...]) -> None:
    assert dialect(version).parse(block(version, name, fields), SIZE) == actions


def test_the_input_of_a_block_will_do_for_the_single_tools() -> None:
    assert dialect("anthropic-20250124").parse({"action": "screenshot"}, SIZE) == (Look(),)


def test_what_the_sdk_puts_around_a_call_is_not_the_models_business() -> None:
    native = {"id": "toolu_1", "type": "tool_use", "name": "wait", "toolset_name": "computer", "caller": None}
    assert dialect(VERSIONS[2]).parse(native | {"input": {"duration": 1}}, SIZE) == (Wait(seconds=1),)


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_zoom_is_a_look_at_a_region(version: str) -> None:
    native = block(version, "zoom", {"region": [0, 10, 1280, 720]})
    assert dialect(version).parse(native, SIZE) == (Look(region=(0, 10, 1280, 720)),)
    assert dialect(version).write(Look(region=(0, 10, 1280, 720)), SIZE) == (native,)


def test_the_first_generation_has_no_zoom() -> None:
    with pytest.raises(InvalidAction, match="unknown action 'zoom'"):
        dialect("anthropic-20250124").parse({"action": "zoom", "region": [0, 0, 5, 5]}, SIZE)
    with pytest.raises(Inexpressible, match="anthropic-20250124 cannot express look"):
        dialect("anthropic-20250124").write(Look(region=(0, 0, 5, 5)), SIZE)


@pytest.mark.parametrize(
    ("name", "fields", "complaint"),
    [
        ("left_clik", {}, "unknown action 'left_clik'\n  fix: did you mean left_click"),
        ("left_click", {"coordinate": [1280, 0]}, "off the 1280x720 screen"),
        ("left_click", {"coordinate": [-1, 0]}, "off the 1280x720 screen"),
        ("left_click", {"coordinate": [1]}, "expected a list of 2 whole numbers, found a list of 1"),
        ("left_click", {"coordinate": "[1, 2]"}, "found '\\[1, 2\\]'"),
        ("left_click", {"coordinate": [1.5, 2]}, "coordinate\\[0\\]: expected a whole number, found 1.5"),
        ("left_click", {"coordinate": ["1", 2]}, "expected a number, found '1'"),
        ("left_click", {"coordinate": [True, 2]}, "expected a number, found True"),
        ("left_click", {"coordinate": [float("nan"), 2]}, "expected a number, found nan"),
        ("left_click", {"coordinate": [10**40, 2]}, "found a number of more than thirty digits"),
        ("left_click", {"text": "a"}, "'a' is not a modifier"),
        ("left_click", {"cordinate": [1, 2]}, "unknown field 'cordinate'\n  fix: did you mean coordinate"),
        ("mouse_move", {}, "mouse_move: coordinate is required, and missing"),
        ("scroll", {"scroll_direction": "down", "scroll_amount": -1}, "expected 0 or more wheel clicks, found -1"),
        ("scroll", {"scroll_direction": "down", "scroll_amount": 10**6}, "20000"),
        ("scroll", {"scroll_direction": "sideways", "scroll_amount": 1}, "expected one of up, down, left, right"),
        ("key", {"text": "Retrun"}, "unknown key 'Retrun'"),
        ("key", {"text": ""}, "expected keys joined by '\\+'"),
        ("key", {"text": "ctrl+"}, "expected keys joined by '\\+'"),
        ("key", {"text": "a", "repeat": 0}, "repeat"),
        ("key", {"text": "a", "repeat": 101}, "repeat"),
        ("hold_key", {"text": "a", "duration": -1}, "key.seconds"),
        ("wait", {"duration": 10_000}, "wait.seconds"),
        ("type", {"text": "\x1b[0m"}, "U\\+001B cannot be typed"),
        ("type", {"text": 5}, "type.text: expected text, found 5"),
        ("zoom", {"region": [10, 10, 5, 5]}, "left < right"),
        ("zoom", {"region": [0, 0, 2000, 5]}, "extends beyond the 1280x720 screen"),
    ],
)
def test_a_mistake_comes_back_with_what_was_found_and_expected(name: str, fields: Any, complaint: str) -> None:
    for version in VERSIONS[1:]:
        with pytest.raises(InvalidAction, match=complaint):
            dialect(version).parse(block(version, name, fields), SIZE)


def test_a_longer_drag_becomes_moves_with_the_button_down() -> None:
    written = dialect(VERSIONS[1]).write(Drag(path=((1, 2), (3, 4), (5, 6))), SIZE)
    names = [call["input"]["action"] for call in written]
    assert names == ["mouse_move", "left_mouse_down", "mouse_move", "mouse_move", "left_mouse_up"]


@pytest.mark.parametrize("action", [KeyDown(key="a"), Done(), Click(button="back"), Wait(seconds=0.5), Move()])
def test_what_the_tool_lacks_is_inexpressible(action: Action) -> None:
    with pytest.raises(Inexpressible, match=f"anthropic-20251124 cannot express {action.kind}"):
        dialect("anthropic-20251124").write(action, SIZE)


def test_calls_and_tools_have_the_sdks_types() -> None:
    (first,) = dialect("anthropic-20250124").describe_tools(SIZE)
    (second,) = dialect("anthropic-20251124").describe_tools(SIZE)
    (third,) = dialect("anthropic-toolset-20260801").describe_tools(SIZE)
    assert beta.BetaToolComputerUse20250124.model_validate(first).display_width_px == 1280
    assert beta.BetaToolComputerUse20251124.model_validate(second).enable_zoom is True
    assert beta.BetaComputerToolset20260801.model_validate(third).type == "computer_toolset_20260801"
    for name, _, action in BOTH_WAYS:
        (native,) = dialect("anthropic-toolset-20260801").write(action, SIZE)
        kind = getattr(beta, f"BetaComputer{name.title().replace('_', '')}ToolUseBlock")
        parsed = kind.model_validate({"id": "toolu_1", **native}, strict=True)
        assert dialect("anthropic-toolset-20260801").parse(parsed.model_dump(), SIZE) == (action,)


def test_every_member_of_the_sdks_toolset_is_known() -> None:
    for name in members.BETA_COMPUTER_MEMBER_NAME_VALUES:
        try:
            dialect("anthropic-toolset-20260801").parse({"name": name, "input": {}}, SIZE)
        except InvalidAction as error:
            assert "is required, and missing" in error.message
