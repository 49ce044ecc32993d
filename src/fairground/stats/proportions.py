"""Intervals for success rates, scalar and vectorised, and their exact coverage.

Every interval is within [0, 1] and contains its estimate. Its end is exact where the data are one-sided: 0 at no
success, 1 at no failure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

BoundsFunction = Callable[[Counts, Counts, float], tuple[Floats, Floats]]
"""Function of successes, trials and a level that returns low and high ends, such as `wilson_bounds`."""

_LARGEST_COUNT = 2**53
_CELLS_AT_ONCE = 4_000_000


def wilson(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Wilson's score interval: the usual choice, with correct mean coverage from three trials up."""
    return _one("wilson", wilson_bounds, successes, trials, level)


def clustered_wilson(successes: ArrayLike, trials: ArrayLike, level: float = 0.95) -> Interval:
    """Wilson's interval for trials in groups whose members resemble each other, such as attempts at one scenario.

    Its width is that for the number of independent trials with the same variance as the groups, and never narrower than
    for all trials. With few groups, Student's quantile makes it wider. If all trials agree, the data do not show how
    similar trials of a group are, so each group counts once. In a single group the trials are treated as independent,
    because the rate is then that of this group.

    Args:
        successes: Successes per group.
        trials: Trials per group.
        level: Confidence level.
    """
    c, n = check_counts(successes, trials)
    groups, total = n.size, int(n.sum())
    rate, size, z = int(c.sum()) / total, float(total), two_sided_z(level)
    if groups > 1 and 0 < rate < 1:
        spread = groups / (groups - 1) * float(((c - rate * n) ** 2).sum()) / total**2
        z = -float(special.stdtrit(groups - 1, (1 - level) / 2))
        size = min(size, rate * (1 - rate) / spread) if spread > 0 else size
    elif groups > 1:
        size = float(groups)
    low, high = _finish(c.sum(), n.sum(), *score_ends(rate, size, z))
    return Interval(rate, float(low), float(high), level, "clustered wilson")


def wald(successes: int, trials: int, level: float = 0.95) -> Interval:
    """The textbook interval p +/- z*sqrt(p(1-p)/n). For comparison only: its width is 0 at 0 and at n successes."""
    return _one("wald", wald_bounds, successes, trials, level)


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> Interval:
    """The exact interval. Its coverage is at least `level` for every true rate, so it is wider than necessary."""
    return _one("clopper-pearson", clopper_pearson_bounds, successes, trials, level)


