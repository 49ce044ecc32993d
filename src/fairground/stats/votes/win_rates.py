"""How often each agent beats each other: as the votes say, as the ratings say, and where the two disagree."""

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
        rates: Of each row's agent against each column's, ties as half; None where the two never met, and on the
            diagonal.
        votes: How many votes each rate rests on; empty for rates that ratings predict.
        intervals: Of the rates; empty for rates that ratings predict.
    """

    agents: tuple[str, ...]
    rates: tuple[tuple[float | None, ...], ...]
    votes: tuple[tuple[int, ...], ...] = ()
    intervals: tuple[tuple[Interval | None, ...], ...] = ()


@dataclass(frozen=True)
class Disagreement:
    """A pair whose votes are not what its ratings predict.

    Attributes:
        first: An agent.
        second: The other.
        votes: How many votes they had.
        observed: The first agent's win rate in them.
        predicted: The same by the ratings.
        z: How many standard errors lie between the two. The ratings are taken as known; as these votes took part in
            making them, z is a little too small.
        p_value: Two-sided.
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
    """What the votes say of each pair; weighted where votes have weights.

    Args:
        votes: The votes.
        cluster: Which votes depend on each other; as for `rank`.
        level: Of the intervals.
    """
    found, plain = counts(votes), counts(votes, weighted=False)
    size = len(votes.agents)
    spans: list[list[Interval | None]] = [[None] * size for _ in range(size)]
    numbers = np.zeros((size, size), dtype=np.int64)
    numbers[plain.first, plain.second] = numbers[plain.second, plain.first] = plain.total.astype(np.int64)
    shares = pair_rates(votes, found, clusters_of(votes, cluster), level)
    for first, second, share in zip(found.first.tolist(), found.second.tolist(), shares, strict=True):
        spans[first][second] = share
        spans[second][first] = Interval(1 - share.estimate, 1 - share.high, 1 - share.low, level, share.method)
    rates = tuple(tuple(None if span is None else span.estimate for span in row) for row in spans)
    return WinRates(votes.agents, rates, tuple(map(tuple, numbers.tolist())), tuple(map(tuple, spans)))


def predicted_win_rates(ranking: Ranking | BradleyTerry) -> WinRates:
    """What the ratings say of each pair, whether they met or not."""
    agents = ranking.names if isinstance(ranking, Ranking) else ranking.agents
    strengths = np.asarray(ranking.strengths)
    chance = expit(strengths[:, None] - strengths[None, :]).tolist()
    rates = tuple(
        tuple(None if row == column else value for column, value in enumerate(values))
        for row, values in enumerate(chance)
    )
    return WinRates(agents, rates)


def disagreements(votes: Votes, ranking: Ranking) -> tuple[Disagreement, ...]:
    """Every pair that met, the one that fits its ratings worst first.

    One strength per agent cannot say that A beats B, B beats C and C beats A. Pairs with a small `p_holm` show where
    that happens. Votes are clustered as for the ranking.
    """
    if votes.agents != ranking.names:
        raise InvalidInput("the votes and the ranking have different agents", fix="rank these very votes")
    found = counts(votes)
    number = counts(votes, weighted=False)
    kept = np.isin(number.first * len(votes.agents) + number.second, found.first * len(votes.agents) + found.second)
    votes_of = number.total[kept].astype(int)
    observed = (found.wins + found.ties / 2) / found.total
    predicted = expit(ranking.strengths[found.first] - ranking.strengths[found.second])
    # A vote that is 1, 0 or (with the share of ties) a half, and has this mean, has this variance. There cannot be
    # more ties than twice the smaller side has room for.
    ties = np.minimum(found.ties / found.total, 2 * np.minimum(predicted, 1 - predicted))
    variance = predicted * (1 - predicted) - ties / 4
    variance = np.where(variance > 1e-12, variance, predicted * (1 - predicted))
    # Weighted votes are worth as many equal ones as would have the same variance.
    worth = votes_of if votes.weight is None else _worth(votes, found.first, found.second)
    clusters = clusters_of(votes, ranking.cluster)
    if clusters.codes:
        error, freedom = pair_errors(votes, found, clusters, predicted)
        z = (observed - predicted) / np.maximum(error, np.sqrt(variance / worth))
        p = 2 * stdtr(freedom, -np.abs(z))
    else:
        z = (observed - predicted) / np.sqrt(variance / worth)
        p = 2 * ndtr(-np.abs(z))
    adjusted = np.asarray(holm(p))
    rows = [
        Disagreement(
            first=votes.agents[found.first[at]],
            second=votes.agents[found.second[at]],
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
    """Kish's effective number of votes of each pair: the squared sum of the weights over the sum of their squares."""
    assert votes.weight is not None
    size = len(votes.agents)
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    known = first * size + second
    key = low.astype(np.int64) * size + high
    place = np.minimum(np.searchsorted(known, key), len(known) - 1)
    weight = np.where(known[place] == key, votes.weight, 0.0)
    worth: Floats = np.bincount(place, weight, len(known)) ** 2 / np.bincount(place, weight**2, len(known))
    return worth
