"""A column of names, built batch by batch: each distinct name once, and one code per row."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairground.stats.tables.synonyms import short
from fairground.stats.tables.table import Names

_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}]"  # all but tab and line breaks


class NameColumn:
    """Names, taken batch by batch, from any Arrow type."""

    def __init__(self) -> None:
        self._parts: list[pa.DictionaryArray] = []

    def add(self, values: pa.ChunkedArray) -> tuple[int, str] | None:
        """Add a batch. If a row contains no name, returns the row and what it contains."""
        before = 0
        for chunk in values.chunks:
            try:
                coded = _encoded(chunk)
                words = _words(coded.dictionary)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # bytes that are not text
                row = next((at for at in range(len(chunk)) if not _is_text(chunk[at])), 0)
                return before + row, f"got {short(repr(chunk[row].as_py()))}"
            if isinstance(words, int):
                row = pc.index(coded.indices, pa.scalar(words, coded.indices.type)).as_py()
                return before + row, f"got {_as_found(coded.dictionary[words])}"
            self._parts.append(pa.DictionaryArray.from_arrays(coded.indices, words))
            before += len(chunk)
        return None

    def finish(self) -> Names:
        """Return the whole column."""
        if not self._parts:
            return Names((), np.empty(0, dtype=np.int32))
        column = pa.chunked_array(self._parts, self._parts[0].type).unify_dictionaries()
        values = column.chunk(0).dictionary.to_pylist()
        codes = np.concatenate(
            [chunk.indices.fill_null(len(values)).to_numpy(zero_copy_only=False) for chunk in column.chunks]
        )
        if not column.null_count:
            return Names(tuple(values), codes)
        if "" not in values:
            return Names((*values, ""), codes)
        return Names(tuple(values), np.where(codes == len(values), values.index(""), codes).astype(np.int32))


def _encoded(chunk: pa.Array) -> pa.DictionaryArray:
    """Return each distinct value once; texts are stripped."""
    if pa.types.is_dictionary(chunk.type):  # its dictionary may contain unused or duplicate values
        chunk = chunk.dictionary_decode()
    kind = chunk.type
    if pa.types.is_null(kind):
        chunk = chunk.cast(pa.string())
    elif not (pa.types.is_primitive(kind) or pa.types.is_decimal(kind)):
        chunk = pc.utf8_trim_whitespace(chunk.cast(pa.string()))
    return chunk.dictionary_encode()


def _words(dictionary: pa.Array) -> pa.StringArray | int:
    """Return values as names; or the index of one that is not a name."""
    if pa.types.is_floating(dictionary.type):
        values = dictionary.to_pylist()
        bad = next((at for at, value in enumerate(values) if not math.isfinite(value)), None)
        # As Python writes them, so that 1.0 has the same name in every kind of file.
        return pa.array(map(repr, values), pa.string()) if bad is None else bad
    words = dictionary.cast(pa.string())
    control = pc.match_substring_regex(words, _CONTROL)
    return words if not pc.any(control).as_py() else int(pc.index(control, True).as_py())


def _is_text(value: pa.Scalar) -> bool:
    try:
        value.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # bytes that are not text; a type without a text form
        return False
    return True


def _as_found(value: pa.Scalar) -> str:
    content = value.as_py()
    return f"{short(content)!r}, which contains a control character" if isinstance(content, str) else repr(content)
