"""JSON as the standard has it, in both directions.

Python's own writes `NaN`, which other readers refuse, and reads it. An episode is read by programs that are not
ours, years later, so what is written here is plain RFC 8259 in UTF-8, and nothing else is accepted back.
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
    """A record as JSON text.

    What JSON cannot say (checks and `extra` may hold anything) is kept as text rather than lost or refused: a
    float that is not a number becomes "nan", an unknown object its `repr`.
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
    """Reads a record strictly: no coercion of "5" to 5, no NaN, no unknown fields.

    Raises:
        EpisodeError: Naming the path to each fault, such as `steps[2].index: ...`.
    """
    loads(data, where=where)
    try:
        return kind.model_validate_json(data, strict=True)
    except ValidationError as error:
        raise EpisodeError(explain(error, where)) from None


def loads(data: bytes, *, where: str) -> Any:
    """Parses strict JSON, or raises `EpisodeError` that says what is wrong and where."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_refuse_twins)
    except (ValueError, RecursionError) as error:  # ValueError: bad JSON, bad UTF-8, a number of 5,000 digits
        raise EpisodeError(f"{where}: not strict JSON: {error}") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("the same name twice in one object")
    return found
