"""Redaction of agent names in every text that leaves the server before a vote.

All outputs use `Redactor`. It knows the names of the arena's agents, and of models and vendors, and redacts them on
both sides in the same way. The vocabulary is in `redaction_words`, spelling variants are in `redaction_folding`.

A word that occurs in the task itself is not redacted in that battle, unless an agent introduces itself with it.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from fairground.arena.redaction_folding import LEET, PLAIN, is_invisible
from fairground.arena.redaction_words import LONG, NATIVE, SUFFIX, Vocabulary, Word, vocabulary

HIDDEN: Final = "[hidden]"
"""Replacement of a name."""

EDGE: Final = "\u2063"
"""Separator between consecutive texts. It is invisible; names can continue across it, and it is a word boundary."""

_ROUNDS: Final = 8  # passes, because removing a name can leave another one
_BEFORE: Final = 60  # characters before a name to search for an introduction
_INTRODUCES: Final = re.compile(
    r"\b(?:i am|i['\u2019]?m|my name(?: is|['\u2019]?s)|call me|this is|it['\u2019]?s me|(?:made|built|created|trained"
    r"|developed|powered|designed) (?:by|at)|model(?: is| called| named| from|:)?|assistant from|greetings from)"
    r"[\W_]{1,3}(?:(?:an?|the|called|actually|really)[\W_]{1,3})?$",
    re.IGNORECASE,
)
_OURS: Final = frozenset(
    ("id", "url", "frame", "after", "thumbnails", "pictures", "seat", "status", "state", "kind", "side", "follows",
     "mark", "winner", "keys", "key", "button", "space", "unit", "world", "platform", "category", "names", "verdicts",
     "results", "vote", "counted")
)  # fmt: skip
"""Fields filled by the server or by the person: identifiers, URLs, fixed words, the person's text."""


@dataclass(frozen=True)
class Mention:
    """A name in a text.

    Attributes:
        word: The name.
        start: Start in the text.
        end: End in the text.
        tells: Whether it identifies the agent. A word with an ordinary meaning does so only in an introduction.
    """

    word: str
    start: int
    end: int
    tells: bool


class Redactor:
    """Redacts names.

    Args:
        names: Names of all agents of the arena, not only of the two: otherwise the redaction would reveal them.
        task: The task of the two agents; its words are not redacted.
    """

    def __init__(self, names: Iterable[str], task: str = "") -> None:
        self._words = vocabulary(frozenset(names))
        self._allowed, self._introduced = _words_in(self._words, task) if task else (frozenset(), frozenset())

    def __call__(self, text: str) -> str:
        """Return the text without names."""
        return _without(text, self._spans(text))

    def consecutive(self, texts: Sequence[str]) -> list[str]:
        """Redact consecutive texts, including names split over several of them."""
        starts = [0, *accumulate(len(text) + 1 for text in texts)]
        spans: list[list[tuple[int, int]]] = [self._spans(text) for text in texts]
        for mention in self.mentions(EDGE.join(texts)):
            first, last = (bisect.bisect_right(starts, at) - 1 for at in (mention.start, mention.end - 1))
            for number in range(first, last + 1) if last > first else ():
                begin = max(mention.start - starts[number], 0)
                end = min(mention.end - starts[number], len(texts[number]))
                if begin < end:
                    spans[number].append((begin, end))
        return [_without(text, _merged(found_spans)) for text, found_spans in zip(texts, spans, strict=True)]

    def data(self, plain: Any) -> Any:
        """Redact all texts in plain data that an agent or a person may have written."""
        match plain:
            case str():
                return self(plain)
            case dict():
                return {key: value if key in _OURS else self.data(value) for key, value in plain.items()}
            case list() | tuple():
                return [self.data(item) for item in plain]
        return plain

    def mentions(self, text: str) -> list[Mention]:
        """Return every name in a text, in order; also those that a browser shows because it reverses a part."""
        mentions = self._written(text)
        if _REVERSED.search(text) is None:
            return mentions
        order = _as_shown(text)
        shown = self._written("".join(text[at] for at in order))
        for mention in shown:
            places = order[mention.start : mention.end]
            mentions.append(Mention(mention.word, min(places), max(places) + 1, mention.tells))
        return sorted(mentions, key=lambda mention: mention.start)

    def _written(self, text: str) -> list[Mention]:
        mentions: list[Mention] = []
        for word, start, end in _found(self._words, text):
            stays = word.name in self._allowed or word.name in _NEEDS_INTRODUCTION
            if not stays and not word.ordinary:
                mentions.append(Mention(word.name, start, end, True))
                continue
            introduces = word.name not in self._introduced and _is_introduced(text, start)
            if introduces or not stays:
                mentions.append(Mention(word.name, start, end, introduces))
        return mentions

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans to redact. Several passes, because a name may be nested in another."""
        spans: list[tuple[int, int]] = []
        for _ in range(_ROUNDS):
            gaps = _gaps(spans, len(text))
            left = "".join(text[start:end] for start, end in gaps)
            mentions = self.mentions(left)
            if not mentions:
                return spans
            places = [0, *accumulate(end - start for start, end in gaps)]

            def place(at: int, kept: list[tuple[int, int]] = gaps, places: list[int] = places) -> int:
                number = bisect.bisect_right(places, at) - 1
                return kept[number][0] + at - places[number]

            wide = _widened(left, [(mention.start, mention.end) for mention in mentions])
            spans = _merged([*spans, *((place(start), place(end - 1) + 1) for start, end in wide)])
        return [(0, len(text))]


_NEEDS_INTRODUCTION: Final = frozenset(("o1", "o3", "o4"))  # also cell references of a spreadsheet


@lru_cache(maxsize=256)
def _words_in(words: Vocabulary, text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a task that are not redacted, and those that introduce somebody in it.

    A task that names several models may ask which of them an agent is, so then only ordinary words are kept.
    """
    words_found = _found(words, text)
    telling = {word.name for word, _, _ in words_found if not word.ordinary}
    stay = {word.name for word, _, _ in words_found if word.ordinary or len(telling) == 1}
    return frozenset(stay), frozenset(
        word.name for word, start, _ in words_found if word.name in stay and _is_introduced(text, start)
    )


