"""Read tables of episodes from files: CSV, JSON, Parquet. In batches, so that the size does not matter."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from fairground.core import InvalidInput
from fairground.stats.tables.arrays import flattened
from fairground.stats.tables.csv_reading import csv_batches, csv_delimiter, csv_places
from fairground.stats.tables.intake import Intake
from fairground.stats.tables.json_reading import json_batches, json_places
from fairground.stats.tables.results import ResultRules
from fairground.stats.tables.synonyms import listed
from fairground.stats.tables.table import Table, join_tables

KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""File types that are read and written. JSON documents are only read."""

_READ = {**KINDS, ".json": "json"}
_ROWS = 1 << 18  # rows of Parquet per batch


def read_table(
    paths: str | Path | Sequence[str | Path],
    *,
    rename: Mapping[str, str] | None = None,
    success_at: float | None = None,
    reward_max: float = 1.0,
    values: Mapping[str, str] | None = None,
    missing: str | None = None,
    wide: str | None = None,
) -> Table:
    """Read one table from one or several files, strictly.

    `scenario` and one of `success`, `outcome`, `reward` are required. `agent`, `condition`, `suite`, `app`, `instance`,
    `profile`, `theme`, `ui_state` and `rollout` are names; a missing column was not varied. `reward`, `steps`,
    `seconds` and `cost` are numbers, or empty. All other columns are kept. Well-known names of others, such as
    `task_id` and `is_resolved`, are recognised; the table's `notes` say what was read as what.

    Args:
        paths: Files that end in .csv, .tsv, .jsonl, .json or .parquet.
        rename: Our names of their columns, such as `{"model": "agent", "domain": "app"}`.
        success_at: Minimum reward of a success, for a table that has only rewards.
        reward_max: The highest reward, such as 100. `success_at` is on the same scale.
        values: What words in a column of results mean: `{"timeout": "failed"}`, or `skip` to leave out those rows.
        missing: What an episode without a result is: `errored`, `failed` or `skip`. By default it is an error.
        wide: What each column of results is, in a table with several of them: `agent`, `rollout` or `scenario`.

    Raises:
        InvalidInput: If something is wrong. The message names the file, row and column.
    """
    files = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    _refuse_one_file_twice(files)
    rules = ResultRules(success_at, reward_max, values or {}, missing)
    tables = []
    for path in files:
        kind = file_kind(path)
        with _reading(path):
            comma = kind == "csv" and csv_delimiter(path) != ","
        intake = Intake(
            str(path),
            rename=rename,
            rules=replace(rules, decimal_comma=comma),
            wide=wide,
            places=partial(row_places, path, kind),
        )
        notes: list[str] = []
        for batch in batches(path, kind, notes):
            intake.add(batch)
        table = intake.finish()
        tables.append(replace(table, notes=(*notes, *table.notes)))
    return replace(join_tables(tables), notes=_said_once(tables))


def _said_once(tables: Sequence[Table]) -> tuple[str, ...]:
    """Return the notes of several files without repetition."""
    about: dict[str, list[str]] = {}
    for table in tables:
        for note in table.notes:
            about.setdefault(note.replace(table.source, "\0"), []).append(table.source)
    return tuple(
        note.replace("\0", sources[0] if len(sources) == 1 else f"{sources[0]} and {len(sources) - 1} more")
        for note, sources in about.items()
    )


def read_columns(
    path: str | Path, wanted: Sequence[str], *, rename: Mapping[str, str] | None = None
) -> dict[str, list[str]]:
    """Return columns of any table as text. A missing value is the empty text."""
    path = Path(path)
    names = {ours: theirs for theirs, ours in (rename or {}).items()}
    columns: dict[str, list[str]] = {name: [] for name in wanted}
    for batch in batches(path, file_kind(path)):
        for name in wanted:
            theirs = names.get(name, name)
            if theirs not in batch:
                raise InvalidInput(
                    f"{path}: no column {theirs!r}; it has {listed(batch)}",
                    fix=f"rename your column: --rename NAME={name}",
                )
            columns[name] += [(value or "").strip() for value in batch[theirs].cast(pa.string()).to_pylist()]
    return columns


def file_kind(path: Path) -> str:
    """Return the kind of a file by its suffix. Raises an error if it does not exist."""
    if not path.exists():
        raise InvalidInput(f"{path} does not exist", fix=_near(path))
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder", fix=f"give the files in it: {path}/*.csv")
    if not path.is_file():
        raise InvalidInput(f"{path} is not a regular file, so it cannot be read twice", fix="write it to a file first")
    kind = _READ.get(path.suffix.lower())
    if kind is None:
        packed = path.suffix.lower() in (".gz", ".zip", ".bz2", ".xz", ".zst")
        raise InvalidInput(
            f"{path}: expected a file name that ends in {', '.join(_READ)}, got {path.suffix or 'no suffix'!r}",
            fix="unpack it first" if packed else "save it as CSV, or rename it if it is one of these",
        )
    return kind


def batches(path: Path, kind: str, notes: list[str] | None = None) -> Iterator[dict[str, pa.ChunkedArray]]:
    """Yield a file's columns in batches of rows. Every batch has the same columns.

    Args:
        path: The file.
        kind: The result of `file_kind`.
        notes: Receives how the file's shape was interpreted.
    """
    reader: dict[str, Callable[[Path], Iterator[dict[str, pa.ChunkedArray]]]] = {
        "csv": csv_batches,
        "json": (read_json := partial(json_batches, notes=[] if notes is None else notes)),
        "jsonl": read_json,
        "parquet": _parquet,
    }
    with _reading(path):
        yield from reader[kind](path)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror or error}") from None


def row_places(path: Path, kind: str, rows: Sequence[int]) -> list[str]:
    """Return descriptions of rows (counted from 0). Lines are looked up again, because values may have line breaks."""
    if kind == "parquet":
        return [f"row {row + 1}" for row in rows]
    return csv_places(path, rows) if kind == "csv" else json_places(path, rows)


def _parquet(path: Path) -> Iterator[dict[str, pa.ChunkedArray]]:
    try:
        with pa.parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            for name in names:
                if names.count(name) > 1:
                    raise InvalidInput(f"{path}: column {name!r} occurs twice", fix="rename or drop one of them")
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
    """Return the fix for a file that does not exist."""
    there = sorted(sibling.name for sibling in path.parent.iterdir()) if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, there, n=1, cutoff=0.7)
    return f"did you mean {path.parent / near[0]}?" if near else "give a table: a .csv, .jsonl, .json or .parquet file"
