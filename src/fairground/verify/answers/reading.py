"""Reading the one value that an answer commits to: a number, an amount, a day, a time or a duration.

The value is read without looking at what is expected. So an answer that lists candidates is never right by chance.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from fairground.verify.answers.certainty import compared, denied, unsure, vague
from fairground.verify.answers.moments import WEEKDAYS, same_day
from fairground.verify.answers.quantities import Asked, Quantity, asked_units, scan
from fairground.verify.answers.spelt import in_digits
from fairground.verify.answers.text import words

Rank = Callable[[Quantity], int | None]
"""0: an answer to the question. 1: an answer if there is none of rank 0. None: a remark."""


def match_number(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    """Whether an answer states a number, in the unit that the question asks for."""
    wanted = Decimal(str(expected))
    asked = Asked("number", asked_units(question), today)
    text, question = in_digits(said, question), in_digits(question, question)
    known = {_stem(word) for word in words(question).split()}
    about_money, about_place = _MONEY.search(question), _PLACE.search(question)

    def rank(quantity: Quantity) -> int | None:
        otherwise = None if question else 1
        match quantity.role:
            case "number":
                if _OF_THEM.match(text, quantity.end):
                    return 1
                return 0 if not quantity.noun or _stem(words(quantity.noun)) in known else 1
            case "duration":
                return 0 if "duration" in asked.units else otherwise
            case "measure":
                return 0 if _dimension(quantity, asked) in asked.units else otherwise
            case "money":
                return 0 if about_money else otherwise
            case "ordinal":
                return 1 if about_place else None
            case "year":
                return 0 if "year" in known else None
            case "label":
                return 0 if quantity.unit in known else None
        return None

    chosen = _chosen(text, asked, rank, question)
    if chosen is None:
        return False
    if not chosen:
        return wanted == 0 and bool(_NOTHING.search(text)) and not re.search(r"\d", text)
    values = [(quantity, _in_asked_unit(quantity, asked)) for quantity in chosen]
    exact = [read for quantity, read in values if _is_exact(quantity, asked)]
    rounded = [
        read for quantity, read in values
        if not _is_exact(quantity, asked) and not _rounds(read, quantity.slack / _factor(quantity, asked), exact)
    ]  # fmt: skip
    return all(wanted in read for read in exact + rounded)


def match_money(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    """Whether an answer states an amount, in no other currency than the expected one."""
    amount, _, code = str(expected).partition(" ")
    wanted = Decimal(amount)
    asked = Asked("money", {}, today)
    text, question = in_digits(said, question), in_digits(question, question)

    def rank(quantity: Quantity) -> int | None:
        return 0 if quantity.role == "money" or (quantity.role == "number" and not quantity.noun) else None

    chosen = _chosen(text, asked, rank, question)
    if chosen is None:
        return False
    if not chosen:
        return wanted == 0 and bool(_NOTHING.search(text)) and not re.search(r"\d", text)
    strange = [quantity for quantity in chosen if quantity.codes and code and code not in quantity.codes]
    return not strange and all(wanted in quantity.values for quantity in chosen)


def match_date(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    """Whether an answer states a day, with or without its year."""
    day = datetime.fromisoformat(str(expected)).date()
    wanted = (day.year, day.month, day.day)
    asked = Asked("date", {}, today)
    text, question = in_digits(said, question), in_digits(question, question)
    chosen = _chosen(text, asked, lambda quantity: 0 if quantity.role == "date" else None, question)
    if not chosen or not all(any(same_day(wanted, value) for value in quantity.values) for quantity in chosen):
        return False
    known = {value for quantity in scan(question, asked) for value in quantity.values} | {Decimal(day.day)}
    stray = [
        quantity for quantity in scan(text, asked)
        if quantity.role in ("number", "ordinal") and not quantity.noun and not quantity.values & known
    ]  # fmt: skip
    weekdays = {WEEKDAYS.index(word) for word in words(said).split() if word in WEEKDAYS}
    asked_weekdays = {WEEKDAYS.index(word) for word in words(question).split() if word in WEEKDAYS}
    return not stray and weekdays - asked_weekdays <= {day.weekday()}


def match_time(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    """Whether an answer states a time of day, in 24 hours or with the part of the day."""
    hour, minute = (int(part) for part in str(expected).split(":")[:2])
    asked = Asked("time", {}, today)
    text, question = in_digits(said, question, clock=True), in_digits(question, question, clock=True)

    def rank(quantity: Quantity) -> int | None:
        if quantity.role == "time":
            return 0
        return 1 if quantity.role == "number" and not quantity.noun else None

    chosen = _chosen(text, asked, rank, question, lone=True)
    if not chosen:
        return False
    for quantity in chosen:
        if quantity.unit and quantity.unit not in question:
            return False
        hours = {(int(value), 0) for value in quantity.values} if quantity.role == "number" else quantity.values
        if (hour, minute) not in hours:
            return False
    return True


def match_duration(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    """Whether an answer states a duration: `2 h 5 min`, `2:05`, or minutes alone."""
    wanted = Decimal(str(expected))
    asked = Asked("duration", {}, today)
    text, question = in_digits(said, question), in_digits(question, question)
    quantities = scan(text, asked)
    measured = any(quantity.role == "duration" for quantity in quantities)
    if not measured and re.fullmatch(r"\W*\d+\W*", text):
        return Decimal(re.sub(r"\D", "", text)) == wanted and not re.search(r"[-~<>?+]", text)

    def rank(quantity: Quantity) -> int | None:
        if quantity.role == "duration" or (quantity.role == "number" and not quantity.noun):
            return 0
        return 0 if not measured and quantity.role == "time" else None

    chosen = _chosen(text, asked, rank, question)
    if not chosen:
        return False
    for quantity in chosen:
        spans = {hour * 60 + minute for hour, minute in quantity.values} if quantity.role == "time" else quantity.values
        if quantity.role == "number" or not any(abs(span - wanted) < Decimal("0.01") for span in spans):
            return False
    return True


def _chosen(text: str, asked: Asked, rank: Rank, question: str, *, lone: bool = False) -> list[Quantity] | None:
    """What an answer commits to; None if it is vague or unsure.

    Args:
        text: The answer, in digits.
        asked: What is asked for.
        rank: Which quantities are answers.
        question: The question, in digits.
        lone: Quantities of rank 1 contradict those of rank 0.
    """
    if unsure(_without_quotes(text, question)):
        return None
    quantities = _without_parts(scan(text, asked), text)
    quantities = _without_denied(quantities, text)
    ranked = [(quantity, place) for quantity in quantities if (place := rank(quantity)) is not None]
    best = min((place for _, place in ranked), default=0)
    chosen = [quantity for quantity, place in ranked if place == best or lone]
    repeated = scan(question, asked)
    new = [quantity for quantity in chosen if not any(_repeats(quantity, other) for other in repeated)]
    chosen = new or chosen
    kept: list[Quantity] = []
    for quantity in chosen:
        if kept and compared(text, quantity.start):
            continue
        if vague(text, quantity.start, quantity.end, question, moment=quantity.role in ("date", "time")):
            return None
        kept.append(quantity)
    return kept


def _without_denied(quantities: list[Quantity], text: str) -> list[Quantity]:
    kept: list[Quantity] = []
    denied_end = -1
    for quantity in quantities:
        follows = denied_end >= 0 and re.fullmatch(r"[\s,]*(?:and|or|nor)?\s*", text[denied_end : quantity.start])
        if follows or denied(text, quantity.start, quantity.end):
            denied_end = quantity.end
        else:
            kept.append(quantity)
    return kept


def _without_parts(quantities: list[Quantity], text: str) -> list[Quantity]:
    """Without the parts of a sum or product whose result follows: `4,000 + 600 = 4,600`."""
    kept = list(quantities)
    for place, result in enumerate(quantities):
        parts: list[tuple[str, Quantity]] = []
        after = result
        for part in reversed(quantities[:place]):
            operator = _OPERATOR.fullmatch(text[part.end : after.start])
            if operator is None or (operator[1] == "=") != (after is result):
                break
            parts.insert(0, (operator[1], part))
            after = part
        if len(parts) > 1 and _computed(parts) & result.values:
            dropped = {id(part) for _, part in parts}
            kept = [quantity for quantity in kept if id(quantity) not in dropped]
    return kept


def _computed(parts: list[tuple[str, Quantity]]) -> frozenset[Any]:
    """The results of a chain; each part comes with the operator after it."""
    numbers = [part.values for _, part in parts]
    if any(not isinstance(value, Decimal) for values in numbers for value in values):
        return frozenset()
    results = set()
    for values in itertools.islice(itertools.product(*numbers), 64):
        total, term, sign = Decimal(0), values[0], 1
        for (operator, _), value in zip(parts, values[1:], strict=False):
            if operator in "*x":
                term *= value
            else:
                total, term, sign = total + sign * term, value, -1 if operator == "-" else 1
        results.add(total + sign * term)
    return frozenset(results)


def _repeats(quantity: Quantity, asked: Quantity) -> bool:
    if quantity.role == asked.role == "date":
        return any(same_day(one, other) for one in quantity.values for other in asked.values)
    alike = quantity.role == asked.role or {quantity.role, asked.role} <= {"number", "money", "label", "year"}
    return alike and bool(quantity.values & asked.values)


def _without_quotes(text: str, question: str) -> str:
    for phrase in re.findall(r'"([^"]{3,})"', question):
        text = text.replace(phrase, " ")
    return text


def _dimension(quantity: Quantity, asked: Asked) -> str:
    return "celsius" if quantity.unit == "degrees" and "celsius" in asked.units else quantity.unit


def _factor(quantity: Quantity, asked: Asked) -> Decimal:
    if quantity.role == "duration":
        return asked.units.get("duration", quantity.factor)
    return asked.units.get(quantity.unit, quantity.factor) if quantity.role == "measure" else Decimal(1)


def _in_asked_unit(quantity: Quantity, asked: Asked) -> frozenset[Any]:
    if quantity.role not in ("duration", "measure"):
        return quantity.values
    factor = _factor(quantity, asked)
    return frozenset((value / factor).normalize() for value in quantity.values)


def _is_exact(quantity: Quantity, asked: Asked) -> bool:
    return quantity.role not in ("duration", "measure") or quantity.factor == _factor(quantity, asked)


def _rounds(read: frozenset[Any], slack: Decimal, exact: list[frozenset[Any]]) -> bool:
    """Whether a value in a larger unit is a rounded form of an exact one: `1.2 kB (1,234 bytes)`."""
    return any(abs(value - other) <= slack for value in read for values in exact for other in values)


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


_MONEY: Final = re.compile(
    r"\b(?:costs?|prices?|pay|paid|pays|payments?|rent|deposit|spen[dt]|budget|amounts?|sum|revenue|money|fee|refund|"
    r"charge|worth|expensive|cheap\w*|currency|total)\b"
)
_PLACE: Final = re.compile(r"\b(?:which number|position|rank|place|which (?:slide|row|page|line))\b")
_OF_THEM: Final = re.compile(r" of (?:them|these|those|which|whom)\b")
_OPERATOR: Final = re.compile(r"\s*([+=*x-])\s*")
_NOTHING: Final = re.compile(
    r"\bnone\b|\bzero\b|^\W*(?:nothing|nobody|no one)\b|\bnothing at all\b|\b(?:is|are|get|got|be) nothing\b"
    r"|\bno (?!idea|clue|answer|doubt|way|longer|such|problem|need|change|worries|matter|more|less|fewer)[^\W\d_]"
)
