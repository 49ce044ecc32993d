"""Evidence that is valid at any time: a betting martingale against a hypothetical mean.

The bets are fair or worse if the hypothetical mean is the true one. Then the capital, which starts at 1, ever reaches
1/alpha with probability at most alpha, no matter how often one looks. So a mean against which it did is ruled out.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, expit

Floats = NDArray[np.float64]

# Fractions of the capital to bet, and their weights. Any fixed list is valid. With this one, the e-value of "no
# difference" is that of a Beta(2, 2) mixture over the share of wins, which worked best for small and large gaps.
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(20)
FRACTIONS: Floats = (_NODES + 1) / 2
_SHARES: Floats = (_NODE_WEIGHTS / 2) * 1.5 * (1 - FRACTIONS**2)
# Half bets that the mean is higher, half that it is lower.
LOG_SHARES: Floats = np.log(np.tile(_SHARES / _SHARES.sum() / 2, 2))[:, None]

_UPWARD_TILTS: Floats = np.geomspace(0.01, 6, 20)  # of the running-mean method; again any fixed list is valid
TILTS: Floats = np.concatenate([_UPWARD_TILTS, -_UPWARD_TILTS])


def log_beta_binomial(s: Floats, n: Floats, p: ArrayLike) -> Floats:
    """Return the log of the martingale M_n(p): a Beta(1/2, 1/2) mixture of likelihood ratios against p."""
    p = np.asarray(p, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):  # at p = 0 or 1, impossible outcomes have likelihood 0
        likelihood = np.where(s > 0, s * np.log(p), 0.0) + np.where(n - s > 0, (n - s) * np.log1p(-p), 0.0)
    return np.asarray(betaln(s + 0.5, n - s + 0.5) - betaln(0.5, 0.5) - likelihood)


def beta_binomial_low(s: Floats, n: Floats, alpha: float) -> Floats:
    """Return the smallest p with M_n(p) < 1/alpha, by Newton steps on the log-odds.

    The log-likelihood is concave there and we start left of the root, so every step stays left of it: stopping early
    only widens the interval.
    """
    target = math.log(alpha) + betaln(s + 0.5, n - s + 0.5) - betaln(0.5, 0.5)
    has_successes = s > 0
    theta = target / np.where(has_successes, s, 1)
    for _ in range(200):
        step = (target - s * theta + n * np.logaddexp(0, theta)) / np.where(has_successes, s - n * expit(theta), 1)
        step = np.where(has_successes & (step > 0), step, 0)
        theta = theta + step
        if np.all(step <= 1e-12 * (1 + np.abs(theta))):
            break
    return np.asarray(np.where(has_successes, expit(theta), 0.0))


def running_mean_bounds(s: Floats, n: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of {m: mean over tilts of exp(tilt s - n log(1 - m + m e^tilt)) < 1/alpha}.

    The set is an interval around s/n. For x in [0, 1] with mean m, E exp(tilt x) <= 1 - m + m e^tilt, and its log is
    concave in m. So the average of the episodes' own means may replace all of them.
    """
    s, n = s[..., None], n[..., None]
    growth, factor = TILTS * s - math.log(len(TILTS) / alpha), np.expm1(TILTS)
    outside = np.array([0.0, 1.0]) + 0 * s  # both ends at once, in the last axis
    inside = s / n + 0 * outside
    for _ in range(45):
        middle = (outside + inside) / 2
        ruled_out = _log_sum(growth[..., None, :] - n[..., None] * np.log1p(middle[..., None] * factor), -1) >= 0
        outside, inside = np.where(ruled_out, middle, outside), np.where(ruled_out, inside, middle)
    return outside[..., 0], outside[..., 1]


def log_bets(x: float, means: Floats) -> Floats:
    """Return the log growth of each bet at outcome x for hypothetical means: fractions up, then down, per candidate."""
    k = FRACTIONS[:, None]
    return np.concatenate([np.log1p(k * (x / means - 1)), np.log1p(k * ((1 - x) / (1 - means) - 1))])


def log_capital(growth: Floats) -> Floats:
    """Return the log of the total capital against each candidate, from the summed `log_bets` of each bet."""
    return _log_sum(growth + LOG_SHARES, 0)


def log_capital_of_wins(wins: Floats, losses: Floats) -> Floats:
    """Return the log e-value of "no difference" from counts of won pairs."""
    capital = np.full(wins.shape, -np.inf)
    for fraction, share in zip(FRACTIONS, LOG_SHARES[: len(FRACTIONS), 0], strict=True):
        up, down = math.log1p(fraction), math.log1p(-fraction)
        np.logaddexp(capital, wins * up + losses * down + share, out=capital)
        np.logaddexp(capital, losses * up + wins * down + share, out=capital)
    return capital


def _log_sum(logs: Floats, axis: int) -> Floats:
    """Return the log of the sum of exponentials. Faster than SciPy's, which spends most of its time on checks."""
    top = logs.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(logs - top).sum(axis=axis)) + top.squeeze(axis))
