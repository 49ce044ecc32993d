"""OpenAI's Responses API and Chat Completions, with answers from a script: well-behaved ones, and every other kind."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .openai_rules import Refused, check_chat, check_responses
from .server import Answered, Asked, WireServer

Behaviour = Callable[[Asked], Answered]
JSON = {"content-type": "application/json", "x-request-id": "req_test"}
SSE = {"content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_test"}
_ids = itertools.count(1)


class OpenAIServer(WireServer):
    """Answers each request with the next behaviour of the script.

    A request that the real API would not take is answered as it would, uses none of the script, and is kept in
    `complaints`.
    """

    def __init__(self, script: Iterable[Behaviour]) -> None:
        super().__init__(self._answer)
        self.script = list(script)
        self.complaints: list[str] = []
        self.issued: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> OpenAIServer:
        super().__enter__()
        return self

    @property
    def bodies(self) -> list[Any]:
        return [asked.body for asked in self.asked]

    def _answer(self, asked: Asked) -> Answered:
        try:
            if asked.path == "/v1/responses":
                check_responses(asked, self.issued)
            elif asked.path == "/v1/chat/completions":
                check_chat(asked)
            else:
                raise Refused(404, "invalid_request_error", f"Unknown request URL: {asked.path}", "unknown_url")
            if not self.script:
                raise Refused(400, "invalid_request_error", "the script is over")
        except Refused as refused:
            self.complaints.append(str(refused))
            return failed(refused.status, refused.kind, refused.message, refused.code)(asked)
        behaviour = self.script.pop(0)
        self.issued |= getattr(behaviour, "issues", {})
        return behaviour(asked)


# --- items of the Responses API --------------------------------------------------------------------------------------


def _item(kind: str, prefix: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "id": f"{prefix}_{next(_ids):04}", **fields}


def message(words: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": words, "annotations": [], "logprobs": []}]
    return _item("message", "msg", role="assistant", status="completed", content=content) | more


def refusal(words: str) -> dict[str, Any]:
    return message("") | {"content": [{"type": "refusal", "refusal": words}]}


def reasoning(words: str) -> dict[str, Any]:
    secret = hashlib.sha256(words.encode()).hexdigest()
    summary = [{"type": "summary_text", "text": words}]
    return _item("reasoning", "rs", summary=summary, encrypted_content=secret, content=None, status=None)


def computer(*actions: Any, checks: Iterable[dict[str, Any]] = (), **more: Any) -> dict[str, Any]:
    """A call of the computer tool."""
    item = _item("computer_call", "cu", call_id=f"call_{next(_ids):04}", status="completed", actions=list(actions))
    return item | {"pending_safety_checks": list(checks)} | more


def preview(action: Any, checks: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """A call of the preview tool."""
    item = _item("computer_call", "cu", call_id=f"call_{next(_ids):04}", status="completed", action=action)
    return item | {"pending_safety_checks": list(checks)}


def function(name: str, raw: str | None = None, **arguments: Any) -> dict[str, Any]:
    written = json.dumps(arguments) if raw is None else raw
    fields = {"call_id": f"call_{next(_ids):04}", "status": "completed", "name": name, "arguments": written}
    return _item("function_call", "fc", **fields)


def act(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


# --- behaviours of the Responses API ---------------------------------------------------------------------------------

USAGE = {
    "input_tokens": 1000,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 50,
    "output_tokens_details": {"reasoning_tokens": 20},
    "total_tokens": 1050,
}


def responds(*items: dict[str, Any], **more: Any) -> Behaviour:
    """An answer, streamed or whole as it was asked for."""

    def behave(asked: Asked) -> Answered:
        whole = response(asked, items, **more)
        if not asked.body.get("stream"):
            return Answered(200, JSON, [json.dumps(whole).encode()])
        return Answered(200, SSE, sse(events(whole)))

    behave.issues = {item["id"]: item for item in items if isinstance(item, dict) and "id" in item}  # type: ignore[attr-defined]
    return behave


def cut(*items: dict[str, Any], reason: str = "max_output_tokens") -> Behaviour:
    return responds(*items, status="incomplete", incomplete_details={"reason": reason})


def fails_inside(code: str, message: str) -> Behaviour:
    """An answer that says of itself that it failed."""
    return responds(status="failed", error={"code": code, "message": message})


def breaks_off(*items: dict[str, Any], after: int, cleanly: bool = False) -> Behaviour:
    """A stream that ends after so many events: with the connection, or `cleanly`, as if that were all."""

    def behave(asked: Asked) -> Answered:
        stream = itertools.islice(events(response(asked, items)), after)
        return Answered(200, SSE, sse(stream), cut=not cleanly)

    return behave


def response(asked: Asked, items: Iterable[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "id": f"resp_{next(_ids):04}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": asked.body["model"],
        "output": list(items),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": asked.body.get("tools", []),
        "usage": USAGE,
    } | more


def events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    number = itertools.count()
    begun = whole | {"status": "in_progress", "output": [], "usage": None, "error": None}
    for kind in ("response.created", "response.in_progress"):
        yield {"type": kind, "response": begun, "sequence_number": next(number)}
    for index, item in enumerate(whole["output"]):
        place = {"output_index": index, "sequence_number": next(number)}
        yield {"type": "response.output_item.added", "item": item} | place
        for part in item.get("content") or []:
            if part.get("type") == "output_text":
                delta = {"item_id": item["id"], "content_index": 0, "delta": part["text"], "logprobs": []}
                yield {"type": "response.output_text.delta"} | delta | place
        yield {"type": "response.output_item.done", "item": item} | place
    yield {"type": f"response.{whole['status']}", "response": whole, "sequence_number": next(number)}


def sse(stream: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for event in stream:
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


# --- behaviours of Chat Completions ----------------------------------------------------------------------------------

COUNTS = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}


def tool_call(name: str, raw: str | None = None, **arguments: Any) -> dict[str, Any]:
    written = json.dumps(arguments) if raw is None else raw
    return {"id": f"call_{next(_ids):04}", "type": "function", "function": {"name": name, "arguments": written}}


def completes(
    content: Any = None, *calls: dict[str, Any], finish: str = "", usage: Any = COUNTS, **fields: Any
) -> Behaviour:
    """An answer of a chat; `fields` are of its message."""
    told = {"role": "assistant", "content": content, "refusal": None} | fields
    if calls:
        told["tool_calls"] = list(calls)
    choice = {"index": 0, "message": told, "finish_reason": finish or ("tool_calls" if calls else "stop")}

    def behave(asked: Asked) -> Answered:
        whole = {"id": "chatcmpl-test", "object": "chat.completion", "created": 1, "model": asked.body["model"]}
        if asked.body.get("stream"):
            begun = whole | {"object": "chat.completion.chunk"}
            return Answered(200, SSE, chunked(pieces(begun, choice, usage)))
        whole |= {"choices": [choice]} | ({} if usage is None else {"usage": usage})
        return Answered(200, JSON, [json.dumps(whole).encode()])

    return behave


def stops(content: str, *calls: dict[str, Any], after: int, cleanly: bool = False) -> Behaviour:
    """A stream of a chat that ends after so many pieces."""
    choice = {"message": {"content": content, "tool_calls": list(calls)}, "finish_reason": "stop"}

    def behave(asked: Asked) -> Answered:
        stream = itertools.islice(pieces({"id": "chatcmpl-test", "model": "m"}, choice, COUNTS), after)
        return Answered(200, SSE, chunked(stream, end=cleanly), cut=not cleanly)

    return behave


def pieces(begun: dict[str, Any], choice: Any, usage: Any) -> Iterator[dict[str, Any]]:
    """An answer of a chat as its stream has it: words in halves, calls by index, and the counts at the end."""

    def piece(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return begun | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    message = choice["message"]
    yield piece({"role": "assistant", "content": ""})
    for name in ("reasoning_content", "content", "refusal"):
        for half in _halves(message.get(name) or ""):
            yield piece({name: half})
    for index, call in enumerate(message.get("tool_calls", [])):
        function = call["function"]
        first = call | {"index": index, "function": {"name": function["name"], "arguments": ""}}
        yield piece({"tool_calls": [first]})
        for half in _halves(function["arguments"]):
            yield piece({"tool_calls": [{"index": index, "function": {"arguments": half}}]})
    yield piece({}, choice["finish_reason"])
    if usage is not None:
        yield begun | {"choices": [], "usage": usage}


def chunked(stream: Iterable[dict[str, Any]], end: bool = True) -> Iterator[bytes]:
    for event in stream:
        yield f"data: {json.dumps(event)}\n\n".encode()
    if end:
        yield b"data: [DONE]\n\n"


def _halves(words: str) -> list[str]:
    middle = len(words) // 2
    return [part for part in (words[:middle], words[middle:]) if part]


# --- behaviours of both ----------------------------------------------------------------------------------------------


def streams(*chunks: bytes) -> Behaviour:
    """Bytes of a stream as they are."""
    return lambda asked: Answered(200, SSE, chunks)


def returns(body: bytes, status: int = 200, cut: bool = False, **headers: str) -> Behaviour:
    """A body as it is."""
    chunks = [body] if body else []  # an empty chunk would end the body, and the end would then stand there twice
    return lambda asked: Answered(status, JSON | headers, chunks, cut=cut)


def failed(status: int, kind: str, message: str, code: str | None = None, **headers: str) -> Behaviour:
    """An error as the API words it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return lambda asked: Answered(status, JSON | named, [json.dumps(body).encode()])


def busy(message: str = "Rate limit reached.", **headers: str) -> Behaviour:
    return failed(429, "requests", message, "rate_limit_exceeded", **headers)


def broken() -> Behaviour:
    return failed(500, "server_error", "The server had an error while processing your request.")
