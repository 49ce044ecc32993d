"""Appearance of outcomes: symbol, colours for light and dark pages, and terminal style.

Colours have a contrast of at least 4.5 to 1 on a card and on their own tint, and they can be distinguished with any
common colour blindness. Symbol and word carry the same information without colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fairground.report.html import Html, tag


@dataclass(frozen=True)
class OutcomeLook:
    """Appearance of an outcome.

    Attributes:
        sign: Symbol that works without colour.
        light: Colour on light pages and in images.
        dark: Colour on dark pages.
        terminal: Rich style.
    """

    sign: str
    light: str
    dark: str
    terminal: str


OUTCOME_LOOKS: Final = {
    "passed": OutcomeLook("✓", "#067150", "#69e6b4", "green"),
    "failed": OutcomeLook("✗", "#ab1438", "#ee755d", "red"),
    "errored": OutcomeLook("!", "#702797", "#b086f4", "magenta"),
    "invalid": OutcomeLook("?", "#8c6105", "#f6c445", "yellow"),
    "incomplete": OutcomeLook("…", "#67636f", "#a29eae", "bright_black"),
}
"""By outcome. `incomplete` is a recording that stopped before its episode ended."""


def outcome_pill(outcome: str, said: str = "") -> Html:
    """Render an outcome with colour and symbol; `said` replaces the word, for example with `3 failed`."""
    look = OUTCOME_LOOKS.get(outcome)
    if look is None:
        return tag("span", said or outcome, class_="pill")
    sign = tag("span", look.sign, class_="sign", aria_hidden="true")
    return tag("span", sign, said or outcome, class_=f"pill {outcome}")


def outcome_markup(outcome: str) -> str:
    """Return the outcome as Rich markup for a terminal."""
    look = OUTCOME_LOOKS[outcome]
    return f"[{look.terminal}]{look.sign} {outcome}[/]"


def outcome_styles() -> str:
    """Return the CSS of `outcome_pill`, for pages with the colours of `plots.theme`."""
    return ".pill .sign{margin-right:.4em;font-weight:800}\n" + "".join(
        f".pill.{name}{{color:var(--{name});background:var(--{name}-soft);border-color:transparent}}\n"
        for name in OUTCOME_LOOKS
    )


def tint(colour: str, card: str, share: float) -> str:
    """Mix a colour thinly over the card colour."""
    mixed = (round(share * int(colour[at : at + 2], 16) + (1 - share) * int(card[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{part:02x}" for part in mixed)
