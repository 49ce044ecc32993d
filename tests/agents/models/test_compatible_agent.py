"""Models behind any OpenAI-compatible server: by functions, or in a text format of their own."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents import Agent
from fairground.agents.models import ContextPolicy, ImageLimits, compatible_agent, compatible_from
from fairground.agents.models.compatible_dialects import MANNERS, manner_of
from fairground.agents.models.compatible_functions import FUNCTIONS
from fairground.agents.native import smart_resize
from fairground.core import (
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    InvalidAction,
    InvalidInput,
    Key,
    Look,
    MissingPrerequisite,
    Move,
    Scroll,
    Type,
    UnknownName,
    Wait,
)

from .openai_stage import compatible_at, pictures_in, words_in
from .stage import SIZE, play, screen
from .wire.openai_wire import OpenAIServer, completes, tool_call

pytestmark = pytest.mark.process

DONE = completes("Done.")


# --- functions -------------------------------------------------------------------------------------------------------


def test_a_function_call_becomes_an_action_and_the_picture_follows_in_a_message_of_its_own() -> None:
    with OpenAIServer([completes("I click.", tool_call("click", x=5, y=5)), DONE]) as server:
        agent = compatible_at(server)
        assert isinstance(agent, Agent) and agent.name == "compatible:a-model"
        turns = play(agent, 2)
    assert [turn.action for turn in turns] == [Click(point=(5, 5)), Done()] and turns[0].thought == "I click."
    roles = [message["role"] for message in server.bodies[1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "user"]
    assert [len(pictures_in(message)) for message in server.bodies[1]["messages"]] == [0, 1, 0, 0, 1]
    assert server.complaints == []


CALLS: list[tuple[dict[str, Any], Any]] = [
    (tool_call("click", x=1, y=2, button="right", count=2), Click(point=(1, 2), button="right", count=2)),
    (tool_call("click", x=1, y=2, modifiers=["ctrl"]), Click(point=(1, 2), modifiers=("ctrl",))),
    (tool_call("move", x=1, y=2), Move(point=(1, 2))),
    (tool_call("drag", x=1, y=2, to_x=3, to_y=4), Drag(path=((1, 2), (3, 4)))),
    (tool_call("scroll", x=1, y=2, direction="down", clicks=5), Scroll(point=(1, 2), dy=5)),
    (tool_call("scroll", x=1, y=2, direction="left"), Scroll(point=(1, 2), dx=-3)),
    (tool_call("type", text='{"tea"}\n'), Type(text='{"tea"}\n')),
    (tool_call("key", keys=["ctrl", "S"]), Key(keys=("ctrl", "s"))),
    (tool_call("key", keys=["ctrl+s"]), Key(keys=("ctrl", "s"))),
    (tool_call("wait", seconds=1.5), Wait(seconds=1.5)),
    (tool_call("look"), Look()),
    (tool_call("call_user", question="Which?"), CallUser(text="Which?")),
    (tool_call("give_up", reason="No."), Fail(reason="No.")),
]


@pytest.mark.parametrize(("call", "action"), CALLS, ids=[str(index) for index in range(len(CALLS))])
def test_every_function_has_its_action(call: dict[str, Any], action: Any) -> None:
    with OpenAIServer([completes(None, call)]) as server:
        assert play(compatible_at(server))[0].action == action
    assert server.complaints == []


def test_several_calls_become_turns_and_their_results_go_back_together() -> None:
    calls = [tool_call("click", x=5, y=5), tool_call("type", text="tea"), tool_call("call_user", question="Now?")]
    with OpenAIServer([completes(None, *calls), DONE]) as server:
        turns = play(compatible_at(server), [screen(), screen(), screen(), screen(messages=("Yes.",))])
    assert [turn.action.kind for turn in turns] == ["click", "type", "call_user", "done"]
    results = [message["content"] for message in server.bodies[1]["messages"] if message["role"] == "tool"]
    assert results == ["Done.", "Done.", "Yes."] and server.complaints == []


def test_ids_of_calls_that_are_missing_or_the_same_are_replaced() -> None:
    calls = [tool_call("wait", seconds=0) | {"id": identity} for identity in ("x", "x", "", None)]
    with OpenAIServer([completes(None, *calls), DONE]) as server:
        assert len(play(compatible_at(server), 5)) == 5
    assert server.complaints == []


def test_arguments_that_the_server_has_taken_apart_will_do() -> None:
    call = tool_call("click")
    call["function"]["arguments"] = {"x": 3, "y": 4}
    with OpenAIServer([completes(None, call)]) as server:
        assert play(compatible_at(server))[0].action == Click(point=(3, 4))


def test_thinking_is_recorded_and_not_sent_back() -> None:
    script = [
        completes("<think>Hm, the list.</think>\n\nI wait.", tool_call("wait", seconds=0)),
        completes("I wait.", tool_call("wait", seconds=0), reasoning_content="Still loading."),
        DONE,
    ]
    with OpenAIServer(script) as server:
        turns = play(compatible_at(server), 3)
    assert [turn.thought for turn in turns[:2]] == ["Hm, the list.\nI wait.", "Still loading.\nI wait."]
    assert "Hm" not in words_in(server.bodies[2]) and "loading." not in words_in(server.bodies[2]["messages"][1:])
    assert server.complaints == []


def test_words_without_a_call_end_the_task() -> None:
    with OpenAIServer([completes("42")]) as server:
        assert play(compatible_at(server), kind="answer")[0].action == Answer(text="42")
    with OpenAIServer([completes(None, tool_call("give_answer", answer="42"))]) as server:
        assert play(compatible_at(server), kind="answer")[0].action == Answer(text="42")
    with OpenAIServer([completes([{"type": "text", "text": "Done."}])]) as server:
        assert play(compatible_at(server))[0].action == Done()


def test_a_scaled_screen_is_acted_on_at_full_size_and_the_schema_says_where_it_ends() -> None:
    size = (2560, 1440)
    with OpenAIServer([completes(None, tool_call("move", x=639, y=359))]) as server:
        turns = play(compatible_at(server, limits=ImageLimits(side=640)), [screen(size=size)], size=size)
    assert turns[0].action == Move(point=(2558, 1438))
    properties = server.bodies[0]["tools"][0]["function"]["parameters"]["properties"]
    assert (properties["x"]["maximum"], properties["y"]["maximum"]) == (639, 359)


def test_old_frames_are_forgotten_several_at_once() -> None:
    waits = [completes(None, tool_call("wait", seconds=0)) for _ in range(6)]
    with OpenAIServer([*waits, DONE]) as server:
        play(compatible_at(server, context=ContextPolicy(frames=2, slack=1)), 7)
    assert [len(pictures_in(body)) for body in server.bodies] == [1, 2, 3, 2, 3, 2, 3] and server.complaints == []


def test_options_are_passed_on_and_wrong_ones_refused() -> None:
    extra = {"chat_template_kwargs": {"enable_thinking": False}}
    with OpenAIServer([DONE]) as server:
        play(compatible_at(server, temperature=0.0, seed=7, max_tokens=99, extra=extra))
    body = server.bodies[0]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0, 7, 99)
    assert body["chat_template_kwargs"] == {"enable_thinking": False} and server.complaints == []
    with pytest.raises(InvalidInput, match="colour"):
        compatible_agent("m", base_url="http://h/v1", colour="blue")
    with pytest.raises(UnknownName, match="functions"):
        compatible_agent("m", base_url="http://h/v1", dialect="function")


# --- text dialects ---------------------------------------------------------------------------------------------------


def test_ui_tars_acts_in_pixels_of_the_resized_picture() -> None:
    width, height = smart_resize(SIZE)
    assert (width, height) != SIZE
    corner = f"({width - 1},{height - 1})"
    script = [
        completes(f"Thought: The corner.\nAction: click(start_box='<|box_start|>{corner}<|box_end|>')"),
        completes("Thought: Typing.\nAction: type(content='tea\\n')"),
        completes("Thought: There.\nAction: finished()"),
    ]
    with OpenAIServer(script) as server:
        turns = play(compatible_at(server, "ByteDance/UI-TARS-1.5-7B"), 3)
    assert [turn.action for turn in turns] == [Click(point=(1279, 719)), Type(text="tea\n"), Done()]
    assert turns[0].thought.startswith("Thought: The corner.")
    system = server.bodies[0]["messages"][0]["content"]
    assert "start_box='<|box_start|>(x,y)<|box_end|>'" in system and "tools" not in server.bodies[0]
    assert [message["role"] for message in server.bodies[2]["messages"]] == ["system"] + ["user", "assistant"] * 2 + [
        "user"
    ]
    assert [len(pictures_in(body)) for body in server.bodies] == [1, 2, 3] and server.complaints == []


@given(st.integers(0, 1279), st.integers(0, 719), st.sampled_from([name for name in MANNERS if "tars" in name]))
def test_a_pixel_that_ui_tars_means_is_the_pixel_that_is_clicked(x: int, y: int, name: str) -> None:
    manner = manner_of("any", name)
    (written,) = manner.dialect.write(Click(point=(x, y)), SIZE)
    (read,) = manner.dialect.parse(written, SIZE)
    near = 0 if name != "ui-tars-grid" else 1  # a grid of 1000 is coarser than a screen of 1280
    assert abs(read.points[0][0] - x) <= near and abs(read.points[0][1] - y) <= near


def test_qwen_acts_on_its_grid() -> None:
    call = '<tool_call>\n{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [999, 999]}}'
    end = '<tool_call>{"name": "computer_use", "arguments": {"action": "answer", "text": "42"}}</tool_call>'
    with OpenAIServer([completes(f"I click.\n{call}\n</tool_call>"), completes(end)]) as server:
        turns = play(compatible_at(server, "Qwen/Qwen3-VL-8B-Instruct"), 2, kind="answer")
    assert [turn.action for turn in turns] == [Click(point=(1279, 719)), Answer(text="42")]
    assert '"name": "computer_use"' in server.bodies[0]["messages"][0]["content"] and server.complaints == []


def test_a_server_that_takes_qwens_text_apart_is_understood() -> None:
    call = tool_call("computer_use", action="left_click", coordinate=[0, 0])
    with OpenAIServer([completes(None, call), DONE, DONE, DONE]) as server:
        assert play(compatible_at(server, "qwen3-vl"), 2)[0].action == Click(point=(0, 0))
    assert "<tool_call>" in server.bodies[1]["messages"][2]["content"] and server.complaints == []


def test_code_is_read_and_never_run() -> None:
    code = "I click and type.\n\n```python\npyautogui.click(5, 6)\npyautogui.write('tea')\n```"
    evil = "```python\n__import__('os').system('true')\n```"
    with OpenAIServer([completes(code), completes(evil), completes("```\nDONE\n```")]) as server:
        turns = play(compatible_at(server, dialect="pyautogui"), 3)
    assert [turn.action for turn in turns] == [Click(point=(5, 6)), Type(text="tea"), Done()]
    assert "1280 wide and 720 high" in server.bodies[0]["messages"][0]["content"] and server.complaints == []


def test_opencua_ends_with_an_answer() -> None:
    code = "Thought: x\nAction: end\nCode:\n```python\ncomputer.terminate(status='success', answer='42')\n```"
    with OpenAIServer([completes(code)]) as server:
        agent = compatible_at(server, "OpenCUA-7B")
        assert play(agent, kind="answer")[0].action == Answer(text="42")


@pytest.mark.parametrize("name", [name for name in MANNERS if name != "functions"])
def test_the_system_message_explains_the_format_and_leaves_nothing_unfilled(name: str) -> None:
    with OpenAIServer([completes("nothing of use")] * 3) as server:
        assert play(compatible_at(server, dialect=name))[0].action == Look(), "three times told what was wrong"
    system = server.bodies[0]["messages"][0]["content"]
    assert not any(hole in system for hole in ("{steps}", "{actions}", "{width}", "{height}", "{ending}"))
    assert "give_up" not in system and len(server.asked) == 3 and server.complaints == []


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-oss", "functions"),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui-tars-1.5"),
        ("UI-TARS-72B-DPO", "ui-tars-1.0"),
        ("doubao-1.5-ui-tars-250328", "ui-tars-grid"),
        ("qwen3-vl:8b", "qwen3-vl"),
        ("xlangai/OpenCUA-32B", "opencua"),
    ],
)
def test_a_models_name_tells_its_dialect(model: str, name: str) -> None:
    assert manner_of(model, None).dialect.name == name
    assert manner_of(model, "functions").dialect is FUNCTIONS, "unless another is asked for"


# --- names and keys --------------------------------------------------------------------------------------------------


def test_an_agent_is_named_in_one_word() -> None:
    assert compatible_from("org/model:7b@http://127.0.0.1:8000/v1").name == "compatible:org/model:7b"
    assert compatible_from("m@rev@https://host/api/v1#qwen3-vl").name == "compatible:m@rev#qwen3-vl"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model",
        "model@",
        "@http://h/v1",
        "model@ftp://h/v1",
        "m@http://user:word@h/v1",
        "m@http://h/v1?key=1",
        "m x@http://h/",
    ],
)
def test_a_name_that_names_no_model_and_server_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="HOST"):
        compatible_from(text)


def test_an_unknown_dialect_in_a_name_is_refused() -> None:
    for text in ("m@http://h/v1#qwen", "m@http://h/v1#"):
        with pytest.raises(UnknownName, match="dialect"):
            compatible_from(text)


@given(st.text(max_size=40) | st.from_regex(r"\S*@https?://\S*#?\S*", fullmatch=True))
def test_any_text_is_an_agent_or_an_error_that_says_so(text: str) -> None:
    with contextlib.suppress(InvalidInput, UnknownName):
        assert compatible_from(text).name.startswith("compatible:")


def test_the_vendors_own_key_and_names_are_never_sent_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("OPENAI_ORG_ID", "secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: secret")
    monkeypatch.setenv("COMPATIBLE_API_KEY", "test-key")
    with OpenAIServer([DONE]) as server:
        assert play(compatible_at(server, api_key=None))[0].action == Done()
    assert "secret" not in str(server.asked[0].headers) and server.complaints == []


def test_without_a_key_a_server_that_wants_none_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMPATIBLE_API_KEY", raising=False)
    with OpenAIServer([DONE]) as server, pytest.raises(MissingPrerequisite, match="COMPATIBLE_API_KEY"):
        play(compatible_at(server, api_key=None))
    assert server.asked[0].headers["authorization"] == "Bearer none"


def test_without_the_sdk_the_fix_is_the_line_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingPrerequisite, match=r"pip install 'fairground\[openai\]'"):
        compatible_agent("m", base_url="http://127.0.0.1:1/v1").check()


# --- the functions as a dialect --------------------------------------------------------------------------------------

POINTS = st.tuples(st.integers(0, 1279), st.integers(0, 719))
HELD = st.sampled_from([(), ("ctrl",), ("ctrl", "shift")])
BUTTONS = st.sampled_from(["left", "middle", "right"])
ACTIONS = st.one_of(
    st.builds(Click, point=POINTS, button=BUTTONS, count=st.integers(1, 3), modifiers=HELD),
    st.builds(Move, point=POINTS),
    st.builds(Drag, path=st.tuples(POINTS, POINTS), button=BUTTONS, modifiers=HELD),
    st.builds(Scroll, point=POINTS, dy=st.integers(-20, 20).filter(bool), modifiers=HELD),
    st.builds(Scroll, point=POINTS, dx=st.integers(-20, 20).filter(bool)),
    st.builds(Type, text=st.text("aä日\n\t'\"{}", max_size=20)),
    st.builds(Key, keys=st.sampled_from([("enter",), ("ctrl", "s"), ("+",)]), repeat=st.integers(1, 9)),
    st.builds(Wait, seconds=st.floats(0, 100)),
    st.just(Look()),
)


@given(ACTIONS)
def test_what_is_written_as_a_call_reads_back_as_the_same_action(action: Any) -> None:
    (call,) = FUNCTIONS.write(action, SIZE)
    assert FUNCTIONS.parse(call, SIZE) == (action,)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from([tool["function"]["name"] for tool in FUNCTIONS.describe_tools(SIZE)])
FIELDS = st.sampled_from(["x", "y", "to_x", "to_y", "button", "count", "keys", "text", "seconds", "direction"])


@given(PLAIN | st.fixed_dictionaries({"name": NAMES | PLAIN, "arguments": st.dictionaries(FIELDS, PLAIN) | PLAIN}))
def test_garbage_is_an_action_or_an_invalid_action(call: Any) -> None:
    with contextlib.suppress(InvalidAction):
        assert FUNCTIONS.parse(call, SIZE)
