"""Bradley-Terry ratings: one strength per agent, fitted by maximum likelihood.

A vote goes to agent i over agent j with probability 1 / (1 + exp(b_j - b_i)). A tie, of either kind, is half a vote
each way. Strengths sum to 0. A rating is 400 log10(e^b) + 1000, so ratings have mean 1000.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from fairground.core import InvalidInput, unknown
from fairground.stats.votes.votes import PairCounts, Votes, counts

ELO = 400 / math.log(10)
"""Rating points per unit of strength."""
CENTRE = 1000.0
LIGHT_PRIOR = 0.5
"""Virtual tied votes per agent if the votes alone have no finite solution."""

_CLOSE = 1e-10  # convergence tolerance of strengths
_CHORD_STEPS = 25
_NEWTON_STEPS = 200
_MANY_AGENTS = 100  # above this, one matrix per set costs more than conjugate gradients
_CELLS = 1 << 22  # numbers in one batch of matrices

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BradleyTerry:
    """Strengths that fit the votes best.

    Attributes:
        agents: The agents' names.
        strengths: Strength of each agent, in the same order. They sum to 0.
        ratings: Ratings on the Elo scale, by agent: with mean 1000, or relative to the anchor's rating.
        prior: Virtual tied votes per agent that were added; 0 for none.
        notes: Caveats for the reader.
    """

    agents: tuple[str, ...]
    strengths: tuple[float, ...]
    ratings: Mapping[str, float]
    prior: float
    notes: tuple[str, ...] = ()


def bradley_terry(
    votes: Votes | PairCounts, *, anchor: tuple[str, float] | None = None, prior: float | None = None
) -> BradleyTerry:
    """Fit Bradley-Terry strengths to votes.

    Args:
        votes: The votes, or their counts.
        anchor: An agent and its fixed rating. The others are relative to it.
        prior: Number of virtual tied votes per agent, spread evenly over all other agents. None adds half a vote, and
            only if the votes have no finite solution, such as for an agent that never won; a note says so. 0 never adds
            any. A number always adds that many, and also connects groups that never met.

    Raises:
        InvalidInput: If there are no votes or only one agent; if groups of agents never met and no prior is given; or
            if the votes have no finite solution and the prior is 0.
    """
    pair_counts = counts(votes) if isinstance(votes, Votes) else votes
    used, notes = choose_prior(pair_counts, prior)
    strengths = fit_counts(pair_counts, used)
    shown = ratings_of(strengths, pair_counts.agents, anchor)
    ratings = dict(zip(pair_counts.agents, shown.tolist(), strict=True))
    return BradleyTerry(pair_counts.agents, tuple(strengths.tolist()), ratings, used, notes)


def ratings_of(strengths: ArrayLike, agents: Sequence[str], anchor: tuple[str, float] | None = None) -> Floats:
    """Return strengths (agents first, then further axes) on the Elo scale."""
    values = np.asarray(strengths, dtype=np.float64)
    if anchor is None:
        return CENTRE + ELO * values
    moved: Floats = anchor[1] + ELO * (values - values[anchor_place(agents, anchor)])
    return moved


def anchor_place(agents: Sequence[str], anchor: tuple[str, float]) -> int:
    """Return the index of the anchor among the agents, checked."""
    name, rating = anchor
    if name not in agents:
        raise unknown("agent", name, agents)
    if not math.isfinite(rating):
        raise InvalidInput(f"anchor: expected a finite rating, got {rating!r}", fix="write for example ('human', 1000)")
    return agents.index(name)


def choose_prior(found: PairCounts, prior: float | None) -> tuple[float, tuple[str, ...]]:
    """Return the prior that these votes need and are allowed, and notes about it."""
    if prior is not None and not (prior >= 0 and math.isfinite(prior)):
        raise InvalidInput(f"prior: expected a number of votes of 0 or more, got {prior!r}", fix="use 0.5")
    if len(found.agents) < 2:
        raise InvalidInput(
            f"a ranking needs at least two agents, got {len(found.agents)}", fix="add votes about other agents"
        )
    if not (found.total > 0).any():
        raise InvalidInput("a ranking needs votes, got none", fix="collect votes, or check the weights")
    groups = _groups(found, strong=False)
    if len(groups) > 1:
        if not prior:
            raise InvalidInput(
                f"{len(groups)} groups of agents never met, so the votes do not say who is better across them: "
                f"{_listed(groups)}",
                fix=(
                    "collect votes between them, rank each group separately, or give a prior, which makes them "
                    "equal on average"
                ),
            )
        note = f"{len(groups)} groups of agents never met; only the prior relates them: {_listed(groups)}."
        return prior, (note, *_prior_notes(found, prior))
    if prior is None:
        needed = len(_groups(found, strong=True)) > 1
        return (LIGHT_PRIOR, _prior_notes(found, LIGHT_PRIOR)) if needed else (0.0, ())
    if prior == 0 and len(broken := _groups(found, strong=True)) > 1:
        raise InvalidInput(
            f"these votes have no finite ratings: between {_listed(broken)} all votes go one way",
            fix="omit the prior, or give one such as 0.5",
        )
    return prior, _prior_notes(found, prior) if prior else ()


def fit_counts(found: PairCounts, prior: float) -> Floats:
    """Return the strengths of votes that are known to have a finite solution."""
    score, total = found.wins + found.ties / 2, found.total
    pairs = Pairs(len(found.agents), found.first, found.second)
    if prior:
        pairs, score, total = with_prior(pairs, score[:, None], total[:, None], prior)
        return solve(pairs, score, total)[:, 0]
    return solve(pairs, score[:, None], total[:, None])[:, 0]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The agents of each pair. Each pair is listed once."""

    agents: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]

    def incidence(self) -> csr_array:
        """Return a pairs x agents matrix with +1 for the first and -1 for the second agent."""
        rows = np.arange(len(self.first))
        sign = np.ones(len(rows))
        return csr_array(
            coo_array(
                (np.r_[sign, -sign], (np.r_[rows, rows], np.r_[self.first, self.second])), (len(rows), self.agents)
            )
        )


