"""Reading tables of episodes from files: CSV, JSON, Parquet; in batches, so that size does not matter."""

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
"""Files that are read and written; JSON documents are only read."""

_READ = {**KINDS, ".json": "json"}
_ROWS = 1 << 18  # of Parquet in a batch


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
    """Reads one table from one or several files, strictly.

    Columns: `scenario` and one of `success`, `outcome`, `reward` are needed. `agent`, `condition`, `suite`, `app`,
    `instance`, `profile`, `theme`, `ui_state` and `rollout` are names, and what is not there was not varied.
    `reward`, `steps`, `seconds` and `cost` are numbers, or empty. Everything else is kept as it is. Well-known names
    of others, such as `task_id` and `is_resolved`, are recognised; the table's `notes` say what was read as what.

    Args:
        paths: Files that end in .csv, .tsv, .jsonl, .json or .parquet.
        rename: What their columns are called here, such as `{"model": "agent", "domain": "app"}`.
        success_at: The reward from which on an episode is a success, in a table that has rewards only.
        reward_max: The highest reward, such as 100. `success_at` is on the same scale.
        values: What words in a column of results mean: `{"timeout": "failed"}`, or `skip` to leave those rows out.
        missing: What an episode without a result is: `errored`, `failed` or `skip`; refused unless given.
        wide: What each column of results is, in a table with several of them: `agent`, `rollout` or `scenario`.

    Raises:
        InvalidInput: Names the file, row and column at fault.
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
    """What is to be said about several files alike is said once."""
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
    kind = _READ.get(path.suffix.lower())
    if kind is None:
        packed = path.suffix.lower() in (".gz", ".zip", ".bz2", ".xz", ".zst")
        raise InvalidInput(
            f"{path}: expected a name that ends in {', '.join(_READ)}, got {path.suffix or 'no ending'!r}",
            fix="unpack it first" if packed else "save it as CSV, or rename it if it is one of these",
        )
    return kind


def batches(path: Path, kind: str, notes: list[str] | None = None) -> Iterator[dict[str, pa.ChunkedArray]]:
    """A file's columns, some thousand rows at a time; every batch has the same columns.

    Args:
        path: The file.
        kind: What `file_kind` says.
        notes: Takes what was understood of the file's shape.
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
    """How a person finds rows, counted from 0. Values may hold line ends, so the lines are looked up again."""
    if kind == "parquet":
        return [f"row {row + 1}" for row in rows]
    return csv_places(path, rows) if kind == "csv" else json_places(path, rows)


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
    return f"did you mean {path.parent / near[0]}?" if near else "give a table: a .csv, .jsonl, .json or .parquet file"
