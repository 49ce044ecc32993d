"""Folding of text to plain Latin letters, to find names in any spelling.

Covered: case, accents, compatibility forms (full width, mathematical, circled), small capitals, Cyrillic, Greek and
Armenian look-alikes, zero-width characters, digits and symbols used as letters, and repeated letters.
"""

from __future__ import annotations

import unicodedata
from importlib import resources
from typing import Final

_LOOK_ALIKE: Final = {
    character: line[0]
    for line in resources.files("fairground.arena").joinpath("look_alikes.txt").read_text(encoding="utf-8").splitlines()
    for character in line[2:]
}
_LEET: Final = {
    "0": "o", "1": "l", "2": "z", "3": "e", "4": "a", "5": "s", "6": "g", "7": "t", "8": "b", "9": "g",
    "@": "a", "$": "s", "!": "l", "|": "l", "€": "e", "£": "l",
}  # fmt: skip
_SAME: Final = str.maketrans("i", "l")  # a capital I and a lower-case L look alike
_CIRCLED: Final = ((0x1F130, 26), (0x1F150, 26), (0x1F170, 26), (0x1F1E6, 26))
_INVISIBLE: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")


class _Table(dict[int, str]):
    """Maps characters to folded letters, computed on first use."""

    def __init__(self, *, leet: bool) -> None:
        super().__init__()
        self._leet = leet

    def __missing__(self, code: int) -> str:
        letters = _letters(chr(code))
        if not letters and self._leet:
            letters = _LEET.get(unicodedata.normalize("NFKC", chr(code)), "")
        self[code] = letters.translate(_SAME)
        return self[code]


PLAIN: Final = _Table(leet=False)
"""Letters only; everything else is dropped."""

LEET: Final = _Table(leet=True)
"""The same, with digits and symbols used as letters."""


def is_invisible(character: str) -> bool:
    """Whether a character is invisible: zero-width, combining or a filler."""
    return character in _INVISIBLE or unicodedata.category(character) in ("Cf", "Mn", "Me")


def _letters(character: str) -> str:
    code = ord(character)
    for first, number in _CIRCLED:
        if first <= code < first + number:
            return chr(ord("a") + code - first)
    letters = []
    if character in _LOOK_ALIKE:  # before folding to a letter of another shape
        return _LOOK_ALIKE[character]
    for part in unicodedata.normalize("NFKD", character).casefold():
        if "a" <= part <= "z":
            letters.append(part)
        elif part in _LOOK_ALIKE:
            letters.append(_LOOK_ALIKE[part])
        elif part.isalpha():
            letters.append(_by_name(part))
    return "".join(letters)


def _by_name(character: str) -> str:
    """Return the base letter of a Latin letter with a stroke, a small capital or the like; empty if there is none."""
    words = unicodedata.name(character, "").split()
    if words[:1] != ["LATIN"] or "LETTER" not in words:
        return ""
    rest = [word for word in words[words.index("LETTER") + 1 :] if word not in ("SMALL", "CAPITAL", "TURNED", "OPEN")]
    return rest[0].lower() if rest and len(rest[0]) == 1 else ""