def with_prior(pairs: Pairs, score: Floats, total: Floats, prior: float) -> tuple[Pairs, Floats, Floats]:
    """Return the same votes over all pairs of agents, with each agent's virtual ties added."""
    first, second = np.triu_indices(pairs.agents, 1)
    place = np.empty((pairs.agents, pairs.agents), dtype=np.int64)
    place[first, second] = place[second, first] = np.arange(len(first))
    each = prior / (pairs.agents - 1)
    wide_score = np.full((len(first), score.shape[1]), each / 2)
    wide_total = np.full((len(first), score.shape[1]), each)
    wide_score[place[pairs.first, pairs.second]] += np.where(
        (pairs.first < pairs.second)[:, None], score, total - score
    )
    wide_total[place[pairs.first, pairs.second]] += total
    return Pairs(pairs.agents, first, second), wide_score, wide_total


def information(pairs: Pairs, total: Floats, strengths: Floats) -> Floats:
    """Return the information matrix (minus the second derivatives) at some strengths.

    It is singular along equal shifts.
    """
    chance = expit(strengths[pairs.first] - strengths[pairs.second])
    matrix: Floats = _laplacian(pairs, (total * chance * (1 - chance))[:, None])[0]
    return matrix


def solve(pairs: Pairs, score: Floats, total: Floats, start: Floats | None = None) -> Floats:
    """Return the best strengths for many sets of votes at once: (agents, sets).

    Every set must have a finite solution. Near `start` one matrix serves all sets: steps with its inverse cost a
    hundredth of Newton steps and converge fast. Sets that do not converge get damped Newton steps.

    Args:
        pairs: The pairs.
        score: (pairs, sets): what the first agent of each pair got.
        total: (pairs, sets): number of votes of the pair.
        start: Strengths near all solutions, such as those of the votes that the sets were drawn from.
    """
    sets = score.shape[1]
    near = np.zeros(pairs.agents) if start is None else start
    strengths = np.repeat(near[:, None], sets, axis=1)
    if sets == 1:
        return _newton(pairs, score, total, strengths, None)
    inverse = np.linalg.inv(_grounded(information(pairs, total.mean(axis=1), near)[None])[0])
    rest = np.flatnonzero(_chord(pairs, score, total, inverse, strengths))
    many = pairs.agents > _MANY_AGENTS
    block = max(1, _CELLS // (max(pairs.agents, len(pairs.first)) if many else pairs.agents**2))
    for chunk in (rest[at : at + block] for at in range(0, len(rest), block)):
        begin = np.repeat(near[:, None], len(chunk), axis=1)
        strengths[:, chunk] = _newton(pairs, score[:, chunk], total[:, chunk], begin, inverse if many else None)
    return strengths


def solvable(pairs: Pairs, score: Floats, total: Floats) -> NDArray[np.bool_]:
    """Return which sets of votes have finite strengths: every agent is connected to every other by wins or ties."""
    _, sets = score.shape
    beat = score > 0
    lost = total - score > 1e-12 * total
    edges = [(beat, pairs.first, pairs.second), (lost, pairs.second, pairs.first)]
    heads, tails = [], []
    for there, head, tail in edges:
        pair, number = np.nonzero(there)
        heads.append(number * pairs.agents + head[pair])
        tails.append(number * pairs.agents + tail[pair])
    head, tail, size = np.concatenate(heads), np.concatenate(tails), sets * pairs.agents
    # All sets are in one graph, so that one pass finds the strongly connected components of each.
    graph = csr_array(coo_array((np.ones(len(head), dtype=np.int8), (head, tail)), (size, size)))
    _, part = connected_components(graph, directed=True, connection="strong")
    parts = part.reshape(sets, pairs.agents)
    connected: NDArray[np.bool_] = (parts == parts[:, :1]).all(axis=1)
    return connected


def _chord(pairs: Pairs, score: Floats, total: Floats, inverse: Floats, strengths: Floats) -> NDArray[np.bool_]:
    """Move the strengths by steps with one inverse information matrix for all. Returns which sets did not converge."""
    gather = csr_array(pairs.incidence().T)
    move = np.full(score.shape[1], np.inf)
    for _ in range(_CHORD_STEPS):
        chance = expit(strengths[pairs.first] - strengths[pairs.second])
        chance *= total
        np.subtract(score, chance, out=chance)
        step = inverse @ (gather @ chance)
        size = np.abs(step).max(axis=0)
        going = (size < 1) & (size < move)  # beyond that it diverges, and Newton takes over
        strengths += np.where(going, step, 0)
        move = np.where(going | (size == 0), size, np.inf)
        if not ((move >= _CLOSE) & np.isfinite(move)).any():
            break
    strengths -= strengths.mean(axis=0)
    unsettled: NDArray[np.bool_] = ~(move < _CLOSE)
    return unsettled


def _newton(pairs: Pairs, score: Floats, total: Floats, strengths: Floats, inverse: Floats | None) -> Floats:
    """Take Newton steps, halved if they would lower the likelihood. With an inverse, by conjugate gradients."""
    gather = csr_array(pairs.incidence().T)
    active = np.arange(score.shape[1])
    height = _likelihood(pairs, score, total, strengths)
    for _ in range(_NEWTON_STEPS):
        here, won, met = strengths[:, active], score[:, active], total[:, active]
        chance = expit(here[pairs.first] - here[pairs.second])
        slope = gather @ (won - met * chance)
        weight = met * chance * (1 - chance)
        if inverse is None:
            step = np.linalg.solve(_grounded(_laplacian(pairs, weight)), slope.T[:, :, None])[:, :, 0].T
        else:
            step = _conjugate(pairs, gather, weight, slope, inverse)
        gain = (slope * step).sum(axis=0)
        length = np.ones(len(active))
        for _ in range(50):
            there = _likelihood(pairs, won, met, here + step * length)
            low = there < height[active] - 1e-13 * np.abs(height[active])
            if not low.any():
                break
            length[low] /= 2
        strengths[:, active] = here + step * length
        height[active] = there
        # Second criterion: below the precision of the likelihood, steps cannot be distinguished.
        done = (np.abs(step * length).max(axis=0) < _CLOSE) | (gain < 1e-18 * met.sum(axis=0))
        active = active[~done]
        if not len(active):
            centred: Floats = strengths - strengths.mean(axis=0)
            return centred
    raise ArithmeticError(f"{len(active)} sets of votes did not converge in {_NEWTON_STEPS} Newton steps")


def _conjugate(pairs: Pairs, gather: csr_array, weight: Floats, slope: Floats, inverse: Floats) -> Floats:
    """Return the Newton steps of all sets by conjugate gradients, preconditioned by an approximate inverse.

    For many agents: it needs no matrix per set. Steps are accurate to about six digits; the next step corrects the
    rest.
    """
    step, rest = np.zeros_like(slope), slope - slope.mean(axis=0)
    inverse = inverse - inverse.mean(
        axis=0
    )  # shifts of all strengths are free, and rounding errors would grow along them
    eased = inverse @ rest
    toward, size = eased.copy(), (rest * eased).sum(axis=0)
    enough = 1e-12 * size
    for _ in range(2 * pairs.agents):
        pull = gather @ (weight * (toward[pairs.first] - toward[pairs.second]))
        bend = (toward * pull).sum(axis=0)
        going = (size > enough) & (bend > 0)  # a converged set stays: its next steps would be rounding errors only
        if not going.any():
            break
        stride = np.where(going, size / np.where(going, bend, 1), 0)
        step += stride * toward
        rest -= stride * pull
        eased = inverse @ rest
        last, size = size, np.where(going, (rest * eased).sum(axis=0), 0)
        toward = eased + size / np.where(going, last, 1) * toward
    return step


def _likelihood(pairs: Pairs, score: Floats, total: Floats, strengths: Floats) -> Floats:
    gap = strengths[pairs.first] - strengths[pairs.second]
    height: Floats = (score * gap - total * np.logaddexp(0, gap)).sum(axis=0)
    return height


def _laplacian(pairs: Pairs, weight: Floats) -> Floats:
    """Return (sets, agents, agents) matrices from weights of (pairs, sets)."""
    matrices = np.zeros((weight.shape[1], pairs.agents, pairs.agents))
    matrices[:, pairs.first, pairs.second] = -weight.T
    matrices[:, pairs.second, pairs.first] = -weight.T
    diagonal = np.arange(pairs.agents)
    matrices[:, diagonal, diagonal] = -matrices.sum(axis=2)
    return matrices


def _grounded(matrices: Floats) -> Floats:
    """Remove the freedom to shift all strengths equally, so that steps sum to 0."""
    fixed: Floats = matrices + np.trace(matrices, axis1=1, axis2=2)[:, None, None] / matrices.shape[1] ** 2
    return fixed


def _groups(pair_counts: PairCounts, *, strong: bool) -> list[list[str]]:
    """Return the components of the graph of agents: those that met, or (strong) are connected by wins and ties."""
    size = len(pair_counts.agents)
    beat, lost = pair_counts.wins + pair_counts.ties > 0, pair_counts.losses + pair_counts.ties > 0
    head = np.concatenate([pair_counts.first[beat], pair_counts.second[lost]])
    tail = np.concatenate([pair_counts.second[beat], pair_counts.first[lost]])
    graph = csr_array(coo_array((np.ones(len(head)), (head, tail)), (size, size)))
    number, part = connected_components(graph, directed=True, connection="strong" if strong else "weak")
    return [[pair_counts.agents[at] for at in np.flatnonzero(part == group)] for group in range(number)]


def _prior_notes(pair_counts: PairCounts, prior: float) -> tuple[str, ...]:
    if len(_groups(pair_counts, strong=True)) == 1:
        return (f"a prior of {prior:g} virtual tied votes per agent shrinks all ratings slightly towards each other",)
    size = len(pair_counts.agents)
    won = np.bincount(pair_counts.first, pair_counts.wins + pair_counts.ties, size) + np.bincount(
        pair_counts.second, pair_counts.losses + pair_counts.ties, size
    )
    lost = np.bincount(pair_counts.first, pair_counts.losses + pair_counts.ties, size) + np.bincount(
        pair_counts.second, pair_counts.wins + pair_counts.ties, size
    )
    never = [f"{pair_counts.agents[at]} never won or tied" for at in np.flatnonzero(won == 0)]
    never += [f"{pair_counts.agents[at]} never lost or tied" for at in np.flatnonzero(lost == 0)]
    why = "; ".join(never) or f"all votes between {_listed(_groups(pair_counts, strong=True))} go one way"
    return (
        f"the votes alone have no finite ratings ({why}): {prior:g} virtual tied votes per agent were added. "
        "The distance of these agents from the others depends on the prior, and their intervals are too "
        "narrow on that side",
    )


def _listed(groups: list[list[str]]) -> str:
    shown = ["{" + ", ".join(group[:6]) + (", ..." if len(group) > 6 else "") + "}" for group in groups[:6]]
    return " and ".join(shown) + (" and others" if len(groups) > 6 else "")
