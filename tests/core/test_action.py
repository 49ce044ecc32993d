"""Actions: strict at borders, with the path to the fault; the same action in pixels of a screen."""

import json
import pickle
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fairground.core import (
    ACTION_KINDS,
    Action,
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    InvalidAction,
    InvalidInput,
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
    parse_action,
)

ONE_OF_EACH: tuple[Action, ...] = (
    Click(point=(3, 4), button="right", count=2, modifiers=("ctrl",)),
    Move(point=(0.5, 0.25), space="unit"),
    MouseDown(),
    MouseUp(button="middle"),
    Scroll(point=(1, 2), dy=-3),
    Drag(path=((1, 2), (3, 4), (5, 6)), space="grid999"),
    Key(keys=("ctrl", "s"), repeat=2),
    KeyDown(key="shift"),
    KeyUp(key="shift"),
    Type(text="Grüße\n漢字\t🙂"),
    Wait(seconds=2.5),
    Look(region=(0, 0, 10, 10)),
    Answer(text="42"),
    CallUser(text="which one?"),
    Done(),
    Fail(reason="no such file"),
)


def test_there_is_an_example_of_every_kind_here() -> None:
    assert tuple(action.kind for action in ONE_OF_EACH) == ACTION_KINDS
    assert len(ACTION_KINDS) == len(get_args(Action)) == len(set(ACTION_KINDS))


@pytest.mark.parametrize("action", ONE_OF_EACH, ids=ACTION_KINDS)
def test_an_action_survives_json(action: Action) -> None:
    assert parse_action(json.loads(action.model_dump_json())) == action
    assert parse_action(json.loads(json.dumps(action.plain()))) == action
    assert pickle.loads(pickle.dumps(action)) == action


@pytest.mark.parametrize("kind", ACTION_KINDS)
def test_the_plain_form_of_an_action_always_says_its_kind(kind: str) -> None:
    action = next(action for action in ONE_OF_EACH if action.kind == kind)
    assert action.plain()["kind"] == kind


def test_an_action_that_is_one_already_passes_through() -> None:
    action = Click(point=(1, 2))
    assert parse_action(action) is action


def test_an_action_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Click(point=(1, 2)).point = (3, 4)  # type: ignore[misc]


WRONG: list[tuple[Any, str]] = [
    ({"kind": "click", "x": 3}, "action.x: unknown field"),
    ({"kind": "click", "point": [1]}, "action.point[1]: required, but missing"),
    ({"kind": "click", "point": [1, 2, 3]}, "action.point: "),
    ({"kind": "click", "point": [1, None]}, "action.point[1]: "),
    ({"kind": "click", "point": {"x": 1, "y": 2}}, "action.point: "),
    ({"kind": "click", "point": [float("nan"), 1]}, "action.point[0]: "),
    ({"kind": "click", "point": [1, float("inf")]}, "action.point[1]: "),
    ({"kind": "click", "point": [10**400, 1]}, "action.point[0]: "),
    ({"kind": "click", "count": 0}, "action.count: "),
    ({"kind": "click", "count": 4}, "action.count: "),
    ({"kind": "click", "button": "wheel"}, "action.button: "),
    ({"kind": "click", "space": "percent"}, "action.space: "),
    ({"kind": "click", "modifiers": ["a"]}, "action.modifiers: 'a' is not a modifier"),
    ({"kind": "click", "modifiers": ["ctrl"] * 9}, "action.modifiers: "),
    ({"kind": "scroll", "dy": 20_001}, "action.dy: "),
    ({"kind": "scroll", "dx": float("-inf")}, "action.dx: "),
    ({"kind": "scroll", "unit": "pages"}, "action.unit: "),
    ({"kind": "drag"}, "action.path: required, but missing"),
    ({"kind": "drag", "path": [[1, 2]]}, "action.path: "),
    ({"kind": "drag", "path": [[1, 2]] * 1001}, "action.path: "),
    ({"kind": "drag", "path": [[1, 2], [3, "x"]]}, "action.path[1][1]: "),
    ({"kind": "key", "keys": []}, "action.keys: "),
    ({"kind": "key", "keys": "ctrl"}, "action.keys: "),
    ({"kind": "key", "keys": ["ctrl", "Retrun"]}, "action.keys: unknown key 'Retrun' (did you mean return"),
    ({"kind": "key", "keys": ["a"], "repeat": 0}, "action.repeat: "),
    ({"kind": "key_down", "key": ""}, "action.key: unknown key ''"),
    ({"kind": "key_up", "key": "\x00"}, "action.key: "),
    ({"kind": "type", "text": "a\x07"}, "action.text: character U+0007 cannot be typed"),
    ({"kind": "type", "text": "\x7f"}, "action.text: character U+007F cannot be typed"),
    ({"kind": "type", "text": "x" * 1_000_000}, "action.text: "),
    ({"kind": "type", "text": 5}, "action.text: "),
    ({"kind": "type"}, "action.text: required, but missing"),
    ({"kind": "wait", "seconds": -1}, "action.seconds: "),
    ({"kind": "wait", "seconds": 1e9}, "action.seconds: "),
    ({"kind": "look", "region": [0, 0, 1]}, "action.region[3]: required, but missing"),
    ({"kind": "look", "region": [5, 5, 1, 1]}, "action: expected a region (left, top, right, bottom)"),
    ({"kind": "fail", "reason": None}, "action.reason: "),
    ({"kind": "done", "status": "success"}, "action.status: unknown field"),
]


