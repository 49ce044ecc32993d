"""The Gemini API, with answers from a script: well-behaved ones, and every other kind."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .gemini_rules import Refused, camel, check, signature
from .server import Answered, Asked, WireServer

Behaviour = Callable[[Asked], Answered]
JSON = {"content-type": "application/json; charset=UTF-8"}
SSE = {"content-type": "text/event-stream"}


class GeminiServer(WireServer):
    """Answers each request with the next behaviour of the script.

    A request that the real API would not take is answered as it would, uses none of the script, and is kept in
    `complaints`.
    """

    def __init__(self, script: Iterable[Behaviour]) -> None:
        super().__init__(self._answer)
        self.script = list(script)
        self.complaints: list[str] = []

    def __enter__(self) -> GeminiServer:
        super().__enter__()
        return self

    @property
    def bodies(self) -> list[Any]:
        return [camel(asked.body) for asked in self.asked]

    def _answer(self, asked: Asked) -> Answered:
        try:
            check(asked)
        except Refused as refused:
            self.complaints.append(str(refused))
            return failed(refused.code, refused.status, refused.message)(asked)
        if not self.script:
            self.complaints.append("the script is over")
            return failed(400, "INVALID_ARGUMENT", "the script is over")(asked)
        return self.script.pop(0)(asked)


# --- parts -----------------------------------------------------------------------------------------------------------

_ids = itertools.count(1)


def text(words: str) -> dict[str, Any]:
    return {"text": words}


def thought(words: str) -> dict[str, Any]:
    return {"text": words, "thought": True}


def signed_end() -> dict[str, Any]:
    """The empty text that a stream may end with, only to carry a signature."""
    return {"text": "", "thoughtSignature": signature({"text": ""})}


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"functionCall": {"id": f"call_{next(_ids):04}", "name": name, "args": args}}


def nameless(part: dict[str, Any]) -> dict[str, Any]:
    """A call as older models make it, without an id."""
    return {"functionCall": {name: value for name, value in part["functionCall"].items() if name != "id"}}


def confirm(why: str) -> dict[str, str]:
    return {"decision": "require_confirmation", "explanation": why}


# --- behaviours ------------------------------------------------------------------------------------------------------


def says(*parts: dict[str, Any], finish: str = "STOP", message: str = "", usage: Any = None, **more: Any) -> Behaviour:
    """An answer, streamed or whole as it was asked for."""

    def behave(asked: Asked) -> Answered:
        whole = answer(parts, finish, message, usage) | more
        if "streamGenerateContent" not in asked.path:
            return Answered(200, JSON, [json.dumps(whole).encode()])
        return Answered(200, SSE, sse(chunks(whole)))

    return behave


def breaks_off(*parts: dict[str, Any], after: int, cleanly: bool = False) -> Behaviour:
    """A stream that ends after so many chunks: with the connection, or `cleanly`, as if that were all."""

    def behave(asked: Asked) -> Answered:
        return Answered(200, SSE, sse(itertools.islice(chunks(answer(parts, "STOP")), after)), cut=not cleanly)

    return behave


def streams(*pieces: bytes) -> Behaviour:
    """Bytes as they are."""
    return lambda asked: Answered(200, SSE, pieces)


def returns(body: bytes, status: int = 200) -> Behaviour:
    """A body as it is."""
    return lambda asked: Answered(status, JSON, [body] if body else [])


def error_body(code: int, status: str, message: str, details: Iterable[Any] = ()) -> dict[str, Any]:
    error = {"code": code, "message": message, "status": status}
    return {"error": error | ({"details": [*details]} if details else {})}


def failed(code: int, status: str, message: str, details: Iterable[Any] = (), **headers: str) -> Behaviour:
    """An error as the API words it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps(error_body(code, status, message, details), indent=2).encode()
    return lambda asked: Answered(code, JSON | named, [body])


def fails_midway(code: int, status: str, message: str) -> Behaviour:
    """A stream with an error in it."""

    def behave(asked: Asked) -> Answered:
        begun = itertools.islice(chunks(answer([text("I shall")], "STOP")), 1)
        return Answered(200, SSE, sse(itertools.chain(begun, [error_body(code, status, message)])))

    return behave


def busy(delay: str = "", **headers: str) -> Behaviour:
    quota = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "PerMinute"}]}
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}
    details = [quota, retry] if delay else [quota]
    return failed(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", details, **headers)


def overloaded() -> Behaviour:
    return failed(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")


def blocked(reason: str) -> Behaviour:
    """A prompt that never reached the model: there are no candidates."""

    def behave(asked: Asked) -> Answered:
        body = {"promptFeedback": {"blockReason": reason}, "usageMetadata": USAGE | {"candidatesTokenCount": 0}}
        streamed = "streamGenerateContent" in asked.path
        return Answered(200, SSE, sse([body])) if streamed else Answered(200, JSON, [json.dumps(body).encode()])

    return behave


# --- the protocol's own form -----------------------------------------------------------------------------------------

USAGE = {"promptTokenCount": 1000, "candidatesTokenCount": 40, "thoughtsTokenCount": 10, "totalTokenCount": 1050}


def answer(parts: Iterable[dict[str, Any]], finish: str, message: str = "", usage: Any = None) -> dict[str, Any]:
    """Of several calls only the first is signed, as it is by the models."""
    content, signed = [], False
    for part in parts:
        if "functionCall" in part and not signed:
            part, signed = part | {"thoughtSignature": signature(part)}, True
        content.append(part)
    candidate: dict[str, Any] = {"index": 0, "finishReason": finish}
    candidate |= {"content": {"role": "model", "parts": content}} if content else {}
    candidate |= {"finishMessage": message} if message else {}
    return {"candidates": [candidate], "usageMetadata": usage or USAGE, "modelVersion": "test", "responseId": "r"}


def chunks(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    usage = {"promptTokenCount": whole["usageMetadata"].get("promptTokenCount", 0), "totalTokenCount": 0}
    for candidate in whole["candidates"]:
        for part in candidate.get("content", {}).get("parts", []):
            for piece in _pieces(part):
                content = {"role": "model", "parts": [piece]}
                yield {"candidates": [{"index": 0, "content": content}], "usageMetadata": usage}
        ended = {name: value for name, value in candidate.items() if name != "content"}
        yield whole | {"candidates": [ended]}
    if not whole["candidates"]:
        yield whole


def _pieces(part: dict[str, Any]) -> list[dict[str, Any]]:
    if "text" not in part or "thoughtSignature" in part:
        return [part]
    middle = len(part["text"]) // 2
    return [part | {"text": half} for half in (part["text"][:middle], part["text"][middle:]) if half]


def sse(stream: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for chunk in stream:
        yield f"data: {json.dumps(chunk)}\r\n\r\n".encode()
