"""How many votes are needed to distinguish two agents.

The test is two-sided: are the votes with a winner between two agents split evenly? It uses only these two agents. A
ranking also uses votes against others, so its power is somewhat higher.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from fairground.core import InvalidInput

TIES = ("apart", "half")
"""What a gap in rating points refers to: votes with a winner only, or all votes with ties as half a win."""


@dataclass(frozen=True)
class VotesNeeded:
    """Number of votes needed to detect a gap.

    Attributes:
        votes: All votes, including ties, so that the expected number of votes with a winner is sufficient; multiplied
            by the design effect.
        decisive: Independent votes with a winner, by the normal approximation.
        decisive_exact: The same by the exact binomial test: it has the power from this number on.
        win_share: The better agent's share of the votes with a winner.
        power: The target power.
        exact_power: Power of the exact binomial test with `decisive` votes.
        gap: Gap in rating points.
        alpha: Two-sided error rate.
        design_effect: Number of votes equivalent to one independent vote.
    """

    votes: int
    decisive: int
    decisive_exact: int
    win_share: float
    power: float
    exact_power: float
    gap: float
    alpha: float
    design_effect: float = 1.0


def win_share(gap: float, *, tie_rate: float = 0.0, ties: str = "apart") -> float:
    """Return the better agent's share of the votes with a winner, for a gap in rating points.

    Args:
        gap: Difference of the ratings.
        tie_rate: Share of all votes that are ties.
        ties: "apart" if the gap describes votes with a winner: 1 / (1 + 10^(-gap/400)). "half" if it comes from ratings
            that count ties as half a win each way, as `rank` does: ties shrink ratings, so votes with a winner must be
            less even for the same gap.
    """
    _check(tie_rate=tie_rate, ties=ties)
    if not math.isfinite(gap):
        raise InvalidInput(f"gap: expected a finite number of rating points, got {gap!r}")
    share = 1 / (1 + 10 ** (-abs(gap) / 400))
    if ties == "apart":
        return share
    share = 0.5 + (share - 0.5) / (1 - tie_rate)
    if share >= 1:
        raise InvalidInput(
            f"with {tie_rate:.0%} ties, ratings that count ties as half cannot be {gap:g} points apart",
            fix="use a smaller gap or tie rate",
        )
    return share


def vote_power(
    votes: int,
    gap: float,
    *,
    alpha: float = 0.05,
    tie_rate: float = 0.0,
    ties: str = "apart",
    method: str = "normal",
    design_effect: float = 1.0,
) -> float:
    """Return the probability that a number of votes detects a gap.

    Args:
        votes: All votes between the two agents, including ties.
        gap: True difference of their ratings.
        alpha: Two-sided error rate of the test.
        tie_rate: Share of the votes that are ties.
        ties: What the gap refers to; see `win_share`.
        method: "normal": the normal approximation. "exact": the binomial test, for the expected number of votes with a
            winner.
        design_effect: Number of votes equivalent to one independent vote; `Ranking.design_effect` of a pilot.
    """
    _check(alpha=alpha, design_effect=design_effect)
    if votes < 1:
        raise InvalidInput(f"votes: expected an integer of at least 1, got {votes!r}")
    share = win_share(gap, tie_rate=tie_rate, ties=ties)
    decisive = votes * (1 - tie_rate) / design_effect
    if method == "normal":
        return _normal_power(decisive, share, alpha)
    if method == "exact":
        return _exact_power(math.floor(decisive + 1e-9), share, alpha)
    raise InvalidInput(f"method: expected normal or exact, got {method!r}")


def votes_needed(
    gap: float,
    *,
    power: float = 0.9,
    alpha: float = 0.05,
    tie_rate: float = 0.0,
    ties: str = "apart",
    design_effect: float = 1.0,
) -> VotesNeeded:
    """Return how many votes between two agents detect a gap with the given power.

    If p is the better agent's share of the votes with a winner, their number is ((z(1 - alpha/2) / 2 + z(power) sqrt(p
    (1 - p))) / (p - 1/2))^2, rounded up. Ties come on top.

    Args:
        gap: The difference of ratings to detect.
        power: Probability of detecting it.
        alpha: Two-sided error rate of the test.
        tie_rate: Expected share of ties.
        ties: What the gap refers to; see `win_share`.
        design_effect: Number of votes equivalent to one independent vote; `Ranking.design_effect` of a pilot.
    """
    _check(alpha=alpha, power=power, design_effect=design_effect)
    share = win_share(gap, tie_rate=tie_rate, ties=ties)
    if share - 0.5 < 1e-6:
        raise InvalidInput(
            f"gap: {gap:g} points are too few to detect with any number of votes", fix="use a larger gap"
        )
    reach = float(ndtri(1 - alpha / 2)) / 2 + float(ndtri(power)) * math.sqrt(share * (1 - share))
    decisive = max(1, math.ceil((reach / (share - 0.5)) ** 2 - 1e-9))
    return VotesNeeded(
        votes=math.ceil(decisive * design_effect / (1 - tie_rate) - 1e-9),
        decisive=decisive,
        decisive_exact=_exact_number(decisive, share, alpha, power),
        win_share=share,
        power=power,
        exact_power=_exact_power(decisive, share, alpha),
        gap=abs(gap),
        alpha=alpha,
        design_effect=design_effect,
    )


def detectable_gap(
    votes: int,
    *,
    power: float = 0.9,
    alpha: float = 0.05,
    tie_rate: float = 0.0,
    ties: str = "apart",
    design_effect: float = 1.0,
) -> float:
    """Return the smallest gap, in rating points, that a number of votes detects with the given power.

    Raises:
        InvalidInput: If no gap is large enough for so few votes.
    """
    _check(alpha=alpha, power=power, tie_rate=tie_rate, ties=ties, design_effect=design_effect)
    if votes < 1:
        raise InvalidInput(f"votes: expected an integer of at least 1, got {votes!r}")
    decisive = votes * (1 - tie_rate) / design_effect

    def missing(share: float) -> float:
        return _normal_power(decisive, share, alpha) - power

    top = 1 - 1e-9
    if missing(top) < 0:
        raise InvalidInput(f"{votes} votes cannot detect any gap with a power of {power:g}", fix="collect more votes")
    from scipy.optimize import brentq  # late: it takes as long to load as all of this room

    share = float(brentq(missing, 0.5, top, xtol=1e-13))
    if ties == "half":
        share = 0.5 + (share - 0.5) * (1 - tie_rate)
    return 400 * math.log10(share / (1 - share))


def _normal_power(decisive: float, share: float, alpha: float) -> float:
    """Return the power of the test that compares the share of wins with one half, including wrong-side errors."""
    critical = float(ndtri(1 - alpha / 2)) / 2
    shift = (share - 0.5) * math.sqrt(decisive)
    spread = math.sqrt(share * (1 - share))
    return float(ndtr((shift - critical) / spread) + ndtr((-critical - shift) / spread))


def _exact_power(decisive: int, share: float, alpha: float) -> float:
    """Return the power of the binomial test.

    It rejects from the number of wins on that a fair coin reaches with probability at most alpha / 2.
    """
    return float(_exact_powers(np.array([decisive]), share, alpha)[0])


def _exact_powers(decisive: NDArray[np.int64], share: float, alpha: float) -> NDArray[np.float64]:
    # isf gives the smallest k with P(X > k) <= alpha / 2, so that k + 1 or more wins reject. Beyond all votes none do.
    from scipy.stats import binom  # late: it takes as long to load as all of this room

    critical = binom.isf(alpha / 2, decisive, 0.5) + 1
    power = binom.sf(critical - 1, decisive, share) + binom.cdf(decisive - critical, decisive, share)
    return np.where(critical <= decisive, power, 0.0)


def _exact_number(near: int, share: float, alpha: float, power: float) -> int:
    """Return the number of votes from which on the exact power never falls below the target.

    Exact power increases in saw teeth. The last tooth below the target is searched around the approximation.
    """
    reach = 60 + 6 * math.isqrt(near)
    numbers = np.arange(max(1, near - reach), near + reach)
    short = numbers[_exact_powers(numbers, share, alpha) < power]
    return int(short[-1]) + 1 if len(short) else int(numbers[0])


def _check(
    *,
    alpha: float = 0.05,
    power: float = 0.9,
    tie_rate: float = 0.0,
    ties: str = "apart",
    design_effect: float = 1.0,
) -> None:
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0 < value < 1:
            raise InvalidInput(f"{name}: expected a number between 0 and 1, got {value!r}")
    if power <= alpha:
        raise InvalidInput(f"power: expected more than alpha ({alpha:g}), got {power:g}")
    if not 0 <= tie_rate < 1:
        raise InvalidInput(f"tie_rate: expected a number from 0 to below 1, got {tie_rate!r}")
    if ties not in TIES:
        raise InvalidInput(f"ties: expected {' or '.join(TIES)}, got {ties!r}")
    if not (design_effect > 0 and math.isfinite(design_effect)):
        raise InvalidInput(f"design_effect: expected a number above 0, got {design_effect!r}", fix="use 1 for none")
