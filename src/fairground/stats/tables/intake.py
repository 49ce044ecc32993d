"""How columns from outside become a `Table`: checked batch by batch, with row and column of what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairground.core import AXES, InvalidInput, Outcome, unknown
from fairground.stats.tables.column_advice import KNOWN, listed, lookalikes, renames, short
from fairground.stats.tables.name_column import NameColumn
from fairground.stats.tables.table import FAILED, NAMES, NUMBERS, OUTCOMES, PASSED, Names, Table, refuse_same_rollout

_TRUTHS = {"1": 1, "1.0": 1, "true": 1, "yes": 1, "0": 0, "0.0": 0, "false": 0, "no": 0, "": -1}
_OUTCOME_COLUMN, _SUCCESS_COLUMN = "outcome", "success"
_CODED = (*NAMES, _OUTCOME_COLUMN, _SUCCESS_COLUMN)
_HINTED = ("agent", "condition", "suite", "app", *AXES)
"""Columns without which a table means something else: worth a word when a free column looks like one."""
_LARGEST = 1e15  # beyond it sums lose whole units, and no episode costs that much
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NUMBER_FIX = "leave it empty where there is none"


def table_of(columns: Mapping[str, Iterable[Any]], *, success_at: float | None = None) -> Table:
    """A table from columns: lists, arrays, a data frame's series, or anything that Arrow takes.

    Args:
        columns: By name; `scenario` and one of `success`, `outcome` and `reward` must be among them.
        success_at: The reward from which on an episode counts as a success, where the table does not say.
    """
    intake = Intake("table", success_at=success_at)
    arrays = {str(name): _array(name, values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"columns are not of one length: {lengths}", fix="one value an episode in every column")
    intake.add(arrays)
    return intake.finish()


def table_from_rows(rows: Iterable[Mapping[str, Any]], *, success_at: float | None = None) -> Table:
    """A table from records; what a record does not have is missing."""
    found = list(rows)
    for number, row in enumerate(found, 1):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"row {number}: expected a record such as a dict, got {type(row).__name__}")
    if not found:
        raise InvalidInput("table: no episode in it", fix="one record an episode")
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
        place: How a person finds a row of the source, counted from 0, such as "line 12"; instead of `row` and `first`.

    Raises:
        InvalidInput: When `success_at` is no reward.
    """

    def __init__(
        self,
        source: str,
        *,
        rename: Mapping[str, str] | None = None,
        success_at: float | None = None,
        row: str = "row",
        first: int = 1,
        place: Callable[[int], str] | None = None,
    ) -> None:
        if success_at is not None and not 0 < success_at <= 1:
            raise InvalidInput(
                f"success_at: expected a reward above 0 and up to 1, got {success_at:g}",
                fix="1 counts only full rewards as successes",
            )
        self._source = source
        self._place = place or (lambda index: f"{row} {index + first}")
        self._rename = dict(rename or {})
        self._success_at = success_at
        self._columns: tuple[str, ...] | None = None
        self._codes: dict[str, NameColumn] = {}
        self._numbers: dict[str, list[NDArray[np.float64]]] = {}
        self._extra: dict[str, list[pa.Array]] = {}
        self._length = 0
        self._threshold_used = False

    def add(self, batch: Mapping[str, pa.ChunkedArray]) -> None:
        """One batch; every batch has the same columns."""
        batch = _stripped(batch, self._source)
        if self._columns is None:
            self._begin(tuple(batch))
        for name, values in batch.items():
            ours = self._rename.get(name, name)
            if ours in self._codes:
                self._add_names(name, ours, values)
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
        coded = {name: column.finish() for name, column in self._codes.items()}
        names = {name: coded.get(name) or _same(self._length) for name in NAMES}
        self._refuse_empty(names["scenario"], "scenario")
        if "agent" in coded:
            self._refuse_empty(names["agent"], "agent")
        outcome = self._read_outcomes(coded, numbers.get("reward"))
        refuse_same_rollout(names, lambda row: f"{self._source}, {self._place(row)}")
        extra = {name: _chunked(parts) for name, parts in self._extra.items()}
        return Table(names, outcome, numbers, extra, self._source, self._look_at(extra))

    def _begin(self, columns: tuple[str, ...]) -> None:
        self._columns = columns
        for name, new in self._rename.items():
            if name not in columns:
                raise unknown(f"column of {self._source}", name, columns)
            if not new:
                raise InvalidInput(f"rename: column {name!r} needs a new name", fix=f"{name}=agent, for instance")
        ours = [self._rename.get(name, name) for name in columns]
        for name in ours:
            if ours.count(name) > 1:
                both = [theirs for theirs in columns if self._rename.get(theirs, theirs) == name]
                raise InvalidInput(
                    f"{self._source}: {' and '.join(map(repr, both))} would both be the column {name!r}",
                    fix=f"drop one of them, or rename the old one too: {name}=old_{name}",
                )
        if "scenario" not in ours:
            raise self._lacks("scenario", columns, ours)
        if not {"success", "outcome", "reward"} & set(ours):
            raise self._lacks("success", columns, ours)
        for name in _HINTED:  # `Agent` beside no `agent` is a slip, and not a free column
            slips = [column for column in columns if column not in self._rename and column.lower() == name]
            if name not in ours and slips:
                raise InvalidInput(
                    f"{self._source}: column {slips[0]!r} is not {name!r}; names of columns are in small letters",
                    fix=renames([(slips[0], name)]),
                )
        for name in ours:
            if name in _CODED:
                self._codes[name] = NameColumn()
            elif name in NUMBERS:
                self._numbers[name] = []
            else:
                self._extra[name] = []

    def _lacks(self, name: str, columns: tuple[str, ...], ours: Sequence[str]) -> InvalidInput:
        free = [column for column in columns if column not in self._rename]
        near = lookalikes(name, free)
        if name == "success":
            near = [*near, *(column for column in lookalikes("reward", free) if column not in near)]
        wanted = "column 'success', 'outcome' or 'reward'" if name == "success" else f"column {name!r}"
        fix = "one row an episode; docs/statistics/tables.md says what the columns are"
        if near:
            target = name if name != "success" or near[0] in lookalikes("success", free) else "reward"
            fix = renames([(near[0], target), *self._further(near[0], ours)])
        return InvalidInput(f"{self._source}: no {wanted}; it has {listed(columns)}", fix=fix)

    def _further(self, taken: str, ours: Sequence[str]) -> list[tuple[str, str]]:
        """Other columns that the same person will want to rename."""
        found: list[tuple[str, str]] = []
        for name in ("agent", "app", "scenario", "success"):
            for column in lookalikes(name, ours)[:1]:
                if name not in ours and column != taken and column not in KNOWN and column in (self._columns or ()):
                    found.append((column, name))
        return found

    def _look_at(self, extra: Mapping[str, pa.ChunkedArray]) -> tuple[str, ...]:
        """What to say about free columns that may be ours under another name; refuses to pool agents."""
        notes = []
        for name in _HINTED:
            if name in self._codes:
                continue
            for column in lookalikes(name, tuple(extra)):
                if name == "agent" and len(extra[column].unique()) > 1:
                    raise InvalidInput(
                        f"{self._source}: no column 'agent', but {column!r} has several values: together they would "
                        "count as one agent",
                        fix=f"{renames([(column, name)])}; if it is something else: --rename {column}=other_{column}",
                    )
                advice = renames([(column, name)])
                notes.append(f"Column {column!r} of {self._source} is not used. If it is the {name}: {advice}.")
        if self._success_at is not None and not self._threshold_used:
            notes.append(
                f"success_at is not used: {self._source} says itself which episodes are successes "
                f"(column {'success' if 'success' in self._codes else 'outcome'!r})."
            )
        return tuple(notes)

    def _at(self, row: int, column: str) -> str:
        return f"{self._source}, {self._place(row)}, column {self._theirs(column)!r}"

    def _theirs(self, column: str) -> str:
        return next((theirs for theirs, ours in self._rename.items() if ours == column), column)

    def _refuse_empty(self, column: Names, name: str) -> None:
        if "" in column.values:
            row = int(np.flatnonzero(column.codes == column.values.index(""))[0])
            raise InvalidInput(f"{self._at(row, name)}: empty", fix=f"every episode needs its {name}")

    def _add_names(self, theirs: str, name: str, values: pa.ChunkedArray) -> None:
        problem = self._codes[name].add(values)
        if problem is not None:
            row, found = problem
            wanted = {"success": "true or false (or 1 or 0)", "outcome": ", ".join(OUTCOMES)}.get(name, "a name")
            raise InvalidInput(
                f"{self._at(self._length + row, theirs)}: expected {wanted}, {found}",
                fix="correct it, or leave it empty",
            )

    def _read_numbers(self, theirs: str, name: str, values: pa.ChunkedArray) -> NDArray[np.float64]:
        column = _decoded(values)
        if _is_text(column.type):
            column = pc.utf8_trim_whitespace(column.cast(pa.string()))
            column = pc.if_else(pc.equal(column, ""), None, column)
        try:
            found = column.cast(pa.float64(), safe=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # texts; or a type that Arrow turns into no number
            raise self._not_numbers(theirs, column) from None
        numbers = np.array(found.fill_null(np.nan).to_numpy(), dtype=np.float64)
        given = np.array(found.is_valid().to_numpy(), dtype=bool)
        highest = 1.0 if name == "reward" else _LARGEST
        wrong = given & ~((numbers >= 0) & (numbers <= highest))
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            value = column[row].as_py()
            raise InvalidInput(
                f"{self._at(self._length + row, theirs)}: expected a number from 0 to {highest:g}, got {value}",
                fix=_NUMBER_FIX if np.isnan(numbers[row]) else None,
            )
        return numbers

    def _not_numbers(self, theirs: str, column: pa.ChunkedArray) -> InvalidInput:
        for row, value in enumerate(column.to_pylist()):
            if isinstance(value, str) and not _NUMBER.fullmatch(value):
                fix = "write decimals with a point" if re.fullmatch(r"-?\d+,\d+", value) else _NUMBER_FIX
                return InvalidInput(
                    f"{self._at(self._length + row, theirs)}: expected a number, got {value!r}", fix=fix
                )
        return InvalidInput(
            f"{self._source}, column {theirs!r}: expected numbers, got {column.type}", fix="turn it into numbers"
        )

    def _read_outcomes(self, coded: Mapping[str, Names], reward: NDArray[np.float64] | None) -> NDArray[np.int8]:
        success = self._read_success(coded.get(_SUCCESS_COLUMN))
        column = coded.get(_OUTCOME_COLUMN)
        if column is None:
            return self._from_success(success, reward)
        meaning = np.array([_outcome(value) for value in column.values], dtype=np.int8)
        outcome: NDArray[np.int8] = meaning[column.codes]
        if (outcome == -2).any():
            row = int(np.flatnonzero(outcome == -2)[0])
            found = column.name(row)
            raise InvalidInput(
                f"{self._at(row, 'outcome')}: expected {', '.join(OUTCOMES)}, got {short(found)!r}",
                fix=unknown("outcome", found.lower(), OUTCOMES).fix
                if found.lower() not in _TRUTHS
                else renames([(self._theirs("outcome"), "success")]),
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

    def _read_success(self, column: Names | None) -> NDArray[np.int8] | None:
        if column is None:
            return None
        meaning = np.array([_truth(value) for value in column.values], dtype=np.int8)
        success: NDArray[np.int8] = meaning[column.codes]
        if (success == -2).any():
            row = int(np.flatnonzero(success == -2)[0])
            found = column.name(row)
            fix = "write true or false, or 1 or 0; leave it empty only where an outcome says why"
            if _NUMBER.fullmatch(found) and 0 < float(found) < 1:
                fix = f"{renames([(self._theirs('success'), 'reward')])}, and say from which reward on it is a success"
                fix += " (success_at, --success-at)"
            elif found.lower() in OUTCOMES:
                fix = renames([(self._theirs("success"), "outcome")])
            raise InvalidInput(
                f"{self._at(row, 'success')}: expected true or false (or 1 or 0), got {short(found)!r}", fix=fix
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
        self._threshold_used = True
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


def _array(name: str, values: Iterable[Any]) -> pa.ChunkedArray:
    if isinstance(values, pa.ChunkedArray):
        return values
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidInput(
            f"column {name!r}: expected a list of values, one an episode, got {type(values).__name__}",
            fix=f"write [value] * number_of_episodes, or leave {name!r} out if it is the same everywhere",
        )
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise InvalidInput(f"column {name!r}: expected one value an episode, got an array of shape {values.shape}")
    listed: Any = values if isinstance(values, pa.Array | np.ndarray) or hasattr(values, "__arrow_array__") else None
    if listed is None and type(values).__module__.startswith("pandas"):
        listed = values  # Arrow takes a series, and reads its NaN as missing, which is what pandas means by it
    if listed is None:
        listed = list(values)
    try:
        found = pa.array(listed)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):  # of several types
        found = pa.array([None if value is None else str(value) for value in listed], pa.string())
    except UnicodeEncodeError:
        raise InvalidInput(f"column {name!r}: holds text that is not Unicode", fix="correct its encoding") from None
    return flattened(found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found]))