@pytest.mark.parametrize(("data", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_action_is_refused_with_the_path_to_the_fault(data: Any, message: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        parse_action(data)
    assert caught.value.message.startswith(message)
    assert len(caught.value.message) < 400  # also when what was found is a million characters long


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "click", "point": ["12", 30]},
        {"kind": "click", "count": "2"},
        {"kind": "click", "count": True},
        {"kind": "click", "count": 2.5},
        {"kind": "wait", "seconds": "1"},
        {"kind": "wait", "seconds": False},
        {"kind": "type", "text": b"bytes"},
    ],
    ids=repr,
)
def test_nothing_is_turned_into_what_it_is_not(data: Any) -> None:
    with pytest.raises(InvalidAction):
        parse_action(data)


@pytest.mark.parametrize("data", [None, 3, "click", [], b"", {1}, [{"kind": "click"}]], ids=repr)
def test_what_is_no_action_at_all_is_refused(data: Any) -> None:
    with pytest.raises(InvalidAction, match="^action: "):
        parse_action(data)


def test_an_action_without_a_kind_is_told_so() -> None:
    with pytest.raises(InvalidAction, match=r"^action\.kind: required, but missing"):
        parse_action({"point": [1, 2]})


def test_an_unknown_kind_gets_a_suggestion() -> None:
    with pytest.raises(InvalidAction) as caught:
        parse_action({"kind": "clck"}, where="steps[3].action")
    assert caught.value.message == "steps[3].action.kind: unknown action kind 'clck'"
    assert caught.value.fix is not None and caught.value.fix.startswith("did you mean click")


def test_only_the_path_is_shortened_and_never_what_was_found() -> None:
    with pytest.raises(InvalidAction, match=r"got 'action\.click\.x'"):
        parse_action({"kind": "drag", "path": [[1, 2], ["action.click.x", 2]]})


def test_a_fault_inside_a_list_gives_one_line() -> None:
    with pytest.raises(InvalidAction) as caught:
        parse_action({"kind": "drag", "path": [[1, 2], [3, None]]})
    assert caught.value.message.count("\n") == 0


_plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
_fields = st.sampled_from(
    ["point", "space", "count", "button", "modifiers", "path", "keys", "key", "text", "seconds", "region", "dx", "unit"]
)


@given(kind=st.sampled_from(ACTION_KINDS), fields=st.dictionaries(_fields, _plain, max_size=3))
def test_whatever_comes_in_is_an_action_or_an_invalid_action(kind: str, fields: dict[str, Any]) -> None:
    try:
        action = parse_action({"kind": kind, **fields})
    except InvalidAction:
        return
    assert action.kind == kind
    assert parse_action(json.loads(action.model_dump_json())) == action


@given(_plain)
def test_any_plain_data_is_an_action_or_an_invalid_action(data: Any) -> None:
    try:
        parse_action(data)
    except InvalidAction as error:
        assert isinstance(error, InvalidInput) and isinstance(error, ValueError)


@given(st.text(max_size=40))
def test_text_is_kept_as_it_is(text: str) -> None:
    try:
        action = Type(text=text)
    except ValidationError:
        assert any((ord(c) < 32 and c not in "\n\t\r") or ord(c) == 127 or 0xD800 <= ord(c) <= 0xDFFF for c in text)
    else:
        assert action.text == text


def test_a_lone_surrogate_cannot_be_typed() -> None:
    with pytest.raises(InvalidAction):
        parse_action({"kind": "type", "text": "\ud800"})


def test_keys_and_modifiers_get_their_canonical_names() -> None:
    assert Key(keys=("Control_L", "Shift", "S")).keys == ("ctrl", "shift", "S")
    assert Click(modifiers=("cmd", "Super_L")).modifiers == ("super",)
    assert KeyDown(key="ArrowDown").key == "down"


def test_answer_done_and_fail_end_an_episode_and_nothing_else_does() -> None:
    assert {action.kind for action in ONE_OF_EACH if action.ends} == {"answer", "done", "fail"}


@pytest.mark.parametrize(
    ("scroll", "clicks"),
    [
        (Scroll(), (0, 0)),
        (Scroll(dy=3), (0, 3)),
        (Scroll(dx=-2), (-2, 0)),
        (Scroll(dy=0.2), (0, 1)),
        (Scroll(dy=-0.2), (0, -1)),
        (Scroll(dy=120, unit="pixels"), (0, 1)),
        (Scroll(dy=-360, dx=240, unit="pixels"), (2, -3)),
        (Scroll(dy=5, unit="pixels"), (0, 1)),
    ],
    ids=str,
)
def test_scrolling_is_whole_wheel_clicks_and_the_smallest_wish_is_one(scroll: Scroll, clicks: tuple[int, int]) -> None:
    assert scroll.clicks() == clicks
