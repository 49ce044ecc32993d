"""Convert external columns to a `Table`. Errors name the row and column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairground.core import InvalidInput, NeedsOptions
from fairground.stats.tables.arrays import column_array, numbers_of, without_nan
from fairground.stats.tables.assigning import Assignment, assign
from fairground.stats.tables.free_columns import tell_apart
from fairground.stats.tables.name_column import NameColumn
from fairground.stats.tables.results import (
    MISSING,
    MISSING_FIX,
    NUMBER,
    SKIP,
    UNKNOWN,
    ResultRules,
    explained,
    number_of,
)
from fairground.stats.tables.synonyms import listed, options, quoted, renames, short
from fairground.stats.tables.table import (
    FAILED,
    NAMES,
    NUMBERS,
    OUTCOMES,
    PASSED,
    Names,
    Table,
    refuse_same_rollout,
)

_RESULTS = ("outcome", "success")
_CODED = (*NAMES, *_RESULTS)
_LARGEST = 1e15  # beyond it sums lose precision, and no episode costs that much
_SHOWN = 8  # maximum number of rows or values listed in a message


def table_of(
    columns: Mapping[str, Iterable[Any]], *, success_at: float | None = None, missing: str | None = None
) -> Table:
    """Create a table from columns: lists, arrays, a data frame's series, or anything that Arrow accepts.

    Args:
        columns: Columns by name. `scenario` and one of `success`, `outcome` and `reward` are required.
        success_at: Minimum reward of a success, if the table does not say which episodes are successes.
        missing: What an episode without a result is: `errored`, `failed` or `skip`. By default it is an error.
    """
    intake = Intake("table", rules=ResultRules(success_at=success_at, missing=missing))
    arrays = {str(name): column_array(name, values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(
            f"columns have different lengths: {lengths}", fix="give one value per episode in every column"
        )
    intake.add(arrays)
    return intake.finish()


def table_from_rows(
    rows: Iterable[Mapping[str, Any]], *, success_at: float | None = None, missing: str | None = None
) -> Table:
    """Create a table from records. What a record does not have is missing."""
    records = list(rows)
    for number, row in enumerate(records, 1):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"row {number}: expected a record such as a dict, got {type(row).__name__}")
    if not records:
        raise InvalidInput("table: no episode in it", fix="give one record per episode")
    columns = dict.fromkeys(name for row in records for name in row)
    values = {name: [row.get(name) for row in records] for name in columns}
    return table_of(values, success_at=success_at, missing=missing)


class Intake:
    """Takes batches of columns, and creates a table.

    Args:
        source: Name of the table in messages, such as its file.
        rename: Our names of the table's own columns: `{"model": "agent"}`. Well-known names among the others are
            recognised, and noted.
        rules: What its results mean.
        wide: What the columns of a wide table are: `agent`, `rollout` or `scenario`.
        places: Returns descriptions of rows (counted from 0), such as "line 12". Default: "row 1" and so on.
    """

    def __init__(
        self,
        source: str,
        *,
        rename: Mapping[str, str] | None = None,
        rules: ResultRules | None = None,
        wide: str | None = None,
        places: Callable[[Sequence[int]], list[str]] | None = None,
    ) -> None:
        self._source = source
        self._places = places or (lambda rows: [f"row {row + 1}" for row in rows])
        self._ours = dict(rename or {})
        self._rules = rules or ResultRules()
        self._kind = wide
        self._assigned: Assignment | None = None
        self._codes: dict[str, NameColumn] = {}
        self._numbers: dict[str, list[NDArray[np.float64]]] = {}
        self._extra: dict[str, list[pa.Array]] = {}
        self._length = 0
        self._told = False  # whether the table says which episodes are successes
        self._threshold_used = False
        self._notes: list[str] = []

    def add(self, batch: Mapping[str, pa.ChunkedArray]) -> None:
        """Add one batch. Every batch must have the same columns."""
        batch = _stripped(batch, self._source)
        if self._assigned is None:
            self._assigned = self._begin(batch)
        if self._assigned.unfolding is not None:
            try:
                batch = self._assigned.unfolding.melt(batch)
            except InvalidInput as error:
                raise InvalidInput(f"{self._source}, {error.message}", fix=error.fix) from None
        for name, values in batch.items():
            ours = self._ours.get(name, name)
            if ours in _RESULTS:
                self._add_names(ours, without_nan(values))
            elif ours in NAMES:
                self._add_names(ours, values)
            elif ours in NUMBERS:
                self._numbers.setdefault(ours, []).append(self._read_numbers(ours, values))
            else:
                self._extra.setdefault(ours, []).extend(values.chunks)
        self._length += len(next(iter(batch.values()))) if batch else 0

    def finish(self) -> Table:
        """Return the table of all batches."""
        if self._assigned is None or not self._length:
            raise InvalidInput(f"{self._source}: no episode in it", fix="write a header, and one row per episode")
        numbers = {name: np.concatenate(parts) for name, parts in self._numbers.items()}
        coded = {name: column.finish() for name, column in self._codes.items()}
        names = {name: coded.get(name) or _same(self._length) for name in NAMES}
        self._refuse_empty(names["scenario"], "scenario")
        if "agent" in coded:
            self._refuse_empty(names["agent"], "agent")
        extra = {name: _chunked(parts) for name, parts in self._extra.items()}
        outcome = self._read_outcomes(coded, numbers)
        self._notes += tell_apart(names, extra, self._source, rewarded="reward" in numbers)
        if "reward" in numbers:
            numbers["reward"] = numbers["reward"] / self._rules.reward_max
        table = Table(names, outcome, numbers, extra, self._source)
        kept = np.flatnonzero(outcome != SKIP)
        if not len(kept):
            raise InvalidInput(f"{self._source}: every row is left out", fix="map its results to outcomes instead")
        if len(kept) < len(outcome):
            table = table.keep(kept)
        refuse_same_rollout(table, lambda row: f"{self._source}, {self._place(int(kept[row]))}")
        if self._rules.success_at is not None and not self._threshold_used:
            self._notes.append(
                f"success_at is not used: {self._source} already says which episodes are successes (column "
                f"{self._theirs('success' if 'success' in coded else 'outcome')!r})."
            )
        return table.noted(self._notes)

    def _begin(self, batch: Mapping[str, pa.ChunkedArray]) -> Assignment:
        assignment = assign(batch, self._source, self._ours, self._rules, self._kind)
        self._ours |= assignment.recognised
        there = {self._ours.get(name, name) for name in batch}
        self._told = "outcome" in there or ("success" in there and not assignment.rewards)
        meanings = [
            f"{theirs!r} is the {'result' if ours == 'success' else ours}"
            for theirs, ours in assignment.recognised.items()
            if theirs in batch and theirs.lower() != ours
        ]
        if assignment.unfolding is not None:
            meanings.append(assignment.unfolding.said)
        if meanings:
            meaning = f"recognised by their names: {', '.join(meanings)}"
            self._notes.append(f"Columns of {self._source}, {meaning}. To change that, use --rename COLUMN=NAME.")
        return assignment

    def _place(self, row: int) -> str:
        return self._listed([row])[0]

    def _listed(self, rows: Sequence[int]) -> list[str]:
        unfolding = self._assigned.unfolding if self._assigned else None
        return self._places(rows if unfolding is None else [unfolding.source(row)[0] for row in rows])

    def _at(self, row: int, ours: str) -> str:
        unfolding = self._assigned.unfolding if self._assigned else None
        column = self._theirs(ours) if unfolding is None or ours != "success" else unfolding.source(row)[1]
        return f"{self._source}, {self._place(row)}, column {column!r}"

    def _theirs(self, ours: str) -> str:
        return next((theirs for theirs, new in self._ours.items() if new == ours), ours)

    def _refuse_empty(self, column: Names, name: str) -> None:
        if "" in column.values:
            row = int(np.flatnonzero(column.codes == column.values.index(""))[0])
            raise InvalidInput(f"{self._at(row, name)}: empty", fix=f"give every episode its {name}")

    def _add_names(self, name: str, values: pa.ChunkedArray) -> None:
        problem = self._codes.setdefault(name, NameColumn()).add(values)
        if problem is not None:
            row, found = problem
            wanted = {"success": "true or false (or 1 or 0)", "outcome": ", ".join(OUTCOMES)}.get(name, "a name")
            raise InvalidInput(
                f"{self._at(self._length + row, name)}: expected {wanted}, {found}", fix="correct it, or leave it empty"
            )

    def _read_numbers(self, name: str, values: pa.ChunkedArray) -> NDArray[np.float64]:
        highest = self._rules.reward_max if name == "reward" else _LARGEST
        try:
            numbers, wrong = numbers_of(values, decimal_comma=self._rules.decimal_comma)
        except InvalidInput as error:
            raise InvalidInput(
                f"{self._source}, column {self._theirs(name)!r}: {error.message}", fix=error.fix
            ) from None
        if wrong is None:
            outside = np.flatnonzero(~np.isnan(numbers) & ~((numbers >= 0) & (numbers <= highest)))
            wrong = int(outside[0]) if len(outside) else None
        if wrong is not None:
            raise self._not_a_number(name, self._length + wrong, str(values[wrong].as_py()), highest)
        return numbers

    def _not_a_number(self, name: str, row: int, content: str, highest: float) -> InvalidInput:
        number = number_of(content)
        aside = options({self._theirs(name): f"other_{name}"})
        fix = f"leave it empty if there is none, or ignore the column: {aside}"
        wanted = "a number"
        if number is None and number_of(content, decimal_comma=True) is not None:
            fix = "write decimals with a point"
        elif number is not None:
            wanted = f"a number from 0 to {highest:g}"
            if name in ("reward", "success") and number > highest:
                top = _ceiling(number)
                needed = f"--reward-max {top:g}" + ("" if self._told else f" --success-at {top:g}")
                fix = f"give the highest reward, and the minimum reward of a success: {needed}"
                return NeedsOptions(
                    f"{self._at(row, name)}: expected {wanted}, got {short(content)}",
                    fix=f"{fix} (in Python: reward_max={top:g}, success_at={top:g})",
                    options=needed,
                )
        return InvalidInput(f"{self._at(row, name)}: expected {wanted}, got {short(content)}", fix=fix)

    def _read_outcomes(self, coded: Mapping[str, Names], numbers: dict[str, NDArray[np.float64]]) -> NDArray[np.int8]:
        """Return an outcome per row, or `SKIP`."""
        read = {name: self._read_words(name, coded[name], numbers) for name in _RESULTS if name in coded}
        outcome = np.full(self._length, MISSING, dtype=np.int8)
        for codes in read.values():
            outcome = np.where(outcome == MISSING, codes, outcome)
        if len(read) == 2:
            success, told = read["success"], read["outcome"]
            clash = (told >= 0) & (((success == PASSED) & (told != PASSED)) | ((success == FAILED) & (told == PASSED)))
            if clash.any():
                row = int(np.flatnonzero(clash)[0])
                word = coded["success"].name(row)
                raise InvalidInput(
                    f"{self._at(row, 'success')}: {word}, but the outcome is {OUTCOMES[told[row]]}",
                    fix="correct one of the two columns, or drop it",
                )
        if "success" not in read and "reward" in numbers:
            outcome = np.where(outcome == MISSING, self._from_reward(numbers["reward"], outcome == MISSING), outcome)
        missing = np.flatnonzero(outcome == MISSING)
        if len(missing):
            outcome[missing] = self._missing_code(missing, coded)
        return outcome.astype(np.int8)

    def _read_words(self, name: str, column: Names, numbers: dict[str, NDArray[np.float64]]) -> NDArray[np.int8]:
        rewards = name == "success" and self._assigned is not None and self._assigned.rewards
        codes = self._rules.codes(column, rewards=rewards)
        if (codes == UNKNOWN).any():
            raise self._not_understood(name, column, codes)
        if (codes == NUMBER).any():
            row = int(np.flatnonzero(codes == NUMBER)[0])
            if not rewards:
                raise InvalidInput(
                    f"{self._at(row, name)}: expected true or false (or 1 or 0), got {short(column.name(row))!r}",
                    fix=f"{renames({self._theirs(name): 'reward'})}, and give the minimum reward of a success "
                    "(success_at, --success-at)",
                )
            return self._read_rewards(column, codes, numbers)
        meaning = explained(column, codes)
        if meaning:
            self._notes.append(f"Results of {self._source}: {meaning}.")
        return codes

    def _read_rewards(
        self, column: Names, codes: NDArray[np.int8], numbers: dict[str, NDArray[np.float64]]
    ) -> NDArray[np.int8]:
        """Read the outcomes of a column of results that contains rewards."""
        worth = [number_of(value, decimal_comma=self._rules.decimal_comma) for value in column.values]
        rewards = np.array([np.nan if value is None else value for value in worth])[column.codes]
        outside = np.flatnonzero(~np.isnan(rewards) & ~((rewards >= 0) & (rewards <= self._rules.reward_max)))
        if len(outside):
            row = int(outside[0])
            raise self._not_a_number("success", row, column.name(row), self._rules.reward_max)
        numbers["reward"] = rewards
        return np.where(np.isnan(rewards), codes, self._from_reward(rewards, codes != SKIP)).astype(np.int8)

    def _not_understood(self, name: str, column: Names, codes: NDArray[np.int8]) -> InvalidInput:
        rows = np.flatnonzero(codes == UNKNOWN)
        words = list(dict.fromkeys(column.name(int(row)) for row in rows[:10_000]))
        wanted = "true or false (or 1 or 0)" if name == "success" else ", ".join(OUTCOMES)
        message = f"{self._at(int(rows[0]), name)}: expected {wanted}, got {short(words[0])!r}"
        if len(words) > 1:
            message += f"; and {listed(map(repr, words[1:_SHOWN]))} in other rows"
        mapping = " ".join(f"--map {quoted(f'{word}=MEANING')}" for word in map(short, words[:_SHOWN]))
        aside = options({self._theirs(name): f"other_{name}"})
        return InvalidInput(
            message,
            fix=f"{mapping}, where MEANING is passed, failed, errored, invalid, or skip to leave out its rows "
            f"(in Python: values={{{short(words[0])!r}: 'failed'}}); or ignore the column: {aside}",
        )

    def _missing_code(self, rows: NDArray[np.int64], coded: Mapping[str, Names]) -> int:
        column = next((name for name in ("success", "outcome") if name in coded), "reward")
        if self._rules.missing is None:
            first = int(rows[0])
            word = coded[column].name(first) if column in coded else ""
            message = f"{self._at(first, column)}: {'empty' if not word else f'no result: {word!r}'}"
            if len(rows) > 1:
                word, *_ = self._place(first).split()
                others = ", ".join(place.split()[-1] for place in self._listed(rows[:_SHOWN].tolist()))
                more = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
                message += f"; {len(rows):,} of {self._length:,} rows have no result: {word}s {others}{more}"
            raise InvalidInput(message, fix=MISSING_FIX)
        done = {"errored": "counted as errored, and not scored", "failed": "scored as failures", "skip": "left out"}
        self._notes.append(
            f"{len(rows):,} of {self._length:,} rows of {self._source} have no result: {done[self._rules.missing]}."
        )
        return self._rules.code(self._rules.missing) if self._rules.missing != "skip" else SKIP

    def _from_reward(self, reward: NDArray[np.float64], needed: NDArray[np.bool_]) -> NDArray[np.int8]:
        self._threshold_used = True
        threshold = self._rules.success_at
        if threshold is None:
            threshold = self._rules.reward_max
            partial = needed & (reward > 0) & (reward < threshold)
            if partial.any():
                row = int(np.flatnonzero(partial)[0])
                column = "reward" if "reward" in self._numbers else "success"
                raise NeedsOptions(
                    f"{self._at(row, column)}: {reward[row]:g} is neither 0 nor {threshold:g}, and no column "
                    "says whether it is a success",
                    fix=f"give the minimum reward of a success (success_at, --success-at), such as {threshold:g}",
                    options=f"--success-at {threshold:g}",
                )
        codes = np.where(reward >= threshold, PASSED, FAILED)
        return np.where(np.isnan(reward), MISSING, codes).astype(np.int8)


def _stripped(batch: Mapping[str, pa.ChunkedArray], source: str) -> dict[str, pa.ChunkedArray]:
    """Return the columns with stripped names."""
    columns: dict[str, pa.ChunkedArray] = {}
    for name, values in batch.items():
        bare = name.strip()
        if not bare:
            raise InvalidInput(f"{source}: a column has no name; it has {listed(batch)}", fix="name it, or drop it")
        if bare in columns:
            raise InvalidInput(f"{source}: column {bare!r} occurs twice", fix="rename or drop one of them")
        columns[bare] = values
    return columns


def _chunked(parts: list[pa.Array]) -> pa.ChunkedArray:
    return pa.chunked_array(parts) if parts else pa.chunked_array([], pa.string())


def _same(length: int) -> Names:
    return Names(("",), np.zeros(length, dtype=np.int32))


def _ceiling(number: float) -> float:
    """Return the probable end of a scale: 10, 100, 1000."""
    ceiling = 10.0
    while ceiling < number:
        ceiling *= 10
    return ceiling
