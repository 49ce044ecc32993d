"""Matching of answers in words: numbers, money, dates, times, durations, names and lists, in any notation.

An answer may be part of a sentence, with remarks of another role or unit. It must be definite: an answer that also
names another candidate is wrong, so that listing everything never passes. It may repeat what the question names, but
the question alone is not an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import InvalidOperation
from typing import Any, Final

from fairground.core import InvalidConfiguration, unknown
from fairground.verify.answers.names import match_list, match_name, match_yes_or_no
from fairground.verify.answers.reading import match_date, match_duration, match_money, match_number, match_time
from fairground.verify.answers.text import plain, stated, without_example, words

MAX_ANSWER: Final = 2_000
"""Maximum characters. A longer answer is wrong."""


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

    Negations (`not 17`), bounds (`at least 17`) and hedges (`maybe 17`, `17?`) are not answers.

    Args:
        kind: `number`; `money` (`12.50` or `12.50 EUR`); `date` (an ISO day); `time` (`14:05`); `duration` (minutes);
            `text` (a name or phrase); `list` (several of those, in any order); `yesno` (a truth value).
        expected: The right answer, in the form above.
        answer: The agent's answer; None is never right.
        among: For `text` and `list`: other candidates. An answer that names one is wrong.
        question: The question. The answer may repeat its numbers and dates. It also tells which unit is wanted.
        today: Allows answers with today, yesterday or tomorrow.

    Raises:
        UnknownName: The kind does not exist.
        InvalidConfiguration: The expected value is not of its kind.
    """
    if kind not in _KINDS:
        raise unknown("kind of answer", kind, _KINDS)
    said, question_text = plain((answer or "")[: MAX_ANSWER + 1]), without_example(plain(question))
    known = words(question)
    if not said or len(said) > MAX_ANSWER or (known and words(said) in (known, words(question_text))):
        return False
    try:
        return _KINDS[kind](expected, stated(said), among, question_text, today)
    except (ValueError, InvalidOperation, TypeError) as error:
        raise InvalidConfiguration(f"{expected!r} is not a {kind} to compare answers with: {error}") from None


_KINDS: Final[Mapping[str, Callable[[Any, str, Sequence[Any], str, date | None], bool]]] = {
    "number": match_number,
    "money": match_money,
    "date": match_date,
    "time": match_time,
    "duration": match_duration,
    "text": match_name,
    "list": match_list,
    "yesno": match_yes_or_no,
}
