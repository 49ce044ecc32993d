"""The local server refuses what the real ones refuse; without that, the other tests would prove little."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from .openai_stage import compatible_at, openai_at
from .stage import play
from .wire.openai_rules import Refused, check_chat, check_responses
from .wire.openai_wire import OpenAIServer, act, completes, computer, message, reasoning, responds, tool_call
from .wire.server import Asked

pytestmark = pytest.mark.process

CHECK = {"id": "sc_1", "code": "x", "message": "y"}


@pytest.fixture(scope="module")
def whole() -> tuple[Asked, dict[str, Any]]:
    """A real request of the SDK to the Responses API, late in a conversation, and what the server had given."""
    script = [responds(reasoning("Hm."), computer(act("wait"), checks=[CHECK])), responds(message("Done."))]
    with OpenAIServer(script) as server:
        play(openai_at(server, safety="acknowledge"), 2)
    return server.asked[-1], server.issued


@pytest.fixture(scope="module")
def chatted() -> Asked:
    """A real request of the SDK to Chat Completions, late in a conversation."""
    with OpenAIServer([completes("x", tool_call("wait", seconds=0)), completes("Done.")]) as server:
        play(compatible_at(server), 2)
    return server.asked[-1]


def changed(good: Asked, change: Callable[[Any], Any]) -> Asked:
    body = copy.deepcopy(good.body)
    change(body)
    return Asked(good.path, good.headers, body, good.size)


RESPONSES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "reasoning is missing its call": (lambda body: body["input"].pop(2), "following item|No tool call"),
    "an output is missing": (lambda body: body["input"].pop(3), "No tool output"),
    "an output too many": (lambda body: body["input"].append(body["input"][3]), "No tool call"),
    "an edited call": (lambda body: body["input"][2].update(actions=[]), "not as it was given"),
    "reasoning that cannot be read": (lambda body: body.update(include=[]), "not found"),
    "words for a screenshot": (lambda body: body["input"][3].update(output="Done."), "Invalid type"),
    "no picture in it": (lambda body: body["input"][3]["output"].update(image_url="http://x"), "data URL"),
    "a check not acknowledged": (lambda body: body["input"][3].pop("acknowledged_safety_checks"), "acknowledged"),
    "a null": (lambda body: body["input"][1].update(content=None), "null"),
    "an unknown field": (lambda body: body.update(seed=1), "Unknown parameter"),
    "stored": (lambda body: body.update(store=True), "stored"),
    "the other tool": (lambda body: body["tools"][0].update(type="computer_use_preview"), "not supported"),
    "temperature": (lambda body: body.update(temperature=0), "temperature"),
}
CHATS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a result is missing": (lambda body: body["messages"].pop(3), "followed by tool messages"),
    "a picture for a result": (lambda body: body["messages"][3].update(content=[{"type": "image_url"}]), "text"),
    "two turns of one side": (lambda body: body["messages"].append(body["messages"][-1]), "alternate"),
    "half arguments": (
        lambda body: body["messages"][2]["tool_calls"][0]["function"].update(arguments="{"),
        "template",
    ),
    "the model's turn last": (lambda body: body["messages"].append({"role": "assistant", "content": "x"}), "user's"),
    "thinking sent back": (lambda body: body["messages"][2].update(reasoning="x"), "Extra inputs"),
}


def test_good_requests_are_taken(whole: tuple[Asked, dict[str, Any]], chatted: Asked) -> None:
    check_responses(*whole)
    check_chat(chatted)


@pytest.mark.parametrize(("change", "complaint"), RESPONSES.values(), ids=RESPONSES.keys())
def test_a_wrong_request_for_a_response_is_refused(
    whole: tuple[Asked, dict[str, Any]], change: Callable[[Any], Any], complaint: str
) -> None:
    with pytest.raises(Refused, match=complaint):
        check_responses(changed(whole[0], change), whole[1])


@pytest.mark.parametrize(("change", "complaint"), CHATS.values(), ids=CHATS.keys())
def test_a_wrong_request_for_a_completion_is_refused(
    chatted: Asked, change: Callable[[Any], Any], complaint: str
) -> None:
    with pytest.raises(Refused, match=complaint):
        check_chat(changed(chatted, change))


def test_a_wrong_key_is_refused(chatted: Asked) -> None:
    with pytest.raises(Refused, match="401"):
        check_chat(Asked(chatted.path, {}, chatted.body, chatted.size))
