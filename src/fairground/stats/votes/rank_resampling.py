"""Variation of ratings: resampling of votes (or whole tasks or voters), and their influence on the strengths.

Bradley-Terry uses only how many votes of each kind a pair had. So a resample of a million votes is one multinomial draw
over some hundred kinds, exact in distribution, and all resamples are solved together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.special import expit, ndtr, ndtri, stdtrit

from fairground.stats.votes.bradley_terry import LIGHT_PRIOR, Pairs, information, solvable, solve, with_prior
from fairground.stats.votes.vote_clusters import Clusters, Codes, effective_number
from fairground.stats.votes.votes import PairCounts, Votes, counts

_CELLS = 1 << 22  # numbers in one batch
_EQUAL = 1e-9  # closer strengths count as equal: the convergence tolerance is 1e-10
_TAIL = 0.975  # where the tails of few clusters are matched to Student's t

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Units:
    """What is resampled: single votes, or all votes of a task or voter together.

    Attributes:
        pairs: The pairs of agents that met.
        number: Number of units of each kind. Equal votes are one kind; a cluster is its own kind.
        score: (kinds, pairs): what one unit gave the first agent of each pair.
        total: (kinds, pairs): number (or weight) of votes that one unit gave each pair.
        effective: Number of units; for clusters, the effective number of equal size.
    """

    pairs: Pairs
    number: NDArray[np.int64]
    score: csr_array
    total: csr_array
    effective: float


def units_of(votes: Votes, clusters: Codes | None = None) -> Units:
    """Return the units of some votes: single votes, or with `clusters` all votes of a cluster together."""
    pair_counts = counts(votes)
    pairs = Pairs(len(votes.agents), pair_counts.first, pair_counts.second)
    if clusters is None and votes.weight is None:
        kinds = np.concatenate([pair_counts.wins, pair_counts.losses, pair_counts.ties])
        pair = np.tile(np.arange(len(pair_counts.first)), 3)
        score = np.repeat([1.0, 0.0, 0.5], len(pair_counts.first))
        there = kinds > 0
        number = kinds[there].astype(np.int64)
        unit = np.arange(len(number))
        return _units(pairs, number, unit, pair[there], score[there], np.ones(len(number)), len(votes))
    pair, score = oriented(votes, pair_counts)
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    if clusters is None:
        kind_of_vote = np.rint(2 * score).astype(np.int64) + 3 * pair
        _, same = np.unique(weight, return_inverse=True)
        _, row, number = np.unique(kind_of_vote * (same.max() + 1) + same, return_index=True, return_counts=True)
        unit = np.arange(len(row))
        return _units(pairs, number, unit, pair[row], score[row] * weight[row], weight[row], len(votes))
    number, effective = np.ones(clusters.max() + 1, dtype=np.int64), effective_number(clusters, weight)
    return _units(pairs, number, clusters, pair, score * weight, weight, effective)


@dataclass(frozen=True, eq=False)
class Variation:
    """How strengths vary.

    Attributes:
        drawn: Strengths of resamples, (agents, resamples).
        covariance: Covariance of the strengths.
        helped: Number of resamples that needed the light prior.
    """

    drawn: Floats
    covariance: Floats
    helped: int = 0


def vary(
    votes: Votes,
    clusters: Clusters,
    strengths: Floats,
    prior: float,
    *,
    resamples: int,
    rng: np.random.Generator,
    sandwich: bool,
) -> Variation:
    """Return the variation of strengths over other votes like these.

    Args:
        votes: The votes.
        clusters: Which votes depend on each other; not both tasks and voters, unless `sandwich`.
        strengths: The strengths from the votes.
        prior: Virtual tied votes per agent.
        resamples: Number of resamples.
        rng: Random generator.
        sandwich: Use the sandwich covariance, and draw from the corresponding distribution. Otherwise draw votes, or
            whole clusters of them, with replacement.
    """
    if sandwich:
        covariance = clusters.variance(lambda codes: influence(units_of(votes, codes), strengths, prior).covariance)
        return Variation(draw_normal(strengths, covariance, clusters.freedom, resamples, rng), covariance)
    codes = next(iter(clusters.codes.values()), None)
    units = units_of(votes, codes)
    drawn, helped = draw_strengths(units, strengths, prior, resamples, rng)
    covariance = np.atleast_2d(np.cov(drawn))
    if clusters.freedom is None:
        return Variation(drawn, covariance, helped)
    # Resamples of few clusters vary too little, and have normal tails instead of Student's t.
    lost = units.effective / (units.effective - 1)
    wider = np.sqrt(lost) * float(stdtrit(clusters.freedom, _TAIL) / ndtri(_TAIL))
    return Variation(strengths[:, None] + wider * (drawn - strengths[:, None]), covariance * lost, helped)


def draw_normal(
    strengths: Floats, covariance: Floats, freedom: float | None, resamples: int, rng: np.random.Generator
) -> Floats:
    """Draw from a normal distribution, or with degrees of freedom from Student's t: (agents, resamples)."""
    drawn = rng.multivariate_normal(strengths, covariance, size=resamples, method="eigh", check_valid="ignore").T
    if freedom is None:
        return drawn
    scale = np.sqrt(freedom / rng.chisquare(freedom, resamples))
    wider: Floats = strengths[:, None] + scale * (drawn - strengths[:, None])
    return wider


