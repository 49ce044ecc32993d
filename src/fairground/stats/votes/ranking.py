"""A leaderboard from votes: ratings with intervals, and the ranks that they support."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.votes.bradley_terry import ELO, anchor_place, choose_prior, fit_counts, ratings_of
from fairground.stats.votes.rank_gaps import Gaps, gaps
from fairground.stats.votes.rank_resampling import (
    Variation,
    bca_bounds,
    draw_normal,
    influence,
    percentile_bounds,
    units_of,
    vary,
)
from fairground.stats.votes.vote_clusters import CLUSTER, Clusters, clusters_in_words, clusters_of
from fairground.stats.votes.vote_covariates import JointFit, fit_with_covariates
from fairground.stats.votes.vote_rates import agent_rates
from fairground.stats.votes.votes import BOTH_BAD, LEFT, RIGHT, TIE, Votes, counts

METHODS = ("percentile", "bca", "sandwich")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankedAgent:
    """One row of a leaderboard.

    Attributes:
        agent: Its name.
        rating: Rating on the Elo scale, with its interval.
        votes: Number of votes.
        wins: Number of votes for it.
        losses: Number of votes for the other agent.
        ties: Number of votes for neither, including `both_bad`.
        both_bad: Number of votes that found both bad.
        win_rate: Share of the (weighted) votes that it won, with ties as half, and its interval. Unlike a rating, it
            depends on the opponents.
        rank: 1 plus the number of agents whose rating has a higher lower bound. Agents may share a rank. An anchor has
            no uncertainty of its own, so lower bounds are compared with the mean of all agents held fixed.
        ranks: Best and worst rank by rating over the resamples, at the level. For each agent separately.
        sure_ranks: Best and worst rank that is compatible with the votes: 1 plus the number of significantly better
            agents, and so on, by tests of all pairs with Holm's correction. For all agents simultaneously.
        best: Share of the resamples in which it has the highest rating.
    """

    agent: str
    rating: Interval
    votes: int
    wins: int
    losses: int
    ties: int
    both_bad: int
    win_rate: Interval
    rank: int
    ranks: tuple[int, int]
    sure_ranks: tuple[int, int]
    best: float


@dataclass(frozen=True)
class Coefficient:
    """Effect of one unit of a covariate on the left agent's side.

    Attributes:
        name: The covariate.
        value: Effect on the logit scale.
        points: The same in rating points.
    """

    name: str
    value: Interval
    points: Interval


@dataclass(frozen=True)
class Ranking:
    """A leaderboard.

    Attributes:
        agents: Agents, best first, by rank and then by rating.
        votes: Number of votes.
        level: Confidence level of all intervals.
        method: How intervals were computed: "percentile", "bca" or "sandwich".
        cluster: Which votes were treated as dependent: those of a "task", of a "voter", of "both", or "none".
        clusters: Number of tasks, voters or both, if votes were clustered by them.
        design_effect: How many times more votes are needed than if all were independent; 1 without clusters.
        degrees_of_freedom: Degrees of freedom of Student's t in intervals and tests. None without clusters.
        resamples: Number of resamples.
        prior: Virtual tied votes per agent; 0 for none.
        coefficients: Coefficients of the covariates.
        notes: Caveats for the reader.
        names: The agents in the order of the arrays below, which are not included in plain data.
        strengths: Strengths of the agents. They sum to 0.
        covariance: Covariance of the strengths: over the resamples, or the sandwich.
        drawn: Strengths of each resample, (agents, resamples).
    """

    agents: tuple[RankedAgent, ...]
    votes: int
    level: float
    method: str
    cluster: str
    clusters: Mapping[str, int]
    design_effect: float
    degrees_of_freedom: float | None
    resamples: int
    prior: float
    coefficients: tuple[Coefficient, ...]
    notes: tuple[str, ...]
    names: tuple[str, ...] = field(repr=False)
    strengths: Floats = field(repr=False, compare=False)
    covariance: Floats = field(repr=False, compare=False)
    drawn: Floats = field(repr=False, compare=False)

    @property
    def clustered(self) -> str:
        """Description of which votes were treated as dependent."""
        return clusters_in_words(self.clusters)

    def __getitem__(self, agent: str) -> RankedAgent:
        for row in self.agents:
            if row.agent == agent:
                return row
        raise KeyError(agent)


def rank(
    votes: Votes,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
    method: str = "auto",
    cluster: str = "auto",
    anchor: tuple[str, float] | None = None,
    prior: float | None = None,
    covariates: Sequence[str] = (),
) -> Ranking:
    """Rank agents by votes with Bradley-Terry ratings.

    Args:
        votes: The votes.
        rng: Random generator.
        resamples: Number of resamples.
        level: Confidence level.
        method: "percentile" or "bca" bootstrap, or "sandwich": robust standard errors with Student's t, with resamples
            drawn from the corresponding distribution. "auto" is the sandwich for two kinds of clusters and for
            covariates, otherwise the percentile bootstrap, which draws whole clusters.
        cluster: Which votes depend on each other: those of a "task", of a "voter", of "both", or "none". "auto"
            clusters by each of the two that repeats; see `clusters_of`.
        anchor: An agent and its fixed rating. Without it, ratings have mean 1000.
        prior: Virtual tied votes per agent; see `bradley_terry`.
        covariates: Names of `votes.covariates` that enter the logit of each vote. They require "sandwich".

    Raises:
        InvalidInput: If the votes cannot rank the agents, or an option is invalid.
    """
    check_options(level, method, cluster, resamples, covariates)
    pair_counts = counts(votes)
    used, notes = choose_prior(pair_counts, prior)
    clusters = clusters_of(votes, cluster)
    if method == "auto":
        method = "sandwich" if len(clusters.codes) > 1 or covariates else "percentile"
    if method != "sandwich" and len(clusters.codes) > 1:
        raise InvalidInput(
            f"method {method!r} resamples clusters of one kind, but both tasks and voters repeat",
            fix='use method="sandwich", or choose one: cluster="task" or cluster="voter"',
        )
    place = None if anchor is None else anchor_place(votes.agents, anchor)
    joint = None
    if covariates:
        joint = fit_with_covariates(votes, covariates, used, clusters)
        strengths, covariance = joint.strengths, joint.covariance[: len(votes.agents), : len(votes.agents)]
        varied = Variation(draw_normal(strengths, covariance, clusters.freedom, resamples, rng), covariance)
    else:
        strengths = fit_counts(pair_counts, used)
        sandwich = method == "sandwich"
        varied = vary(votes, clusters, strengths, used, resamples=resamples, rng=rng, sandwich=sandwich)
    drawn = varied.drawn
    if varied.helped:
        notes += (f"{varied.helped} of {resamples} resamples had no finite ratings and needed the light prior",)
    freedom = len(votes) - 1 if clusters.freedom is None else clusters.freedom

    def bounds(at: int | None) -> tuple[Floats, Floats]:
        """Return bounds of the strengths, or of their distance from the anchor's."""
        values, sets = (strengths, drawn) if at is None else (strengths - strengths[at], drawn - drawn[at])
        if method == "percentile":
            return percentile_bounds(sets, level)
        if method == "bca":
            units = units_of(votes, next(iter(clusters.codes.values()), None))
            return bca_bounds(sets, values, influence(units, strengths, used, at).acceleration, level)
        shift = np.eye(len(strengths)) - (0 if at is None else np.eye(len(strengths))[at])
        spread = np.sqrt(np.maximum(np.diag(shift @ varied.covariance @ shift.T), 0))
        reach = float(stdtrit(max(freedom, 1), (1 + level) / 2)) * spread
        return values - reach, values + reach

    low, high = bounds(None)
    rows = _rows(
        votes,
        clusters,
        strengths=strengths,
        varied=varied,
        order=low,
        ends=(low, high) if place is None else bounds(place),
        level=level,
        anchor=anchor,
        method=_words(method, clusters),
    )
    return Ranking(
        agents=rows,
        votes=len(votes),
        level=level,
        method=method,
        cluster=clusters.kind,
        clusters=clusters.numbers,
        design_effect=_design_effect(votes, clusters, strengths, used, varied.covariance),
        degrees_of_freedom=clusters.freedom,
        resamples=resamples,
        prior=used,
        coefficients=_coefficients(joint, covariates, freedom, level),
        notes=(*notes, *clusters.notes),
        names=votes.agents,
        strengths=strengths,
        covariance=varied.covariance,
        drawn=drawn,
    )


