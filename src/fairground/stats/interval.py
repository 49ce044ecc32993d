"""An estimate with its interval, and conversion of results to plain data."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np

from fairground.core import InvalidInput


@dataclasses.dataclass(frozen=True)
class Interval:
    """An estimate with a confidence interval.

    Attributes:
        estimate: The point estimate.
        low: Lower end.
        high: Upper end.
        level: Confidence level: the share of such intervals that should contain the true value.
        method: How it was computed, such as "wilson" or "hierarchical bootstrap, percentile".
    """

    estimate: float
    low: float
    high: float
    level: float = 0.95
    method: str = ""

    def __post_init__(self) -> None:
        for name in ("estimate", "low", "high"):
            if math.isnan(getattr(self, name)):
                raise ValueError(
                    f"an interval's {name} is not a number"
                )  # a bug in our code: raise instead of showing it

    @property
    def width(self) -> float:
        """Width of the interval."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def check_level(level: float) -> float:
    """Return the level if it is strictly between 0 and 1."""
    if not 0 < level < 1:
        raise InvalidInput(f"level: expected a number between 0 and 1, got {level!r}", fix="use 0.95")
    return level


def plain(value: Any) -> Any:
    """Convert a result to plain data for JSON: records become objects, arrays lists, and infinity null.

    Raises:
        ValueError: For a NaN, which no result may contain.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value) if field.repr}
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        if math.isnan(value):
            raise ValueError("a result holds a NaN")
        return value if math.isfinite(value) else None
    return value


def _key(key: Any) -> str:
    return " / ".join(map(str, key)) if isinstance(key, tuple) else str(key)
