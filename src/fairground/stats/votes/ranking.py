"""A leaderboard from votes: ratings with intervals, and what may be said of the order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.votes.bradley_terry import ELO, anchor_place, choose_prior, fit_counts, ratings_of
from fairground.stats.votes.rank_gaps import gaps
from fairground.stats.votes.rank_resampling import (
    OVER,
    bca_bounds,
    clusters_of,
    draw_strengths,
    influence,
    percentile_bounds,
    units_of,
)
from fairground.stats.votes.vote_covariates import JointFit, fit_with_covariates
from fairground.stats.votes.votes import BOTH_BAD, LEFT, RIGHT, TIE, Votes, counts

METHODS = ("percentile", "bca", "sandwich")
_FEW = 20  # clusters; with fewer, their bootstrap and sandwich are known to be too narrow

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankedAgent:
    """One line of a leaderboard.

    Attributes:
        agent: Its name.
        rating: On the Elo scale, with its interval.
        votes: How many votes it had.
        wins: Votes for it.
        losses: Votes for the other.
        ties: Votes for neither, among them `both_bad`.
        both_bad: Votes that found both bad.
        win_rate: Share of the (weighted) votes that it won, ties as half. It depends on whom it met; a rating does not.
        rank: 1 plus the number of agents whose rating has a higher lower bound. Agents may share a rank. An anchor has
            no uncertainty of its own, so that lower bounds are compared with the mean of all agents held fixed.
        ranks: Best and worst rank by rating over the resamples, at the level. For each agent on its own.
        sure_ranks: Best and worst rank that the votes leave possible: 1 plus the number of agents that are
            significantly better, and so on, by tests of all pairs with Holm's correction. For all agents at once.
        best: Share of the resamples in which it has the highest rating.
    """

    agent: str
    rating: Interval
    votes: int
    wins: int
    losses: int
    ties: int
    both_bad: int
    win_rate: float
    rank: int
    ranks: tuple[int, int]
    sure_ranks: tuple[int, int]
    best: float


@dataclass(frozen=True)
class Coefficient:
    """What one unit of a covariate adds to the left agent's side.

    Attributes:
        name: The covariate.
        value: On the logit scale.
        points: The same in rating points.
    """

    name: str
    value: Interval
    points: Interval


@dataclass(frozen=True)
class Ranking:
    """A leaderboard.

    Attributes:
        agents: The best first, by rank and then by rating.
        votes: How many votes it rests on.
        level: Of all intervals.
        method: How intervals were made: "percentile", "bca" or "sandwich".
        over: What was drawn, or clustered by: "votes", "voters" or "tasks".
        units: How many of those there are.
        resamples: How many times they were drawn.
        prior: Virtual tied votes an agent; 0 for none.
        coefficients: Of the covariates.
        notes: What must be known to read the figures rightly.
        names: The agents in the order of the arrays below, which do not become plain data.
        strengths: Of the agents; they sum to 0.
        covariance: Of the strengths: over the resamples, or the sandwich.
        drawn: Strengths of each resample, (agents, resamples).
    """

    agents: tuple[RankedAgent, ...]
    votes: int
    level: float
    method: str
    over: str
    units: int
    resamples: int
    prior: float
    coefficients: tuple[Coefficient, ...]
    notes: tuple[str, ...]
    names: tuple[str, ...] = field(repr=False)
    strengths: Floats = field(repr=False, compare=False)
    covariance: Floats = field(repr=False, compare=False)
    drawn: Floats = field(repr=False, compare=False)

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
    method: str = "percentile",
    over: str = "votes",
    anchor: tuple[str, float] | None = None,
    prior: float | None = None,
    covariates: Sequence[str] = (),
) -> Ranking:
    """Ranks agents by votes with Bradley-Terry ratings.

    Args:
        votes: The votes.
        rng: Source of randomness.
        resamples: How often to draw again.
        level: Of the intervals.
        method: "percentile" or "bca" bootstrap, or "sandwich": robust standard errors, and as resamples draws from
            the normal distribution that they describe.
        over: What to draw: "votes" when each is independent of the others; "voters" when some people voted often;
            "tasks" when tasks were voted on often. The last two keep all votes of one voter or task together.
        anchor: An agent and the rating that it is to have. Without, ratings have the mean 1000.
        prior: Virtual tied votes an agent; see `bradley_terry`.
        covariates: Names of `votes.covariates` that enter the logit of each vote; these need "sandwich".

    Raises:
        InvalidInput: When the votes cannot rank the agents, or an option does not fit.
    """
    check_options(level, method, over, resamples, covariates)
    found = counts(votes)
    used, notes = choose_prior(found, prior)
    place = None if anchor is None else anchor_place(votes.agents, anchor)
    joint = None
    if covariates:
        clusters = None if over == "votes" else clusters_of(votes, over)
        number = len(votes) if clusters is None else int(clusters.max()) + 1
        joint = fit_with_covariates(votes, covariates, used, clusters)
        strengths, covariance = joint.strengths, joint.covariance[: len(votes.agents), : len(votes.agents)]
    else:
        units = units_of(votes, over)
        number = int(units.number.sum())
        strengths = fit_counts(found, used)
    if method == "sandwich":
        if joint is None:
            covariance = influence(units, strengths, used).covariance
        drawn = rng.multivariate_normal(strengths, covariance, size=resamples, method="eigh", check_valid="ignore").T
    else:
        drawn, helped = draw_strengths(units, strengths, used, resamples, rng)
        covariance = np.atleast_2d(np.cov(drawn))
        if helped:
            notes += (f"{helped} of {resamples} resamples had no finite ratings and were given the light prior",)
    if over != "votes" and number < _FEW:
        notes += (f"only {number} {over}: intervals over so few are known to be too narrow",)

    def bounds(at: int | None) -> tuple[Floats, Floats]:
        """Of the strengths, or of their distance from the anchor's."""
        values, sets = (strengths, drawn) if at is None else (strengths - strengths[at], drawn - drawn[at])
        if method == "percentile":
            return percentile_bounds(sets, level)
        if method == "bca":
            return bca_bounds(sets, values, influence(units, strengths, used, at).acceleration, level)
        shift = np.eye(len(strengths)) - (0 if at is None else np.eye(len(strengths))[at])
        spread = np.sqrt(np.maximum(np.diag(shift @ covariance @ shift.T), 0))
        reach = float(stdtrit(max(number - 1, 1), (1 + level) / 2)) * spread
        return values - reach, values + reach

    low, high = bounds(None)
    rows = _rows(
        votes,
        strengths=strengths,
        drawn=drawn,
        covariance=covariance,
        order=low,
        ends=(low, high) if place is None else bounds(place),
        level=level,
        anchor=anchor,
        method=f"{method} over {over}" if method == "sandwich" else f"bootstrap over {over}, {method}",
    )
    return Ranking(
        agents=rows,
        votes=len(votes),
        level=level,
        method=method,
        over=over,
        units=number,
        resamples=resamples,
        prior=used,
        coefficients=_coefficients(joint, covariates, number, level),
        notes=notes,
        names=votes.agents,
        strengths=strengths,
        covariance=covariance,
        drawn=drawn,
    )


