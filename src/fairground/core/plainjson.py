"""Conversion of any value to JSON-serializable data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any


def plain(value: Any) -> Any:
    """Return JSON-serializable data. Other values become text: `nan`, or the `repr` of an unknown object."""
    if isinstance(value, str):
        return sayable(value.value if isinstance(value, Enum) else value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {sayable(key if isinstance(key, str) else str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, AbstractSet):
        return sorted((plain(item) for item in value), key=repr)
    import numpy as np

    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    return sayable(str(value) if isinstance(value, date | time | Decimal | PurePath) else repr(value))


def sayable(text: str) -> str:
    """Return the text with lone surrogates replaced. Models can send them, but no encoding can write them."""
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
