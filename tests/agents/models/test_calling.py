"""Trying again: as the server says, else twice as long each time, and never without end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents.models import ModelUnavailable, RetryPolicy
from fairground.agents.models.calling import Caller, Transient
from fairground.agents.models.hints import retry_hint

from .stage import Time

NOW = datetime(2026, 11, 16, 12, 0, 0, tzinfo=UTC)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(), parts, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "7"}, None, 7),
        ({"retry-after": "0.5"}, None, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, None, 0.25),
        ({"retry-after": "Mon, 16 Nov 2026 12:00:30 GMT"}, None, 30),
        ({"retry-after": "Mon, 16 Nov 2026 11:00:00 GMT"}, None, 0),
        ({"retry-after": "later"}, None, None),
        ({"retry-after": "-3"}, None, None),
        ({"retry-after": "inf"}, None, None),
        ({}, {"error": {"message": "Rate limit reached. Please try again in 1.5s. Visit..."}}, 1.5),
        ({}, {"error": {"message": "Please try again in 20ms."}}, 0.02),
        ({}, {"error": {"details": [{"@type": "x"}, {"retryDelay": "17s"}]}}, 17),
        ({}, {"error": {"details": [{"retryDelay": "soon"}], "message": "no"}}, None),
        ({}, "<html>", None),
        ({}, None, None),
    ],
)
def test_hints_are_found_where_vendors_put_them(headers: dict[str, str], body: Any, seconds: float | None) -> None:
    assert retry_hint(headers, body, now=NOW) == seconds


@given(
    st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "date"]), st.text()),
    PLAIN | st.fixed_dictionaries({"error": PLAIN | st.fixed_dictionaries({"details": PLAIN, "message": PLAIN})}),
)
def test_nonsense_is_no_hint_and_no_error(headers: dict[str, str], body: Any) -> None:
    found = retry_hint(headers, body, now=NOW)
    assert found is None or found >= 0


def failing(times: int, after: float | None = None) -> Callable[[], str]:
    left = iter([Transient("busy", after)] * times)

    def send() -> str:
        for failure in left:
            raise failure
        return "answer"

    return send


def test_waits_double_up_to_the_longest() -> None:
    time = Time()
    policy = RetryPolicy(attempts=6, first=1, longest=5, seconds=100)
    assert Caller(policy, time.pace(), model="m").call(failing(5)) == "answer"
    assert time.waits == [1, 2, 4, 5, 5]


def test_chance_shortens_a_wait_by_up_to_a_half_but_not_what_the_server_asked_for() -> None:
    from dataclasses import replace

    time = Time()
    pace = replace(time.pace(), chance=lambda: 1.0)
    Caller(RetryPolicy(first=4), pace, model="m").call(failing(2))
    Caller(RetryPolicy(first=4), pace, model="m").call(failing(1, after=3))
    assert time.waits == [2, 4, 3]


@pytest.mark.parametrize("policy", [RetryPolicy(attempts=3), RetryPolicy(attempts=100, seconds=5)])
def test_a_spent_budget_says_what_happened_last(policy: RetryPolicy) -> None:
    time = Time()
    with pytest.raises(ModelUnavailable, match="m gave no answer in 3 attempts.*the last failure: busy"):
        Caller(policy, time.pace(), model="m").call(failing(200))
    assert time.now <= policy.seconds


def test_every_failure_is_told_and_other_errors_pass_through() -> None:
    told: list[str] = []
    caller = Caller(RetryPolicy(), Time().pace(), model="m")
    caller.call(failing(2), lambda failure: told.append(failure.what))
    assert told == ["busy", "busy"]

    def broken() -> None:
        raise KeyError("ours")

    with pytest.raises(KeyError):
        caller.call(broken)
