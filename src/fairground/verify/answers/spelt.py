"""Numbers, fractions, ordinals and times in English words, rewritten in digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

_UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL: Final = {
    **{word: number for number, word in enumerate(_UNITS)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
    "nil": 0, "nought": 0, "fourty": 40,
}  # fmt: skip
_LARGE: Final = {
    "dozen": 12, "hundred": 100, "thousand": 1_000, "lakh": 100_000, "million": 1_000_000, "crore": 10_000_000,
    "billion": 1_000_000_000,
}  # fmt: skip
_ORDINALS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_SMALLS: Final = "|".join(sorted(_SMALL, key=len, reverse=True))
_LARGES: Final = "|".join(sorted(_LARGE, key=len, reverse=True))
_RUN: Final = re.compile(
    rf"\b(?:{_SMALLS}|(?<!half )a (?:{_LARGES})|(?<!\d )(?<!\d)(?<!half )(?:{_LARGES}))\b"
    rf"(?:(?:[ -]|,? and |, )(?:{_SMALLS}|{_LARGES})\b)*"
)
_NOT_ONE: Final = re.compile(r"\b(?:no|not)(?: a single)? one\b|\bnot a single\b")
_PRONOUN: Final = re.compile(
    r"(?<!there )\b(?:is|are|was|were|be) one of\b"
    r"|\b(?:the|this|that|which|another|each|every|any|either|correct|right|wrong|last|next|other|same|newest|latest|"
    r"oldest|cheapest|largest|smallest|best) one\b|\bone(?: another|'s)|\bone (?:can|could|might|may|should|would)\b"
)  # "one" as a pronoun: `it is one of these`, but not `one of them is on`
_ORDINAL: Final = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})[ -])?(?P<last>{'|'.join(name for name in _ORDINALS if name != 'second')}"
    r"|(?<=the )second|(?<=ty-)second)\b"
)
_PARTS: Final = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}
_TIMES: Final = {"once": "1 time", "twice": "2 times", "thrice": "3 times"}


def in_digits(text: str, question: str, *, clock: bool = False) -> str:
    """Rewrite a plain text with digits in place of number words.

    Args:
        text: The text.
        question: The question. `twice` is a number if it asks how often.
        clock: Whether a time of day is asked for: `ten to nine` is then 8:50, not a range.
    """
    text = _NOT_ONE.sub("none", text)
    text = _PRONOUN.sub(lambda match: match[0].replace("one", "it"), text)
    text = _ORDINAL.sub(_ordinal, text)
    text = re.sub(r"\bhalf a (?=thousand|lakh|million|crore|billion)", "0.5 ", text)
    text = _RUN.sub(lambda match: ", ".join(map(str, _values(match[0]))), text)
    text = re.sub(r"\b(\d+) point (\d(?:, \d)*)\b", lambda match: f"{match[1]}.{match[2].replace(', ', '')}", text)
    if re.search(r"\bhow (?:many times|often)\b", question):
        text = re.sub(r"\b(?:once|twice|thrice)\b", lambda match: _TIMES[match[0]], text)
    text = _fractions(text)
    text = re.sub(r"\bhalf[ -]past (\d{1,2})\b(?![:.]\d)", r"\1:30", text)
    text = re.sub(
        r"\b(?:a )?quarter (past|after|to|before) (\d{1,2})\b(?![:.]\d)", lambda m: _near(15, m[1], m[2]), text
    )
    text = re.sub(r"\b(?:noon|midday)\b", "12:00", re.sub(r"\bmidnight\b", "0:00", text))
    text = re.sub(r"\b12 (12:00|0:00)\b", r"\1", text)
    if clock:
        near = r"\b(\d{1,2})(?: minutes?)? (past|after|to|before) (\d{1,2})\b(?![:.]\d)"
        text = re.sub(near, lambda m: _near(int(m[1]), m[2], m[3]), text)
        text = re.sub(r"\b(\d{1,2}), (\d{2})\b(?! ?[:\d])(?=$|[ .]*(?:[ap]\.?m|in the|at night|$))", r"\1:\2", text)
    return text


def _fractions(text: str) -> str:
    text = re.sub(
        r"\b(\d+(?:\.\d+)?)( hours?)? and (?:a )?(half|quarter)\b( hours?)?",
        lambda m: f"{Decimal(m[1]) + _PARTS[m[3]]}{m[2] or m[4] or ''}",
        text,
    )
    text = re.sub(r"\b(\d+)( hours?)? and 3 quarters\b", lambda m: f"{m[1]}.75{m[2] or ''}", text)
    text = re.sub(r"\b(?:an|one|1) hour and (?:a )?(half|quarter)\b", lambda m: f"{1 + _PARTS[m[1]]} hours", text)
    text = re.sub(r"\bhalf(?: an?)?[ -](hour|minute|day)\b", r"0.5 \1", text)
    text = re.sub(r"\b3[ -]quarters of an hour\b", "45 minutes", text)
    text = re.sub(r"\b(?:a )?quarter(?: of an|-| an)? ?hour\b", "15 minutes", text)
    text = re.sub(r"\bhalf (?:a )?12\b", "6", text)
    return re.sub(r"\b(?:an|a) (?=(?:hour|minute|day|week)\b)", "1 ", text)


def _values(run: str) -> Iterator[int]:
    """The numbers in a run of number words; more than one if they do not join, as in `one two three`."""
    total = current = 0
    started = False
    last = ""
    for token in re.findall(r"[a-z]+|,", run):
        if token in _SMALL:
            joins = last in _LARGE or (last == "and" and started) or (last in _TENS and token in _UNITS[1:10])
            if started and not joins:
                yield total + current
                total = current = 0
            current += _SMALL[token]
            started, last = True, token
        elif token in _LARGE:
            current = max(current, 1) * _LARGE[token]
            if _LARGE[token] > 100:
                total, current = total + current, 0
            started, last = True, token
        elif token == "and":
            last = "and" if last in _LARGE else ";"
        elif token == "," and last not in _LARGE:
            last = ";"
    if started:
        yield total + current


def _ordinal(match: re.Match[str]) -> str:
    tens = 10 * (_TENS.index(match["tens"]) + 2) if match["tens"] else 0
    return f"{tens + _ORDINALS[match['last']]}th"


def _near(minutes: int, side: str, hour: str) -> str:
    """`quarter to ten` -> 9:45."""
    total = int(hour) * 60 + (minutes if side in ("past", "after") else -minutes)
    return f"{total // 60 % 24}:{total % 60:02d}"
