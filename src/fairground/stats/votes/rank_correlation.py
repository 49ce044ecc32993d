"""How alike two orders are: Kendall's tau-b and Spearman's rho, for many orders at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairground.core import InvalidInput

_DIGITS = 9  # values nearer than that are ties: ratings are solved, not given
_CELLS = 1 << 22

Floats = NDArray[np.float64]


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float:
    """Kendall's tau-b: pairs in the same order less pairs in the opposite order, with ties taken into account.

    Raises:
        InvalidInput: For fewer than two values, values that are not finite, or values that are all equal.
    """
    one, other = _checked(first, second)
    return float(kendall_taus(one, other[:, None])[0])


def spearman_rho(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rho: the correlation of ranks, with equal values at their mean rank.

    Raises:
        InvalidInput: For fewer than two values, values that are not finite, or values that are all equal.
    """
    one, other = _checked(first, second)
    return float(spearman_rhos(one[:, None], other[:, None])[0])


def kendall_taus(reference: Floats, sets: Floats) -> Floats:
    """Tau-b of one order with each column of (values, sets); 0 for a column of equal values, which orders nothing."""
    first, second = np.triu_indices(len(reference), 1)
    rounded = np.round(reference, _DIGITS)
    wanted = np.sign(rounded[first] - rounded[second])
    taus = np.empty(sets.shape[1])
    block = max(1, _CELLS // len(first))
    for at in range(0, sets.shape[1], block):
        part = np.round(sets[:, at : at + block], _DIGITS)
        found = np.sign(part[first] - part[second])
        size = np.sqrt(np.abs(wanted).sum() * np.abs(found).sum(axis=0))
        taus[at : at + block] = wanted @ found / np.where(size > 0, size, 1)
    return taus


def spearman_rhos(first: Floats, second: Floats) -> Floats:
    """Rho of each column of (values, sets) with the same column of another; 0 where one orders nothing."""
    from scipy.stats import rankdata  # late: it takes as long to load as all of this room

    ranks = [rankdata(np.round(sets, _DIGITS), axis=0) for sets in (first, second)]
    one, other = (rank - rank.mean(axis=0) for rank in ranks)
    size = np.sqrt((one**2).sum(axis=0) * (other**2).sum(axis=0))
    rhos: Floats = (one * other).sum(axis=0) / np.where(size > 0, size, 1)
    return rhos


def _checked(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape or one.ndim != 1 or len(one) < 2:
        raise InvalidInput(f"expected two lists of one length, of two values or more; got {one.shape}, {other.shape}")
    for values in (one, other):
        if not np.isfinite(values).all():
            raise InvalidInput("expected finite numbers; one of the values is not")
        if np.ptp(np.round(values, _DIGITS)) == 0:
            raise InvalidInput(f"all values are {values[0]:g}, so that they have no order to compare")
    return one, other
