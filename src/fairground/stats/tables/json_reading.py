"""Read JSON: one object per line, or one document in any usual shape. Duplicate keys and infinity are rejected.

NaN is missing, as programs that write NaN mean it. Lists and objects in a record become JSON text.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from fairground.core import InvalidInput
from fairground.stats.tables.arrays import json_text
from fairground.stats.tables.json_shapes import lift, nested_results, records_of

_LINES = 20_000  # lines per batch
_MOST = 1 << 29  # maximum bytes of a document, which must be held in memory


def json_batches(path: Path, notes: list[str]) -> Iterator[dict[str, pa.ChunkedArray]]:
    """Yield the columns of a JSON file in batches of rows, all with the same columns.

    Args:
        path: The file.
        notes: Receives how the document's shape was interpreted.
    """
    parts: dict[str, list[pa.Array]] = {}
    sizes: list[int] = []
    # All batches are held until the end, because only then all columns are known.
    nested: dict[tuple[str, ...], str] | None = None
    for records in _document(path, notes) if is_document(path) else _json_lines(path):
        if nested is None:
            nested = nested_results(records, str(path), notes)
        for record in records if nested else ():
            lift(record, nested)
        for name in dict.fromkeys(name for record in records for name in record):
            known = parts.setdefault(name, [pa.nulls(size) for size in sizes])
            values = [record.get(name) for record in records]
            try:
                known.append(_inferred(values))
            except UnicodeEncodeError as error:
                row = sum(sizes) + values.index(error.object)
                raise InvalidInput(
                    f"{path}, {json_places(path, [row])[0]}, column {name!r}: a lone surrogate, which is not text",
                    fix="correct its encoding",
                ) from None
        sizes.append(len(records))
        for known in parts.values():
            if len(known) < len(sizes):
                known.append(pa.nulls(len(records)))
    if not parts:
        raise InvalidInput(f"{path}: no episode in it", fix="write one JSON object per line")
    columns = {name: _of_one_type(chunks) for name, chunks in parts.items()}
    for at in range(len(sizes)):
        yield {name: pa.chunked_array([chunks[at]]) for name, chunks in columns.items()}


def json_places(path: Path, rows: Sequence[int]) -> list[str]:
    """Return descriptions of rows (counted from 0): their lines, or their numbers in a document."""
    places = {row: f"row {row + 1}" for row in rows}
    if not is_document(path):
        with path.open("rb") as file:
            full = (number for number, line in enumerate(file, 1) if line.strip())
            for row, number in zip(range(max(rows, default=-1) + 1), full, strict=False):
                if row in places:
                    places[row] = f"line {number}"
    return [places[row] for row in rows]


def is_document(path: Path) -> bool:
    """Return whether a file contains one JSON value, and not one object per line."""
    with path.open("rb") as file:
        first = next((line.strip() for line in file if line.strip(b"\xef\xbb\xbf \t\r\n")), b"")
        first = first.removeprefix(b"\xef\xbb\xbf").strip()
        if first[:1] == b"[" or first == b"{":
            return True
        if path.suffix.lower() != ".json" or not first.startswith(b"{"):
            return path.suffix.lower() == ".json"
        if not any(line.strip() for line in file):  # a single line: an object of everything, or the only episode
            return True
    try:
        _decode(first)
    except (ValueError, RecursionError):
        return True  # it continues on the next line
    return False


def _document(path: Path, notes: list[str]) -> Iterator[list[dict[str, Any]]]:
    size = path.stat().st_size
    if size > _MOST:
        raise InvalidInput(
            f"{path}: {size >> 20:,} MB of JSON in one value, expected at most {_MOST >> 20:,} MB",
            fix="write one object per line (.jsonl), which has no limit",
        )
    try:
        value = _decode(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path}: not valid JSON: {error}", fix="check that the file is complete") from None
    records = records_of(value, str(path), notes)
    for start in range(0, len(records), _LINES):
        yield records[start : start + _LINES]


def _json_lines(path: Path) -> Iterator[list[dict[str, Any]]]:
    with path.open("rb") as file:
        numbered = ((number, line) for number, line in enumerate(file, 1) if line.strip())
        while lines := list(itertools.islice(numbered, _LINES)):
            yield _parsed(path, lines)


def _parsed(path: Path, lines: list[tuple[int, bytes]]) -> list[dict[str, Any]]:
    try:  # parsing all at once is several times faster
        records = _decode(b"[" + b",".join([line for _, line in lines]) + b"]")
        plain = len(records) == len(lines) and all(type(record) is dict for record in records)
    except (ValueError, RecursionError):
        plain = False
    if plain:
        return cast(list[dict[str, Any]], records)
    return [_record(path, number, line) for number, line in lines]


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    where = f"{path}, line {number}"
    try:
        record = _decode(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: not valid JSON: {error}", fix="write one JSON object per line") from None
    if not isinstance(record, dict):
        raise InvalidInput(
            f"{where}: expected an object, got {json_text(record)[:60]}", fix="write one JSON object per line"
        )
    return record


def _inferred(values: list[Any]) -> pa.Array:
    """Return values of one type as Arrow infers it, others as text."""
    try:
        inferred = pa.array(values)
        if not pa.types.is_nested(inferred.type):
            return inferred
    except UnicodeEncodeError:
        raise
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):  # of several types
        pass
    return pa.array([_scalar(value) for value in values], pa.string())


def _of_one_type(parts: list[pa.Array]) -> list[pa.Array]:
    kinds = {part.type for part in parts if not pa.types.is_null(part.type)}
    if not kinds:
        return [part.cast(pa.string()) for part in parts]
    if len(kinds) == 1:
        kind = kinds.pop()
        return [part.cast(kind) for part in parts]
    return [pa.array([_scalar(value) for value in part.to_pylist()], pa.string()) for part in parts]


def _scalar(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return json_text(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _decode(text: bytes) -> Any:
    return _DECODER.decode(text.decode("utf-8-sig"))


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} occurs twice")
    return fields


def _constant(name: str) -> None:
    if name != "NaN":
        raise ValueError(f"{name} is not a number")


_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_twice, parse_constant=_constant)
