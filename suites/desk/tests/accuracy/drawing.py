"""What documents are drawn from: texts that break parsers, numbers at the edges, colours."""

from __future__ import annotations

import random
from typing import TypeVar

_T = TypeVar("_T")

PLAIN = ("North", "quarterly report", "Grant 2026", "über", "naïve café", "x", "Ω", "total", "a b c")
HOSTILE = (
    "a&b <tag> \"quoted\" 'single'",
    "]]>",
    "&amp; &#65; %41 _x0041_",
    "😀 family 👩‍👩‍👧 flag 🇳🇴",
    "שלום עולם",
    "مرحبا 123 بالعالم",
    "日本語 テスト",
    "e\u0301 combining, \u00ad soft, \u00a0 hard",
    "two  spaces   three",
    " leading and trailing ",
    "-1",
    "1e5",
    "=A1",
    "0042",
    "TRUE",
    "2026-01-31",
    "#DIV/0!",
    "null",
    "${x} {{y}} %s \\n",
    "'apostrophe first",
    "\u202eturned\u202c",
    "zero\u200bwidth",
    "long " * 400,
)
NUMBERS = (
    0.0, 1.0, -1.0, 0.1, -0.5, 1 / 3, 1e-7, 123456.789, 1e15, 1e16, 123456789012345.0, 2.5e-300, 1e300,
    1.7976931348623157e308, -9.87654321e20, 99.995, 1e-15, 4503599627370497.0, 0.30000000000000004,
)  # fmt: skip
COLOURS = (0xFF0000, 0x00A933, 0xFFFFA6, 0x2A6099, 0x123456, 0xFFFFFF, 0x010203)


class Draw(random.Random):
    """Random choices; the same number draws the same document."""

    def likely(self, share: float) -> bool:
        """True in this share of cases."""
        return self.random() < share

    def text(self) -> str:
        """A text of one line, more often than not a hostile one."""
        kind = self.random()
        if kind < 0.3:
            return self.choice(PLAIN)
        if kind < 0.8:
            return self.choice(HOSTILE)
        return " ".join(self.choices((*PLAIN, *(one for one in HOSTILE if len(one) < 100)), k=self.randint(2, 4)))

    def number(self) -> float:
        """A number, often at an edge."""
        if self.likely(0.5):
            return self.choice(NUMBERS)
        return round(self.uniform(-1e6, 1e6), self.randint(0, 8))

    def colour(self) -> int:
        """A colour as one number."""
        return self.choice(COLOURS)

    def some(self, values: tuple[_T, ...], share: float = 0.5) -> list[_T]:
        """Some of them, in order."""
        return [value for value in values if self.likely(share)]


def hexed(colour: int) -> str:
    """A colour as readers write it."""
    return f"#{colour:06x}"
