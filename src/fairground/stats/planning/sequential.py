"""Confidence sequences: intervals that are valid after every episode, so that a run may stop early (see `monitors`).

An ordinary 95% interval is valid at one look that was fixed beforehand. Looking after every episode and stopping when
the interval looks good is wrong far more often. A confidence sequence is valid at all looks together: the probability
that it ever misses is at most `1 - level`, whenever and for whatever reason you stop.

Assumptions of each method:

- "beta-binomial" (0/1 outcomes) and "betting" (anything in [0, 1]): the success probability, or mean reward, of the
  next episode is the same number at every step, regardless of the past. This holds if each episode's configuration is
  drawn at random, with replacement, from the set of interest. The interval is then for the mean over that set.
- "running-mean" (anything in [0, 1]): no assumption about the order. The interval is for the average, over the episodes
  so far, of each one's own success probability given the past. It does not apply to future episodes.

A suite that is run scenario by scenario does not satisfy the first assumption. Episodes of one scenario resemble each
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
    """An interval after each episode, valid for all of them together.

    Attributes:
        estimate: Running mean after each episode (in [-1, 1] for a difference).
        low: Lower ends.
        high: Upper ends.
        level: One minus the probability that any of the intervals misses.
        method: How it was computed.
        contradicted: Number of episodes after which no single mean fitted any more, or None. The stream has drifted, or
            the rare miss has happened. From then on the intervals are those of "running-mean".
        notes: Caveats for the reader.
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
    """Return a confidence sequence for a success rate or mean reward.

    See the module for the assumptions of each method.

    Args:
        outcomes: Outcomes in the order in which they came: 0/1 for "beta-binomial", otherwise anything in [0, 1].
        level: One minus the probability that the sequence ever misses.
        method: "beta-binomial" is exact and fast for 0/1; "betting" also supports rewards; "running-mean" allows drift.
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
        notes = ("For the average over the episodes so far, each with its own success probability.",)
        return ConfidenceSequence(estimate, low, high, level, method, None, notes)
    low = np.maximum.accumulate(beta_binomial_low(total, count, alpha))
    high = np.minimum.accumulate(1 - beta_binomial_low(count - total, count, alpha))
    lost = np.flatnonzero(low > high)
    if lost.size:
        rest = slice(lost[0], None)
        low[rest], high[rest] = running_mean_bounds(total[rest], count[rest], alpha)
    return _sequence(estimate, low, high, level, method, int(lost[0]) + 1 if lost.size else None)


def difference_sequence(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> ConfidenceSequence:
    """Return a confidence sequence for the mean of `a - b`, where `a[i]` and `b[i]` come from the same configuration.

    Outcomes or rewards in [0, 1]; the method is betting. Pairs must come in random order (see the module).
    """
    first, second = check_outcomes(a, "a"), check_outcomes(b, "b")
    if len(first) != len(second):
        raise InvalidInput(
            f"pairs: expected as many outcomes of b as of a, got {len(first)} and {len(second)}",
            fix="give the two outcomes of each configuration, in the same order",
        )
    check_level(level)
    x = (first - second + 1) / 2
    sequence = _fold(x, np.cumsum(first - second) / np.arange(1, len(x) + 1), level)
    return replace(sequence, low=2 * sequence.low - 1, high=2 * sequence.high - 1, method="betting, paired")


def block_means(outcomes: ArrayLike, blocks: Sequence[Hashable], *, size: int | None = None) -> Floats:
    """Return the mean outcome of each block (such as a scenario), in the order in which the blocks were finished.

    The means are a stream in [0, 1] for `rate_sequence(..., method="betting")`. Its rate is that of scenarios, equally
    weighted. For valid results, the scenarios must come in random order, and the number of episodes of a scenario must
    not depend on their outcomes.

    Args:
        outcomes: Outcomes in the order in which they came.
        blocks: The block of each outcome.
        size: Number of episodes that finish a block. Unfinished blocks are left out, so that a run can be watched. If
            None, every block counts as finished. The result may be empty.
    """
    x = check_outcomes(outcomes, "outcomes")
    if len(blocks) != len(x):
        raise InvalidInput(
            f"blocks: expected one per outcome ({len(x)}), got {len(blocks)}", fix="give each outcome its block"
        )
    codes: dict[Hashable, int] = {}
    index = np.array([codes.setdefault(block, len(codes)) for block in blocks])
    counts = np.bincount(index)
    if size is not None and (size < 1 or counts.max() > size):
        raise InvalidInput(
            f"size: a block has {counts.max()} episodes, more than its size {size!r}",
            fix="give the number of episodes planned per block",
        )
    last = np.zeros(len(codes), dtype=int)
    np.maximum.at(last, index, np.arange(len(x)))
    finished = np.flatnonzero(counts == (counts if size is None else size))
    means: Floats = np.bincount(index, weights=x)[finished] / counts[finished]
    return means[np.argsort(last[finished])]


def _fold(x: Floats, estimate: Floats, level: float) -> ConfidenceSequence:
    """Return the betting sequence of x, as a monitor shows it step by step."""
    stream, low, high = Stream("betting", level, None), np.empty(len(x)), np.empty(len(x))
    for i, value in enumerate(x.tolist()):  # each step covers a thousand candidates
        stream = stream.after(value)
        low[i], high[i] = stream.low, stream.high
    return _sequence(estimate, low, high, level, "betting", stream.contradicted)


def _sequence(
    estimate: Floats, low: Floats, high: Floats, level: float, method: str, contradicted: int | None
) -> ConfidenceSequence:
    notes: tuple[str, ...] = ("valid if configurations come in random order",)
    if contradicted is not None:
        notes = (drift_note("mean", contradicted),)
    return ConfidenceSequence(estimate, low, high, level, method, contradicted, notes)
