"""Shares of votes with intervals that respect clusters: Wilson's, for as many independent votes as they are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import score_bounds, two_sided_z
from fairground.stats.votes.rank_resampling import oriented
from fairground.stats.votes.vote_clusters import Clusters, Codes
from fairground.stats.votes.votes import PairCounts, Votes

Floats = NDArray[np.float64]


def clustered_share(values: ArrayLike, clusters: Clusters, level: float = 0.95) -> Interval:
    """The mean of values between 0 and 1, such as votes with ties as half, with Wilson's interval.

    The values count as many as independent ones that would have the variance that their clusters show (for both tasks
    and voters see `Clusters.variance`; few clusters widen it by Student's t), but as no more than there are, and as no
    fewer than there are clusters of equal size. Where all values agree, nothing shows how alike those of a cluster
    are, so that each cluster counts once.

    Args:
        values: At least one.
        clusters: Of these values.
        level: How often the interval is to hold the truth.
    """
    value = np.asarray(values, dtype=np.float64)
    return _shares(value, None, np.zeros(len(value), dtype=np.int64), 1, list(clusters.codes.values()), level)[0]


def agent_rates(votes: Votes, clusters: Clusters, level: float = 0.95) -> list[Interval]:
    """For each agent the share of its votes that it won, ties as half; as `clustered_share`."""
    return _shares(
        np.concatenate([votes.score, 1 - votes.score]),
        None if votes.weight is None else np.tile(votes.weight, 2),
        np.concatenate([votes.left, votes.right]).astype(np.int64),
        len(votes.agents),
        [np.tile(codes, 2) for codes in clusters.codes.values()],
        level,
    )


def pair_rates(votes: Votes, found: PairCounts, clusters: Clusters, level: float = 0.95) -> list[Interval]:
    """For each pair that met the share of its votes that went to its first agent; as `clustered_share`."""
    pair, score = oriented(votes, found)
    return _shares(score, votes.weight, pair, len(found.first), list(clusters.codes.values()), level)


def pair_errors(votes: Votes, found: PairCounts, clusters: Clusters, predicted: Floats) -> tuple[Floats, Floats]:
    """For each pair that met the standard error of its share around a prediction, by clusters; degrees of freedom."""
    pair, score = oriented(votes, found)
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    rest = weight * (score - predicted[pair])
    variance, effective = _variance(pair, list(clusters.codes.values()), rest, weight, found.total)
    return np.sqrt(variance), np.clip(effective - 1, 1, len(votes))


def _shares(
    value: Floats, weight: Floats | None, group: Codes, groups: int, clusters: Sequence[Codes], level: float
) -> list[Interval]:
    """For each group of values their mean with its interval."""
    z = two_sided_z(check_level(level))
    weight = np.ones(len(value)) if weight is None else weight
    total = np.bincount(group, weight, groups)
    held = _or_one(total)
    rate = np.clip(np.bincount(group, weight * value, groups) / held, 0, 1)
    size = votes = total**2 / _or_one(np.bincount(group, weight**2, groups))
    if clusters:
        variance, effective = _variance(group, clusters, weight * (value - rate[group]), weight, held)
        least, spread = np.minimum(effective, votes), rate * (1 - rate)
        few = z / stdtrit(np.clip(effective - 1, 1, len(value)), (1 + level) / 2)
        shown = np.where(variance > 1e-15, spread * few**2 / np.where(variance > 1e-15, variance, 1), votes)
        size = np.where(spread > 1e-12, np.clip(shown, least, votes), least)
    name = "clustered wilson" if clusters else "wilson"
    return [
        Interval(mean, *score_bounds(mean, number, level), level, name)
        if number > 0
        else Interval(mean, 0.0, 1.0, level, "nothing is known")
        for mean, number in zip(rate.tolist(), size.tolist(), strict=True)
    ]


def _variance(
    group: Codes, clusters: Sequence[Codes], rest: Floats, weight: Floats, held: Floats
) -> tuple[Floats, Floats]:
    """For each group the variance of its mean by clusters, of one kind or two; and their smaller effective number."""
    found = [_clustered(group, codes, rest, weight, held) for codes in clusters]
    variance = np.max([one for one, _ in found], axis=0)
    if len(found) == 2:
        first, second = clusters
        cells = np.unique(first * (second.max() + 1) + second, return_inverse=True)[1].astype(np.int64)
        within, _ = _clustered(group, cells, rest, weight, held)
        variance = np.maximum(variance, found[0][0] + found[1][0] - within)
    return variance, np.min([effective for _, effective in found], axis=0)


def _clustered(group: Codes, codes: Codes, rest: Floats, weight: Floats, held: Floats) -> tuple[Floats, Floats]:
    """For each group the variance of its mean by clusters, and their effective number.

    Of a single cluster the votes are taken as independent, because the mean is then that of this cluster alone.
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
