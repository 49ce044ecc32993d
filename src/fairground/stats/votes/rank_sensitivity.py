"""How the order holds when votes are noisy, or when episodes are cut short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.votes.bradley_terry import choose_prior, fit_counts, ratings_of
from fairground.stats.votes.rank_correlation import kendall_tau, kendall_taus, spearman_rho, spearman_rhos
from fairground.stats.votes.rank_resampling import solve_sets, units_of, vary
from fairground.stats.votes.vote_clusters import clusters_of
from fairground.stats.votes.votes import Votes, counts

_CELLS = 1 << 22

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NoiseSensitivity:
    """What is left of the order when some votes are turned around.

    Attributes:
        share: Of the votes that were picked.
        tau: Kendall's tau with the order of the votes as they are: mean over repeats, and the middle `level` of them.
        same_best: Share of the repeats in which the best agent stays the best.
        repeats: How many.
    """

    share: float
    tau: Interval
    same_best: float
    repeats: int


def noise_sensitivity(
    votes: Votes,
    *,
    rng: np.random.Generator,
    shares: Sequence[float] = (0.1, 0.2, 0.3),
    repeats: int = 200,
    level: float = 0.95,
) -> tuple[NoiseSensitivity, ...]:
    """Turns a random share of the votes around, ranks again, and compares the orders.

    Picked votes that have a winner get the other one; picked ties stay ties. Turning around a share e shrinks every
    gap by about 1 - 2e, and adds noise; at a half nothing would be left.

    Raises:
        InvalidInput: When the votes cannot rank the agents, or rank them all alike.
    """
    check_level(level)
    if repeats < 2:
        raise InvalidInput(f"repeats: expected a whole number from 2 up, got {repeats!r}")
    found = counts(votes)
    used, _ = choose_prior(found, None)
    strengths = fit_counts(found, used)
    if np.ptp(strengths) < 1e-9:
        raise InvalidInput("all agents have the same rating, so that there is no order to lose")
    units = units_of(votes)
    turn = (units.total - units.score * 2).T.tocsc()
    score = found.wins + found.ties / 2
    best = strengths >= strengths.max() - 1e-9
    rows = []
    for share in shares:
        if not 0 <= share <= 1:
            raise InvalidInput(f"shares: expected numbers from 0 to 1, got {share!r}")
        picked = round(share * len(votes))
        parts = []
        block = max(1, _CELLS // max(len(units.number), len(score)))
        for at in range(0, repeats, block):
            sets = min(block, repeats - at)
            turned = rng.multivariate_hypergeometric(units.number, picked, size=sets, method="marginals").T
            noisy = score[:, None] + turn @ turned.astype(np.float64)
            total = np.repeat(found.total[:, None], sets, axis=1)
            parts.append(solve_sets(units.pairs, np.clip(noisy, 0, total), total, used)[0])
        solved = np.concatenate(parts, axis=1)
        taus = kendall_taus(strengths, solved)
        low, high = np.quantile(taus, [(1 - level) / 2, (1 + level) / 2])
        tau = Interval(float(taus.mean()), float(low), float(high), level, "mean and middle over repeats")
        stays = (solved[best].max(axis=0) >= solved.max(axis=0) - 1e-9).mean()
        rows.append(NoiseSensitivity(float(share), tau, float(stays), repeats))
    return tuple(rows)


@dataclass(frozen=True)
class OrderAgreement:
    """How alike the orders of two sets of votes are.

    Attributes:
        agents: The agents that are in both.
        spearman: Spearman's rho of the ratings, with a bootstrap interval.
        kendall: Kendall's tau-b, likewise.
        first: Ratings by the first votes.
        second: Ratings by the second.
        notes: What must be known to read the figures rightly.
    """

    agents: tuple[str, ...]
    spearman: Interval
    kendall: Interval
    first: Mapping[str, float]
    second: Mapping[str, float]
    notes: tuple[str, ...] = ()


def step_limit_sensitivity(
    original: Votes,
    truncated: Votes,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
    cluster: str = "auto",
) -> OrderAgreement:
    """Compares the order of votes on whole episodes with that of votes on the same episodes cut short.

    It serves for any two sets of votes on the same agents: two groups of voters, two months, two kinds of task. Votes
    are clustered as for `rank`.

    Raises:
        InvalidInput: With fewer than three agents in both, or when one set of votes cannot rank them.
    """
    check_level(level)
    common = sorted(set(original.agents) & set(truncated.agents))
    if len(common) < 3:
        raise InvalidInput(
            f"expected three agents or more in both sets of votes, got {len(common)}", fix="compare the same agents"
        )
    notes: tuple[str, ...] = ()
    solved: list[tuple[Floats, Floats]] = []
    units: list[str] = []
    for name, votes in (("first", original), ("second", truncated)):
        place = {agent: code for code, agent in enumerate(votes.agents) if agent in common}
        known = np.isin(np.arange(len(votes.agents)), list(place.values()))
        keep = known[votes.left] & known[votes.right]
        kept = votes if keep.all() else votes.where(keep)
        if not keep.all():
            left_out = ", ".join(sorted(set(votes.agents) - set(common)))
            notes += (f"the {name} votes: {int((~keep).sum())} left out, with agents of one set only: {left_out}",)
        if set(kept.agents) != set(common):
            raise InvalidInput(f"the {name} votes do not compare the common agents: {', '.join(common)}")
        found = counts(kept)
        used, more = choose_prior(found, None)
        strengths = fit_counts(found, used)
        clusters = clusters_of(kept, cluster)
        both = len(clusters.codes) == 2
        varied = vary(kept, clusters, strengths, used, resamples=resamples, rng=rng, sandwich=both)
        notes += tuple(f"the {name} votes: {note}" for note in (*more, *clusters.notes))
        if varied.helped:
            notes += (f"the {name} votes: {varied.helped} of {resamples} resamples were given the light prior",)
        units.append(" and ".join(f"{kind}s" for kind in clusters.codes) or "votes")
        order = [kept.agents.index(agent) for agent in common]
        solved.append((strengths[order], varied.drawn[order]))
    (first, first_drawn), (second, second_drawn) = solved
    if min(np.ptp(first), np.ptp(second)) < 1e-9:
        raise InvalidInput("one set of votes gives all agents the same rating, so that there is no order to compare")
    taus = _paired_taus(first_drawn, second_drawn)
    rhos = spearman_rhos(first_drawn, second_drawn)
    notes += (
        "drawing votes again adds noise to both orders, so that intervals lie somewhat low: an agreement is at least "
        "as good as they say",
    )
    return OrderAgreement(
        agents=tuple(common),
        spearman=_interval(spearman_rho(first, second), rhos, level, units),
        kendall=_interval(kendall_tau(first, second), taus, level, units),
        first=dict(zip(common, ratings_of(first, common).tolist(), strict=True)),
        second=dict(zip(common, ratings_of(second, common).tolist(), strict=True)),
        notes=notes,
    )


def _paired_taus(first: Floats, second: Floats) -> Floats:
    """Tau of each column of one with the same column of the other."""
    one, other = np.triu_indices(len(first), 1)
    signs = [np.sign(np.round(sets[one] - sets[other], 9)) for sets in (first, second)]
    size = np.sqrt(np.abs(signs[0]).sum(axis=0) * np.abs(signs[1]).sum(axis=0))
    taus: Floats = (signs[0] * signs[1]).sum(axis=0) / np.where(size > 0, size, 1)
    return taus


def _interval(estimate: float, drawn: Floats, level: float, units: Sequence[str]) -> Interval:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(
        estimate,
        float(low),
        float(high),
        level,
        f"bootstrap over {' and over '.join(dict.fromkeys(units))}, percentile",
    )
