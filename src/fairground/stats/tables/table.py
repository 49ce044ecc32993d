"""The table of episodes: one row per attempt, stored by column. From our runs or other sources."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairground.core import AXES, InvalidInput, Outcome, unknown

NAMES = ("agent", "condition", "suite", "app", "scenario", *AXES, "rollout")
"""Name columns. A missing column was not varied, and contains the empty name."""

NUMBERS = ("reward", "steps", "seconds", "cost")
"""Number columns. NaN if the table has none."""

NO_APP = "all"
"""App of episodes that name none."""

NO_AGENT = "agent"
"""Agent of episodes that name none."""

OUTCOMES = tuple(Outcome)
PASSED, FAILED, ERRORED = (OUTCOMES.index(outcome) for outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED))


@dataclass(frozen=True, eq=False)
class Names:
    """A column of names.

    Attributes:
        values: The distinct names.
        codes: Index into `values` per row.
    """

    values: tuple[str, ...]
    codes: NDArray[np.int32]

    @property
    def varied(self) -> bool:
        """Whether there is more than one name."""
        return len(self.values) > 1

    def name(self, row: int) -> str:
        """Return the name in a row."""
        return self.values[int(self.codes[row])]

    def keep(self, rows: NDArray[Any]) -> Names:
        """Return the column at some rows, without names that no longer occur."""
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        return Names(tuple(self.values[code] for code in used.tolist()), codes.astype(np.int32))


@dataclass(frozen=True, order=True)
class Contender:
    """What is measured: an agent under a condition."""

    agent: str
    condition: str = ""

    def __str__(self) -> str:
        agent = self.agent or NO_AGENT
        return f"{agent} [{self.condition}]" if self.condition else agent


@dataclass(frozen=True, eq=False)
class Table:
    """Validated episodes. Create one with `read_table`, `table_of` or `table_from_rows`.

    Attributes:
        names: All columns of `NAMES`.
        outcome: Index into `OUTCOMES` per row. Only passed and failed are scored.
        numbers: The columns of `NUMBERS` that the table has.
        extra: All other columns, unchanged.
        source: Where it came from, for messages.
        notes: What was noticed but accepted while reading, such as a column that may have the wrong name.
    """

    names: Mapping[str, Names]
    outcome: NDArray[np.int8]
    numbers: Mapping[str, NDArray[np.float64]]
    extra: Mapping[str, pa.ChunkedArray]
    source: str = "table"
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.outcome)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Mask of the scored rows."""
        scored: NDArray[np.bool_] = (self.outcome == PASSED) | (self.outcome == FAILED)
        return scored

    @cached_property
    def contenders(self) -> tuple[Contender, ...]:
        """Every agent under every condition, sorted. Names are unique."""
        agent, condition = self.names["agent"], self.names["condition"]
        pairs = np.unique(agent.codes.astype(np.int64) * len(condition.values) + condition.codes)
        coded = [divmod(pair, len(condition.values)) for pair in pairs.tolist()]
        everyone = tuple(sorted(Contender(agent.values[a], condition.values[c]) for a, c in coded))
        _refuse_one_name([str(contender) for contender in everyone], "contenders", self.source)
        return everyone

    def contender(self, name: str | Contender) -> Contender:
        """Return the contender of that name: `agent [condition]`, or agent or condition alone if that is unique."""
        everyone = self.contenders
        if isinstance(name, Contender):
            if name not in everyone:
                raise unknown("contender", str(name), [str(known) for known in everyone])
            return name
        for matches in (
            [known for known in everyone if str(known) == name],
            [known for known in everyone if known.agent == name],
            [known for known in everyone if known.condition and known.condition == name],
        ):
            if len(matches) == 1:
                return matches[0]
            if matches:
                raise InvalidInput(
                    f"{name!r} matches more than one contender: {', '.join(map(str, matches))}",
                    fix="write one of them in full",
                )
        raise unknown("contender", name, [str(known) for known in everyone])

    def rows_of(self, contender: Contender) -> NDArray[np.bool_]:
        """Return a mask of the contender's rows."""
        agent, condition = self.names["agent"], self.names["condition"]
        codes = agent.values.index(contender.agent), condition.values.index(contender.condition)
        mask: NDArray[np.bool_] = (agent.codes == codes[0]) & (condition.codes == codes[1])
        return mask

    def app_names(self) -> Names:
        """Return the column of apps, prefixed by the suite if there are several suites."""
        return self._app_names

    @cached_property
    def _app_names(self) -> Names:
        app, suite = self.names["app"], self.names["suite"]
        names, codes = tuple(value or NO_APP for value in app.values), app.codes
        if suite.varied:
            pairs, inverse = np.unique(row_keys([suite, app]), return_inverse=True)
            coded = [divmod(pair, len(names)) for pair in pairs.tolist()]
            names = tuple(f"{suite.values[s]}/{names[a]}" if suite.values[s] else names[a] for s, a in coded)
            codes = inverse.astype(np.int32)
        _refuse_one_name(names, "apps", self.source)
        return Names(names, codes)

    def outcomes(self, contender: Contender | None = None) -> dict[Outcome, int]:
        """Return the number of episodes by outcome: the denominators of everything else."""
        rows = self.outcome if contender is None else self.outcome[self.rows_of(contender)]
        counts = np.bincount(rows, minlength=len(OUTCOMES)).tolist()
        return dict(zip(OUTCOMES, counts, strict=True))

    def keep(self, rows: NDArray[Any]) -> Table:
        """Return the table of some rows (a mask or indices)."""
        mask = np.asarray(rows)
        indices = np.flatnonzero(mask) if mask.dtype == bool else mask
        return replace(
            self,
            names={name: column.keep(indices) for name, column in self.names.items()},
            outcome=self.outcome[indices],
            numbers={name: values[indices] for name, values in self.numbers.items()},
            extra={name: column.take(pa.array(indices)) for name, column in self.extra.items()},
        )

    def errors_failed(self) -> Table:
        """Return the table with errored episodes as failed ones of reward 0. Invalid ones do not change."""
        errored = self.outcome == ERRORED
        numbers = dict(self.numbers)
        if "reward" in numbers:
            numbers["reward"] = np.where(errored, 0.0, numbers["reward"])
        return replace(self, outcome=np.where(errored, FAILED, self.outcome).astype(np.int8), numbers=numbers)

    def noted(self, notes: Sequence[str]) -> Table:
        """Return the table with additional notes."""
        return replace(self, notes=(*self.notes, *notes))

    def where(self, /, **wanted: str) -> Table:
        """Return the rows with these names, such as `where(suite="pocket", theme="dark")`. Extra columns work too."""
        mask = np.ones(len(self), dtype=bool)
        for column, value in wanted.items():
            mask &= self._equal(column, value)
        return self.keep(mask)

    def _equal(self, column: str, value: str) -> NDArray[np.bool_]:
        if column in self.names:
            values = self.names[column].values
            if value not in values:
                if values == ("",):
                    raise InvalidInput(
                        f"{self.source} has no column {column!r}, so none of its rows has {column} {value!r}",
                        fix=f"leave it out, or rename a column to {column}",
                    )
                raise unknown(column, value, values)
            mask: NDArray[np.bool_] = self.names[column].codes == values.index(value)
            return mask
        if column not in self.extra:
            known = [name for name, names in self.names.items() if names.values != ("",)]
            raise unknown("column", column, [*known, *self.extra])
        texts = as_text(self.extra[column], f"{self.source}, column {column!r}")
        match = np.asarray(pc.equal(texts, value).fill_null(False).to_numpy(), dtype=bool)
        if not match.any():
            raise unknown(column, value, [str(known) for known in pc.unique(texts).to_pylist() if known is not None])
        return match


