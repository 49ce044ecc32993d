"""Compatible servers whose answers come in pieces."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents.models.calling import Transient
from fairground.agents.models.compatible_stream import from_chunks
from fairground.core import Click, Done, Type

from .openai_stage import compatible_at
from .stage import play
from .wire.openai_wire import Behaviour, OpenAIServer, completes, stops, streams, tool_call

pytestmark = pytest.mark.process

DONE = completes("Done.")


def test_pieces_make_up_the_same_answer() -> None:
    calls = [tool_call("click", x=5, y=5), tool_call("type", text="tea")]
    script = [completes("I click.", *calls, reasoning_content="Hm."), DONE]
    with OpenAIServer(script) as server:
        agent = compatible_at(server, stream=True)
        turns = play(agent, 3)
    assert [turn.action for turn in turns] == [Click(point=(5, 5)), Type(text="tea"), Done()]
    assert turns[0].thought == "Hm.\nI click." and agent.usage.tokens == 2100
    assert server.bodies[0]["stream_options"] == {"include_usage": True} and server.complaints == []


def test_a_stream_without_counts_costs_nobody_knows_what() -> None:
    with OpenAIServer([completes("Done.", usage=None)]) as server:
        agent = compatible_at(server, "gpt-5.4-mini", stream=True)
        play(agent)
    assert (agent.usage.requests, agent.usage.dollars) == (1, None)


PASSING: dict[str, Behaviour] = {
    "cut": stops("I shall", tool_call("click", x=1, y=1), after=4),
    "ends early": stops("I shall", tool_call("click", x=1, y=1), after=4, cleanly=True),
    "nothing": streams(),
    "garbage": streams(b"data: {nonsense\n\n"),
    "a list": streams(b"data: [1]\n\n"),
    "an error": streams(b'data: {"error": {"message": "CUDA out of memory", "code": 500}}\n\n'),
}


@pytest.mark.parametrize("behaviour", PASSING.values(), ids=PASSING.keys())
def test_a_stream_that_breaks_is_tried_again(behaviour: Behaviour) -> None:
    with OpenAIServer([behaviour, DONE]) as server:
        agent = compatible_at(server, stream=True)
        assert play(agent)[0].action == Done()
    assert agent.usage.failures == 1 and server.bodies[0] == server.bodies[1]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
CALL = st.fixed_dictionaries({}, optional={"index": PLAIN, "function": st.dictionaries(st.just("name"), PLAIN)})
DELTA = st.fixed_dictionaries({}, optional={"content": PLAIN, "tool_calls": st.lists(CALL | PLAIN, max_size=2)})
CHOICE = st.fixed_dictionaries({"delta": DELTA | PLAIN}, optional={"finish_reason": PLAIN})


@given(st.lists(PLAIN | st.fixed_dictionaries({"choices": st.lists(CHOICE | PLAIN, max_size=2)}), max_size=4))
def test_garbage_is_an_answer_or_a_failure_that_may_pass(chunks: list[Any]) -> None:
    with contextlib.suppress(Transient):
        assert from_chunks(chunks)["choices"]
