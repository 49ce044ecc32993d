"""Columns from outside as Arrow arrays: lists and data frames, nested values as JSON text, texts as numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.tables.results import is_missing, number_of

_MOST_TEXTS = 10_000  # distinct values that are looked at to see what a column holds


def column_array(name: str, values: Iterable[Any]) -> pa.ChunkedArray:
    """A column that is a list, an array, a data frame's series, or anything that Arrow takes."""
    if isinstance(values, pa.ChunkedArray):
        return values
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidInput(
            f"column {name!r}: expected a list of values, one per episode, got {type(values).__name__}",
            fix=f"write [value] * number_of_episodes, or leave {name!r} out if it is the same everywhere",
        )
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise InvalidInput(f"column {name!r}: expected one value per episode, got an array of shape {values.shape}")
    listed: Any = values if isinstance(values, pa.Array | np.ndarray) or hasattr(values, "__arrow_array__") else None
    if listed is None and type(values).__module__.startswith("pandas"):
        listed = values  # Arrow takes a series, and reads its NaN as missing, which is what pandas means by it
    if listed is None:
        listed = list(values)
    try:
        found = pa.array(listed)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):  # of several types
        found = pa.array([None if value is None else str(value) for value in listed], pa.string())
    except UnicodeEncodeError:
        raise InvalidInput(f"column {name!r}: holds text that is not Unicode", fix="correct its encoding") from None
    return flattened(found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found]))


def flattened(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists and records as their JSON text, so that they can be names or free columns; anything else as it is."""
    if not pa.types.is_nested(values.type):
        return values
    texts = [None if value is None else json_text(value) for value in values.to_pylist()]
    return pa.chunked_array([pa.array(texts, pa.string())])


def json_text(value: Any) -> str:
    """A value as JSON: the same text for the same value, whatever order its keys have."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def distinct_texts(values: pa.ChunkedArray) -> list[str] | None:
    """The distinct values of a column as text; or None where they have no text."""
    try:
        found = without_nan(decoded(values)).unique().slice(0, _MOST_TEXTS).cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # bytes that are not text; a type that has no text
        return None
    return [(value or "").strip() for value in found]


def without_nan(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose NaN are missing."""
    if not pa.types.is_floating(values.type):
        return values
    return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)


def numbers_of(values: pa.ChunkedArray, *, decimal_comma: bool) -> tuple[NDArray[np.float64], int | None]:
    """A column as numbers, NaN where there is none; and the first row that holds something else.

    Raises:
        InvalidInput: When the column's type has no numbers at all.
    """
    column = decoded(values)
    text = column.type in (pa.string(), pa.large_string(), pa.string_view())
    if text:
        column = pc.utf8_trim_whitespace(column.cast(pa.string()))
        column = pc.if_else(pc.equal(column, ""), None, column)
    try:
        found = column.cast(pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # words, numbers written otherwise, or another type
        if not text:
            raise InvalidInput(f"expected numbers, got {column.type}", fix="turn it into numbers") from None
        return _parsed(column, decimal_comma)
    return np.array(found.fill_null(np.nan).to_numpy(), dtype=np.float64), None


def decoded(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without its dictionary."""
    return values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values


def _parsed(column: pa.ChunkedArray, decimal_comma: bool) -> tuple[NDArray[np.float64], int | None]:
    numbers = np.full(len(column), np.nan)
    wrong: int | None = None
    for row, text in enumerate(column.to_pylist()):
        if text is None or is_missing(text):
            continue
        number = number_of(text, decimal_comma=decimal_comma)
        if number is None:
            return numbers, row
        numbers[row] = number
    return numbers, wrong
