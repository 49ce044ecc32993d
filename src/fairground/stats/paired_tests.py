"""Tests and effect sizes for two agents on the same tasks and for independent samples, and Holm's correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from fairground.core import InvalidInput
from fairground.stats.interval import Interval
from fairground.stats.proportions import check_numbers, check_whole, clopper_pearson, score_bounds, two_sided_z, wilson

Floats = NDArray[np.float64]
Choice = Literal["exact", "approximate"]

EXACT_BELOW = 25
"""McNemar: with fewer changes than this the chi-square approximation is poor, and the exact test is recommended."""

LARGEST_EXACT = 500
"""Wilcoxon: maximum number of nonzero differences for the exact distribution (about 0.2 s at the limit)."""


@dataclass(frozen=True)
class McNemar:
    """McNemar's test: whether as many pairs changed in one direction as in the other.

    Attributes:
        improved: Number of pairs that went from failure to success (b).
        regressed: Number of pairs that went from success to failure (c).
        difference: b - c: the direction of the change.
        statistic: (b - c)^2 / (b + c), without continuity correction; 0 if nothing changed.
        p_chi_square: Two-sided p-value from the chi-square distribution with one degree of freedom.
        p_exact: Two-sided p-value from the binomial distribution: twice the smaller tail, at most 1.
        recommended: Which of the two to report.
        p_value: The recommended one.
        odds_ratio: b / c, the effect size of the test, with an exact interval. Infinite if nothing regressed, None if
            nothing changed.
        risk_difference: (b - c) / pairs, the change of the success rate, with Bonett and Price's interval. None if the
            number of pairs was not given.
        notes: Caveats for the reader.
    """

    improved: int
    regressed: int
    difference: int
    statistic: float
    p_chi_square: float
    p_exact: float
    recommended: Choice
    p_value: float
    odds_ratio: Interval | None
    risk_difference: Interval | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wilcoxon:
    """Wilcoxon's signed-rank test: whether paired differences are symmetric around zero.

    Attributes:
        pairs: Number of differences.
        nonzero: Number of nonzero differences. Only these are ranked.
        w_plus: Rank sum of the positive differences. Ties share the average rank.
        w_minus: Rank sum of the negative differences.
        mean_difference: Mean of all differences, including zeros.
        z: Standardised w_plus, with tie correction, without continuity correction; 0 if all differences are zero.
        p_normal: Two-sided p-value from z.
        p_exact: Two-sided p-value over all sign assignments of the observed ranks, including ties. None above
            `LARGEST_EXACT`.
        recommended: Which of the two to report: the exact one if it was computed.
        p_value: The recommended one.
        rank_biserial: (w_plus - w_minus) / (w_plus + w_minus), from -1 to 1: the effect size.
        notes: Caveats for the reader.
    """

    pairs: int
    nonzero: int
    w_plus: float
    w_minus: float
    mean_difference: float
    z: float
    p_normal: float
    p_exact: float | None
    recommended: Choice
    p_value: float
    rank_biserial: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TwoProportions:
    """Comparison of two independent success rates.

    Attributes:
        first: The first rate, with Wilson's interval.
        second: The second rate, with Wilson's interval.
        difference: first - second, with Newcombe's interval (from the two Wilson intervals).
        odds_ratio: Odds of the first divided by odds of the second. If a cell is empty, half a success and half a
            failure are added to each side, and the method says so.
        z: The pooled z statistic, without continuity correction; 0 if both rates are 0 or both 1.
        p_value: Two-sided p-value from z.
        notes: Caveats for the reader.
    """

    first: Interval
    second: Interval
    difference: Interval
    odds_ratio: Interval
    z: float
    p_value: float
    notes: tuple[str, ...] = ()


def mcnemar(improved: int, regressed: int, *, pairs: int | None = None, level: float = 0.95) -> McNemar:
    """Compute McNemar's test on the pairs that changed, exact and approximate.

    Args:
        improved: Number of pairs that went from failure to success.
        regressed: Number of pairs that went from success to failure.
        pairs: Number of all pairs, changed or not. Needed only for the risk difference.
        level: Confidence level of the effect sizes.
    """
    z = two_sided_z(level)
    b, c = _count(improved, "improved"), _count(regressed, "regressed")
    changed = b + c
    statistic = (b - c) ** 2 / changed if changed else 0.0
    p_chi_square = float(special.erfc((statistic / 2) ** 0.5))
    p_exact = min(1.0, 2 * float(special.bdtr(min(b, c), changed, 0.5))) if changed else 1.0
    exact = changed < EXACT_BELOW
    notes = []
    if not changed:
        notes.append("No pair changed, so the test has no data. This is not evidence that the two are equal.")
    elif changed < 6:
        notes.append(f"With only {changed} changed pairs no result can reach p < 0.05.")
    return McNemar(
        improved=b,
        regressed=c,
        difference=b - c,
        statistic=statistic,
        p_chi_square=p_chi_square,
        p_exact=p_exact,
        recommended="exact" if exact else "approximate",
        p_value=p_exact if exact else p_chi_square,
        odds_ratio=_discordant_ratio(b, c, level) if changed else None,
        risk_difference=None if pairs is None else _paired_difference(b, c, _count(pairs, "pairs"), z, level),
        notes=tuple(notes),
    )


def wilcoxon(differences: ArrayLike) -> Wilcoxon:
    """Compute Wilcoxon's signed-rank test on paired differences. Zeros are not ranked; ties share ranks.

    Two differences tie if they are equal as numbers. Round rates beforehand: 0.3 - 0.2 is not exactly 0.1.
    """
    array = check_numbers(differences, "differences")
    nonzero = array[array != 0]
    size = len(nonzero)
    if not size:
        note = "All differences are zero, so there is nothing to rank. This is not evidence that the two are equal."
        return Wilcoxon(len(array), 0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, "exact", 1.0, 0.0, (note,))
    _, place, ties = np.unique(np.abs(nonzero), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(ties) - ties + 1)[place]  # twice the average rank: an integer even with ties
    up, total = int(doubled[nonzero > 0].sum()), size * (size + 1)
    # Python integers: cubes of a million ties exceed 64 bits.
    tie_term = sum(t**3 - t for t in ties.tolist())
    variance = size * (size + 1) * (2 * size + 1) / 24 - tie_term / 48
    z = (up / 2 - total / 4) / variance**0.5
    p_normal = float(special.erfc(abs(z) / 2**0.5))
    p_exact = _signed_rank_p(doubled, up) if size <= LARGEST_EXACT else None
    notes = []
    if size < 6:
        notes.append(f"With only {size} nonzero differences no result can reach p < 0.05.")
    if p_exact is None:
        notes.append(
            f"More than {LARGEST_EXACT} nonzero differences: the normal approximation is used, which is accurate there."
        )
    return Wilcoxon(
        pairs=len(array),
        nonzero=size,
        w_plus=up / 2,
        w_minus=(total - up) / 2,
        mean_difference=float(array.mean()),
        z=z,
        p_normal=p_normal,
        p_exact=p_exact,
        recommended="approximate" if p_exact is None else "exact",
        p_value=p_normal if p_exact is None else p_exact,
        rank_biserial=(2 * up - total) / total,
        notes=tuple(notes),
    )


def holm(p_values: ArrayLike) -> Floats:
    """Return Holm's adjusted p-values, in the order given. Compare each with the family-wise error rate.

    Valid under any dependence between the tests.
    """
    p = check_numbers(p_values, "p_values")
    if p.min() < 0 or p.max() > 1:
        raise InvalidInput(f"p_values: expected numbers from 0 to 1, got {p.min():g} to {p.max():g}")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted


def two_proportions(
    first_successes: int, first_trials: int, second_successes: int, second_trials: int, *, level: float = 0.95
) -> TwoProportions:
    """Compute the two-proportion z test, for rates from independent trials.

    Rollouts of the same tasks are not independent: compare those by task (`wilcoxon`, `mcnemar`) or with the
    hierarchical bootstrap.
    """
    first, second = wilson(first_successes, first_trials, level), wilson(second_successes, second_trials, level)
    p, q = first.estimate, second.estimate
    pooled = (first_successes + second_successes) / (first_trials + second_trials)
    spread = (pooled * (1 - pooled) * (1 / first_trials + 1 / second_trials)) ** 0.5
    z = (p - q) / spread if spread else 0.0
    low = p - q - ((p - first.low) ** 2 + (second.high - q) ** 2) ** 0.5
    high = p - q + ((first.high - p) ** 2 + (q - second.low) ** 2) ** 0.5
    notes = () if spread else ("both rates are at the same extreme, so the test has no data; use the interval",)
    return TwoProportions(
        first=first,
        second=second,
        difference=Interval(p - q, max(-1.0, low), min(1.0, high), level, "newcombe"),
        odds_ratio=_odds_ratio((first_successes, first_trials), (second_successes, second_trials), level),
        z=z,
        p_value=float(special.erfc(abs(z) / 2**0.5)),
        notes=notes,
    )


def cohens_d(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Interval:
    """Return the difference of two means in units of their pooled standard deviation, with a large-sample interval."""
    a, b = _two_or_more(first, "first"), _two_or_more(second, "second")
    size = len(a) + len(b)
    squares = float(a.var() * len(a) + b.var() * len(b))
    deviation = (squares / (size - 2)) ** 0.5
    d = _standardise(float(a.mean() - b.mean()), deviation, a, b)
    half = two_sided_z(level) * (size / (len(a) * len(b)) + d * d / (2 * size)) ** 0.5
    return Interval(d, d - half, d + half, level, "cohen's d, pooled SD, normal")


def cohens_d_paired(differences: ArrayLike, *, level: float = 0.95) -> Interval:
    """Return the mean paired difference in units of the standard deviation of the differences (d_z).

    The interval is a large-sample one. d_z is not on the scale of `cohens_d`: it is larger if pairs agree well.
    """
    array = _two_or_more(differences, "differences")
    d = _standardise(float(array.mean()), float(array.std(ddof=1)), array)
    half = two_sided_z(level) * (1 / len(array) + d * d / (2 * len(array))) ** 0.5
    return Interval(d, d - half, d + half, level, "cohen's d of paired differences, normal")


def cliffs_delta(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Interval:
    """Return the probability that a value of the first sample exceeds one of the second, minus that of the opposite.

    The interval is Cliff's, which is skewed to stay within [-1, 1]. If the samples do not overlap, it is the Wilson
    bound for as many trials as the smaller sample has values.
    """
    z = two_sided_z(level)
    a, b = _two_or_more(first, "first"), _two_or_more(second, "second")
    m, n = len(a), len(b)
    wins, losses = _dominance(a, b), _dominance(b, a)
    delta = float(wins.mean())
    if abs(delta) == 1:
        bound = 2 * score_bounds(1.0, min(m, n), level)[0] - 1
        low, high = sorted((delta, delta * bound))
        return Interval(delta, low, high, level, "cliff's delta, wilson bound (no overlap)")
    untied = m * n - _ties(a, b)
    rows, columns = float(((wins - delta) ** 2).sum()), float(((-losses - delta) ** 2).sum())
    cells = untied - m * n * delta**2
    variance = (n * n * rows + m * m * columns - cells) / (m * n * (m - 1) * (n - 1))
    variance = max(variance, (1 - delta**2) / (m * n - 1))  # the unbiased estimate can be smaller than possible
    room = 1 - delta**2
    middle, half = delta * room, z * (variance * (room**2 + z * z * variance)) ** 0.5
    scale = room + z * z * variance
    low, high = max(-1.0, (middle - half) / scale), min(1.0, (middle + half) / scale)
    return Interval(delta, min(low, delta), max(high, delta), level, "cliff's delta, asymmetric normal")


def _signed_rank_p(doubled: NDArray[np.int64], up: int) -> float:
    """Return twice the smaller tail of the rank sum with random signs, by dynamic programming over ranks."""
    common = int(np.gcd.reduce(doubled))  # many ties share a divisor, which makes the table of sums smaller
    doubled, up = doubled // common, up // common
    chance = np.zeros(int(doubled.sum()) + 1)
    chance[0] = 1.0
    reached = 0
    for rank in np.sort(doubled).tolist():  # small ranks first, so that the number of reachable sums grows slowly
        halved = chance[: reached + 1] / 2
        chance[: reached + 1] = halved
        chance[rank : rank + reached + 1] += halved
        reached += rank
    return min(1.0, 2 * min(float(chance[: up + 1].sum()), float(chance[up:].sum())))


def _discordant_ratio(b: int, c: int, level: float) -> Interval:
    share = clopper_pearson(b, b + c, level)
    low, high = (end / (1 - end) if end < 1 else float("inf") for end in (share.low, share.high))
    return Interval(b / c if c else float("inf"), low, high, level, "exact")


def _paired_difference(b: int, c: int, pairs: int, z: float, level: float) -> Interval:
    if pairs < max(1, b + c):
        raise InvalidInput(f"pairs: expected at least 1 and at least the {b + c} that changed, got {pairs}")
    difference = (b - c) / pairs
    up, down = (b + 1) / (pairs + 2), (c + 1) / (pairs + 2)  # one more pair in each direction, after Bonett and Price
    half = z * ((up + down - (up - down) ** 2) / (pairs + 2)) ** 0.5
    low, high = max(-1.0, up - down - half), min(1.0, up - down + half)
    return Interval(difference, min(low, difference), max(high, difference), level, "bonett-price")


def _odds_ratio(first: tuple[int, int], second: tuple[int, int], level: float) -> Interval:
    cells = [first[0], first[1] - first[0], second[0], second[1] - second[0]]
    added = 0.0 if all(cells) else 0.5
    a, b, c, d = (cell + added for cell in cells)
    log, half = np.log(a * d / (b * c)), two_sided_z(level) * (1 / a + 1 / b + 1 / c + 1 / d) ** 0.5
    method = "log normal, half added to each cell" if added else "log normal"
    return Interval(float(np.exp(log)), float(np.exp(log - half)), float(np.exp(log + half)), level, method)


def _dominance(a: Floats, b: Floats) -> Floats:
    """Return, per value of a, the share of b below it minus the share above it."""
    ordered = np.sort(b)
    below, up_to = np.searchsorted(ordered, a, "left"), np.searchsorted(ordered, a, "right")
    return (below - (len(b) - up_to)) / len(b)


def _ties(a: Floats, b: Floats) -> int:
    ordered = np.sort(b)
    return int((np.searchsorted(ordered, a, "right") - np.searchsorted(ordered, a, "left")).sum())


def _standardise(difference: float, deviation: float, *samples: Floats) -> float:
    if not deviation or all(np.ptp(sample) == 0 for sample in samples):
        raise InvalidInput(
            "effect size: the values do not vary, so the standard deviation is 0",
            fix="report the difference itself",
        )
    return difference / deviation


def _two_or_more(values: ArrayLike, what: str) -> Floats:
    array = check_numbers(values, what)
    if len(array) < 2:
        raise InvalidInput(f"{what}: expected at least 2 values, got {len(array)}")
    return array


def _count(value: int, what: str) -> int:
    number = check_whole(value, what)
    if number.ndim or number < 0:
        raise InvalidInput(f"{what}: expected one integer of 0 or more, got {value!r}")
    return int(number)