def _is_introduced(text: str, start: int) -> bool:
    return _INTRODUCES.search(text[max(0, start - _BEFORE) : start]) is not None


def _found(words: Vocabulary, text: str) -> list[tuple[Word, int, int]]:
    """Return every word of the vocabulary in a text with its position, without overlaps."""
    matches: list[tuple[int, int, Word]] = []
    for table, known, collapse in ((PLAIN, words.plain, False), (LEET, words.long, False), (LEET, words.thin, True)):
        letters = text.translate(table)
        if collapse:
            squeezed = _RUN.sub(r"\1", letters)
            if len(squeezed) == len(letters):
                continue  # no letters are repeated, so the previous pass has covered it
            letters = squeezed
        if known.pattern.search(letters) is None:
            continue
        places = _Places(text, table, collapse=collapse)
        for match in known.pattern.finditer(places.letters):
            for key in known.prefixes[match[1]]:
                start, end = match.start(), match.start() + len(key)
                word = next((word for word in known.words[key] if places.fits(word, start, end)), None)
                if word is not None:
                    matches.append((places.first[start], places.last[end - 1] + 1, word))
                    break
    for short in _NUMBERED.finditer(text.translate(_DIGITS)):
        matches.append((short.start(), short.end(), Word(f"o{short[1]}" if not short[2] else short[0].lower())))
    matches += [(match.start(), match.end(), Word(match[0].casefold())) for match in NATIVE.finditer(text)]
    matches.sort(key=lambda match: (match[0], -match[1]))
    chosen: list[tuple[Word, int, int]] = []
    reach = 0
    for start, end, word in matches:
        if start >= reach:
            chosen.append((word, start, end))
            reach = end
    return chosen


# From a right-to-left override to its end: letters of any script are shown in reverse.
_REVERSED: Final = re.compile(f"\u202e([^\u202c{EDGE}\n\r\u2028\u2029]+)")


def _as_shown(text: str) -> list[int]:
    """Return the positions of a text's characters in the order in which a browser shows them."""
    order = list(range(len(text)))
    for run in _REVERSED.finditer(text):
        order[run.start(1) : run.end(1)] = reversed(range(run.start(1), run.end(1)))
    return order


_RUN: Final = re.compile(r"(.)\1+")
_NUMBERED: Final = re.compile(
    r"(?<![^\W_])o([134])(?![^\W_])((?:[ _-]?(?:mini|pro|preview|high|deep research)(?![^\W_]))?)", re.IGNORECASE
)
_DIGITS: Final = {0xFF10 + number: str(number) for number in range(10)} | {ord("\u043e"): "o", ord("\u03bf"): "o"}


