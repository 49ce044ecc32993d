"""Lazy imports for packages: a name is imported on first use, so that using one does not load all modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late_names(room: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's `__getattr__` that imports each name from its module. No name may equal a module's name."""

    def find(name: str) -> Any:
        if name in places:
            return getattr(import_module(f"{room}.{places[name]}"), name)
        raise AttributeError(f"module {room!r} has no attribute {name!r}")

    return find
