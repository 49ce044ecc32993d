"""How columns from outside become a `Table`: checked batch by batch, with row and column of what is wrong."""

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
_LARGEST = 1e15  # beyond it sums lose whole units, and no episode costs that much
_SHOWN = 8  # rows or values that a message lists


def table_of(
    columns: Mapping[str, Iterable[Any]], *, success_at: float | None = None, missing: str | None = None
) -> Table:
    """A table from columns: lists, arrays, a data frame's series, or anything that Arrow takes.

    Args:
        columns: By name; `scenario` and one of `success`, `outcome` and `reward` must be among them.
        success_at: The reward from which on an episode counts as a success, where the table does not say.
        missing: What an episode without a result is: `errored`, `failed` or `skip`; refused unless given.
    """
    intake = Intake("table", rules=ResultRules(success_at=success_at, missing=missing))
    arrays = {str(name): column_array(name, values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"columns are not of one length: {lengths}", fix="one value per episode in every column")
    intake.add(arrays)
    return intake.finish()


def table_from_rows(
    rows: Iterable[Mapping[str, Any]], *, success_at: float | None = None, missing: str | None = None
) -> Table:
    """A table from records; what a record does not have is missing."""
    found = list(rows)
    for number, row in enumerate(found, 1):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"row {number}: expected a record such as a dict, got {type(row).__name__}")
    if not found:
        raise InvalidInput("table: no episode in it", fix="one record per episode")
    columns = dict.fromkeys(name for row in found for name in row)
    values = {name: [row.get(name) for row in found] for name in columns}
    return table_of(values, success_at=success_at, missing=missing)


class Intake:
    """Takes batches of columns, and makes a table of them.

    Args:
        source: What messages call the table, such as its file.
        rename: What the table's own columns are called here: `{"model": "agent"}`. Of the others, well-known names are
            recognised, and noted.
        rules: What its results mean.
        wide: What the columns of a wide table are: `agent`, `rollout` or `scenario`.
        places: How a person finds rows, counted from 0, such as "line 12"; "row 1" and so on unless given.
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
        self._told = False  # which episodes are successes
        self._threshold_used = False
        self._notes: list[str] = []

    def add(self, batch: Mapping[str, pa.ChunkedArray]) -> None:
        """One batch; every batch has the same columns."""
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
        """The table of all batches."""
        if self._assigned is None or not self._length:
            raise InvalidInput(f"{self._source}: no episode in it", fix="one row per episode, under a header")
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
            raise InvalidInput(f"{self._source}: every row is left out", fix="say what its results are instead")
        if len(kept) < len(outcome):
            table = table.keep(kept)
        refuse_same_rollout(table, lambda row: f"{self._source}, {self._place(int(kept[row]))}")
        if self._rules.success_at is not None and not self._threshold_used:
            self._notes.append(
                f"success_at is not used: {self._source} says itself which episodes are successes "
                f"(column {self._theirs('success' if 'success' in coded else 'outcome')!r})."
            )
        return table.noted(self._notes)

    def _begin(self, batch: Mapping[str, pa.ChunkedArray]) -> Assignment:
        found = assign(batch, self._source, self._ours, self._rules, self._kind)
        self._ours |= found.recognised
        there = {self._ours.get(name, name) for name in batch}
        self._told = "outcome" in there or ("success" in there and not found.rewards)
        said = [
            f"{theirs!r} is the {'result' if ours == 'success' else ours}"
            for theirs, ours in found.recognised.items()
            if theirs in batch and theirs.lower() != ours
        ]
        if found.unfolding is not None:
            said.append(found.unfolding.said)
        if said:
            meaning = f"recognised by their names: {', '.join(said)}"
            self._notes.append(f"Columns of {self._source}, {meaning}. To change that, say --rename COLUMN=NAME.")
        return found

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
            raise InvalidInput(f"{self._at(row, name)}: empty", fix=f"every episode needs its {name}")

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

    def _not_a_number(self, name: str, row: int, found: str, highest: float) -> InvalidInput:
        number = number_of(found)
        aside = options({self._theirs(name): f"other_{name}"})
        fix = f"leave it empty where there is none; or leave the column aside: {aside}"
        wanted = "a number"
        if number is None and number_of(found, decimal_comma=True) is not None:
            fix = "write decimals with a point"
        elif number is not None:
            wanted = f"a number from 0 to {highest:g}"
            if name in ("reward", "success") and number > highest:
                top = _ceiling(number)
                said = f"--reward-max {top:g}" + ("" if self._told else f" --success-at {top:g}")
                fix = f"say what the highest reward is, and from which one on an episode is a success: {said}"
                return NeedsOptions(
                    f"{self._at(row, name)}: expected {wanted}, got {short(found)}",
                    fix=f"{fix} (in Python: reward_max={top:g}, success_at={top:g})",
                    options=said,
                )
        return InvalidInput(f"{self._at(row, name)}: expected {wanted}, got {short(found)}", fix=fix)

    def _read_outcomes(self, coded: Mapping[str, Names], numbers: dict[str, NDArray[np.float64]]) -> NDArray[np.int8]:
        """An outcome for each row, or `SKIP`."""
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
                    fix=f"{renames({self._theirs(name): 'reward'})}, and say from which reward on it is a success "
                    "(success_at, --success-at)",
                )
            return self._read_rewards(column, codes, numbers)
        said = explained(column, codes)
        if said:
            self._notes.append(f"Results of {self._source}: {said}.")
        return codes

    def _read_rewards(
        self, column: Names, codes: NDArray[np.int8], numbers: dict[str, NDArray[np.float64]]
    ) -> NDArray[np.int8]:
        """The same of a column of results that holds rewards."""
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
        said = " ".join(f"--map {quoted(f'{word}=MEANING')}" for word in map(short, words[:_SHOWN]))
        aside = options({self._theirs(name): f"other_{name}"})
        return InvalidInput(
            message,
            fix=f"{said}, where MEANING is passed, failed, errored, invalid, or skip to leave its rows out (in Python: "
            f"values={{{short(words[0])!r}: 'failed'}}); or leave the column aside: {aside}",
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
                    f"{self._at(row, column)}: {reward[row]:g} is neither 0 nor {threshold:g}, and no column says "
                    "whether it is a success",
                    fix=f"say from which reward on an episode is a success (success_at, --success-at), such as "
                    f"{threshold:g}",
                    options=f"--success-at {threshold:g}",
                )
        codes = np.where(reward >= threshold, PASSED, FAILED)
        return np.where(np.isnan(reward), MISSING, codes).astype(np.int8)


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


def _same(length: int) -> Names:
    return Names(("",), np.zeros(length, dtype=np.int32))


def _ceiling(number: float) -> float:
    """The round number that a scale probably ends with: 10, 100, 1000."""
    ceiling = 10.0
    while ceiling < number:
        ceiling *= 10
    return ceiling
