"""From an instruction, a page and the past choices to numbers.

Words are hashed, so there is no vocabulary and new names need no training: what matters about them is where they occur
in the instruction.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from examples.train.page import ROLES, Control, Page

WORDS = 4096
MAX_TOKENS = 80
NAME_WORDS = 12
PAST = 3
MAX_STEPS = 20
TOKEN_FEATURES = 8
CONTROL_FEATURES = 14
DONE_ROLE = len(ROLES) + 1
N_ROLES = len(ROLES) + 2

_TOKEN = re.compile(r"\w+|[^\w\s]")
_OPEN, _CLOSE = "“", "”"


@dataclass(frozen=True)
class Choice:
    """What the policy decided: a control to press or to type into, or that the task is done.

    Attributes:
        control: Number of the control on the page; the number of controls means done.
        start: First token of the instruction to copy; -1 if nothing is typed.
        end: Last token to copy.
    """

    control: int
    start: int = -1
    end: int = -1


@dataclass(frozen=True)
class Token:
    """A word or a mark of the instruction, and where it is."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Task:
    """An instruction, cut into tokens."""

    instruction: str
    tokens: tuple[Token, ...]
    words: NDArray[np.int64]
    shape: NDArray[np.float32]
    joined: str
    quotes: tuple[str, ...]

    def copied(self, choice: Choice) -> str:
        """Return the part of the instruction that a choice copies."""
        return self.instruction[self.tokens[choice.start].start : self.tokens[choice.end].end]

    def span(self, text: str) -> tuple[int, int] | None:
        """Return the tokens of the longest part of `text` that stands in the instruction; None if there is none.

        At least half of `text` must be copied, so `subject:"Rent"` gives the tokens of `Rent`.
        """
        best, length = None, 0
        for first, token in enumerate(self.tokens):
            for last in range(len(self.tokens) - 1, first - 1, -1):
                part = self.instruction[token.start : self.tokens[last].end]
                if len(part) <= length:
                    break
                if part in text:
                    best, length = (first, last), len(part)
                    break
        return best if length * 2 >= len(text) else None


@dataclass(frozen=True)
class Past:
    """What was done so far: the controls, newest last, and the tokens that were typed."""

    controls: tuple[Control, ...] = ()
    typed: frozenset[int] = frozenset()
    seen: frozenset[tuple[str, str]] = frozenset()

    def after(self, page: Page, choice: Choice) -> Past:
        """Return the past after a choice on a page."""
        if choice.control >= len(page.controls):
            return self
        typed = self.typed | frozenset(range(choice.start, choice.end + 1)) if choice.start >= 0 else self.typed
        seen = frozenset(control.key for control in page.controls)
        return Past((*self.controls, page.controls[choice.control]), typed, seen)


@dataclass(frozen=True)
class Sample:
    """One decision as arrays: T tokens, N controls and, last, the pseudo-control "done"."""

    words: NDArray[np.int64]
    shape: NDArray[np.float32]
    names: NDArray[np.int64]
    roles: NDArray[np.int64]
    controls: NDArray[np.float32]
    fields: NDArray[np.bool_]
    title: NDArray[np.int64]
    past_names: NDArray[np.int64]
    past_roles: NDArray[np.int64]
    step: int


@lru_cache(maxsize=4096)
def read_task(instruction: str) -> Task:
    """Cut an instruction into tokens."""
    tokens = tuple(Token(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(instruction))[:MAX_TOKENS]
    shape = np.zeros((len(tokens), TOKEN_FEATURES - 1), np.float32)
    quoted = 0
    for number, token in enumerate(tokens):
        quoted += token.text == _OPEN
        before = tokens[number - 1].text if number else ""
        after = tokens[number + 1].text if number + 1 < len(tokens) else ""
        inside = instruction.count(_OPEN, 0, token.start) > instruction.count(_CLOSE, 0, token.start)
        shape[number] = (
            token.text[0].isupper(), token.text.isdigit(), not token.text[0].isalnum(), before == _OPEN,
            after == _CLOSE, inside, min(quoted, 3) / 3,
        )  # fmt: skip
    quotes = re.findall(f"{_OPEN}(.+?){_CLOSE}", instruction)
    return Task(
        instruction, tokens, hashed([token.text for token in tokens], len(tokens)), shape, _spaced(instruction),
        tuple(map(_spaced, quotes)),
    )  # fmt: skip


def encode(task: Task, page: Page, past: Past) -> Sample:
    """Turn a situation into arrays."""
    count = len(page.controls)
    names = np.zeros((count + 1, NAME_WORDS), np.int64)
    roles = np.full(count + 1, DONE_ROLE, np.int64)
    features = np.zeros((count + 1, CONTROL_FEATURES), np.float32)
    used = [control.key for control in past.controls]
    for number, control in enumerate(page.controls):
        names[number] = hashed(_words(control.name), NAME_WORDS)
        roles[number] = ROLES.index(control.role) + 1
        features[number] = _control_features(task, control, used, past, number)
    features[count, -1] = 1.0
    typed = np.zeros((len(task.tokens), 1), np.float32)
    typed[sorted(past.typed)] = 1.0
    latest = past.controls[-PAST:][::-1]
    past_names = np.zeros((PAST, NAME_WORDS), np.int64)
    past_roles = np.zeros(PAST, np.int64)
    for number, control in enumerate(latest):
        past_names[number] = hashed(_words(control.name), NAME_WORDS)
        past_roles[number] = ROLES.index(control.role) + 1
    return Sample(
        words=task.words,
        shape=np.concatenate([task.shape, typed], axis=1),
        names=names,
        roles=roles,
        controls=features,
        fields=np.array([control.takes_text for control in page.controls] + [False]),
        title=hashed(_words(page.title), NAME_WORDS),
        past_names=past_names,
        past_roles=past_roles,
        step=min(len(past.controls), MAX_STEPS - 1),
    )


def hashed(words: list[str], length: int) -> NDArray[np.int64]:
    """Return the numbers of words, the same on every machine; 0 fills up."""
    numbers = np.zeros(length, np.int64)
    for place, word in enumerate(words[:length]):
        numbers[place] = zlib.crc32(word.casefold().encode()) % (WORDS - 1) + 1
    return numbers


def _control_features(
    task: Task, control: Control, used: list[tuple[str, str]], past: Past, number: int
) -> tuple[float, ...]:
    words = _words(control.name)
    run, together = _longest_run(words, task.joined), len(words) or 1
    quote = max((_longest_run(words, text) / max(len(text.split()), 1) for text in task.quotes), default=0.0)
    value = _spaced(control.value)
    return (
        sum(f" {word} " in task.joined for word in words) / together,
        run / together,
        min(run / 6, 1.0),
        float(run == together and bool(words)),
        quote,
        float(bool(control.value)),
        float(bool(control.value) and value in task.joined),
        float("checked" in control.states or "pressed" in control.states),
        float("focused" in control.states),
        min(used.count(control.key), 3) / 3,
        float(bool(used) and used[-1] == control.key),
        float(bool(past.seen) and control.key not in past.seen),
        1 / (1 + number),
        0.0,
    )


@lru_cache(maxsize=16384)
def _words_of(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text.casefold()))


def _words(text: str) -> list[str]:
    return [word for word in _words_of(text) if word[0].isalnum()]


def _spaced(text: str) -> str:
    return f" {' '.join(_words(text))} "


def _longest_run(words: list[str], text: str) -> int:
    """Length of the longest run of words that stands in the text, word by word."""
    best = 0
    for first in range(len(words)):
        while first + best < len(words) and f" {' '.join(words[first : first + best + 1])} " in text:
            best += 1
    return best
