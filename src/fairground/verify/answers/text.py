"""Plain text of answers: normalized, unwrapped, and as words for comparison."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, Final

_FRACTIONS: Final = {"½": ".5", "¼": ".25", "¾": ".75", "⅓": ".333", "⅔": ".667", "⅛": ".125"}
_SIGNS: Final = str.maketrans({
    "\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2015": "-",
    "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2018": "'", "\u2019": "'",
    "\u201b": "'", "\u02bc": "'", "`": "'", "\u066b": ".", "\u066c": ",", "\u060c": ",", "\u00d7": "x", "\u2044": "/",
})  # fmt: skip
_FENCE: Final = re.compile(r"```[a-z]*")
_BOXED: Final = re.compile(r"\$*\\(?:boxed|text|textbf|mathbf)\{([^{}]*)\}\$*")
_MARKUP: Final = re.compile(r"\*{1,3}|__|<[^<>\n]{1,20}>|(?m:^\s*(?:#{1,6}|>)\s+)")
_EXAMPLE: Final = re.compile(r"\bsuch as (?:[^().?!]|\.(?=\d))*")
_FINAL: Final = re.compile(r"^\W{0,4}(?:my |the )?(?:final )?answer(?: is)?\s*[:=]\s*(?=\S)")


def plain(text: str) -> str:
    """Normalized text: NFKC, no invisible characters, plain quotes, dashes and digits, in lower case."""
    for sign, decimal in _FRACTIONS.items():
        text = re.sub(rf"(?<=\d)\s?{sign}", decimal, text).replace(sign, f"0{decimal}")
    unified = unicodedata.normalize("NFKC", text).casefold()
    visible = "".join(c for c in unified if unicodedata.category(c) not in ("Cf", "Cs", "Cn") or c == "\n")
    digits = "".join(str(unicodedata.digit(c)) if unicodedata.category(c) == "Nd" else c for c in visible)
    return re.sub(r"[^\S\n]+", " ", digits.translate(_SIGNS)).strip()


def without_example(question: str) -> str:
    """A plain question without examples of answers (`such as 12.50 eur`): they are no facts to repeat."""
    return _EXAMPLE.sub(" ", question)


def stated(text: str) -> str:
    """The part of a plain answer that states the answer, without markup.

    JSON is replaced by its values. If the last line, and only that, begins with `answer:`, it alone is read.
    """
    text = _FENCE.sub(" ", text).strip()
    if text[:1] in ("{", "[", '"'):
        text = _from_json(text)
    text = _MARKUP.sub("", _BOXED.sub(r"\1", text)).strip()
    lines = [line for line in text.splitlines() if line.strip()]
    marked = [place for place, line in enumerate(lines) if _FINAL.match(line)]
    if lines and marked == [len(lines) - 1]:
        return _FINAL.sub("", lines[-1]).strip()
    return text


def _from_json(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict):
        first = next((key for key in value if "answer" in key or key in ("result", "value", "amount")), None)
        rest = [f"{_shown(item)}" if key in ("currency", "unit") else f", {key}: {_shown(item)}"
                for key, item in value.items() if key != first]  # fmt: skip
        return " ".join([_shown(value[first]) if first is not None else "", *rest]).strip()
    return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


APART: Final = r"[^\w@+%€£¥₹₺₦$]+"
"""What separates words of a name."""

_BARE: Final = str.maketrans({"ø": "o", "\u0131": "i", "ł": "l", "đ": "d", "æ": "ae", "'": ""})


def words(value: Any) -> str:
    """A name for comparison: without accents, punctuation and case."""
    return " ".join(re.sub(APART, " ", bare(plain(str(value)))).split())


def bare(text: str) -> str:
    """The text without accents and apostrophes."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).translate(_BARE)