def jeffreys(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Equal-tailed posterior interval under a Beta(1/2, 1/2) prior. Low is 0 at no success, high 1 at no failure."""
    return _one("jeffreys", jeffreys_bounds, successes, trials, level)


def wilson_bounds(successes: ArrayLike, trials: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of Wilson's interval for arrays of counts. Either argument may be a single number."""
    c, n = check_counts(successes, trials)
    return _finish(c, n, *score_ends(c / n, n, two_sided_z(level)))


def wald_bounds(successes: ArrayLike, trials: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of Wald's interval for arrays of counts."""
    c, n = check_counts(successes, trials)
    rate = c / n
    half = two_sided_z(level) * np.sqrt(rate * (1 - rate) / n)
    return _finish(c, n, rate - half, rate + half)


def clopper_pearson_bounds(successes: ArrayLike, trials: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of the exact interval for arrays of counts."""
    c, n = check_counts(successes, trials)
    tail = (1 - check_level(level)) / 2
    low = special.betaincinv(np.maximum(c, 1), n - c + 1, tail)
    high = special.betainccinv(c + 1, np.maximum(n - c, 1), tail)
    return _finish(c, n, low, high)


def jeffreys_bounds(successes: ArrayLike, trials: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of Jeffreys' interval for arrays of counts."""
    c, n = check_counts(successes, trials)
    tail = (1 - check_level(level)) / 2
    low = special.betaincinv(c + 0.5, n - c + 0.5, tail)
    high = special.betainccinv(c + 0.5, n - c + 0.5, tail)
    return _finish(c, n, low, high)


def mean_interval(
    values: ArrayLike, *, smallest: float = 0.0, largest: float = 1.0, level: float = 0.95, what: str = "values"
) -> Interval:
    """Return the mean of independent bounded values with its interval.

    Student's t interval, clipped to the bounds. If all values are equal, t would claim certainty. Then Wilson's
    interval with the mean as its rate is used. This is conservative: among all values between two bounds with a given
    mean, those at the bounds vary most.

    Args:
        values: At least one number.
        smallest: Lower bound of the values.
        largest: Upper bound of the values.
        level: Confidence level.
        what: Name of the values in errors.
    """
    array = check_numbers(values, what)
    if array.min() < smallest or array.max() > largest:
        raise InvalidInput(
            f"{what}: expected numbers from {smallest:g} to {largest:g}, got {array.min():g} to {array.max():g}",
            fix="give the true bounds as `smallest` and `largest`",
        )
    check_level(level)
    mean, size, span = float(array.mean()), len(array), largest - smallest
    if np.ptp(array) > 0:
        t = -float(special.stdtrit(size - 1, (1 - level) / 2))
        half = t * float(array.std(ddof=1)) / size**0.5
        return Interval(mean, max(smallest, mean - half), min(largest, mean + half), level, "t")
    if span == 0:
        return Interval(mean, mean, mean, level, "no other value is possible")
    mean = float(array[0])
    low, high = score_bounds((mean - smallest) / span, size, level)
    ends = min(mean, smallest + span * low), max(mean, smallest + span * high)
    return Interval(mean, *ends, level, "wilson bound (no spread in the data)")


def score_bounds(rate: float, size: float, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's ends around the mean of `size` values between 0 and 1, counts or not."""
    low, high = score_ends(np.float64(rate), np.float64(size), two_sided_z(level))
    return min(max(0.0, float(low)), rate), max(min(1.0, float(high)), rate)


def exact_coverage(bounds: BoundsFunction, trials: int, p: ArrayLike, level: float = 0.95) -> Floats:
    """Return the exact coverage of an interval: summed over every possible number of successes.

    Args:
        bounds: The kind of interval, such as `wilson_bounds`.
        trials: Number of trials behind each interval.
        p: True rates to evaluate.
        level: Nominal level of the intervals.

    Returns:
        For each true rate, the probability that the interval contains it (including its ends).
    """
    truth = check_numbers(np.ravel(np.asarray(p)), "p")
    if truth.min() < 0 or truth.max() > 1:
        raise InvalidInput(f"p: expected rates from 0 to 1, got {truth.min():g} to {truth.max():g}")
    _, n = check_counts(0, trials)
    if n.ndim:
        raise InvalidInput(f"trials: expected one number, got {n.size}", fix="evaluate one number of trials at a time")
    counts = np.arange(int(n) + 1)
    low, high = bounds(counts, np.full_like(counts, int(n)), check_level(level))
    choose = special.gammaln(n + 1) - special.gammaln(counts + 1) - special.gammaln(n - counts + 1)
    covered = np.empty(len(truth))
    rows = max(1, _CELLS_AT_ONCE // len(counts))
    for start in range(0, len(truth), rows):
        at = truth[start : start + rows, None]
        chance = np.exp(choose + special.xlogy(counts, at) + special.xlog1py(n - counts, -at))
        covered[start : start + rows] = np.where((low <= at) & (at <= high), chance, 0.0).sum(axis=1)
    return np.minimum(covered, 1.0).reshape(np.shape(p))


def check_counts(successes: ArrayLike, trials: ArrayLike) -> tuple[Counts, Counts]:
    """Return successes and trials as integers of one shape, with 0 <= successes <= trials and trials >= 1."""
    c, n = check_whole(successes, "successes"), check_whole(trials, "trials")
    try:
        c, n = np.broadcast_arrays(c, n)
    except ValueError:
        raise InvalidInput(
            f"successes and trials: expected matching shapes, got {c.shape} and {n.shape}",
            fix="give one number of trials for all, or one for each",
        ) from None
    _refuse_where(n < 1, n, "trials", "at least 1 trial", "leave out what was never tried, and report how many")
    _refuse_where(c < 0, c, "successes", "0 or more", None)
    _refuse_where(c > n, c, "successes", "at most the number of trials", "check the order: (successes, trials)")
    return c, n


def check_whole(values: ArrayLike, what: str) -> Counts:
    """Return integers, at least one. 3.0 is accepted; 2.5 and NaN are not."""
    array = np.asarray(values)
    if array.size == 0:
        raise InvalidInput(f"{what}: expected at least one number, got none")
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"{what}: expected whole numbers, got {_short(values)}")
    if array.dtype.kind == "f":
        _refuse_where(~(np.isfinite(array) & (array == np.floor(array))), array, what, "a whole number", None)
    # Beyond 2^53 a count is not exact as a float, and rates are floats.
    _refuse_where(np.abs(array.astype(np.float64)) > _LARGEST_COUNT, array, what, "a count below 2^53", None)
    return array.astype(np.int64)


def check_numbers(values: ArrayLike, what: str) -> Floats:
    """Return a flat array of at least one finite number."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{what}: expected numbers, got {_short(values)}") from None
    if array.ndim != 1:
        raise InvalidInput(f"{what}: expected a list of numbers, got an array of shape {array.shape}")
    if not array.size:
        raise InvalidInput(f"{what}: expected at least one number, got none")
    _refuse_where(~np.isfinite(array), array, what, "a finite number", "remove missing values before, and count them")
    return array


def two_sided_z(level: float) -> float:
    """Return the number of standard errors each way for a normal interval of this level: 1.96 for 0.95."""
    return -float(
        special.ndtri((1 - check_level(level)) / 2)
    )  # computed from the lower tail, which is more accurate near level 1


def _one(method: str, bounds: BoundsFunction, successes: int, trials: int, level: float) -> Interval:
    c, n = check_counts(successes, trials)
    if c.ndim:
        raise InvalidInput(
            f"successes: expected one number, got {c.size}",
            fix=f"use {bounds.__name__} for arrays",
        )
    low, high = bounds(c, n, level)
    return Interval(int(c) / int(n), float(low), float(high), level, method)


def score_ends(rate: Any, size: Any, z: Any) -> tuple[Any, Any]:
    """Return Wilson's ends around rates for numbers of trials, `z` standard errors each way; not clipped to [0, 1]."""
    shrink = 1 + z * z / size
    middle = (rate + z * z / (2 * size)) / shrink
    half = z / shrink * np.sqrt(rate * (1 - rate) / size + (z / (2 * size)) ** 2)
    return middle - half, middle + half


def _finish(c: Counts, n: Counts, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Make the ends exact where one-sided, clip to [0, 1], and include the estimate even after rounding."""
    rate = c / n
    low = np.where(c == 0, 0.0, np.clip(np.minimum(low, rate), 0.0, 1.0))
    high = np.where(c == n, 1.0, np.clip(np.maximum(high, rate), 0.0, 1.0))
    return low, high


def _refuse_where(bad: NDArray[np.bool_], values: NDArray[Any], what: str, expected: str, fix: str | None) -> None:
    if not np.any(bad):
        return
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    at = f"[{', '.join(map(str, place))}]" if place else ""
    raise InvalidInput(f"{what}{at}: expected {expected}, got {values[place].item()}", fix=fix)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
