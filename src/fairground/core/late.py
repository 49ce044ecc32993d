"""Names of a room that are looked up when they are first used, so that using some of it does not load all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late_names(room: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__` that finds each name in the module that defines it; no name may be that of a module."""

    def find(name: str) -> Any:
        if name in places:
            return getattr(import_module(f"{room}.{places[name]}"), name)
        raise AttributeError(f"module {room!r} has no attribute {name!r}")

    return find
