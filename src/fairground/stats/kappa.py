"""Cohen's kappa: how much two raters agree, beyond the chance agreement given their marginal frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairground.core import InvalidInput
from fairground.stats.agreement import interval_over_units
from fairground.stats.interval import Interval, check_level

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kappa:
    """How much two raters agree.

    Attributes:
        kappa: 1 for perfect agreement, 0 for chance agreement. The percentile interval comes from resampled units.
        observed: Share of units on which they agree.
        expected: Share expected by chance, given the raters' marginal frequencies.
        units: Number of units that both rated.
        notes: Caveats for the reader.
    """

    kappa: Interval
    observed: float
    expected: float
    units: int
    notes: tuple[str, ...] = ()


def cohens_kappa(counts: ArrayLike, *, rng: np.random.Generator, level: float = 0.95, replicates: int = 2_000) -> Kappa:
    """Compute Cohen's kappa with a bootstrap interval.

    Args:
        counts: A square table: number of units that the first rater put into the row's category and the second into the
            column's.
        rng: Random generator.
        level: Confidence level.
        replicates: Number of bootstrap resamples of the units.

    Raises:
        InvalidInput: If the table is not square, is empty, or has all units in one category for both raters. In that
            case they agree, but nothing shows that they would distinguish different units.
    """
    check_level(level)
    if replicates < 100:
        raise InvalidInput(f"replicates: expected at least 100, got {replicates}", fix="use 2,000")
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise InvalidInput(f"counts: expected a square table, got shape {table.shape}")
    if not np.isfinite(table).all() or (table < 0).any() or (table != np.floor(table)).any() or table.sum() < 1:
        raise InvalidInput("counts: expected integers of 0 or more, and at least one unit")
    units = int(table.sum())
    observed, expected = (float(value[0]) for value in _shares(table[None]))
    if expected == 1:
        raise InvalidInput("counts: both raters put every unit into one category, so kappa is undefined")
    estimate = (observed - expected) / (1 - expected)
    draws = rng.multinomial(units, (table / units).ravel(), replicates).reshape(-1, *table.shape).astype(np.float64)
    seen, by_chance = _shares(draws)
    varied = by_chance < 1
    notes = []
    if not varied.all():
        notes.append(f"{int((~varied).sum())} of {replicates} resamples contain a single category and are left out.")
    known = (seen[varied] - by_chance[varied]) / (1 - by_chance[varied])
    interval = interval_over_units(estimate, known, units, level)
    if interval.width < 1e-12:
        notes.append("The resamples do not vary, so the interval has width 0. This does not mean certainty.")
    return Kappa(interval, observed, expected, units, tuple(notes))


def _shares(tables: Floats) -> tuple[Floats, Floats]:
    """Return, per table, the share on the diagonal, and the share expected from the margins."""
    total = tables.sum(axis=(1, 2))
    observed = np.trace(tables, axis1=1, axis2=2) / total
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    return observed, (rows * columns).sum(axis=1) / total**2
