"""Matching of answers in words: numbers, money, dates, times, durations, names and lists, in any notation.

An answer may be part of a sentence. It must be definite: an answer that also names another number, date or candidate is
wrong, so that listing everything never passes. It may repeat what the question names, but the question alone is not an
answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from fairground.core import InvalidConfiguration, unknown

MAX_ANSWER: Final = 2_000
"""Maximum characters. A longer answer is wrong."""

_ROOM: Final = 160  # maximum characters of a sentence around a name


def match_answer(
    kind: str,
    expected: Any,
    answer: str | None,
    *,
    among: Sequence[Any] = (),
    question: str = "",
    today: date | None = None,
) -> bool:
    """Whether an answer states what is expected, and nothing that contradicts it.

    Args:
        kind: `number`; `money` (`12.50` or `12.50 EUR`); `date` (an ISO day); `time` (`14:05`); `duration` (minutes);
            `text` (a name or phrase); `list` (several of those, in any order); `yesno` (a truth value).
        expected: The right answer, in the form above.
        answer: The agent's answer; None is never right.
        among: For `text` and `list`: other candidates. An answer that names one is wrong.
        question: The question. The answer may repeat its numbers and dates.
        today: Allows answers with today, yesterday or tomorrow.

    Raises:
        UnknownName: The kind does not exist.
        InvalidConfiguration: The expected value is not of its kind.
    """
    if kind not in _KINDS:
        raise unknown("kind of answer", kind, _KINDS)
    stated, question_text = _plain(answer or ""), _plain(question)
    if not stated or len(stated) > MAX_ANSWER or _words(stated) == _words(question_text) != "":
        return False
    try:
        return _KINDS[kind](expected, stated, among, question_text, today)
    except (ValueError, InvalidOperation, TypeError) as error:
        raise InvalidConfiguration(f"{expected!r} is not a {kind} to compare answers with: {error}") from None


# --- numbers and money -----------------------------------------------------------------------------------------------

_UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS: Final = {
    **{word: number for number, word in enumerate(_UNITS)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
    "dozen": 12,
}  # fmt: skip
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_DIGITS: Final = re.compile(r"(?<![\w.,])[-+]?(?:\d{1,3}(?:[ ,.'\u2019]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\w])")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NO_NUMBER: Final = re.compile(
    r"(?<!there )\b(?:is|are|was|were|be) one of\b|\b(?:this|that|which|another|each|every|any|either) one\b"
)  # "one" as a pronoun: `it is one of these`, but not `one of them is on`
_NOT_ANY: Final = re.compile(r"\bnone\b|\b(?:no|not) one\b|\bno (?!idea|clue|answer|doubt|way|longer|such)[^\W\d_]")
_CURRENCIES: Final = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "gbp": "GBP", "pounds": "GBP", "¥": "JPY",
    "jpy": "JPY", "yen": "JPY", "₹": "INR", "inr": "INR", "rupees": "INR", "₺": "TRY", "try": "TRY", "lira": "TRY",
    "₦": "NGN", "ngn": "NGN", "naira": "NGN", "kr": "SEK", "sek": "SEK", "kronor": "SEK", "mad": "MAD",
    "dirhams": "MAD", "cop": "COP", "pesos": "COP", "usd": "USD", "cad": "CAD", "$": "DOLLAR", "dollars": "DOLLAR",
}  # fmt: skip
_DOLLARS: Final = {"USD", "CAD", "COP"}


def _number(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    wanted = Decimal(str(expected))
    in_question = {value for readings in _numbers(_without_days(question)) for value in readings}
    relevant = [
        readings for readings in _numbers(_without_days(said)) if wanted in readings or not (readings & in_question)
    ]
    return bool(relevant) and all(wanted in readings for readings in relevant)


def _money(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    amount, _, code = str(expected).partition(" ")
    if code:
        named = {_CURRENCIES[token] for token in _tokens(said) if token in _CURRENCIES}
        fitting = {code, "DOLLAR"} if code in _DOLLARS else {code}
        if named - fitting:
            return False
    spaced = re.sub(r"[€£¥₹₺₦$]", " ", re.sub(r"-\s*[€£¥₹₺₦$]\s*(?=\d)", "-", said))
    spaced = re.sub(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)", " ", spaced)
    return _number(amount, spaced, among, question, today)


def _numbers(text: str) -> list[frozenset[Decimal]]:
    """All numbers in a text, each as the set of its possible values: 1.234 may mean 1234 or 1.234."""
    numerals = [_readings(match[0]) for match in _DIGITS.finditer(text)]
    return numerals + [frozenset({Decimal(value)}) for value in _spelt(_DIGITS.sub(" ; ", text))]


def _readings(token: str) -> frozenset[Decimal]:
    sign = -1 if token.startswith("-") else 1
    digits = re.sub(r"[ '\u2019+-]", "", token)
    values = set()
    for point, comma in ((".", ","), (",", ".")):
        if digits.count(point) <= 1:
            integer, _, part = digits.partition(point)
            groups = integer.split(comma)
            grouped = all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= (3 if groups[1:] else 40)
            if grouped and comma not in part:
                values.add(sign * Decimal(f"{''.join(groups) or '0'}.{part or '0'}"))
    return frozenset(values)


def _spelt(text: str) -> Iterator[int]:
    """Numbers in English words. `none` and `no emails` count only if there is no other number."""
    nothing = bool(_NOT_ANY.search(text))
    text = _NO_NUMBER.sub(" ; ", _NOT_ANY.sub(" ; ", text))
    total = current = 0
    open_, any_ = False, False
    last = ""
    for token in [*re.findall(r"[^\W\d_]+|[^\w\s]", text), ""]:
        if token in _WORDS:
            small_after_tens = last in _TENS and token in _UNITS[1:10]
            if open_ and not small_after_tens and last not in _SCALES and last != "and":
                yield total + current
                total = current = 0
            current += _WORDS[token]
            open_ = any_ = True
        elif token in _SCALES and open_:
            current *= _SCALES[token]
            if token != "hundred":
                total, current = total + current, 0
        elif (token == "and" and last in _SCALES) or (token == "-" and last in _TENS):
            last = "and" if token == "and" else last
            continue
        elif open_:
            yield total + current
            total = current = 0
            open_ = False
        last = token
    if nothing and not any_:
        yield 0


# --- days, times, durations ------------------------------------------------------------------------------------------

_MONTHS: Final = {
    name[:length]: number
    for number, name in enumerate(
        ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
         "december"), 1,
    )
    for length in {3, 4, len(name)}
    if length <= len(name)
}  # fmt: skip
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ORDINAL: Final = r"(?:st|nd|rd|th)?"
_DATES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})\b",
        r"\b(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<y>\d{4}|\d{2})\b",
        rf"\b(?P<d>\d{{1,2}}){_ORDINAL}\s+(?:of\s+)?(?P<mon>{_MONTH})\.?\b(?:,?\s+(?P<y>\d{{4}})\b)?",
        rf"\b(?P<mon>{_MONTH})\.?\s+(?:the\s+)?(?P<d>\d{{1,2}}){_ORDINAL}\b(?:,?\s+(?P<y>\d{{4}})\b)?",
    )
)
_TIME: Final = re.compile(
    r"\b(?P<h>\d{1,2})(?:(?:[:.h]|(?<=\d) h )(?P<m>\d{2}))?(?::\d{2})?(?!\d|\s*%)\s*(?P<half>[ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_SPAN: Final = re.compile(
    r"(?P<n>\d+(?:[.,]\d+)?)\s*(?P<unit>days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|m|seconds?|secs?|s)(?![^\W\d_])"
)
_CLOCK_SPAN: Final = re.compile(r"\b(\d{1,3}):(\d{2})\b")
_MINUTES: Final = {"d": Decimal(1440), "h": Decimal(60), "m": Decimal(1), "s": Decimal(1) / 60}


def _date(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    wanted = datetime.fromisoformat(str(expected)).date()
    in_question, _ = _dates(question, today)
    named_days, rest = _dates(said, today)
    if wanted not in in_question:
        named_days = (
            [day for day in named_days if day not in in_question or day == wanted]
            if len(named_days) > 1
            else named_days
        )
    right = [day for day in named_days if isinstance(day, _Day) and day.is_(wanted)]
    named = {_DAYS.index(token) for token in _tokens(said) if token in _DAYS}
    rest = _TIME_OF_DAY.sub(" ", rest)
    stray = [readings for readings in _numbers(rest) if not readings & {v for r in _numbers(question) for v in r}]
    return bool(right) and len(right) == len(named_days) and named <= {wanted.weekday()} and not stray


class _Day:
    """A day as written, with several readings if it is unclear which number is the month."""

    def __init__(self, readings: set[tuple[int | None, int, int]]) -> None:
        self.readings = frozenset(readings)

    def is_(self, day: date) -> bool:
        return any(
            (year is None or year == day.year) and (month, number) == (day.month, day.day)
            for year, month, number in self.readings
        )

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, date) and self.is_(other)) or (
            isinstance(other, _Day) and self.readings == other.readings
        )

    def __hash__(self) -> int:
        return hash(self.readings)


_TIME_OF_DAY: Final = re.compile(r"\b\d{1,2}[:h]\d{2}(?::\d{2})?\b|\b\d{1,2}\s*[ap]\.?m\b")


def _dates(text: str, today: date | None) -> tuple[list[_Day], str]:
    """All days that a text names, and the text without them."""
    named_days: list[_Day] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            year = int(groups["y"]) if groups.get("y") else None
            year = year + 2000 if year is not None and year < 100 else year
            if "a" in groups:
                first, second = int(groups["a"]), int(groups["b"])
                named_days.append(_Day({(year, second, first), (year, first, second)}))
            else:
                month = int(groups["m"]) if groups.get("m") else _MONTHS[groups["mon"]]
                named_days.append(_Day({(year, month, int(groups["d"]))}))
        text = pattern.sub(" ", text)
    for word, days in (("today", 0), ("yesterday", -1), ("tomorrow", 1)):
        if today is not None and re.search(rf"\b{word}\b", text):
            day = today + timedelta(days=days)
            named_days.append(_Day({(day.year, day.month, day.day)}))
    return named_days, text


def _without_days(text: str) -> str:
    """The text without days that have a year, because their digits are not counts."""
    for pattern in _DATES:
        text = pattern.sub(lambda match: " " if match["y"] else match[0], text)
    return text


def _time(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    hour, minute = (int(part) for part in str(expected).split(":")[:2])
    said = re.sub(r"\bnoon\b|\bmidday\b", "12:00", re.sub(r"\bmidnight\b", "0:00", said))
    (_, said), (_, question) = _dates(said, today), _dates(question, today)
    in_question = {_clock(match) for match in _TIME.finditer(question)}
    clocks = [
        clock
        for match in _TIME.finditer(said)
        if (clock := _clock(match)) not in in_question or clock == (hour, minute)
    ]
    return bool(clocks) and all(clock == (hour, minute) for clock in clocks)


def _clock(match: re.Match[str]) -> tuple[int, int]:
    hour, minute = int(match["h"]), int(match["m"] or 0)
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].startswith("p") else 0)
    return hour, minute


def _duration(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    wanted = Decimal(str(expected))
    text = re.sub(r"\b(an|a)\s+(?=hour|minute|day)", "1 ", said)
    text = re.sub(r"\bhalf an hour\b", "30 min", text)
    text = _WORD.sub(lambda match: str(_WORDS[match[0]]) if match[0] in _WORDS else match[0], text)
    spans: list[Decimal] = []
    end, last = -99, Decimal(0)
    for match in _SPAN.finditer(text):
        unit = _MINUTES[match["unit"][0]]
        value = Decimal(match["n"].replace(",", ".")) * unit
        joined = re.fullmatch(r"[\s,]*(?:and\s+)?", text[end : match.start()]) if end >= 0 else None
        if joined and spans and unit < last:
            spans[-1] += value
        else:
            spans.append(value)
        end, last = match.end(), unit
    rest = _SPAN.sub(" ", text)
    spans += [Decimal(int(hours) * 60 + int(minutes)) for hours, minutes in _CLOCK_SPAN.findall(rest)]
    rest = _CLOCK_SPAN.sub(" ", rest)
    stray = _numbers(rest)
    if not spans:
        return len(stray) == 1 and wanted in stray[0] and rest.strip(" .").replace(".", "").isdigit()
    in_question = {value for readings in _numbers(question) for value in readings}
    return all(abs(span - wanted) < Decimal("0.01") for span in spans) and not [r for r in stray if not r & in_question]


# --- words -----------------------------------------------------------------------------------------------------------


def _text(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    return _names([expected], said, among) and not _one_of_several(expected, said, question)


def _list(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    if isinstance(expected, str) or not isinstance(expected, Sequence):
        raise TypeError("a list is expected")
    if not expected:
        return bool(re.fullmatch(r"\W*(none|nothing|no one|nobody|there (are|is) none)\W*", said))
    if among:
        return _names(expected, said, among) and not _one_more(expected, said, question)
    wanted = {_words(item) for item in expected}
    parts = {_words(part) for part in re.split(r"[,;\n•]|\band\b|&", said)} - {""}
    return parts == wanted or (_words(said) in {" ".join(sorted(wanted)), *wanted} and len(wanted) == 1)


def _names(expected: Sequence[Any], said: str, among: Sequence[Any]) -> bool:
    """Whether a text names all of these, none of the others, and little else."""
    text = f" {_words(said)} "
    wanted = {_words(item) for item in expected}
    if "" in wanted:
        raise ValueError("an empty text cannot be looked for")
    if len(text) > sum(map(len, wanted)) * 2 + _ROOM:
        return False
    for name in sorted(wanted, key=len, reverse=True):
        if f" {name} " not in text:
            return False
    for name in sorted(wanted, key=len, reverse=True):
        text = text.replace(f" {name} ", " · ")
    rivals = {_words(item) for item in among} - wanted - {""}
    return not any(f" {rival} " in text for rival in rivals)


def _one_more(expected: Sequence[Any], said: str, question: str) -> bool:
    """Whether a list has an additional entry, such as `something else`.

    Remarks do not count: text before a colon, in brackets, or in a sentence that names nothing expected, and text with
    only words of the question.
    """
    text = _marked(expected, said)
    known = {*_words(question).split(), *_FILLING}
    for sentence in re.split(r"(?<=[^\d\s])[.!?]\s", text):
        if "\x00" in sentence:
            entries = re.split(r"[,;\n•&]|\b(?:and|or|plus)\b", re.sub(r"^[^\x00]*:", "", sentence))
            if any("\x00" not in entry and set(_words(entry).split()) - known for entry in entries):
                return True
    return False


def _one_of_several(expected: Any, said: str, question: str) -> bool:
    """Whether an answer names further things besides the right one, like a guess: `A, B, C`, `A or B`.

    A single further item after it is a remark (`A, from the warehouse`), unless the answer leaves the choice open.
    Sentences, and text with only words of the question, name nothing.
    """
    text = _marked([expected], said)
    known = {*_words(question).split(), *_FILLING, *_POLITE}
    before = after = 0
    for entry in _ENTRIES.split(re.sub(r"^[^\x00\n,;]*:\s", "", text)):
        words = _words(_LEADING.sub("", entry.strip())).split()
        strange = 0 if _SENTENCE.intersection(words) else len(set(words) - known)
        if strange > _REMARK:
            return True
        if "\x00" in entry:
            before, after = before + after, 0
        else:
            after += strange > 0
    return before > 0 or after > 1 or (after == 1 and re.search(r"\bor\b|\s/\s", text) is not None)


def _marked(expected: Sequence[Any], said: str) -> str:
    """The answer without text in brackets, and with a marker in place of each expected name."""
    text = _bare(re.sub(r"\([^)]*\)", " ", said))
    for name in sorted(map(_words, expected), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){_APART.join(map(re.escape, name.split()))}(?!\w)", "\x00", text)
    return text


_POLITE: Final = frozenset({"answer", "done", "final", "finally", "ok", "okay", "result", "sure", "well", "yes"})
_REMARK: Final = 5  # maximum words next to a name that do not count as a sentence
_ENTRIES: Final = re.compile(r"(?<!\d),|,(?!\d)|[;\n•&|]|\s/\s|(?<=[^\d\s])[.!?]\s|\b(?:and|or|plus)\b")
_LEADING: Final = re.compile(
    r"^(?:(?:it|this|that|he|she|they|the|answer|maybe|perhaps|possibly|probably|else|also|either|could|might|may|must|"
    r"be|is|are|was|were|then|not)\b\W*)+"
)
_SENTENCE: Final = frozenset({
    "i", "it", "he", "she", "they", "we", "you", "is", "are", "was", "were", "be", "been", "has", "have", "had", "did",
    "not", "no", "because", "since", "than", "which", "who", "that", "there", "this", "with", "by", "as", "ahead",
    "followed", "according", "based",
})  # fmt: skip
_FILLING: Final = frozenset({
    "a", "all", "also", "are", "as", "at", "both", "by", "finally", "for", "from", "here", "i", "in", "is", "it",
    "just", "last", "lastly", "my", "of", "on", "only", "so", "that", "the", "there", "then", "these", "they", "this",
    "to", "were", "with", "you", "your",
})  # fmt: skip


def _yesno(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    tokens = set(_tokens(said))
    yes, no = bool(tokens & {"yes", "yeah", "yep", "true", "correct"}), bool(tokens & {"no", "nope", "not", "false"})
    return yes != no and yes is bool(expected)


def _plain(text: str) -> str:
    """Normalized text: NFKC, without invisible characters, with plain quotes and dashes, in lower case."""
    unified = unicodedata.normalize("NFKC", text).casefold()
    visible = "".join(c for c in unified if unicodedata.category(c) not in ("Cf", "Cs", "Cn") or c == "\n")
    digits = "".join(str(unicodedata.digit(c)) if unicodedata.category(c) == "Nd" else c for c in visible)
    return re.sub(r"[ \t\u00a0]+", " ", digits.translate(_SIGNS)).strip()


_SIGNS: Final = str.maketrans(
    {"\u2212": "-", "\u2013": "-", "—": "-", "\u2011": "-", "“": '"', "”": '"', "\u2018": "'", "\u2019": "'", "„": '"'}
)


def _words(value: Any) -> str:
    """A name for comparison: without accents, punctuation and case."""
    return " ".join(re.sub(_APART, " ", _bare(_plain(str(value)))).split())


def _bare(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).translate(_BARE)


_APART: Final = r"[^\w@+%€£¥₹₺₦$]+"
_BARE: Final = str.maketrans({"ø": "o", "\u0131": "i", "ł": "l", "đ": "d", "æ": "ae", "'": ""})


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|[€£¥₹₺₦$]", text)


_KINDS: Final[Mapping[str, Callable[[Any, str, Sequence[Any], str, date | None], bool]]] = {
    "number": _number,
    "money": _money,
    "date": _date,
    "time": _time,
    "duration": _duration,
    "text": _text,
    "list": _list,
    "yesno": _yesno,
}
