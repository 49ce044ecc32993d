"""What a suite's apps add up to: functions of app means, which lie along the last axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput, unknown

Floats = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Floats], Any]
"""Takes app means, the apps along the last axis, and gives one number for each row."""


def mean(apps: Floats) -> Floats:
    """Every app counts the same, however many scenarios it has."""
    return np.asarray(apps.mean(axis=-1))


def median(apps: Floats) -> Floats:
    """The app in the middle."""
    return np.asarray(np.median(apps, axis=-1))


def trimmed_mean(apps: Floats, share: float = 0.1) -> Floats:
    """The mean without that share of the apps at either end (rounded down to whole apps)."""
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
    """A statistic and its name, from either."""
    if isinstance(wanted, str):
        if wanted not in STATISTICS:
            raise unknown("statistic", wanted, STATISTICS)
        return wanted, STATISTICS[wanted]
    name = getattr(wanted, "__name__", "statistic")
    return name, wanted


def apply(statistic: Statistic, apps: Floats) -> Floats:
    """The statistic of each row; one of your own may also take one row at a time.

    Raises:
        InvalidInput: When it does not give one finite number a row.
    """
    rows = apps.reshape(-1, apps.shape[-1])
    try:
        found = np.asarray(statistic(rows), dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (len(rows),):
        found = np.asarray([statistic(row) for row in rows], dtype=np.float64)
    if found.shape != (len(rows),) or not np.isfinite(found).all():
        raise InvalidInput(
            "the statistic must give one finite number for each row of app means",
            fix="it is called with an array whose last axis runs over the apps",
        )
    return found.reshape(apps.shape[:-1])
