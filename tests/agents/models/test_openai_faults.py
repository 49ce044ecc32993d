"""OpenAI's servers when they are busy, broken, cut off or talk nonsense, and models that refuse or write nonsense."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.agents.models import (
    ContextTooLong,
    ImageRefused,
    ModelRefused,
    ModelUnavailable,
    RequestRefused,
    RetryPolicy,
    openai_agent,
)
from fairground.agents.models.calling import Transient
from fairground.agents.models.openai_answer import from_events, from_response
from fairground.core import Click, Done, Fail, FairgroundError, InvalidInput, Look, MissingPrerequisite

from .openai_stage import openai_at, pictures_in, words_in
from .stage import Time, brief, play, screen
from .wire.openai_wire import (
    Behaviour,
    OpenAIServer,
    act,
    breaks_off,
    broken,
    busy,
    computer,
    cut,
    failed,
    fails_inside,
    function,
    message,
    reasoning,
    refusal,
    responds,
    returns,
    streams,
)
from .wire.server import Answered, Asked

DONE = responds(message("Done."))
CLICK = computer(act("click", button="left", x=5, y=5))
ERROR = b'event: error\ndata: {"type": "error", "code": "server_error", "message": "oops", "param": null}\n\n'


def click() -> Behaviour:
    return responds(computer(act("click", button="left", x=5, y=5)))


# --- servers ---------------------------------------------------------------------------------------------------------

PASSING: dict[str, Behaviour] = {
    "busy": busy(),
    "internal error": broken(),
    "gateway": returns(b"<html>502 Bad Gateway</html>", 502),
    "an error in the stream": streams(ERROR),
    "another form of it": streams(b'data: {"error": {"message": "overloaded", "code": "server_error"}}\n\n'),
    "an answer that failed": fails_inside("server_error", "The model failed."),
    "an answer that met a limit": fails_inside("rate_limit_exceeded", "Rate limit reached."),
    "an answer that is not ready": responds(status="queued"),
    "connection cut in the stream": breaks_off(message("I shall"), CLICK, after=4),
    "connection cut before the stream": breaks_off(after=0),
    "stream ends early": breaks_off(message("I shall"), CLICK, after=4, cleanly=True),
    "everything but the end": breaks_off(message("I shall"), after=5, cleanly=True),
    "garbage in an event": streams(b"event: response.created\ndata: {nonsense\n\n"),
    "half a JSON": streams(b'event: response.completed\ndata: {"type": "response.comp'),
    "a list for an event": streams(b"event: response.created\ndata: [1, 2]\n\n"),
    "an end without an answer": streams(b'event: response.completed\ndata: {"type": "response.completed"}\n\n'),
    "an empty body": streams(),
    "no UTF-8": streams(b"event: response.created\ndata: \xff\xfe\n\n"),
    "a call without an id": responds({"type": "computer_call", "id": "cu_x", "actions": []}),
    "the server says so": failed(400, "invalid_request_error", "hiccup", x_should_retry="true"),
}


@pytest.mark.parametrize("behaviour", PASSING.values(), ids=PASSING.keys())
def test_a_failure_that_may_pass_is_tried_again_and_is_not_part_of_the_conversation(behaviour: Behaviour) -> None:
    time = Time()
    with OpenAIServer([behaviour, behaviour, DONE]) as server:
        agent = openai_at(server, time=time)
        assert play(agent)[0].action == Done()
    assert server.bodies[0] == server.bodies[1] == server.bodies[2]
    assert time.waits == [1.0, 2.0], "twice as long each time"
    assert agent.usage.failures == 2 and server.complaints == []


@pytest.mark.parametrize("body", [b"{half", b"<html>hello</html>", b'{"object": "response"}', b'"words"', b"[]"])
def test_a_whole_answer_that_is_none_is_tried_again(body: bytes) -> None:
    with OpenAIServer([returns(body), returns(body, cut=True), DONE]) as server:
        assert play(openai_at(server, stream=False))[0].action == Done()


@pytest.mark.parametrize(
    ("behaviour", "seconds"),
    [
        (busy(retry_after="7"), 7.0),
        (busy(retry_after_ms="250", retry_after="9"), 0.25),
        (busy("Rate limit reached. Please try again in 1.5s. Visit the page."), 1.5),
        (busy("Rate limit reached. Please try again in 1m26.5s."), 86.5),
        (busy(x_ratelimit_remaining_tokens="0", x_ratelimit_reset_tokens="120ms"), 0.12),
        (busy(x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="1m0s"), 60.0),
        (busy(x_ratelimit_remaining_requests="5", x_ratelimit_reset_requests="6m0s"), 1.0),
        (busy(x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="soon"), 1.0),
        (fails_inside("rate_limit_exceeded", "Please try again in 3s."), 3.0),
    ],
)
def test_the_servers_hint_is_honoured(behaviour: Behaviour, seconds: float) -> None:
    time = Time()
    with OpenAIServer([behaviour, DONE]) as server:
        play(openai_at(server, time=time))
    assert time.waits == [pytest.approx(seconds)]


def test_after_the_budget_of_attempts_it_is_an_infrastructure_error() -> None:
    with OpenAIServer([broken()] * 3) as server, pytest.raises(ModelUnavailable, match="3 attempts.*500"):
        play(openai_at(server, retries=RetryPolicy(attempts=3)))


def test_nobody_listening_is_an_infrastructure_error() -> None:
    with OpenAIServer([]) as server:
        pass
    with pytest.raises(ModelUnavailable, match="2 attempts"):
        play(openai_at(server, retries=RetryPolicy(attempts=2)))


def test_an_answer_that_only_drips_is_given_up_and_tried_again() -> None:
    with OpenAIServer([responds(*[message("word " * 50) for _ in range(20)]), DONE]) as server:
        agent = openai_at(server, time=Time(per_look=20.0), answer_seconds=300.0, retries=RetryPolicy(seconds=1e6))
        assert play(agent)[0].action == Done()
    assert agent.usage.failures == 1


@pytest.mark.parametrize("stream", [True, False])
def test_a_flood_of_words_is_no_answer(stream: bool) -> None:
    with OpenAIServer([responds(message("x" * (5 << 20))), DONE]) as server:
        agent = openai_at(server, stream=stream)
        assert play(agent)[0].action == Done()
    assert agent.usage.failures == 1


@pytest.mark.parametrize(
    ("behaviour", "error", "says_what"),
    [
        (
            failed(401, "invalid_request_error", "Incorrect key", "invalid_api_key"),
            MissingPrerequisite,
            "OPENAI_API_KEY",
        ),
        (failed(403, "invalid_request_error", "Country not supported"), MissingPrerequisite, "may not use"),
        (failed(429, "insufficient_quota", "Exceeded your quota", "insufficient_quota"), MissingPrerequisite, "credit"),
        (failed(404, "invalid_request_error", "No such model", "model_not_found"), InvalidInput, "name of the model"),
        (failed(400, "invalid_request_error", "Unsupported value", "unsupported_value"), RequestRefused, "options"),
        (failed(429, "requests", "spent", "rate_limit_exceeded", x_should_retry="false"), RequestRefused, "spent"),
        (fails_inside("invalid_image", "Not an image."), RequestRefused, "invalid_image"),
    ],
)
def test_a_refused_request_is_not_tried_again_and_says_what_to_do(
    behaviour: Behaviour, error: type[Exception], says_what: str
) -> None:
    with OpenAIServer([behaviour]) as server:
        with pytest.raises(error, match=says_what):
            play(openai_at(server))
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    "too_large",
    [
        failed(400, "invalid_request_error", "The image is too big.", "image_too_large"),
        failed(400, "image_parse_error", "Image data exceeds 20 MB"),
        fails_inside("image_file_too_large", "Too many bytes."),
    ],
)
def test_pictures_that_are_too_large_are_shrunk_once(too_large: Behaviour) -> None:
    with OpenAIServer([too_large, click(), DONE]) as server:
        turns = play(openai_at(server), 2)
    assert turns[0].action == Click(point=(11, 11)), "the model's pixels are two of the screen's now"
    assert "640x360" in words_in(server.bodies[1]["input"]) and server.complaints == []
    with OpenAIServer([too_large, too_large]) as server, pytest.raises(ImageRefused):
        play(openai_at(server))


TOO_LONG: dict[str, Behaviour] = {
    "by code": failed(400, "invalid_request_error", "Your input exceeds the window.", "context_length_exceeded"),
    "in the stream": streams(
        b'data: {"type": "error", "code": "context_length_exceeded", "message": "Your input exceeds..."}\n\n'
    ),
    "by bytes": failed(413, "invalid_request_error", "Too big"),
    "by a limit of a minute": failed(429, "tokens", "Request too large for gpt-5.4-mini", "rate_limit_exceeded"),
}


@pytest.mark.parametrize("full", TOO_LONG.values(), ids=TOO_LONG.keys())
def test_a_conversation_that_is_too_long_is_cut_once_and_then_ends_as_the_agents_own(full: Behaviour) -> None:
    def waits() -> list[Behaviour]:
        return [responds(reasoning("."), computer(act("wait"))) for _ in range(3)]

    with OpenAIServer([*waits(), full, DONE]) as server:
        assert play(openai_at(server), 4)[-1].action == Done()
    assert len(set(pictures_in(server.bodies[-1]))) == 2, "the newest frame, and grey ones"
    assert server.complaints == []
    with OpenAIServer([*waits(), full, full]) as server:
        turn = play(openai_at(server), 4)[-1]
    assert isinstance(turn.action, Fail) and "too long" in turn.action.reason


# --- keys and SDK ----------------------------------------------------------------------------------------------------


def test_without_a_key_there_is_a_clear_word_and_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with OpenAIServer([]) as server:
        with pytest.raises(MissingPrerequisite, match="OPENAI_API_KEY is not set"):
            openai_at(server, api_key=None).check()
        assert server.asked == []


def test_a_key_of_the_environment_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with OpenAIServer([DONE]) as server:
        assert play(openai_at(server, api_key=None))[0].action == Done()


def test_without_the_sdk_the_fix_is_the_line_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingPrerequisite, match=r"pip install 'fairground\[openai\]'"):
        openai_agent("gpt-5.4-mini").check()


# --- models ----------------------------------------------------------------------------------------------------------

REFUSALS: dict[str, tuple[Behaviour, str]] = {
    "in words": (responds(refusal("I can't help with that.")), "I can't help with that."),
    "by the filter": (cut(message("I"), reason="content_filter"), "filter"),
    "of the prompt": (failed(400, "invalid_request_error", "Flagged.", "invalid_prompt"), "Flagged."),
    "by policy": (failed(400, "invalid_request_error", "No.", "content_policy_violation"), "No."),
    "inside the answer": (fails_inside("misalignment_policy_violation", "Blocked."), "Blocked."),
}


@pytest.mark.parametrize(("behaviour", "reason"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_refusal_ends_the_episode_as_the_agents_own_doing(behaviour: Behaviour, reason: str) -> None:
    with OpenAIServer([behaviour]) as server:
        turn = play(openai_at(server))[0]
    assert isinstance(turn.action, Fail) and turn.action.reason.startswith("the model refused: ")
    assert reason in turn.action.reason and turn.thought == turn.action.reason


UNUSABLE: dict[str, tuple[Behaviour, str]] = {
    "unknown action": (responds(computer(act("fly", x=1, y=2))), "unknown action 'fly'"),
    "a field is missing": (responds(computer(act("move", x=1))), "y is required"),
    "off the screen": (responds(computer(act("move", x=1280, y=0))), "off the 1280x720 screen"),
    "an unknown key": (responds(computer(act("keypress", keys=["HYPERSPACE"]))), "HYPERSPACE"),
    "no action": (responds(computer()), "no action found"),
    "an action that is none": (responds(computer("click")), "expected an object"),
    "an unknown function": (responds(function("fly", to="Rome")), "no function 'fly'"),
    "half the arguments": (responds(function("give_up", raw='{"reason": "it')), "not a JSON object"),
    "a list of arguments": (responds(function("give_up", raw="[1]")), "not a JSON object"),
    "other arguments": (responds(function("give_up", why="it")), "reason is required"),
    "cut off in words": (cut(message("I will now", status="incomplete")), "cut off"),
    "cut off while reasoning": (cut(reasoning("Let me see")), "cut off"),
    "cut off within a call": (cut(reasoning("."), function("give_up", raw='{"re') | {"status": "incomplete"}), "cut"),
    "empty": (responds(), "empty"),
    "only reasoning": (responds(reasoning("Hm.")), "empty"),
    "only blanks": (responds(reasoning("Hm."), message(" \n ")), "empty"),
}


@pytest.mark.parametrize(("behaviour", "complaint"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_answer_that_nobody_can_use_is_asked_for_again_with_what_was_wrong(
    behaviour: Behaviour, complaint: str
) -> None:
    with OpenAIServer([behaviour, click()]) as server:
        turns = play(openai_at(server))
    assert turns[0].action == Click(point=(5, 5))
    assert server.complaints == [] and complaint in words_in(server.bodies[1]["input"])


def test_calls_before_a_bad_one_are_carried_out_and_those_after_it_are_not() -> None:
    script = [responds(computer(act("wait")), computer(act("fly")), computer(act("type", text="x"))), DONE]
    with OpenAIServer(script) as server:
        turns = play(openai_at(server), 2)
    assert [turn.action.kind for turn in turns] == ["wait", "done"]
    assert "fly" in words_in(server.bodies[1]["input"][-1]) and server.complaints == []


def test_a_model_that_never_makes_sense_costs_steps_and_can_still_recover() -> None:
    with OpenAIServer([responds(computer(act("fly"))), responds(), responds(), click()]) as server:
        turns = play(openai_at(server, asks=3), 2)
    assert turns[0].action == Look() and turns[1].action == Click(point=(5, 5))
    assert server.complaints == []


def test_half_a_character_is_mended_and_reaches_nobody() -> None:
    broken_words = message("so \ud83d\ude00 and \ud83d")
    with OpenAIServer([responds(broken_words)]) as server:
        turn = play(openai_at(server), kind="answer")[0]
    assert turn.thought == "so \U0001f600 and \ufffd"


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
ITEMS = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "reasoning", "computer_call", "function_call"]) | PLAIN},
    optional={name: PLAIN for name in ("content", "summary", "call_id", "name", "arguments", "actions", "status")},
)
RESPONSES = st.fixed_dictionaries(
    {"output": st.lists(ITEMS, max_size=3) | PLAIN},
    optional={name: PLAIN for name in ("status", "error", "usage", "incomplete_details")},
)


@settings(max_examples=200, deadline=None)
@given(RESPONSES | PLAIN)
def test_garbage_is_an_answer_or_a_typed_error(response: Any) -> None:
    try:
        answer = from_response(response)
        answer.said(), answer.thought(), answer.calls()
        json.dumps(answer.items)
    except (Transient, ModelRefused, RequestRefused, ImageRefused, ContextTooLong):
        pass


@settings(max_examples=100, deadline=None)
@given(st.lists(PLAIN | st.fixed_dictionaries({"type": st.sampled_from(["error", "response.completed"])}), max_size=4))
def test_garbage_in_a_stream_is_a_typed_error(events: list[Any]) -> None:
    with contextlib.suppress(Transient, FairgroundError):
        from_response(from_events(events))


@pytest.mark.parametrize("stream", [True, False])
def test_an_agent_that_is_closed_while_it_waits_asks_nothing_more(stream: bool) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def hangs(request: Asked) -> Answered:
        asked.set()
        go_on.wait(20)
        return busy()(request)

    raised: list[BaseException] = []

    def act_alone() -> None:
        try:
            agent.act(screen())
        except BaseException as error:
            raised.append(error)

    with OpenAIServer([hangs]) as server:
        agent = openai_at(server, stream=stream)
        agent.begin(brief())
        thread = threading.Thread(target=act_alone, daemon=True)
        thread.start()
        assert asked.wait(20)
        agent.close()
        go_on.set()
        thread.join(20)
    assert [type(error) for error in raised] == [ModelUnavailable] and len(server.asked) == 1
