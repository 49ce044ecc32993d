"""How columns from outside become a `Table`: checked batch by batch, with row and column of what is wrong."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairground.core import InvalidInput, Outcome, unknown
from fairground.stats.table import FAILED, NAMES, NUMBERS, OUTCOMES, PASSED, Names, Table, row_keys

ALIASES = {
    "agent": ("model", "policy", "system"),
    "condition": ("setting", "variant"),
    "app": ("domain", "application", "environment", "category"),
    "scenario": ("task", "task_id", "task_name", "task_template", "goal", "example_id"),
    "instance": ("seed", "params", "instance_id"),
    "rollout": ("trial", "attempt", "run", "repeat"),
    "success": ("passed", "correct", "is_successful", "solved"),
    "reward": ("score", "result"),
    "seconds": ("time", "duration", "elapsed"),
    "cost": ("usd", "price"),
}
"""What others call our columns. Only for advice: a column is never guessed."""

_TRUTHS = {"1": 1, "1.0": 1, "true": 1, "yes": 1, "0": 0, "0.0": 0, "false": 0, "no": 0, "": -1}
_OUTCOME_COLUMN, _SUCCESS_COLUMN = "outcome", "success"
_CODED = (*NAMES, _OUTCOME_COLUMN, _SUCCESS_COLUMN)


def table_of(columns: Mapping[str, Iterable[Any]], *, success_at: float | None = None) -> Table:
    """A table from columns: lists, arrays, or anything that Arrow takes.

    Args:
        columns: By name; `scenario` and one of `success`, `outcome` and `reward` must be among them.
        success_at: The reward from which on an episode counts as a success, where the table does not say.
    """
    intake = Intake("table", success_at=success_at)
    arrays = {name: _array(values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"columns are not of one length: {lengths}")
    intake.add(arrays)
    return intake.finish()


def table_from_rows(rows: Iterable[Mapping[str, Any]], *, success_at: float | None = None) -> Table:
    """A table from records; what a record does not have is missing."""
    found = list(rows)
    columns = dict.fromkeys(name for row in found for name in row)
    return table_of({name: [row.get(name) for row in found] for name in columns}, success_at=success_at)


class Intake:
    """Takes batches of columns, and makes a table of them.

    Args:
        source: What messages call the table, such as its file.
        rename: What the table's own columns are called here: `{"model": "agent"}`.
        success_at: The reward from which on an episode counts as a success.
        row: What a row is called in messages: "row" or "line".
        first: The number of the first row.
    """

    def __init__(
        self,
        source: str,
        *,
        rename: Mapping[str, str] | None = None,
        success_at: float | None = None,
        row: str = "row",
        first: int = 1,
    ) -> None:
        self._source, self._row, self._first = source, row, first
        self._rename = dict(rename or {})
        self._success_at = success_at
        self._columns: tuple[str, ...] | None = None
        self._codes: dict[str, _Codes] = {}
        self._numbers: dict[str, list[NDArray[np.float64]]] = {}
        self._extra: dict[str, list[pa.Array]] = {}
        self._length = 0

    def add(self, batch: Mapping[str, pa.ChunkedArray]) -> None:
        """One batch; every batch has the same columns."""
        if self._columns is None:
            self._begin(tuple(batch))
        for name, values in batch.items():
            ours = self._rename.get(name, name)
            if ours in self._codes:
                self._codes[ours].add(values)
            elif ours in self._numbers:
                self._numbers[ours].append(self._read_numbers(name, ours, values))
            else:
                self._extra[ours].extend(values.chunks)
        self._length += len(next(iter(batch.values()))) if batch else 0

    def finish(self) -> Table:
        """The table of all batches."""
        if self._columns is None or not self._length:
            raise InvalidInput(f"{self._source}: no episode in it", fix="one row an episode, under a header")
        numbers = {name: np.concatenate(parts) for name, parts in self._numbers.items()}
        names = {name: self._codes[name].finish() if name in self._codes else _same(self._length) for name in NAMES}
        self._refuse_empty(names["scenario"], "scenario")
        if "agent" in self._codes:
            self._refuse_empty(names["agent"], "agent")
        outcome = self._read_outcomes(numbers.get("reward"))
        self._refuse_twice(names)
        extra = {name: pa.chunked_array(parts) for name, parts in self._extra.items()}
        return Table(names, outcome, numbers, extra, self._source)

    def _begin(self, columns: tuple[str, ...]) -> None:
        self._columns = columns
        for name in self._rename:
            if name not in columns:
                raise unknown(f"column of {self._source}", name, columns)
        ours = [self._rename.get(name, name) for name in columns]
        for name in ours:
            if ours.count(name) > 1:
                raise InvalidInput(f"{self._source}: column {name!r} is there twice", fix="rename or drop one of them")
        if "scenario" not in ours:
            raise self._lacks("scenario", columns)
        if not {"success", "outcome", "reward"} & set(ours):
            raise self._lacks("success", columns)
        for name in ours:
            if name in _CODED:
                self._codes[name] = _Codes()
            elif name in NUMBERS:
                self._numbers[name] = []
            else:
                self._extra[name] = []

    def _lacks(self, name: str, columns: tuple[str, ...]) -> InvalidInput:
        lower = {column.lower(): column for column in columns}
        near = [lower[alias] for alias in (name, *ALIASES.get(name, ())) if alias in lower]
        near += [column for column in difflib.get_close_matches(name, columns, cutoff=0.6) if column not in near]
        wanted = "column 'success', 'outcome' or 'reward'" if name == "success" else f"column {name!r}"
        fix = f"if it is {near[0]!r}: rename {near[0]}={name}" if near else "one row an episode; see docs/statistics"
        return InvalidInput(f"{self._source}: no {wanted}; it has {', '.join(columns) or 'no columns'}", fix=fix)

    def _at(self, row: int, column: str) -> str:
        return f"{self._source}, {self._row} {row + self._first}, column {self._theirs(column)!r}"

    def _theirs(self, column: str) -> str:
        return next((theirs for theirs, ours in self._rename.items() if ours == column), column)

    def _refuse_empty(self, column: Names, name: str) -> None:
        if "" in column.values:
            row = int(np.flatnonzero(column.codes == column.values.index(""))[0])
            raise InvalidInput(f"{self._at(row, name)}: empty", fix=f"every episode needs its {name}")

    def _read_numbers(self, theirs: str, name: str, values: pa.ChunkedArray) -> NDArray[np.float64]:
        texts = values.type in (pa.string(), pa.large_string())
        column = values
        if texts:
            column = pc.utf8_trim_whitespace(values)
            column = pc.if_else(pc.equal(column, ""), None, column)
        try:
            found = column.cast(pa.float64())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            found = None
        if found is None:
            for row, value in enumerate(column.to_pylist()):
                if not _is_number(value):
                    raise InvalidInput(f"{self._at(self._length + row, theirs)}: expected a number, got {value!r}")
            raise InvalidInput(f"{self._source}, column {theirs!r}: expected numbers, got {values.type}")
        numbers = np.array(found.fill_null(np.nan).to_numpy(), dtype=np.float64)
        given = np.array(found.is_valid().to_numpy(), dtype=bool)
        highest = 1.0 if name == "reward" else np.inf
        wrong = given & ~((numbers >= 0) & (numbers <= highest) & np.isfinite(numbers))
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            wanted = "a number from 0 to 1" if name == "reward" else "a number that is not negative"
            raise InvalidInput(f"{self._at(self._length + row, theirs)}: expected {wanted}, got {numbers[row]:g}")
        return numbers

    def _read_outcomes(self, reward: NDArray[np.float64] | None) -> NDArray[np.int8]:
        success = self._read_success()
        if "outcome" not in self._codes:
            return self._from_success(success, reward)
        column = self._codes["outcome"].finish()
        meaning = np.array([_outcome(value) for value in column.values], dtype=np.int8)
        outcome: NDArray[np.int8] = meaning[column.codes]
        if (outcome == -2).any():
            row = int(np.flatnonzero(outcome == -2)[0])
            found = column.name(row)
            raise InvalidInput(
                f"{self._at(row, 'outcome')}: expected {', '.join(OUTCOMES)}, got {found!r}",
                fix=unknown("outcome", found.lower(), OUTCOMES).fix,
            )
        if (outcome == -1).any():  # empty: the other columns must say
            silent = outcome == -1
            told = self._from_success(success, reward, needed=silent)
            outcome = np.where(silent, told, outcome).astype(np.int8)
        if success is not None:
            clash = ((success == 1) & (outcome != PASSED)) | ((success == 0) & (outcome == PASSED))
            if clash.any():
                row = int(np.flatnonzero(clash)[0])
                raise InvalidInput(
                    f"{self._at(row, 'success')}: {bool(success[row])}, but the outcome is {OUTCOMES[outcome[row]]}",
                    fix="correct one of the two columns, or drop it",
                )
        return outcome

    def _read_success(self) -> NDArray[np.int8] | None:
        if "success" not in self._codes:
            return None
        column = self._codes["success"].finish()
        meaning = np.array([_TRUTHS.get(value.lower(), -2) for value in column.values], dtype=np.int8)
        success: NDArray[np.int8] = meaning[column.codes]
        if (success == -2).any():
            row = int(np.flatnonzero(success == -2)[0])
            found = column.name(row)
            partial = _is_number(found) and 0 < float(found) < 1
            raise InvalidInput(
                f"{self._at(row, 'success')}: expected true or false (or 1 or 0), got {found!r}",
                fix=f"rename {self._theirs('success')}=reward, and say from which reward on it is a success"
                if partial
                else None,
            )
        return success

    def _from_success(
        self,
        success: NDArray[np.int8] | None,
        reward: NDArray[np.float64] | None,
        needed: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int8]:
        """Outcomes where no column names them."""
        needed = np.ones(self._length, dtype=bool) if needed is None else needed
        if success is None:
            success = self._from_reward(reward, needed)
            column = "reward" if reward is not None else "outcome"
        else:
            column = "success"
        missing = needed & (success == -1)
        if missing.any():
            raise InvalidInput(
                f"{self._at(int(np.flatnonzero(missing)[0]), column)}: empty",
                fix="an episode without a result needs an outcome: errored (ours) or invalid (the task's)",
            )
        return np.where(success == 1, PASSED, FAILED).astype(np.int8)

    def _from_reward(self, reward: NDArray[np.float64] | None, needed: NDArray[np.bool_]) -> NDArray[np.int8]:
        if reward is None:
            return np.full(self._length, -1, dtype=np.int8)
        threshold = self._success_at
        if threshold is None:
            partial = needed & (reward > 0) & (reward < 1)
            if partial.any():
                row = int(np.flatnonzero(partial)[0])
                raise InvalidInput(
                    f"{self._at(row, 'reward')}: {reward[row]:g} is neither 0 nor 1, and no column says whether it "
                    "is a success",
                    fix="say from which reward on an episode is a success (success_at, --success-at), such as 1",
                )
            threshold = 1.0
        return np.where(np.isnan(reward), -1, reward >= threshold).astype(np.int8)

    def _refuse_twice(self, names: Mapping[str, Names]) -> None:
        """The same rollout of the same configuration twice is a mistake of whoever joined tables."""
        if "rollout" not in self._codes:
            return
        keys = row_keys([names[name] for name in NAMES])
        order = np.argsort(keys, kind="stable")
        same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
        if len(same):
            one, other = sorted((int(order[same[0]]), int(order[same[0] + 1])))
            what = ", ".join(f"{name} {names[name].name(one)!r}" for name in NAMES if name in self._codes)
            raise InvalidInput(
                f"{self._source}: {self._row}s {one + self._first} and {other + self._first} are the same rollout "
                f"({what}); {len(same)} such {'row' if len(same) == 1 else 'rows'}",
                fix="drop the copies; or drop or number the column 'rollout', if these are different attempts",
            )


class _Codes:
    """A column of names that grows batch by batch."""

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._parts: list[NDArray[np.int32]] = []

    def add(self, values: pa.ChunkedArray) -> None:
        for chunk in values.chunks:
            coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
            words = coded.dictionary.cast(pa.string()).to_pylist()
            known = [self._place.setdefault(_word(word), len(self._place)) for word in words]
            empty = self._place.setdefault("", len(self._place)) if coded.null_count else 0
            indices = coded.indices.fill_null(len(words)) if coded.null_count else coded.indices
            place = np.array([*known, empty], dtype=np.int32)
            self._parts.append(place[indices.to_numpy(zero_copy_only=False)])

    def finish(self) -> Names:
        return Names(tuple(self._place), np.concatenate(self._parts) if self._parts else np.empty(0, dtype=np.int32))


def _array(values: Iterable[Any]) -> pa.ChunkedArray:
    if isinstance(values, pa.ChunkedArray):
        return values
    listed = values if isinstance(values, pa.Array | np.ndarray) else list(values)
    try:
        found = pa.array(listed)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # of several types
        found = pa.array([None if value is None else str(value) for value in listed])
    return pa.chunked_array([found])


def _word(value: str | None) -> str:
    return "" if value is None else value.strip()


def _outcome(value: str) -> int:
    if not value:
        return -1
    lower = value.lower()
    return OUTCOMES.index(Outcome(lower)) if lower in OUTCOMES else -2


def _is_number(value: Any) -> bool:
    try:
        float(value if value is not None else 0)
    except (TypeError, ValueError):
        return False
    return True


def _same(length: int) -> Names:
    return Names(("",), np.zeros(length, dtype=np.int32))
