"""Faults that only OpenAI's protocol has; those that all vendors have are in `test_faults.py`."""

from __future__ import annotations

import contextlib
import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents.models import (
    ContextTooLong,
    ImageRefused,
    ModelRefused,
    ModelUnavailable,
    RequestRefused,
)
from fairground.agents.models.calling import Transient
from fairground.agents.models.openai_answer import from_events, from_response
from fairground.core import FairgroundError

from .openai_stage import openai_at
from .stage import brief, play, screen
from .wire.openai_wire import (
    OpenAIServer,
    busy,
    message,
    responds,
)
from .wire.server import Answered, Asked

pytestmark = pytest.mark.process


def test_half_a_character_is_mended_and_reaches_nobody() -> None:
    broken_words = message("so \ud83d\ude00 and \ud83d")
    with OpenAIServer([responds(broken_words)]) as server:
        turn = play(openai_at(server), kind="answer")[0]
    assert turn.thought == "so \U0001f600 and \ufffd"


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
ITEMS = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "reasoning", "computer_call", "function_call"]) | PLAIN},
    optional={name: PLAIN for name in ("content", "summary", "call_id", "name", "arguments", "actions", "status")},
)
RESPONSES = st.fixed_dictionaries(
    {"output": st.lists(ITEMS, max_size=3) | PLAIN},
    optional={name: PLAIN for name in ("status", "error", "usage", "incomplete_details")},
)


@given(RESPONSES | PLAIN)
def test_garbage_is_an_answer_or_a_typed_error(response: Any) -> None:
    try:
        answer = from_response(response)
        answer.said(), answer.thought(), answer.calls()
        json.dumps(answer.items)
    except (Transient, ModelRefused, RequestRefused, ImageRefused, ContextTooLong):
        pass


@given(st.lists(PLAIN | st.fixed_dictionaries({"type": st.sampled_from(["error", "response.completed"])}), max_size=4))
def test_garbage_in_a_stream_is_a_typed_error(events: list[Any]) -> None:
    with contextlib.suppress(Transient, FairgroundError):
        from_response(from_events(events))


@pytest.mark.parametrize("stream", [True, False])
def test_an_agent_that_is_closed_while_it_waits_asks_nothing_more(stream: bool) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def hangs(request: Asked) -> Answered:
        asked.set()
        go_on.wait(60)
        return busy()(request)

    raised: list[BaseException] = []

    def act_alone() -> None:
        try:
            agent.act(screen())
        except BaseException as error:
            raised.append(error)

    with OpenAIServer([hangs]) as server:
        agent = openai_at(server, stream=stream)
        agent.begin(brief())
        thread = threading.Thread(target=act_alone, daemon=True)
        thread.start()
        assert asked.wait(60)
        agent.close()
        go_on.set()
        thread.join(60)
    assert [type(error) for error in raised] == [ModelUnavailable] and len(server.asked) == 1
