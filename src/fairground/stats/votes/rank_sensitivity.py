"""Sensitivity of a ranking to noisy votes, and to episodes that are cut short."""

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
    """Effect of reversing some votes on the order.

    Attributes:
        share: Share of the votes that were picked.
        tau: Kendall's tau with the original order: mean and middle `level` over repeats.
        same_best: Share of the repeats in which the best agent stays the best.
        repeats: Number of repeats.
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
    """Reverse a random share of the votes, rank again, and compare the orders.

    Picked votes with a winner get the other one; picked ties stay ties. Reversing a share e shrinks every gap by a
    factor of about 1 - 2e, and adds noise. At one half nothing would be left.

    Raises:
        InvalidInput: If the votes cannot rank the agents, or give them all the same rating.
    """
    check_level(level)
    if repeats < 2:
        raise InvalidInput(f"repeats: expected an integer of at least 2, got {repeats!r}")
    pair_counts = counts(votes)
    used, _ = choose_prior(pair_counts, None)
    strengths = fit_counts(pair_counts, used)
    if np.ptp(strengths) < 1e-9:
        raise InvalidInput("all agents have the same rating, so there is no order to compare")
    units = units_of(votes)
    turn = (units.total - units.score * 2).T.tocsc()
    score = pair_counts.wins + pair_counts.ties / 2
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
            total = np.repeat(pair_counts.total[:, None], sets, axis=1)
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
    """Agreement between the orders of two sets of votes.

    Attributes:
        agents: The agents that are in both.
        spearman: Spearman's rho of the ratings, with a bootstrap interval.
        kendall: Kendall's tau-b, with a bootstrap interval.
        first: Ratings from the first votes.
        second: Ratings from the second votes.
        notes: Caveats for the reader.
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
    """Compare the order from votes on whole episodes with that from votes on the same episodes cut short.

    It works for any two sets of votes on the same agents: two groups of voters, two months, two kinds of task. Votes
    are clustered as for `rank`.

    Raises:
        InvalidInput: If fewer than three agents are in both, or one set of votes cannot rank them.
    """
    check_level(level)
    common = sorted(set(original.agents) & set(truncated.agents))
    if len(common) < 3:
        raise InvalidInput(
            f"expected at least three agents in both sets of votes, got {len(common)}", fix="compare the same agents"
        )
    notes: tuple[str, ...] = ()
    solved: list[tuple[Floats, Floats]] = []
    units: list[str] = []
    for name, votes in (("first", original), ("second", truncated)):
        place = {agent: code for code, agent in enumerate(votes.agents) if agent in common}
        known = np.isin(np.arange(len(votes.agents)), list(place.values()))
        keep = known[votes.left] & known[votes.right]
        selected = votes if keep.all() else votes.where(keep)
        if not keep.all():
            left_out = ", ".join(sorted(set(votes.agents) - set(common)))
            notes += (
                f"the {name} votes: {int((~keep).sum())} were left out, because their agents are in one set only: "
                f"{left_out}",
            )
        if set(selected.agents) != set(common):
            raise InvalidInput(f"the {name} votes do not compare the common agents: {', '.join(common)}")
        pair_counts = counts(selected)
        used, more = choose_prior(pair_counts, None)
        strengths = fit_counts(pair_counts, used)
        clusters = clusters_of(selected, cluster)
        both = len(clusters.codes) == 2
        varied = vary(selected, clusters, strengths, used, resamples=resamples, rng=rng, sandwich=both)
        notes += tuple(f"the {name} votes: {note}" for note in (*more, *clusters.notes))
        if varied.helped:
            notes += (f"the {name} votes: {varied.helped} of {resamples} resamples needed the light prior",)
        units.append(" and ".join(f"{kind}s" for kind in clusters.codes) or "votes")
        order = [selected.agents.index(agent) for agent in common]
        solved.append((strengths[order], varied.drawn[order]))
    (first, first_drawn), (second, second_drawn) = solved
    if min(np.ptp(first), np.ptp(second)) < 1e-9:
        raise InvalidInput("one set of votes gives all agents the same rating, so there is no order to compare")
    taus = _paired_taus(first_drawn, second_drawn)
    rhos = spearman_rhos(first_drawn, second_drawn)
    notes += (
        "resampling adds noise to both orders, so intervals are somewhat low: the agreement is at least as "
        "good as they say",
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
    """Return tau of each column of one array with the same column of the other."""
    first_agent, second_agent = np.triu_indices(len(first), 1)
    signs = [np.sign(np.round(sets[first_agent] - sets[second_agent], 9)) for sets in (first, second)]
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
