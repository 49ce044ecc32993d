"""Wrong answers that a verifier must reject: empty ones, stock phrases and near misses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

EMPTY = ("", " ", "\n", ".", "?", "-")

STOCK = (
    "0", "1", "2", "3", "4", "5", "10", "100", "yes", "no", "true", "false", "none", "nothing", "all", "done", "ok",
    "unknown", "n/a", "null", "I don't know", "not found", "there is none", "today", "$0.00", "$10.00", "100%",
)  # fmt: skip
"""Answers of an agent that has not looked."""

SPAM = (
    ", ".join(str(number) for number in range(101)),
    "yes no true false none all 0 1 2 3 4 5 6 7 8 9 10",
    "The answer is one of the things on the screen.",
)
"""Answers that list everything at once. Never accepted."""

GUESSES = ("Alma Reyes", "Blue folder", "Quarterly summary")
"""Names that are combined with the right answer into a guess of several names."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_UNITS = {
    "$": "€", "€": "$", "£": "$", "¥": "€", "usd": "EUR", "eur": "USD", "kwh": "MWh", "wh": "kWh", "km": "miles",
    "min": "h", "minutes": "hours", "hours": "minutes", "h": "min", "days": "weeks", "am": "PM", "pm": "AM",
    "°c": "°F", "c": "F", "%": "", "gb": "MB", "mb": "GB", "kg": "lb",
}  # fmt: skip
_LETTERS = re.compile(r"(?<![^\W\d_])(?:°?[a-z]+|[$€£¥%])(?![^\W\d_])", re.IGNORECASE)
_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NONE = {"none", "nothing", "there is none"}


def says(answer: str | None, stock: str) -> bool:
    """Return whether an answer contains a stock answer as a word or number. Accepting it is then luck, not a fault."""
    tokens = set(_tokens(answer or ""))
    return bool(tokens) and set(_tokens("0" if stock in _NONE else stock)) <= tokens


def near_misses(answer: str, others: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield plausible wrong answers, each with a name.

    Args:
        answer: The right answer.
        others: The right answers of other instances.
    """
    seen = {_squeezed(answer)}
    for name, text in _candidates(answer, others):
        if _squeezed(text) not in seen:
            seen.add(_squeezed(text))
            yield name, text


def _candidates(answer: str, others: Sequence[str]) -> Iterator[tuple[str, str]]:
    numbers = list(_NUMBER.finditer(answer))
    if numbers:
        last = max(numbers, key=lambda match: len(match[0]))
        yield "off by one", _put(answer, last, _shifted(last[0], 1))
        yield "one less", _put(answer, last, _shifted(last[0], -1))
        yield "ten times", _put(answer, last, last[0] + "0" if "." not in last[0] else _moved(last[0]))
        if len(last[0]) > 1 and last[0][0] != last[0][1]:
            yield "digits swapped", _put(answer, last, last[0][1] + last[0][0] + last[0][2:])
        if re.fullmatch(r"[^\w-]?\s?" + re.escape(last[0]), answer):
            yield "the opposite sign", _put(answer, last, f"-{last[0]}")
    for unit in _LETTERS.finditer(answer):
        if unit[0].casefold() in _UNITS and (numbers or unit[0] in "$€£¥%"):
            yield "another unit", _put(answer, unit, _UNITS[unit[0].casefold()]).strip()
            break
    for place, other in enumerate(others[:3], 1):
        yield f"the answer of another instance ({place})", other
    items = _items(answer)
    if len(items) > 1:
        yield "one missing", ", ".join(items[:-1])
        yield "the first missing", ", ".join(items[1:])
        extra = next((item for other in others for item in _items(other) if item not in items), "something else")
        yield "one too many", ", ".join([*items, extra])
    elif not numbers and len(answer) > 3:
        yield "cut short", answer[: len(answer) // 2]
        yield "one letter missing", answer[:-1]
        yield "among guesses", ", ".join([*GUESSES, answer])
        yield "before guesses", ", ".join([answer, *GUESSES])
    yield "denied", f"It is not {answer}."
    yield "a guess", f"Maybe {answer}"
    yield "a question", f"{answer}?"
    if re.fullmatch(r"\d+(?:\.\d+)?(?: [A-Z]{3})?", answer):
        yield "a bound", f"at least {answer}"
        yield "another scale", _put(answer, numbers[0], f"{numbers[0][0]}k")
    if others:
        yield "several at once", ", ".join([answer, *others[:4]])
    yield "everything at once", f"{answer}, {SPAM[0]}"
    yield "nothing", ""


def _items(answer: str) -> list[str]:
    return [part.strip() for part in re.split(r",\s+|;|\n|\s+and\s+", answer) if part.strip()]


def _put(text: str, found: re.Match[str], new: str) -> str:
    return text[: found.start()] + new + text[found.end() :]


def _shifted(number: str, by: int) -> str:
    """Return a number shifted by one in its last place, in the same format. Shifts up if it would be negative."""
    digits = re.sub(r"\D", "", number)
    value = int(digits) + by
    if value < 0:
        value = int(digits) + 2
    new = str(value).rjust(len(digits), "0")
    extra, new = new[: len(new) - len(digits)], new[len(new) - len(digits) :]
    place = iter(new)
    return extra + "".join(next(place) if sign.isdigit() else sign for sign in number)


def _moved(number: str) -> str:
    whole, _, part = number.rpartition(".")
    return f"{whole}{part[:1]}.{part[1:] or '0'}"


def _tokens(text: str) -> Iterable[str]:
    for token in re.findall(r"[$€£]?\d+(?:[.,]\d+)*%?|[^\W\d_]+", text.casefold()):
        bare = token.strip("$€£%")
        number = re.sub(r"\.0+$", "", bare)
        yield str(_WORDS.index(number)) if number in _WORDS else number


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())