def check_options(level: float, method: str, over: str, resamples: int, covariates: Sequence[str] = ()) -> None:
    """Refuses options that `rank` does not know."""
    check_level(level)
    if method not in METHODS:
        raise InvalidInput(f"method: expected {', '.join(METHODS)}, got {method!r}")
    if over not in OVER:
        raise InvalidInput(f"over: expected {', '.join(OVER)}, got {over!r}")
    if resamples < 2 or resamples != math.floor(resamples):
        raise InvalidInput(f"resamples: expected a whole number from 2 up, got {resamples!r}", fix="1000 is usual")
    if covariates and method != "sandwich":
        raise InvalidInput(
            f"covariates need method 'sandwich', got {method!r}",
            fix="with covariates every vote is its own, and drawing them again would take too long",
        )


def _rows(
    votes: Votes,
    *,
    strengths: Floats,
    drawn: Floats,
    covariance: Floats,
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
    taken = rankdata(-np.round(drawn, 9), method="min", axis=0)
    first = taken == 1
    best = (first / first.sum(axis=0)).mean(axis=1)
    tails = [(1 - level) / 2, (1 + level) / 2]
    span = np.quantile(taken, tails, axis=1, method="inverted_cdf").astype(int)
    sure = _sure_ranks(strengths, covariance, level)
    tally, rate = _tally(votes)
    rows = [
        RankedAgent(
            agent=name,
            rating=Interval(float(rating[at]), float(low[at]), float(high[at]), level, method),
            **tally[at],
            win_rate=float(rate[at]),
            rank=int(ranked[at]),
            ranks=(int(span[0, at]), int(span[1, at])),
            sure_ranks=(int(sure[0][at]), int(sure[1][at])),
            best=float(best[at]),
        )
        for at, name in enumerate(votes.agents)
    ]
    return tuple(sorted(rows, key=lambda row: (row.rank, -row.rating.estimate, row.agent)))


def _sure_ranks(strengths: Floats, covariance: Floats, level: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    tested = gaps(strengths, covariance)
    known = tested.p_holm <= 1 - level
    ahead = np.where(tested.gap > 0, tested.first, tested.second)[known]
    behind = np.where(tested.gap > 0, tested.second, tested.first)[known]
    size = len(strengths)
    return 1 + np.bincount(behind, minlength=size), size - np.bincount(ahead, minlength=size)


def _tally(votes: Votes) -> tuple[list[dict[str, int]], Floats]:
    """Each agent's votes by what they said, and its share of the weight."""

    def said(weight: Floats | None) -> Floats:
        """(agents, what a vote says from the agent's side: won, lost, tied, both bad)."""
        tables = [
            np.bincount(side * np.int32(4) + votes.winner, weight, 4 * len(votes.agents)).reshape(-1, 4)
            for side in (votes.left, votes.right)
        ]
        table = tables[0] + tables[1][:, [RIGHT, LEFT, TIE, BOTH_BAD]]
        return table.astype(np.float64)

    numbers = said(None)
    weighed = numbers if votes.weight is None else said(votes.weight)
    held = weighed.sum(axis=1)
    rate = weighed @ [1.0, 0.0, 0.5, 0.5] / np.where(held > 0, held, 1)
    rows = [
        {"votes": won + lost + tie + bad, "wins": won, "losses": lost, "ties": tie + bad, "both_bad": bad}
        for won, lost, tie, bad in numbers.astype(int).tolist()
    ]
    return rows, rate


def _coefficients(joint: JointFit | None, names: Sequence[str], number: int, level: float) -> tuple[Coefficient, ...]:
    if joint is None:
        return ()
    size = len(joint.strengths)
    errors = np.sqrt(np.maximum(np.diag(joint.covariance)[size:], 0))
    reach = float(stdtrit(max(number - 1, 1), (1 + level) / 2)) * errors
    rows = []
    for name, value, half in zip(names, joint.coefficients.tolist(), reach.tolist(), strict=True):
        logit = Interval(value, value - half, value + half, level, "sandwich")
        points = Interval(ELO * logit.estimate, ELO * logit.low, ELO * logit.high, level, "sandwich")
        rows.append(Coefficient(name, logit, points))
    return tuple(rows)
