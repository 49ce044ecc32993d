"""Rows that contain several episodes: one column per agent, rollout or scenario; or counts of passed attempts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.tables.arrays import numbers_of
from fairground.stats.tables.synonyms import bare, listed
from fairground.stats.tables.table import as_text

KINDS = ("agent", "rollout", "scenario")
"""What the columns of a wide table can be."""

RESULT = "result of one episode"
"""Name of the column that results are put into."""

_ATTEMPT = re.compile(r"(trial|attempt|run|rollout|repeat|repetition|rep|try|seed|sample|epoch)[ _-]?#?\d+", re.I)
_COUNTS = tuple(f"{start}{{}}{end}" for start, end in (("n_", ""), ("num_", ""), ("", "_count"), ("", "")))
_PASSED = [form.format(word) for word in ("passed", "passes", "success", "successes") for form in _COUNTS[:3]] + [
    *(form.format(word) for word in ("resolved", "solved", "correct") for form in _COUNTS[:3]),
    *("passes", "successes"),
]
_TRIALS = [form.format(word) for word in ("trials", "attempts", "runs", "samples", "rollouts") for form in _COUNTS]
_MOST = 10_000  # maximum number of attempts per row

Batch = Mapping[str, pa.ChunkedArray]


class Unfolding:
    """Turns batches of rows with several episodes into batches with one row per episode.

    Args:
        columns: The columns that the results come from.
        said: How they were interpreted, for a note.
    """

    def __init__(self, columns: Sequence[str], said: str) -> None:
        self.columns, self.said = tuple(columns), said
        self._origins: list[NDArray[np.int64]] = []
        self._rows = 0

    def melt(self, batch: Batch) -> dict[str, pa.ChunkedArray]:
        """Return the rows of a batch, one per episode."""
        raise NotImplementedError

    def source(self, row: int) -> tuple[int, str]:
        """Return the row of the table that an episode comes from, and the column of its result."""
        for origins in self._origins:
            if row < len(origins):
                return int(origins[row]), self.columns[row * len(self.columns) // len(origins)]
            row -= len(origins)
        raise IndexError(row)

    def _remember(self, rows: NDArray[np.int64], size: int) -> None:
        self._origins.append(rows + self._rows)
        self._rows += size


class Wide(Unfolding):
    """One column per agent, rollout or scenario.

    Args:
        columns: The columns that contain results.
        kind: What their names are: one of `KINDS`.
    """

    def __init__(self, columns: Sequence[str], kind: str) -> None:
        super().__init__(columns, f"{listed(map(repr, columns))} contain the results of one {kind} each")
        self._kind = kind

    def melt(self, batch: Batch) -> dict[str, pa.ChunkedArray]:
        """Return the rows once for each of the columns."""
        size, times = len(batch[self.columns[0]]), len(self.columns)
        self._remember(np.tile(np.arange(size), times), size)
        melted = {
            name: pa.chunked_array(values.chunks * times, values.type)
            for name, values in batch.items()
            if name not in self.columns
        }
        results = [as_text(batch[name], f"column {name!r}") for name in self.columns]
        melted[RESULT] = pa.chunked_array([chunk for values in results for chunk in values.chunks], pa.string())
        melted[self._kind] = pa.chunked_array([pa.array(np.repeat(list(self.columns), size), pa.string())])
        return melted


class Counted(Unfolding):
    """Counts of passed attempts.

    Args:
        passed: The column with the number of passed attempts.
        trials: The column with the number of attempts.
    """

    def __init__(self, passed: str, trials: str) -> None:
        super().__init__((passed,), f"{passed!r} of {trials!r} attempts passed")
        self._passed, self._trials = passed, trials

    def melt(self, batch: Batch) -> dict[str, pa.ChunkedArray]:
        """Return the rows once for each attempt."""
        passed, trials = (_whole(batch[name], name) for name in (self._passed, self._trials))
        wrong = np.flatnonzero((passed > trials) | (trials > _MOST))
        if len(wrong):
            row = int(wrong[0])
            raise InvalidInput(
                f"row {self._rows + row + 1}: {passed[row]} of {trials[row]} attempts passed",
                fix=f"correct it: at most all attempts can pass, and at most {_MOST:,} attempts per row are supported",
            )
        rows = np.repeat(np.arange(len(trials)), trials)
        self._remember(rows, len(trials))
        number = np.arange(len(rows)) - np.repeat(np.cumsum(trials) - trials, trials)
        taken = pa.array(rows)
        melted = {
            name: values.take(taken) for name, values in batch.items() if name not in (self._passed, self._trials)
        }
        words = np.where(number < passed[rows], "passed", "failed")
        melted[RESULT] = pa.chunked_array([pa.array(words, pa.string())])
        return melted


def attempts(columns: Sequence[str]) -> list[str]:
    """Return columns such as `trial_1` and `trial_2`, which contain results of attempts; none if there is only one."""
    tries = [name for name in columns if _ATTEMPT.fullmatch(name.strip())]
    return tries if len(tries) > 1 else []


def counts(batch: Batch, columns: Sequence[str]) -> Counted | None:
    """Return the columns with the number of passed attempts and of attempts, if they exist."""
    passed = [name for name in columns if bare(name) in _PASSED]
    trials = [name for name in columns if bare(name) in _TRIALS]
    if len(passed) != 1 or len(trials) != 1:
        return None
    try:
        for name in (*passed, *trials):
            _whole(batch[name], name)
    except InvalidInput:
        return None
    return Counted(passed[0], trials[0])


def _whole(values: pa.ChunkedArray, name: str) -> NDArray[np.int64]:
    numbers, wrong = numbers_of(values, decimal_comma=False)
    if wrong is not None or not (numbers >= 0).all() or (numbers % 1).any():
        raise InvalidInput(f"column {name!r}: expected integers of 0 or more", fix="correct it, or drop it")
    return numbers.astype(np.int64)
