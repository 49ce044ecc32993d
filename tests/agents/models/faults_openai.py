"""Not a test module: every fault in the words of OpenAI's Responses API."""

from __future__ import annotations

from fairground.agents.models import RequestRefused
from fairground.core import Click, InvalidInput, MissingPrerequisite

from .openai_stage import openai_at, pictures_in, words_in
from .vendors import Vendor
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

CLICK = computer(act("click", button="left", x=5, y=5))
ERROR = b'event: error\ndata: {"type": "error", "code": "server_error", "message": "oops", "param": null}\n\n'


def click() -> Behaviour:
    return responds(computer(act("click", button="left", x=5, y=5)))


OPENAI = Vendor(
    name="openai",
    server=OpenAIServer,
    agent=openai_at,
    says=lambda words: responds(message(words)),
    click=click,
    clicked=Click(point=(5, 5)),
    wait=lambda: responds(reasoning("."), computer(act("wait"))),
    bad_calls=lambda: responds(computer(act("wait")), computer(act("fly")), computer(act("type", text="x"))),
    nonsense=lambda: [responds(computer(act("fly"))), responds(), responds()],
    heard=lambda body: words_in(body["input"]),
    frames=lambda body: len(pictures_in(body)) - grey(pictures_in(body)),
    passing={
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
    },
    no_answers=(b"{half", b"<html>hello</html>", b'{"object": "response"}', b'"words"', b"[]"),
    returns=returns,
    hints={
        "in seconds": (busy(retry_after="7"), 7.0),
        "in milliseconds": (busy(retry_after_ms="250", retry_after="9"), 0.25),
        "in words": (busy("Rate limit reached. Please try again in 1.5s. Visit the page."), 1.5),
        "in words, with minutes": (busy("Rate limit reached. Please try again in 1m26.5s."), 86.5),
        "of tokens": (busy(x_ratelimit_remaining_tokens="0", x_ratelimit_reset_tokens="120ms"), 0.12),
        "of requests": (busy(x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="1m0s"), 60.0),
        "of what is not spent": (busy(x_ratelimit_remaining_requests="5", x_ratelimit_reset_requests="6m0s"), 1.0),
        "that is none": (busy(x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="soon"), 1.0),
        "inside an answer": (fails_inside("rate_limit_exceeded", "Please try again in 3s."), 3.0),
    },
    an_hour=busy(retry_after="3600"),
    overloaded=(broken(), "500"),
    drips=responds(*[message("word " * 50) for _ in range(20)]),
    refused={
        "401": (
            failed(401, "invalid_request_error", "Incorrect key", "invalid_api_key"),
            MissingPrerequisite,
            "OPENAI_API_KEY",
        ),
        "403": (failed(403, "invalid_request_error", "Country not supported"), MissingPrerequisite, "no permission"),
        "no credit": (
            failed(429, "insufficient_quota", "Exceeded your quota", "insufficient_quota"),
            MissingPrerequisite,
            "credit",
        ),
        "404": (
            failed(404, "invalid_request_error", "No such model", "model_not_found"),
            InvalidInput,
            "name of the model",
        ),
        "400": (
            failed(400, "invalid_request_error", "Unsupported value", "unsupported_value"),
            RequestRefused,
            "options",
        ),
        "not to be tried again": (
            failed(429, "requests", "spent", "rate_limit_exceeded", x_should_retry="false"),
            RequestRefused,
            "spent",
        ),
        "inside an answer": (fails_inside("invalid_image", "Not an image."), RequestRefused, "invalid_image"),
    },
    too_large={
        "by code": failed(400, "invalid_request_error", "The image is too big.", "image_too_large"),
        "in words": failed(400, "image_parse_error", "Image data exceeds 20 MB"),
        "inside an answer": fails_inside("image_file_too_large", "Too many bytes."),
    },
    clicked_when_shrunk=(11, 11),
    told_when_shrunk="640x360",
    too_long={
        "by code": failed(400, "invalid_request_error", "Your input exceeds the window.", "context_length_exceeded"),
        "in the stream": streams(
            b'data: {"type": "error", "code": "context_length_exceeded", "message": "Your input exceeds..."}\n\n'
        ),
        "by bytes": failed(413, "invalid_request_error", "Too big"),
        "by a limit of a minute": failed(429, "tokens", "Request too large for gpt-5.4-mini", "rate_limit_exceeded"),
    },
    no_key="OPENAI_API_KEY is not set",
    keys=("OPENAI_API_KEY",),
    unset=(),
    sdk="openai",
    extra="openai",
    refusals={
        "in words": (responds(refusal("I can't help with that.")), "I can't help with that."),
        "by the filter": (cut(message("I"), reason="content_filter"), "filter"),
        "of the prompt": (failed(400, "invalid_request_error", "Flagged.", "invalid_prompt"), "Flagged."),
        "by policy": (failed(400, "invalid_request_error", "No.", "content_policy_violation"), "No."),
        "inside the answer": (fails_inside("misalignment_policy_violation", "Blocked."), "Blocked."),
    },
    unusable={
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
        "cut off within a call": (
            cut(reasoning("."), function("give_up", raw='{"re') | {"status": "incomplete"}),
            "cut",
        ),
        "empty": (responds(), "empty"),
        "only reasoning": (responds(reasoning("Hm.")), "empty"),
        "only blanks": (responds(reasoning("Hm."), message(" \n ")), "empty"),
    },
)


def grey(pictures: list[str]) -> int:
    """How many of them are the small grey ones that stand for forgotten frames."""
    return sum(pictures.count(picture) for picture in set(pictures) if pictures.count(picture) > 1)
