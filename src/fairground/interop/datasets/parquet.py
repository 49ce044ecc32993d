"""Write rows to a Parquet file as they come, in a layout that `datasets.load_dataset` decodes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import pyarrow as pa
import pyarrow.parquet

from fairground.core.writing import writing

Feature: TypeAlias = "str | list[Feature] | dict[str, Feature]"
"""A column: a type such as `string` or `image`, a list of one, or named fields."""

_GROUP_BYTES = 64 << 20  # of one row group, before compression
_GROUP_ROWS = 1000
_TYPES = {"string": pa.string(), "int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}


class ParquetRows:
    """A Parquet file that appears at its path when everything is written, and not at all after an error.

    Args:
        path: Target file. An existing one is replaced.
        columns: The features of the columns.
    """

    def __init__(self, path: Path, columns: dict[str, Feature]) -> None:
        self.path, self.rows = path, 0
        self._draft = path.with_name(f".{path.name}.tmp")
        features = {name: _hugging_face(feature) for name, feature in columns.items()}
        schema = pa.schema([(name, _arrow(feature)) for name, feature in columns.items()])
        self._schema = schema.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})
        self._waiting: list[dict[str, Any]] = []
        self._bytes = 0
        self._writer: Any = None

    def add(self, row: dict[str, Any], size: int) -> None:
        """Add a row of about this many bytes."""
        self._waiting.append(row)
        self._bytes += size
        self.rows += 1
        if self._bytes >= _GROUP_BYTES or len(self._waiting) >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        with writing(self.path):
            if self._writer is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._writer = pa.parquet.ParquetWriter(self._draft, self._schema, compression="zstd")
            self._writer.write_table(pa.Table.from_pylist(self._waiting, self._schema))
        self._waiting, self._bytes = [], 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            if self._writer is not None:
                with writing(self.path):
                    self._writer.close()
            if kind is None:
                with writing(self.path):
                    os.replace(self._draft, self.path)
            self._draft.unlink(missing_ok=True)


def image(data: bytes) -> dict[str, Any]:
    """Return the value of an image column."""
    return {"bytes": data, "path": None}


def card_features(columns: dict[str, Feature]) -> list[dict[str, Any]]:
    """Return the columns as a dataset card lists them."""
    return [{"name": name, **_card(feature)} for name, feature in columns.items()]


def _arrow(feature: Feature) -> Any:
    if isinstance(feature, list):
        return pa.list_(_arrow(feature[0]))
    if isinstance(feature, dict):
        return pa.struct([(name, _arrow(part)) for name, part in feature.items()])
    return pa.struct([("bytes", pa.binary()), ("path", pa.string())]) if feature == "image" else _TYPES[feature]


def _hugging_face(feature: Feature) -> Any:
    if isinstance(feature, list):
        return {"feature": _hugging_face(feature[0]), "_type": "List"}
    if isinstance(feature, dict):
        return {name: _hugging_face(part) for name, part in feature.items()}
    return {"_type": "Image"} if feature == "image" else {"dtype": feature, "_type": "Value"}


def _card(feature: Feature) -> dict[str, Any]:
    if isinstance(feature, list):
        (inner,) = feature
        if isinstance(inner, str):
            return {"list": inner}
        return {"list": card_features(inner)} if isinstance(inner, dict) else {"list": _card(inner)}
    return {"struct": card_features(feature)} if isinstance(feature, dict) else {"dtype": feature}
