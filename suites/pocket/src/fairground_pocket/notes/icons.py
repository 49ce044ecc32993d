"""The app's symbols: strokes on a 24 x 24 grid, drawn in the current text colour."""

from __future__ import annotations

from typing import Final

from fairground_pocket.kit.markup import Html, html

_STROKES: Final = {
    "back": "M19 12H5M11 6l-6 6 6 6",
    "close": "M6 6l12 12M18 6L6 18",
    "notes": "M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h5",
    "trash": "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6",
    "settings": "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
    "search": "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14M16 16l5 5",
    "plus": "M12 5v14M5 12h14",
    "edit": "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
    "pin": "M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6",
    "restore": "M4 5v5h5M4.6 10a8 8 0 1 1-.6 4",
    "check": "M5 12l5 5L19 7",
}


def icon(name: str) -> Html:
    """A symbol by name."""
    return html(
        '<svg class="icon icon-{name}" viewBox="0 0 24 24" aria-hidden="true"><path d="{strokes}"/></svg>',
        name=name,
        strokes=_STROKES[name],
    )


ICON_FILE: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#8a3b12" stroke-width="2">'
    f'<path d="{_STROKES["notes"]}"/></svg>'
)
