"""Krippendorff's alpha: how much raters of the same units agree, beyond chance."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtri, stdtrit

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Scale = Literal["nominal", "ordinal", "interval", "ratio"]
Ratings = NDArray[Any] | Sequence[Sequence[Any]] | Mapping[Any, Mapping[Any, Any] | Sequence[Any]]

_SCALES = ("nominal", "ordinal", "interval", "ratio")
_MOST_RATIO_VALUES = 3_000
_CELLS_AT_ONCE = 4_000_000
_LARGEST_NUMBER = 1e100  # squares must stay finite


@dataclass(frozen=True)
class Agreement:
    """How much raters agree.

    Attributes:
        alpha: 1 for perfect agreement, 0 for chance agreement, below 0 for systematic disagreement. The interval comes
            from resampled units.
        scale: How values were compared.
        observed: Mean disagreement within units.
        expected: Mean disagreement between values paired at random.
        units: Number of units with at least two values. Only these count.
        values: Number of values in these units.
        left_out: Number of units with fewer than two values.
        notes: Caveats for the reader.
    """

    alpha: Interval
    scale: Scale
    observed: float
    expected: float
    units: int
    values: int
    left_out: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Patterns:
    """Units with the same values are grouped: how often each value occurs in each group, and the size of each group."""

    counts: Any  # sparse, groups x values
    number: Counts
    values: Floats
    unit: float
    """Length of a distance of 1 between `values`, in the data's own scale."""


def krippendorff_alpha(
    ratings: Ratings,
    *,
    rng: np.random.Generator,
    scale: Scale = "nominal",
    level: float = 0.95,
    replicates: int = 2_000,
) -> Agreement:
    """Compute Krippendorff's alpha with a bootstrap interval.

    Args:
        ratings: One row per unit and one column per coder (an array or rows), or a mapping from unit to its values (by
            coder or as a list). None and NaN are missing values. A table with one row per coder must be transposed.
        rng: Random generator.
        scale: "nominal" (equal or not; any hashable values), or for numbers "ordinal" (only the order counts),
            "interval" (squared differences), "ratio" (differences relative to size).
        level: Confidence level.
        replicates: Number of bootstrap resamples of the units.

    Raises:
        InvalidInput: If fewer than two units have two values, or if all values are equal. In that case everybody
            agrees, but nothing shows that raters would distinguish different units.
    """
    if scale not in _SCALES:
        raise InvalidInput(f"scale: expected one of {', '.join(_SCALES)}, got {scale!r}")
    check_level(level)
    if replicates < 100:
        raise InvalidInput(f"replicates: expected at least 100, got {replicates}", fix="use 2,000")
    patterns, left_out = _patterns(ratings, scale)
    units = int(patterns.number.sum())
    point, wanted = _disagreement(patterns, patterns.number[None, :], scale)
    observed, expected = float(point[0]), float(wanted[0])
    estimate = 1 - observed / expected
    draws = _resampled(patterns, scale, replicates, rng)
    known = draws[~np.isnan(draws)]
    notes = []
    if left_out:
        notes.append(f"Left out, because they have fewer than two values: {left_out} of the units.")
    if len(known) < replicates:
        notes.append(f"{replicates - len(known)} of {replicates} resamples contain a single value and are left out.")
    interval = interval_over_units(estimate, known, units, level)
    if interval.width < 1e-12:
        notes.append("The resamples do not vary, so the interval has width 0. This does not mean certainty.")
    return Agreement(
        alpha=interval,
        scale=scale,
        observed=observed * patterns.unit**2,
        expected=expected * patterns.unit**2,
        units=units,
        values=int(patterns.number @ np.asarray(patterns.counts.sum(axis=1)).ravel()),
        left_out=left_out,
        notes=tuple(notes),
    )


def interval_over_units(estimate: float, drawn: Floats, units: int, level: float) -> Interval:
    """Return the percentile interval of resampled units, widened for few units.

    Resamples of n units have a variance that is too small by (n - 1) / n, and normal tails instead of those of
    Student's t with n - 1 degrees of freedom. Both ends are moved away from the estimate accordingly, within -1 and 1.
    """
    if not len(drawn):
        return Interval(estimate, estimate, estimate, level, "no resample has a value")
    tail = (1 + level) / 2
    few = max(units - 1, 1)
    wider = float(np.sqrt(units / few) * stdtrit(few, tail) / ndtri(tail))
    low, high = np.quantile(drawn, [1 - tail, tail]).tolist()
    ends = (estimate + wider * (end - estimate) for end in (min(low, estimate), max(high, estimate)))
    low, high = (min(max(end, -1.0), 1.0) for end in ends)
    return Interval(estimate, min(low, estimate), high, level, "bootstrap over units, percentile with Student's t")


