"""Gemini's answers as plain data, whole or not at all: a stream that breaks off, or says nonsense, is no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fairground.agents.models.calling import Transient
from fairground.agents.models.usage import Tokens
from fairground.agents.models.wellformed import well_formed

MAX_ANSWER = 4 << 20  # characters; more than any model writes at once
_MAX_PARTS = 10_000


@dataclass
class Received:
    """An answer as it came.

    Attributes:
        parts: What the model said, as the protocol has it; each signature stays with the part that it came with.
        finish_reason: Why it ended; empty while it has not.
        finish_message: What more is said about that.
        blocked: Why the server did not give the prompt to the model; empty when it did.
        usage: Counts of tokens, as they came last.
    """

    parts: list[dict[str, Any]] = field(default_factory=list)
    finish_reason: str = ""
    finish_message: str = ""
    blocked: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def tokens(self) -> Tokens:
        """What the answer took; the prompt's count includes what came from the cache."""

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
    """An answer that comes in pieces, or in one, into `received`, which holds what came also when the rest does not.

    Args:
        chunks: `GenerateContentResponse` as plain data, in order.
        received: What came so far.
        on_chunk: Called at each chunk; it may raise.

    Raises:
        Transient: The stream ended before the answer did, or is not what the protocol allows.
    """
    size = 0
    for chunk in chunks:
        on_chunk()
        try:
            size += _add(chunk, received)
        except (KeyError, TypeError, IndexError, AttributeError, ValueError, RecursionError) as error:
            raise Transient(f"a part of the answer has no meaning: {error!r:.200}") from None
        if size > MAX_ANSWER or len(received.parts) > _MAX_PARTS:
            raise Transient(f"the answer is longer than {MAX_ANSWER} characters or {_MAX_PARTS} parts")
    if not received.finish_reason and not received.blocked:
        raise Transient("the stream ended before the answer did")
    try:
        received.parts = well_formed(received.parts)
        received.finish_message = well_formed(received.finish_message)
    except RecursionError:
        raise Transient("the answer is nested too deeply") from None


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
    """Pieces of one text become one part; a piece with a signature stays alone, for the signature is of it alone."""
    if call := part.get("function_call"):
        _text(call["name"])
        if not isinstance(call.get("args") or {}, dict):
            raise TypeError("the arguments of a call are no object")
        parts.append(dict(part))
        return len(repr(call))
    if part.get("text") is None:
        if "thought_signature" in part and not set(part) - {"thought_signature", "thought"}:
            parts.append({"text": "", **part})  # the server gives such parts, and takes back none without data
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
    """The SDK gives names as members of an enumeration, which are texts."""
    return _text(getattr(value, "value", value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {type(value).__name__}")
    return value
