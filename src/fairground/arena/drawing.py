"""Which two agents meet next: those of whom little is known, pairs whose order is uncertain; and who has to leave."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairground.core import InvalidInput

FEW_VOTES = 30
"""An agent with fewer is drawn more often."""


@dataclass(frozen=True)
class Retirement:
    """When an agent is taken out: under `least` correct over the last `window` judgements of it."""

    least: float = 0.10
    window: int = 100

    def due(self, correct: Sequence[bool]) -> bool:
        """Whether an agent with these judgements, the newest last, has to leave."""
        last = correct[-self.window :]
        return len(last) >= self.window and sum(last) < self.least * len(last)


def pair_weights(
    agents: Sequence[str],
    met: Mapping[frozenset[str], int],
    ratings: Mapping[str, tuple[float, float]] | None = None,
) -> dict[tuple[str, str], float]:
    """How likely each pair should be drawn, up to a factor.

    Three things make a pair worth a battle: that an agent of it has few votes, that the two have seldom met, and that
    their intervals overlap, so that a vote may decide who is better.

    Args:
        agents: Those that are not retired.
        met: How often two have met and were voted on.
        ratings: For each agent the ends of its rating's interval; agents without are as uncertain as can be.
    """
    if len(agents) < 2:
        raise InvalidInput(f"a battle needs two agents; there are {len(agents)}", fix="add agents to the arena")
    votes: Counter[str] = Counter()
    for pair, count in met.items():
        for name in pair:
            votes[name] += count
    found = {}
    for one, other in itertools.combinations(sorted(agents), 2):
        fewest = min(votes[one], votes[other])
        new = 1.0 + 3.0 * max(0.0, 1.0 - fewest / FEW_VOTES)
        seldom = 1.0 / math.sqrt(1.0 + met.get(frozenset((one, other)), 0))
        found[one, other] = new * seldom * (0.25 + _overlap(one, other, ratings or {}))
    return found


def draw_pair(weights: Mapping[tuple[str, str], float], chance: random.Random) -> tuple[str, str]:
    """Two agents, as side a and side b; who is which is drawn too."""
    pairs = list(weights)
    one, other = chance.choices(pairs, [weights[pair] for pair in pairs])[0]
    return (one, other) if chance.random() < 0.5 else (other, one)


def _overlap(one: str, other: str, ratings: Mapping[str, tuple[float, float]]) -> float:
    """Which share of the shorter interval lies in the other one; 1 where nothing is known."""
    if one not in ratings or other not in ratings:
        return 1.0
    (low, high), (other_low, other_high) = ratings[one], ratings[other]
    shorter = min(high - low, other_high - other_low)
    shared = min(high, other_high) - max(low, other_low)
    return 1.0 if shorter <= 0 <= shared else max(0.0, shared / shorter) if shorter > 0 else 0.0
