"""Hides who the agents of a battle are in every text that leaves the server before a vote.

One function for all outputs: `Redactor`. It knows the names of the arena's agents, and the words by which models and
their makers are known, and hides them on both sides alike. What it looks for is in `redaction_words`, how a name may
be written is in `redaction_folding`.

A word that the task itself contains is not hidden in that battle, unless an agent introduces itself with it.
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
"""What stands in the place of a name."""

EDGE: Final = "\u2063"
"""Between texts that follow each other: a name goes on over it, and begins and ends at it. It is invisible."""

_ROUNDS: Final = 8  # a name inside a name: what is left is looked at again
_BEFORE: Final = 60  # characters before a name in which an introduction is looked for
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
"""Fields that the server fills, or the person: identifiers, addresses, fixed words, what the person said."""


@dataclass(frozen=True)
class Mention:
    """A name in a text.

    Attributes:
        word: What it is known by.
        start: Where it begins in the text.
        end: Where it ends.
        tells: Whether it would tell a reader who the agent is: not of a word that has an ordinary meaning too, unless
            the agent introduces itself with it.
    """

    word: str
    start: int
    end: int
    tells: bool


class Redactor:
    """Hides names.

    Args:
        names: Of all agents of the arena, and not of the two: what is hidden must not tell which of them are there.
        task: What the two were asked; its words stay.
    """

    def __init__(self, names: Iterable[str], task: str = "") -> None:
        self._words = vocabulary(frozenset(names))
        self._allowed, self._introduced = _words_in(self._words, task) if task else (frozenset(), frozenset())

    def __call__(self, text: str) -> str:
        """The text without names."""
        return _without(text, self._spans(text))

    def consecutive(self, texts: Sequence[str]) -> list[str]:
        """Texts that are shown one after another: a name that is split over several of them is hidden too."""
        starts = [0, *accumulate(len(text) + 1 for text in texts)]
        spans: list[list[tuple[int, int]]] = [self._spans(text) for text in texts]
        for one in self.mentions(EDGE.join(texts)):
            first, last = (bisect.bisect_right(starts, at) - 1 for at in (one.start, one.end - 1))
            for number in range(first, last + 1) if last > first else ():
                begin = max(one.start - starts[number], 0)
                end = min(one.end - starts[number], len(texts[number]))
                if begin < end:
                    spans[number].append((begin, end))
        return [_without(text, _merged(some)) for text, some in zip(texts, spans, strict=True)]

    def data(self, plain: Any) -> Any:
        """Plain data without names in any text that an agent or a person may have written."""
        match plain:
            case str():
                return self(plain)
            case dict():
                return {key: value if key in _OURS else self.data(value) for key, value in plain.items()}
            case list() | tuple():
                return [self.data(one) for one in plain]
        return plain

    def mentions(self, text: str) -> list[Mention]:
        """Every name in a text, in order."""
        found: list[Mention] = []
        for word, start, end in _found(self._words, text):
            stays = word.name in self._allowed or word.name in _NEEDS_INTRODUCTION
            if not stays and not word.ordinary:
                found.append(Mention(word.name, start, end, True))
                continue
            introduces = word.name not in self._introduced and _is_introduced(text, start)
            if introduces or not stays:
                found.append(Mention(word.name, start, end, introduces))
        return found

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """What to hide. Looks again at what is left, because a name may be put around another."""
        spans: list[tuple[int, int]] = []
        for _ in range(_ROUNDS):
            kept = _gaps(spans, len(text))
            left = "".join(text[start:end] for start, end in kept)
            found = self.mentions(left)
            if not found:
                return spans
            places = [0, *accumulate(end - start for start, end in kept)]

            def place(at: int, kept: list[tuple[int, int]] = kept, places: list[int] = places) -> int:
                number = bisect.bisect_right(places, at) - 1
                return kept[number][0] + at - places[number]

            wide = _widened(left, [(one.start, one.end) for one in found])
            spans = _merged([*spans, *((place(start), place(end - 1) + 1) for start, end in wide)])
        return [(0, len(text))]


_NEEDS_INTRODUCTION: Final = frozenset(("o1", "o3", "o4"))  # which are also cells of a spreadsheet


@lru_cache(maxsize=256)
def _words_in(words: Vocabulary, text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a task that stay, and those of them with which somebody introduces themselves in it.

    A task that names several models may ask which of them an agent is, so it makes only ordinary words stay.
    """
    found = _found(words, text)
    telling = {word.name for word, _, _ in found if not word.ordinary}
    stay = {word.name for word, _, _ in found if word.ordinary or len(telling) == 1}
    return frozenset(stay), frozenset(
        word.name for word, start, _ in found if word.name in stay and _is_introduced(text, start)
    )


def _is_introduced(text: str, start: int) -> bool:
    return _INTRODUCES.search(text[max(0, start - _BEFORE) : start]) is not None


