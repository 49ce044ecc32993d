"""Pairwise win rates: observed in votes, predicted by ratings, and where the two disagree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, stdtr

from fairground.core import InvalidInput
from fairground.stats.interval import Interval
from fairground.stats.paired_tests import holm
from fairground.stats.votes.bradley_terry import BradleyTerry
from fairground.stats.votes.ranking import Ranking
from fairground.stats.votes.vote_clusters import clusters_of
from fairground.stats.votes.vote_rates import pair_errors, pair_rates
from fairground.stats.votes.votes import Votes, counts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WinRates:
    """A matrix of win rates.

    Attributes:
        agents: The agents of rows and columns.
        rates: Win rate of each row's agent against each column's, with ties as half. None if the two never met, and on
            the diagonal.
        votes: Number of votes behind each rate; empty for predicted rates.
        intervals: Intervals of the rates; empty for predicted rates.
    """

    agents: tuple[str, ...]
    rates: tuple[tuple[float | None, ...], ...]
    votes: tuple[tuple[int, ...], ...] = ()
    intervals: tuple[tuple[Interval | None, ...], ...] = ()


@dataclass(frozen=True)
class Disagreement:
    """A pair whose votes differ from the prediction of its ratings.

    Attributes:
        first: An agent.
        second: The other agent.
        votes: Number of votes between them.
        observed: The first agent's win rate in these.
        predicted: The win rate predicted by the ratings.
        z: Difference in standard errors. The ratings are treated as known. These votes contributed to them, so z is a
            little too small.
        p_value: Two-sided p-value.
        p_holm: The same with Holm's correction over all pairs that met.
    """

    first: str
    second: str
    votes: int
    observed: float
    predicted: float
    z: float
    p_value: float
    p_holm: float


def observed_win_rates(votes: Votes, *, cluster: str = "auto", level: float = 0.95) -> WinRates:
    """Return the observed win rate of each pair, weighted if votes have weights.

    Args:
        votes: The votes.
        cluster: Which votes depend on each other; as for `rank`.
        level: Confidence level.
    """
    pair_counts, plain = counts(votes), counts(votes, weighted=False)
    size = len(votes.agents)
    spans: list[list[Interval | None]] = [[None] * size for _ in range(size)]
    numbers = np.zeros((size, size), dtype=np.int64)
    numbers[plain.first, plain.second] = numbers[plain.second, plain.first] = plain.total.astype(np.int64)
    shares = pair_rates(votes, pair_counts, clusters_of(votes, cluster), level)
    for first, second, share in zip(pair_counts.first.tolist(), pair_counts.second.tolist(), shares, strict=True):
        spans[first][second] = share
        spans[second][first] = Interval(1 - share.estimate, 1 - share.high, 1 - share.low, level, share.method)
    rates = tuple(tuple(None if span is None else span.estimate for span in row) for row in spans)
    return WinRates(votes.agents, rates, tuple(map(tuple, numbers.tolist())), tuple(map(tuple, spans)))


def predicted_win_rates(ranking: Ranking | BradleyTerry) -> WinRates:
    """Return the win rate of each pair predicted by the ratings, whether they met or not."""
    agents = ranking.names if isinstance(ranking, Ranking) else ranking.agents
    strengths = np.asarray(ranking.strengths)
    chance = expit(strengths[:, None] - strengths[None, :]).tolist()
    rates = tuple(
        tuple(None if row == column else value for column, value in enumerate(values))
        for row, values in enumerate(chance)
    )
    return WinRates(agents, rates)


def disagreements(votes: Votes, ranking: Ranking) -> tuple[Disagreement, ...]:
    """Return every pair that met, the worst fit first.

    One strength per agent cannot represent that A beats B, B beats C and C beats A. Pairs with a small `p_holm` show
    where that happens. Votes are clustered as for the ranking.
    """
    if votes.agents != ranking.names:
        raise InvalidInput("the votes and the ranking have different agents", fix="use the ranking of the same votes")
    pair_counts = counts(votes)
    number = counts(votes, weighted=False)
    counted = np.isin(
        number.first * len(votes.agents) + number.second, pair_counts.first * len(votes.agents) + pair_counts.second
    )
    votes_of = number.total[counted].astype(int)
    observed = (pair_counts.wins + pair_counts.ties / 2) / pair_counts.total
    predicted = expit(ranking.strengths[pair_counts.first] - ranking.strengths[pair_counts.second])
    # The variance of a vote with values 1, 0 or (with the share of ties) 0.5 and this mean. The number of ties is at
    # most twice the smaller side.
    ties = np.minimum(pair_counts.ties / pair_counts.total, 2 * np.minimum(predicted, 1 - predicted))
    variance = predicted * (1 - predicted) - ties / 4
    variance = np.where(variance > 1e-12, variance, predicted * (1 - predicted))
    # Weighted votes count as many equal votes with the same variance.
    worth = votes_of if votes.weight is None else _worth(votes, pair_counts.first, pair_counts.second)
    clusters = clusters_of(votes, ranking.cluster)
    if clusters.codes:
        error, freedom = pair_errors(votes, pair_counts, clusters, predicted)
        z = (observed - predicted) / np.maximum(error, np.sqrt(variance / worth))
        p = 2 * stdtr(freedom, -np.abs(z))
    else:
        z = (observed - predicted) / np.sqrt(variance / worth)
        p = 2 * ndtr(-np.abs(z))
    adjusted = np.asarray(holm(p))
    rows = [
        Disagreement(
            first=votes.agents[pair_counts.first[at]],
            second=votes.agents[pair_counts.second[at]],
            votes=int(votes_of[at]),
            observed=float(observed[at]),
            predicted=float(predicted[at]),
            z=float(z[at]),
            p_value=float(p[at]),
            p_holm=float(adjusted[at]),
        )
        for at in range(len(z))
    ]
    return tuple(sorted(rows, key=lambda row: (-abs(row.z), row.first, row.second)))


def _worth(votes: Votes, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    """Return Kish's effective number of votes of each pair: squared sum of weights over sum of squared weights."""
    assert votes.weight is not None
    size = len(votes.agents)
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    known = first * size + second
    key = low.astype(np.int64) * size + high
    place = np.minimum(np.searchsorted(known, key), len(known) - 1)
    weight = np.where(known[place] == key, votes.weight, 0.0)
    worth: Floats = np.bincount(place, weight, len(known)) ** 2 / np.bincount(place, weight**2, len(known))
    return worth
