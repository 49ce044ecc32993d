"""How deeply plain data is nested. Readers of JSON refuse data that is nested too deeply, each at its own depth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

MAX_DEPTH = 100
"""Maximum depth of recorded data. The strictest of our readers refuses 200."""


def too_deep(data: Any, limit: int = MAX_DEPTH) -> bool:
    """Return whether data is nested more than `limit` deep. Not recursive, so any depth can be measured."""
    level = [data]
    for _ in range(limit + 1):
        level = [part for value in level for part in _parts(value)]
        if not level:
            return False
    return True


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple | set | frozenset) else ()
