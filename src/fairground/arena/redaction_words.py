"""The words by which agents, models and their makers are known, and how each may be told from ordinary text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Final

from fairground.arena.redaction_folding import LEET, PLAIN

_ANYWHERE: Final = (
    "claude", "chatgpt", "openai", "gpt", "gp7", "gemini", "deepmind", "qwen", "mistral", "mixtral", "deepseek",
    "bytedance", "doubao", "llama", "chatglm", "zhipu", "hunyuan", "nemotron", "xiaomi mimo", "ernie bot", "ui-tars",
)  # fmt: skip
"""No other word contains these."""

_WHOLE: Final = (
    "anthropic",
    "kimi",
    "xai",
    "x.ai",
    "uitars",
    "glm",
    "zai",
    "z.ai",
    "gemma",
    "mimo",
    "tencent",
    "baidu",
)
"""Parts of other words; names when they stand alone."""

_ORDINARY: Final = (
    "google", "bard", "alibaba", "tongyi", "meta", "grok", "moonshot", "nova", "amazon", "command-r", "command r",
    "command a", "cohere", "phi", "yi", "opus", "sonnet", "haiku", "codex", "copilot", "perplexity",
)  # fmt: skip
"""Names that have another meaning too: hidden, but typing one does not tell who types."""

_STRADDLED: Final = frozenset(("gemini", "openai", "llama", "qwen", "gpt", "gp7"))
"""Ordinary words may spell these: gem in it, open air, all amazing, FAQ went."""

_PLAIN_AGENTS: Final = frozenset(("oracle", "random", "do-nothing", "human"))
"""Agents of this package whose names are ordinary words."""

_NO_NAMES: Final = frozenset(
    ("agent", "agents", "model", "models", "program", "python", "http", "https", "localhost", "local", "latest",
     "preview", "instruct", "chat", "base", "mini", "nano", "micro", "small", "medium", "large", "turbo", "vision",
     "flash", "lite", "ultra", "thinking", "reasoning", "computer", "desktop", "mobile", "test", "beta", "alpha",
     "main", "default", "effort", "high", "low", "nothing", "hidden", "with", "from", "tools", "plus",
     "experimental", "www", "com", "html", "openrouter", "server", "coder", "code", "json", "none", "true", "false")
)  # fmt: skip
"""Parts of names that say nothing."""

SUFFIX: Final = re.compile(
    r"(?:[ _.:/@+-]{0,2}(?:[a-z]{0,2}[0-9][\w.]{0,20}|(?:mini|nano|micro|turbo|pro|flash|lite|ultra|max|plus"
    r"|preview|latest|instruct|coder|code|vl|omni|vision|thinking|opus|sonnet|haiku|premier|large|medium|small)(?![^\W_]))){0,8}",
    re.IGNORECASE,
)
"""What follows a name and belongs to it: a version, a variant."""

NATIVE: Final = re.compile(
    "|".join(resources.files("fairground.arena").joinpath("native_names.txt").read_text(encoding="utf-8").split()),
    re.IGNORECASE,
)
"""Names in other scripts; only as they are usually written."""

_LEAST: Final = 3
LONG: Final = 5
"""Letters of a word from which on digits may stand for some of them: 9pt is the size of a letter."""


@dataclass(frozen=True)
class Word:
    """A word to look for.

    Attributes:
        name: As it is usually written.
        anywhere: Whether it is a name inside another word, too.
        ordinary: Whether it has another meaning.
        rare: Whether ordinary words that stand beside each other do not spell it.
        joints: After how many letters it may be divided.
    """

    name: str
    anywhere: bool = False
    ordinary: bool = False
    rare: bool = False
    joints: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Known:
    """Words by how they are folded.

    Attributes:
        pattern: Finds the longest at each place, in group 1.
        words: By their folded letters.
        prefixes: For each, itself and those that it begins with, the longest first.
    """

    pattern: re.Pattern[str]
    words: dict[str, list[Word]]
    prefixes: dict[str, list[str]]

    @classmethod
    def of(cls, found: Iterable[tuple[str, Word]]) -> Known:
        """From pairs of folded letters and word."""
        words: dict[str, list[Word]] = {}
        for key, word in found:
            words.setdefault(key, []).append(word)
        longest = sorted(words, key=lambda key: (-len(key), key))
        prefixes = {key: [one for one in longest if key.startswith(one)] for key in words}
        return cls(re.compile(f"(?=({_trie(longest)}))" if longest else "(?!)"), words, prefixes)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """All words to look for: as they are, with digits for letters, and with repeated letters as one."""

    words: tuple[Word, ...]
    plain: Known = field(init=False)
    long: Known = field(init=False)
    thin: Known = field(init=False)

    def __post_init__(self) -> None:
        plain = [(folded, word) for word in self.words if len(folded := word.name.translate(PLAIN)) >= 2]
        leet = [(folded, word) for word in self.words if len(folded := word.name.translate(LEET)) >= LONG]
        short = [(folded, word) for folded, word in plain if word.anywhere and len(folded) < LONG]
        thin = [(_thin(folded), word) for folded, word in (*leet, *short)]
        for name, found in (("plain", plain), ("long", leet), ("thin", thin)):
            object.__setattr__(self, name, Known.of(found))


@lru_cache(maxsize=64)
def vocabulary(names: frozenset[str]) -> Vocabulary:
    """What to look for in an arena with agents of these names."""
    found: dict[str, Word] = {}
    for text in _ANYWHERE:
        found[text] = Word(text, anywhere=True, rare=text not in _STRADDLED, joints=_joints(text))
    for text in (*_WHOLE, *_ORDINARY):
        found[text] = Word(text, ordinary=text in _ORDINARY, joints=_joints(text))
    for name in sorted(names):
        for text in _parts(name):
            known = found.get(text.casefold())
            if known is None:
                plain = text in _PLAIN_AGENTS
                long = not plain and len(text.translate(PLAIN)) > LONG
                found[text.casefold()] = Word(text, anywhere=long, ordinary=plain, joints=_joints(text))
    return Vocabulary(tuple(found.values()))


def _parts(name: str) -> list[str]:
    """What an agent may call itself: its whole name, a model's without maker and address, and the words in these."""
    before, _, after = name.partition(":")
    words = re.findall(r"[^\W\d_]{4,}", name)
    bare = re.match(r"[^\W\d_]+", name)
    found = [name, before, after.partition("@")[0], *words, *([bare[0]] if bare else [])]
    return [
        one for one in dict.fromkeys(found) if len(one.translate(PLAIN)) >= _LEAST and one.casefold() not in _NO_NAMES
    ]


def _joints(text: str) -> frozenset[int]:
    """After how many folded letters there is something between the parts of a name."""
    found, letters = set(), 0
    for character in text:
        if character.isalnum():
            letters += len(LEET[ord(character)]) if character.isdigit() else len(PLAIN[ord(character)])
        else:
            found.add(letters)
    return frozenset(found)


def _thin(letters: str) -> str:
    return re.sub(r"(.)\1+", r"\1", letters)


def _trie(words: Iterable[str]) -> str:
    """A pattern that finds the longest of many words without trying each at every place."""
    tree: dict[str, dict[str, object]] = {}
    for word in words:
        node: dict[str, object] = tree  # type: ignore[assignment]
        for letter in word:
            node = node.setdefault(letter, {})  # type: ignore[assignment]
        node[""] = {}

    def pattern(node: dict[str, object]) -> str:
        ends = "" in node
        branches = [re.escape(letter) + pattern(below) for letter, below in node.items() if letter]  # type: ignore[arg-type]
        if not branches:
            return ""
        return f"(?:{'|'.join(branches)})" + ("?" if ends else "")

    return pattern(tree)  # type: ignore[arg-type]
