"""Ten themes: placement of tabs, layout of lists, type, shape, icons and colours.

A theme is data. `static/kit.css` has the rules for each value of its layout; the colours become variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_SANS: Final = '"Liberation Sans", Arimo, Arial, sans-serif'
_WIDE: Final = '"DejaVu Sans", Verdana, sans-serif'
_NARROW: Final = '"Liberation Sans Narrow", "DejaVu Sans Condensed", sans-serif'
_SERIF: Final = '"DejaVu Serif", Georgia, serif'
_ROMAN: Final = '"Liberation Serif", Tinos, "Times New Roman", serif'
_MONO: Final = '"DejaVu Sans Mono", "Liberation Mono", monospace'


def _theme(
    title: str, scheme: str, layout: Mapping[str, str], type_: Mapping[str, Any], colours: str
) -> dict[str, Any]:
    bg, surface, text, muted, line, accent, on_accent, chip, on_chip, danger, bar, on_bar, nav, on_nav, nav_on, good = (
        colours.split()
    )
    dark = scheme == "dark"
    tints = _DARK_TINTS if dark else _LIGHT_TINTS
    return {
        "title": title,
        "scheme": scheme,
        "layout": dict(layout),
        "type": dict(type_),
        "colours": {
            "bg": bg, "surface": surface, "text": text, "muted": muted, "line": line, "accent": accent,
            "on-accent": on_accent, "chip": chip, "on-chip": on_chip, "danger": danger,
            "on-danger": "#2b0503" if dark else "#ffffff", "bar": bar, "on-bar": on_bar, "nav": nav, "on-nav": on_nav,
            "nav-on": nav_on, "good": good, "toast": "#eceff4" if dark else "#26282c",
            "on-toast": "#16181d" if dark else "#f6f6f6", "undo": "#0b4f93" if dark else "#ffc48a",
            "mark": "#5b4a08" if dark else "#ffe58f", "on-mark": "#fff3c4" if dark else "#2b2300",
            "on-tint": "#10131a" if dark else "#ffffff",
            **{f"tint-{number}": tint for number, tint in enumerate(tints)},
        },
    }  # fmt: skip


_LIGHT_TINTS: Final = (
    "#a8402a", "#8a5d0b", "#3f6d2c", "#a1396a", "#1f6d75", "#3f58a8", "#73459b", "#735440",
)  # fmt: skip
_DARK_TINTS: Final = (
    "#ff8a80", "#ffc46b", "#8fd694", "#ff9ecb", "#6fd6d6", "#8fb4ff", "#c9a6ff", "#d3b59b",
)  # fmt: skip

THEMES: Final[Mapping[str, Mapping[str, Any]]] = {
    "paper": _theme(
        "Paper", "light",
        {"nav": "bottom", "list": "ruled", "bar": "large", "icons": "line", "density": "roomy", "hero": "lines"},
        {"text": _SANS, "title": _SERIF, "size": 16, "radius": 12},
        "#faf6ee #fffdf8 #2b2621 #6a6055 #e4dccb #8a3b12 #ffffff #f0e7d6 #4d4338 #a3211b #faf6ee #2b2621 "
        "#fffdf8 #6a6055 #8a3b12 #2c6a36",
    ),
    "midnight": _theme(
        "Midnight", "dark",
        {"nav": "top", "list": "ruled", "bar": "small", "icons": "thin", "density": "dense", "hero": "edge"},
        {"text": _WIDE, "title": _WIDE, "size": 14, "radius": 6},
        "#0e1320 #161d2e #e6eaf3 #9aa6bd #263049 #7cc4ff #06233b #1f2940 #cfd8ea #ff9a93 #161d2e #e6eaf3 "
        "#161d2e #9aa6bd #7cc4ff #84d99a",
    ),
    "board": _theme(
        "Board", "light",
        {"nav": "bottom", "list": "cards", "bar": "large", "icons": "bold", "density": "roomy", "hero": "orbs"},
        {"text": _SANS, "title": _SANS, "size": 16, "radius": 20},
        "#eceff6 #ffffff #1b2233 #4d5873 #d5dbe8 #4b3fd1 #ffffff #dfe4f2 #323a55 #b3194b #eceff6 #1b2233 "
        "#ffffff #4d5873 #4b3fd1 #1c6b3f",
    ),
    "forest": _theme(
        "Forest", "dark",
        {"nav": "rail", "list": "ruled", "bar": "plain", "icons": "duo", "density": "even", "hero": "edge"},
        {"text": _SANS, "title": _SANS, "size": 15, "radius": 14},
        "#0f1a14 #17261d #e4efe7 #9db5a5 #26402f #8fe0a6 #04240f #21382a #cfe6d6 #ff9d8f #0f1a14 #e4efe7 "
        "#0a130e #9db5a5 #8fe0a6 #9be8ae",
    ),
    "citrus": _theme(
        "Citrus", "light",
        {"nav": "bottom", "list": "grouped", "bar": "filled", "icons": "bold", "density": "even", "hero": "plain"},
        {"text": _SANS, "title": _SANS, "size": 16, "radius": 16},
        "#fff8e6 #ffffff #2a2410 #665a36 #efe2b8 #9a4a00 #ffffff #ffe9b0 #4f3f0c #a5201d #ffc533 #2a2000 "
        "#ffffff #665a36 #9a4a00 #34691d",
    ),
    "terminal": _theme(
        "Terminal", "dark",
        {"nav": "top", "list": "ruled", "bar": "small", "icons": "thin", "density": "dense", "hero": "outline"},
        {"text": _MONO, "title": _MONO, "size": 13, "radius": 0},
        "#050805 #0b110b #c9f2c9 #84b184 #1d3a1d #5dff7a #03210a #122412 #b8e8b8 #ff8f7a #050805 #5dff7a "
        "#050805 #84b184 #5dff7a #5dff7a",
    ),
    "rose": _theme(
        "Rose", "light",
        {"nav": "float", "list": "cards", "bar": "centred", "icons": "line", "density": "roomy", "hero": "orbs"},
        {"text": _ROMAN, "title": _ROMAN, "size": 18, "radius": 24},
        "#fdf1f3 #ffffff #33191f #75515a #f1d5da #a8325a #ffffff #f9e0e5 #5d2c39 #9b1c1c #fdf1f3 #33191f "
        "#ffffff #75515a #a8325a #2b6b47",
    ),
    "slate": _theme(
        "Slate", "dark",
        {"nav": "rail", "list": "cards", "bar": "plain", "icons": "bold", "density": "dense", "hero": "plain"},
        {"text": _NARROW, "title": _NARROW, "size": 17, "radius": 8},
        "#23262b #2d3137 #f0f0ee #b5bac2 #41464e #ffc14d #2b1d00 #3a3f47 #e3e5e8 #ffa297 #23262b #f0f0ee "
        "#1b1e22 #b5bac2 #ffc14d #9fdc9f",
    ),
    "newsprint": _theme(
        "Newsprint", "light",
        {"nav": "top", "list": "ruled", "bar": "centred", "icons": "bold", "density": "even", "hero": "headline"},
        {"text": _ROMAN, "title": _ROMAN, "size": 18, "radius": 0},
        "#ffffff #ffffff #0b0b0b #4a4a4a #111111 #0b0b0b #ffffff #ececec #1c1c1c #9c0f0f #ffffff #0b0b0b "
        "#ffffff #4a4a4a #0b0b0b #1a5c1a",
    ),
    "ocean": _theme(
        "Ocean", "light",
        {"nav": "float", "list": "grouped", "bar": "filled", "icons": "duo", "density": "roomy", "hero": "orbs"},
        {"text": _WIDE, "title": _WIDE, "size": 15, "radius": 18},
        "#e9f4f6 #ffffff #10282e #45626a #cfe3e7 #0b6473 #ffffff #d8ecef #143f48 #a51d2d #0b6473 #ffffff "
        "#ffffff #45626a #0b6473 #1d6a3a",
    ),
}  # fmt: skip

TEXTS: Final = (
    ("text", "bg"), ("text", "surface"), ("muted", "bg"), ("muted", "surface"), ("accent", "bg"), ("accent", "surface"),
    ("on-accent", "accent"), ("on-chip", "chip"), ("danger", "bg"), ("danger", "surface"), ("on-danger", "danger"),
    ("on-bar", "bar"), ("on-nav", "nav"), ("nav-on", "nav"), ("good", "bg"), ("good", "surface"), ("on-toast", "toast"),
    ("undo", "toast"), ("on-mark", "mark"), *((f"tint-{number}", "surface") for number in range(8)),
    *(("on-tint", f"tint-{number}") for number in range(8)),
)  # fmt: skip
"""Every (text, background) pair of colours in the stylesheet."""


def stylesheet(rules: str) -> str:
    """The stylesheet with the variables of all themes, so that a page only needs to name its theme."""
    return "".join(_variables(name, theme) for name, theme in THEMES.items()) + rules


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours as WCAG 2 defines it, from 1 to 21; 4.5 is readable."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def pairs(theme: str) -> Iterator[tuple[str, str, float]]:
    """Each pair of `TEXTS` in a theme, with its contrast."""
    colours = THEMES[theme]["colours"]
    for text, ground in TEXTS:
        yield text, ground, contrast(colours[text], colours[ground])


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _variables(name: str, theme: Mapping[str, Any]) -> str:
    type_ = theme["type"]
    body = " ".join(f"--{key}: {value};" for key, value in theme["colours"].items())
    fonts = f"--font: {type_['text']}; --title: {type_['title']}; --size: {type_['size']}px; --r: {type_['radius']}px;"
    return f'[data-theme="{name}"] {{ color-scheme: {theme["scheme"]}; {fonts} {body} }}\n'
