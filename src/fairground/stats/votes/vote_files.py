"""Read votes from files: CSV, JSON, Parquet. In batches, so that the size does not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.tables.arrays import distinct_texts
from fairground.stats.tables.reading import batches, file_kind, row_places
from fairground.stats.tables.table import Names
from fairground.stats.votes.vote_columns import LABELS, WON, check_renaming, lacking, left_won_all, needs, recognise
from fairground.stats.votes.votes import BadVote, NameCoder, Votes
from fairground.stats.votes.winners import (
    BAD,
    LEFT,
    SKIP,
    TIE,
    Winners,
    check_values,
    problem,
    read_winners,
    winners_of_shares,
)

_TRUTHS = {"true": 1.0, "yes": 1.0, "t": 1.0, "y": 1.0, "false": 0.0, "no": 0.0, "f": 0.0, "n": 0.0}

_MEANING = {
    "left": "the left agent",
    "right": "the right agent",
    "left_won": "what the left agent got",
    "right_won": "what the right agent got",
    "tied": "whether it was a tie",
    **{name: f"the {name}" for name in ("winner", *LABELS)},
}

Check = Callable[[int, int], None]


def read_votes(
    path: str | Path,
    *,
    rename: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    missing: str | None = None,
    recognising: bool = True,
) -> Votes:
    """Read votes from one file, strictly.

    `left`, `right` and `winner` are required; `weight`, `voter`, `task` and `category` are optional. Other columns with
    only numbers become `covariates`, and the rest is kept in `free`. Well-known names of others, such as `model_a` and
    `user_id`, are recognised; the votes' `notes` say what was read as what.

    Args:
        path: A file that ends in .csv, .tsv, .jsonl, .json or .parquet.
        rename: Our names of its columns, such as `{"model_a": "left", "model_b": "right"}`.
        values: What words in the winner column mean: `{"first": "left", "error": "skip"}`.
        missing: `skip` leaves out votes without a winner. By default they are an error.
        recognising: Whether columns that are not renamed may be recognised.

    Raises:
        InvalidInput: If something is wrong. The message names the file, line (for Parquet: row) and column.
    """
    draft = draft_votes(path, rename=rename, values=values, missing=missing, recognising=recognising)
    if draft.lacking:
        raise needs(str(path), draft.columns, draft.lacking, draft.known)
    for row, column, fault in draft.faults():
        place = f"{path}, {row_places(Path(path), file_kind(Path(path)), [row])[0]}"
        raise BadVote(row, draft.theirs(column), fault, fix=draft.fix(column), place=place)
    return draft.votes()


def draft_votes(
    path: str | Path,
    *,
    rename: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    missing: str | None = None,
    recognising: bool = True,
    check: Check | None = None,
) -> Draft:
    """Read votes without rejecting invalid rows, to inspect a table.

    Args:
        path: The file.
        rename: As for `read_votes`.
        values: As for `read_votes`.
        missing: As for `read_votes`.
        recognising: As for `read_votes`.
        check: Called with the number of rows and agents so far. It may raise.
    """
    path = Path(path)
    check_values(values or {}, missing)
    intake = _Intake(str(path), rename or {}, recognising, check)
    try:
        return intake.read(path, values or {}, missing)
    except BadVote as fault:
        place = f"{path}, {row_places(path, file_kind(path), [fault.row])[0]}"
        raise BadVote(fault.row, intake.theirs(fault.column), fault.problem, fix=fault.fix, place=place) from None


@dataclass(frozen=True, eq=False)
class Draft:
    """A table of votes as it was read. Some rows may not be votes.

    Attributes:
        source: Its name.
        columns: Some distinct values of each column.
        known: What its columns are: theirs to ours.
        lacking: Required columns that are missing. If there are any, the rest is empty.
        length: Number of rows.
        agents: The agents' names; one may be empty.
        left: Left agent of each row.
        right: Right agent of each row.
        winners: The winners.
        labels: The name columns: the winner as in the table, and `LABELS`, as far as they exist.
        weight: Weight of each vote, or None.
        covariates: Other columns of numbers.
        free: Other columns of text.
        notes: How the table was interpreted.
    """

    source: str
    columns: Mapping[str, list[str]]
    known: Mapping[str, str]
    lacking: tuple[str, ...]
    length: int
    agents: tuple[str, ...]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    winners: Winners
    labels: Mapping[str, Names]
    weight: NDArray[np.float64] | None
    covariates: Mapping[str, NDArray[np.float64]]
    free: Mapping[str, Names]
    notes: tuple[str, ...]

    def theirs(self, ours: str) -> str:
        """Return the table's own name of one of our columns."""
        return next((theirs for theirs, name in self.known.items() if name == ours), ours)

    def faults(self) -> Iterator[tuple[int, str, str]]:
        """Yield rows that are not votes, with the column and what is wrong."""
        empty = self.agents.index("") if "" in self.agents else -1
        included = self.winners.codes != SKIP
        wrong = (self.left == empty) | (self.right == empty) | (self.left == self.right)
        for row in np.flatnonzero(included & (wrong | (self.winners.codes == BAD))).tolist():
            if self.left[row] == empty:
                yield row, "left", "it is empty"
            elif self.right[row] == empty:
                yield row, "right", "it is empty"
            elif self.left[row] == self.right[row]:
                yield row, "right", f"{self.agents[self.left[row]]!r} is on both sides"
            elif "winner" in self.labels:
                yield row, "winner", problem(self.labels["winner"].name(row), self.winners.why)
            else:
                yield row, "left_won", "it does not say what either agent got"

    def fix(self, column: str) -> str:
        """Return the fix for an error in a column."""
        if column in ("left", "right"):
            return "a vote needs two different agents; correct the row or remove it"
        return f"{self.winners.fix}; leave out votes without a winner with --missing skip"

    def votes(self) -> Votes:
        """Return the votes, if nothing is wrong with them."""
        rows = np.flatnonzero(self.winners.codes != SKIP)
        if not len(rows):
            raise InvalidInput(f"{self.source}: every vote is left out", fix="map its winners instead")
        all_rows = len(rows) == self.length

        def keep(label: Names) -> Names:
            return label if all_rows else label.keep(rows)

        labels = {name: keep(label) for name, label in self.labels.items()}
        votes = Votes(
            agents=self.agents,
            left=self.left[rows],
            right=self.right[rows],
            winner=self.winners.codes[rows],
            weight=None if self.weight is None else self.weight[rows],
            voter=labels.get("voter"),
            task=labels.get("task"),
            category=labels.get("category"),
            covariates={name: column[rows] for name, column in self.covariates.items()},
            free={name: keep(column) for name, column in self.free.items()},
            notes=self.notes,
        )
        return votes if all_rows else votes.where(np.arange(len(rows)))  # without agents that are in no vote


