"""Our own symbols: strokes on a 24 x 24 grid, drawn in the current text colour."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from fairground_pocket.kit.markup import Html, html

STROKES: Final = dict(
    line.split(" ", 1)
    for line in files(__package__).joinpath("static/icons.txt").read_text(encoding="utf-8").splitlines()
)
"""Name -> SVG path; `static/icons.txt` has one per line."""


def icon(name: str) -> Html:
    """A symbol by name. Raises `KeyError` if there is none with this name."""
    return html(
        '<svg class="icon icon-{name}" viewBox="0 0 24 24" aria-hidden="true"><path d="{strokes}"/></svg>',
        name=name,
        strokes=STROKES[name],
    )
