"""A stream of outcomes in [0, 1], processed one by one: what it shows so far about its mean."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from fairground.core import InvalidInput
from fairground.stats.planning.martingales import (
    LOG_SHARES,
    Floats,
    beta_binomial_low,
    log_beta_binomial,
    log_bets,
    log_capital,
    running_mean_bounds,
)

Method = Literal["beta-binomial", "betting", "running-mean"]

_METHODS: tuple[str, ...] = get_args(Method)
_STEPS = 1000  # candidate means of the betting method are 1/1000 apart; its interval is rounded outwards to them


@dataclass(frozen=True)
class Stream:
    """State of a stream in [0, 1]. Immutable: `after` returns the next state.

    Attributes:
        method: As for `rate_sequence`.
        level: One minus the probability that the interval ever misses.
        null: The mean to collect evidence against, or None.
        count: Number of outcomes.
        total: Their sum.
        low: Lower end of the interval.
        high: Upper end.
        log_e: Log of the evidence against the null.
        largest_log_e: The largest so far, which gives the p-value.
        contradicted: Number of outcomes after which no single mean fitted any more, or None. From then on the interval
            is that of "running-mean", and no more evidence is collected.
        candidates: Means not yet ruled out, for the betting method.
        growth: Log growth of each bet (rows) against each candidate.
        null_growth: The same against the null.
    """

    method: Method
    level: float
    null: float | None
    count: int = 0
    total: float = 0.0
    low: float = 0.0
    high: float = 1.0
    log_e: float = 0.0
    largest_log_e: float = 0.0
    contradicted: int | None = None
    candidates: Floats = field(default_factory=lambda: np.arange(1, _STEPS) / _STEPS)
    growth: Floats = field(default_factory=lambda: np.zeros_like(LOG_SHARES))
    null_growth: Floats = field(default_factory=lambda: np.zeros_like(LOG_SHARES))

    def after(self, x: float) -> Stream:
        """Return the stream with one more outcome."""
        new = replace(self, count=self.count + 1, total=self.total + x)
        if self.contradicted is not None or self.method == "running-mean":
            low, high = running_mean_bounds(np.array(new.total), np.array(float(new.count)), 1 - self.level)
            return replace(new, low=float(low), high=float(high))
        new = new._bet(x) if self.method == "betting" else new._count()
        if new.contradicted is not None:
            return replace(self, contradicted=new.count).after(x)
        return replace(new, largest_log_e=max(self.largest_log_e, new.log_e))

    def _count(self) -> Stream:
        s, n, alpha = np.array(self.total), np.array(float(self.count)), 1 - self.level
        low = max(self.low, float(beta_binomial_low(s, n, alpha)))
        high = min(self.high, float(1 - beta_binomial_low(n - s, n, alpha)))
        log_e = 0.0 if self.null is None else float(log_beta_binomial(s, n, self.null))
        return replace(self, low=low, high=high, log_e=log_e, contradicted=self.count if low > high else None)

    def _bet(self, x: float) -> Stream:
        growth = self.growth + log_bets(x, self.candidates)
        ruled_out = log_capital(growth) >= -math.log(1 - self.level)
        mean = self.total / self.count
        # The capital is convex in the candidate and at most 1 at the mean, so the ruled-out candidates are on either
        # side.
        low = max(self.low, float(self.candidates[ruled_out & (self.candidates < mean)].max(initial=0.0)))
        high = min(self.high, float(self.candidates[ruled_out & (self.candidates > mean)].min(initial=1.0)))
        lost = bool(ruled_out.all()) and not low - 1 / _STEPS <= mean <= high + 1 / _STEPS
        log_e, null_growth = 0.0, self.null_growth
        if self.null is not None:
            null_growth = null_growth + log_bets(x, np.array([self.null]))
            log_e = float(log_capital(null_growth)[0])
        remaining = ~ruled_out
        new = replace(self, candidates=self.candidates[remaining], growth=growth[:, remaining], null_growth=null_growth)
        return replace(new, low=low, high=high, log_e=log_e, contradicted=self.count if lost else None)


def check_outcomes(values: ArrayLike, name: str) -> Floats:
    """Return the values as floats.

    Raises an error unless they are a list of numbers in [0, 1]. `name` is for the message.
    """
    x = np.asarray(values)
    if x.ndim != 1 or x.size == 0 or x.dtype.kind not in "buif":
        raise InvalidInput(
            f"{name}: expected a list of numbers, got {x.dtype} of shape {x.shape}", fix="give one number per episode"
        )
    x = x.astype(float)
    bad = np.flatnonzero(~((x >= 0) & (x <= 1)))
    if bad.size:
        raise InvalidInput(
            f"{name}[{bad[0]}]: expected a number in [0, 1], got {x[bad[0]]}",
            fix="leave out errored episodes, and scale rewards to [0, 1]",
        )
    return x


def check_method(method: str, x: Floats | None = None) -> None:
    """Reject unknown methods, and rewards if the method supports only 0/1 outcomes."""
    if method not in _METHODS:
        raise InvalidInput(f"method: expected one of {', '.join(_METHODS)}, got {method!r}", fix="choose one of them")
    if x is not None and method == "beta-binomial" and not np.isin(x, (0, 1)).all():
        raise InvalidInput("outcomes: expected 0 or 1, got rewards in between", fix="use method='betting'")


def drift_note(what: str, number: int) -> str:
    """Return the note for a stream that no single mean (named by `what`) fits."""
    return (
        f"no single {what} fits: at number {number} the intervals stopped overlapping, so the stream drifts "
        "(check that the order was random). From there the interval is for the average of the stream so far"
    )