def join_tables(tables: Sequence[Table]) -> Table:
    """Join several tables. Extra columns that not all of them have are left out.

    Raises:
        InvalidInput: If two of them contain the same rollout of the same configuration.
    """
    if len(tables) == 1:
        return tables[0]
    if not tables:
        raise InvalidInput("no table", fix="give at least one file")
    numbers = [name for name in NUMBERS if any(name in table.numbers for table in tables)]
    shared = [name for name in tables[0].extra if all(name in table.extra for table in tables)]
    joined = Table(
        names={name: _join_names([table.names[name] for table in tables]) for name in NAMES},
        outcome=np.concatenate([table.outcome for table in tables]),
        numbers={
            name: np.concatenate([table.numbers.get(name, np.full(len(table), np.nan)) for table in tables])
            for name in numbers
        },
        extra={name: _join_extra([table.extra[name] for table in tables], name) for name in shared},
        source=", ".join(table.source for table in tables),
        notes=tuple(dict.fromkeys(note for table in tables for note in table.notes)),
    )
    ends = np.cumsum([len(table) for table in tables])

    def place(row: int) -> str:
        at = int(np.searchsorted(ends, row, side="right"))
        return f"{tables[at].source}, row {row - int(ends[at]) + len(tables[at]) + 1}"

    refuse_same_rollout(joined, place)
    return joined


