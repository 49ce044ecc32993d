"""What the checks of the tasks share: that nothing else changed, and which number an answer names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from fairground.core import Check, State
from fairground.verify import unchanged

Row: TypeAlias = dict[str, Any]
"""One note as it was recorded."""

_UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_WORDS: Final = {word: number for number, word in enumerate(_UNITS)} | _TENS
_TOKEN: Final = re.compile(r"[-\u2212]?\d+(?:[.,]\d+)*|[^\W\d_]+")  # a number, with a minus of either kind; or a word


def guard(before: State, after: State, *, same: Callable[[Row], Row] = lambda row: row) -> Check:
    """That nothing else changed: no note, no label, not the theme.

    The order of the list may: it is a way of looking, and a sensible one for who looks for the oldest note.

    Args:
        before: As it was.
        after: As it is.
        same: Leaves out of a note what the task is about.
    """
    return unchanged("nothing else changed", _everything(before, same), _everything(after, same))


def number_in(answer: str | None) -> int | None:
    """The whole number that an answer names, in digits or in English; None when it names none, or several."""
    found = set(_numbers((answer or "").casefold()))
    (only,) = found if len(found) == 1 else (None,)
    return only


def _everything(state: State, same: Callable[[Row], Row]) -> dict[str, Any]:
    notes = {f"note {row['id']}": same(row) for row in state.get("notes")}
    return {**notes, "labels": state.get("labels"), "theme": state.get("settings")["theme"]}


def _numbers(text: str) -> Iterator[int | None]:
    """Every number of a text; None for one that is not a small whole number."""
    tens = 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        value = _WORDS.get(token)
        if tens and not (value and value < 10):  # "twenty", and then something else
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
