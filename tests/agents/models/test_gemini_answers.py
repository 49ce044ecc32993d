"""Answers in pieces: gathered exactly, or not taken for an answer."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents.models.calling import Transient
from fairground.agents.models.gemini_answers import Received, from_chunks

from .test_calling import PLAIN

TEXT = st.text().map(lambda words: words.encode("utf-16", "ignore").decode("utf-16"))
PARTS = st.lists(
    st.fixed_dictionaries({"text": TEXT}, optional={"thought": st.just(True), "thought_signature": st.binary()})
    | st.fixed_dictionaries(
        {
            "function_call": st.fixed_dictionaries(
                {"name": st.sampled_from(["click", "type"])}, optional={"args": st.dictionaries(TEXT, st.integers())}
            )
        },
        optional={"thought_signature": st.binary()},
    ),
    max_size=6,
)
CHUNKS = st.lists(
    PLAIN
    | st.fixed_dictionaries(
        {},
        optional={
            "candidates": PLAIN
            | st.lists(
                PLAIN
                | st.fixed_dictionaries(
                    {},
                    optional={
                        "content": PLAIN | st.fixed_dictionaries({"parts": PLAIN | st.lists(PLAIN | PARTS)}),
                        "finish_reason": PLAIN | st.just("STOP"),
                        "finish_message": PLAIN,
                    },
                ),
                max_size=2,
            ),
            "prompt_feedback": PLAIN | st.fixed_dictionaries({"block_reason": PLAIN}),
            "usage_metadata": PLAIN,
        },
    ),
    max_size=4,
)


def chunk(parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": parts}, **more}]}


def words(parts: list[dict[str, Any]], thought: bool) -> str:
    return "".join(part.get("text") or "" for part in parts if bool(part.get("thought")) == thought)


@given(PARTS)
def test_pieces_gather_to_what_comes_at_once_and_nothing_signed_is_touched(parts: list[dict[str, Any]]) -> None:
    streamed, whole = Received(), Received()
    from_chunks([*(chunk([part]) for part in parts), chunk([], finish_reason="STOP")], streamed)
    from_chunks([chunk(parts, finish_reason="STOP")], whole)
    assert streamed == whole
    for kept in ("thought_signature", "function_call"):
        assert [part for part in streamed.parts if kept in part] == [part for part in parts if kept in part]
    assert [words(streamed.parts, kind) for kind in (True, False)] == [words(parts, kind) for kind in (True, False)]


@given(PARTS)
def test_an_answer_without_its_end_is_none(parts: list[dict[str, Any]]) -> None:
    with pytest.raises(Transient, match="ended before"):
        from_chunks([chunk([part]) for part in parts], Received())


@given(CHUNKS)
def test_nonsense_is_transient_and_nothing_else(stream: list[Any]) -> None:
    received = Received()
    with contextlib.suppress(Transient):
        from_chunks(stream, received)
        assert received.finish_reason or received.blocked
    assert received.tokens.total >= 0
    assert all(isinstance(part, dict) for part in received.parts)


def test_a_part_that_is_only_a_signature_gets_the_text_that_the_server_wants_with_it() -> None:
    received = Received()
    from_chunks([chunk([{"thought_signature": b"s"}, {}, {"thought": True}], finish_reason="STOP")], received)
    assert received.parts == [{"text": "", "thought_signature": b"s"}]


def test_counts_are_the_last_that_came() -> None:
    received = Received()
    usages = [{"prompt_token_count": 10}, {"prompt_token_count": 10, "candidates_token_count": 3}]
    from_chunks([chunk([], finish_reason="STOP") | {"usage_metadata": usage} for usage in usages], received)
    assert (received.tokens.input, received.tokens.output) == (10, 3)


def test_what_a_model_writes_has_a_limit() -> None:
    for flood in ({"text": "x" * (5 << 20)}, {"function_call": {"name": "type", "args": {"text": "x" * (5 << 20)}}}):
        with pytest.raises(Transient, match="longer than"):
            from_chunks([chunk([flood], finish_reason="STOP")], Received())
    with pytest.raises(Transient, match="parts"):
        from_chunks([chunk([{"function_call": {"name": "wait"}}] * 10_001, finish_reason="STOP")], Received())


def test_what_the_server_says_about_the_end_is_kept() -> None:
    received = Received()
    from_chunks([chunk([], finish_reason="RECITATION", finish_message="Too close.")], received)
    assert (received.finish_reason, received.finish_message) == ("RECITATION", "Too close.")