class _Intake:
    """Takes batches of columns, and creates a draft."""

    def __init__(self, source: str, rename: Mapping[str, str], recognising: bool, check: Check | None) -> None:
        self._source, self._rename, self._recognising = source, dict(rename), recognising
        self._check = check
        self._known: dict[str, str] = {}
        self._agents = NameCoder()
        self._coded: dict[str, NameCoder] = {}
        self._numbers: dict[str, list[NDArray[np.float64]]] = {}
        self._free: dict[str, list[pa.Array]] = {}
        self._texts: dict[str, list[str]] = {}
        self._notes: list[str] = []
        self._length = 0

    def theirs(self, ours: str) -> str:
        return next((theirs for theirs, name in self._known.items() if name == ours), ours)

    def read(self, path: Path, values: Mapping[str, str], missing: str | None) -> Draft:
        for raw in batches(path, file_kind(path), self._notes):
            batch = {name.strip(): column for name, column in raw.items()}
            if not self._texts:
                self._begin(batch)
            if not lacking(self._known):
                self._add({self._known.get(name, name): values.combine_chunks() for name, values in batch.items()})
            else:
                self._length += len(next(iter(batch.values()), ()))
            if self._check is not None:
                self._check(self._length, len(self._agents))
        if self._length == 0:
            raise InvalidInput(f"{self._source}: no vote in it", fix="write one row per vote: left,right,winner")
        return self._finish(values, missing)

    def _begin(self, batch: Mapping[str, pa.ChunkedArray]) -> None:
        columns = tuple(batch)
        check_renaming(columns, self._rename, self._source)
        recognised = recognise(columns, self._rename) if self._recognising else {}
        self._known = {
            name: self._rename.get(name) or recognised[name] for name in columns if name in self._rename | recognised
        }
        self._texts = {name: distinct_texts(values) or [] for name, values in batch.items()}
        meanings = [
            f"{theirs!r} is {_MEANING.get(ours, ours)}" for theirs, ours in recognised.items() if theirs.lower() != ours
        ]
        if meanings and not lacking(self._known):
            meaning = f"recognised by their names: {', '.join(meanings)}"
            self._notes.append(f"Columns of {self._source}, {meaning}. To change that, use --rename COLUMN=NAME.")

    def _add(self, batch: Mapping[str, pa.Array]) -> None:
        for name, values in batch.items():
            if name in ("left", "right"):
                self._agents.add(_as_text(values), name)
            elif name in ("winner", *LABELS):
                self._coded.setdefault(name, NameCoder()).add(_as_text(values))
            elif name in WON:
                self._numbers.setdefault(name, []).append(self._shares(name, values))
            elif name == "weight":
                self._numbers.setdefault(name, []).append(self._weights(values))
            else:
                self._free.setdefault(name, []).append(values)
        self._length += len(batch["left"])

    def _shares(self, name: str, values: pa.Array) -> NDArray[np.float64]:
        numbers = _as_numbers(values)
        if numbers is not None:
            return numbers
        shares = np.full(len(values), np.nan)
        for row, value in enumerate(_as_text(values).to_pylist()):
            word = (value or "").strip()
            number = _as_numbers(pa.array([word], pa.string()))
            if number is None and word.lower() not in _TRUTHS:
                raise BadVote(self._length + row, name, f"expected a number, or true or false, got {value!r}")
            shares[row] = _TRUTHS[word.lower()] if number is None else number[0]
        return shares

    def _weights(self, values: pa.Array) -> NDArray[np.float64]:
        numbers = _as_numbers(values)
        if numbers is not None and np.isnan(numbers).any():
            row = self._length + int(np.isnan(numbers).argmax())
            raise BadVote(row, "weight", "it is empty", fix="give every vote a weight, or drop the column")
        if numbers is None or not ((numbers >= 0) & np.isfinite(numbers)).all():
            for row, value in enumerate(_as_text(values).to_pylist()):
                number = _as_numbers(pa.array([value], pa.string()))
                if number is None or not 0 <= number[0] < np.inf:
                    got = repr(value) if number is None else repr(float(number[0]))
                    raise BadVote(self._length + row, "weight", f"expected a number of 0 or more, got {got}")
        assert numbers is not None
        return numbers

    def _finish(self, values: Mapping[str, str], missing: str | None) -> Draft:
        labels = {name: _names(coder) for name, coder in self._coded.items()}
        covariates, free = {}, {}
        for name, parts in self._free.items():
            numbers = [_as_numbers(part) for part in parts]
            if all(part is not None for part in numbers):
                covariates[name] = np.concatenate([part for part in numbers if part is not None])
            else:
                coder = NameCoder()
                for part in parts:
                    coder.add(_as_text(part))
                free[name] = _names(coder)
        missing_columns = lacking(self._known)
        agents, sides = self._agents.finish() if not missing_columns else ((), {})
        none = np.zeros(0, dtype=np.int32)
        left, right = sides.get("left", none), sides.get("right", none)
        shares = {name: np.concatenate(self._numbers[name]) for name in WON if name in self._numbers}
        if missing_columns:
            winners = Winners(np.zeros(0, dtype=np.int8))
        elif "winner" in labels:
            sides_named = (self.theirs("left"), self.theirs("right"))
            winners = read_winners(
                labels["winner"],
                agents,
                left,
                right,
                sides=sides_named,
                values=values,
                missing=missing,
                tied=shares["tied"] > 0 if "tied" in shares else None,
            )
        else:
            winners = self._winners(shares, missing)
        return Draft(
            source=self._source,
            columns=self._texts,
            known=self._known,
            lacking=missing_columns,
            length=self._length,
            agents=agents,
            left=left,
            right=right,
            winners=winners,
            labels=labels,
            weight=np.concatenate(self._numbers["weight"]) if "weight" in self._numbers else None,
            covariates=covariates,
            free=free,
            notes=(*self._notes, *winners.notes, *_skipped(winners, self._source)),
        )

    def _winners(self, shares: Mapping[str, NDArray[np.float64]], missing: str | None) -> Winners:
        tied = shares["tied"] > 0 if "tied" in shares else None
        if left_won_all(self._known):
            codes = np.full(self._length, LEFT, dtype=np.int8)
            if tied is not None:
                codes[tied] = TIE
            return Winners(codes)
        codes = winners_of_shares(shares["left_won"], shares["right_won"], tied)
        if missing == "skip":
            codes[codes == BAD] = SKIP
        names = f"{self.theirs('left_won')!r} and {self.theirs('right_won')!r}"
        return Winners(codes, (f"The winner is the agent with more of {names}; equal values are a tie.",))


def _skipped(winners: Winners, source: str) -> tuple[str, ...]:
    number = int((winners.codes == SKIP).sum())
    return (f"{number:,} of {len(winners.codes):,} votes of {source} are left out.",) if number else ()


def _names(coder: NameCoder) -> Names:
    names, columns = coder.finish()
    return Names(names, columns[""])


def _as_text(values: pa.Array) -> pa.Array:
    return values if pa.types.is_dictionary(values.type) else values.cast(pa.string())


def _as_numbers(values: pa.Array) -> NDArray[np.float64] | None:
    """Return the values as floats, with NaN for missing ones. None if one of them is not a number."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        trimmed = pc.utf8_trim_whitespace(values)
        values = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, trimmed.type), trimmed)
    try:
        numbers: NDArray[np.float64] = values.cast(pa.float64()).fill_null(float("nan")).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return numbers
