"""Parse Anthropic's answers into plain data. A broken or invalid stream is not an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fairground.agents.models.calling import Overlong, Transient
from fairground.agents.models.usage import Tokens
from fairground.agents.models.wellformed import well_formed
from fairground.core import InvalidInput, parse_json

MAX_ANSWER = 4 << 20  # maximum characters; more than any model writes at once
_DELTAS = {"text_delta": "text", "thinking_delta": "thinking"}
_TEXTS = {"text": ("text",), "thinking": ("thinking",), "tool_use": ("id", "name")}
_NOT_A_CALL = "The arguments of this call are not a JSON object: {error}. Nothing was done; write the call again."


@dataclass
class Received:
    """A received answer.

    Attributes:
        content: The blocks, in the protocol's form.
        stop_reason: Why it ended.
        stop_details: Details of the stop reason.
        usage: The latest token counts.
        faults: What is wrong with the arguments of a call, by call ID.
    """

    content: list[dict[str, Any]] = field(default_factory=list)
    stop_reason: str = ""
    stop_details: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)

    @property
    def tokens(self) -> Tokens:
        """Token counts of the answer."""

        def count(name: str) -> int:
            value = self.usage.get(name)
            return value if isinstance(value, int) and value > 0 else 0

        return Tokens(
            input=count("input_tokens"),
            output=count("output_tokens"),
            cached=count("cache_read_input_tokens"),
            stored=count("cache_creation_input_tokens"),
        )


def from_message(message: Any, received: Received) -> None:
    """Parse a complete answer into `received`. Raises `Transient` if it is invalid."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        raise Transient("the server's answer is not a message")
    received.usage = _object(message.get("usage"))
    received.content = [dict(block) for block in message["content"] if isinstance(block, dict)]
    received.stop_reason = message.get("stop_reason") or ""
    received.stop_details = _object(message.get("stop_details"))
    for block in received.content:
        if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
            block["input"] = {}
            received.faults[str(block.get("id"))] = _NOT_A_CALL.format(error="it is something else")
    _check(received)


def from_events(events: Iterable[Any], received: Received, on_event: Callable[[], None] = lambda: None) -> None:
    """Parse a streamed answer into `received`, which keeps what arrived even if the rest does not.

    The arguments of a call are parsed strictly once the call is complete. The SDK's own parser completes partial JSON,
    and a click at half a coordinate is worse than none.

    Args:
        events: Events as plain data, in order.
        received: The answer so far.
        on_event: Called at each event. It may raise.

    Raises:
        Transient: If the stream ended before the answer did, or violates the protocol.
    """
    arguments: dict[int, str] = {}
    size, ended = 0, False
    for event in events:
        on_event()
        try:
            match event["type"]:
                case "message_start":
                    received.usage |= _object(event["message"].get("usage"))
                case "content_block_start":
                    if event["index"] != len(received.content):
                        raise Transient(f"block {event['index']} came after {len(received.content)} blocks")
                    received.content.append(dict(event["content_block"]))
                case "content_block_delta":
                    size += _add(received.content[event["index"]], event["delta"], arguments, event["index"])
                case "content_block_stop":
                    _close(received, event["index"], arguments)
                case "message_delta":
                    received.stop_reason = event["delta"].get("stop_reason") or received.stop_reason
                    received.stop_details = _object(event["delta"].get("stop_details"))
                    counts = _object(event.get("usage"))
                    received.usage |= {name: value for name, value in counts.items() if value is not None}
                case "message_stop":
                    ended = True
                case _:
                    pass  # the protocol allows new kinds of events
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            raise Transient(f"an event of the stream is invalid: {error!r:.200}") from None
        if size > MAX_ANSWER:
            raise Overlong(f"the answer is longer than {MAX_ANSWER} characters")
    if not ended:
        raise Transient("the stream ended before the answer did")
    _check(received)


def _add(block: dict[str, Any], delta: dict[str, Any], arguments: dict[int, str], index: int) -> int:
    kind = delta["type"]
    if kind == "input_json_delta":
        arguments[index] = arguments.get(index, "") + delta["partial_json"]
        return len(delta["partial_json"])
    if kind in _DELTAS:
        name = _DELTAS[kind]
        block[name] = block.get(name, "") + delta[name]
        return len(delta[name])
    if kind == "signature_delta":
        block["signature"] = delta["signature"]  # sent as a whole
    return 0  # unknown kinds, such as citations, leave the block unchanged


def _close(received: Received, index: int, arguments: dict[int, str]) -> None:
    block = received.content[index]
    if block.get("type") != "tool_use" or not (text := arguments.get(index, "")):
        return
    try:
        value = parse_json(text, where="arguments")
        error = "" if isinstance(value, dict) else f"found {type(value).__name__}"
    except InvalidInput as fault:
        value, error = {}, fault.message
    block["input"] = {} if error else value
    if error:
        received.faults[str(block.get("id"))] = _NOT_A_CALL.format(error=error[:300])


def _check(received: Received) -> None:
    """Reject invalid answers, so that readers need not check again."""
    if not isinstance(received.stop_reason, str):
        raise Transient("the answer's stop_reason is not text")
    for block in received.content:
        for name in _TEXTS.get(str(block.get("type")), ()):
            if not isinstance(block.get(name), str):
                raise Transient(f"a block of the answer has no {name}")
    try:
        received.content = well_formed(received.content)
        received.faults, received.stop_details = well_formed(received.faults), well_formed(received.stop_details)
    except RecursionError:
        raise Overlong("the answer is nested too deeply") from None


def _object(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}
