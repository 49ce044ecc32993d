"""JSON lines, strictly: one object a line, no key twice, no NaN; lists and objects in them become their JSON text."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from fairground.core import InvalidInput, parse_json
from fairground.stats.tables.intake import json_text

_LINES = 20_000  # a batch


def json_batches(path: Path) -> Iterator[dict[str, pa.ChunkedArray]]:
    """The columns of a file of JSON lines, some thousand rows at a time, all with the same columns."""
    parts: dict[str, list[pa.Array]] = {}
    sizes: list[int] = []
    # Held until the end, because only then all columns are known: a table would hold most of it anyway.
    for records in _json_records(path):
        for name in dict.fromkeys(name for record in records for name in record):
            known = parts.setdefault(name, [pa.nulls(size) for size in sizes])
            known.append(_inferred([record.get(name) for record in records], path, name, sum(sizes) + 1))
        sizes.append(len(records))
        for known in parts.values():
            if len(known) < len(sizes):
                known.append(pa.nulls(len(records)))
    if not parts:
        raise InvalidInput(f"{path}: no episode in it", fix="one JSON object a line")
    columns = {name: _of_one_type(found) for name, found in parts.items()}
    for at in range(len(sizes)):
        yield {name: pa.chunked_array([found[at]]) for name, found in columns.items()}


def _json_records(path: Path) -> Iterator[list[dict[str, Any]]]:
    with path.open("rb") as file:
        numbered = enumerate(file, 1)
        while lines := list(itertools.islice(numbered, _LINES)):
            full = [line for line in lines if line[1].strip()]
            if len(full) < len(lines):  # the end of the file, or a hole in it
                hole = next(number for number, line in lines if not line.strip())
                if any(number > hole and line.strip() for number, line in itertools.chain(lines, numbered)):
                    raise InvalidInput(f"{path}, line {hole}: empty, and more comes after it", fix="drop that line")
            if full:
                yield _parsed(path, full)


def _parsed(path: Path, lines: list[tuple[int, bytes]]) -> list[dict[str, Any]]:
    try:  # all at once is several times faster
        records = _DECODER.decode("[" + ",".join([line.decode() for _, line in lines]) + "]")
        plain = len(records) == len(lines) and all(type(record) is dict for record in records)
    except (ValueError, RecursionError):
        plain = False
    if plain:
        return cast(list[dict[str, Any]], records)
    return [_record(path, number, line) for number, line in lines]


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    where = f"{path}, line {number}"
    if line.strip() in (b"[", b"{") or (number == 1 and line.lstrip().startswith(b"[")):
        raise InvalidInput(
            f"{where}: expected one JSON object a line, got the beginning of a list or of an object over many lines",
            fix=f"write each episode on a line of its own: jq -c '.[]' {path.name}",
        )
    record = parse_json(line, where=where)
    if not isinstance(record, dict):
        raise InvalidInput(f"{where}: expected an object, got {json_text(record)[:60]}", fix="one JSON object a line")
    return record


def _inferred(values: list[Any], path: Path, name: str, first: int) -> pa.Array:
    """Values of one type as Arrow has it, others as text."""
    try:
        found = pa.array(values)
        if not pa.types.is_nested(found.type):
            return found
    except UnicodeEncodeError as error:
        line = first + values.index(error.object)
        raise InvalidInput(
            f"{path}, line {line}, column {name!r}: half of a surrogate pair, which is no text",
            fix="correct its encoding",
        ) from None
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


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_twice, parse_constant=_refuse_constant)
