"""Intervals that may be looked at after every episode, and so allow a run to stop early; `monitors` does so.

A usual 95% interval keeps its promise at one look, fixed beforehand. Whoever looks after every episode and stops when
the interval looks good is wrong far more often. A confidence sequence keeps the promise at all looks together: the
chance that it ever misses is at most `1 - level`, whenever and for whatever reason you stop.

What is promised, for each method:

- "beta-binomial" (0/1 outcomes) and "betting" (anything in [0, 1]): the chance of success, or mean reward, of the next
  episode is the same number at every step, whatever came before. That is so when each episode's configuration is drawn
  at random, with replacement, from the set you want to speak about. Then the interval is for the mean over that set.
- "running-mean" (anything in [0, 1]): nothing is assumed about the order. The interval is for the average, over the
  episodes so far, of each one's own chance of success, given what came before it; not for episodes to come.

What is not promised: that a suite run scenario by scenario is such a stream. Episodes of one scenario resemble each
other, so a rate that looks steady jumps when the next scenario starts. Shuffle the configurations before the run, or
average each scenario first (`block_means`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.planning.martingales import Floats, beta_binomial_low, running_mean_bounds
from fairground.stats.planning.outcome_stream import Method, Stream, check_method, check_outcomes, drift_note


@dataclass(frozen=True)
class ConfidenceSequence:
    """An interval after each episode, good at all of them together.

    Attributes:
        estimate: Running mean after each episode (in [-1, 1] for a difference).
        low: Lower ends.
        high: Upper ends.
        level: One minus the chance that any of the intervals misses.
        method: How it was made.
        contradicted: Number of episodes after which no single mean fitted any more, or None. The stream has drifted, or
            the rare miss has happened; from there on the intervals are those of "running-mean".
        notes: What must be known when reading it.
    """

    estimate: Floats
    low: Floats
    high: Floats
    level: float
    method: str
    contradicted: int | None
    notes: tuple[str, ...] = ()

    @property
    def interval(self) -> Interval:
        """The interval after the last episode."""
        low, high = float(self.low[-1]), float(self.high[-1])
        return Interval(min(max(float(self.estimate[-1]), low), high), low, high, self.level, self.method)


def rate_sequence(outcomes: ArrayLike, *, level: float = 0.95, method: Method = "beta-binomial") -> ConfidenceSequence:
    """Confidence sequence for a success rate or a mean reward; see the module for what each method promises.

    Args:
        outcomes: In the order in which they came. 0/1 for "beta-binomial", else anything in [0, 1].
        level: One minus the chance that the sequence ever misses.
        method: "beta-binomial" is exact and quick for 0/1; "betting" also takes rewards; "running-mean" allows drift.
    """
    x = check_outcomes(outcomes, "outcomes")
    alpha = 1 - check_level(level)
    check_method(method, x)
    count, total = np.arange(1.0, len(x) + 1), np.cumsum(x)
    estimate = total / count
    if method == "betting":
        return _fold(x, estimate, level)
    if method == "running-mean":
        low, high = running_mean_bounds(total, count, alpha)
        notes = ("For the average over the episodes so far, each at its own chance of success.",)
        return ConfidenceSequence(estimate, low, high, level, method, None, notes)
    low = np.maximum.accumulate(beta_binomial_low(total, count, alpha))
    high = np.minimum.accumulate(1 - beta_binomial_low(count - total, count, alpha))
    lost = np.flatnonzero(low > high)
    if lost.size:
        rest = slice(lost[0], None)
        low[rest], high[rest] = running_mean_bounds(total[rest], count[rest], alpha)
    return _sequence(estimate, low, high, level, method, int(lost[0]) + 1 if lost.size else None)


def difference_sequence(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> ConfidenceSequence:
    """Confidence sequence for the mean of `a - b`, where `a[i]` and `b[i]` come from the same configuration.

    Successes or rewards in [0, 1]; the method is betting. Pairs must come in random order (see the module).
    """
    first, second = check_outcomes(a, "a"), check_outcomes(b, "b")
    if len(first) != len(second):
        raise InvalidInput(
            f"pairs: expected as many outcomes of b as of a, got {len(first)} and {len(second)}",
            fix="give the two outcomes of each configuration, in the same order",
        )
    check_level(level)
    x = (first - second + 1) / 2
    found = _fold(x, np.cumsum(first - second) / np.arange(1, len(x) + 1), level)
    return replace(found, low=2 * found.low - 1, high=2 * found.high - 1, method="betting, paired")


def block_means(outcomes: ArrayLike, blocks: Sequence[Hashable], *, size: int | None = None) -> Floats:
    """Mean outcome of each block (say, scenario), in the order in which the blocks were finished.

    The means are a stream in [0, 1] for `rate_sequence(..., method="betting")`. Its rate is that of scenarios, each
    counted once; for the promise to hold, the scenarios must come in random order. How much is run of a scenario must
    not depend on how it goes.

    Args:
        outcomes: In the order in which they came.
        blocks: The block of each.
        size: Episodes that finish a block. Unfinished blocks are left out, so that a run can be watched. If None, every
            block counts as finished. The result may be empty.
    """
    x = check_outcomes(outcomes, "outcomes")
    if len(blocks) != len(x):
        raise InvalidInput(
            f"blocks: expected one for each of {len(x)} outcomes, got {len(blocks)}", fix="give each outcome its block"
        )
    codes: dict[Hashable, int] = {}
    index = np.array([codes.setdefault(block, len(codes)) for block in blocks])
    counts = np.bincount(index)
    if size is not None and (size < 1 or counts.max() > size):
        raise InvalidInput(
            f"size: a block has {counts.max()} episodes, more than its size {size!r}",
            fix="give the number of episodes planned for each block",
        )
    last = np.zeros(len(codes), dtype=int)
    np.maximum.at(last, index, np.arange(len(x)))
    finished = np.flatnonzero(counts == (counts if size is None else size))
    means: Floats = np.bincount(index, weights=x)[finished] / counts[finished]
    return means[np.argsort(last[finished])]


def _fold(x: Floats, estimate: Floats, level: float) -> ConfidenceSequence:
    """The betting sequence of x, which is what a monitor shows step by step."""
    stream, low, high = Stream("betting", level, None), np.empty(len(x)), np.empty(len(x))
    for i, value in enumerate(x.tolist()):  # one step is a thousand candidates wide
        stream = stream.after(value)
        low[i], high[i] = stream.low, stream.high
    return _sequence(estimate, low, high, level, "betting", stream.contradicted)


def _sequence(
    estimate: Floats, low: Floats, high: Floats, level: float, method: str, contradicted: int | None
) -> ConfidenceSequence:
    notes: tuple[str, ...] = ("holds if configurations come in random order",)
    if contradicted is not None:
        notes = (drift_note("mean", contradicted),)
    return ConfidenceSequence(estimate, low, high, level, method, contradicted, notes)
