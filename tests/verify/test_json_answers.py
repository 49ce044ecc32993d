"""JSON objects in what models say."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.verify import UnreadableAnswer, read_json_answer


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": "}"}}',
        'Here it is:\n```json\n{"a": {"b": "}"}}\n```\nThat is all.',
        'A set {x} of things.\n```\n{"a": {"b": "}"}}\n```',
        'I found this: {"a": {"b": "}"}}, as you asked.',
        '```json {"a": {"b": "}"}} ```',
    ],
)
def test_an_object_is_found_bare_fenced_or_between_sentences(text: str) -> None:
    assert read_json_answer(text) == {"a": {"b": "}"}}


def test_a_fence_inside_a_string_is_part_of_the_string() -> None:
    value = {"quote": "```json\n{}\n```"}
    assert read_json_answer("```json\n" + json.dumps(value, indent=1) + "\n```") == value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "found none"),
        ("I would rather not.", "found none"),
        ("[1, 2]", "found none"),
        ('{"a": 1} {"a": 2}', "found 2"),
        ('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', "found 2"),
        ('{"a": [1, 2', "breaks off"),
        ('{"a": "never closed}', "breaks off"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": NaN}', "not a number"),
        ("{'a': __import__('os')}", "not valid JSON"),
        ('{"a": ' * 60 + "1" + "}" * 60, "nested"),
        ('{"a": ' + "[" * 60_000 + "]" * 60_000 + "}", "not valid JSON"),
        ('{"a": "' + "x" * 200_000 + '"}', "characters"),
    ],
)
def test_anything_else_is_an_error_that_says_what_was_found(text: str, complaint: str) -> None:
    with pytest.raises(UnreadableAnswer, match=complaint):
        read_json_answer(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), values), st.sampled_from([None, 2]), st.booleans())
def test_every_object_comes_back_as_it_was_written(value: dict[str, object], indent: int | None, fenced: bool) -> None:
    written = json.dumps(value, indent=indent)
    text = f"So:\n```json\n{written}\n```" if fenced else f"So: {written}."
    assert read_json_answer(text) == value


@given(st.text(alphabet='{}[]":\\,ab1` \n', max_size=60))
def test_no_text_makes_it_fail_otherwise(text: str) -> None:
    with contextlib.suppress(UnreadableAnswer):
        assert isinstance(read_json_answer(text), dict)
