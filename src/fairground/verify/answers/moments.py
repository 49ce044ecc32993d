"""Days and times of day in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final, TypeAlias

Today: TypeAlias = date | None
Found: TypeAlias = tuple[str, frozenset[Any], int, int, str]
"""Role, values, start, end, zone. A day is (year or None, month, day); a time is (hour, minute)."""

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def days(text: str, kind: str, today: Today) -> list[Found]:
    """Days that a text names, and months with a year."""
    named: list[Found] = []
    for pattern in _DATES if kind == "date" else _DATES[:-1]:
        for match in pattern.finditer(text):
            if not any(start < match.end() and match.start() < end for _, _, start, end, _ in named):
                values = _day(match.groupdict())
                role = "date" if values else "month"
                if values or match.groupdict().get("mon"):
                    named.append((role, values, match.start(), match.end(), ""))
    if today is not None:
        for match in _RELATIVE.finditer(text):
            day = today + timedelta(days=_SHIFTS[match[0]])
            named.append(("date", frozenset({(day.year, day.month, day.day)}), match.start(), match.end(), ""))
    return named


def moments(text: str, kind: str) -> Iterator[Found]:
    """Times of day that a text names, and durations such as `2h05`."""
    for match in _TIME.finditer(text):
        end, half, zone = _suffix(text, match.end())
        half = half or ("" if (before := _PART_BEFORE.search(text[max(0, match.start() - 24) : match.start()])) is None
                        else before["part"])  # fmt: skip
        whole = match["minutes"] is None and match["other"] is None
        clear = match["minutes"] is not None or (half if whole or match["mark"] == "." else False)
        if clear or (kind == "time" and (match["other"] is not None or match["mark"] is not None)):
            hour, minute = int(match["hour"]), int(match["minutes"] or match["other"] or 0)
            if hour <= 24 and minute < 60:
                yield "time", _clock(hour % 24, minute, half), match.start(), end, zone
    if kind == "time":
        for match in _MILITARY.finditer(text):
            yield "time", frozenset({(int(match[1]), int(match[2]))}), match.start(), match.end(), ""
    else:
        for match in (*_HOURS.finditer(text), *_ISO.finditer(text)):
            minutes = Decimal(match[1] or 0) * 60 + Decimal(match[2] or 0)
            yield "duration", frozenset({minutes}), match.start(), match.end(), ""


def same_day(one: tuple[int | None, int, int], other: tuple[int | None, int, int]) -> bool:
    """Whether two days are the same, as far as their years are known."""
    return one[1:] == other[1:] and (one[0] is None or other[0] is None or one[0] == other[0])


_MONTHS: Final = {
    name[:length]: number
    for number, name in enumerate(
        ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
         "december"), 1,
    )
    for length in (3, 4 if name == "september" else 3, len(name))
}  # fmt: skip
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_MON: Final = rf"(?P<mon>{_MONTH})\b\.?(?! (?:be|have|not|also|contain|include)\b)"
_TH: Final = r"(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:,? (?P<y>(?:19|20)\d\d)\b(?!:)|,? '(?P<short>\d\d)\b)?"
_DATES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\w.])(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?![\d-])(?:t\d\d:\d\d(?::\d\d(?:\.\d+)?)?z?\b)?",
        r"(?<![\w.])(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>[0-2]\d|3[01])(?![\w.,])",
        r"(?<![\w.])(?P<a>\d{1,2})(?P<sep>[-/.]) ?(?P<b>\d{1,2})(?P=sep) ?(?P<y>(?:19|20)\d\d|\d\d)(?![\w-])",
        rf"(?<![\w.,])(?P<d>\d{{1,2}}){_TH}\.?(?: of |[ -])?{_MON}(?:-(?P<y2>\d{{4}}|\d\d)\b|{_YEAR})",
        rf"\b{_MON}[ -](?:the )?(?P<d>\d{{1,2}}){_TH}\b(?![:,.]\d){_YEAR}",
        rf"\b(?P<mon>{_MONTH})\b\.?,? (?:of )?(?:19|20)\d\d\b(?!:)",
        r"(?<![\w.-])(?:19|20)\d\d-(?P<mon>0[1-9]|1[0-2])(?![\w-])",
        r"(?<![\w./])(?P<a>\d{1,2})(?P<sep>[/.])(?P<b>\d{1,2})(?:(?=\.(?!\d))|(?![\w./]))",
    )
)
_SHIFTS: Final = {
    "day before yesterday": -2, "day after tomorrow": 2, "today": 0, "yesterday": -1, "tomorrow": 1,
}  # fmt: skip
_RELATIVE: Final = re.compile(r"\b(?:" + "|".join(_SHIFTS) + r")\b")


def _day(groups: dict[str, str | None]) -> frozenset[Any]:
    if groups.get("d") is None and groups.get("a") is None:
        return frozenset()
    text = groups.get("y") or groups.get("y2") or groups.get("short")
    year = int(text) + (2000 if len(text) == 2 else 0) if text else None
    if groups.get("a"):
        first, second = int(groups["a"] or 0), int(groups["b"] or 0)
        pairs = {(second, first), (first, second)}
    else:
        month = int(groups["m"] or 0) if groups.get("m") else _MONTHS[groups["mon"] or ""]
        pairs = {(month, int(groups["d"] or 0))}
    return frozenset((year, month, day) for month, day in pairs if 1 <= month <= 12 and 1 <= day <= 31)


_TIME: Final = re.compile(
    r"(?<![\w:/])(?<!\d[.,])(?P<hour>\d{1,2})"
    r"(?::(?P<minutes>\d\d)(?::\d\d(?:\.\d+)?)?|(?P<mark>\.| ?h ?)(?P<other>\d\d)| ?(?P<only>h)\b)?(?![\d%:])(?![.,]\d)"
)
_SUFFIX: Final = re.compile(
    r"(?P<half> ?[ap](?:\. ?)?m\b\.?)|,? (?:in the|this|every) (?P<part>morning|afternoon|evening)\b"
    r"|,? (?P<night>at night|tonight)\b|(?P<clock> o'? ?clock\b)"
    r"|(?P<zone> ?\(?(?:utc|gmt|cet|cest|eet|eest|wet|west|bst|est|edt|cst|cdt|mst|mdt|pst|pdt|ist|jst|wat|trt|cot|"
    r"msk|aest|sgt)\b(?: ?[+-]\d{1,2}(?::?\d\d)?)?|z\b| ?[+-]\d\d:\d\d\b)"
)
_PART_BEFORE: Final = re.compile(r"\b(?P<part>morning|afternoon|evening|tonight|night)(?: at|,|:)? (?:at )?$")
_MILITARY: Final = re.compile(r"(?<![\w:.,])([01]\d|2[0-3])([0-5]\d) ?(?:hours|hrs|h)\b")
_HOURS: Final = re.compile(r"(?<![\w.,])(\d{1,3}) ?h(?:rs?)? ?(\d{1,2})(?: ?(?:m|min|mins|minutes))?\b(?![.,:]\d)")
_ISO: Final = re.compile(r"\bpt(?:(\d{1,3})h)?(?:(\d{1,4})m)?\b")


def _suffix(text: str, end: int) -> tuple[int, str, str]:
    """The end of a time with what follows it, its part of the day, and its zone."""
    half = zone = ""
    while match := _SUFFIX.match(text, end):
        said = (match["half"] or "").replace(" ", "")[:1] or match["part"] or match["night"]
        half = half or said or ("o'clock" if match["clock"] else "")
        zone = zone or (match["zone"] or "").strip(" (")
        end = match.end()
    return end, half, zone


def _clock(hour: int, minute: int, half: str) -> frozenset[Any]:
    """The time in 24 hours; none if the part of the day contradicts it."""
    if half in ("a", "morning"):
        return frozenset({(hour % 12, minute)}) if hour <= 12 else frozenset()
    if half in ("p", "afternoon", "evening"):
        return frozenset({(hour % 12 + 12, minute)})
    if half in ("at night", "tonight", "night"):
        return frozenset({(0 if hour == 12 else hour + 12 if 5 <= hour < 12 else hour, minute)})
    return frozenset({(hour, minute)})