def check_options(level: float, method: str, cluster: str, resamples: int, covariates: Sequence[str] = ()) -> None:
    """Reject invalid options of `rank`."""
    check_level(level)
    if method not in ("auto", *METHODS):
        raise InvalidInput(f"method: expected auto, {', '.join(METHODS)}, got {method!r}")
    if cluster not in CLUSTER:
        raise InvalidInput(f"cluster: expected {', '.join(CLUSTER)}, got {cluster!r}")
    if resamples < 2 or resamples != math.floor(resamples):
        raise InvalidInput(f"resamples: expected an integer of at least 2, got {resamples!r}", fix="use 1000")
    if covariates and method not in ("auto", "sandwich"):
        raise InvalidInput(
            f"covariates need method 'sandwich', got {method!r}",
            fix="use method 'sandwich' or 'auto': with covariates, resampling votes would take too long",
        )


def _words(method: str, clusters: Clusters) -> str:
    """Describe how an interval was computed."""
    units = " and ".join(f"{name}s" for name in clusters.codes) or "votes"
    return f"sandwich over {units}" if method == "sandwich" else f"bootstrap over {units}, {method}"


def _design_effect(votes: Votes, clusters: Clusters, strengths: Floats, prior: float, covariance: Floats) -> float:
    """Return the total variance of the strengths, divided by its value for independent votes."""
    if not clusters.codes:
        return 1.0
    independent = float(np.trace(influence(units_of(votes), strengths, prior).covariance))
    return float(np.trace(covariance)) / independent if independent > 1e-18 else 1.0


