"""Random draws that are the same on every machine and in every version of Python."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Draws from a text seed. It only uses `random()`, because Python guarantees that its sequence never changes."""

    def __init__(self, *seed: object) -> None:
        digest = hashlib.blake2b(repr(seed).encode(), digest_size=8).digest()
        self._random = random.Random(int.from_bytes(digest, "big")).random

    def share(self) -> float:
        """A number in [0, 1)."""
        return self._random()

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return self._random() < share

    def integer(self, low: int, high: int) -> int:
        """A whole number between both ends, inclusive."""
        return low + int(self._random() * (high - low + 1))

    def choice(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Several distinct items in random order; all items if there are fewer."""
        left = list(items)
        return [left.pop(int(self._random() * len(left))) for _ in range(min(count, len(left)))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items, in random order."""
        return self.sample(items, len(items))

    def weighted(self, items: Sequence[tuple[T, float]]) -> T:
        """One item, drawn with probability proportional to its weight."""
        at = self._random() * sum(weight for _, weight in items)
        for item, weight in items:
            at -= weight
            if at < 0:
                return item
        return items[-1][0]
