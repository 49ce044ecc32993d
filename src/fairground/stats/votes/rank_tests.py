"""Is the order more than chance: a test of the whole leaderboard, and of every pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.votes.bradley_terry import ELO, choose_prior, fit_counts, information
from fairground.stats.votes.rank_correlation import kendall_taus
from fairground.stats.votes.rank_gaps import gaps
from fairground.stats.votes.rank_resampling import solve_sets, units_of
from fairground.stats.votes.ranking import Ranking
from fairground.stats.votes.votes import Votes, counts

_CELLS = 1 << 22

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PermutationTest:
    """Whether these votes could come from agents that are all equally good.

    Attributes:
        statistic: How far wins and losses are from even, all agents together: the score statistic of "all strengths
            are equal". It needs no fit, and a small number of votes cannot blow it up.
        null_mean: Its mean over the shuffles.
        p_value: (1 + shuffles with a statistic at least as large) / (1 + shuffles).
        spread: Standard deviation of the ratings, in points.
        null_spread: The same over shuffles: mean, and the middle `level` of them. What noise alone would show.
        null_tau: Kendall's tau of the shuffled rankings with the observed one: mean, and the middle `level`.
        null_tau_sd: Standard deviation of those taus.
        same_order: (1 + shuffles with a tau of 1) / (1 + shuffles): how often chance gives the very same order. It is
            not a p value of the ranking: with many agents no order ever comes up again, right or wrong.
        shuffles: How many.
        notes: What must be known to read the figures rightly.
    """

    statistic: float
    null_mean: float
    p_value: float
    spread: float
    null_spread: Interval
    null_tau: Interval
    null_tau_sd: float
    same_order: float
    shuffles: int
    notes: tuple[str, ...] = ()


def permutation_test(
    votes: Votes, *, rng: np.random.Generator, shuffles: int = 5000, over: str = "votes", level: float = 0.95
) -> PermutationTest:
    """Tests whether any agent is better than any other.

    If all agents are equally good, it is chance which of the two a vote went to. So each shuffle swaps the winner and
    the loser of every vote with probability 1/2; ties stay ties, and who met whom stays as it is.

    Args:
        votes: The votes.
        rng: Source of randomness.
        shuffles: How many.
        over: "votes" swaps each vote on its own. "voters" or "tasks" swap all votes of one voter or task together, as
            is right when these lean one way.
        level: Of the intervals over shuffles.

    Raises:
        InvalidInput: When the votes cannot rank the agents.
    """
    check_level(level)
    if shuffles < 1:
        raise InvalidInput(f"shuffles: expected a whole number from 1 up, got {shuffles!r}", fix="5000 is usual")
    found = counts(votes)
    used, notes = choose_prior(found, None)
    units = units_of(votes, over)
    strengths = fit_counts(found, used)
    incidence = units.pairs.incidence()
    even = information(units.pairs, found.total, np.zeros(len(strengths)))
    inverse = np.linalg.pinv(even, hermitian=True)
    net = units.score * 2 - units.total

    def far(difference: Floats) -> Floats:
        """The score statistic of net wins, (pairs, sets)."""
        slope = incidence.T @ (difference / 2)
        values: Floats = ((inverse @ slope) * slope).sum(axis=0)
        return values

    statistic = float(far((net.T @ units.number)[:, None])[0])
    null, taus, spreads = [], [], []
    kinds, helped = len(units.number), 0
    block = max(1, _CELLS // max(kinds, len(units.pairs.first)))
    for at in range(0, shuffles, block):
        sets = min(block, shuffles - at)
        swapped = rng.binomial(units.number[:, None], 0.5, (kinds, sets))
        difference = net.T.tocsc() @ (units.number[:, None] - 2.0 * swapped)
        null.append(far(difference))
        total = np.repeat(found.total[:, None], sets, axis=1)
        shuffled, needed = solve_sets(units.pairs, (total + difference) / 2, total, used)
        helped += needed
        taus.append(kendall_taus(strengths, shuffled))
        spreads.append(ELO * shuffled.std(axis=0))
    drawn, tau, spread = np.concatenate(null), np.concatenate(taus), np.concatenate(spreads)
    if helped:
        notes += (f"{helped} of {shuffles} shuffles had no finite ratings and were given the light prior",)
    return PermutationTest(
        statistic=statistic,
        null_mean=float(drawn.mean()),
        p_value=float((1 + (drawn >= statistic * (1 - 1e-9)).sum()) / (1 + shuffles)),
        spread=float(ELO * strengths.std()),
        null_spread=_middle(spread, level),
        null_tau=_middle(tau, level),
        null_tau_sd=float(tau.std()),
        same_order=float((1 + (tau > 1 - 1e-9).sum()) / (1 + shuffles)),
        shuffles=shuffles,
        notes=notes,
    )


@dataclass(frozen=True)
class PairTest:
    """Two agents compared.

    Attributes:
        better: The agent with the higher rating.
        worse: The other.
        gap: Difference of the ratings, in points. Its error is that of the difference: ratings of agents that met are
            not independent, so that their two intervals do not tell it.
        z: The gap over its standard error; 0 when the resamples could not vary.
        p_value: Two-sided.
        p_holm: The same with Holm's correction over all pairs.
        d: Cohen's d of the votes between the two: the mean of a vote, which is 1 for the better agent, -1 for the
            other and 0 for a tie, over its standard deviation. More votes make it more certain, and not larger. None
            when the two never met or all their votes were alike.
        votes: How many votes the two had with each other.
    """

    better: str
    worse: str
    gap: Interval
    z: float
    p_value: float
    p_holm: float
    d: float | None
    votes: int


def pairwise_tests(votes: Votes, ranking: Ranking) -> tuple[PairTest, ...]:
    """Tests every pair of a ranking, in the order of the ranking, with Holm's correction.

    Uses the covariance of all ratings over the ranking's resamples (or its sandwich). A note of the ranking about a
    prior holds here too: the tests of an agent that never won or never lost rest on the prior.
    """
    if votes.agents != ranking.names:
        raise InvalidInput("the votes and the ranking have different agents", fix="rank these very votes")
    tested = gaps(ranking.strengths, ranking.covariance)
    reach = float(ndtri((1 + ranking.level) / 2))
    effects = _effects(votes)
    rows = []
    for at, (first, second) in enumerate(zip(tested.first.tolist(), tested.second.tolist(), strict=True)):
        sign = 1 if tested.gap[at] >= 0 else -1
        gap, error = ELO * abs(float(tested.gap[at])), ELO * float(tested.error[at])
        effect, number = effects.get((first, second), (None, 0))
        names = (votes.agents[first], votes.agents[second])[::sign]
        rows.append(
            PairTest(
                better=names[0],
                worse=names[1],
                gap=Interval(gap, gap - reach * error, gap + reach * error, ranking.level, f"normal, {ranking.method}"),
                z=gap / error if tested.error[at] > 1e-9 else 0.0,
                p_value=float(tested.p[at]),
                p_holm=float(tested.p_holm[at]),
                d=None if effect is None else sign * effect,
                votes=number,
            )
        )
    place = {name: -float(value) for name, value in zip(ranking.names, ranking.strengths, strict=True)}
    return tuple(sorted(rows, key=lambda row: (place[row.better], place[row.worse], row.better, row.worse)))


def _effects(votes: Votes) -> dict[tuple[int, int], tuple[float | None, int]]:
    """Cohen's d from the first agent's side, and the number of votes, of every pair that met."""
    found, number = counts(votes), counts(votes, weighted=False)
    pairs = zip(number.first.tolist(), number.second.tolist(), strict=True)
    met = dict(zip(pairs, number.total.astype(int).tolist(), strict=True))
    effects: dict[tuple[int, int], tuple[float | None, int]] = {}
    for first, second, won, lost, total in zip(
        found.first.tolist(), found.second.tolist(), found.wins, found.losses, found.total, strict=True
    ):
        mean = (won - lost) / total
        variance = (won + lost) / total - mean**2
        effect = float(mean / np.sqrt(variance)) if variance > 1e-12 else None
        effects[first, second] = (effect, met[first, second])
    return effects


def _middle(values: Floats, level: float) -> Interval:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(values.mean()), float(low), float(high), level, "mean and middle over shuffles")
