"""Reading votes from files: CSV, JSON lines, Parquet; in batches, so that size does not matter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairground.core import InvalidInput, unknown
from fairground.stats.tables.reading import batches, file_kind, row_places
from fairground.stats.tables.table import Names
from fairground.stats.votes.votes import BadVote, NameCoder, Votes, winner_codes

NEEDED = ("left", "right", "winner")
LABELS = ("voter", "task", "category")
_USUAL = {"model_a": "left", "model_b": "right", "agent_a": "left", "agent_b": "right", "judge": "voter"}


def read_votes(path: str | Path, *, rename: Mapping[str, str] | None = None) -> Votes:
    """Reads votes from one file, strictly.

    Columns: `left`, `right` and `winner` are needed; `weight`, `voter`, `task` and `category` are understood. Of the
    others, those that hold numbers only become `covariates`, and the rest is kept in `free`.

    Args:
        path: A file that ends in .csv, .tsv, .jsonl or .parquet.
        rename: What its columns are called here, such as `{"model_a": "left", "model_b": "right"}`.

    Raises:
        InvalidInput: Names the file, line (of a Parquet file: row) and column at fault.
    """
    path = Path(path)
    kind = file_kind(path)
    try:
        return _Intake(str(path), rename or {}).read(path, kind)
    except BadVote as fault:
        place = f"{path}, {row_places(path, kind, [fault.row])[0]}"
        column = {ours: theirs for theirs, ours in (rename or {}).items()}.get(fault.column, fault.column)
        raise BadVote(fault.row, column, fault.problem, fix=fault.fix, place=place) from None


class _Intake:
    """Takes batches of columns, and makes votes of them."""

    def __init__(self, source: str, rename: Mapping[str, str]) -> None:
        self._source, self._rename = source, dict(rename)
        self._agents = NameCoder()
        self._coded: dict[str, NameCoder] = {}
        self._numbers: dict[str, list[NDArray[np.float64]]] = {}
        self._free: dict[str, list[pa.Array]] = {}
        self._length = 0

    def read(self, path: Path, kind: str) -> Votes:
        for batch in batches(path, kind):
            ours = {self._rename.get(name, name): values.combine_chunks() for name, values in batch.items()}
            if self._length == 0:
                self._check_columns(tuple(batch), ours)
            self._add(ours)
        if self._length == 0:
            raise InvalidInput(f"{self._source}: no vote in it", fix="one row a vote: left,right,winner")
        return self._finish()

    def _check_columns(self, theirs: tuple[str, ...], ours: Mapping[str, pa.Array]) -> None:
        for name in self._rename:
            if name not in theirs:
                raise unknown(f"column of {self._source}", name, theirs)
        if len(ours) < len(theirs):
            raise InvalidInput(f"{self._source}: two columns have one name after renaming", fix="check the renaming")
        for name in NEEDED:
            if name not in ours:
                hints = [f"{column}={_USUAL[column]}" for column in theirs if _USUAL.get(column) == name]
                fix = (
                    f"rename a column: {hints[0]}" if hints else f"a file of votes has the columns {', '.join(NEEDED)}"
                )
                raise InvalidInput(f"{self._source}: no column {name!r}; it has {', '.join(theirs)}", fix=fix)

    def _add(self, batch: Mapping[str, pa.Array]) -> None:
        for name, values in batch.items():
            if name in ("left", "right"):
                self._agents.add(_as_text(values), name)
            elif name in ("winner", *LABELS):
                self._coded.setdefault(name, NameCoder()).add(_as_text(values))
            elif name == "weight":
                self._numbers.setdefault(name, []).append(self._weights(values))
            else:
                self._free.setdefault(name, []).append(values)
        self._length += len(batch["left"])

    def _weights(self, values: pa.Array) -> NDArray[np.float64]:
        numbers = _as_numbers(values)
        if numbers is None:  # one of them is not a number: which?
            for row, value in enumerate(_as_text(values).to_pylist()):
                if _as_numbers(pa.array([value], pa.string())) is None:
                    raise BadVote(self._length + row, "weight", f"expected a number from 0 up, got {value!r}")
        elif np.isnan(numbers).any():
            row = self._length + int(np.isnan(numbers).argmax())
            raise BadVote(row, "weight", "it is empty", fix="give every vote a weight, or drop the column")
        assert numbers is not None
        return numbers

    def _finish(self) -> Votes:
        agents, sides = self._agents.finish()
        labels = {}
        for name, coder in self._coded.items():
            names, columns = coder.finish()
            labels[name] = Names(names, columns[""])
        covariates, free = {}, {}
        for name, parts in self._free.items():
            numbers = [_as_numbers(part) for part in parts]
            if all(part is not None for part in numbers):
                covariates[name] = np.concatenate([part for part in numbers if part is not None])
            else:
                coder = NameCoder()
                for part in parts:
                    coder.add(_as_text(part))
                names, columns = coder.finish()
                free[name] = Names(names, columns[""])
        return Votes(
            agents=agents,
            left=sides["left"],
            right=sides["right"],
            winner=winner_codes(labels["winner"]),
            weight=np.concatenate(self._numbers["weight"]) if "weight" in self._numbers else None,
            voter=labels.get("voter"),
            task=labels.get("task"),
            category=labels.get("category"),
            covariates=covariates,
            free=free,
        )


def _as_text(values: pa.Array) -> pa.Array:
    return values if pa.types.is_dictionary(values.type) else values.cast(pa.string())


def _as_numbers(values: pa.Array) -> NDArray[np.float64] | None:
    """The values as floats, NaN where there is none; or None, when one of them is not a number."""
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
