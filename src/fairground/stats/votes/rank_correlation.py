"""Rank correlation: Kendall's tau-b and Spearman's rho, for many orders at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairground.core import InvalidInput

_DIGITS = 9  # closer values are ties: ratings are numerical solutions
_CELLS = 1 << 22

Floats = NDArray[np.float64]


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float:
    """Return Kendall's tau-b: concordant minus discordant pairs, corrected for ties.

    Raises:
        InvalidInput: For fewer than two values, non-finite values, or values that are all equal.
    """
    values_a, values_b = _checked(first, second)
    return float(kendall_taus(values_a, values_b[:, None])[0])


def spearman_rho(first: ArrayLike, second: ArrayLike) -> float:
    """Return Spearman's rho: the correlation of ranks, with equal values at their mean rank.

    Raises:
        InvalidInput: For fewer than two values, non-finite values, or values that are all equal.
    """
    values_a, values_b = _checked(first, second)
    return float(spearman_rhos(values_a[:, None], values_b[:, None])[0])


def kendall_taus(reference: Floats, sets: Floats) -> Floats:
    """Return tau-b of one order with each column of (values, sets); 0 for a column of equal values."""
    first, second = np.triu_indices(len(reference), 1)
    rounded = np.round(reference, _DIGITS)
    wanted = np.sign(rounded[first] - rounded[second])
    taus = np.empty(sets.shape[1])
    block = max(1, _CELLS // len(first))
    for at in range(0, sets.shape[1], block):
        part = np.round(sets[:, at : at + block], _DIGITS)
        actual = np.sign(part[first] - part[second])
        size = np.sqrt(np.abs(wanted).sum() * np.abs(actual).sum(axis=0))
        taus[at : at + block] = wanted @ actual / np.where(size > 0, size, 1)
    return taus


def spearman_rhos(first: Floats, second: Floats) -> Floats:
    """Return rho of each column of (values, sets) with the same column of another; 0 if one has only equal values."""
    from scipy.stats import rankdata  # late: it takes as long to load as all of this room

    ranks = [rankdata(np.round(sets, _DIGITS), axis=0) for sets in (first, second)]
    ranks_a, ranks_b = (rank - rank.mean(axis=0) for rank in ranks)
    size = np.sqrt((ranks_a**2).sum(axis=0) * (ranks_b**2).sum(axis=0))
    rhos: Floats = (ranks_a * ranks_b).sum(axis=0) / np.where(size > 0, size, 1)
    return rhos


def _checked(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    values_a, values_b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if values_a.shape != values_b.shape or values_a.ndim != 1 or len(values_a) < 2:
        raise InvalidInput(
            f"expected two lists of the same length, with two or more values; got {values_a.shape}, {values_b.shape}"
        )
    for values in (values_a, values_b):
        if not np.isfinite(values).all():
            raise InvalidInput("expected finite numbers, but one of the values is not finite")
        if np.ptp(np.round(values, _DIGITS)) == 0:
            raise InvalidInput(f"all values are {values[0]:g}, so they have no order to compare")
    return values_a, values_b
