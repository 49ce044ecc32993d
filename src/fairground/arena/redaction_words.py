"""Vocabulary of agent, model and vendor names, with the rules that separate them from ordinary text."""

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
"""Redacted inside other words, too: no other word contains them."""

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
"""Occur inside other words; redacted only as separate words."""

_ORDINARY: Final = (
    "google", "bard", "alibaba", "tongyi", "meta", "grok", "moonshot", "nova", "amazon", "command-r", "command r",
    "command a", "cohere", "phi", "yi", "opus", "sonnet", "haiku", "codex", "copilot", "perplexity",
)  # fmt: skip
"""Names with another meaning: redacted, but typing one does not identify the agent."""

_STRADDLED: Final = frozenset(("gemini", "openai", "llama", "qwen", "gpt", "gp7"))
"""Adjacent ordinary words can spell these: gem in it, open air, all amazing, FAQ went."""

_PLAIN_AGENTS: Final = frozenset(("oracle", "random", "do-nothing", "human"))
"""Agents of this package with ordinary words as names."""

_NO_NAMES: Final = frozenset(
    ("agent", "agents", "model", "models", "program", "python", "http", "https", "localhost", "local", "latest",
     "preview", "instruct", "chat", "base", "mini", "nano", "micro", "small", "medium", "large", "turbo", "vision",
     "flash", "lite", "ultra", "thinking", "reasoning", "computer", "desktop", "mobile", "test", "beta", "alpha",
     "main", "default", "effort", "high", "low", "nothing", "hidden", "with", "from", "tools", "plus",
     "experimental", "www", "com", "html", "openrouter", "server", "coder", "code", "json", "none", "true", "false")
)  # fmt: skip
"""Parts of names that identify nothing."""

SUFFIX: Final = re.compile(
    r"(?:[ _.:/@+-]{0,2}(?:[a-z]{0,2}[0-9][\w.]{0,20}|(?:mini|nano|micro|turbo|pro|flash|lite|ultra|max|plus"
    r"|preview|latest|instruct|coder|code|vl|omni|vision|thinking|opus|sonnet|haiku|premier|large|medium|small)(?![^\W_]))){0,8}",
    re.IGNORECASE,
)
"""What follows a name and belongs to it: a version or a variant."""

NATIVE: Final = re.compile(
    "|".join(resources.files("fairground.arena").joinpath("native_names.txt").read_text(encoding="utf-8").split()),
    re.IGNORECASE,
)
"""Names in other scripts; only in their usual spelling."""

_LEAST: Final = 3
LONG: Final = 5
"""Minimum length of a word in which digits can replace letters: 9pt is a font size."""


@dataclass(frozen=True)
class Word:
    """A word to search for.

    Attributes:
        name: Its usual spelling.
        anywhere: Whether it is also redacted inside another word.
        ordinary: Whether it has another meaning.
        rare: Whether adjacent ordinary words cannot spell it.
        joints: Positions (in letters) at which it may be split.
    """

    name: str
    anywhere: bool = False
    ordinary: bool = False
    rare: bool = False
    joints: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Known:
    """Words by their folded letters.

    Attributes:
        pattern: Matches the longest word at each position, in group 1.
        words: Words by their folded letters.
        prefixes: For each word, itself and the words that it starts with, longest first.
    """

    pattern: re.Pattern[str]
    words: dict[str, list[Word]]
    prefixes: dict[str, list[str]]

    @classmethod
    def of(cls, found: Iterable[tuple[str, Word]]) -> Known:
        """Build from pairs of folded letters and word."""
        words: dict[str, list[Word]] = {}
        for key, word in found:
            words.setdefault(key, []).append(word)
        longest = sorted(words, key=lambda key: (-len(key), key))
        prefixes = {key: [word for word in longest if key.startswith(word)] for key in words}
        return cls(re.compile(f"(?=({_trie(longest)}))" if longest else "(?!)"), words, prefixes)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """All words to search for: unchanged, with digits for letters, and with repeated letters merged."""

    words: tuple[Word, ...]
    plain: Known = field(init=False)
    long: Known = field(init=False)
    thin: Known = field(init=False)

    def __post_init__(self) -> None:
        plain = [(folded, word) for word in self.words if len(folded := word.name.translate(PLAIN)) >= 2]
        leet = [(folded, word) for word in self.words if len(folded := word.name.translate(LEET)) >= LONG]
        short = [(folded, word) for folded, word in plain if word.anywhere and len(folded) < LONG]
        thin = [(_thin(folded), word) for folded, word in (*leet, *short)]
        for name, known in (("plain", plain), ("long", leet), ("thin", thin)):
            object.__setattr__(self, name, Known.of(known))


@lru_cache(maxsize=64)
def vocabulary(names: frozenset[str]) -> Vocabulary:
    """Return the vocabulary for an arena with agents of these names."""
    words: dict[str, Word] = {}
    for text in _ANYWHERE:
        words[text] = Word(text, anywhere=True, rare=text not in _STRADDLED, joints=_joints(text))
    for text in (*_WHOLE, *_ORDINARY):
        words[text] = Word(text, ordinary=text in _ORDINARY, joints=_joints(text))
    for name in sorted(names):
        for text in _parts(name):
            known = words.get(text.casefold())
            if known is None:
                plain = text in _PLAIN_AGENTS
                long = not plain and len(text.translate(PLAIN)) > LONG
                words[text.casefold()] = Word(text, anywhere=long, ordinary=plain, joints=_joints(text))
    return Vocabulary(tuple(words.values()))


def _parts(name: str) -> list[str]:
    """Return what an agent may call itself: its full name, a model name without vendor and URL, and their words."""
    before, _, after = name.partition(":")
    words = re.findall(r"[^\W\d_]{4,}", name)
    bare = re.match(r"[^\W\d_]+", name)
    names = [name, before, after.partition("@")[0], *words, *([bare[0]] if bare else [])]
    return [
        name
        for name in dict.fromkeys(names)
        if len(name.translate(PLAIN)) >= _LEAST and name.casefold() not in _NO_NAMES
    ]


def _joints(text: str) -> frozenset[int]:
    """Return the positions (in folded letters) of separators between the parts of a name."""
    joints, letters = set(), 0
    for character in text:
        if character.isalnum():
            letters += len(LEET[ord(character)]) if character.isdigit() else len(PLAIN[ord(character)])
        else:
            joints.add(letters)
    return frozenset(joints)


def _thin(letters: str) -> str:
    return re.sub(r"(.)\1+", r"\1", letters)


def _trie(words: Iterable[str]) -> str:
    """Return a pattern that matches the longest of many words efficiently."""
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
