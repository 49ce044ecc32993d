"""Not a test module: every fault in the words of the Gemini API."""

from __future__ import annotations

import json

from fairground.agents.models import RequestRefused
from fairground.core import Click, InvalidInput, MissingPrerequisite

from .vendors import Vendor
from .wire.gemini_stage import agent_at, images_in, words_of
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


def sse(text: str) -> Behaviour:
    return streams(f"data: {text}\r\n\r\n".encode())


GEMINI = Vendor(
    name="gemini",
    server=GeminiServer,
    agent=agent_at,
    says=lambda words: says(text(words)),
    click=lambda: says(call("click", x=500, y=500)),
    clicked=Click(point=(640, 360)),
    wait=lambda: says(call("wait", seconds=1)),
    bad_calls=lambda: says(call("wait", seconds=1), call("fly"), call("type", text="x")),
    nonsense=lambda: [says(call("fly")), says(), says(finish="MALFORMED_FUNCTION_CALL")],
    heard=lambda body: words_of(body["contents"]),
    frames=lambda body: len(images_in(body)),
    passing={
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
    },
    no_answers=(b"{half", b"<html>hello</html>", b'"words"', b"{}", b"[]", b'{"candidates": {}}', b""),
    returns=returns,
    hints={
        "in seconds": (busy("7s"), 7.0),
        "in fractions": (busy("34.074824224s"), 34.074824224),
        "that is none": (busy("soon"), 1.0),
        "in a header": (busy("9s", retry_after="3"), 3.0),
        "of an overloaded server": (failed(503, "UNAVAILABLE", "x", retry_after="5"), 5.0),
    },
    an_hour=busy("3600s"),
    overloaded=(overloaded(), "503"),
    drips=says(*[thought(f"word {number} " * 5) if number % 2 else text("so") for number in range(20)]),
    refused={
        "a wrong key": (
            failed(400, "INVALID_ARGUMENT", "API key not valid. Please pass one."),
            MissingPrerequisite,
            "GEMINI_API_KEY",
        ),
        "401": (failed(401, "UNAUTHENTICATED", "no"), MissingPrerequisite, "invalid"),
        "403": (failed(403, "PERMISSION_DENIED", "no"), MissingPrerequisite, "no permission"),
        "no credit": (failed(400, "FAILED_PRECONDITION", "Enable billing."), MissingPrerequisite, "Enable billing"),
        "404": (failed(404, "NOT_FOUND", "no"), InvalidInput, "check the name of the model"),
        "404 of another": (returns(b"<html>no</html>", 404), InvalidInput, "check the name of the model"),
        "400": (
            failed(400, "INVALID_ARGUMENT", "no"),
            RequestRefused,
            "check that the model supports the agent's options",
        ),
        "400 midway": (
            fails_midway(400, "INVALID_ARGUMENT", "no"),
            RequestRefused,
            "check that the model supports the agent's options",
        ),
    },
    too_large={"in words": failed(400, "INVALID_ARGUMENT", "Unable to process input image. Please retry.")},
    clicked_when_shrunk=(641, 361),
    told_when_shrunk="",  # its points are on a grid, whatever the size
    too_long={
        "by tokens": failed(
            400,
            "INVALID_ARGUMENT",
            "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
        ),
        "by bytes": failed(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
    },
    no_key="neither GEMINI_API_KEY nor GOOGLE_API_KEY is set",
    keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    unset=("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"),
    sdk="google.genai",
    extra="gemini",
    refusals={
        "safety": (says(finish="SAFETY"), "SAFETY"),
        "recitation": (says(text("The verse goes"), finish="RECITATION", message="Too close."), "RECITATION"),
        "with a call": (says(CLICK, finish="PROHIBITED_CONTENT"), "PROHIBITED_CONTENT"),
        "of the prompt": (blocked("PROHIBITED_CONTENT"), "the prompt was blocked: PROHIBITED_CONTENT"),
        "of a picture": (blocked("IMAGE_SAFETY"), "the prompt was blocked: IMAGE_SAFETY"),
    },
    unusable={
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
    },
    paid_midway=breaks_off(text("I shall"), after=1),
)
