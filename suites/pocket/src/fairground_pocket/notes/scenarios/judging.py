"""Shared parts of the tasks' checks: the guard, and the number that an answer names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from fairground.core import Check, State
from fairground.verify import unchanged

Row: TypeAlias = dict[str, Any]
"""A recorded note."""

_UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_WORDS: Final = {word: number for number, word in enumerate(_UNITS)} | _TENS
_TOKEN: Final = re.compile(r"[-\u2212]?\d+(?:[.,]\d+)*|[^\W\d_]+")  # a number with either kind of minus sign, or a word


def guard(before: State, after: State, *, same: Callable[[Row], Row] = lambda row: row) -> Check:
    """Checks that nothing else changed: no note, no label, not the theme.

    The sort order of the list may change: sorting is a sensible way to look for the oldest note.

    Args:
        before: The state before the episode.
        after: The state after it.
        same: Removes from a note what the task changes.
    """
    return unchanged("nothing else changed", _everything(before, same), _everything(after, same))


def number_in(answer: str | None) -> int | None:
    """The whole number that an answer names, in digits or in English; None if it names none or several."""
    numbers = set(_numbers((answer or "").casefold()))
    (only,) = numbers if len(numbers) == 1 else (None,)
    return only


def _everything(state: State, same: Callable[[Row], Row]) -> dict[str, Any]:
    notes = {f"note {row['id']}": same(row) for row in state.get("notes")}
    return {**notes, "labels": state.get("labels"), "theme": state.get("settings")["theme"]}


def _numbers(text: str) -> Iterator[int | None]:
    """All numbers of a text; None for each that is not a small whole number."""
    tens = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        value = _WORDS.get(token)
        if tens and not (value and value < 10):  # "twenty" without a digit word after it
            yield tens
        elif tens and value:
            value, tens = tens + value, 0
        tens = 0
        if token in _TENS:
            tens = _TENS[token]
        elif value is not None:
            yield value
        elif token in ("hundred", "thousand"):
            yield None
        elif not token.isalpha():
            yield _whole(token)
    if tens:
        yield tens


def _whole(digits: str) -> int | None:
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", digits)
    plain = re.sub(r"\.0+$", "", plain).replace("\u2212", "-")
    return int(plain) if re.fullmatch(r"-?\d{1,9}", plain) else None
