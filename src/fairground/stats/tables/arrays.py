"""Convert external columns to Arrow arrays: lists and data frames, nested values as JSON text, texts as numbers."""

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

_MOST_TEXTS = 10_000  # maximum number of distinct values inspected to find out what a column contains


def column_array(name: str, values: Iterable[Any]) -> pa.ChunkedArray:
    """Return a column from a list, an array, a data frame's series, or anything that Arrow accepts."""
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
        listed = values  # Arrow accepts a series, and reads its NaN as missing, as pandas means it
    if listed is None:
        listed = list(values)
    try:
        converted = pa.array(listed)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):  # of several types
        converted = pa.array([None if value is None else str(value) for value in listed], pa.string())
    except UnicodeEncodeError:
        raise InvalidInput(f"column {name!r}: contains text that is not Unicode", fix="correct its encoding") from None
    return flattened(converted if isinstance(converted, pa.ChunkedArray) else pa.chunked_array([converted]))


def flattened(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return lists and records as JSON text, so that they can be names or extra columns; other values unchanged."""
    if not pa.types.is_nested(values.type):
        return values
    texts = [None if value is None else json_text(value) for value in values.to_pylist()]
    return pa.chunked_array([pa.array(texts, pa.string())])


def json_text(value: Any) -> str:
    """Return a value as JSON text, independent of the order of its keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def distinct_texts(values: pa.ChunkedArray) -> list[str] | None:
    """Return the distinct values of a column as text. None if they have no text form."""
    try:
        values_as_text = without_nan(decoded(values)).unique().slice(0, _MOST_TEXTS).cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # bytes that are not text; a type without a text form
        return None
    return [(value or "").strip() for value in values_as_text]


def without_nan(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column with NaN as missing."""
    if not pa.types.is_floating(values.type):
        return values
    return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)


def numbers_of(values: pa.ChunkedArray, *, decimal_comma: bool) -> tuple[NDArray[np.float64], int | None]:
    """Return a column as numbers, with NaN where there is none; and the first row that contains something else.

    Raises:
        InvalidInput: If the column's type has no numbers.
    """
    column = decoded(values)
    text = column.type in (pa.string(), pa.large_string(), pa.string_view())
    if text:
        column = pc.utf8_trim_whitespace(column.cast(pa.string()))
        column = pc.if_else(pc.equal(column, ""), None, column)
    try:
        numbers = column.cast(pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # words, numbers in another notation, or another type
        if not text:
            raise InvalidInput(f"expected numbers, got {column.type}", fix="convert it to numbers") from None
        return _parsed(column, decimal_comma)
    return np.array(numbers.fill_null(np.nan).to_numpy(), dtype=np.float64), None


def decoded(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column without dictionary encoding."""
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
