"""Building blocks of figures: drawings, text fitting, number formatting and standalone files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from fairground.report.html import Child, Html, tag
from fairground.report.palette import LIGHT, paint

WIDE = 720
"""Width of a drawing for desktops and papers, in pixels of the drawing."""

NARROW = 340
"""Width of a drawing for a phone."""

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
SIZE = 12


@dataclass(frozen=True)
class Drawing:
    """SVG elements and their size."""

    width: float
    height: float
    body: Html


@dataclass(frozen=True)
class Figure:
    """A figure in two widths.

    Attributes:
        name: Short name, valid in file names.
        title: What it shows, in a few words.
        description: Alternative text for screen readers.
        wide: For desktops, papers and export.
        narrow: For phones.
    """

    name: str
    title: str
    description: str
    wide: Drawing
    narrow: Drawing

    def svg(self, *, narrow: bool = False) -> Html:
        """Return the drawing as an element of the page, in the colours of the page's theme."""
        drawing = self.narrow if narrow else self.wide
        key = f"{self.name}-{'narrow' if narrow else 'wide'}"
        element = tag(
            "svg",
            tag("title", printable(self.title), id=f"{key}-title"),
            tag("desc", printable(self.description), id=f"{key}-desc"),
            drawing.body,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {drawing.width:g} {drawing.height:g}",
            width=f"{drawing.width:g}", height=f"{drawing.height:g}", font_family=FONT, font_size=SIZE,
            fill=paint("ink"), role="img", aria_labelledby=f"{key}-title", aria_describedby=f"{key}-desc",
            class_="narrow" if narrow else "wide", data_name=self.name,
        )  # fmt: skip
        # Use self-closing empty elements, which SVG has and HTML does not. Escaped text cannot contain this pattern.
        short = element.replace("></path>", "/>").replace("></rect>", "/>")
        # Phones have no hover. The script reads tooltips from the wide drawing, which has the same marks in the same
        # order.
        return Html(_SAID.sub('<g class="m">', short) if narrow else short)

    def standalone(self) -> str:
        """Return the wide drawing as a standalone file with light colours, a background and no external references."""
        drawing = self.wide
        markup = str(self.svg()).replace(f' class="wide" data-name="{self.name}"', "", 1)
        start = markup.index("</desc>") + len("</desc>")
        ground = f'<rect width="{drawing.width:g}" height="{drawing.height:g}" fill="var(--card)"/>'
        drawn = _VAR.sub(lambda match: f'="{LIGHT[match[1]]}"', markup[:start] + ground + markup[start:])
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- {GENERATOR} -->\n{drawn}\n'


GENERATOR = "Generator: Fairground"
"""Comment in standalone figures that marks them as ours, so that they may be overwritten."""

_SAID = re.compile(r'<g class="m"><title>[^<]*</title>')
# Match whole attributes only: an untrusted name may contain the same letters, but never the quotes.
_VAR = re.compile(r'="var\(--([a-z0-9]+)\)"')


def figure(name: str, title: str, description: str, draw: Callable[[int], Drawing]) -> Figure:
    """Build a figure from a function that draws it in a given width."""
    return Figure(name, title, description, draw(WIDE), draw(NARROW))


def words(
    said: str, x: float, y: float, *, room: float | None = None, anchor: str | None = None, size: float | None = None,
    fill: str | None = None, weight: int | None = None, turn: float | None = None,
) -> Html:  # fmt: skip
    """Draw a line of text. With `room` it is shortened to that width and gets the full text as a tooltip."""
    shown = printable(said) if room is None else fit(said, room, size or SIZE)
    full = tag("title", printable(said)) if shown != printable(said) else None
    return tag(
        "text", full, shown, x=n(x), y=n(y), text_anchor=anchor, font_size=size, fill=fill, font_weight=weight,
        transform=None if turn is None else f"rotate({turn:g} {n(x)} {n(y)})",
    )  # fmt: skip


def mark(said: str, *children: Child) -> Html:
    """Group the elements of a data point with its tooltip."""
    return tag("g", tag("title", printable(said)), children, class_="m")


def line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1, **more: str | float | None) -> Html:
    """Draw a straight line."""
    end = f"H{n(x2)}" if n(y1) == n(y2) else f"V{n(y2)}" if n(x1) == n(x2) else f"L{n(x2)} {n(y2)}"
    return tag("path", d=f"M{n(x1)} {n(y1)}{end}", stroke=stroke, stroke_width=None if width == 1 else width, **more)


def n(number: float) -> str:
    """Format a coordinate, to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")


LONGEST = 400


def printable(said: str) -> str:
    """Return text on one line without characters that XML cannot contain, limited in length."""
    line_ = " ".join(said.split())
    printed = "".join("\ufffd" if _unfit(char) else char for char in line_[:LONGEST])
    return printed if len(line_) <= LONGEST else f"{printed}…"


def _unfit(char: str) -> bool:
    code = ord(char)
    return 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code & 0xFFFE == 0xFFFE


def fit(said: str, room: float, size: float = SIZE) -> str:
    """Shorten text with an ellipsis to a width."""
    shown = printable(said)
    if width_of(shown, size) <= room:
        return shown
    room -= width_of("…", size)
    length = 0
    while length < len(shown) and (room := room - width_of(shown[length], size)) >= 0:
        length += 1
    return f"{shown[:length].rstrip()}…"


def width_of(said: str, size: float = SIZE) -> float:
    """Return the approximate width of a line of text, using the widths of Helvetica rounded up."""
    return size * sum(_advance(char) for char in said)


def _advance(char: str) -> float:
    for chars, advance in _ADVANCES:
        if char in chars:
            return advance
    if unicodedata.combining(char) or unicodedata.category(char) == "Cf":
        return 0.0
    if ord(char) < 0x250:
        return 0.74 if char.isupper() else 0.59
    return 1.1 if unicodedata.east_asian_width(char) in "WF" or ord(char) >= 0x1F000 else 0.75


_ADVANCES = (
    ("ijl'|", 0.25), ("tfI.,:;!/\\ []", 0.31), ("r()-", 0.36), ("cksvxyzJ", 0.54), ("w", 0.76), ("mM%@…", 0.95),
    ("W", 1.0), ("\N{MINUS SIGN}+=<>~", 0.6),
)  # fmt: skip