def draw_strengths(
    units: Units, strengths: Floats, prior: float, resamples: int, rng: np.random.Generator
) -> tuple[Floats, int]:
    """Return strengths of resampled votes, (agents, resamples), and how many resamples needed the light prior."""
    parts, helped = [], 0
    for score, total in _resamples(units, resamples, rng):
        part, needed = solve_sets(units.pairs, score, total, prior, start=strengths)
        parts.append(part)
        helped += needed
    return np.concatenate(parts, axis=1), helped


def solve_sets(
    pairs: Pairs, score: Floats, total: Floats, prior: float, start: Floats | None = None
) -> tuple[Floats, int]:
    """Return strengths of many sets of votes. Sets without finite strengths get the light prior, and are counted."""
    if prior:
        return solve(*with_prior(pairs, score, total, prior), start=start), 0
    fine = _finite(pairs, score, total)
    if fine.all():
        return solve(pairs, score, total, start=start), 0
    strengths, lost = np.empty((pairs.agents, score.shape[1])), ~fine
    strengths[:, fine] = solve(pairs, score[:, fine], total[:, fine], start=start)
    strengths[:, lost] = solve(*with_prior(pairs, score[:, lost], total[:, lost], LIGHT_PRIOR), start=start)
    return strengths, int(lost.sum())


@dataclass(frozen=True, eq=False)
class Influence:
    """First-order influence of single units on the strengths.

    Attributes:
        covariance: Sandwich covariance of the strengths, clustered if units are clusters.
        acceleration: Acceleration of each agent, for BCa.
    """

    covariance: Floats
    acceleration: Floats