def _join_extra(columns: Sequence[pa.ChunkedArray], name: str) -> pa.ChunkedArray:
    """Join columns. Columns of one type keep it; others become text."""
    if len({column.type for column in columns}) > 1:
        columns = [as_text(column, f"column {name!r}") for column in columns]
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], type=columns[0].type)


def refuse_same_rollout(table: Table, place: Callable[[int], str]) -> None:
    """Reject the same rollout of the same configuration twice, which is a mistake when tables are joined.

    Episodes whose rollout has no name are different attempts.

    Args:
        table: The episodes.
        place: Returns the description of a row.
    """
    names = table.names
    rollout = names["rollout"]
    if rollout.values == ("",):
        return
    keys = row_keys([names[name] for name in NAMES])
    rows = np.arange(len(keys))
    if "" in rollout.values:
        rows = np.flatnonzero(rollout.codes != rollout.values.index(""))
    order = rows[np.argsort(keys[rows], kind="stable")]
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if len(same):
        first = same[np.argmin(order[same + 1])]  # the copy that comes first in the table
        original, copy = int(order[first]), int(order[first + 1])
        what = ", ".join(f"{name} {names[name].name(original)!r}" for name in NAMES if names[name].name(original))
        fix = "remove the copies; or remove or number the column 'rollout', if these are different attempts"
        differing = [name for name, values in table.extra.items() if values[original] != values[copy]]
        if differing:
            fix += (
                f". The two differ in {', '.join(map(repr, differing[:4]))}: if that distinguishes contenders, "
                f"use --rename {shlex.quote(f'{differing[0]}=condition')}"
            )
        raise InvalidInput(
            f"{place(copy)}: the same rollout as {place(original)} ({what}); "
            f"{'the only such row' if len(same) == 1 else f'{len(same)} such rows'}",
            fix=fix,
        )


def as_text(values: pa.ChunkedArray, where: str) -> pa.ChunkedArray:
    """Return an extra column as text."""
    try:
        return values.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # bytes that are not text; a type without a text form
        raise InvalidInput(
            f"{where}: expected text or numbers, got {values.type}", fix="convert it to text, or drop it"
        ) from None


def row_keys(columns: Sequence[Names]) -> NDArray[np.int64]:
    """Return a number per row, equal for rows that agree in all columns, and in the order of their codes."""
    keys = np.zeros(len(columns[0].codes), dtype=np.int64)
    for column in columns:
        if len(keys) and int(keys.max()) >= 2**62 // max(len(column.values), 1):  # before it would overflow
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        keys = keys * len(column.values) + column.codes
    return keys


def distinct_rows(columns: Sequence[Names]) -> int:
    """Return the number of rows that are distinct in these columns."""
    return len(np.unique(row_keys(columns)))


def _join_names(columns: Sequence[Names]) -> Names:
    values = tuple(dict.fromkeys(value for column in columns for value in column.values))
    place = {value: code for code, value in enumerate(values)}
    parts = [np.array([place[value] for value in column.values], dtype=np.int32)[column.codes] for column in columns]
    return Names(values, np.concatenate(parts))


def _refuse_one_name(names: Sequence[str], what: str, source: str) -> None:
    """Reject duplicate names, which results could not distinguish."""
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise InvalidInput(f"{source}: two {what} would both be called {twice!r}", fix="give one of them another name")
