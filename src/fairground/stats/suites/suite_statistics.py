"""Suite statistics: functions of app means along the last axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput, unknown

Floats = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Floats], Any]
"""Takes app means, with apps along the last axis, and returns one number per row."""


def mean(apps: Floats) -> Floats:
    """Mean over apps, equally weighted, regardless of their number of scenarios."""
    return np.asarray(apps.mean(axis=-1))


def median(apps: Floats) -> Floats:
    """Median over apps."""
    return np.asarray(np.median(apps, axis=-1))


def trimmed_mean(apps: Floats, share: float = 0.1) -> Floats:
    """Mean without that share of the apps at either end (rounded down to whole apps)."""
    if not 0 <= share < 0.5:
        raise InvalidInput(f"share: expected a number from 0 to less than 0.5, got {share!r}")
    cut = int(share * apps.shape[-1])
    ordered = np.sort(apps, axis=-1)
    return np.asarray(ordered[..., cut : apps.shape[-1] - cut].mean(axis=-1))


def iqm(apps: Floats) -> Floats:
    """Interquartile mean: the mean of the middle half."""
    return trimmed_mean(apps, 0.25)


STATISTICS: dict[str, Statistic] = {"mean": mean, "trimmed-mean": trimmed_mean, "median": median, "iqm": iqm}


def statistic_of(wanted: str | Statistic) -> tuple[str, Statistic]:
    """Return a statistic and its name, given either."""
    if isinstance(wanted, str):
        if wanted not in STATISTICS:
            raise unknown("statistic", wanted, STATISTICS)
        return wanted, STATISTICS[wanted]
    name = getattr(wanted, "__name__", "statistic")
    return name, wanted


def apply(statistic: Statistic, apps: Floats) -> Floats:
    """Return the statistic of each row. A user's function may also take one row at a time.

    Raises:
        InvalidInput: If it does not return one finite number per row.
    """
    rows = apps.reshape(-1, apps.shape[-1])
    try:
        results = np.asarray(statistic(rows), dtype=np.float64)
    except (TypeError, ValueError):
        results = np.empty(0)
    if results.shape != (len(rows),):
        results = np.asarray([statistic(row) for row in rows], dtype=np.float64)
    if results.shape != (len(rows),) or not np.isfinite(results).all():
        raise InvalidInput(
            "the statistic must return one finite number per row of app means",
            fix="write a function of an array whose last axis runs over the apps",
        )
    return results.reshape(apps.shape[:-1])
