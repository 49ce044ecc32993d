"""Checks: what passes, what does not, and the evidence they leave."""

from __future__ import annotations

import json
import math
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import StateError, Verdict
from fairground.verify.checks import MAX_EVIDENCE, close_to, contains, equal, holds, plain, readable, unchanged


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (1, True),
        (1, "1"),
        (0, False),
        (0, None),
        ("a", "A"),
        ([1], [True]),
        ({"a": 1}, {"a": 1, "b": 2}),
        (1, math.nan),
    ],
)
def test_what_only_looks_alike_is_not_equal(expected: Any, found: Any) -> None:
    assert not equal("same", expected, found).passed


def test_equal_numbers_are_equal_whatever_their_type() -> None:
    assert equal("same", 1, 1.0).passed
    assert equal("same", [1, {"a": (2,)}], [1.0, {"a": [2]}]).passed


@pytest.mark.parametrize("found", [math.nan, math.inf, True, "10", None, 10.1])
def test_only_a_finite_number_is_close_to_one(found: Any) -> None:
    assert not close_to("near", 10, found, within=0.01).passed
    assert close_to("near", 10, 10.009, within=0.01).passed
    assert close_to("near", 1e12, 1e12 + 1e-4).passed


def test_contains_looks_into_texts_and_collections_only() -> None:
    assert contains("in", "Total", "the total", ignore_case=True).passed
    assert not contains("in", "Total", "the total").passed
    assert contains("in", 2, [1, 2]).passed
    assert not contains("in", 1, [True]).passed
    assert not contains("in", "x", None).passed
    assert not contains("in", "x", 5).passed


def test_a_change_elsewhere_makes_the_reward_nothing() -> None:
    before = {"a": 1, "b": 2, "c": 3}
    guard = unchanged("the rest", before, {"a": 1, "b": 5, "d": 4}, allowed=("b",))
    assert not guard.passed and guard.integrity and guard.weight == 0
    assert guard.found == {
        "differences": 2, "first": {"c": {"before": 3, "after": None}, "d": {"before": None, "after": 4}}
    }  # fmt: skip
    assert Verdict.of([equal("right", 1, 1), guard]).reward == 0
    assert unchanged("the rest", before, {**before, "b": 9}, allowed=("b",)).passed


def test_thousands_of_changes_leave_short_evidence() -> None:
    guard = unchanged("the rest", {}, {str(number): "x" * 10_000 for number in range(5_000)})
    assert guard.found["differences"] == 5_000
    assert len(json.dumps(guard.found)) < 3 * MAX_EVIDENCE


def test_an_unreadable_file_fails_with_its_reason() -> None:
    assert readable("opens", None).passed
    failed = readable("opens", StateError("not a zip container"))
    assert (failed.passed, failed.found, failed.integrity) == (False, "not a zip container", True)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner),
)


@given(anything)
def test_evidence_is_always_short_json(value: Any) -> None:
    text = json.dumps(plain(value), allow_nan=False)
    assert len(text) <= 8 * MAX_EVIDENCE
    check = holds("seen", True, expected=value, found=value)
    assert check.parse(json.loads(check.model_dump_json())).passed


def test_evidence_of_odd_values_says_what_they_were() -> None:
    assert plain(math.nan) == "nan"
    assert plain(date(2024, 2, 29)) == "2024-02-29"
    assert plain(b"\0" * 9) == "9 bytes"
    assert plain("\ud800") == "\\ud800"
    assert plain(10**400) == "a huge integer"
