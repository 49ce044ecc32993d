"""Whatever a model writes, the only error is `InvalidAction`, and what comes back is on the screen."""

import copy
import functools
import json
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from fairground.agents.native import DIALECTS, Inexpressible
from fairground.core import (
    Action,
    Answer,
    Click,
    Done,
    Drag,
    InvalidAction,
    Key,
    KeyDown,
    Look,
    Scroll,
    Type,
    Wait,
    parse_action,
)

SIZE = (641, 479)

SAMPLES: list[Action] = [
    Click(point=(5, 6), count=2),
    Click(point=(5, 6), modifiers=("ctrl",)),
    Drag(path=((1, 2), (300, 400))),
    Scroll(point=(9, 9), dy=5),
    Key(keys=("ctrl", "shift", "t")),
    KeyDown(key="alt"),
    Type(text="it's\n"),
    Wait(seconds=10),
    Look(),
    Look(region=(0, 0, 10, 10)),
    Answer(text="42"),
    Done(),
]


@functools.cache
def natives(name: str) -> list[Any]:
    found: list[Any] = []
    for action in SAMPLES:
        try:
            found += DIALECTS[name].write(action, SIZE)
        except Inexpressible:
            continue
    return found


def survives(name: str, native: Any) -> None:
    note(f"in the dialect {name}")
    before = copy.deepcopy(native)
    try:
        actions = DIALECTS[name].parse(native, SIZE)
    except InvalidAction as error:
        assert error.message.strip() and len(str(error)) < 4000
        str(error).encode("utf-8", "backslashreplace")
    else:
        assert actions
        for action in actions:
            assert parse_action(json.loads(json.dumps(action.plain()))) == action
            assert action.to_pixels(*SIZE) == action
    assert repr(native) == repr(before), "what was read was changed"


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.just(-(10**400)),
    st.floats(),
    st.text(max_size=30),
    st.sampled_from(["left_click", "click", "CLICK", "ctrl+c", "down", "success", "\ud800", "x" * 5000, "+", "++"]),
)
names = st.sampled_from(
    ["action", "actions", "type", "name", "input", "args", "arguments", "coordinate", "x", "y", "text", "keys", "key",
     "path", "region", "action_type", "parameters", "direction", "button", "duration", "toolset_name"]
)  # fmt: skip
data = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(st.one_of(names, st.text(max_size=8)), inner, max_size=6)
    ),
    max_leaves=20,
)


@given(native=data)
def test_any_data(native: Any) -> None:
    for name in DIALECTS:
        survives(name, native)


fragments = st.sampled_from(
    ["Action:", "click", "(", ")", "point='", "<point>", "1 2", "</point>", "'", '"', "\\", "\n", "```", "```python\n",
     "pyautogui.", "press", "hotkey", "x=", ",", "1e999", "-", "{", "}", "[", "]", ":", '"name": "computer_use"',
     "<tool_call>", "</tool_call>", '"arguments": ', "DONE", "lambda: ", "\x00", "\u2028", "if x:\n ", "*", "a = ", ";"]
)  # fmt: skip


@given(native=st.one_of(st.text(), st.lists(st.one_of(fragments, st.text(max_size=3)), max_size=30).map("".join)))
def test_any_text(native: str) -> None:
    for name in DIALECTS:
        survives(name, native)


def _paths(native: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = native.items() if isinstance(native, dict) else enumerate(native) if isinstance(native, list) else ()
    return [path, *(found for key, value in inner for found in _paths(value, (*path, key)))]


def _mutated(native: Any, draw: Any) -> Any:
    if isinstance(native, str):
        at = draw(st.integers(0, len(native)))
        cut = draw(st.integers(0, 3))
        return native[:at] + draw(st.one_of(fragments, st.text(max_size=4))) + native[at + cut :]
    path = draw(st.sampled_from(_paths(native)))
    changed = copy.deepcopy(native)
    if not path:
        return draw(data)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    match draw(st.sampled_from(["replace", "remove", "add", "nest"])):
        case "replace":
            holder[path[-1]] = draw(data)
        case "remove":
            del holder[path[-1]]
        case "nest":
            holder[path[-1]] = [holder[path[-1]]]
        case "add" if isinstance(holder, dict):
            holder[draw(names)] = draw(data)
    return changed


@pytest.mark.parametrize("name", DIALECTS)
@given(choice=st.data())
def test_valid_calls_with_something_changed(name: str, choice: st.DataObject) -> None:
    native = choice.draw(st.sampled_from(natives(name)))
    for _ in range(choice.draw(st.integers(1, 3))):
        native = _mutated(native, choice.draw)
    survives(name, native)


class Unplain:
    """Not data."""


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize(
    "native",
    [
        b"click",
        {1, 2},
        Unplain(),
        {"action": Unplain()},
        {3: 4, None: 5},
        [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]],
        "x" * 250_001,
        {"action": "type", "text": "x" * 250_001},
        {str(number): number for number in range(10_000)},
        [0] * 20_000,
        "(" * 10_000,
        "-" * 100_000 + "1",
        "Action: click(" + " " * 100_000 + ")x",
        "Action: click(point='" + " " * 100_000 + "x')",
        "Action: hotkey(key='" + "+" * 10_000 + "')",
        "```" + " " * 100_000,
        "<tool_call>" + "[" * 100_000,
        "<tool_call>" + "9" * 100_000 + "</tool_call>",
    ],
    ids=lambda native: repr(native)[:30],
)
def test_what_is_too_large_too_deep_or_not_data(name: str, native: Any) -> None:
    with pytest.raises(InvalidAction):
        DIALECTS[name].parse(native, SIZE)


def test_a_thing_that_contains_itself_is_too_deep() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for each in DIALECTS.values():
        with pytest.raises(InvalidAction, match="nested deeper"):
            each.parse(endless, SIZE)


def test_too_many_actions_in_one_call_are_refused_whole() -> None:
    with pytest.raises(InvalidAction, match="at most 200"):
        DIALECTS["openai-computer"].parse([{"type": "wait"}] * 201, SIZE)
    with pytest.raises(InvalidAction, match="at most 200"):
        DIALECTS["pyautogui"].parse("pyautogui.click()\n" * 201, SIZE)
