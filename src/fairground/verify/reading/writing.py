"""The three kinds of writing that office programs format apart: Western, Asian and complex (right-to-left, Indic).

A program keeps one weight and one slant for each kind, and the Bold button changes those of the selected letters only:
a Hebrew word that a person made bold is bold in the complex kind, and not in the Western one.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

Writing: TypeAlias = Literal[0, 1, 2]
WESTERN: Final = 0
ASIAN: Final = 1
COMPLEX: Final = 2


def writings(text: str) -> list[tuple[str, Writing]]:
    """The text in pieces of one kind of writing each.

    What is no letter belongs to the letter before it, and at the start to the first letter: a space between two bold
    words is bold.
    """
    if _OTHER.search(text) is None:
        return [(text, WESTERN)] if text else []
    found: list[tuple[str, Writing]] = []
    start, current = 0, None
    for place, letter in enumerate(text):
        if letter.isalpha() and (kind := _kind(letter)) != current:
            if current is not None:
                found.append((text[start:place], current))
                start = place
            current = kind
    found.append((text[start:], WESTERN if current is None else current))
    return found


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
