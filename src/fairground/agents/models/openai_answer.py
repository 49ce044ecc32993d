"""Parse answers of OpenAI's Responses API into plain data. A broken stream is not an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from fairground.agents.models.calling import Overlong, Transient
from fairground.agents.models.openai_client import MAX_ANSWER
from fairground.agents.models.openai_errors import translate_failure
from fairground.agents.models.usage import Tokens
from fairground.agents.models.wellformed import well_formed

_TERMINAL = ("response.completed", "response.incomplete", "response.failed")
_CALLS = ("computer_call", "function_call")
_TEXTS = {"function_call": ("call_id", "name", "arguments"), "computer_call": ("call_id",), "message": ("role",)}


@dataclass(frozen=True)
class Answer:
    """A received answer.

    Attributes:
        items: All complete items, with which the conversation continues.
        stop: Why it ended.
        refusal: The reason of a refusal.
        tokens: Token counts. None if the server does not report them.
    """

    items: list[dict[str, Any]]
    stop: Literal["complete", "cut", "refused"]
    refusal: str
    tokens: Tokens | None

    def said(self) -> list[str]:
        """Return what it says to the user."""
        return _texts(self.items, "message", "content", "output_text")

    def thought(self) -> list[str]:
        """Return summaries of its reasoning."""
        return _texts(self.items, "reasoning", "summary", "summary_text")

    def calls(self) -> list[dict[str, Any]]:
        """Return the items that are calls, in order."""
        return [item for item in self.items if item["type"] in _CALLS]


def from_events(events: Iterable[Any], on_event: Callable[[], None] = lambda: None) -> Any:
    """Return the final response of a stream as plain data. Raises `Transient` if the stream breaks off.

    The pieces are not assembled: the last event contains the whole answer, and a partial answer is not used.
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
                response = response | {"output": done}  # some servers do not repeat it
            return response
        delta = event.get("delta") if isinstance(event, dict) else None
        size += len(delta) if isinstance(delta, str) else 0
        if size > MAX_ANSWER:
            raise Overlong(f"the answer is longer than {MAX_ANSWER} characters")
    raise Transient("the stream ended before the answer did")


def from_response(response: Any) -> Answer:
    """Validate an answer, so that readers need not check again. Raises `Transient` if it is invalid."""
    if not isinstance(response, dict) or not isinstance(response.get("output"), list):
        raise Transient("the server's answer is not a response")
    status, error = response.get("status") or "completed", response.get("error")
    if status == "failed" or isinstance(error, dict):
        failure = error if isinstance(error, dict) else {}
        raise translate_failure(str(failure.get("code") or ""), str(failure.get("message") or "the response failed"))
    if status not in ("completed", "incomplete"):
        raise Transient(f"the response has status {str(status)[:40]}, expected completed")
    items = _checked(response["output"])
    details = response.get("incomplete_details")
    reason = details.get("reason") if status == "incomplete" and isinstance(details, dict) else ""
    refusals = _texts(items, "message", "content", "refusal")
    tokens = tokens_of(response.get("usage"), "input", "output")
    if reason == "content_filter" or refusals:
        return Answer(
            [],
            "refused",
            "the vendor's filter stopped the answer".join(refusals) or "its vendor's filter stopped the answer",
            tokens,
        )
    return Answer(_complete(items, status == "incomplete"), "cut" if status == "incomplete" else "complete", "", tokens)


def tokens_of(usage: Any, read: str, written: str) -> Tokens | None:
    """Return the token counts of a server, whose field names start with these words. None if it reports none."""
    if not isinstance(usage, dict) or not isinstance(usage.get(f"{read}_tokens"), int):
        return None
    details = usage.get(f"{read}_tokens_details")
    total, cached = _count(usage, f"{read}_tokens"), _count(details, "cached_tokens")
    stored = _count(details, "cache_write_tokens")
    # The server includes tokens read from or written to its cache in the total. Here each token is counted once.
    return Tokens(max(total - cached - stored, 0), _count(usage, f"{written}_tokens"), cached, stored)


def _checked(output: list[Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for item in output:
        if not isinstance(item, dict) or not isinstance(item.get("type"), str):
            raise Transient("an item of the answer has no type")
        for name in _TEXTS.get(item["type"], ()):
            if not isinstance(item.get(name), str):
                raise Transient(f"a {item['type']} of the answer has no {name}")
        # The server sends nulls that it does not accept back.
        items.append({name: value for name, value in item.items() if value is not None})
    if sum(len(str(item)) for item in items) > MAX_ANSWER:
        raise Overlong(f"the answer is longer than {MAX_ANSWER} characters")
    well_formed_items: list[dict[str, Any]] = well_formed(items)
    return well_formed_items


def _complete(items: list[dict[str, Any]], cut: bool) -> list[dict[str, Any]]:
    """Remove truncated items, empty items, and reasoning without a result: the server accepts none of them back."""
    complete = [item for item in items if item["type"] != "message" or any(map(str.strip, _texts([item], "message")))]
    if cut and complete and complete[-1].get("status") != "completed":
        complete.pop()
    while complete and complete[-1]["type"] == "reasoning":
        complete.pop()
    return complete


def _texts(items: list[dict[str, Any]], item_type: str, where: str = "content", kind: str = "output_text") -> list[str]:
    field = "refusal" if kind == "refusal" else "text"
    parts = [part for item in items if item["type"] == item_type for part in _listed(item.get(where))]
    values = [part.get(field) for part in parts if isinstance(part, dict) and part.get("type") == kind]
    return [text for text in values if isinstance(text, str)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(counts: Any, name: str) -> int:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
