"""JSON as the standard has it, in both directions.

Python's own writes `NaN`, which other readers refuse, and reads it. An episode is read by programs that are not
ours, years later, so what is written here is plain RFC 8259 in UTF-8, and nothing else is accepted back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError

from fairground.core import EpisodeError, Record
from fairground.core.strict import explain

R = TypeVar("R", bound=Record)


def dumps(record: Record, *, indent: int | None = None) -> bytes:
    """A record as JSON text.

    What JSON cannot say (checks and `extra` may hold anything) is kept as text rather than lost or refused: a
    float that is not a number becomes "nan", an unknown object its `repr`.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    plain = _plain(record.model_dump(mode="python"))
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
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


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _sayable(value.value if isinstance(value, Enum) else value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {_sayable(key if isinstance(key, str) else str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, AbstractSet):
        return sorted((_plain(item) for item in value), key=repr)
    import numpy as np

    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    return _sayable(str(value) if isinstance(value, date | time | Decimal | PurePath) else repr(value))


def _sayable(text: str) -> str:
    # A model can send half of a surrogate pair, which no encoding can write.
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
