"""Servers that are busy, broken, cut off or talk nonsense, and models that refuse or cannot write a call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairground.agents.models import (
    ContextPolicy,
    ImageRefused,
    ModelUnavailable,
    RequestRefused,
    RetryPolicy,
    anthropic_agent,
)
from fairground.core import CallUser, Click, Done, Fail, InfrastructureError, InvalidInput, Look, MissingPrerequisite

from .stage import Time, agent_at, images_in, play, results_of, screen, words_of
from .wire.anthropic_wire import (
    AnthropicServer,
    Behaviour,
    breaks_off,
    busy,
    failed,
    fails_midway,
    member,
    overloaded,
    returns,
    says,
    streams,
    text,
    thinking,
    tool,
    use,
)

CLICK = member("left_click", coordinate=[5, 5])
DONE = says(text("Done."))


# --- servers ---------------------------------------------------------------------------------------------------------

PASSING: dict[str, Behaviour] = {
    "busy": busy(),
    "overloaded": overloaded(),
    "internal error": failed(500, "api_error", "Internal server error"),
    "gateway": returns(b"<html>502 Bad Gateway</html>", 502),
    "overloaded midway": fails_midway("overloaded_error", "Overloaded"),
    "connection cut in the stream": breaks_off(text("I shall"), CLICK, after=6),
    "connection cut before the stream": breaks_off(after=0),
    "stream ends early": breaks_off(text("I shall"), CLICK, after=6, cleanly=True),
    "everything but the end": breaks_off(text("I shall"), after=7, cleanly=True),
    "garbage in an event": streams(b"event: message_start\ndata: {nonsense\n\n"),
    "half a JSON": streams(b'event: message_start\ndata: {"type": "message_start", "mess'),
    "an event of the wrong form": streams(b'event: content_block_delta\ndata: {"type": "content_block_delta"}\n\n'),
    "a list for an event": streams(b"event: message_start\ndata: [1, 2]\n\n"),
    "an empty body": streams(),
    "no UTF-8": streams(b"event: message_start\ndata: \xff\xfe\n\n"),
    "the server says so": failed(400, "invalid_request_error", "hiccup", {"x-should-retry": "true"}),
}


@pytest.mark.parametrize("behaviour", PASSING.values(), ids=PASSING.keys())
def test_a_failure_that_may_pass_is_tried_again_and_is_not_part_of_the_conversation(behaviour: Behaviour) -> None:
    time = Time()
    with AnthropicServer([behaviour, behaviour, DONE]) as server:
        agent = agent_at(server, time=time)
        assert play(agent)[0].action == Done()
    assert server.bodies[0] == server.bodies[1] == server.bodies[2]
    assert time.waits == [1.0, 2.0], "twice as long each time"
    assert agent.usage.failures == 2 and server.complaints == []


@pytest.mark.parametrize(
    "body", [b"{half", b"<html>hello</html>", b'{"type": "message"}', b'"words"', b'{"content": "text"}']
)
def test_a_whole_answer_that_is_none_is_tried_again(body: bytes) -> None:
    with AnthropicServer([returns(body), DONE]) as server:
        assert play(agent_at(server, stream=False))[0].action == Done()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry_after": "7"}, 7.0), ({"retry_after_ms": "250", "retry_after": "9"}, 0.25), ({"retry_after": "soon"}, 1)],
)
def test_the_servers_hint_is_honoured(headers: dict[str, str], seconds: float) -> None:
    time = Time()
    with AnthropicServer([busy(**headers), DONE]) as server:
        play(agent_at(server, time=time))
    assert time.waits == [seconds]


def test_what_broke_off_midway_is_counted_because_it_is_paid_for() -> None:
    with AnthropicServer([breaks_off(text("I shall"), after=4), DONE]) as server:
        agent = agent_at(server)
        play(agent)
    assert (agent.usage.requests, agent.usage.failures, agent.usage.input_tokens) == (2, 1, 2000)


def test_after_the_budget_of_attempts_it_is_an_infrastructure_error() -> None:
    with AnthropicServer([overloaded()] * 3) as server, pytest.raises(ModelUnavailable, match="3 attempts.*529"):
        play(agent_at(server, retries=RetryPolicy(attempts=3)))
    assert issubclass(ModelUnavailable, InfrastructureError)


def test_a_server_that_asks_for_more_time_than_there_is_is_taken_at_its_word() -> None:
    time = Time()
    with AnthropicServer([busy(retry_after="3600")]) as server, pytest.raises(ModelUnavailable, match="1 attempts"):
        play(agent_at(server, time=time))
    assert time.waits == [] and len(server.asked) == 1


def test_nobody_listening_is_an_infrastructure_error() -> None:
    with AnthropicServer([]) as server:
        url = server.url
    agent = anthropic_agent(
        "claude-opus-5", api_key="k", base_url=url, pace=Time().pace(), retries=RetryPolicy(attempts=2)
    )
    with pytest.raises(ModelUnavailable, match="2 attempts"):
        play(agent)


def test_an_answer_that_only_drips_is_given_up_and_tried_again() -> None:
    slow, quick = [text("word " * 50)] * 20, DONE
    with AnthropicServer([says(*slow), quick]) as server:
        agent = agent_at(server, time=Time(per_look=20.0), answer_seconds=300.0, retries=RetryPolicy(seconds=1e6))
        assert play(agent)[0].action == Done()
    assert agent.usage.failures == 1


@pytest.mark.parametrize(
    ("status", "kind", "error", "says_what"),
    [
        (401, "authentication_error", MissingPrerequisite, "ANTHROPIC_API_KEY"),
        (402, "billing_error", MissingPrerequisite, "credit"),
        (403, "permission_error", MissingPrerequisite, "may not use"),
        (404, "not_found_error", InvalidInput, "check the name of the model"),
        (400, "invalid_request_error", RequestRefused, "check that the model takes the options"),
    ],
)
def test_a_refused_request_is_not_tried_again_and_says_what_to_do(
    status: int, kind: str, error: type[Exception], says_what: str
) -> None:
    with AnthropicServer([failed(status, kind, "no")]) as server:
        with pytest.raises(error, match=says_what):
            play(agent_at(server))
        assert len(server.asked) == 1


def test_a_server_may_forbid_to_try_again() -> None:
    with AnthropicServer([failed(429, "rate_limit_error", "spent", {"x-should-retry": "false"})]) as server:
        with pytest.raises(RequestRefused, match="spent"):
            play(agent_at(server))
        assert len(server.asked) == 1


def test_pictures_that_are_too_large_are_shrunk_once() -> None:
    too_large = failed(400, "invalid_request_error", "messages.0.content.1.image.source.base64: image exceeds 5 MB")
    with AnthropicServer([too_large, says(CLICK), DONE]) as server:
        turns = play(agent_at(server), 2)
    assert turns[0].action == Click(point=(11, 11)), "the model's pixels are two of the screen's now"
    assert "640x360" in words_of(server.bodies[1]["messages"])
    assert server.complaints == []
    with AnthropicServer([too_large, too_large]) as server, pytest.raises(ImageRefused):
        play(agent_at(server))


TOO_LONG = failed(400, "invalid_request_error", "prompt is too long: 203284 tokens > 200000 maximum")


def test_a_conversation_that_is_too_long_is_cut_once() -> None:
    waits = [says(thinking("."), member("wait", duration=1)) for _ in range(4)]
    for full in (TOO_LONG, says(stop="model_context_window_exceeded"), failed(413, "request_too_large", "32 MB")):
        with AnthropicServer([*waits, full, DONE]) as server:
            turns = play(agent_at(server), 5)
        assert turns[-1].action == Done() and server.complaints == []
        assert [len(images_in(body)) for body in server.bodies] == [1, 2, 3, 4, 5, 1]


def test_a_conversation_that_stays_too_long_is_the_agents_own_end() -> None:
    waits = [says(member("wait", duration=1)) for _ in range(2)]
    with AnthropicServer([*waits, TOO_LONG, TOO_LONG]) as server:
        turn = play(agent_at(server), 3)[-1]
    assert isinstance(turn.action, Fail) and "too long" in turn.action.reason


# --- keys and SDK ----------------------------------------------------------------------------------------------------


@pytest.fixture
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("API_KEY", "AUTH_TOKEN", "PROFILE", "CONFIG_DIR", "IDENTITY_TOKEN", "IDENTITY_TOKEN_FILE"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_without_a_key_there_is_a_clear_word_and_no_request(nothing_set: None) -> None:
    with AnthropicServer([]) as server:
        agent = agent_at(server, api_key=None)
        with pytest.raises(MissingPrerequisite, match="ANTHROPIC_API_KEY is not set"):
            agent.check()
        assert server.asked == []


def test_a_profile_that_is_not_there_is_no_key(nothing_set: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_PROFILE", "nobody")
    with pytest.raises(MissingPrerequisite, match="nobody"):
        anthropic_agent("claude-opus-5").check()


def test_a_key_of_the_environment_will_do(nothing_set: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    with AnthropicServer([DONE]) as server:
        agent = agent_at(server, api_key=None)
        agent.check()
        assert play(agent)[0].action == Done()


def test_without_the_sdk_the_fix_is_the_line_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(MissingPrerequisite, match=r"pip install 'fairground\[anthropic\]'"):
        anthropic_agent("claude-opus-5").check()


# --- models ----------------------------------------------------------------------------------------------------------


def test_a_refusal_of_the_model_ends_the_episode_as_its_own_doing() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "This looks like an attack."}
    with AnthropicServer([says(stop="refusal", stop_details=details)]) as server:
        turn = play(agent_at(server))[0]
    assert turn.action == Fail(reason="the model refused: This looks like an attack.")
    assert turn.thought == turn.action.reason


def bad_call(arguments: str) -> Behaviour:
    call = member("left_click")
    return says(call, raw={call["id"]: arguments})


UNUSABLE: dict[str, tuple[Behaviour, str]] = {
    "unknown action": (says(member("fly", coordinate=[1, 2])), "unknown action 'fly'"),
    "a field is missing": (says(member("mouse_move")), "coordinate is required"),
    "off the screen": (says(member("left_click", coordinate=[1280, 0])), "off the 1280x720 screen"),
    "half the arguments": (bad_call('{"coordinate": [10, 2'), "not a JSON object"),
    "no arguments but words": (bad_call("click there"), "not a JSON object"),
    "a list of arguments": (bad_call("[1, 2]"), "not a JSON object"),
    "a field twice": (bad_call('{"coordinate": [1, 2], "coordinate": [3, 4]}'), "twice"),
    "deeply nested": (bad_call('{"coordinate": ' + "[" * 99 + "]" * 99 + "}"), "nested deeper"),
    "cut off within a call": (says(text("so"), CLICK, stop="max_tokens"), "cut off"),
    "cut off in words": (says(text("I will now"), stop="max_tokens"), "cut off"),
    "empty": (says(), "empty"),
    "only blanks": (says(text(" \n ")), "empty"),
}


@pytest.mark.parametrize(("behaviour", "complaint"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_answer_that_nobody_can_use_is_asked_for_again_with_what_was_wrong(
    behaviour: Behaviour, complaint: str
) -> None:
    with AnthropicServer([behaviour, says(CLICK)]) as server:
        turns = play(agent_at(server))
    assert turns[0].action == Click(point=(5, 5))
    assert server.complaints == [] and complaint in words_of(server.bodies[1]["messages"][-1]["content"])


def test_calls_before_a_bad_one_are_carried_out_and_those_after_it_are_not() -> None:
    answer = says(CLICK, member("fly"), member("type", text="x"))
    with AnthropicServer([answer, DONE]) as server:
        turns = play(agent_at(server), 2)
    assert [turn.action.kind for turn in turns] == ["click", "done"]
    assert [result.get("is_error", False) for result in results_of(server.bodies[1])] == [False, True, True]
    assert server.complaints == []


def test_a_model_that_never_makes_sense_costs_steps_and_can_still_recover() -> None:
    with AnthropicServer([says(member("fly")), says(), says(member("fly")), says(CLICK)]) as server:
        turns = play(agent_at(server, asks=3), [screen(1), screen(2)])
    assert turns[0].action == Look() and "3 answers" in turns[0].thought
    assert turns[1].action == Click(point=(5, 5))
    assert server.complaints == []


def test_half_a_character_is_mended_and_reaches_nobody() -> None:
    script = [
        says(text("so \ud83d\ude00 and \ud83d"), member("left_click", coordinate=[5, 5], **{"\udfff": "\ud800"})),
        says(tool("call_user", question="\udc00?")),
    ]
    with AnthropicServer(script) as server:
        turn = play(agent_at(server))[0]
    assert turn.action == CallUser(text="\ufffd?") and server.complaints == []
    assert server.bodies[1]["messages"][1]["content"][0]["text"] == "so \U0001f600 and \ufffd"


def test_a_step_needs_at_least_one_answer() -> None:
    with pytest.raises(InvalidInput, match="asks is 0"):
        anthropic_agent("claude-opus-5", asks=0)


def test_a_paused_turn_is_continued() -> None:
    with AnthropicServer([says(text("Let me see."), stop="pause_turn"), says(CLICK)]) as server:
        assert play(agent_at(server))[0].action == Click(point=(5, 5))
    assert server.bodies[1]["messages"][-1]["role"] == "assistant" and server.complaints == []


def test_a_flood_of_words_is_cut() -> None:
    with AnthropicServer([says(text("x" * (5 << 20))), DONE]) as server:
        agent = agent_at(server)
        assert play(agent)[0].action == Done()
    assert agent.usage.failures == 1


def test_an_answer_too_long_to_be_one_is_asked_for_again() -> None:
    with AnthropicServer([says(text("x" * 30_000)), says(text("42"))]) as server:
        play(agent_at(server), kind="answer")
    assert "at most 20000" in words_of(server.bodies[1]["messages"])


def test_the_older_tools_complain_alike() -> None:
    call = use("left_click", coordinate=[1, 2])
    script = [says(call, raw={call["id"]: json.dumps({"action": "left_click", "coordinate": "here"})}), DONE]
    with AnthropicServer(script) as server:
        play(agent_at(server, "claude-haiku-4-5", context=ContextPolicy(frames=1, slack=0)))
    assert "coordinate" in words_of(results_of(server.bodies[1])) and server.complaints == []
