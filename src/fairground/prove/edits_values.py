"""Values that are almost right: the same type, slightly different."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?([a-z%]{0,3})")
_COLOUR = re.compile(r"#?([0-9a-fA-F]{6})")
_DATE = re.compile(r"(\d{4}-\d\d-)(\d\d)(.*)")
_FORMULA = re.compile(r"(?:[a-z]+:)?=.+", re.DOTALL)
_CELL_ROW = re.compile(r"(?<=[A-Z])(\$?)(\d+)(?![\d(])")
_LETTERS = re.compile(r"[^\W\d_]")
_FINE_DIGITS = 2  # maximum number of decimals at which a user would notice the last digit
_AROUND = 30  # characters shown on each side of a difference
_OPPOSITES = (
    ("bold", "normal"), ("italic", "normal"), ("left", "right"), ("start", "end"), ("center", "left"),
    ("justify", "left"), ("true", "false"), ("1", "0"), ("on", "off"), ("yes", "no"), ("portrait", "landscape"),
    ("solid", "none"), ("single", "double"), ("visible", "collapse"), ("top", "bottom"), ("round", "butt"),
    ("ascending", "descending"), ("asc", "desc"), ("SUM", "AVERAGE"), ("linear", "radial"),
)  # fmt: skip
_OPPOSITE = dict([(b, a) for a, b in reversed(_OPPOSITES)] + [(a, b) for a, b in reversed(_OPPOSITES)])


def near_values(value: str, draw: random.Random) -> Iterator[str]:
    """Yield values close to this one, most telling first. Yields none for values such as blanks."""
    bare = value.strip()
    if not bare:
        return
    for near in _near(bare, draw):
        if near != bare:
            yield value.replace(bare, near, 1)


def near_leaf(value: object, draw: random.Random) -> Iterator[object]:
    """Yield values close to a JSON value; see `near_values`."""
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
            yield value - 1
        case float():
            yield value + (0.01 if abs(value) < 1 else 1.0)
        case str():
            yield from near_values(value, draw)
            if not value:
                yield "x"
        case None:
            yield 1


def change(old: str, new: str) -> str:
    """Describe an edit briefly. For long texts, shows what is around the first difference."""
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    start = max(0, same - _AROUND) if max(len(old), len(new)) > 2 * _AROUND else 0
    shown = (f"{'…' if start else ''}{text[start : same + _AROUND]}" for text in (old, new))
    return " → ".join(shown)


def _near(text: str, draw: random.Random) -> Iterator[str]:
    if text in _OPPOSITE:
        yield _OPPOSITE[text]
    if found := _COLOUR.fullmatch(text):
        red, green, blue = (int(found[1][at : at + 2], 16) for at in (0, 2, 4))
        yield text[: -len(found[1])] + f"{red:02x}{green ^ 1:02x}{blue:02x}"
        yield text[: -len(found[1])] + f"{255 - red:02x}{green:02x}{255 - blue:02x}"
    elif found := _NUMBER.fullmatch(text):
        yield from _near_numbers(*found.groups(default=""))
    elif found := _DATE.fullmatch(text):
        yield f"{found[1]}{int(found[2]) % 28 + 1:02d}{found[3]}"
    elif _FORMULA.fullmatch(text):
        yield from _near_formulas(text)
    else:
        yield from _near_words(text, draw)


def _near_numbers(sign: str, whole: str, part: str, unit: str) -> Iterator[str]:
    """12pt → 11pt, 3.50 → 3.51. If the last digit is too fine to notice, the integer part changes."""
    fraction = f".{part}" if part else ""
    if part and len(part) <= _FINE_DIGITS and not unit:
        digits = str(int(whole + part) + 1).rjust(len(part) + 1, "0")
        yield f"{sign}{digits[: -len(part)]}.{digits[-len(part) :]}"
    if int(whole) > 1:
        yield f"{sign}{int(whole) - 1}{fraction}{unit}"
    yield f"{sign}{int(whole) + 1}{fraction}{unit}"


def _near_formulas(text: str) -> Iterator[str]:
    rows = list(_CELL_ROW.finditer(text))
    # The end of the first range, then its start: functions such as SUMIF ignore the length of a second range.
    for row in rows[1:2] + rows[:1]:
        yield f"{text[: row.start(2)]}{max(int(row[2]) - 1, 1)}{text[row.end(2) :]}"
    for name, other in (("SUM(", "MAX("), ("SUMIF(", "COUNTIF("), ("AVERAGE(", "SUM("), ("+", "-"), ("*", "+")):
        if name in text:
            yield text.replace(name, other, 1)
            return


def _near_words(text: str, draw: random.Random) -> Iterator[str]:
    if number := re.search(r"\d+", text):
        yield text[: number.start()] + str(int(number[0]) + 1).rjust(len(number[0]), "0") + text[number.end() :]
    letters = list(_LETTERS.finditer(text))
    if letters:
        at = draw.choice(letters).start()
        # Another letter of the same case. Blanks and punctuation are not used, because a matcher may rightly ignore
        # them.
        yield text[:at] + ("x" if text[at].casefold() != "x" else "y") + text[at + 1 :]
    words = text.split()
    if len(words) > 1:
        yield text[: text.rindex(words[-1])].rstrip()
