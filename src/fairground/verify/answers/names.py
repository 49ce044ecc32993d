"""Matching of names, lists of names, and yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from fairground.verify.answers.certainty import denied, unsure, vague
from fairground.verify.answers.text import APART, bare, plain, words

_ROOM: Final = 160  # maximum characters of a sentence around a name


def match_name(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    """Whether an answer names the expected thing, and no other."""
    said = _same_digits(plain(str(expected)), said)
    if not _names([expected], said, among) or _one_of_several(expected, said, question):
        return False
    return _committed([expected], said, question)


def match_list(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    """Whether an answer names all expected things in any order, and no other."""
    if isinstance(expected, str) or not isinstance(expected, Sequence):
        raise TypeError("a list is expected")
    if not expected:
        return bool(re.fullmatch(r"\W*(none|nothing|no one|nobody|there (are|is) none)\W*", said))
    if not _committed(expected, said, question):
        return False
    if among:
        return _names(expected, said, among) and not _one_more(expected, said, question)
    wanted = {words(item) for item in expected}
    parts = {words(part) for part in re.split(r"[,;\n•]|\band\b|&", said)} - {""}
    return parts == wanted or (words(said) in {" ".join(sorted(wanted)), *wanted} and len(wanted) == 1)


def _names(expected: Sequence[Any], said: str, among: Sequence[Any]) -> bool:
    """Whether a text names all of these, none of the others, and little else."""
    text = f" {words(said)} "
    wanted = {words(item) for item in expected}
    if "" in wanted:
        raise ValueError("an empty text cannot be looked for")
    if len(text) > sum(map(len, wanted)) * 2 + _ROOM:
        return False
    for name in sorted(wanted, key=len, reverse=True):
        if f" {name} " not in text:
            return False
    for name in sorted(wanted, key=len, reverse=True):
        text = text.replace(f" {name} ", " · ")
    rivals = {words(item) for item in among} - wanted - {""}
    named = [rival for rival in rivals if f" {rival} " in text]
    return all(re.search(rf" (?:not|rather than|instead of) {re.escape(rival)} ", text) for rival in named)


def _committed(expected: Sequence[Any], said: str, question: str) -> bool:
    """Whether an answer asserts the names: it does not deny them, guess, or leave a choice open."""
    text = _marked(expected, said, brackets=True)
    for phrase in re.findall(r'"([^"]{3,})"', question):
        text = text.replace(bare(phrase), " ")
    if unsure(text):
        return False
    asked_who_not = re.search(r"\b(?:not|never)\b|n't\b", question) is not None
    return not any(
        denied(text, place.start(), place.end(), name=not asked_who_not)
        or vague(text, place.start(), place.end(), question, name=True)
        for place in re.finditer("\x00", text)
    )


def _same_digits(expected: str, said: str) -> str:
    """The answer with a telephone number spaced as the expected one."""
    if not re.fullmatch(r"\+?[\d ()./-]{6,}", expected):
        return said
    digits = re.sub(r"\D", "", expected)
    same = lambda match: expected if re.sub(r"\D", "", match[0]) == digits else match[0]  # noqa: E731
    return re.sub(r"\+?\d[\d ()./-]{4,30}\d", same, said)


def _one_more(expected: Sequence[Any], said: str, question: str) -> bool:
    """Whether a list has an additional entry, such as `something else`.

    Remarks do not count: text before a colon, in brackets, or in a sentence that names nothing expected, and text with
    only words of the question.
    """
    text = _marked(expected, said)
    known = {*words(question).split(), *_FILLING}
    for sentence in re.split(r"(?<=[^\d\s])[.!?]\s", text):
        if "\x00" in sentence:
            entries = re.split(r"[,;\n•&]|\b(?:and|or|plus)\b", re.sub(r"^[^\x00]*:", "", sentence))
            if any("\x00" not in entry and set(words(entry).split()) - known for entry in entries):
                return True
    return False


def _one_of_several(expected: Any, said: str, question: str) -> bool:
    """Whether an answer names further things besides the right one, like a guess: `A, B, C`, `A or B`.

    A single further item after it is a remark (`A, from the warehouse`), unless the answer leaves the choice open.
    Sentences, and text with only words of the question, name nothing.
    """
    text = _marked([expected], said)
    known = {*words(question).split(), *_FILLING, *_POLITE}
    before = after = 0
    for entry in _ENTRIES.split(re.sub(r"^[^\x00\n,;]*:\s", "", text)):
        entry_words = words(_LEADING.sub("", entry.strip())).split()
        strange = 0 if _SENTENCE.intersection(entry_words) else len(set(entry_words) - known)
        if strange > _REMARK:
            return True
        if "\x00" in entry:
            before, after = before + after, 0
        else:
            after += strange > 0
    return before > 0 or after > 1 or (after == 1 and re.search(r"\bor\b|\s/\s", text) is not None)


def _marked(expected: Sequence[Any], said: str, *, brackets: bool = False) -> str:
    """The answer with a marker in place of each expected name; without text in brackets unless asked for."""
    text = bare(said if brackets else re.sub(r"\([^)]*\)", " ", said))
    for name in sorted(map(words, expected), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){APART.join(map(re.escape, name.split()))}(?!\w)", "\x00", text)
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


def match_yes_or_no(expected: Any, said: str, among: Sequence[Any], question: str, today: date | None) -> bool:
    """Whether an answer says yes or no, and not both."""
    tokens = set(re.findall(r"[^\W\d_]+", said))
    yes, no = bool(tokens & _YES), bool(tokens & _NO or "n't" in said)
    open_ = unsure(said) or said.rstrip(" .\"')").endswith("?") or tokens & _PARTLY
    return not open_ and yes != no and yes is bool(expected)


_YES: Final = frozenset({"yes", "yeah", "yep", "yup", "true", "correct", "affirmative", "indeed"})
_NO: Final = frozenset({"no", "nope", "not", "false", "incorrect", "negative", "never", "neither", "wrong"})
_PARTLY: Final = frozenset({"almost", "nearly", "partly", "partially", "mostly", "sometimes", "half", "or"})
