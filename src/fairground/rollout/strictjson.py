"""Strict JSON reading and writing (RFC 8259, UTF-8).

Python's `json` reads and writes `NaN`, which other readers reject. Episodes are read by other programs years later, so
only standard JSON is written and accepted.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError

from fairground.core import EpisodeError, Record
from fairground.core.plainjson import plain
from fairground.core.strict import explain

R = TypeVar("R", bound=Record)


def dumps(record: Record, *, indent: int | None = None) -> bytes:
    """Return a record as JSON text.

    Values that JSON cannot represent (checks and `extra` may hold anything) are stored as text: a float that is not a
    number becomes "nan", an unknown object its `repr`.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(
        plain(record.model_dump(mode="python")),
        ensure_ascii=False,
        allow_nan=False,
        indent=indent,
        separators=separators,
    )
    return text.encode() + b"\n"


def read_record(kind: type[R], data: bytes, *, where: str) -> R:
    """Read a record strictly: no coercion of "5" to 5, no NaN, no unknown fields.

    Raises:
        EpisodeError: If it is invalid. The message names the path to each fault, such as `steps[2].index: ...`.
    """
    loads(data, where=where)
    try:
        return kind.model_validate_json(data, strict=True)
    except ValidationError as error:
        raise EpisodeError(explain(error, where)) from None


def loads(data: bytes, *, where: str) -> Any:
    """Parse strict JSON. Raises `EpisodeError` that says what is wrong and where."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_refuse_twins)
    except (
        ValueError,
        RecursionError,
    ) as error:  # ValueError: invalid JSON, invalid UTF-8, or a number of 5,000 digits
        raise EpisodeError(f"{where}: not strict JSON: {error}") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("duplicate name in an object")
    return fields
