"""Compatible servers when they are busy, broken or talk nonsense, each in its own way, and models that do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.agents.models import (
    ImageRefused,
    ModelUnavailable,
    RequestRefused,
    RetryPolicy,
)
from fairground.agents.models.calling import Transient
from fairground.agents.models.compatible_chat import CompatibleChat, CompatibleOptions
from fairground.core import CallUser, Click, Done, Fail, FairgroundError, InvalidInput, Look, MissingPrerequisite

from .openai_stage import compatible_at, pictures_in, words_in
from .stage import Time, play
from .wire.openai_wire import Behaviour, OpenAIServer, broken, busy, completes, failed, returns, tool_call

DONE = completes("Done.")


def click() -> Behaviour:
    return completes(None, tool_call("click", x=5, y=5))


def body(data: Any, status: int = 200) -> Behaviour:
    return returns(json.dumps(data).encode(), status)


PASSING: dict[str, Behaviour] = {
    "busy": busy(),
    "internal error": broken(),
    "gateway": returns(b"<html>502 Bad Gateway</html>", 502),
    "loading": body({"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, 503),
    "an error with a good status": body({"error": {"message": "Provider returned error", "code": 502}}),
    "broken off": completes("I shall", finish="error"),
    "half a JSON": returns(b'{"choices": [{"mess'),
    "connection cut": returns(b'{"choices": [', cut=True),
    "no JSON": returns(b"<html>hello</html>"),
    "an empty body": returns(b""),
    "no choices": body({"choices": []}),
    "no message": body({"choices": [{"index": 0, "finish_reason": "stop"}]}),
    "a text for an answer": body("words"),
    "calls that are no list": body({"choices": [{"message": {"role": "assistant", "tool_calls": "click"}}]}),
    "a flood": completes("x" * (5 << 20)),
}


@pytest.mark.parametrize("behaviour", PASSING.values(), ids=PASSING.keys())
def test_a_failure_that_may_pass_is_tried_again(behaviour: Behaviour) -> None:
    time = Time()
    with OpenAIServer([behaviour, behaviour, DONE]) as server:
        agent = compatible_at(server, time=time)
        assert play(agent)[0].action == Done()
    assert server.bodies[0] == server.bodies[1] == server.bodies[2]
    assert time.waits == [1.0, 2.0] and agent.usage.failures == 2 and server.complaints == []


def test_the_servers_hint_is_honoured() -> None:
    time = Time()
    with OpenAIServer([busy(retry_after="7"), DONE]) as server:
        play(compatible_at(server, time=time))
    assert time.waits == [7.0]


def test_a_server_that_stays_away_is_an_infrastructure_error() -> None:
    with OpenAIServer([broken()] * 2) as server, pytest.raises(ModelUnavailable, match="2 attempts"):
        play(compatible_at(server, retries=RetryPolicy(attempts=2)))


@pytest.mark.parametrize(
    ("behaviour", "error", "says_what"),
    [
        (failed(401, "authentication_error", "no"), MissingPrerequisite, "COMPATIBLE_API_KEY"),
        (
            body({"object": "error", "message": "No model `x` exists.", "code": 404}, 404),
            InvalidInput,
            "exist",
        ),
        (body({"detail": "Not Found"}, 404), InvalidInput, "Not Found"),
        (body({"error": "tools are not supported by this model"}, 400), RequestRefused, "tools are not supported"),
        (
            body({"object": "error", "message": "bad", "type": "BadRequest", "code": 400}, 400),
            RequestRefused,
            "bad",
        ),
    ],
)
def test_a_refused_request_is_not_tried_again_however_it_is_worded(
    behaviour: Behaviour, error: type[Exception], says_what: str
) -> None:
    with OpenAIServer([behaviour]) as server:
        with pytest.raises(error, match=says_what):
            play(compatible_at(server))
        assert len(server.asked) == 1


TOO_LONG: dict[str, Behaviour] = {
    "too many pictures": failed(400, "BadRequestError", "At most 1 image(s) may be provided in one request."),
    "vLLM": failed(400, "BadRequestError", "This model's maximum context length is 8192 tokens. However, you ..."),
    "SGLang": failed(400, "BadRequest", "The input (9000 tokens) is longer than the model's context length (8192)."),
    "llama.cpp": failed(400, "exceed_context_size_error", "request exceeds the available context size, try more"),
}


@pytest.mark.parametrize("full", TOO_LONG.values(), ids=TOO_LONG.keys())
def test_a_conversation_that_is_too_long_is_cut_once_and_then_ends_as_the_agents_own(full: Behaviour) -> None:
    def waits() -> list[Behaviour]:
        return [completes(None, tool_call("wait", seconds=0)) for _ in range(3)]

    with OpenAIServer([*waits(), full, DONE]) as server:
        assert play(compatible_at(server), 4)[-1].action == Done()
    assert [len(pictures_in(each)) for each in server.bodies] == [1, 2, 3, 4, 1] and server.complaints == []
    with OpenAIServer([*waits(), full, full]) as server:
        turn = play(compatible_at(server), 4)[-1]
    assert isinstance(turn.action, Fail) and "too long" in turn.action.reason


def test_pictures_that_are_too_large_are_shrunk_once() -> None:
    too_large = failed(400, "BadRequestError", "Image of 1280x720 exceeds the maximum size")
    with OpenAIServer([too_large, click()]) as server:
        assert play(compatible_at(server))[0].action == Click(point=(11, 11))
    assert "640x360" in words_in(server.bodies[1]["messages"])
    assert server.bodies[1]["tools"][0]["function"]["parameters"]["properties"]["x"]["maximum"] == 639
    with OpenAIServer([too_large, too_large]) as server, pytest.raises(ImageRefused):
        play(compatible_at(server))


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


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (completes(None, refusal="I can't help with that."), "I can't help"),
        (completes("I", finish="content_filter"), "filter"),
        (failed(400, "invalid_request_error", "Filtered.", "content_filter"), "Filtered."),
    ],
)
def test_a_refusal_ends_the_episode_as_the_agents_own_doing(behaviour: Behaviour, reason: str) -> None:
    with OpenAIServer([behaviour]) as server:
        turn = play(compatible_at(server))[0]
    assert isinstance(turn.action, Fail) and reason in turn.action.reason


UNUSABLE: dict[str, tuple[Behaviour, str]] = {
    "unknown function": (completes(None, tool_call("fly", x=1)), "unknown function 'fly'"),
    "a name that is none": (completes(None, tool_call("fly away!")), "no name of a function"),
    "no name": (completes(None, {"type": "function", "function": {}}), "no name of a function"),
    "a call that is none": (completes(None, {"function": "click"}), "no name of a function"),
    "a field is missing": (completes(None, tool_call("click", x=1)), "y is required"),
    "a field too many": (completes(None, tool_call("click", x=1, y=1, colour="red")), "colour"),
    "words for numbers": (completes(None, tool_call("click", x="left", y=1)), "expected a number"),
    "off the screen": (completes(None, tool_call("click", x=1280, y=0)), "off the 1280x720 screen"),
    "half the arguments": (completes(None, tool_call("click", raw='{"x": 10, "y')), "not a JSON object"),
    "a list of arguments": (completes(None, tool_call("click", raw="[1, 2]")), "not a JSON object"),
    "cut off within a call": (completes("so", tool_call("click", x=1, y=1), finish="length"), "cut off"),
    "cut off in words": (completes("I will now", finish="length"), "cut off"),
    "cut off while thinking": (completes(None, finish="length", reasoning_content="Hm"), "cut off"),
    "empty": (completes(None), "empty"),
    "only blanks": (completes(" \n "), "empty"),
    "only thinking": (completes("<think>Hm.</think>"), "empty"),
}


@pytest.mark.parametrize(("behaviour", "complaint"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_answer_that_nobody_can_use_is_asked_for_again_with_what_was_wrong(
    behaviour: Behaviour, complaint: str
) -> None:
    with OpenAIServer([behaviour, click()]) as server:
        turns = play(compatible_at(server))
    assert turns[0].action == Click(point=(5, 5))
    assert server.complaints == [] and complaint in words_in(server.bodies[1]["messages"][1:])


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


def test_a_model_that_never_makes_sense_costs_steps_and_can_still_recover() -> None:
    with OpenAIServer([completes(None, tool_call("fly")), completes(None), completes(""), click()]) as server:
        turns = play(compatible_at(server, asks=3), 2)
    assert turns[0].action == Look() and turns[1].action == Click(point=(5, 5)) and server.complaints == []


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


@settings(max_examples=200, deadline=None)
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
