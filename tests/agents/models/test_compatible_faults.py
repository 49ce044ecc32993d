"""Faults of compatible servers and their dialects only; those that all vendors have are in `test_faults.py`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents.models.calling import Transient
from fairground.agents.models.compatible_chat import CompatibleChat, CompatibleOptions
from fairground.core import CallUser, Click, FairgroundError

from .openai_stage import compatible_at, words_in
from .stage import Time, play
from .wire.openai_wire import OpenAIServer, completes, failed, tool_call

pytestmark = pytest.mark.process


def test_the_schema_of_a_function_follows_smaller_pictures() -> None:
    too_large = failed(400, "BadRequestError", "Image of 1280x720 exceeds the maximum size")
    with OpenAIServer([too_large, completes("Done.")]) as server:
        play(compatible_at(server))
    assert server.bodies[1]["tools"][0]["function"]["parameters"]["properties"]["x"]["maximum"] == 639


def test_a_model_on_a_grid_is_not_told_of_smaller_pictures() -> None:
    too_large = failed(400, "BadRequestError", "Image exceeds the maximum size")
    call = (
        '<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [0, 0]}}</tool_call>'
    )
    with OpenAIServer([too_large, completes(call)]) as server:
        assert play(compatible_at(server, "qwen3-vl"))[0].action == Click(point=(1, 1))
    assert "640x360" not in words_in(server.bodies[1]["messages"]) and server.complaints == []


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}, "many"])
def test_a_server_that_counts_nothing_costs_nobody_knows_what(usage: Any) -> None:
    with OpenAIServer([completes("Done.", usage=usage)]) as server:
        agent = compatible_at(server, "gpt-5.4-mini")
        play(agent)
    assert (agent.usage.requests, agent.usage.tokens, agent.usage.dollars) == (1, 0, None)


def test_usage_counts_each_token_once() -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 900}}
    with OpenAIServer([completes("Done.", usage=usage)]) as server:
        agent = compatible_at(server)
        play(agent)
    used = agent.usage
    assert (used.input_tokens, used.cached_tokens, used.output_tokens, used.dollars) == (100, 900, 10, None)


TEXTS: dict[str, tuple[str, str]] = {
    "words alone": ("I would click there.", "expected 'Action: '"),
    "unknown action": ("Thought: x\nAction: fly(point='<point>1 2</point>')", "unknown action 'fly'"),
    "off the picture": ("Action: click(point='<point>5000 5</point>')", "off the 1288x728 picture"),
    "half an action": ("Action: click(point='<point>5", "expected an action"),
}


@pytest.mark.parametrize(("said", "complaint"), TEXTS.values(), ids=TEXTS.keys())
def test_text_that_is_no_action_is_asked_for_again_with_what_was_wrong(said: str, complaint: str) -> None:
    with OpenAIServer([completes(said), completes("Action: wait()")]) as server:
        assert play(compatible_at(server, "ui-tars"))[0].action.kind == "wait"
    assert complaint in words_in(server.bodies[1]["messages"][-1]) and server.complaints == []


def test_text_that_was_cut_off_is_not_carried_out() -> None:
    script = [completes("Thought: x\nAction: type(content='half')", finish="length"), completes("Action: wait()")]
    with OpenAIServer(script) as server:
        assert play(compatible_at(server, "ui-tars"))[0].action.kind == "wait"
    assert "cut off" in words_in(server.bodies[1]["messages"][-1]) and server.complaints == []


def test_half_a_character_is_mended_and_reaches_nobody() -> None:
    with OpenAIServer([completes("so \ud83d", tool_call("call_user", question="\udc00?"))]) as server:
        turn = play(compatible_at(server))[0]
    assert turn.thought == "so \ufffd" and turn.action == CallUser(text="\ufffd?")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
CALL = st.fixed_dictionaries({"function": PLAIN | st.fixed_dictionaries({"name": PLAIN, "arguments": PLAIN})})
MESSAGE = st.fixed_dictionaries(
    {}, optional={"content": PLAIN, "refusal": PLAIN, "reasoning": PLAIN, "tool_calls": st.lists(CALL | PLAIN) | PLAIN}
)
CHOICE = st.fixed_dictionaries({"message": MESSAGE | PLAIN}, optional={"finish_reason": PLAIN})


@given(PLAIN | st.fixed_dictionaries({"choices": st.lists(CHOICE | PLAIN, max_size=2)}, optional={"usage": PLAIN}))
@pytest.mark.parametrize("dialect", ["functions", "qwen3-vl"])
def test_garbage_is_a_reply_or_a_typed_error(dialect: str, answer: Any) -> None:
    options = CompatibleOptions.parse({"model": "m", "dialect": dialect})
    chat = CompatibleChat(options, base_url="http://127.0.0.1:1/v1", pace=Time().pace())
    chat.begin("", (), None)  # type: ignore[arg-type]
    try:
        reply = chat._read(answer)
        json.dumps([call.arguments for call in reply.calls])
    except (Transient, FairgroundError):
        pass
