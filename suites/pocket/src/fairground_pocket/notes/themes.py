"""How the app looks. Each theme has its own layout, density, type and colours; see static/notes.css."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

THEMES: Final[Mapping[str, Mapping[str, Any]]] = {
    "paper": {
        "title": "Paper",
        "layout": "list",
        "scheme": "light",
        "colours": {
            "bg": "#faf6ee", "surface": "#fffdf8", "text": "#2b2621", "muted": "#6b6156", "line": "#e4dccb",
            "accent": "#8a3b12", "on-accent": "#ffffff", "chip": "#f0e7d6", "on-chip": "#4d4338",
            "danger": "#a3211b", "on-danger": "#ffffff", "toast": "#2f2a25", "on-toast": "#f7f1e6",
            "undo": "#ffb98a", "mark": "#ffe39a",
        },
        "tints": ("#b5472f", "#a8751a", "#4f7a3a", "#b0436f", "#2f7a80", "#4a63b0", "#7d4fa3", "#80604a"),
    },
    "midnight": {
        "title": "Midnight",
        "layout": "compact",
        "scheme": "dark",
        "colours": {
            "bg": "#0e1320", "surface": "#161d2e", "text": "#e6eaf3", "muted": "#9aa6bd", "line": "#263049",
            "accent": "#7cc4ff", "on-accent": "#06233b", "chip": "#1f2940", "on-chip": "#cfd8ea",
            "danger": "#ff9a93", "on-danger": "#3b0705", "toast": "#e6eaf3", "on-toast": "#121826",
            "undo": "#0a56a0", "mark": "#574b10",
        },
        "tints": ("#ff8a80", "#ffc46b", "#8fd694", "#ff9ecb", "#6fd6d6", "#8fb4ff", "#c9a6ff", "#d3b59b"),
    },
    "board": {
        "title": "Board",
        "layout": "cards",
        "scheme": "light",
        "colours": {
            "bg": "#eceff6", "surface": "#ffffff", "text": "#1b2233", "muted": "#4d5873", "line": "#d5dbe8",
            "accent": "#4b3fd1", "on-accent": "#ffffff", "chip": "#dfe4f2", "on-chip": "#323a55",
            "danger": "#b3194b", "on-danger": "#ffffff", "toast": "#1b2233", "on-toast": "#f2f4fa",
            "undo": "#b9b2ff", "mark": "#ffe066",
        },
        "tints": ("#ffd9d2", "#fff0b8", "#d5f0dc", "#ffdcec", "#d0f0f2", "#d9e6ff", "#eadfff", "#f1e4d8"),
    },
}  # fmt: skip


def stylesheet(rules: str) -> str:
    """The stylesheet with the colours of all themes, so that a page only needs to name its theme."""
    return "".join(_variables(name, theme) for name, theme in THEMES.items()) + rules


def _variables(name: str, theme: Mapping[str, Any]) -> str:
    colours = {**theme["colours"], **{f"tint-{number}": tint for number, tint in enumerate(theme["tints"])}}
    body = " ".join(f"--{key}: {value};" for key, value in colours.items())
    return f'[data-theme="{name}"] {{ color-scheme: {theme["scheme"]}; {body} }}\n'
