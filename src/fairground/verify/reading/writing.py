"""The three script types that office programs format separately: Western, Asian and complex (right-to-left, Indic).

A program stores one weight and one slant per script type, and the Bold button changes only those of the selected text:
a Hebrew word that a user made bold is bold in the complex type, and not in the Western one.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

Writing: TypeAlias = Literal[0, 1, 2]
WESTERN: Final = 0
ASIAN: Final = 1
COMPLEX: Final = 2


def writings(text: str) -> list[tuple[str, Writing]]:
    """Split a text into parts of one script type each.

    Other characters belong to the letter before them, and at the start to the first letter: a space between two bold
    words is bold.
    """
    if _OTHER.search(text) is None:
        return [(text, WESTERN)] if text else []
    pieces: list[tuple[str, Writing]] = []
    start, current = 0, None
    for place, letter in enumerate(text):
        if letter.isalpha() and (kind := _kind(letter)) != current:
            if current is not None:
                pieces.append((text[start:place], current))
                start = place
            current = kind
    pieces.append((text[start:], WESTERN if current is None else current))
    return pieces


def _kind(letter: str) -> Writing:
    match = _OTHER.match(letter)
    if match is None:
        return WESTERN
    return ASIAN if match[1] else COMPLEX


_OTHER = re.compile(
    "([\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
    "\U0001b000-\U0001b2ff\U00020000-\U0003ffff])"
    "|[\u0590-\u109f\u1200-\u139f\u1780-\u18af\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