def _found(words: Vocabulary, text: str) -> list[tuple[Word, int, int]]:
    """Every word of the vocabulary in a text, with its place; they do not overlap."""
    found: list[tuple[int, int, Word]] = []
    for table, known, collapse in ((PLAIN, words.plain, False), (LEET, words.long, False), (LEET, words.thin, True)):
        letters = text.translate(table)
        if collapse:
            squeezed = _RUN.sub(r"\1", letters)
            if len(squeezed) == len(letters):
                continue  # nothing is repeated, so the pass before has seen it
            letters = squeezed
        if known.pattern.search(letters) is None:
            continue
        places = _Places(text, table, collapse=collapse)
        for match in known.pattern.finditer(places.letters):
            for key in known.prefixes[match[1]]:
                start, end = match.start(), match.start() + len(key)
                word = next((one for one in known.words[key] if places.fits(one, start, end)), None)
                if word is not None:
                    found.append((places.first[start], places.last[end - 1] + 1, word))
                    break
    for short in _NUMBERED.finditer(text.translate(_DIGITS)):
        found.append((short.start(), short.end(), Word(f"o{short[1]}" if not short[2] else short[0].lower())))
    found += [(match.start(), match.end(), Word(match[0].casefold())) for match in NATIVE.finditer(text)]
    found.sort(key=lambda one: (one[0], -one[1]))
    kept: list[tuple[Word, int, int]] = []
    reach = 0
    for start, end, word in found:
        if start >= reach:
            kept.append((word, start, end))
            reach = end
    return kept


_RUN: Final = re.compile(r"(.)\1+")
_NUMBERED: Final = re.compile(
    r"(?<![^\W_])o([134])(?![^\W_])((?:[ _-]?(?:mini|pro|preview|high|deep research)(?![^\W_]))?)", re.IGNORECASE
)
_DIGITS: Final = {0xFF10 + number: str(number) for number in range(10)} | {ord("\u043e"): "o", ord("\u03bf"): "o"}


class _Places:
    """Where the folded letters of a text stand in it.

    Args:
        text: The text.
        table: What its characters fold to.
        collapse: Whether letters that are repeated are one.

    Attributes:
        letters: The folded letters.
        first: For each letter its place.
        last: The same; where repeated letters are one, the place of the last of them.
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
            kept = [at for at, again in enumerate(repeated) if not again]
            self.letters = "".join(self.letters[at] for at in kept)
            ends = [*(at - 1 for at in kept[1:]), len(repeated) - 1]
            self.first, self.last = [self.first[at] for at in kept], [self.last[at] for at in ends]

    def fits(self, word: Word, start: int, end: int) -> bool:
        """Whether letters that spell a word are that word, and not parts of others that stand beside each other."""
        text = self._text
        if self._signs:
            plain = sum(bool(PLAIN[ord(text[one])]) for one in self.first[start:end])
            if plain < (end - start if end - start < LONG else (end - start) / 3):
                return False  # a number, or one with a unit
        if self.first is not self.last and self.first[start:end] == self.last[start:end]:
            return False  # nothing of it is repeated
        whole = self.last[end - 1] - self.first[start] == end - start - 1
        if whole and word.anywhere:
            return True
        cuts = [] if whole else [at - start for at in range(start + 1, end) if not self._touch(at)]
        if not cuts and word.anywhere:
            return True
        lengths = [two - one for one, two in zip([0, *cuts], [*cuts, end - start], strict=True)]
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
        """Whether a word begins here: after no letter, or with a capital after a small one."""
        text = self._text
        if start == 0 or not PLAIN[ord(text[self.last[start - 1]])] or not self._goes_on(start):
            return True
        return text[self.first[start]].isupper() and text[self.last[start - 1]].islower()

    def _goes_on(self, at: int) -> bool:
        """Whether a letter and the one before it are of the same word."""
        return self._touch(at) and EDGE not in self._text[self.last[at - 1] + 1 : self.first[at]]

    def _signs_touch(self, start: int, end: int) -> bool:
        """Whether every sign that stands for a letter stands beside one: the mark in `! I am a` is punctuation."""
        return all(
            self._text[self.first[at]].isalnum()
            or (at > start and self._touch(at))
            or (at + 1 < end and self._touch(at + 1))
            for at in range(start, end)
        )

    def _touch(self, at: int) -> bool:
        """Whether nothing that can be seen stands between a letter and the one before it."""
        one, two = self.last[at - 1], self.first[at]
        return two - one <= 1 or all(map(is_invisible, self._text[one + 1 : two]))


def _widened(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Names with the rest of the words that they stand in, and with versions and variants that follow them."""
    found: list[tuple[int, int]] = []
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
        found.append((start, end))
        reach = end
    return found


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _gaps(spans: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """What lies between spans."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), length]
    return [(one, two) for one, two in zip(ends, starts, strict=True) if one < two]


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], HIDDEN]
        at = end
    return "".join([*parts, text[at:]])
