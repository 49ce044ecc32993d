"""How similar two scenarios are, on a scale from 1 (unrelated) to 8 (the same task)."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fairground.core import InvalidInput
from fairground.study.traits import Traits

LOWEST, HIGHEST = 1.0, 8.0
EDGE = 4.0
"""Scenarios with this score or more are similar: they belong to the same side of a split."""

Similarity: TypeAlias = Callable[[Traits, Traits], float]
"""A similarity of your own: returns a score from 1 to 8. It is asked about every pair of scenarios of an app."""

PARTS = {"text": 0.40, "checks": 0.25, "moves": 0.35}
"""What is compared, and its weight."""

_FLOOR = 0.15  # weight of a token that all scenarios have
_HALF = 2.0  # information at which a part counts half
_ORDERED = 0.25  # agreement of moves above which their order is compared
_OTHER_KIND = 0.75  # a question and an action are less alike than their words
_KNEES = ((0.0, 1.0), (0.22, 2.5), (0.41, 4.0), (0.65, 6.0), (1.0, 8.0))  # agreement -> score; see docs/splits.md


@dataclass(frozen=True)
class Pair:
    """The similarity of two scenarios.

    Attributes:
        first: Name of a scenario; the names are in alphabetical order.
        second: Name of another.
        score: From 1 to 8.
        parts: Agreement of each part, from 0 to 1; empty for a score by a function of the user.
    """

    first: str
    second: str
    score: float
    parts: dict[str, float]


def similar_pairs(traits: Sequence[Traits], least: float = EDGE, own: Similarity | None = None) -> list[Pair]:
    """Return the pairs of scenarios with at least this score, highest first.

    Pairs within an app are compared with the words of that app, so that what all its scenarios share counts little.
    Pairs across apps are compared with the words of all scenarios given.

    Args:
        traits: Scenarios of one suite.
        least: Lowest score to return.
        own: A similarity to use within apps instead of the built-in one.
    """
    apps: dict[str, list[Traits]] = defaultdict(list)
    for each in traits:
        apps[each.app].append(each)
    pairs: list[Pair] = []
    for members in apps.values():
        score = _Scorer(members).pair if own is None else _checked(own)
        pairs += (score(first, second) for first, second in itertools.combinations(members, 2))
    if len(apps) > 1:
        scorer = _Scorer(traits)
        pairs += (
            scorer.pair(first, second)
            for members, foreign in itertools.combinations(apps.values(), 2)
            for first in members
            for second in foreign
        )
    kept = [pair for pair in pairs if pair.score >= least]
    return sorted(kept, key=lambda pair: (-pair.score, pair.first, pair.second))


def pair_count(traits: Sequence[Traits]) -> tuple[int, int]:
    """Return the number of pairs within apps, and across apps."""
    sizes = Counter(each.app for each in traits).values()
    within = sum(math.comb(size, 2) for size in sizes)
    return within, math.comb(len(traits), 2) - within


def _checked(own: Similarity) -> Callable[[Traits, Traits], Pair]:
    def pair(first: Traits, second: Traits) -> Pair:
        first, second = sorted((first, second), key=lambda each: each.name)
        score = own(first, second)
        if isinstance(score, bool) or not isinstance(score, int | float) or not LOWEST <= score <= HIGHEST:
            raise InvalidInput(
                f"the similarity of {first.name} and {second.name} is {score!r}",
                fix="return a number from 1 (unrelated) to 8 (the same task)",
            )
        return Pair(first.name, second.name, float(score), {})

    return pair


class _Scorer:
    """Scores pairs with the frequencies of a group of scenarios: what many of them share counts little."""

    def __init__(self, group: Sequence[Traits]) -> None:
        self._weights: dict[str, dict[str, float]] = {}
        self._bags: dict[str, dict[str, dict[str, float]]] = {}  # part -> scenario -> token -> weight
        self._masses: dict[str, dict[str, float]] = {}
        for part in PARTS:
            counts = {each.name: Counter(_tokens(each, part)) for each in group}
            frequency = Counter(token for bag in counts.values() for token in bag)
            weights = {
                token: (math.log((1 + len(group)) / (1 + number)) + _FLOOR) ** 2 for token, number in frequency.items()
            }
            bags = {
                name: {token: weights[token] * number for token, number in bag.items()} for name, bag in counts.items()
            }
            self._weights[part], self._bags[part] = weights, bags
            self._masses[part] = {name: math.fsum(bag.values()) for name, bag in bags.items()}

    def pair(self, first: Traits, second: Traits) -> Pair:
        first, second = sorted((first, second), key=lambda each: each.name)
        parts, total, weight = {}, 0.0, 0.0
        for part, share in PARTS.items():
            agreement, information = self._agreement(part, first, second)
            parts[part] = round(agreement, 3)
            trust = share * information / (information + _HALF)
            total += trust * agreement
            weight += trust
        agreement = total / weight if weight else 0.0
        if first.kind != second.kind:
            agreement *= _OTHER_KIND
        return Pair(first.name, second.name, _scale(agreement), parts)

    def _agreement(self, part: str, first: Traits, second: Traits) -> tuple[float, float]:
        """Return the agreement of a part from 0 to 1, and how much there is to compare."""
        masses = self._masses[part][first.name], self._masses[part][second.name]
        if not all(masses):
            return 0.0, 0.0
        small, large = sorted((self._bags[part][first.name], self._bags[part][second.name]), key=len)
        shared = math.fsum(min(mass, large[token]) for token, mass in small.items() if token in large)
        if part == "moves" and 2 * shared > _ORDERED * sum(masses):  # the order can only lower it
            shared = _common(_tokens(first, part), _tokens(second, part), self._weights[part])
        return 2 * shared / sum(masses), min(masses)


def _tokens(traits: Traits, part: str) -> tuple[str, ...]:
    if part == "text":
        return (*traits.text, *(f"{word} {following}" for word, following in itertools.pairwise(traits.text)))
    return traits.checks if part == "checks" else traits.moves


def _common(first: Sequence[str], second: Sequence[str], weights: dict[str, float]) -> float:
    """Return the weight of the heaviest common subsequence."""
    row = [0.0] * (len(second) + 1)
    for token in first:
        weight, diagonal = weights[token], 0.0
        for place, candidate in enumerate(second, 1):
            above = row[place]
            row[place] = diagonal + weight if token == candidate else max(above, row[place - 1])
            diagonal = above
    return row[-1]


def _scale(agreement: float) -> float:
    """Return the score for an agreement from 0 to 1."""
    for (low, under), (high, over) in itertools.pairwise(_KNEES):
        if agreement <= high:
            return round(under + (over - under) * (agreement - low) / (high - low), 2)
    return HIGHEST