def ratings_from_triples(triples: Iterable[tuple[Hashable, Hashable, Any]]) -> dict[Hashable, dict[Hashable, Any]]:
    """Return ratings by unit and coder, for `krippendorff_alpha`, from (unit, coder, value) in any order.

    Raises:
        InvalidInput: If a coder rated a unit twice.
    """
    ratings: dict[Hashable, dict[Hashable, Any]] = {}
    for number, triple in enumerate(triples):
        try:
            unit, coder, value = triple
        except (TypeError, ValueError):
            raise InvalidInput(f"triples[{number}]: expected (unit, coder, value), got {triple!r}") from None
        given = ratings.setdefault(unit, {})
        if coder in given:
            raise InvalidInput(
                f"triples[{number}]: coder {coder!r} rates unit {unit!r} a second time",
                fix="keep one rating, or name the two occasions as two coders",
            )
        given[coder] = value
    return ratings


def _disagreement(patterns: _Patterns, weights: NDArray[Any], scale: Scale) -> tuple[Floats, Floats]:
    """Return observed and expected disagreement per row of weights. Weights say how often each pattern occurs."""
    counts = patterns.counts
    size = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    share = weights / (size - 1)  # a unit of m values has m(m-1) ordered pairs, and weighs like m values
    total = weights @ size
    if scale == "interval":
        x = patterns.values
        sums, squares = counts @ x, counts @ (x * x)
        observed = share @ (2 * (size * squares - sums**2))
        expected = 2 * (total * (weights @ squares) - (weights @ sums) ** 2)
    elif scale == "nominal":
        same = np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).ravel()
        observed = share @ (size**2 - same)
        expected = total**2 - (_totals(counts, weights) ** 2).sum(axis=1)
    elif scale == "ordinal":
        # The ordinal distance of two values is that of their mid-ranks, so this is the interval scale of mid-ranks.
        totals = _totals(counts, weights)
        ranks = np.cumsum(totals, axis=1) - totals / 2
        ranks -= (totals * ranks).sum(axis=1, keepdims=True) / total[:, None]
        sums, squares = (counts @ ranks.T).T, (counts @ (ranks**2).T).T
        observed = (share * 2 * (size * squares - sums**2)).sum(axis=1)
        expected = 2 * total * (totals * ranks**2).sum(axis=1)
    else:
        distance = _ratio_distance(patterns.values)
        within = np.asarray(counts.multiply(counts @ distance).sum(axis=1), dtype=np.float64).ravel()
        totals = _totals(counts, weights)
        observed = share @ within
        expected = ((totals @ distance) * totals).sum(axis=1)
    return np.maximum(observed, 0) / total, np.maximum(expected, 0) / (total * (total - 1))