def influence(units: Units, strengths: Floats, prior: float, anchor: int | None = None) -> Influence:
    """Return the sandwich covariance and the accelerations of strengths that sum to 0, or relative to an anchor's."""
    agents = units.pairs.agents
    total = np.asarray(units.total.T @ units.number.astype(np.float64))
    pairs = units.pairs
    if prior:
        pairs, _, wide = with_prior(pairs, np.zeros((len(total), 1)), total[:, None], prior)
        total = wide[:, 0]
    curvature = information(pairs, total, strengths)
    # A shift of all strengths is free. The added constant removes it, without affecting scores, which sum to 0.
    inverse = np.linalg.inv(curvature + np.trace(curvature) / agents**2)
    if anchor is not None:
        inverse = inverse - inverse[anchor]
    chance = expit(strengths[units.pairs.first] - strengths[units.pairs.second])
    incidence = units.pairs.incidence()
    covariance = np.zeros((agents, agents))
    cubes, squares = np.zeros(agents), np.zeros(agents)
    block = max(1, _CELLS // agents)
    for at in range(0, len(units.number), block):
        rows = slice(at, at + block)
        score = units.score[rows] - units.total[rows] * chance
        moves = (score @ incidence) @ inverse.T
        weighted = moves * units.number[rows, None]
        covariance += weighted.T @ moves
        squares += (weighted * moves).sum(axis=0)
        cubes += (weighted * moves**2).sum(axis=0)
    if units.effective > 1:
        covariance *= units.effective / (units.effective - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        acceleration = np.where(squares > 1e-30, cubes / (6 * squares**1.5), 0.0)
    return Influence(covariance, acceleration)


def percentile_bounds(drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the middle `level` of each agent's resamples."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=1)
    return low, high


def bca_bounds(drawn: Floats, estimate: Floats, acceleration: Floats, level: float) -> tuple[Floats, Floats]:
    """Return percentiles corrected for bias and acceleration (Efron's BCa)."""
    resamples = drawn.shape[1]
    distance = drawn - estimate[:, None]
    below = ((distance < -_EQUAL).sum(axis=1) + 0.5 * (np.abs(distance) <= _EQUAL).sum(axis=1)) / resamples
    bias = ndtri(np.clip(below, 0.5 / resamples, 1 - 0.5 / resamples))
    ends = []
    ordered = np.sort(drawn, axis=1)
    for share in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + ndtri(share)
        place = ndtr(bias + shifted / np.maximum(1 - acceleration * shifted, 1e-6)) * (resamples - 1)
        floor = np.clip(place.astype(np.int64), 0, resamples - 2)
        rows = np.arange(len(drawn))
        low, high = ordered[rows, floor], ordered[rows, floor + 1]
        ends.append(low + (high - low) * (place - floor))
    return ends[0], ends[1]


def _units(
    pairs: Pairs,
    number: NDArray[np.int64],
    unit: NDArray[np.integer[Any]],
    pair: NDArray[np.int64],
    score: Floats,
    total: Floats,
    effective: float,
) -> Units:
    shape = (len(number), len(pairs.first))
    return Units(
        pairs,
        number,
        csr_array(coo_array((score, (unit, pair)), shape)),
        csr_array(coo_array((total, (unit, pair)), shape)),
        float(effective),
    )


def oriented(votes: Votes, found: PairCounts) -> tuple[NDArray[np.int64], Floats]:
    """Return each vote's pair, and what it gave the first agent of that pair."""
    agents = len(votes.agents)
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    known = found.first * agents + found.second
    # A pair whose votes all have weight 0 is not among the known ones; its votes add nothing anywhere.
    pair = np.minimum(np.searchsorted(known, low.astype(np.int64) * agents + high), len(known) - 1)
    score = votes.score
    return pair, np.where(votes.left < votes.right, score, 1 - score)


def _resamples(units: Units, resamples: int, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
    """Yield scores and totals of resampled votes, (pairs, sets), in batches of sets."""
    kinds, number = len(units.number), int(units.number.sum())
    # By columns: each unit's draws are read once, in order, and added to a table that fits into a cache.
    score, total = units.score.T.tocsc(), units.total.T.tocsc()
    single = number < 4 * kinds  # then drawing units one by one is cheaper than a binomial per kind
    kind = np.repeat(np.arange(kinds), units.number) if number > kinds else None
    block = max(1, _CELLS // max(kinds, len(units.pairs.first), number if single else 0))
    for at in range(0, resamples, block):
        sets = min(block, resamples - at)
        if single:
            picked = rng.integers(0, number, (sets, number))
            picked = picked if kind is None else kind[picked]
            picked += kinds * np.arange(sets)[:, None]
            drawn = np.bincount(picked.ravel(), minlength=sets * kinds).reshape(sets, kinds)
        else:
            drawn = rng.multinomial(number, units.number / number, size=sets)
        times = np.ascontiguousarray(drawn.T, dtype=np.float64)
        yield score @ times, total @ times


def _finite(pairs: Pairs, score: Floats, total: Floats) -> NDArray[np.bool_]:
    """Return which sets have finite strengths. All pairs together must connect the agents."""
    # A set in which every pair has votes both ways needs no closer look, and most sets are like that.
    fine = np.asarray(((score > 0) & (total - score > 1e-12 * total)).all(axis=0))
    rest = np.flatnonzero(~fine)
    block = max(1, _CELLS // len(pairs.first))
    for chunk in (rest[at : at + block] for at in range(0, len(rest), block)):
        fine[chunk] = solvable(pairs, score[:, chunk], total[:, chunk])
    return fine
