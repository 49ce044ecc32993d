"""Differences between the strengths of every two agents, tested."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from fairground.stats.paired_tests import holm

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Gaps:
    """All pairs of agents with the difference of their strengths, its standard error, and a two-sided z test."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    gap: Floats
    error: Floats
    p: Floats
    p_holm: Floats


def gaps(strengths: Floats, covariance: Floats) -> Gaps:
    """Tests every pair. The error is that of the difference: ratings of two agents that met are not independent."""
    first, second = np.triu_indices(len(strengths), 1)
    gap = strengths[first] - strengths[second]
    variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
    error = np.sqrt(np.maximum(variance, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(gap) / error
    # No spread at all is no evidence: it means that the resamples could not vary, not that the gap is certain.
    p = np.where(error > 1e-9, 2 * ndtr(-np.where(error > 1e-9, z, 0)), 1.0)
    return Gaps(first, second, gap, error, p, np.asarray(holm(p)))
