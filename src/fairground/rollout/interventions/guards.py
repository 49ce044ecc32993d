"""Mechanical checks of model-written messages: they must not reveal answers or steps.

The checks are strict on purpose. A wrongly rejected message loses some information; a message that reveals the answer
spoils the measurement. They recognise numbers in digits and in English words, and text regardless of case, spacing and
punctuation. They do not recognise paraphrases, other languages or ciphers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from fairground.core import Check, Parameter

_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: number for number, word in enumerate(_UNITS)} | {
    word: 10 * number for number, word in enumerate(_TENS, 2)
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_OTHER = {"none": 0, "no": 0, "once": 1, "single": 1, "twice": 2, "pair": 2, "dozen": 12}
_NUMBER = re.compile(r"\d+(?:[.,'\u00a0\u202f ]\d+)*|[^\W\d_]+")
_PROSE = 40  # in texts longer than this, a number is one of many words and not treated as a secret
_SQUEEZED = 6  # minimum length to search a text without spaces and punctuation

_POINTING = (
    "click|double-click|right-click|tap|press|drag|scroll|hover|swipe|toggle|tick|untick|check the box|hit|long-press"
)
_ORDER = r"open|select|choose|go|navigate|type|enter|pick|use|switch|save|close|move|set|change|add|delete|remove|find"
_STEPS = {
    "a numbered or bulleted list": re.compile(
        r"^\s*(?:step\s*\d|\(?\d{1,2}[.):]\s|[-*\u2022\u2013]\s)", re.MULTILINE | re.IGNORECASE
    ),
    "an enumeration": re.compile(r"(?:^|\s)\(?[1a][.)]\s.*?\s\(?[2b][.)]\s", re.IGNORECASE | re.DOTALL),
    "a word for an input, with what to use it on": re.compile(rf"\b(?:{_POINTING})\b\s+\S", re.IGNORECASE),
    "a key to press": re.compile(r"\b(?:ctrl|control|alt|shift|cmd|command|meta|super)\s*[+-]\s*\w", re.IGNORECASE),
    "a path through menus": re.compile(r"\w\s*(?:>|\u2192|->|\u203a|\u00bb)\s*\w"),
    "an order in steps": re.compile(
        rf"\b(?:first(?:ly)?|next|then|after that|finally|afterwards)\b[\s,:]+(?:\w+\s+){{0,3}}?(?:{_ORDER})\b",
        re.IGNORECASE,
    ),
    "an order of how to do it": re.compile(
        r"(?:^|[.!?:;]\s+|\b(?:by|you (?:should|must|can|could|need to|have to)|please|try)\s+)"
        r"(?:open|select|choose|go (?:to|back)|navigate|type|enter|switch|scroll|opening|selecting|choosing|clicking"
        r"|tapping|pressing|typing|going to)\b",
        re.IGNORECASE | re.MULTILINE,
    ),
}


def looks_like_steps(text: str) -> str | None:
    """Return what in a text describes how to do something, or None."""
    plain = _visible(text)
    return next((what for what, pattern in _STEPS.items() if pattern.search(plain)), None)


def given_away(text: str, secrets: Iterable[Any], *, known: str) -> bool:
    """Return whether a text contains one of these values.

    Args:
        text: The text to check.
        secrets: Values that must not be revealed: texts and numbers.
        known: What the agent was already given. A value that occurs there is not secret.
    """
    numbers, given = numbers_in(text), numbers_in(known)
    for secret in secrets:
        short = not isinstance(secret, str) or len(secret) <= _PROSE
        if short and (numbers_in(str(secret)) - given) & numbers:
            return True
        if isinstance(secret, str) and names_text(text, secret) and not names_text(known, secret):
            return True
    return False


def answers_of(checks: Iterable[Check]) -> tuple[str | int | float, ...]:
    """Return the values that the checks of an answer expect. Integrity checks are left out: they expect no change."""
    return tuple(leaf for check in checks if not check.integrity for leaf in leaves(check.expected))


def results_of(checks: Iterable[Check], *, known: str) -> tuple[str | int | float, ...]:
    """Return the numbers that checks expect and the agent was not given: the results it has to work out."""
    given = numbers_in(known)
    return tuple(leaf for leaf in answers_of(checks) if is_number(leaf) and not numbers_in(str(leaf)) <= given)


def lost_parameters(text: str, original: str, parameters: Mapping[str, Parameter]) -> tuple[str, ...]:
    """Return the names of parameters that the original instruction states and another text does not."""
    return tuple(
        name
        for name, value in parameters.items()
        if not isinstance(value, bool) and _says(original, value) and not _says(text, value)
    )


def leaves(value: Any) -> Iterator[str | int | float]:
    """Yield all texts and numbers in plain data, at any depth. Skips booleans and empty texts."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Mapping):
            stack += list(item.values())
        elif isinstance(item, list | tuple | set | frozenset):
            stack += list(item)
        elif isinstance(item, str | int | float) and not isinstance(item, bool) and str(item).strip():
            yield item


