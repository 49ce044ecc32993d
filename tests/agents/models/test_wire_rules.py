"""The local server refuses what the real one refuses; without that, the other tests would prove little."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from .stage import agent_at, play
from .wire.anthropic_rules import Refused, check, signature
from .wire.anthropic_wire import AnthropicServer, member, says, text, thinking
from .wire.server import Asked

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def good() -> Asked:
    """A real request of the SDK, late in a conversation."""
    script = [says(thinking("Hm."), member("left_click", coordinate=[5, 5]), member("wait", duration=1))]
    with AnthropicServer([*script, says(text("Done."))]) as server:
        play(agent_at(server), 3)
    return server.asked[-1]


def changed(good: Asked, change: Callable[[Any], Any]) -> Asked:
    body = copy.deepcopy(good.body)
    change(body)
    return Asked(good.path, good.headers, body, good.size)


def test_a_good_request_is_taken(good: Asked) -> None:
    check(good, paused=False)


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a result is missing": (lambda body: body["messages"][2]["content"].pop(0), "tool_result each"),
    "a result too many": (
        lambda body: body["messages"][2]["content"].append(body["messages"][2]["content"][0]),
        "each",
    ),
    "a result after words": (
        lambda body: body["messages"][2]["content"].insert(0, {"type": "text", "text": "x"}),
        "must come first",
    ),
    "no toolset name": (lambda body: body["messages"][2]["content"][0].pop("toolset_name"), "toolset_name"),
    "two turns of one side": (lambda body: body["messages"].append(body["messages"][-1]), "alternate"),
    "an empty turn": (lambda body: body["messages"][0].update(content=[]), "must not be empty"),
    "a blank text": (lambda body: body["messages"][0]["content"][0].update(text=" "), "non-whitespace"),
    "no base64": (lambda body: body["messages"][0]["content"][1]["source"].update(data="%%"), "base64"),
    "another media type": (
        lambda body: body["messages"][0]["content"][1]["source"].update(media_type="image/jpeg"),
        "mismatch",
    ),
    "edited thinking": (lambda body: body["messages"][1]["content"][0].update(thinking="Ha."), "signature"),
    "an edited beginning": (lambda body: body["messages"][0]["content"][0].update(text="Else."), "different conv"),
    "a picture in an error": (lambda body: body["messages"][2]["content"][1].update(is_error=True), "type `text`"),
    "the model's turn last": (lambda body: body["messages"].pop(), "prefill"),
    "an unknown field": (lambda body: body.update(seed=1), "seed: Extra inputs"),
    "an old tool": (
        lambda body: body["tools"].append(
            {"type": "computer_20251124", "name": "computer", "display_width_px": 1, "display_height_px": 1}
        ),
        "does not support",
    ),
    "two tools of one name": (lambda body: body["tools"].append(body["tools"][-1]), "unique"),
    "binding without its header": (
        lambda body: body["thinking"].update(block_binding={"prefix_mismatch_behavior": "drop_block"}),
        "block_binding",
    ),
}


@pytest.mark.parametrize(("change", "complaint"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_request_is_refused(good: Asked, change: Callable[[Any], Any], complaint: str) -> None:
    with pytest.raises(Refused, match=complaint):
        check(changed(good, change), paused=False)


def test_a_wrong_key_is_refused(good: Asked) -> None:
    headers = {name: value for name, value in good.headers.items() if name not in ("authorization", "x-api-key")}
    with pytest.raises(Refused, match="401"):
        check(Asked(good.path, headers, good.body, good.size), paused=False)


def test_a_signature_binds_thinking_to_what_came_before() -> None:
    assert signature("a", []) != signature("b", []) and signature("a", []) != signature("a", [1])
