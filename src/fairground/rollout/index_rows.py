"""Rows of a run's index: the allowed values of each column, and the checksum of a row.

Every row has a checksum (`seal`) over all its columns, keyed by the run's ID. It detects edited values, and rows copied
from another run's index. Indexes before format 3 have no checksums.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fairground.core import Configuration, InvalidInput, Outcome
from fairground.rollout.plan import Planned


@dataclass(frozen=True)
class Finished:
    """How an attempt ended, as stored in the index.

    Attributes:
        outcome: The outcome.
        reward: The verdict's reward. None unless the attempt was scored.
        steps: Number of actions taken.
        seconds: Time from the first frame to the end.
        tokens: Tokens used by the model. None if the agent has no model.
        cost: Cost in dollars. None if unknown.
        ended_by: Who or what ended it.
        error: What happened, for errored and invalid attempts.
        folder: Where it is recorded, relative to the run's folder.
    """

    outcome: Outcome
    reward: float | None = None
    steps: int = 0
    seconds: float = 0.0
    tokens: int | None = None
    cost: float | None = None
    ended_by: str = ""
    error: str = ""
    folder: str = ""


@dataclass(frozen=True)
class Row:
    """One planned episode of a run, with its result once it has ended.

    Attributes:
        planned: The planned episode.
        attempts: Number of attempts so far.
        finished: How it ended. None if it has not ended, or is damaged.
        damage: What is wrong with its row or folder; "" if nothing was found.
        manifest: Digest of its folder's manifest; "" if there is none.
        later: File name and digest of the newest rescored verdict, such as `verdict-...json:0123...`; "" if none.
    """

    planned: Planned
    attempts: int
    finished: Finished | None
    damage: str = ""
    manifest: str = ""
    later: str = ""


PLAN = ("number", "configuration", "rollout", "seed", "paired_with")
ENDING = ("outcome", "reward", "steps", "seconds", "tokens", "cost", "ended_by", "error", "folder")
CHECKED = ("finished", "manifest", "later")
COLUMNS = (*PLAN, "attempts", *ENDING, *CHECKED)
"""The columns covered by the checksum, in this order."""


class BadValue(Exception):
    """A value that no run writes."""

    def __init__(self, column: str, found: object, expected: str) -> None:
        shown = repr(found)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        super().__init__(f"column {column}: expected {expected}, found {shown}")
        self.column = column


def row_seal(run: str, values: Sequence[Any]) -> str:
    """Return the checksum of a row's `COLUMNS` in the index of the run with this ID."""
    return hashlib.blake2b(_as_json(list(values)).encode(), digest_size=16, key=run.encode()[:64]).hexdigest()


def matches(run: str, values: Sequence[Any], seal: object) -> bool:
    """Return whether a row matches its checksum."""
    try:
        return row_seal(run, values) == seal
    except (TypeError, ValueError):  # bytes instead of text
        return False


def make_row(values: Sequence[Any]) -> Row:
    """Return the row for values that were already checked."""
    number, configuration, rollout, seed, paired_with, attempts, outcome, *rest, _, manifest, later = values
    planned = Planned.model_construct(
        number=number, configuration=configuration, rollout=rollout, seed=seed, paired_with=paired_with
    )
    finished = None if outcome is None else Finished(_OUTCOMES[outcome], *rest)
    return Row(planned, attempts, finished, manifest=manifest or "", later=later or "")


def check_values(values: Sequence[Any]) -> None:
    """Raise `BadValue` for the first column with an invalid value."""
    row = dict(zip(COLUMNS, values, strict=True))
    check_plan(row)
    check_value("attempts", row["attempts"])
    if row["outcome"] is None:
        filled = next((name for name in ENDING if row[name] is not None), None)
        if filled is not None:
            raise BadValue(filled, row[filled], "NULL, as the episode has not ended")
    else:
        for name in ENDING:
            check_value(name, row[name])
        if row["outcome"] in ("errored", "invalid") and row["reward"] is not None:
            raise BadValue("reward", row["reward"], f"NULL for outcome {row['outcome']}")
    for name in CHECKED:
        check_value(name, row[name])


def check_plan(found: dict[str, Any]) -> None:
    """Check the columns of the plan; see `check_values`."""
    for name in PLAN:
        check_value(name, found[name])


def check_value(name: str, value: object) -> None:
    """Check one value; see `check_values`."""
    rule, expected = _RULES[name]
    if not rule(value):
        raise BadValue(name, value, expected)


def _whole(most: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and 0 <= value <= most


def _number(most: float) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int | float) and math.isfinite(value) and 0 <= value <= most


def _or_null(rule: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or rule(value)


def _text(value: object) -> bool:
    return isinstance(value, str)


def _below(value: object) -> bool:
    """Return whether a value is a path below the run's folder, or empty."""
    if not isinstance(value, str) or "\0" in value:
        return False
    return value == "" or not any(part in ("", ".", "..") for part in value.split("/"))


@lru_cache(maxsize=4096)
def _configuration(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(Configuration.from_id(value))
    except InvalidInput:
        return False


_as_json = json.JSONEncoder(separators=(",", ":")).encode  # created once: a run may have 100,000 rows
_OUTCOMES = {outcome.value: outcome for outcome in Outcome}
_ID = "a configuration such as suite/app/scenario/instance@profile/theme/ui_state"
_RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    "number": (_whole(2**62), "a whole number from 0"),
    "configuration": (_configuration, _ID),
    "rollout": (_whole(2**31), "a whole number from 0"),
    "seed": (_whole(2**63 - 1), "a whole number from 0"),
    "paired_with": (lambda value: value == "" or _configuration(value), f"nothing, or {_ID}"),
    "attempts": (_whole(1_000_000), "a whole number from 0 to 1,000,000"),
    "outcome": (lambda value: isinstance(value, str) and value in _OUTCOMES, ", ".join(_OUTCOMES)),
    "reward": (_or_null(_number(1)), "a number from 0 to 1, or NULL"),
    "steps": (_whole(10**9), "a whole number from 0"),
    "seconds": (_number(1e10), "a number from 0 to 10 billion"),
    "tokens": (_or_null(_whole(10**15)), "a whole number from 0, or NULL"),
    "cost": (_or_null(_number(1e12)), "a number from 0, or NULL"),
    "ended_by": (_text, "a text in UTF-8"),
    "error": (_text, "a text in UTF-8"),
    "folder": (_below, "a path below the run's folder"),
    "finished": (_or_null(_text), "a text in UTF-8, or NULL"),
    "manifest": (_or_null(_text), "a text in UTF-8, or NULL"),
    "later": (_or_null(_text), "a text in UTF-8, or NULL"),
}
