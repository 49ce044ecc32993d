"""Plain data as readable paths, so that two files can be compared leaf by leaf."""

from __future__ import annotations

from collections import Counter
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from typing import Any

from fairground.core import StateError
from fairground.verify.reading.prose import Paragraph, Run, Shape, Table, TableCell

MAX_LEAVES = 2_000_000
_SINGLE = frozenset([bool, int, float, str])

# Fields whose name is singular in a path: `block[3].run[0].bold`.
_SINGULAR = {
    "body": "block",
    "runs": "run",
    "shapes": "shape",
    "slides": "slide",
    "cells": "cell",
    "paragraphs": "paragraph",
    "children": "shape",
    "styles": "style",
    "pages": "page",
    "notes": "note",
    "comments": "comment",
    "bookmarks": "bookmark",
    "changes": "change",
    "sections": "section",
    "masters": "master",
    "animations": "animation",
    "contents": "contents",
}
# Items that are identified by name. Others are numbered.
_BY_NAME = frozenset({"shapes", "children", "styles", "pages", "sections", "bookmarks", "masters"})


# Fields whose result depends on the clock, the file or the layout.
_WORKED_OUT = frozenset(
    {
        *("date", "time", "date-time", "page-number", "page-count", "file-name", "modification-date"),
        *("modification-time", "print-date", "print-time", "editing-duration", "editing-cycles", "word-count"),
        *("character-count", "paragraph-count", "table-count", "image-count", "object-count"),
    }
)


def flatten(data: object) -> dict[str, object]:
    """Leaves of a tree of frozen dataclasses and tuples, by path. Default values are left out.

    The path of an object itself gives its kind: `block[3]` is `paragraph` or `table`.
    """
    result: dict[str, object] = {}
    _walk(data, "", result)
    return result


def _steady(data: object) -> object:
    """The same without what programs recompute at every save, and without duplicate information."""
    if isinstance(data, Paragraph) and any(run.field in _WORKED_OUT for run in data.runs):
        runs = tuple(_unfilled(run) for run in data.runs)
        return replace(data, runs=runs, text="".join(run.text for run in runs))
    if isinstance(data, TableCell):
        return replace(data, text="")
    if isinstance(data, Shape):
        # The height of a table on a slide depends on its text and on the program's layout.
        return replace(data, text="", height=data.height if data.table is None else 0.0)
    if isinstance(data, Table):
        return replace(data, width=0.0 if data.alignment == "margins" else data.width, widths=())
    return data


def _unfilled(run: Run) -> Run:
    return replace(run, text=f"<{run.field}>") if run.field in _WORKED_OUT else run


def _walk(data: object, path: str, found: dict[str, object]) -> None:
    if type(data) in _SINGLE:
        found[path] = data
        return
    if len(found) > MAX_LEAVES:
        raise StateError(f"more than {MAX_LEAVES} leaves")
    data = _steady(data)
    if is_dataclass(data) and not isinstance(data, type):
        if path:
            found[path] = type(data).__name__.lower()
        for name, default in _defaults(type(data)):
            value = getattr(data, name)
            if value != default:
                _field(name, value, path, found)
    else:
        found[path] = data


def _field(name: str, value: object, path: str, found: dict[str, object]) -> None:
    dot = f"{path}." if path else ""
    if not isinstance(value, tuple) or not value or not is_dataclass(value[0]):
        _walk(value, dot + name, found)
        return
    keys = _names(value) if name in _BY_NAME else [str(number) for number in range(len(value))]
    for key, item in zip(keys, value, strict=True):
        _walk(item, f"{dot}{_SINGULAR.get(name, name)}[{key}]", found)


def _names(items: tuple[Any, ...]) -> list[str]:
    """Names if given, otherwise kind or role. Duplicates are numbered."""
    seen: Counter[str] = Counter()
    keys = []
    for item in items:
        name = item.name or getattr(item, "role", "") or getattr(item, "kind", "")
        seen[name] += 1
        keys.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return keys


@cache
def _defaults(kind: type[Any]) -> tuple[tuple[str, object], ...]:
    """Names of the fields of a dataclass, with their defaults."""
    return tuple((entry.name, _default(entry)) for entry in fields(kind))


def _default(entry: Field[Any]) -> object:
    if entry.default is not MISSING:
        return entry.default
    return entry.default_factory() if entry.default_factory is not MISSING else MISSING
