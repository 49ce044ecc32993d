"""Monitors watch a run after every episode and say when it may stop. See `sequential` for the guarantees."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.planning.outcome_stream import Method, Stream, check_method, check_outcomes, drift_note


class _Decision(ABC):
    """The decision of a monitor."""

    @property
    def decided(self) -> bool:
        """Whether the run may stop."""
        return self._finding()[0]

    @property
    def reason(self) -> str:
        """Why it may stop, or why not."""
        return self._finding()[1]

    @abstractmethod
    def _finding(self) -> tuple[bool, str]:
        """Return whether the run may stop, and why."""


@dataclass(frozen=True)
class RateMonitor(_Decision):
    """Watches a success rate (or mean reward) during a run. `update` returns the next monitor.

    Attributes:
        threshold: If given, decided once the whole interval is on one side of it.
        half_width: If given, decided once the half-width of the interval is at most this.
        level: One minus the probability that the interval ever misses.
        method: As for `rate_sequence`.
    """

    threshold: float | None = None
    half_width: float | None = None
    level: float = 0.95
    method: Method = "beta-binomial"
    _stream: Stream | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_level(self.level)
        check_method(self.method)
        _check_inside("threshold", self.threshold, 0, 1)
        _check_inside("half_width", self.half_width, 0, 1)

    @property
    def _now(self) -> Stream:
        if self._stream is not None:
            return self._stream
        new = Stream(self.method, self.level, self.threshold)
        if self.threshold is None:
            return new
        # With the threshold among the candidates, interval and p-value decide at the same time.
        return replace(new, candidates=np.union1d(new.candidates, [self.threshold]))

    def update(self, outcome: float) -> RateMonitor:
        """Return the monitor after one more episode."""
        x = check_outcomes([outcome], "outcome")
        check_method(self.method, x)
        return replace(self, _stream=self._now.after(float(x[0])))

    @property
    def episodes(self) -> int:
        """Number of episodes so far."""
        return self._now.count

    @property
    def interval(self) -> Interval:
        """The interval so far. The estimate is the mean so far (0.5 before any episode)."""
        return _interval(self._now, 1.0, 0.0, self.method)

    @property
    def e_value(self) -> float | None:
        """Evidence against "the rate is the threshold": 1 is none, 20 corresponds to 5%.

        None if there is no such test.
        """
        return None if self.threshold is None or self.method == "running-mean" else _exp(self._now.log_e)

    @property
    def p_value(self) -> float | None:
        """Anytime-valid two-sided p-value of "the rate is the threshold". None if there is no such test."""
        return None if self.e_value is None else math.exp(-self._now.largest_log_e)

    def _finding(self) -> tuple[bool, str]:
        now = self.interval
        summary = f"[{now.low:.3f}, {now.high:.3f}] after {self.episodes} episodes"
        if self._now.contradicted is not None:
            return False, drift_note("rate", self._now.contradicted)
        if self.threshold is not None and now.low >= self.threshold:
            return True, f"the rate is above {self.threshold:g}: {summary}"
        if self.threshold is not None and now.high <= self.threshold:
            return True, f"the rate is below {self.threshold:g}: {summary}"
        if self.half_width is not None and now.width <= 2 * self.half_width:
            return True, f"the rate is known within {self.half_width:g}: {summary}"
        return False, f"undecided: {summary}"


@dataclass(frozen=True)
class DifferenceMonitor(_Decision):
    """Watches two agents at the same configurations. `update` returns the next monitor.

    For 0/1 outcomes, the test of "no difference" uses only the pairs in which one agent succeeded and the other failed.
    It shows who wins more of those, not by how much. The interval shows by how much.

    Attributes:
        margin: If given, decided once the interval is within plus or minus this: no relevant difference.
        half_width: If given, decided once the half-width of the interval is at most this.
        level: One minus the probability that the interval ever misses, and so of a false "one is better".
    """

    margin: float | None = None
    half_width: float | None = None
    level: float = 0.95
    _stream: Stream | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_level(self.level)
        _check_inside("margin", self.margin, 0, 1)
        _check_inside("half_width", self.half_width, 0, 2)

    @property
    def _now(self) -> Stream:
        return self._stream or Stream("betting", self.level, 0.5)

    def update(self, a: float, b: float) -> DifferenceMonitor:
        """Return the monitor after one more pair: outcomes (or rewards) of the two agents at one configuration."""
        first, second = check_outcomes([a, b], "pair")
        return replace(self, _stream=self._now.after(float(first - second + 1) / 2))

    @property
    def pairs(self) -> int:
        """Number of pairs so far."""
        return self._now.count

    @property
    def interval(self) -> Interval:
        """The interval so far for the mean of a - b."""
        return _interval(self._now, 2.0, -1.0, "betting, paired")

    @property
    def e_value(self) -> float:
        """Evidence against "no difference": 1 is none, 20 corresponds to 5%."""
        return _exp(self._now.log_e)

    @property
    def p_value(self) -> float:
        """Anytime-valid two-sided p-value of "no difference"."""
        return math.exp(-self._now.largest_log_e)

    @property
    def winner(self) -> Literal["a", "b"] | None:
        """Which agent is better, once that is decided."""
        now = self.interval
        if self._now.contradicted is not None or now.low < 0 < now.high:
            return None
        return "a" if now.low >= 0 else "b"

    def _finding(self) -> tuple[bool, str]:
        now = self.interval
        summary = f"a - b in [{now.low:+.3f}, {now.high:+.3f}] after {self.pairs} pairs"
        if self._now.contradicted is not None:
            return False, drift_note("difference", self._now.contradicted)
        if self.winner is not None:
            return True, f"{self.winner} is better: {summary}"
        if self.margin is not None and -self.margin <= now.low and now.high <= self.margin:
            return True, f"no difference larger than {self.margin:g}: {summary}"
        if self.half_width is not None and now.width <= 2 * self.half_width:
            return True, f"the difference is known within {self.half_width:g}: {summary}"
        return False, f"undecided: {summary}"


def _interval(stream: Stream, scale: float, shift: float, method: str) -> Interval:
    """Return the stream's interval on another scale."""
    mean = stream.total / stream.count if stream.count else 0.5
    estimate = scale * min(max(mean, stream.low), stream.high) + shift
    return Interval(estimate, scale * stream.low + shift, scale * stream.high + shift, stream.level, method)


def _exp(log: float) -> float:
    return math.exp(min(log, 700.0))  # larger values overflow a float


def _check_inside(name: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least < value < most:
        raise InvalidInput(
            f"{name}: expected a number between {least} and {most}, got {value!r}", fix="correct it, or leave it out"
        )
