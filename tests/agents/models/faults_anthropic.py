"""Not a test module: every fault in the words of Anthropic's Messages API."""

from __future__ import annotations

from typing import Any

from fairground.agents.models import RequestRefused
from fairground.core import Click, InvalidInput, MissingPrerequisite

from .stage import agent_at, images_in, words_of
from .vendors import Vendor
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
)

CLICK = member("left_click", coordinate=[5, 5])


def bad_call(arguments: str) -> Behaviour:
    call = member("left_click")
    return says(call, raw={call["id"]: arguments})


def heard(body: Any) -> str:
    return words_of(body["messages"])


ANTHROPIC = Vendor(
    name="anthropic",
    server=AnthropicServer,
    agent=agent_at,
    says=lambda words: says(text(words)),
    click=lambda: says(member("left_click", coordinate=[5, 5])),
    clicked=Click(point=(5, 5)),
    wait=lambda: says(thinking("."), member("wait", duration=1)),
    bad_calls=lambda: says(member("wait", duration=1), member("fly"), member("type", text="x")),
    nonsense=lambda: [says(member("fly")), says(), says(member("fly"))],
    heard=heard,
    frames=lambda body: len(images_in(body)),
    passing={
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
    },
    no_answers=(b"{half", b"<html>hello</html>", b'{"type": "message"}', b'"words"', b'{"content": "text"}'),
    returns=returns,
    hints={
        "in seconds": (busy(retry_after="7"), 7.0),
        "in milliseconds": (busy(retry_after_ms="250", retry_after="9"), 0.25),
        "that is none": (busy(retry_after="soon"), 1.0),
    },
    an_hour=busy(retry_after="3600"),
    overloaded=(overloaded(), "529"),
    drips=says(*[text("word " * 50)] * 20),
    refused={
        "401": (failed(401, "authentication_error", "no"), MissingPrerequisite, "ANTHROPIC_API_KEY"),
        "402": (failed(402, "billing_error", "no"), MissingPrerequisite, "credit"),
        "403": (failed(403, "permission_error", "no"), MissingPrerequisite, "no permission"),
        "404": (failed(404, "not_found_error", "no"), InvalidInput, "check the name of the model"),
        "400": (
            failed(400, "invalid_request_error", "no"),
            RequestRefused,
            "check that the model supports the agent's options",
        ),
        "not to be tried again": (
            failed(429, "rate_limit_error", "spent", {"x-should-retry": "false"}),
            RequestRefused,
            "spent",
        ),
    },
    too_large={
        "by bytes": failed(
            400, "invalid_request_error", "messages.0.content.1.image.source.base64: image exceeds 5 MB"
        ),
    },
    clicked_when_shrunk=(11, 11),
    told_when_shrunk="640x360",
    too_long={
        "by tokens": failed(400, "invalid_request_error", "prompt is too long: 203284 tokens > 200000 maximum"),
        "in the answer": says(stop="model_context_window_exceeded"),
        "by bytes": failed(413, "request_too_large", "32 MB"),
    },
    no_key="ANTHROPIC_API_KEY is not set",
    keys=("ANTHROPIC_API_KEY",),
    unset=(
        *(f"ANTHROPIC_{name}" for name in ("AUTH_TOKEN", "PROFILE", "CONFIG_DIR", "IDENTITY_TOKEN")),
        "ANTHROPIC_IDENTITY_TOKEN_FILE",
        "XDG_CONFIG_HOME",
    ),
    sdk="anthropic",
    extra="anthropic",
    refusals={
        "of the model": (
            says(stop="refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": "An attack."}),
            "An attack.",
        ),
    },
    unusable={
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
    },
    paid_midway=breaks_off(text("I shall"), after=4),
)