def is_number(value: str | int | float) -> bool:
    """Return whether a value is a number, or a text that contains only a number."""
    return not isinstance(value, str) or bool(re.fullmatch(r"\W*\d[\d.,' \u00a0]*\W*", value))


def numbers_in(text: str) -> frozenset[Decimal]:
    """Return every number that a text may name, in digits or English words."""
    numbers: set[Decimal] = set()
    words: list[str] = []
    for match in _NUMBER.finditer(_visible(text).casefold()):
        token = match[0]
        if token[0].isdigit():
            numbers |= set(_readings(token))
            numbers |= _spoken(words)
            words = []
        elif token in _WORDS or token in _SCALES or (words and token == "and"):
            words.append(token)
        else:
            numbers |= _spoken(words)
            words = []
            if token in _OTHER:
                numbers.add(Decimal(_OTHER[token]))
    return frozenset(numbers | _spoken(words))


def names_text(text: str, value: str) -> bool:
    """Return whether a text contains another, ignoring case, spacing and punctuation."""
    wanted = _plain(value)
    if not wanted:
        return False
    if f" {wanted} " in f" {_plain(text)} ":
        return True
    squeezed = wanted.replace(" ", "")
    return len(squeezed) >= _SQUEEZED and squeezed in _plain(text).replace(" ", "")


def _says(text: str, value: Parameter) -> bool:
    if isinstance(value, str):
        return names_text(text, value)
    return numbers_in(str(value)) <= numbers_in(text)


def _readings(digits: str) -> Iterator[Decimal]:
    """Yield the possible values of a number: comma and point may both separate thousands or decimals."""
    pieces = re.split(r"[.,'\u00a0\u202f ]", digits)
    forms = {"".join(pieces), *pieces}
    if len(pieces) > 1:
        forms.add("".join(pieces[:-1]) + "." + pieces[-1])
    for form in forms:
        try:
            yield Decimal(form).normalize()
        except InvalidOperation:  # thousands of digits
            continue


def _spoken(words: list[str]) -> set[Decimal]:
    """Return the number that words form together, and each word's own number: "twenty three" may be either."""
    numbers, total, part = {Decimal(_WORDS[word]) for word in words if word in _WORDS}, 0, 0
    for word in words:
        if word in _WORDS:
            part += _WORDS[word]
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in _SCALES:
            total += (part or 1) * _SCALES[word]
            part = 0
    return {number.normalize() for number in numbers | ({Decimal(total + part)} if words else set())}


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", _visible(text).casefold()))


def _visible(text: str) -> str:
    """Return the text as displayed: without invisible characters, and with compatibility forms normalised (NFKC)."""
    return "".join(
        character for character in unicodedata.normalize("NFKC", text) if unicodedata.category(character) != "Cf"
    )
