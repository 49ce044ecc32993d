"""Reading tables of episodes from files: CSV, JSON lines, Parquet; in batches, so that size does not matter."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from fairground.core import InvalidInput, parse_json
from fairground.stats.intake import Intake
from fairground.stats.table import Table, join_tables

KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_LINES = 20_000  # of JSON a batch
_BYTES = 1 << 24  # of CSV a batch
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
    listed = [paths] if isinstance(paths, str | Path) else list(paths)
    tables = []
    for path in map(Path, listed):
        kind = file_kind(path)
        row, first = ("line", 1) if kind == "jsonl" else ("row", 1)
        intake = Intake(str(path), rename=rename, success_at=success_at, row=row, first=first)
        for batch in batches(path, kind):
            intake.add(batch)
        tables.append(intake.finish())
    return join_tables(tables)


def file_kind(path: Path) -> str:
    """What kind of file it is, by the end of its name; refuses what is not there."""
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise InvalidInput(f"{path} {what}", fix="give a file with one row an episode: .csv, .jsonl or .parquet")
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InvalidInput(
            f"{path}: cannot tell what kind of file {path.suffix or 'this'} is",
            fix=f"expected a name that ends in {', '.join(KINDS)}",
        )
    return kind


def batches(path: Path, kind: str) -> Iterator[dict[str, pa.ChunkedArray]]:
    """A file's columns, some thousand rows at a time."""
    reader: dict[str, Callable[[Path], Iterator[dict[str, pa.ChunkedArray]]]] = {
        "csv": _csv,
        "jsonl": _jsonl,
        "parquet": _parquet,
    }
    return reader[kind](path)


def _csv(path: Path) -> Iterator[dict[str, pa.ChunkedArray]]:
    header, delimiter = _header(path)
    options = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False, quoted_strings_can_be_null=False
    )
    bad: list[Any] = []

    def remember(row: Any) -> str:
        bad.append(row)
        return "error"

    parse = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=remember)
    read = pa.csv.ReadOptions(block_size=_BYTES, use_threads=False)  # threads lose the number of a row
    try:
        with pa.csv.open_csv(path, read, parse, options) as reader:
            for batch in reader:
                yield {name: pa.chunked_array([batch.column(name)]) for name in header}
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        if bad:
            number = f"row {bad[0].number - 1}" if bad[0].number else "a row"
            text = bad[0].text if len(bad[0].text) <= 60 else bad[0].text[:57] + "..."
            raise InvalidInput(
                f"{path}, {number}: expected {bad[0].expected_columns} columns, got {bad[0].actual_columns}: {text!r}",
                fix='a value that holds the separator or a line end must stand in quotes: "like, this"',
            ) from None
        raise InvalidInput(f"{path}: not a readable CSV file: {_first_line(error)}") from None


def _header(path: Path) -> tuple[list[str], str]:
    """The names of the columns, and what stands between them: comma, semicolon or tab, whichever is most there."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            line = next((text for text in file if text.strip()), "")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path}: not UTF-8 text", fix="save it as UTF-8") from None
    if not line:
        raise InvalidInput(f"{path}: empty", fix="one row an episode, under a header")
    delimiter = max(",;\t", key=line.count) if path.suffix.lower() != ".tsv" else "\t"
    header = next(csv.reader([line], delimiter=delimiter))
    for name in header:
        if not name.strip():
            raise InvalidInput(
                f"{path}: a column has no name: {', '.join(map(repr, header))}", fix="name it, or drop it"
            )
        if header.count(name) > 1:
            raise InvalidInput(f"{path}: column {name!r} is there twice", fix="rename or drop one of them")
    return header, delimiter


def _jsonl(path: Path) -> Iterator[dict[str, pa.ChunkedArray]]:
    names: dict[str, None] = {}
    with path.open("rb") as file:
        numbered = enumerate(file, 1)
        first = list(itertools.islice(numbered, _LINES))
        # The columns must be known before the first batch is taken in: those of the whole file, in order of sight.
        for number, line in itertools.chain(first, numbered):
            names.update(dict.fromkeys(_record(path, number, line)))
    if not names:
        raise InvalidInput(f"{path}: no episode in it", fix="one JSON object a line")
    with path.open("rb") as file:
        numbered = enumerate(file, 1)
        while lines := list(itertools.islice(numbered, _LINES)):
            records = [_record(path, number, line) for number, line in lines]
            yield {
                name: pa.chunked_array([pa.array([_scalar(record.get(name)) for record in records], pa.string())])
                for name in names
            }


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    record = parse_json(line, where=f"{path}, line {number}")
    if not isinstance(record, dict):
        raise InvalidInput(f"{path}, line {number}: expected an object, got {type(record).__name__}")
    for name, value in record.items():
        if isinstance(value, dict | list):
            raise InvalidInput(
                f"{path}, line {number}, column {name!r}: expected one value, got {type(value).__name__}",
                fix="put its parts into columns of their own",
            )
    return record


def _scalar(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _parquet(path: Path) -> Iterator[dict[str, pa.ChunkedArray]]:
    try:
        with pa.parquet.ParquetFile(path) as file:
            for field in file.schema_arrow:
                if pa.types.is_nested(field.type):
                    raise InvalidInput(
                        f"{path}, column {field.name!r}: expected one value a row, got {field.type}",
                        fix="put its parts into columns of their own, or drop it",
                    )
            for batch in file.iter_batches(batch_size=_ROWS):
                yield {name: pa.chunked_array([batch.column(name)]) for name in batch.schema.names}
    except (pa.ArrowInvalid, OSError) as error:
        raise InvalidInput(f"{path}: not a readable Parquet file: {_first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:200]


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
                    f"{path}: no column {theirs!r}; it has {', '.join(batch)}",
                    fix=f"rename yours: --rename NAME={name}",
                )
            found[name] += [(value or "").strip() for value in batch[theirs].cast(pa.string()).to_pylist()]
    return found