class _Places:
    """Positions of the folded letters of a text.

    Args:
        text: The text.
        table: Maps its characters to folded letters.
        collapse: Whether to merge repeated letters.

    Attributes:
        letters: The folded letters.
        first: Position of each letter.
        last: The same; for merged letters, the position of the last one.
    """

    def __init__(self, text: str, table: dict[int, str], *, collapse: bool) -> None:
        self._text, self._signs = text, table is LEET
        self.letters = text.translate(table)
        self.first = [place for place, character in enumerate(text) for _ in table[ord(character)]]
        self.last = self.first
        if collapse:
            repeated = [
                at > 0 and letter == self.letters[at - 1] and self._touch(at) for at, letter in enumerate(self.letters)
            ]
            places = [at for at, again in enumerate(repeated) if not again]
            self.letters = "".join(self.letters[at] for at in places)
            ends = [*(at - 1 for at in places[1:]), len(repeated) - 1]
            self.first, self.last = [self.first[at] for at in places], [self.last[at] for at in ends]

    def fits(self, word: Word, start: int, end: int) -> bool:
        """Whether letters that spell a word form that word, and not parts of adjacent words."""
        text = self._text
        if self._signs:
            plain = sum(bool(PLAIN[ord(text[place])]) for place in self.first[start:end])
            if plain < (end - start if end - start < LONG else (end - start) / 3):
                return False  # a number, or a number with a unit
        if self.first is not self.last and self.first[start:end] == self.last[start:end]:
            return False  # no letter is repeated
        whole = self.last[end - 1] - self.first[start] == end - start - 1
        if whole and word.anywhere:
            return True
        cuts = [] if whole else [at - start for at in range(start + 1, end) if not self._touch(at)]
        if not cuts and word.anywhere:
            return True
        lengths = [two - low for low, two in zip([0, *cuts], [*cuts, end - start], strict=True)]
        if cuts and self._signs and not self._signs_touch(start, end):
            return False
        if word.anywhere and max(lengths) <= (2 if word.rare else 1):
            return True
        begins = self._begins(start)
        ends = end == len(self.first) or not PLAIN[ord(text[self.first[end]])] or not self._goes_on(end)
        if begins and ends:
            return not cuts or word.anywhere or max(lengths) == 1 or set(cuts) <= word.joints
        return word.anywhere and word.rare and (begins or ends)

    def _begins(self, start: int) -> bool:
        """Whether a word starts here: not after a letter, or with a capital after a lower-case letter."""
        text = self._text
        if start == 0 or not PLAIN[ord(text[self.last[start - 1]])] or not self._goes_on(start):
            return True
        return text[self.first[start]].isupper() and text[self.last[start - 1]].islower()

    def _goes_on(self, at: int) -> bool:
        """Whether a letter and the previous one belong to the same word."""
        return self._touch(at) and EDGE not in self._text[self.last[at - 1] + 1 : self.first[at]]

    def _signs_touch(self, start: int, end: int) -> bool:
        """Whether every symbol used as a letter is next to a letter: the mark in `! I am a` is punctuation."""
        return all(
            self._text[self.first[at]].isalnum()
            or (at > start and self._touch(at))
            or (at + 1 < end and self._touch(at + 1))
            for at in range(start, end)
        )

    def _touch(self, at: int) -> bool:
        """Whether nothing visible is between a letter and the previous one."""
        previous, two = self.last[at - 1], self.first[at]
        return two - previous <= 1 or all(map(is_invisible, self._text[previous + 1 : two]))


def _widened(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Extend names to the whole words that contain them, and to following versions and variants."""
    widened: list[tuple[int, int]] = []
    reach = 0
    for start, end in spans:
        if end <= reach:
            continue
        start = max(start, reach)
        while start > reach and (text[start - 1].isalnum() or text[start - 1] == "_" or is_invisible(text[start - 1])):
            start -= 1
        end = max(end, SUFFIX.match(text, end).end())  # type: ignore[union-attr]  # it matches nothing, too
        while end < len(text) and (text[end].isalnum() or text[end] == "_" or is_invisible(text[end])):
            end += 1
        widened.append((start, end))
        reach = end
    return widened


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    widened: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if widened and start <= widened[-1][1]:
            widened[-1] = (widened[-1][0], max(end, widened[-1][1]))
        else:
            widened.append((start, end))
    return widened


def _gaps(spans: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return the gaps between spans."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), length]
    return [(end, two) for end, two in zip(ends, starts, strict=True) if end < two]


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], HIDDEN]
        at = end
    return "".join([*parts, text[at:]])
