"""Faults that only Gemini's protocol has; those that all vendors have are in `test_faults.py`."""

from __future__ import annotations

import pytest

from fairground.agents.models import ModelUnavailable, RetryPolicy, gemini_agent
from fairground.core import CallUser, Done, Fail, MissingPrerequisite

from .stage import play
from .wire.gemini_stage import MODEL, agent_at
from .wire.gemini_wire import (
    GeminiServer,
    blocked,
    call,
    fails_midway,
    says,
    streams,
    text,
)

pytestmark = pytest.mark.process

CLICK = call("click", x=500, y=500)
DONE = says(text("Done."))


def test_a_reason_that_is_new_is_no_reason_to_act() -> None:
    with GeminiServer([says(CLICK, finish="MOON_PHASE"), DONE]) as server, pytest.warns(match="MOON_PHASE"):
        assert play(agent_at(server))[0].action == Done()


@pytest.mark.slow
def test_streams_that_are_given_up_hold_no_connections() -> None:
    broken = [fails_midway(503, "UNAVAILABLE", "x"), streams(b"data: {nonsense\r\n\r\n", b"data: {}\r\n\r\n")]
    with GeminiServer([*broken * 60, DONE]) as server:  # more than the SDK may hold at once
        agent = agent_at(server, retries=RetryPolicy(attempts=60, seconds=1e9), idle_seconds=60.0)
        for _ in range(2):
            with pytest.raises(ModelUnavailable, match="60 attempts"):
                play(agent)
        assert play(agent)[0].action == Done()
    assert len(server.asked) == 121


def test_a_key_of_blanks_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingPrerequisite, match="neither GEMINI_API_KEY nor GOOGLE_API_KEY is set"):
        gemini_agent(MODEL, api_key="  ").check()


@pytest.mark.parametrize("stream", [True, False])
def test_a_prompt_that_was_blocked_is_paid_for(stream: bool) -> None:
    with GeminiServer([blocked("PROHIBITED_CONTENT")]) as server:
        agent = agent_at(server, stream=stream)
        assert isinstance(play(agent)[0].action, Fail)
    assert agent.usage.requests == 1 and agent.usage.input_tokens == 1000


def test_half_a_character_is_mended_and_reaches_nobody() -> None:
    half = call("click", x=5, y=5, **{"\udfff": "\ud800"})
    script = [says(text("so \ud83d"), call("wait"), half), says(call("call_user", question="\udc00?"))]
    with GeminiServer(script) as server:
        turns = play(agent_at(server), 2)
    assert turns[1].action == CallUser(text="\ufffd?") and server.complaints == []
    parts = server.bodies[1]["contents"][1]["parts"]
    assert parts[0]["text"] == "so \ufffd" and parts[2]["functionCall"]["args"]["\ufffd"] == "\ufffd"
