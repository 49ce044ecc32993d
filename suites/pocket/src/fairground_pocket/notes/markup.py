"""HTML that cannot be forgotten to be escaped: whatever is put into a template is text, unless it is `Html`."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from string import Formatter
from typing import Any


class Html(str):
    """Text that is markup already. Made by `html` and `join`, and from constants; never from what users wrote."""


class _Escaping(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        return value if isinstance(value, Html) else escape(format(value, format_spec))


def html(template: str, /, *values: Any, **named: Any) -> Html:
    """Fills a template in the manner of `str.format`, with every value escaped that is not `Html`."""
    return Html(_Escaping().vformat(template, values, named))


def join(parts: Iterable[Html]) -> Html:
    """Pieces of markup, one after the other."""
    return Html("".join(parts))