def _rows(
    votes: Votes,
    clusters: Clusters,
    *,
    strengths: Floats,
    varied: Variation,
    order: Floats,
    ends: tuple[Floats, Floats],
    level: float,
    anchor: tuple[str, float] | None,
    method: str,
) -> tuple[RankedAgent, ...]:
    rating = ratings_of(strengths, votes.agents, anchor)
    base = 1000.0 if anchor is None else anchor[1]
    low, high = (base + ELO * end for end in ends)
    from scipy.stats import rankdata  # late: it takes as long to load as all of this room

    ranked = np.rint(rankdata(-np.round(order, 9), method="min")).astype(int)
    taken = rankdata(-np.round(varied.drawn, 9), method="min", axis=0)
    first = taken == 1
    best = (first / first.sum(axis=0)).mean(axis=1)
    tails = [(1 - level) / 2, (1 + level) / 2]
    span = np.quantile(taken, tails, axis=1, method="inverted_cdf").astype(int)
    sure = _sure_ranks(gaps(strengths, varied.covariance, clusters.freedom), len(strengths), level)
    tally, won = _tally(votes), agent_rates(votes, clusters, level)
    rows = [
        RankedAgent(
            agent=name,
            rating=Interval(float(rating[at]), float(low[at]), float(high[at]), level, method),
            **tally[at],
            win_rate=won[at],
            rank=int(ranked[at]),
            ranks=(int(span[0, at]), int(span[1, at])),
            sure_ranks=(int(sure[0][at]), int(sure[1][at])),
            best=float(best[at]),
        )
        for at, name in enumerate(votes.agents)
    ]
    return tuple(sorted(rows, key=lambda row: (row.rank, -row.rating.estimate, row.agent)))


def _sure_ranks(tested: Gaps, size: int, level: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    known = tested.p_holm <= 1 - level
    ahead = np.where(tested.gap > 0, tested.first, tested.second)[known]
    behind = np.where(tested.gap > 0, tested.second, tested.first)[known]
    return 1 + np.bincount(behind, minlength=size), size - np.bincount(ahead, minlength=size)


def _tally(votes: Votes) -> list[dict[str, int]]:
    """Return each agent's votes by result."""
    tables = [
        np.bincount(side * np.int32(4) + votes.winner, minlength=4 * len(votes.agents)).reshape(-1, 4)
        for side in (votes.left, votes.right)
    ]
    table = tables[0] + tables[1][:, [RIGHT, LEFT, TIE, BOTH_BAD]]
    return [
        {"votes": won + lost + tie + bad, "wins": won, "losses": lost, "ties": tie + bad, "both_bad": bad}
        for won, lost, tie, bad in table.tolist()
    ]


def _coefficients(
    joint: JointFit | None, names: Sequence[str], freedom: float, level: float
) -> tuple[Coefficient, ...]:
    if joint is None:
        return ()
    size = len(joint.strengths)
    errors = np.sqrt(np.maximum(np.diag(joint.covariance)[size:], 0))
    reach = float(stdtrit(max(freedom, 1), (1 + level) / 2)) * errors
    rows = []
    for name, value, half in zip(names, joint.coefficients.tolist(), reach.tolist(), strict=True):
        logit = Interval(value, value - half, value + half, level, "sandwich")
        points = Interval(ELO * logit.estimate, ELO * logit.low, ELO * logit.high, level, "sandwich")
        rows.append(Coefficient(name, logit, points))
    return tuple(rows)
