"""Chance that is the same on every machine and in every version of Python."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Draws from a seed that is a text. Only `random()` is used: its sequence is promised never to change."""

    def __init__(self, *seed: object) -> None:
        digest = hashlib.blake2b(repr(seed).encode(), digest_size=8).digest()
        self._random = random.Random(int.from_bytes(digest, "big")).random

    def share(self) -> float:
        """A number from 0 up to, but not including, 1."""
        return self._random()

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return self._random() < share

    def integer(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._random() * (high - low + 1))

    def choice(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Several different ones, in random order; all of them when there are fewer."""
        left = list(items)
        return [left.pop(int(self._random() * len(left))) for _ in range(min(count, len(left)))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All of them, in random order."""
        return self.sample(items, len(items))

    def weighted(self, items: Sequence[tuple[T, float]]) -> T:
        """One of them, each as often as its weight says."""
        at = self._random() * sum(weight for _, weight in items)
        for item, weight in items:
            at -= weight
            if at < 0:
                return item
        return items[-1][0]