def flattened(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists and records as their JSON text, so that they can be names or free columns; anything else as it is."""
    if not pa.types.is_nested(values.type):
        return values
    texts = [None if value is None else json_text(value) for value in values.to_pylist()]
    return pa.chunked_array([pa.array(texts, pa.string())])


def json_text(value: Any) -> str:
    """A value as JSON: the same text for the same value, whatever order its keys have."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _stripped(batch: Mapping[str, pa.ChunkedArray], source: str) -> dict[str, pa.ChunkedArray]:
    """The same with names without blanks around them."""
    found: dict[str, pa.ChunkedArray] = {}
    for name, values in batch.items():
        bare = name.strip()
        if not bare:
            raise InvalidInput(f"{source}: a column has no name; it has {listed(batch)}", fix="name it, or drop it")
        if bare in found:
            raise InvalidInput(f"{source}: column {bare!r} is there twice", fix="rename or drop one of them")
        found[bare] = values
    return found


def _chunked(parts: list[pa.Array]) -> pa.ChunkedArray:
    return pa.chunked_array(parts) if parts else pa.chunked_array([], pa.string())


def _decoded(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _truth(value: str) -> int:
    known = _TRUTHS.get(value.lower())
    if known is None and _NUMBER.fullmatch(value):
        known = {0.0: 0, 1.0: 1}.get(float(value))
    return -2 if known is None else known


def _outcome(value: str) -> int:
    if not value:
        return -1
    lower = value.lower()
    return OUTCOMES.index(Outcome(lower)) if lower in OUTCOMES else -2


def _same(length: int) -> Names:
    return Names(("",), np.zeros(length, dtype=np.int32))
