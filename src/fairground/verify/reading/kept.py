"""Results that are kept with the document they were computed from."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def kept(compute: Callable[[T], R]) -> Callable[[T], R]:
    """Decorator for a function of one immutable object: computes its result once per object. Do not change the result.

    The same initial document is compared with many final ones.
    """
    name = f"_{compute.__name__}"

    @wraps(compute)
    def result(thing: T) -> R:
        known = vars(thing)
        if name not in known:
            known[name] = compute(thing)
        value: R = known[name]
        return value

    return result
