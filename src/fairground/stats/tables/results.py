"""Meaning of external results: words and numbers as outcomes, and handling of missing results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput, Outcome, unknown
from fairground.stats.tables.synonyms import short
from fairground.stats.tables.table import FAILED, OUTCOMES, PASSED, Names

MISSING, UNKNOWN, NUMBER, SKIP = -1, -2, -3, -4
"""Codes of values that are not an outcome: missing; an unknown word; a number other than 0 and 1; a value whose rows
are left out.
"""

CHOICES = ("errored", "failed", "skip")
"""What can be done with an episode without a result."""

MISSING_FIX = (
    "use --missing errored (not scored, counted separately: the harness failed), --missing failed (scored as failures, "
    "which lowers the score) or --missing skip (left out: the score is about the other rows only); in Python: "
    "missing='errored'"
)

_STANDARD = {outcome.value: code for code, outcome in enumerate(OUTCOMES)} | {
    **{"true": PASSED, "yes": PASSED, "false": FAILED, "no": FAILED, "": MISSING},
}
_WORDS = _STANDARD | {
    **dict.fromkeys(("pass", "success", "successful", "succeeded", "solved", "resolved", "correct"), PASSED),
    **dict.fromkeys(("t", "y", "c"), PASSED),  # Inspect writes C and I for correct and incorrect
    **dict.fromkeys(("fail", "failure", "unsuccessful", "unsolved", "unresolved", "incorrect", "wrong"), FAILED),
    **dict.fromkeys(("not passed", "not solved", "not resolved", "not successful", "f", "n", "i"), FAILED),
    **dict.fromkeys(("✓", "✔", "✅"), PASSED),
    **dict.fromkeys(("✗", "✘", "❌"), FAILED),
    "error": OUTCOMES.index(Outcome.ERRORED),
    **dict.fromkeys(("nan", "na", "n/a", "<na>", "null", "none", "-", "--"), MISSING),
}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"([+-]?\d+),(\d+)", re.ASCII)
_SHOWN = 8


@dataclass(frozen=True)
class ResultRules:
    """User options for interpreting the results in a table.

    Attributes:
        success_at: Minimum reward of a success, if no column says which episodes are successes.
        reward_max: The highest reward: 100 for scores in percent. Rewards are divided by it.
        values: What words mean: `{"timeout": "failed"}`. An outcome, or `skip` to leave out those rows.
        missing: What an episode without a result is: one of `CHOICES`. If None, it is an error.
        decimal_comma: Whether `0,5` is a number, as in files with semicolons as separators.

    Raises:
        InvalidInput: If an option is invalid.
    """

    success_at: float | None = None
    reward_max: float = 1.0
    values: Mapping[str, str] = field(default_factory=dict)
    missing: str | None = None
    decimal_comma: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.reward_max < float("inf"):
            raise InvalidInput(
                f"reward_max: expected a number above 0, got {self.reward_max:g}", fix="use 100, for example"
            )
        if self.success_at is not None and not 0 < self.success_at <= self.reward_max:
            raise InvalidInput(
                f"success_at: expected a reward above 0 and up to {self.reward_max:g}, got {self.success_at:g}",
                fix=f"use {self.reward_max:g} to count only full rewards as successes",
            )
        if self.missing is not None and self.missing not in CHOICES:
            raise unknown("choice for missing results", self.missing, CHOICES)
        for meaning in self.values.values():
            if meaning not in (*OUTCOMES, "skip"):
                raise unknown("meaning of a result", meaning, (*OUTCOMES, "skip"))

    def code(self, value: str, *, rewards: bool = False) -> int:
        """Return an index into `OUTCOMES`, or one of the codes above. Numbers are booleans, unless they are rewards."""
        meaning = self.values.get(value, self.values.get(_plain(value)))
        if meaning is not None:
            return SKIP if meaning == "skip" else OUTCOMES.index(Outcome(meaning))
        number = number_of(value, decimal_comma=self.decimal_comma)
        if number is not None:
            return {0.0: FAILED, self.reward_max if rewards else 1.0: PASSED}.get(number, NUMBER)
        return _WORDS.get(_plain(value), UNKNOWN)

    def codes(self, column: Names, *, rewards: bool = False) -> NDArray[np.int8]:
        """Return the code of each row."""
        return np.array([self.code(value, rewards=rewards) for value in column.values], dtype=np.int8)[column.codes]

    def readable(self, values: Iterable[str], *, numbers: bool) -> bool:
        """Return whether these values can be results: all are understood, and not all are missing."""
        codes = {self.code(value) for value in values} - {MISSING}
        return bool(codes) and UNKNOWN not in codes and (numbers or NUMBER not in codes)


def number_of(text: str, *, decimal_comma: bool = False) -> float | None:
    """Return the number in a text: `0.5`, `85%`, and `0,5` with decimal commas; otherwise None."""
    digits = text.strip()
    scale = 0.01 if digits.endswith("%") else 1.0
    digits = digits.removesuffix("%").rstrip()
    if decimal_comma:
        digits = _COMMA.sub(r"\1.\2", digits) if _COMMA.fullmatch(digits) else digits
    return float(digits) * scale if _NUMBER.fullmatch(digits) else None


def is_missing(text: str) -> bool:
    """Return whether a text stands for a missing value."""
    return _WORDS.get(_plain(text)) == MISSING


def explained(column: Names, codes: NDArray[np.int8]) -> str:
    """Return what the words of a column were read as; empty if they are our own."""
    if all(value.lower() in _STANDARD or number_of(value) is not None for value in column.values):
        return ""
    counts = np.bincount(column.codes, minlength=len(column.values))
    meaning = np.full(len(column.values), MISSING)
    meaning[column.codes] = codes
    parts = []
    for place in np.argsort(-counts, kind="stable").tolist():
        code = int(meaning[place])
        if code != MISSING and counts[place]:
            word = "left out" if code == SKIP else OUTCOMES[code].value
            parts.append(f"{short(column.values[place])!r} {word} ({counts[place]:,})")
    return ", ".join(parts[:_SHOWN]) + (f", and {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else "")


def _plain(value: str) -> str:
    return re.sub(r"[\s_]+", " ", value.strip().lower())
