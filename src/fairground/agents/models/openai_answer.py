"""Answers of OpenAI's Responses API as plain data, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from fairground.agents.models.calling import Transient
from fairground.agents.models.openai_client import MAX_ANSWER
from fairground.agents.models.openai_errors import translate_failure
from fairground.agents.models.usage import Tokens
from fairground.agents.models.wellformed import well_formed

_TERMINAL = ("response.completed", "response.incomplete", "response.failed")
_CALLS = ("computer_call", "function_call")
_TEXTS = {"function_call": ("call_id", "name", "arguments"), "computer_call": ("call_id",), "message": ("role",)}


@dataclass(frozen=True)
class Answer:
    """An answer as it came.

    Attributes:
        items: What the conversation goes on with: all that is complete.
        stop: Why it ended.
        refusal: Of a refused one, the reason.
        tokens: What it took; None when the server does not say.
    """

    items: list[dict[str, Any]]
    stop: Literal["complete", "cut", "refused"]
    refusal: str
    tokens: Tokens | None

    def said(self) -> list[str]:
        """What it says to the person."""
        return _texts(self.items, "message", "content", "output_text")

    def thought(self) -> list[str]:
        """Summaries of its reasoning."""
        return _texts(self.items, "reasoning", "summary", "summary_text")

    def calls(self) -> list[dict[str, Any]]:
        """The items that are calls, in order."""
        return [item for item in self.items if item["type"] in _CALLS]


def from_events(events: Iterable[Any], on_event: Callable[[], None] = lambda: None) -> Any:
    """The response that a stream ends with, as plain data; raises `Transient` when it breaks off before.

    The pieces on the way are not put together: the last event holds the whole answer, and half of one is none.
    """
    done: list[Any] = []
    size = 0
    for event in events:
        on_event()
        kind = event.get("type") if isinstance(event, dict) else None
        if kind == "error":
            raise translate_failure(str(event.get("code") or ""), str(event.get("message") or "an error in the stream"))
        if kind == "response.output_item.done":
            done.append(event.get("item"))
        if kind in _TERMINAL:
            response = event.get("response")
            if isinstance(response, dict) and not response.get("output"):
                response = response | {"output": done}  # some servers do not say it again
            return response
        delta = event.get("delta") if isinstance(event, dict) else None
        size += len(delta) if isinstance(delta, str) else 0
        if size > MAX_ANSWER:
            raise Transient(f"the answer is longer than {MAX_ANSWER} characters")
    raise Transient("the stream ended before the answer did")


def from_response(response: Any) -> Answer:
    """An answer, checked: whoever reads it need not look twice. Raises `Transient` when it is not one."""
    if not isinstance(response, dict) or not isinstance(response.get("output"), list):
        raise Transient("the server's answer is not a response")
    status, error = response.get("status") or "completed", response.get("error")
    if status == "failed" or isinstance(error, dict):
        told = error if isinstance(error, dict) else {}
        raise translate_failure(str(told.get("code") or ""), str(told.get("message") or "the response failed"))
    if status not in ("completed", "incomplete"):
        raise Transient(f"the response is {str(status)[:40]}, and not complete")
    items = _checked(response["output"])
    details = response.get("incomplete_details")
    reason = details.get("reason") if status == "incomplete" and isinstance(details, dict) else ""
    refusals = _texts(items, "message", "content", "refusal")
    tokens = tokens_of(response.get("usage"), "input", "output")
    if reason == "content_filter" or refusals:
        return Answer([], "refused", "\n".join(refusals) or "its vendor's filter stopped the answer", tokens)
    return Answer(_complete(items, status == "incomplete"), "cut" if status == "incomplete" else "complete", "", tokens)


def tokens_of(usage: Any, read: str, written: str) -> Tokens | None:
    """The tokens that a server counted, under names that begin with these words; None when it did not count."""
    if not isinstance(usage, dict) or not isinstance(usage.get(f"{read}_tokens"), int):
        return None
    details = usage.get(f"{read}_tokens_details")
    total, cached = _count(usage, f"{read}_tokens"), _count(details, "cached_tokens")
    stored = _count(details, "cache_write_tokens")
    # The server counts what its cache has, or takes in, as read too; here each token is counted once.
    return Tokens(max(total - cached - stored, 0), _count(usage, f"{written}_tokens"), cached, stored)


def _checked(output: list[Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for item in output:
        if not isinstance(item, dict) or not isinstance(item.get("type"), str):
            raise Transient("an item of the answer has no type")
        for name in _TEXTS.get(item["type"], ()):
            if not isinstance(item.get(name), str):
                raise Transient(f"a {item['type']} of the answer has no {name}")
        # The server gives nulls that it does not take back.
        items.append({name: value for name, value in item.items() if value is not None})
    if sum(len(str(item)) for item in items) > MAX_ANSWER:
        raise Transient(f"the answer is longer than {MAX_ANSWER} characters")
    found: list[dict[str, Any]] = well_formed(items)
    return found


def _complete(items: list[dict[str, Any]], cut: bool) -> list[dict[str, Any]]:
    """Without what was cut off, what says nothing, and reasoning that leads to nothing: none is taken back."""
    kept = [item for item in items if item["type"] != "message" or any(map(str.strip, _texts([item], "message")))]
    if cut and kept and kept[-1].get("status") != "completed":
        kept.pop()
    while kept and kept[-1]["type"] == "reasoning":
        kept.pop()
    return kept


def _texts(items: list[dict[str, Any]], item_type: str, where: str = "content", kind: str = "output_text") -> list[str]:
    field = "refusal" if kind == "refusal" else "text"
    parts = [part for item in items if item["type"] == item_type for part in _listed(item.get(where))]
    found = [part.get(field) for part in parts if isinstance(part, dict) and part.get("type") == kind]
    return [text for text in found if isinstance(text, str)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(counts: Any, name: str) -> int:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
