"""Drawing of pairs: agents with few votes and pairs with an uncertain order are preferred. Also the retirement rule."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairground.core import InvalidInput

FEW_VOTES = 30
"""Agents with fewer votes are drawn more often."""


@dataclass(frozen=True)
class Retirement:
    """Retirement rule: fewer than `least` correct over an agent's last `window` judgements."""

    least: float = 0.10
    window: int = 100

    def due(self, correct: Sequence[bool]) -> bool:
        """Whether the rule applies to an agent with these judgements, newest last."""
        last = correct[-self.window :]
        return len(last) >= self.window and sum(last) < self.least * len(last)


def pair_weights(
    agents: Sequence[str],
    met: Mapping[frozenset[str], int],
    ratings: Mapping[str, tuple[float, float]] | None = None,
) -> dict[tuple[str, str], float]:
    """Return the unnormalised probability of each pair.

    A pair is more likely if one of its agents has few votes, if the two have rarely met, and if their rating intervals
    overlap, so that a vote can decide which one is better.

    Args:
        agents: Agents that are not retired.
        met: Number of votes between two agents.
        ratings: Rating interval of each agent. Agents without one have maximum uncertainty.
    """
    if len(agents) < 2:
        raise InvalidInput(
            f"a battle needs at least two agents; there are {len(agents)}", fix="add agents to the arena"
        )
    votes: Counter[str] = Counter()
    for pair, count in met.items():
        for name in pair:
            votes[name] += count
    weights = {}
    for first, second in itertools.combinations(sorted(agents), 2):
        fewest = min(votes[first], votes[second])
        new = 1.0 + 3.0 * max(0.0, 1.0 - fewest / FEW_VOTES)
        seldom = 1.0 / math.sqrt(1.0 + met.get(frozenset((first, second)), 0))
        weights[first, second] = new * seldom * (0.25 + _overlap(first, second, ratings or {}))
    return weights


def draw_pair(weights: Mapping[tuple[str, str], float], chance: random.Random) -> tuple[str, str]:
    """Draw two agents for side a and side b. The sides are random too."""
    pairs = list(weights)
    first, second = chance.choices(pairs, [weights[pair] for pair in pairs])[0]
    return (first, second) if chance.random() < 0.5 else (second, first)


def _overlap(one: str, other: str, ratings: Mapping[str, tuple[float, float]]) -> float:
    """Return the share of the shorter interval that lies in the other one; 1 if an interval is unknown."""
    if one not in ratings or other not in ratings:
        return 1.0
    (low, high), (other_low, other_high) = ratings[one], ratings[other]
    shorter = min(high - low, other_high - other_low)
    shared = min(high, other_high) - max(low, other_low)
    return 1.0 if shorter <= 0 <= shared else max(0.0, shared / shorter) if shorter > 0 else 0.0
