"""Assemble streamed Chat Completions answers. A broken stream is not an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fairground.agents.models.calling import Overlong, Transient
from fairground.agents.models.openai_client import MAX_ANSWER

_WORDS = ("content", "reasoning_content", "reasoning", "refusal")
_MOST_CALLS = 200


def from_chunks(chunks: Iterable[Any], on_chunk: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Return the completion of a stream, as if it had arrived in one piece.

    Args:
        chunks: Chunks as plain data, in order.
        on_chunk: Called at each chunk. It may raise.

    Raises:
        Transient: If the stream ended before the answer did, or violates the protocol.
    """
    message: dict[str, Any] = {"role": "assistant"}
    calls: dict[int, dict[str, str]] = {}
    finish, usage, size = None, None, 0
    for chunk in chunks:
        on_chunk()
        try:
            usage = chunk.get("usage") or usage
            for choice in chunk.get("choices") or ():
                delta = choice.get("delta") or {}
                finish = choice.get("finish_reason") or finish
                size += _add(delta, message, calls)
        except (AttributeError, TypeError, KeyError) as error:
            raise Transient(f"a chunk of the stream is invalid: {error!r:.200}") from None
        if size > MAX_ANSWER or len(calls) > _MOST_CALLS:
            raise Overlong(f"the answer is longer than {MAX_ANSWER} characters or {_MOST_CALLS} calls")
    if finish is None:
        raise Transient("the stream ended before the answer did")
    if calls:
        message["tool_calls"] = [{"type": "function", "function": calls[index]} for index in sorted(calls)]
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _add(delta: dict[str, Any], message: dict[str, Any], calls: dict[int, dict[str, str]]) -> int:
    size = 0
    for name in _WORDS:
        if words := delta.get(name):
            message[name] = message.get(name, "") + words
            size += len(words)
    for part in delta.get("tool_calls") or ():
        index = part.get("index", 0)
        if not isinstance(index, int):
            raise TypeError("the index of a call is not a number")
        call = calls.setdefault(index, {"name": "", "arguments": ""})
        function = part.get("function") or {}
        for name in call:
            call[name] += function.get(name) or ""
            size += len(function.get(name) or "")
    return size
