"""Streams of events: gathered exactly, or not taken for an answer."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents.models.anthropic_stream import Received, from_events, from_message
from fairground.agents.models.calling import Transient

from .test_calling import PLAIN
from .wire.anthropic_wire import events

BLOCKS = st.lists(
    st.fixed_dictionaries({"type": st.just("text"), "text": st.text()})
    | st.fixed_dictionaries({"type": st.just("thinking"), "thinking": st.text(), "signature": st.text()})
    | st.fixed_dictionaries(
        {
            "type": st.just("tool_use"),
            "id": st.from_regex(r"[a-z]{8}", fullmatch=True),
            "name": st.just("left_click"),
            "input": st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.booleans()),
        }
    ),
    max_size=4,
)
KINDS = [f"message_{part}" for part in ("start", "delta", "stop")]
KINDS += [f"content_block_{part}" for part in ("start", "delta", "stop")]
EVENTS = st.lists(
    PLAIN
    | st.fixed_dictionaries(
        {"type": st.sampled_from(KINDS) | PLAIN},
        optional={
            "index": st.integers(-2, 2) | PLAIN,
            "message": PLAIN,
            "content_block": PLAIN | st.fixed_dictionaries({"type": st.just("tool_use"), "id": PLAIN}),
            "delta": PLAIN | st.fixed_dictionaries({"type": st.just("input_json_delta"), "partial_json": PLAIN}),
            "usage": PLAIN,
        },
    )
)


def message(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"content": blocks, "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 2}}


@given(BLOCKS)
def test_a_stream_gathers_to_what_comes_in_one_piece(blocks: list[dict[str, Any]]) -> None:
    streamed, whole = Received(), Received()
    from_events(events(message(blocks), {}), streamed)
    from_message(message(blocks), whole)
    assert streamed == whole and streamed.content == blocks and streamed.tokens.total == 5


@given(BLOCKS, st.data())
def test_a_stream_without_its_end_is_no_answer(blocks: list[dict[str, Any]], data: st.DataObject) -> None:
    stream = list(events(message(blocks), {}))
    part = stream[: data.draw(st.integers(0, len(stream) - 1))]
    with pytest.raises(Transient, match="ended before"):
        from_events(part, Received())


@given(EVENTS)
def test_nonsense_is_transient_and_nothing_else(stream: list[Any]) -> None:
    received = Received()
    with contextlib.suppress(Transient):
        from_events(stream, received)
    assert received.tokens.total >= 0


@given(PLAIN | st.fixed_dictionaries({"content": PLAIN | st.lists(PLAIN), "usage": PLAIN, "stop_reason": PLAIN}))
def test_a_whole_that_is_nonsense_is_transient_and_nothing_else(whole: Any) -> None:
    received = Received()
    try:
        from_message(whole, received)
    except Transient:
        return
    assert all(isinstance(block, dict) for block in received.content) and isinstance(received.stop_reason, str)


@given(st.text(max_size=40))
def test_arguments_are_whole_or_at_fault(text: str) -> None:
    call = {"type": "tool_use", "id": "a", "name": "key", "input": {"text": "x"}}
    received = Received()
    from_events(events(message([call]), {"a": text}), received)
    try:
        valid = isinstance(json.loads(text), dict)
    except ValueError:
        valid = False
    if text:
        assert ("a" in received.faults) == (not valid)
    assert isinstance(received.content[0]["input"], dict)


def test_what_a_model_writes_has_a_limit() -> None:
    flood = message([{"type": "text", "text": "x" * (5 << 20)}])
    with pytest.raises(Transient, match="longer than"):
        from_events(events(flood, {}), Received())
