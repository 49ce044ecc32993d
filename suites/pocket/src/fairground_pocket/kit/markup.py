"""HTML templates with automatic escaping: every value is escaped unless it is `Html`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from html import escape
from string import Formatter
from typing import Any


class Html(str):
    """Text that is already markup. Made by `html`, `join` and from constants; never from user input."""


def html(template: str, /, *values: Any, **named: Any) -> Html:
    """Fills a template like `str.format`, and escapes every value that is not `Html`."""
    parts: list[str] = []
    for literal, key, spec in _pieces(template):
        parts.append(literal)
        if key is None:
            continue
        if isinstance(key, int):
            value = values[key]
        elif key in named:
            value = named[key]
        else:
            value, _ = _FORMATTER.get_field(key, values, named)
        parts.append(value if isinstance(value, Html) else escape(format(value, spec)))
    return Html("".join(parts))


def join(parts: Iterable[Html]) -> Html:
    """Concatenates pieces of markup."""
    return Html("".join(parts))


_FORMATTER = Formatter()


@cache
def _pieces(template: str) -> tuple[tuple[str, int | str | None, str], ...]:
    """Parses a template. Cached, because templates are constants that are filled thousands of times."""
    pieces: list[tuple[str, int | str | None, str]] = []
    count = 0
    for literal, name, spec, conversion in _FORMATTER.parse(template):
        if conversion:
            raise ValueError(f"a template of HTML knows no conversions: !{conversion}")
        key: int | str | None = name
        if name == "":
            key, count = count, count + 1
        elif name is not None and name.isdigit():
            key = int(name)
        pieces.append((literal, key, spec or ""))
    return tuple(pieces)
