"""Quantities in a text, each with its role, unit and scale."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final

from fairground.verify.answers.moments import Today, days, moments
from fairground.verify.answers.units import CURRENCIES, MEASURES, MINOR, MINUTES, SCALES


@dataclass(frozen=True)
class Quantity:
    """A quantity as written.

    Attributes:
        role: `number`, `money`, `duration` (minutes), `measure`, `ordinal`, `year`, `label` (a number that is a name),
            `date`, `month` or `time`.
        values: Its possible values, such as 1234 and 1.234 for `1.234`. None: it is malformed.
        start: Where it begins.
        end: Where it ends.
        unit: The dimension of a measure, the zone of a time, or the word of a label.
        noun: The word after a number: `emails` in `3 emails`.
        codes: The currencies that it may be in; none if it names no currency.
        minor: Whether it is in hundredths of a currency.
        factor: The size of its unit.
        slack: Half of its last digit, for comparison with a rounded value.
    """

    role: str
    values: frozenset[Any]
    start: int
    end: int
    unit: str = ""
    noun: str = ""
    codes: frozenset[str] = frozenset()
    minor: bool = False
    factor: Decimal = Decimal(1)
    slack: Decimal = Decimal(0)


@dataclass(frozen=True)
class Asked:
    """What the question asks for.

    Attributes:
        kind: The kind of answer.
        units: Dimensions that the question names, with the factor of the unit it wants.
        today: For `today`, `yesterday` and `tomorrow`.
    """

    kind: str
    units: Mapping[str, Decimal] = field(default_factory=dict)
    today: Today = None


def asked_units(question: str) -> dict[str, Decimal]:
    """The units that a question wants its answer in: `in percent`, `how many minutes`."""
    units: dict[str, Decimal] = {}
    for match in _WANTED.finditer(question):
        name = match["unit"].replace(" ", "")
        if name in MINUTES:
            units["duration"] = MINUTES[name]
        elif name in MEASURES:
            dimension, factors = MEASURES[name]
            units[dimension] = factors[0]
    return units


def scan(text: str, asked: Asked) -> list[Quantity]:
    """All quantities of a text in digits, in order."""
    quantities: list[Quantity] = []
    for role, values, start, end, unit in [*days(text, asked.kind, asked.today), *moments(text, asked.kind)]:
        if not any(start < other.end and other.start < end for other in quantities):
            quantities.append(Quantity(role, values, start, end, unit))
    hidden = list(text)
    for quantity in quantities:
        hidden[quantity.start : quantity.end] = "\x01" * (quantity.end - quantity.start)
    rest = "".join(hidden)
    steps = {match.start("n") for match in _STEP.finditer(rest)}
    for match in _NUMERAL.finditer(rest):
        if len(steps) > 1 and match.start() in steps:
            quantities.append(Quantity("label", frozenset(), match.start(), match.end(), "step"))
        else:
            quantities.append(_number(rest, match, asked))
    return _joined(sorted(quantities, key=lambda quantity: quantity.start), text)


def readings(token: str) -> frozenset[Decimal]:
    """The values that a numeral may have; none if its separators make no sense."""
    digits = re.sub(r"[ '_]", "", token)
    values = set()
    for point, comma in ((".", ","), (",", ".")):
        if digits.count(point) <= 1:
            integer, _, part = digits.partition(point)
            groups = integer.split(comma)
            western = all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= (3 if groups[1:] else 40)
            indian = (
                comma == "," and len(groups) > 2 and len(groups[0]) <= 2 and len(groups[-1]) == 3
                and all(len(group) == 2 for group in groups[1:-1])
            )  # fmt: skip
            if (western or indian) and comma not in part and all(groups):
                values.add(Decimal(f"{''.join(groups)}.{part or '0'}"))
    return frozenset(values)


_NUMERAL: Final = re.compile(r"\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'_]\d+)*|(?<=[\s(-])\.\d+|^\.\d+")
_STEP: Final = re.compile(r"(?m)^[^\S\n]*(?:step )?(?P<n>\d{1,2})[.):] (?=\s*[^\d\s])")
_WANTED: Final = re.compile(
    r"\b(?:how many|in|number of|by how many)(?: whole| full)? (?P<unit>% ?|°\s?[cf]\b|[^\W\d_]+(?:-hours?)?)"
)
_SYMBOLS: Final = "".join(sorted({name for name in CURRENCIES if len(name) == 1 and not name.isalpha()}))
_NAMES: Final = "|".join(sorted((re.escape(name) for name in CURRENCIES if name[0].isalpha()), key=len, reverse=True))
_BEFORE: Final = re.compile(rf"(?:(?<![^\W\d_])(?P<name>{_NAMES})\.?|(?P<symbol>[{_SYMBOLS}])) ?(?P<sign>[-+])?$")
_AFTER: Final = re.compile(rf" ?(?:(?P<name>{_NAMES})\b|(?P<symbol>[{_SYMBOLS}]))")
_SCALE: Final = re.compile(r"(?P<gap> ?)(?P<scale>" + "|".join(sorted(SCALES, key=len, reverse=True)) + r")\b")
_UNIT: Final = re.compile(r"(?P<gap>[ -]?)(?P<unit>% ?|per cent\b|°\s?[cf]\b|°|¢|kilowatt-hours?\b|[^\W\d_]+)")
_NOUN: Final = re.compile(r"[ -](?:\"|')?(?P<noun>[^\W\d_]+(?:'[a-z]+)?)")
_MINUS: Final = re.compile(r"(?:^|[\s(:=\"'\x01])-$|\bminus $")
_LABEL: Final = re.compile(
    r"\b(?P<word>room|gate|flight|order|page|slide|chapter|section|row|line|table|version|terminal|seat|step|level|"
    r"extension|ext|booking|platform|floor|chart|figure|sheet|column|week|invoice|ticket|track|bus|zone|building|id|"
    r"reference|ref)(?:\.| no\.?| number| nr\.?| id)? ?[#:]? ?$"
)
_YEAR: Final = re.compile(r"\b(?:in|since|during|from|until|year|summer|winter|spring|autumn|fall|of the year) $")
_ALSO_WORDS: Final = frozenset({"try", "mad", "cop", "won", "all", "pen", "ore", "sen", "quid", "c", "p", "rs", "php"})
_EMPTY_NOUNS: Final = frozenset(
    re.findall(
        r"\w+",
        "a about above according across after again all also although altogether am an and any are as at available "
        "back based be because been before being below between both but by came come comes correct currently did do "
        "does due during each exactly found for from had has have he here how i if in including into is it its just "
        "last later left made more most my net next no not now of off on only or other otherwise our out over overall "
        "owed paid per plus please precisely put refunded right she since so spent still sum such than that "
        "the their them then there these they this those though through till to today together too total under until "
        "up was we well were what when where which while who whole will with within without would yes you your minus "
        "times x equals gross ",
    )
)


def _number(text: str, match: re.Match[str], asked: Asked) -> Quantity:
    """The quantity around a numeral: its sign, currency, scale and unit."""
    start, end = match.span()
    left, right = text[max(0, start - 30) : start], text[end : end + 40]
    values, factor = readings(match[0]), Decimal(1)
    fraction = re.search(r"[.,](\d+)$", match[0])
    slack = Decimal(1).scaleb(-len(fraction[1])) / 2 if fraction else Decimal("0.5")
    codes: frozenset[str] = frozenset()
    before = _BEFORE.search(left)
    if before and re.search(r"\d ?$", left[: before.start()]):
        before = None  # it belongs to the amount before
    if before and (asked.kind == "money" or before["name"] not in _ALSO_WORDS):
        codes = CURRENCIES[before["name"] or before["symbol"]]
        start, left = start - len(left) + before.start(), left[: before.start()]
    elif left[-1:].isalpha() or left[-1:] in ("_", "#", "@") or re.search(r"[^\W\d_]-$", left):
        return Quantity("label", values, start, end, "glued")
    if (before and codes and before["sign"] == "-") or _MINUS.search(left):
        values = frozenset(-value for value in values)
        start -= 1
    if re.match(r"(?:st|nd|rd|th)\b", right):
        return Quantity("ordinal", values, start, end + 2)
    while (scale := _SCALE.match(text, end)) and _scales(scale, asked):
        factor *= SCALES[scale["scale"]]
        end = scale.end()
    if factor > 1 and re.fullmatch(r"\d+[.,]\d{3}", match[0]):  # before a scale, three digits read as in English
        values = frozenset({(min if "." in match[0] else max)(values, key=abs)})
    values, slack = frozenset(value * factor for value in values), slack * factor
    if not codes and (after := _AFTER.match(text, end)) and (
        asked.kind == "money" or after["name"] not in _ALSO_WORDS
    ):  # fmt: skip
        return Quantity("money", values, start, after.end(), codes=CURRENCIES[after["name"] or after["symbol"]])
    if codes:
        after = _AFTER.match(text, end)  # "$12.50 USD"
        named = CURRENCIES[after["name"] or after["symbol"]] if after else codes
        return Quantity("money", values, start, after.end() if after else end, codes=codes & named or frozenset({"?"}))
    unit = _UNIT.match(text, end)
    if unit and (quantity := _measured(Quantity("number", values, start, end, slack=slack), unit, asked)):
        return quantity
    if unit and not unit["gap"]:
        return Quantity("label", values, start, unit.end(), "glued")
    if label := _LABEL.search(left):
        return Quantity("label", values, start, end, label["word"])
    following = _NOUN.match(text, end)
    noun = following["noun"] if following and following["noun"] not in _EMPTY_NOUNS else ""
    if not noun and re.fullmatch(r"(?:19|20)\d\d", match[0]) and factor == 1 and _YEAR.search(left):
        return Quantity("year", values, start, end)
    return Quantity("number", values, start, end, noun=noun, slack=slack)


def _scales(match: re.Match[str], asked: Asked) -> bool:
    name = match["scale"]
    if name in ("m", "mn"):
        return asked.kind == "money" or (not match["gap"] and not asked.units and asked.kind == "number")
    return name != "b" or (asked.kind == "money" and not match["gap"])


def _measured(number: Quantity, unit: re.Match[str], asked: Asked) -> Quantity | None:
    name = unit["unit"].replace(" ", "")
    end = unit.end() - (1 if unit["unit"].endswith(" ") else 0)
    if (asked.kind == "money" and name in MINOR) or (name in MINOR and name not in _ALSO_WORDS):
        values = frozenset(value / 100 for value in number.values)
        return replace(number, role="money", values=values, end=end, codes=MINOR[name], minor=True)
    if name in MINUTES and (name != "m" or asked.kind == "duration" or "duration" in asked.units):
        factor = MINUTES[name]
        values = frozenset(value * factor for value in number.values)
        return replace(number, role="duration", values=values, end=end, factor=factor, slack=number.slack * factor)
    name = "%" if name == "percent" else name
    if name in MEASURES and (name not in ("c", "f") or "celsius" in asked.units):
        dimension, factors = MEASURES[name]
        values = frozenset(value * factor for value in number.values for factor in factors)
        return replace(number, role="measure", values=values, end=end, unit=dimension, factor=factors[0],
                       slack=number.slack * factors[-1])  # fmt: skip
    return None


def _joined(quantities: list[Quantity], text: str) -> list[Quantity]:
    """Joins `2 h 5 min` and `12 euros 50 cents` to single quantities."""
    joined: list[Quantity] = []
    for quantity in quantities:
        last = joined[-1] if joined else None
        if last and re.fullmatch(r"[\s,]*(?:and )?", text[last.end : quantity.start]):
            smaller = last.role == quantity.role == "duration" and quantity.factor < last.factor
            minor = last.role == quantity.role == "money" and quantity.minor and not last.minor
            if smaller or (minor and last.codes & quantity.codes):
                values = frozenset(a + b for a in last.values for b in quantity.values)
                codes = last.codes & quantity.codes
                joined[-1] = replace(quantity, start=last.start, values=values, codes=codes, minor=minor)
                continue
        joined.append(quantity)
    return joined
