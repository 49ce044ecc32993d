"""Faults that only Anthropic's protocol has; those that all vendors have are in `test_faults.py`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairground.agents.models import (
    ContextPolicy,
    anthropic_agent,
)
from fairground.core import CallUser, Click, InvalidInput, MissingPrerequisite

from .stage import agent_at, play, results_of, words_of
from .wire.anthropic_wire import (
    AnthropicServer,
    member,
    says,
    text,
    tool,
    use,
)

pytestmark = pytest.mark.process

CLICK = member("left_click", coordinate=[5, 5])
DONE = says(text("Done."))


@pytest.fixture
def no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("API_KEY", "AUTH_TOKEN", "PROFILE", "CONFIG_DIR", "IDENTITY_TOKEN", "IDENTITY_TOKEN_FILE"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_a_profile_that_is_not_there_is_no_key(no_key: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_PROFILE", "nobody")
    with pytest.raises(MissingPrerequisite, match="nobody"):
        anthropic_agent("claude-opus-5").check()


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


def test_the_older_tools_complain_alike() -> None:
    call = use("left_click", coordinate=[1, 2])
    script = [says(call, raw={call["id"]: json.dumps({"action": "left_click", "coordinate": "here"})}), DONE]
    with AnthropicServer(script) as server:
        play(agent_at(server, "claude-haiku-4-5", context=ContextPolicy(frames=1, slack=0)))
    assert "coordinate" in words_of(results_of(server.bodies[1])) and server.complaints == []
