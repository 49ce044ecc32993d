"""Differences between the strengths of every two agents, tested."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from fairground.stats.paired_tests import holm

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Gaps:
    """All pairs of agents with the difference of their strengths, its standard error, and a two-sided test."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    gap: Floats
    error: Floats
    p: Floats
    p_holm: Floats


def gaps(strengths: Floats, covariance: Floats, freedom: float | None = None) -> Gaps:
    """Test every pair: by Student's t with degrees of freedom, otherwise by the normal distribution.

    The error is that of the difference: ratings of two agents that met are not independent.
    """
    first, second = np.triu_indices(len(strengths), 1)
    gap = strengths[first] - strengths[second]
    variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
    error = np.sqrt(np.maximum(variance, 0))
    # An error of 0 is no evidence: it means that the resamples did not vary, not that the gap is certain.
    known = error > 1e-9
    z = np.where(known, np.abs(gap) / np.where(known, error, 1), 0)
    p = 2 * (ndtr(-z) if freedom is None else stdtr(freedom, -z))
    return Gaps(first, second, gap, error, p, np.asarray(holm(p)))
