"""Anthropic's Messages API, with answers from a script: well-behaved ones, and every other kind."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .anthropic_rules import Refused, check, signature
from .server import Answered, Asked, WireServer

Behaviour = Callable[[Asked], Answered]
JSON = {"content-type": "application/json", "request-id": "req_test"}
SSE = {"content-type": "text/event-stream; charset=utf-8", "request-id": "req_test"}


class AnthropicServer(WireServer):
    """Answers each request with the next behaviour of the script.

    A request that the real API would not take is answered as it would, uses none of the script, and is kept in
    `complaints`.
    """

    def __init__(self, script: Iterable[Behaviour]) -> None:
        super().__init__(self._answer)
        self.script = list(script)
        self.complaints: list[str] = []
        self._paused = False

    def __enter__(self) -> AnthropicServer:
        super().__enter__()
        return self

    @property
    def bodies(self) -> list[Any]:
        return [asked.body for asked in self.asked]

    def _answer(self, asked: Asked) -> Answered:
        if asked.path.partition("?")[0] != "/v1/messages":
            return failed(404, "not_found_error", f"no {asked.path}")(asked)
        try:
            check(asked, paused=self._paused)
        except Refused as refused:
            self.complaints.append(str(refused))
            return failed(refused.status, refused.kind, refused.message)(asked)
        if not self.script:
            self.complaints.append("the script is over")
            return failed(400, "invalid_request_error", "the script is over")(asked)
        behaviour = self.script.pop(0)
        self._paused = getattr(behaviour, "paused", False)
        return behaviour(asked)


# --- blocks ----------------------------------------------------------------------------------------------------------

_ids = itertools.count(1)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def thinking(words: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": words}  # signed when it is sent


def use(action: str, **arguments: Any) -> dict[str, Any]:
    """A call of the older tools."""
    return tool("computer", action=action, **arguments)


def member(name: str, **arguments: Any) -> dict[str, Any]:
    """A call of the toolset."""
    return tool(name, **arguments) | {"toolset_name": "computer"}


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{next(_ids):04}", "name": name, "input": arguments}


# --- behaviours ------------------------------------------------------------------------------------------------------


def says(*blocks: dict[str, Any], stop: str = "", raw: dict[str, str] | None = None, **more: Any) -> Behaviour:
    """An answer, streamed or whole as it was asked for; `raw` replaces a call's arguments by text, by the call's id."""

    def behave(asked: Asked) -> Answered:
        message = answer(asked, blocks, stop, **more)
        if not asked.body.get("stream"):
            return Answered(200, JSON, [json.dumps(message).encode()])
        return Answered(200, SSE, sse(events(message, raw or {})))

    behave.paused = stop == "pause_turn"  # type: ignore[attr-defined]
    return behave


def breaks_off(*blocks: dict[str, Any], after: int, cleanly: bool = False) -> Behaviour:
    """A stream that ends after so many events: with the connection, or `cleanly`, as if that were all."""

    def behave(asked: Asked) -> Answered:
        stream = itertools.islice(events(answer(asked, blocks, ""), {}), after)
        return Answered(200, SSE, sse(stream), cut=not cleanly)

    return behave


def streams(*chunks: bytes) -> Behaviour:
    """Bytes as they are."""
    return lambda asked: Answered(200, SSE, chunks)


def returns(body: bytes, status: int = 200, **headers: str) -> Behaviour:
    """A body as it is."""
    return lambda asked: Answered(status, JSON | headers, [body])


def failed(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> Behaviour:
    """An error as the API words it."""
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_test"}
    return lambda asked: Answered(status, JSON | (headers or {}), [json.dumps(body).encode()])


def fails_midway(kind: str, message: str) -> Behaviour:
    """A stream with an error event in it."""
    error = {"type": "error", "error": {"type": kind, "message": message}}

    def behave(asked: Asked) -> Answered:
        begun = itertools.islice(events(answer(asked, [text("I shall")], ""), {}), 2)
        return Answered(200, SSE, sse(itertools.chain(begun, [error])))

    return behave


def busy(**headers: str) -> Behaviour:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return failed(429, "rate_limit_error", "This request would exceed your rate limit.", named)


def overloaded() -> Behaviour:
    return failed(529, "overloaded_error", "Overloaded")


# --- the protocol's own form -----------------------------------------------------------------------------------------


def answer(asked: Asked, blocks: Iterable[dict[str, Any]], stop: str, **more: Any) -> dict[str, Any]:
    content = []
    for block in blocks:
        if block["type"] == "thinking":
            block = block | {"signature": signature(block["thinking"], asked.body["messages"])}
        content.append(block)
    called = any(block["type"] == "tool_use" for block in content)
    usage = {"input_tokens": 1000, "output_tokens": 50, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    return {
        "id": "msg_test",
        "type": "message",
        "role": "assistant",
        "model": asked.body["model"],
        "content": content,
        "stop_reason": stop or ("tool_use" if called else "end_turn"),
        "stop_sequence": None,
        "usage": usage,
    } | more


def events(message: dict[str, Any], raw: dict[str, str]) -> Iterator[dict[str, Any]]:
    usage = message["usage"] | {"output_tokens": 1}
    begun = message | {"content": [], "stop_reason": None, "usage": usage}
    yield {"type": "message_start", "message": begun}
    yield {"type": "ping"}
    for index, block in enumerate(message["content"]):
        empty, deltas = _pieces(block, raw)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {name: message.get(name) for name in ("stop_reason", "stop_sequence", "stop_details")}
    yield {
        "type": "message_delta",
        "delta": ended,
        "usage": {"output_tokens": message["usage"]["output_tokens"], "input_tokens": message["usage"]["input_tokens"]},
    }
    yield {"type": "message_stop"}


def _pieces(block: dict[str, Any], raw: dict[str, str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}, [
                {"type": "text_delta", "text": part} for part in _halves(block["text"])
            ]
        case "thinking":
            deltas = [{"type": "thinking_delta", "thinking": part} for part in _halves(block["thinking"])]
            signed = {"type": "signature_delta", "signature": block["signature"]}
            return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signed]
        case "tool_use":
            arguments = raw.get(block["id"], json.dumps(block["input"]))
            parts = [{"type": "input_json_delta", "partial_json": part} for part in ("", *_halves(arguments))]
            return block | {"input": {}}, parts
    return block, []


def _halves(words: str) -> list[str]:
    middle = len(words) // 2
    return [part for part in (words[:middle], words[middle:]) if part]


def sse(stream: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for event in stream:
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
