"""The sentence of a question that states the form of its answer, so that all agents are told the same."""

from __future__ import annotations

import re
from typing import Final

from fairground.core import unknown
from fairground.verify.answers.matching import match_answer

FORMS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "number": ("Answer with the number.", ()),
    "money": ("Answer with the amount and its currency, such as {}.", ("12.50 EUR", "8.20 GBP")),
    "date": ("Answer with the date, such as {}.", ("14 March 2019", "27 July 2018")),
    "time": ("Answer with the time, such as {}.", ("14:05", "09:50")),
    "duration": ("Answer with the hours and minutes, such as {}.", ("2 h 5 min", "3 h 40 min")),
    "text": ("Answer with that only, as it is written there.", ()),
    "list": ("Answer with all of them, separated by commas.", ()),
    "yesno": ("Answer with yes or no.", ()),
}
"""Kind of answer -> its sentence, and examples for it."""

_STATED: Final = re.compile(r"\banswer with\b", re.IGNORECASE)


def with_form(question: str, kind: str, right: object = None) -> str:
    """Append the form that an answer of this kind has, unless the question says `answer with` already.

    Args:
        question: The question.
        kind: Kind of answer, as in `match_answer`.
        right: The right answer, which is never given as the example.

    Raises:
        UnknownName: The kind does not exist.
    """
    if kind not in FORMS:
        raise unknown("kind of answer", kind, FORMS)
    if _STATED.search(question):
        return question
    sentence, examples = FORMS[kind]
    wrong = [example for example in examples if right is None or not match_answer(kind, right, example)]
    return f"{question} {sentence.format(*wrong)}"
