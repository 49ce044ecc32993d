"""Shares of votes with intervals that respect clusters: Wilson's, with the effective number of independent votes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import score_bounds, two_sided_z
from fairground.stats.votes.rank_resampling import oriented
from fairground.stats.votes.vote_clusters import Clusters, Codes
from fairground.stats.votes.votes import PairCounts, Votes

Floats = NDArray[np.float64]
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Share:
    """A share of values.

    Attributes:
        interval: Their mean, with Wilson's interval.
        number: Number of values.
        worth: Effective number of independent values.
    """

    interval: Interval
    number: int
    worth: float


def clustered_shares(
    values: ArrayLike, groups: Sequence[Key], clusters: Clusters, level: float = 0.95
) -> dict[Key, Share]:
    """Return for each group the mean of its values, which are between 0 and 1 (such as votes with ties as half).

    The effective number of values in a group is the number of independent values with the variance that their clusters
    show. (For both tasks and voters see `Clusters.variance`; few clusters widen it by Student's t.) It is at most the
    number of values, and at least the number of clusters of equal size. If all values agree, the data do not show how
    similar values of a cluster are, so each cluster counts once.

    Args:
        values: At least one value.
        groups: The group of each value.
        clusters: Clusters of these values.
        level: Confidence level.
    """
    value = np.asarray(values, dtype=np.float64)
    place: dict[Key, int] = {}
    group = np.array([place.setdefault(name, len(place)) for name in groups], dtype=np.int64)
    codes = list(clusters.codes.values())
    rate, worth = _rates(value, np.ones(len(value)), group, len(place), codes, level)
    spans = _intervals(rate, worth, bool(codes), level)
    numbers = np.bincount(group, minlength=len(place))
    return {name: Share(spans[at], int(numbers[at]), float(worth[at])) for name, at in place.items()}


def clustered_share(values: ArrayLike, clusters: Clusters, level: float = 0.95) -> Share:
    """Return the mean of values between 0 and 1, like `clustered_shares` for a single group."""
    value = np.asarray(values, dtype=np.float64)
    return clustered_shares(value, [""] * len(value), clusters, level)[""]


def agent_rates(votes: Votes, clusters: Clusters, level: float = 0.95) -> list[Interval]:
    """Return for each agent the share of its votes that it won, with ties as half; see `clustered_shares`."""
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    rates = _rates(
        np.concatenate([votes.score, 1 - votes.score]),
        np.tile(weight, 2),
        np.concatenate([votes.left, votes.right]).astype(np.int64),
        len(votes.agents),
        [np.tile(codes, 2) for codes in clusters.codes.values()],
        level,
    )
    return _intervals(*rates, bool(clusters.codes), level)


def pair_rates(votes: Votes, found: PairCounts, clusters: Clusters, level: float = 0.95) -> list[Interval]:
    """Return for each pair that met the share of its votes for its first agent; see `clustered_shares`."""
    pair, score = oriented(votes, found)
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    rates = _rates(score, weight, pair, len(found.first), list(clusters.codes.values()), level)
    return _intervals(*rates, bool(clusters.codes), level)


def pair_errors(votes: Votes, found: PairCounts, clusters: Clusters, predicted: Floats) -> tuple[Floats, Floats]:
    """Return for each pair that met the standard error of its share around a prediction, and degrees of freedom.

    The errors respect the clusters.
    """
    pair, score = oriented(votes, found)
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    rest = weight * (score - predicted[pair])
    variance, effective = _variance(pair, list(clusters.codes.values()), rest, weight, found.total)
    return np.sqrt(variance), np.clip(effective - 1, 1, len(votes))


def _rates(
    value: Floats, weight: Floats, group: Codes, groups: int, clusters: Sequence[Codes], level: float
) -> tuple[Floats, Floats]:
    """Return for each group of values their mean, and their effective number."""
    z = two_sided_z(check_level(level))
    total = np.bincount(group, weight, groups)
    held = _or_one(total)
    rate = np.clip(np.bincount(group, weight * value, groups) / held, 0, 1)
    number = total**2 / _or_one(np.bincount(group, weight**2, groups))
    if not clusters:
        return rate, number
    variance, effective = _variance(group, clusters, weight * (value - rate[group]), weight, held)
    least, spread = np.minimum(effective, number), rate * (1 - rate)
    few = z / stdtrit(np.clip(effective - 1, 1, len(value)), (1 + level) / 2)
    shown = np.where(variance > 1e-15, spread * few**2 / np.where(variance > 1e-15, variance, 1), number)
    return rate, np.where(spread > 1e-12, np.clip(shown, least, number), least)


def _intervals(rate: Floats, worth: Floats, clustered: bool, level: float) -> list[Interval]:
    name = "clustered wilson" if clustered else "wilson"
    return [
        Interval(mean, *score_bounds(mean, number, level), level, name)
        if number > 0
        else Interval(mean, 0.0, 1.0, level, "no data")
        for mean, number in zip(rate.tolist(), worth.tolist(), strict=True)
    ]


def _variance(
    group: Codes, clusters: Sequence[Codes], rest: Floats, weight: Floats, held: Floats
) -> tuple[Floats, Floats]:
    """Return for each group the variance of its mean by clusters, and their smaller effective number.

    There may be one or two kinds of clusters.
    """
    by_kind = [_clustered(group, codes, rest, weight, held) for codes in clusters]
    variance = np.max([of_kind for of_kind, _ in by_kind], axis=0)
    if len(by_kind) == 2:
        first, second = clusters
        cells = np.unique(first * (second.max() + 1) + second, return_inverse=True)[1].astype(np.int64)
        within, _ = _clustered(group, cells, rest, weight, held)
        variance = np.maximum(variance, by_kind[0][0] + by_kind[1][0] - within)
    return variance, np.min([effective for _, effective in by_kind], axis=0)


def _clustered(group: Codes, codes: Codes, rest: Floats, weight: Floats, held: Floats) -> tuple[Floats, Floats]:
    """Return for each group the variance of its mean by clusters, and their effective number.

    In a single cluster the votes are treated as independent, because the mean is then that of this cluster.
    """
    groups, number = len(held), int(codes.max()) + 1
    cell, member = np.unique(group * number + codes, return_inverse=True)
    owner = cell // number
    squares = np.bincount(owner, np.bincount(member, rest) ** 2, groups)
    sizes = np.bincount(owner, np.bincount(member, weight) ** 2, groups)
    effective = held**2 / _or_one(sizes)
    several = effective > 1 + 1e-9
    variance = np.where(several, effective / np.where(several, effective - 1, 1) * squares / held**2, 0.0)
    return variance, np.where(several, effective, np.inf)


def _or_one(values: NDArray[Any]) -> Floats:
    positive: Floats = np.where(values > 0, values, 1.0)
    return positive