def _resampled(patterns: _Patterns, scale: Scale, replicates: int, rng: np.random.Generator) -> Floats:
    """Return alpha of resampled units. NaN if a resample contains only one value."""
    units = int(patterns.number.sum())
    rows = max(1, _CELLS_AT_ONCE // max(patterns.counts.shape))
    alphas = np.empty(replicates)
    for start in range(0, replicates, rows):
        size = min(rows, replicates - start)
        weights = rng.multinomial(units, patterns.number / units, size)
        observed, expected = _disagreement(patterns, weights, scale)
        varied = (_totals(patterns.counts, weights) > 0).sum(axis=1) > 1
        alphas[start : start + size] = np.where(varied, 1 - observed / np.where(varied, expected, 1.0), np.nan)
    return alphas


def _totals(counts: Any, weights: NDArray[Any]) -> Floats:
    """Return how often each value (column) occurs under each row of weights."""
    return np.asarray((counts.T @ weights.T).T, dtype=np.float64)


def _ratio_distance(values: Floats) -> Floats:
    if len(values) > _MOST_RATIO_VALUES:
        raise InvalidInput(
            f"scale: the ratio scale supports up to {_MOST_RATIO_VALUES} different values, got {len(values)}",
            fix="round the values, or use the interval scale on their logarithms",
        )
    if values.min() < 0:
        raise InvalidInput(f"ratings: the ratio scale does not support negative values, got {values.min():g}")
    sums = values[:, None] + values
    distance: Floats = ((values[:, None] - values) / np.where(sums > 0, sums, 1.0)) ** 2
    return distance


def _patterns(ratings: Ratings, scale: Scale) -> tuple[_Patterns, int]:
    unit, value, units = _flat(ratings)
    code, values = _coded(value, scale)
    size = np.bincount(unit, minlength=units)
    enough = size >= 2
    left_out = int((~enough).sum())
    if enough.sum() < 2:
        raise InvalidInput(
            f"ratings: expected at least two units with two values each, got {int(enough.sum())} of {units}",
            fix="use one row per unit and one column per coder; transpose if it is the other way round",
        )
    in_use = enough[unit]
    unit, code = (np.cumsum(enough) - 1)[unit[in_use]], code[in_use]
    present, code = np.unique(code, return_inverse=True)
    if len(present) == 1:
        raise InvalidInput(
            "ratings: all values are equal; agreement is perfect, but without variation alpha is undefined",
            fix="report the share of equal ratings instead, or rate units that differ",
        )
    # Sorted within their unit, equal patterns are equal rows.
    order = np.lexsort((code, unit))
    size = size[enough]
    filled = np.arange(size.max()) < size[:, None]
    rows = np.full(filled.shape, -1, dtype=np.int64)
    rows[filled] = code[order]
    kinds, number = np.unique(rows, axis=0, return_counts=True)
    used = kinds >= 0
    where = np.nonzero(used)[0], kinds[used]
    counts = sparse.coo_matrix((np.ones(len(where[0])), where), shape=(len(kinds), len(present))).tocsr()
    kept_values, unit_length = values[present], 1.0
    if scale == "interval":  # alpha does not depend on origin and unit, and this keeps precision
        unit_length = float(np.ptp(kept_values))
        kept_values = (kept_values - kept_values.mean()) / unit_length
    return _Patterns(counts, number, kept_values, unit_length), left_out


def _flat(ratings: Ratings) -> tuple[Counts, list[Any] | NDArray[Any], int]:
    """Return the unit index of each value, the values, and the number of units."""
    if isinstance(ratings, np.ndarray) and ratings.dtype.kind in "biuf":
        if ratings.ndim != 2:
            raise InvalidInput(f"ratings: expected units x coders, got an array of shape {ratings.shape}")
        unit, coder = np.nonzero(~np.isnan(ratings.astype(np.float64)))
        return unit, ratings[unit, coder], len(ratings)
    rows = ratings.values() if isinstance(ratings, Mapping) else ratings
    units: list[int] = []
    values: list[Any] = []
    count = 0
    for count, row in enumerate(rows, 1):
        if isinstance(row, str) or not isinstance(row, Mapping | Sequence | np.ndarray):
            raise InvalidInput(
                f"ratings, unit {count}: expected a list or mapping of values, got {row!r}",
                fix="use one row per unit and one column per coder",
            )
        given = [value for value in (row.values() if isinstance(row, Mapping) else row) if not _is_missing(value)]
        units += [count - 1] * len(given)
        values += given
    return np.array(units, dtype=np.int64), values, count


def _coded(values: list[Any] | NDArray[Any], scale: Scale) -> tuple[Counts, Floats]:
    """Return each value as an integer code, and what the codes stand for (in order; meaningless for nominal values)."""
    if scale == "nominal" and not isinstance(values, np.ndarray):
        known: dict[Any, int] = {}
        try:
            code = np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)
        except TypeError as error:
            raise InvalidInput(f"ratings: expected hashable values, but {error}") from None
        return code, np.arange(len(known), dtype=np.float64)
    wrong = [v for v in values if not isinstance(v, int | float | np.number)] if isinstance(values, list) else []
    if wrong:
        raise InvalidInput(
            f"ratings: the {scale} scale compares numbers, got {wrong[0]!r}",
            fix='number the values in their order, or use scale="nominal"',
        )
    numbers = np.asarray(values, dtype=np.float64)
    if not (np.abs(numbers) <= _LARGEST_NUMBER).all():
        largest = np.abs(numbers).max()
        raise InvalidInput(f"ratings: expected numbers up to {_LARGEST_NUMBER:g} in size, got {largest:g}")
    distinct, code = np.unique(numbers, return_inverse=True)
    return code, distinct


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(np.isnan(value)))
