"""Reading tables of episodes from files: CSV, JSON lines, Parquet; in batches, so that size does not matter."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from fairground.core import InvalidInput
from fairground.stats.tables.column_advice import listed
from fairground.stats.tables.csv_reading import csv_batches, csv_place
from fairground.stats.tables.intake import Intake, flattened
from fairground.stats.tables.json_reading import json_batches
from fairground.stats.tables.table import Table, join_tables

KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_ROWS = 1 << 18  # of Parquet a batch


def read_table(
    paths: str | Path | Sequence[str | Path],
    *,
    rename: Mapping[str, str] | None = None,
    success_at: float | None = None,
) -> Table:
    """Reads one table from one or several files, strictly.

    Columns: `scenario` and one of `success`, `outcome`, `reward` are needed. `agent`, `condition`, `suite`, `app`,
    `instance`, `profile`, `theme`, `ui_state` and `rollout` are names, and what is not there was not varied.
    `reward`, `steps`, `seconds` and `cost` are numbers, or empty. Everything else is kept as it is.

    Args:
        paths: Files that end in .csv, .tsv, .jsonl or .parquet.
        rename: What their columns are called here, such as `{"model": "agent", "domain": "app"}`.
        success_at: The reward from which on an episode is a success, in a table that has rewards only.

    Raises:
        InvalidInput: Names the file, row and column at fault.
    """
    files = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    _refuse_one_file_twice(files)
    tables = []
    for path in files:
        kind = file_kind(path)
        intake = Intake(str(path), rename=rename, success_at=success_at, place=partial(row_place, path, kind))
        for batch in batches(path, kind):
            intake.add(batch)
        tables.append(intake.finish())
    return join_tables(tables)


def read_columns(
    path: str | Path, wanted: Sequence[str], *, rename: Mapping[str, str] | None = None
) -> dict[str, list[str]]:
    """Columns of any table, as text; what is missing in a row is the empty text."""
    path = Path(path)
    names = {ours: theirs for theirs, ours in (rename or {}).items()}
    found: dict[str, list[str]] = {name: [] for name in wanted}
    for batch in batches(path, file_kind(path)):
        for name in wanted:
            theirs = names.get(name, name)
            if theirs not in batch:
                raise InvalidInput(
                    f"{path}: no column {theirs!r}; it has {listed(batch)}", fix=f"rename yours: --rename NAME={name}"
                )
            found[name] += [(value or "").strip() for value in batch[theirs].cast(pa.string()).to_pylist()]
    return found


def file_kind(path: Path) -> str:
    """What kind of file it is, by the end of its name; refuses what is not there."""
    if not path.exists():
        raise InvalidInput(f"{path} does not exist", fix=_near(path))
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder", fix=f"name files in it: {path}/*.csv")
    if not path.is_file():
        raise InvalidInput(f"{path} is not a file that can be read twice", fix="write it to a file first")
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InvalidInput(
            f"{path}: expected a name that ends in {', '.join(KINDS)}, got {path.suffix or 'no ending'!r}",
            fix="rename it; a list in .json becomes lines with: jq -c '.[]' results.json > results.jsonl"
            if path.suffix.lower() == ".json"
            else "rename it, or save it as one of these",
        )
    return kind


def batches(path: Path, kind: str) -> Iterator[dict[str, pa.ChunkedArray]]:
    """A file's columns, some thousand rows at a time; every batch has the same columns."""
    reader: dict[str, Callable[[Path], Iterator[dict[str, pa.ChunkedArray]]]] = {
        "csv": csv_batches,
        "jsonl": json_batches,
        "parquet": _parquet,
    }
    try:
        yield from reader[kind](path)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror or error}") from None


def row_place(path: Path, kind: str, row: int) -> str:
    """How a person finds a row, counted from 0. Values may hold line ends, so a CSV row is looked up again."""
    if kind != "csv":
        return f"{'line' if kind == 'jsonl' else 'row'} {row + 1}"
    return csv_place(path, row)


def _parquet(path: Path) -> Iterator[dict[str, pa.ChunkedArray]]:
    try:
        with pa.parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            for name in names:
                if names.count(name) > 1:
                    raise InvalidInput(f"{path}: column {name!r} is there twice", fix="rename or drop one of them")
            for batch in file.iter_batches(batch_size=_ROWS):
                yield {name: flattened(pa.chunked_array([batch.column(name)])) for name in names}
    except (pa.ArrowException, OSError) as error:
        raise InvalidInput(
            f"{path}: not a readable Parquet file: {_first_line(error)}", fix="write it again, or give a .csv"
        ) from None


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _refuse_one_file_twice(paths: Sequence[Path]) -> None:
    seen: dict[Path, Path] = {}
    for path in paths:
        real = path.resolve()
        if real in seen:
            raise InvalidInput(f"{path} is given twice: its episodes would count twice", fix="give each file once")
        seen[real] = path


def _near(path: Path) -> str:
    """What to do about a file that is not there."""
    there = sorted(one.name for one in path.parent.iterdir()) if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, there, n=1, cutoff=0.7)
    return f"did you mean {path.parent / near[0]}?" if near else "give a table: a .csv, .jsonl or .parquet file"
