"""Symbols of our own: strokes on a grid of 24, drawn in the colour of the text around them."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from fairground_pocket.kit.markup import Html, html

STROKES: Final = dict(
    line.split(" ", 1)
    for line in files(__package__).joinpath("static/icons.txt").read_text(encoding="utf-8").splitlines()
)
"""Name -> the path to draw; one a line in `static/icons.txt`."""


def icon(name: str) -> Html:
    """A symbol, by its name; raises `KeyError` for one that is not drawn yet."""
    return html(
        '<svg class="icon icon-{name}" viewBox="0 0 24 24" aria-hidden="true"><path d="{strokes}"/></svg>',
        name=name,
        strokes=STROKES[name],
    )
