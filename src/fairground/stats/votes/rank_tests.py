"""Tests of a leaderboard as a whole, and of every pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from scipy.special import ndtri, stdtrit

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.votes.bradley_terry import ELO, Pairs, choose_prior, fit_counts, information
from fairground.stats.votes.rank_correlation import kendall_taus
from fairground.stats.votes.rank_gaps import gaps
from fairground.stats.votes.rank_resampling import solve_sets, units_of
from fairground.stats.votes.ranking import Ranking
from fairground.stats.votes.vote_clusters import Codes, clusters_in_words, clusters_of
from fairground.stats.votes.votes import Votes, counts

_CELLS = 1 << 22

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PermutationTest:
    """Test of the hypothesis that all agents are equally good.

    Attributes:
        statistic: Score statistic of "all strengths are equal": how far wins and losses are from even, for all agents
            together. It needs no fit, and is robust for few votes.
        null_mean: Its mean over the shuffles.
        p_value: (1 + shuffles with a statistic at least as large) / (1 + shuffles).
        spread: Standard deviation of the ratings, in points.
        null_spread: The same over shuffles, as mean and middle `level`: what noise alone would show.
        null_tau: Kendall's tau of the shuffled rankings with the observed one, as mean and middle `level`.
        null_tau_sd: Standard deviation of those taus.
        same_order: (1 + shuffles with a tau of 1) / (1 + shuffles): how often chance gives exactly the same order. It
            is not a p-value of the ranking: with many agents no order ever recurs, right or wrong.
        shuffles: Number of shuffles.
        cluster: Which votes were swapped together: those of a "task", of a "voter", of "both", or "none".
        clusters: Number of tasks, voters or both, if votes were clustered by them.
        notes: Caveats for the reader.
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
    cluster: str
    clusters: Mapping[str, int]
    notes: tuple[str, ...] = ()

    @property
    def clustered(self) -> str:
        """Description of which votes were swapped together."""
        return clusters_in_words(self.clusters)


def permutation_test(
    votes: Votes, *, rng: np.random.Generator, shuffles: int = 5000, cluster: str = "auto", level: float = 0.95
) -> PermutationTest:
    """Test whether any agent is better than any other.

    If all agents are equally good, the winner of a vote is random. So each shuffle swaps the winner and the loser of
    every vote with probability 1/2. Ties stay ties, and pairings stay. Votes of one cluster are swapped together. With
    both tasks and voters, each shuffle adds the net wins of one that swaps tasks and of one that swaps voters, scaled
    so that the mean of the statistic agrees with the two-way variance.

    Args:
        votes: The votes.
        rng: Random generator.
        shuffles: Number of shuffles.
        cluster: Which votes depend on each other; as for `rank`.
        level: Confidence level of the intervals over shuffles.

    Raises:
        InvalidInput: If the votes cannot rank the agents.
    """
    check_level(level)
    if shuffles < 1:
        raise InvalidInput(f"shuffles: expected an integer of at least 1, got {shuffles!r}", fix="use 5000")
    pair_counts = counts(votes)
    used, notes = choose_prior(pair_counts, None)
    clusters = clusters_of(votes, cluster)
    strengths = fit_counts(pair_counts, used)
    pairs = Pairs(len(votes.agents), pair_counts.first, pair_counts.second)
    incidence = pairs.incidence()
    inverse = np.linalg.pinv(information(pairs, pair_counts.total, np.zeros(len(strengths))), hermitian=True)

    def far(net: Floats) -> Floats:
        """Return the score statistic of each agent's net wins, (agents, sets)."""
        values: Floats = ((inverse @ net) * net).sum(axis=0) / 4
        return values

    swaps = [_Swaps.of(votes, codes) for codes in clusters.codes.values()] or [_Swaps.of(votes, None)]
    scale = 1.0
    if len(swaps) == 2:
        task_mean, voter_mean, cells = (
            swap.mean(incidence, far) for swap in (*swaps, _Swaps.of(votes, clusters.cells()))
        )
        scale = (
            float(np.sqrt(max(task_mean + voter_mean - cells, task_mean, voter_mean) / (task_mean + voter_mean)))
            if task_mean + voter_mean > 0
            else 1.0
        )
    statistic = float(far(incidence.T @ (pair_counts.wins - pair_counts.losses)[:, None])[0])
    null, taus, spreads = [], [], []
    helped, block = 0, max(1, _CELLS // max(len(pair_counts.first), *(len(swap.number) for swap in swaps)))
    for at in range(0, shuffles, block):
        sets = min(block, shuffles - at)
        total = np.repeat(pair_counts.total[:, None], sets, axis=1)
        drawn = scale * np.sum([swap.draw(sets, rng) for swap in swaps], axis=0)
        difference = np.clip(drawn, -total, total)
        null.append(far(incidence.T @ drawn))
        shuffled, needed = solve_sets(pairs, (total + difference) / 2, total, used)
        helped += needed
        taus.append(kendall_taus(strengths, shuffled))
        spreads.append(ELO * shuffled.std(axis=0))
    drawn, tau, spread = np.concatenate(null), np.concatenate(taus), np.concatenate(spreads)
    if helped:
        notes += (f"{helped} of {shuffles} shuffles had no finite ratings and needed the light prior",)
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
        cluster=clusters.kind,
        clusters=clusters.numbers,
        notes=(*notes, *clusters.notes),
    )


