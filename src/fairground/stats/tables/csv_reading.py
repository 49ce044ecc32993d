"""Read CSV files strictly: what Arrow would silently misread is rejected, with the line number."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from fairground.core import InvalidInput
from fairground.stats.tables.synonyms import short

_BYTES = 1 << 24  # bytes per batch


def csv_batches(path: Path) -> Iterator[dict[str, pa.ChunkedArray]]:
    """Yield a CSV file's columns as text, in batches of rows."""
    header, delimiter, lines, _ = _header(path)
    _refuse_open_quote(path)
    options = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False, quoted_strings_can_be_null=False
    )
    parse = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    # Threads would lose the row numbers, and save only a tenth of the time.
    read = pa.csv.ReadOptions(block_size=_BYTES, use_threads=False, column_names=header, skip_rows=lines)
    try:
        with pa.csv.open_csv(path, read, parse, options) as reader:
            for batch in reader:
                yield {name: pa.chunked_array([batch.column(name)]) for name in header}
    except pa.ArrowInvalid as error:
        raise _explained(path, header, lines, str(error)) from None


def csv_delimiter(path: Path) -> str:
    """Return the separator of a CSV file."""
    return _header(path)[1]


def _explained(path: Path, header: list[str], lines: int, error: str) -> InvalidInput:
    """Explain an error of Arrow. Its rows are counted from 1, including every line of the header."""
    if ragged := re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", error, re.DOTALL):
        (place,) = csv_places(path, [int(ragged[1]) - lines - 1])
        return InvalidInput(
            f"{path}, {place}: expected {ragged[2]} columns, got {ragged[3]}: {short(ragged[4])!r}",
            fix='put a value with a separator or line break in quotes: "like, this"',
        )
    if encoding := re.search(r"column #(\d+): Row #(\d+):.*UTF8", error):
        (place,) = csv_places(path, [int(encoding[2]) - lines - 1])
        return InvalidInput(
            f"{path}, {place}, column {header[int(encoding[1])]!r}: not UTF-8 text", fix="save it as UTF-8"
        )
    if "Empty CSV" in error or "Could not skip" in error:
        return InvalidInput(f"{path}: no episode in it", fix="write a header, and one row per episode")
    return InvalidInput(f"{path}: not a readable CSV file: {error.splitlines()[0][:200]}")


def csv_places(path: Path, rows: Sequence[int]) -> list[str]:
    """Return the lines at which rows (counted from 0) begin.

    They are looked up again, because values may have line breaks.
    """
    wanted = {row + 1: f"row {row + 1}" for row in rows}  # the header comes before row 0
    for number, (line, _) in enumerate(_records(path)):
        if number in wanted:
            wanted[number] = f"line {line}"
        if number >= max(wanted, default=0):
            break
    return [wanted[row + 1] for row in rows]


def _header(path: Path) -> tuple[list[str], str, int, int]:
    """Return the column names, the separator, how many lines they take, and the line where the names begin.

    The separator is the most frequent of comma, semicolon, tab and bar. Columns without a name are named by their
    position: pandas writes its index like that. Comments and Excel's separator line (`sep=;`) may precede the names.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            number, line = _first_line(file)
            if not line:
                raise InvalidInput(f"{path}: empty", fix="write a header, and one row per episode")
            delimiter = "\t" if path.suffix.lower() == ".tsv" and "\t" in line else _delimiter(line)
            file.seek(0)
            records = csv.reader(itertools.islice(file, number - 1, None), delimiter=delimiter)
            header = [name.strip() or f"unnamed_{at}" for at, name in enumerate(next(records), 1)]
    except UnicodeDecodeError:
        raise InvalidInput(f"{path}: not UTF-8 text", fix="save it as UTF-8") from None
    except csv.Error as error:
        raise InvalidInput(f"{path}: the header cannot be read: {error}", fix="check its quotes") from None
    for name in header:
        if header.count(name) > 1:
            raise InvalidInput(f"{path}: column {name!r} occurs twice", fix="rename or drop one of them")
    return header, delimiter, number - 1 + records.line_num, number


def _first_line(lines: Iterable[str]) -> tuple[int, str]:
    """Return the line with the column names, and its number; an empty line if there is none."""
    comment: tuple[int, str] | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip() or re.fullmatch(r'"?sep=[,;\t|]?"?', line.strip()):
            continue
        if line.startswith("# "):
            comment = comment or (number, line)
            continue
        if comment is not None and (mark := _delimiter(line)) in comment[1]:
            # `# steps,task,success` is not a comment: it has as many names as the next line has values.
            return comment if comment[1].count(mark) == line.count(mark) else (number, line)
        return number, line
    return comment or (0, "")


def _delimiter(line: str) -> str:
    return max(",;\t|", key=line.count)


def _records(path: Path, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield every record of a CSV file, with the line at which it begins."""
    _, delimiter, _, first = _header(path)
    limit = csv.field_size_limit(2**31 - 1)
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            records = csv.reader(itertools.islice(file, first - 1, None), delimiter=delimiter, strict=strict)
            started = first
            for record in records:  # Arrow skips empty lines
                if record:
                    yield started, record
                started = first + records.line_num
    finally:
        csv.field_size_limit(limit)


def _refuse_open_quote(path: Path) -> None:
    """Reject a quote that is never closed: it would silently swallow all rows after it."""
    quotes = 0
    with path.open("rb") as file:
        while block := file.read(_BYTES):
            quotes += block.count(b'"')
    if quotes % 2 == 0:
        return
    line = 1
    try:
        for begins, record in _records(path, strict=True):
            line = begins + 1 + sum(value.count("\n") for value in record)
    except csv.Error as error:
        if "end of data" in str(error):
            raise InvalidInput(
                f"{path}, line {line}: a quote is opened and never closed",
                fix='close it; a quote inside a value is written twice: "a 5"" screen"',
            ) from None
