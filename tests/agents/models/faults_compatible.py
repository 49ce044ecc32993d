"""Not a test module: every fault in the words of servers of Chat Completions, each in its own way."""

from __future__ import annotations

import json
from typing import Any

from fairground.agents.models import RequestRefused
from fairground.core import Click, InvalidInput, MissingPrerequisite

from .openai_stage import compatible_at, pictures_in, words_in
from .vendors import Vendor
from .wire.openai_wire import Behaviour, OpenAIServer, broken, busy, completes, failed, returns, tool_call


def body(data: Any, status: int = 200) -> Behaviour:
    return returns(json.dumps(data).encode(), status)


COMPATIBLE = Vendor(
    name="compatible",
    server=OpenAIServer,
    agent=compatible_at,
    says=completes,
    click=lambda: completes(None, tool_call("click", x=5, y=5)),
    clicked=Click(point=(5, 5)),
    wait=lambda: completes(None, tool_call("wait", seconds=0)),
    bad_calls=lambda: completes(None, tool_call("wait", seconds=0), tool_call("fly"), tool_call("type", text="x")),
    nonsense=lambda: [completes(None, tool_call("fly")), completes(None), completes("")],
    heard=lambda body: words_in(body["messages"][1:]),
    frames=lambda body: len(pictures_in(body)),
    passing={
        "busy": busy(),
        "internal error": broken(),
        "gateway": returns(b"<html>502 Bad Gateway</html>", 502),
        "loading": body({"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, 503),
        "an error with a good status": body({"error": {"message": "Provider returned error", "code": 502}}),
        "broken off": completes("I shall", finish="error"),
        "connection cut": returns(b'{"choices": [', cut=True),
    },
    no_answers=(
        b'{"choices": [{"mess',
        b"<html>hello</html>",
        b"",
        b'{"choices": []}',
        b'{"choices": [{"index": 0, "finish_reason": "stop"}]}',
        b'"words"',
        b'{"choices": [{"message": {"role": "assistant", "tool_calls": "click"}}]}',
    ),
    returns=returns,
    hints={"in seconds": (busy(retry_after="7"), 7.0)},
    an_hour=busy(retry_after="3600"),
    overloaded=(broken(), "500"),
    drips=completes("so", *[tool_call("wait", seconds=0) for _ in range(20)]),
    refused={
        "401": (failed(401, "authentication_error", "no"), MissingPrerequisite, "COMPATIBLE_API_KEY"),
        "404": (body({"object": "error", "message": "No model `x` exists.", "code": 404}, 404), InvalidInput, "exist"),
        "404 of FastAPI": (body({"detail": "Not Found"}, 404), InvalidInput, "Not Found"),
        "400 in a word": (
            body({"error": "tools are not supported by this model"}, 400),
            RequestRefused,
            "tools are not supported",
        ),
        "400": (
            body({"object": "error", "message": "bad", "type": "BadRequest", "code": 400}, 400),
            RequestRefused,
            "bad",
        ),
    },
    too_large={"in words": failed(400, "BadRequestError", "Image of 1280x720 exceeds the maximum size")},
    clicked_when_shrunk=(11, 11),
    told_when_shrunk="640x360",
    too_long={
        "too many pictures": failed(400, "BadRequestError", "At most 1 image(s) may be provided in one request."),
        "vLLM": failed(400, "BadRequestError", "This model's maximum context length is 8192 tokens. However, you ..."),
        "SGLang": failed(
            400, "BadRequest", "The input (9000 tokens) is longer than the model's context length (8192)."
        ),
        "llama.cpp": failed(400, "exceed_context_size_error", "request exceeds the available context size, try more"),
    },
    no_key="",  # many of these servers want none
    keys=("COMPATIBLE_API_KEY",),
    unset=(),
    sdk="openai",
    extra="openai",
    refusals={
        "in words": (completes(None, refusal="I can't help with that."), "I can't help"),
        "by the filter": (completes("I", finish="content_filter"), "filter"),
        "of the prompt": (failed(400, "invalid_request_error", "Filtered.", "content_filter"), "Filtered."),
    },
    unusable={
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
    },
)
