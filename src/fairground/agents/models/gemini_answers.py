"""Parse Gemini's answers into plain data. A broken or invalid stream is not an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fairground.agents.models.calling import Overlong, Transient
from fairground.agents.models.usage import Tokens
from fairground.agents.models.wellformed import well_formed

MAX_ANSWER = 4 << 20  # maximum characters; more than any model writes at once
_MAX_PARTS = 10_000


@dataclass
class Received:
    """A received answer.

    Attributes:
        parts: What the model said, in the protocol's form. Each signature stays with its part.
        finish_reason: Why it ended; empty if it has not.
        finish_message: Details of the finish reason.
        blocked: Why the server did not pass the prompt to the model; empty if it did.
        usage: The latest token counts.
    """

    parts: list[dict[str, Any]] = field(default_factory=list)
    finish_reason: str = ""
    finish_message: str = ""
    blocked: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def tokens(self) -> Tokens:
        """Token counts of the answer. The server's prompt count includes cached tokens."""

        def count(name: str) -> int:
            value = self.usage.get(name)
            return value if isinstance(value, int) and value > 0 else 0

        cached = count("cached_content_token_count")
        return Tokens(
            input=max(count("prompt_token_count") - cached, 0) + count("tool_use_prompt_token_count"),
            output=count("candidates_token_count") + count("thoughts_token_count"),
            cached=cached,
        )


def from_chunks(chunks: Iterable[Any], received: Received, on_chunk: Callable[[], None] = lambda: None) -> None:
    """Parse an answer, streamed or not, into `received`, which keeps what arrived even if the rest does not.

    Args:
        chunks: `GenerateContentResponse` as plain data, in order.
        received: The answer so far.
        on_chunk: Called at each chunk. It may raise.

    Raises:
        Transient: If the stream ended before the answer did, or violates the protocol.
    """
    size = 0
    for chunk in chunks:
        on_chunk()
        try:
            size += _add(chunk, received)
        except (KeyError, TypeError, IndexError, AttributeError, ValueError, RecursionError) as error:
            raise Transient(f"a part of the answer is invalid: {error!r:.200}") from None
        if size > MAX_ANSWER or len(received.parts) > _MAX_PARTS:
            raise Overlong(f"the answer is longer than {MAX_ANSWER} characters or {_MAX_PARTS} parts")
    if not received.finish_reason and not received.blocked:
        raise Transient("the stream ended before the answer did")
    try:
        received.parts = well_formed(received.parts)
        received.finish_message = well_formed(received.finish_message)
    except RecursionError:
        raise Overlong("the answer is nested too deeply") from None


def _add(chunk: dict[str, Any], received: Received) -> int:
    usage = chunk.get("usage_metadata") or {}
    received.usage |= {name: value for name, value in usage.items() if value is not None}
    feedback = chunk.get("prompt_feedback") or {}
    if reason := feedback.get("block_reason"):
        received.blocked = _name(reason)
        received.finish_message = _text(feedback.get("block_reason_message") or "")
    size = 0
    for candidate in (chunk.get("candidates") or [])[:1]:
        for part in (candidate.get("content") or {}).get("parts") or []:
            size += _add_part(part, received.parts)
        received.finish_reason = _name(candidate.get("finish_reason") or received.finish_reason)
        received.finish_message = _text(candidate.get("finish_message") or received.finish_message)
    return size


def _add_part(part: dict[str, Any], parts: list[dict[str, Any]]) -> int:
    """Add a part.

    Pieces of one text are joined. A piece with a signature stays separate, because it covers only that piece.
    """
    if call := part.get("function_call"):
        _text(call["name"])
        if not isinstance(call.get("args") or {}, dict):
            raise TypeError("the arguments of a call are not an object")
        parts.append(dict(part))
        return len(repr(call))
    if part.get("text") is None:
        if "thought_signature" in part and not set(part) - {"thought_signature", "thought"}:
            parts.append({"text": "", **part})  # the server sends such parts, but accepts none back without data
        elif set(part) - {"thought_signature", "thought"}:
            parts.append(dict(part))
        return 0
    words = _text(part["text"])
    if parts and _plain_text(parts[-1]) and _plain_text(part) and _thought(parts[-1]) == _thought(part):
        parts[-1] = parts[-1] | {"text": parts[-1]["text"] + words}
    elif words or "thought_signature" in part:
        parts.append(dict(part))
    return len(words)


def _plain_text(part: dict[str, Any]) -> bool:
    return part.get("text") is not None and not set(part) - {"text", "thought"}


def _thought(part: dict[str, Any]) -> bool:
    return bool(part.get("thought"))


def _name(value: Any) -> str:
    """Return a name as text. The SDK gives names as enum members."""
    return _text(getattr(value, "value", value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {type(value).__name__}")
    return value
