"""Servers that are busy, broken, cut off or talk nonsense, and models that refuse or cannot write a call."""

from __future__ import annotations

import json
import re
import sys

import pytest

from fairground.agents.models import ImageRefused, ModelUnavailable, RequestRefused, RetryPolicy, gemini_agent
from fairground.core import CallUser, Click, Done, Fail, InvalidInput, Look, MissingPrerequisite

from .stage import Time, play, screen
from .wire.gemini_stage import MODEL, agent_at, images_in, responses_of, words_of
from .wire.gemini_wire import (
    Behaviour,
    GeminiServer,
    blocked,
    breaks_off,
    busy,
    call,
    error_body,
    failed,
    fails_midway,
    overloaded,
    returns,
    says,
    streams,
    text,
    thought,
)

CLICK = call("click", x=500, y=500)
CLICKED = Click(point=(640, 360))
DONE = says(text("Done."))
WAIT = says(call("wait", seconds=1))


# --- servers ---------------------------------------------------------------------------------------------------------


def sse(text: str) -> Behaviour:
    return streams(f"data: {text}\r\n\r\n".encode())


PASSING: dict[str, Behaviour] = {
    "busy": busy(),
    "overloaded": overloaded(),
    "internal error": failed(500, "INTERNAL", "An internal error has occurred."),
    "deadline": failed(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
    "gateway": returns(b"<html>502 Bad Gateway</html>", 502),
    "an error that is a list": returns(json.dumps([error_body(503, "UNAVAILABLE", "x")]).encode(), 503),
    "an error without a form": returns(b'"busy"', 503),
    "overloaded midway": fails_midway(503, "UNAVAILABLE", "The model is overloaded."),
    "an error without a code": sse('{"error": {"message": "x"}}'),
    "connection cut in the stream": breaks_off(text("I shall"), CLICK, after=2),
    "connection cut before the stream": breaks_off(after=0),
    "stream ends early": breaks_off(text("I shall"), CLICK, after=2, cleanly=True),
    "everything but the end": breaks_off(text("I shall"), CLICK, after=3, cleanly=True),
    "garbage in a chunk": sse("{nonsense"),
    "half a JSON": streams(b'data: {"candidates": [{"content": {"par'),
    "a chunk of the wrong form": sse('{"candidates": "none"}'),
    "parts of the wrong form": sse('{"candidates": [{"content": {"parts": [7]}, "finishReason": "STOP"}]}'),
    "a call without a name": sse('{"candidates": [{"content": {"parts": [{"functionCall": {"args": {}}}]}}]}'),
    "a list for a chunk": sse("[1, 2]"),
    "a number for a chunk": sse("7"),
    "no candidates": sse('{"candidates": [], "usageMetadata": {"promptTokenCount": 5}}'),
    "nothing at all": sse("{}"),
    "an empty body": streams(),
    "no UTF-8": streams(b"data: \xff\xfe\r\n\r\n"),
    "ended for no reason": says(text("I shall"), finish="OTHER"),
}


@pytest.mark.parametrize("behaviour", PASSING.values(), ids=PASSING.keys())
def test_a_failure_that_may_pass_is_tried_again_and_is_not_part_of_the_conversation(behaviour: Behaviour) -> None:
    time = Time()
    with GeminiServer([behaviour, behaviour, DONE]) as server:
        agent = agent_at(server, time=time)
        assert play(agent)[0].action == Done()
    assert server.bodies[0] == server.bodies[1] == server.bodies[2]
    assert time.waits == [1.0, 2.0], "twice as long each time"
    assert agent.usage.failures == 2 and server.complaints == []


@pytest.mark.parametrize(
    "body", [b"{half", b"<html>hello</html>", b'"words"', b"{}", b"[]", b'{"candidates": {}}', b""]
)
def test_a_whole_answer_that_is_none_is_tried_again(body: bytes) -> None:
    with GeminiServer([returns(body), DONE]) as server:
        assert play(agent_at(server, stream=False))[0].action == Done()
    assert len(server.asked) == 2


def test_a_reason_that_is_new_is_no_reason_to_act() -> None:
    with GeminiServer([says(CLICK, finish="MOON_PHASE"), DONE]) as server, pytest.warns(match="MOON_PHASE"):
        assert play(agent_at(server))[0].action == Done()


@pytest.mark.parametrize(
    ("behaviour", "seconds"),
    [
        (busy("7s"), 7.0),
        (busy("34.074824224s"), 34.074824224),
        (busy("soon"), 1.0),
        (busy("9s", retry_after="3"), 3.0),
        (failed(503, "UNAVAILABLE", "x", retry_after="5"), 5.0),
    ],
)
def test_the_servers_hint_is_honoured(behaviour: Behaviour, seconds: float) -> None:
    time = Time()
    with GeminiServer([behaviour, DONE]) as server:
        play(agent_at(server, time=time))
    assert time.waits == [seconds]


def test_what_broke_off_midway_is_counted_because_it_is_paid_for() -> None:
    with GeminiServer([breaks_off(text("I shall"), after=1), DONE]) as server:
        agent = agent_at(server)
        play(agent)
    assert (agent.usage.requests, agent.usage.failures, agent.usage.input_tokens) == (2, 1, 2000)


def test_after_the_budget_of_attempts_it_is_an_infrastructure_error() -> None:
    with GeminiServer([overloaded()] * 3) as server, pytest.raises(ModelUnavailable, match="3 attempts.*503"):
        play(agent_at(server, retries=RetryPolicy(attempts=3)))
    assert len(server.asked) == 3, "the SDK tries nothing of its own"


def test_a_server_that_asks_for_more_time_than_there_is_is_taken_at_its_word() -> None:
    with GeminiServer([busy("3600s")]) as server, pytest.raises(ModelUnavailable, match="1 attempts"):
        play(agent_at(server))


def test_nobody_listening_is_an_infrastructure_error() -> None:
    with GeminiServer([]) as server:
        url = server.url
    agent = gemini_agent(MODEL, api_key="k", base_url=url, pace=Time().pace(), retries=RetryPolicy(attempts=2))
    with pytest.raises(ModelUnavailable, match="2 attempts"):
        play(agent)


def test_an_answer_that_only_drips_is_given_up_and_tried_again() -> None:
    slow = [thought(f"word {number} " * 5) if number % 2 else text("so") for number in range(20)]
    with GeminiServer([says(*slow), DONE]) as server:
        agent = agent_at(server, time=Time(per_look=20.0), answer_seconds=300.0, retries=RetryPolicy(seconds=1e6))
        assert play(agent)[0].action == Done()
    assert agent.usage.failures == 1


def test_streams_that_are_given_up_hold_no_connections() -> None:
    broken = [fails_midway(503, "UNAVAILABLE", "x"), streams(b"data: {nonsense\r\n\r\n", b"data: {}\r\n\r\n")]
    with GeminiServer([*broken * 60, DONE]) as server:  # more than the SDK may hold at once
        agent = agent_at(server, retries=RetryPolicy(attempts=60, seconds=1e9), idle_seconds=1.0)
        for _ in range(2):
            with pytest.raises(ModelUnavailable, match="60 attempts"):
                play(agent)
        assert play(agent)[0].action == Done()
    assert len(server.asked) == 121


@pytest.mark.parametrize(
    ("behaviour", "error", "says_what"),
    [
        (failed(400, "INVALID_ARGUMENT", "API key not valid. Please pass one."), MissingPrerequisite, "GEMINI_API_KEY"),
        (failed(401, "UNAUTHENTICATED", "no"), MissingPrerequisite, "not valid"),
        (failed(403, "PERMISSION_DENIED", "no"), MissingPrerequisite, "may not use"),
        (failed(400, "FAILED_PRECONDITION", "Enable billing."), MissingPrerequisite, "Enable billing"),
        (failed(404, "NOT_FOUND", "no"), InvalidInput, "check the name of the model"),
        (returns(b"<html>no</html>", 404), InvalidInput, "check the name of the model"),
        (failed(400, "INVALID_ARGUMENT", "no"), RequestRefused, "check that the model takes the options"),
        (fails_midway(400, "INVALID_ARGUMENT", "no"), RequestRefused, "check that the model takes the options"),
    ],
)
def test_a_refused_request_is_not_tried_again_and_says_what_to_do(
    behaviour: Behaviour, error: type[Exception], says_what: str
) -> None:
    with GeminiServer([behaviour]) as server:
        with pytest.raises(error, match=says_what):
            play(agent_at(server))
        assert len(server.asked) == 1


def test_pictures_that_are_refused_are_shrunk_once_and_points_mean_the_same() -> None:
    too_large = failed(400, "INVALID_ARGUMENT", "Unable to process input image. Please retry.")
    with GeminiServer([too_large, says(CLICK), DONE]) as server:
        turns = play(agent_at(server), 2)
    action = turns[0].action
    assert isinstance(action, Click) and action.point is not None
    assert abs(action.point[0] - 640) <= 1 and abs(action.point[1] - 360) <= 1
    assert len(server.bodies[0]["contents"][0]["parts"]) == len(server.bodies[1]["contents"][0]["parts"])
    assert server.complaints == []
    with GeminiServer([too_large, too_large]) as server, pytest.raises(ImageRefused):
        play(agent_at(server))


TOO_LONG = failed(
    400, "INVALID_ARGUMENT", "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."
)


@pytest.mark.parametrize(
    "full", [TOO_LONG, failed(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes.")]
)
def test_a_conversation_that_is_too_long_is_cut_once(full: Behaviour) -> None:
    with GeminiServer([*[WAIT] * 4, full, DONE]) as server:
        turns = play(agent_at(server), 5)
    assert turns[-1].action == Done() and server.complaints == []
    assert [len(images_in(body)) for body in server.bodies] == [1, 2, 3, 4, 5, 1]


def test_a_conversation_that_stays_too_long_is_the_agents_own_end() -> None:
    with GeminiServer([WAIT, WAIT, TOO_LONG, TOO_LONG]) as server:
        turn = play(agent_at(server), 3)[-1]
    assert isinstance(turn.action, Fail) and "too long" in turn.action.reason


# --- keys and SDK ----------------------------------------------------------------------------------------------------


@pytest.fixture
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("key", [None, "", "  "])
def test_without_a_key_there_is_a_clear_word_and_no_request(nothing_set: None, key: str | None) -> None:
    with GeminiServer([]) as server:
        agent = agent_at(server, api_key=key)
        with pytest.raises(MissingPrerequisite, match="neither GEMINI_API_KEY nor GOOGLE_API_KEY is set"):
            agent.check()
        assert server.asked == []


@pytest.mark.parametrize("name", ["GEMINI_API_KEY", "GOOGLE_API_KEY"])
def test_a_key_of_the_environment_will_do(nothing_set: None, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "test-key")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")  # another product's; this agent speaks one protocol
    with GeminiServer([DONE]) as server:
        assert play(agent_at(server, api_key=None))[0].action == Done()


def test_without_the_sdk_the_fix_is_the_line_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(MissingPrerequisite, match=r"pip install 'fairground\[gemini\]'"):
        gemini_agent(MODEL).check()


# --- models ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (says(finish="SAFETY"), "SAFETY"),
        (says(text("The verse goes"), finish="RECITATION", message="Too close."), "RECITATION"),
        (says(CLICK, finish="PROHIBITED_CONTENT"), "PROHIBITED_CONTENT"),
        (blocked("PROHIBITED_CONTENT"), "the prompt was blocked: PROHIBITED_CONTENT"),
        (blocked("IMAGE_SAFETY"), "the prompt was blocked: IMAGE_SAFETY"),
    ],
)
def test_a_filter_ends_the_episode_as_the_agents_own_doing(behaviour: Behaviour, reason: str, stream: bool) -> None:
    with GeminiServer([behaviour]) as server:
        agent = agent_at(server, stream=stream)
        turn = play(agent)[0]
    assert turn.action == Fail(reason=f"the model refused: {reason}") and turn.thought == turn.action.reason
    assert agent.usage.requests == 1 and agent.usage.input_tokens == 1000


UNUSABLE: dict[str, tuple[Behaviour, str]] = {
    "unknown function": (says(call("fly", x=1, y=2)), "unknown function 'fly'"),
    "only a browser's": (says(call("navigate", url="x")), "address bar"),
    "an older name": (says(call("click_at", x=1, y=2)), "unknown function 'click_at'"),
    "a field is missing": (says(call("move", x=1)), "y is required"),
    "off the grid": (says(call("click", x=1001, y=0)), "1001"),
    "text for a number": (says(call("click", x="left", y=0)), "expected a number"),
    "a field too many": (says(call("click", x=1, y=2, force=9)), "force"),
    "deeply nested": (says(call("click", x=json.loads("[" * 50 + "]" * 50), y=0)), "nested deeper"),
    "malformed": (says(finish="MALFORMED_FUNCTION_CALL", message="print(click(x="), "could not be read.*MALFORMED"),
    "malformed, silently": (says(text("So:"), finish="MALFORMED_FUNCTION_CALL"), "could not be read"),
    "unexpected": (says(CLICK, finish="UNEXPECTED_TOOL_CALL"), "could not be read"),
    "cut off within a call": (says(text("so"), CLICK, finish="MAX_TOKENS"), "cut off"),
    "cut off in words": (says(text("I will now"), finish="MAX_TOKENS"), "cut off"),
    "cut off in thought": (says(thought("Hm, well"), finish="MAX_TOKENS"), "cut off"),
    "empty": (says(), "empty"),
    "only blanks": (says(text(" \n ")), "empty"),
    "only a thought": (says(thought("Hm.")), "empty"),
}


@pytest.mark.parametrize(("behaviour", "complaint"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_answer_that_nobody_can_use_is_asked_for_again_with_what_was_wrong(
    behaviour: Behaviour, complaint: str
) -> None:
    with GeminiServer([behaviour, says(CLICK)]) as server:
        turns = play(agent_at(server))
    assert turns[0].action == CLICKED
    assert server.complaints == []
    assert re.search(complaint, words_of(server.bodies[1]["contents"][-1]))


def test_calls_before_a_bad_one_are_carried_out_and_those_after_it_are_not() -> None:
    with GeminiServer([says(CLICK, call("fly"), call("type", text="x")), DONE]) as server:
        turns = play(agent_at(server), 2)
    assert [turn.action.kind for turn in turns] == ["click", "done"]
    assert ["error" in each["response"] for each in responses_of(server.bodies[1])] == [False, True, True]
    assert server.complaints == []


def test_a_model_that_never_makes_sense_costs_steps_and_can_still_recover() -> None:
    script = [says(call("fly")), says(), says(finish="MALFORMED_FUNCTION_CALL"), says(CLICK)]
    with GeminiServer(script) as server:
        turns = play(agent_at(server, asks=3), [screen(1), screen(2)])
    assert turns[0].action == Look() and "3 answers" in turns[0].thought
    assert turns[1].action == CLICKED and server.complaints == []


def test_half_a_character_is_mended_and_reaches_nobody() -> None:
    half = call("click", x=5, y=5, **{"\udfff": "\ud800"})
    script = [says(text("so \ud83d"), call("wait"), half), says(call("call_user", question="\udc00?"))]
    with GeminiServer(script) as server:
        turns = play(agent_at(server), 2)
    assert turns[1].action == CallUser(text="\ufffd?") and server.complaints == []
    parts = server.bodies[1]["contents"][1]["parts"]
    assert parts[0]["text"] == "so \ufffd" and parts[2]["functionCall"]["args"]["\ufffd"] == "\ufffd"


def test_a_flood_of_words_is_cut() -> None:
    with GeminiServer([says(text("x" * (5 << 20))), DONE]) as server:
        agent = agent_at(server)
        assert play(agent)[0].action == Done()
    assert agent.usage.failures == 1


def test_an_answer_too_long_to_be_one_is_asked_for_again() -> None:
    with GeminiServer([says(text("x" * 30_000)), says(text("42"))]) as server:
        play(agent_at(server), kind="answer")
    assert "at most 20000" in words_of(server.bodies[1]["contents"]) and server.complaints == []