@dataclass(frozen=True, eq=False)
class _Swaps:
    """Units whose winners and losers are swapped together.

    Attributes:
        number: Number of units of each kind.
        net: (pairs, kinds): votes for the first agent of a pair minus votes for the second, of one unit.
    """

    number: NDArray[np.int64]
    net: csc_array

    @classmethod
    def of(cls, votes: Votes, codes: Codes | None) -> _Swaps:
        units = units_of(votes, codes)
        return cls(units.number, (units.score * 2 - units.total).T.tocsc())

    def draw(self, sets: int, rng: np.random.Generator) -> Floats:
        """Return net wins of each pair when every unit is swapped at random: (pairs, sets)."""
        swapped = rng.binomial(self.number[:, None], 0.5, (len(self.number), sets))
        drawn: Floats = self.net @ (self.number[:, None] - 2.0 * swapped)
        return drawn

    def mean(self, incidence: csr_array, far: Callable[[Floats], Floats]) -> float:
        """Return the mean of the statistic over such draws."""
        net = (incidence.T @ self.net).tocsc()
        total, block = 0.0, max(1, _CELLS // net.shape[0])
        for at in range(0, len(self.number), block):
            kinds = slice(at, at + block)
            total += float(far(net[:, kinds].toarray()) @ self.number[kinds])
        return total


@dataclass(frozen=True)
class PairTest:
    """Comparison of two agents.

    Attributes:
        better: The agent with the higher rating.
        worse: The other agent.
        gap: Difference of the ratings, in points. Its error is that of the difference: ratings of agents that met are
            not independent, so it cannot be derived from their two intervals.
        z: The gap divided by its standard error; 0 if the resamples did not vary.
        p_value: Two-sided p-value.
        p_holm: The same with Holm's correction over all pairs.
        d: Cohen's d of the votes between the two: the mean of a vote (1 for the better agent, -1 for the other, 0 for a
            tie) divided by its standard deviation. More votes make it more precise, not larger. None if the two never
            met or all their votes were equal.
        votes: Number of votes between the two.
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
    """Test every pair of a ranking, in the order of the ranking, with Holm's correction.

    Uses the covariance of all ratings over the ranking's resamples (or its sandwich), and so its clusters; with
    clusters the test is Student's t. A note of the ranking about a prior applies here too: the tests of an agent that
    never won or never lost depend on the prior.
    """
    if votes.agents != ranking.names:
        raise InvalidInput("the votes and the ranking have different agents", fix="use the ranking of the same votes")
    freedom = ranking.degrees_of_freedom
    tested = gaps(ranking.strengths, ranking.covariance, freedom)
    tail = (1 + ranking.level) / 2
    reach = float(ndtri(tail) if freedom is None else stdtrit(freedom, tail))
    name = f"{'normal' if freedom is None else 't'}, {ranking.method}"
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
                gap=Interval(gap, gap - reach * error, gap + reach * error, ranking.level, name),
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
    """Return Cohen's d from the first agent's side, and the number of votes, for every pair that met."""
    pair_counts, number = counts(votes), counts(votes, weighted=False)
    pairs = zip(number.first.tolist(), number.second.tolist(), strict=True)
    met = dict(zip(pairs, number.total.astype(int).tolist(), strict=True))
    effects: dict[tuple[int, int], tuple[float | None, int]] = {}
    for first, second, won, lost, total in zip(
        pair_counts.first.tolist(),
        pair_counts.second.tolist(),
        pair_counts.wins,
        pair_counts.losses,
        pair_counts.total,
        strict=True,
    ):
        mean = (won - lost) / total
        variance = (won + lost) / total - mean**2
        effect = float(mean / np.sqrt(variance)) if variance > 1e-12 else None
        effects[first, second] = (effect, met[first, second])
    return effects


def _middle(values: Floats, level: float) -> Interval:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(values.mean()), float(low), float(high), level, "mean and middle over shuffles")
