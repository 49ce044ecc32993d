"""Colours that work for colour-blind readers, with a marker and a dash pattern per colour."""

from __future__ import annotations

from dataclasses import dataclass

from fairground.report.html import Html, tag
from fairground.report.outcomes import OUTCOME_LOOKS, outcome_styles, tint

# The hues of Okabe and Ito, darkened (or lightened) to a contrast of 3 to 1 with the card behind them.
LIGHT = {
    "card": "#ffffff", "ink": "#1d1b22", "muted": "#67636f", "line": "#e4e0da", "soft": "#f1eee9", "ghost": "#a7a2ad",
    "accent": "#c2185b",
    "c0": "#0072b2", "c1": "#d55e00", "c2": "#008f68", "c3": "#b8488f", "c4": "#a87700", "c5": "#2b93cf",
    "c6": "#6b4fbb", "c7": "#55515c",
    "always": "#0072b2", "sometimes": "#e0a63f", "never": "#c9c5cf",
    "more": "#0072b2", "less": "#d55e00", "black": "#1d1b22",
}  # fmt: skip
DARK = {
    "card": "#1c1b22", "ink": "#edeaf2", "muted": "#a29eae", "line": "#322f3b", "soft": "#26242d", "ghost": "#77727f",
    "accent": "#ff7aa8",
    "c0": "#58b0f0", "c1": "#f58a3c", "c2": "#2fc79a", "c3": "#e58bc0", "c4": "#e0b13c", "c5": "#8fd3ff",
    "c6": "#ab97f0", "c7": "#bdb8c6",
    "always": "#58b0f0", "sometimes": "#d39a34", "never": "#5a5663",
    "more": "#58b0f0", "less": "#f58a3c", "black": "#1d1b22",
}  # fmt: skip
LIGHT |= {name: look.light for name, look in OUTCOME_LOOKS.items()}
DARK |= {name: look.dark for name, look in OUTCOME_LOOKS.items()}
for _colours, _share in ((LIGHT, 0.12), (DARK, 0.18)):
    # Good, bad and odd states that are not outcomes use the colours of the matching outcome.
    _colours |= {"good": _colours["passed"], "bad": _colours["failed"], "odd": _colours["invalid"]}
    _tinted = (*OUTCOME_LOOKS, "good", "bad", "odd")
    _colours |= {f"{name}-soft": tint(_colours[name], _colours["card"], _share) for name in _tinted}
COLOURS = 8
DASHES = (None, "7 3", "2 2.5", "9 3 2 3", "5 2 1 2 1 2", "12 3", "1 3", "4 4")

# Paths around the origin, each with about the area of a circle of radius 1.
_MARKERS = (
    "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
    "M-.9-.9H.9V.9H-.9z",
    "M0-1.25 1.2.85H-1.2z",
    "M0-1.3 1.3 0 0 1.3-1.3 0z",
    "M0 1.25 1.2-.85H-1.2z",
    "M-.4-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4z",
    "M0-1.3 1.24-.4.76 1.05H-.76L-1.24-.4z",
    "M-1.15-.6-.6-1.15 0-.55.6-1.15 1.15-.6.55 0 1.15.6.6 1.15 0 .55-.6 1.15-1.15.6-.55 0z",
)


@dataclass(frozen=True)
class Look:
    """Appearance of a contender in all figures.

    Attributes:
        colour: A colour of the page's theme, such as `var(--c0)`.
        shape: Index of the marker.
        dash: Dash pattern of its lines; None for solid lines.
    """

    colour: str
    shape: int
    dash: str | None


def look_of(place: int) -> Look:
    """Return the appearance of the contender at this position. The first 64 are distinct in colour and marker."""
    turn = place // COLOURS
    return Look(paint(f"c{place % COLOURS}"), (place + turn) % len(_MARKERS), DASHES[(place + turn) % len(DASHES)])


def paint(name: str) -> str:
    """Return a colour of the theme; with `standalone` its light value."""
    return f"var(--{name})"


def marker(look: Look, x: float, y: float, *, size: float = 4.5) -> Html:
    """Draw a contender's marker with a rim that separates it from what is below."""
    return tag(
        "path", d=_MARKERS[look.shape], fill=look.colour, stroke=paint("card"), stroke_width=f"{1 / size:.2f}",
        transform=f"translate({x:.1f} {y:.1f}) scale({size:g})",
    )  # fmt: skip


def theme() -> str:
    """Return the theme as CSS: colours by system setting or the page's switch, light on paper, and outcome styles."""
    light, dark = (";".join(f"--{name}:{value}" for name, value in colours.items()) for colours in (LIGHT, DARK))
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
        f"@media print{{:root:root:root{{color-scheme:light;{light}}}}}\n"
        f"{outcome_styles()}"
    )
