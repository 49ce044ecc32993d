"""Intervals and tests that may be looked at after every episode, and so allow a run to stop early.

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

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, expit, stdtrit

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level

Method = Literal["beta-binomial", "betting", "running-mean"]
Floats = NDArray[np.float64]

_METHODS = ("beta-binomial", "betting", "running-mean")
_STEPS = 1000  # candidate means of the betting method lie 1/1000 apart; its interval is rounded outwards to them

# Fractions of the capital to bet, and how much is kept for each. Any fixed list is valid. With this one, the e-value of
# "no difference" is that of a Beta(2, 2) mixture over the share of wins, which served small and large gaps best.
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(20)
_FRACTIONS: Floats = (_NODES + 1) / 2
_SHARES: Floats = (_NODE_WEIGHTS / 2) * 1.5 * (1 - _FRACTIONS**2)
# Half bets that the mean is higher, half that it is lower.
_LOG_SHARES: Floats = np.log(np.tile(_SHARES / _SHARES.sum() / 2, 2))[:, None]

_TILTS: Floats = np.geomspace(0.01, 6, 20)  # of the running-mean method; again any fixed list is valid
_TILTS = np.concatenate([_TILTS, -_TILTS])


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


@dataclass(frozen=True)
class StoppingRule:
    """How a way of stopping did over many simulated comparisons.

    Attributes:
        name: The rule.
        declared: Share of comparisons in which it declared one agent better.
        wrong: Share in which it was wrong to: any declaration if the agents are equal, else one for the worse agent.
        mean_pairs: Pairs used on average, counting the full length where it never declared.
        median_pairs: Their median.
    """

    name: str
    declared: float
    wrong: float
    mean_pairs: float
    median_pairs: float


@dataclass(frozen=True)
class StoppingStudy:
    """What stopping early does to errors and cost; see `simulate_stopping`."""

    p_a: float
    p_b: float
    pairs: int
    streams: int
    level: float
    naive: StoppingRule
    once: StoppingRule
    anytime: StoppingRule


def rate_sequence(outcomes: ArrayLike, *, level: float = 0.95, method: Method = "beta-binomial") -> ConfidenceSequence:
    """Confidence sequence for a success rate or a mean reward; see the module for what each method promises.

    Args:
        outcomes: In the order in which they came. 0/1 for "beta-binomial", else anything in [0, 1].
        level: One minus the chance that the sequence ever misses.
        method: "beta-binomial" is exact and quick for 0/1; "betting" also takes rewards; "running-mean" allows drift.
    """
    x = _stream(outcomes, "outcomes")
    alpha = 1 - check_level(level)
    _check_method(method, x)
    estimate = np.cumsum(x) / np.arange(1, len(x) + 1)
    if method == "betting":
        return _fold(x, estimate, level)
    count, total = np.arange(1.0, len(x) + 1), np.cumsum(x)
    if method == "running-mean":
        low, high = _running_mean_bounds(total, count, alpha)
        notes = ("for the average over the episodes so far, each at its own chance of success",)
        return ConfidenceSequence(estimate, low, high, level, method, None, notes)
    low = np.maximum.accumulate(_beta_binomial_low(total, count, alpha))
    high = np.minimum.accumulate(1 - _beta_binomial_low(count - total, count, alpha))
    lost = np.flatnonzero(low > high)
    if lost.size:
        rest = slice(lost[0], None)
        low[rest], high[rest] = _running_mean_bounds(total[rest], count[rest], alpha)
    return _sequence(estimate, low, high, level, method, int(lost[0]) + 1 if lost.size else None)


def difference_sequence(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> ConfidenceSequence:
    """Confidence sequence for the mean of `a - b`, where `a[i]` and `b[i]` come from the same configuration.

    Successes or rewards in [0, 1]; the method is betting. Pairs must come in random order (see the module).
    """
    first, second = _stream(a, "a"), _stream(b, "b")
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
    x = _stream(outcomes, "outcomes")
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


def simulate_stopping(
    p_a: float,
    p_b: float,
    *,
    rng: np.random.Generator,
    both: float | None = None,
    pairs: int = 1000,
    streams: int = 2000,
    first_look: int = 20,
    level: float = 0.95,
) -> StoppingStudy:
    """Compare two agents many times, looking after every pair, by the naive rule and by ours.

    The naive rule stops at the first pair from `first_look` on at which a paired z test is significant. `once` is the
    same test used as intended, at the end only. `anytime` is what `DifferenceMonitor` does.

    Args:
        p_a: Success rate of the first agent.
        p_b: Success rate of the second.
        rng: Where chance comes from.
        both: Chance that both succeed at a configuration. If None, they are independent; a larger number is usual,
            since a hard configuration is hard for both.
        pairs: Most pairs in a comparison.
        streams: Simulated comparisons.
        first_look: Pairs before the naive rule starts looking.
        level: One minus the error allowed to each rule.
    """
    both = p_a * p_b if both is None else both
    if not (0 <= p_a <= 1 and 0 <= p_b <= 1 and max(0.0, p_a + p_b - 1) - 1e-12 <= both <= min(p_a, p_b) + 1e-12):
        raise InvalidInput(
            f"rates: no pair of agents has success rates {p_a!r} and {p_b!r} and both succeed at {both!r}",
            fix="rates lie in [0, 1]; `both` between p_a + p_b - 1 and the smaller rate",
        )
    if pairs < 2 or streams < 1 or not 2 <= first_look <= pairs:
        raise InvalidInput(
            f"pairs: got pairs={pairs}, streams={streams}, first_look={first_look}",
            fix="at least 2 pairs, one stream, and a first look between 2 and the last pair",
        )
    alpha = 1 - check_level(level)
    draw = rng.random((streams, pairs))
    a_only, b_only = draw < p_a - both, draw >= 1 - (p_b - both)
    wins, losses = np.cumsum(a_only, axis=1, dtype=float), np.cumsum(b_only, axis=1, dtype=float)
    lead = wins - losses
    count = np.arange(1.0, pairs + 1)
    spread = np.maximum((wins + losses) * count - lead**2, 0) / np.maximum(count - 1, 1)  # number times variance
    z_squared = np.divide(lead**2, spread, out=np.where(lead == 0, 0.0, np.inf), where=spread > 0)
    hit = z_squared > float(stdtrit(math.inf, 1 - alpha / 2)) ** 2
    anytime = _log_capital_of_wins(wins, losses) >= -math.log(alpha)
    better = float(np.sign(p_a - p_b))
    naive = _judge("z test at every look", hit & (count >= first_look), lead, better)
    once = _judge("z test once, at the end", hit & (count == pairs), lead, better)
    return StoppingStudy(p_a, p_b, pairs, streams, level, naive, once, _judge("anytime-valid", anytime, lead, better))


@dataclass(frozen=True)
class _State:
    """What a monitor remembers of a stream in [0, 1]. Never changed: `after` gives the next one."""

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
    capital: Floats = field(default_factory=lambda: np.zeros((2 * len(_FRACTIONS), 1)))
    null_capital: Floats = field(default_factory=lambda: np.zeros((2 * len(_FRACTIONS), 1)))

    def after(self, x: float) -> _State:
        new = replace(self, count=self.count + 1, total=self.total + x)
        if self.contradicted is not None or self.method == "running-mean":
            low, high = _running_mean_bounds(np.array(new.total), np.array(float(new.count)), 1 - self.level)
            return replace(new, low=float(low), high=float(high))
        new = new._bet(x) if self.method == "betting" else new._count()
        if new.contradicted is not None:
            return replace(self, contradicted=new.count).after(x)
        return replace(new, largest_log_e=max(self.largest_log_e, new.log_e))

    def _count(self) -> _State:
        s, n, alpha = np.array(self.total), np.array(float(self.count)), 1 - self.level
        low = max(self.low, float(_beta_binomial_low(s, n, alpha)))
        high = min(self.high, float(1 - _beta_binomial_low(n - s, n, alpha)))
        log_e = 0.0 if self.null is None else float(_log_beta_binomial(s, n, self.null))
        return replace(self, low=low, high=high, log_e=log_e, contradicted=self.count if low > high else None)

    def _bet(self, x: float) -> _State:
        capital = self.capital + _log_bets(x, self.candidates)
        ruled_out = _log_sum(capital + _LOG_SHARES, 0) >= -math.log(1 - self.level)
        mean = self.total / self.count
        # The capital is convex in the candidate and at most 1 at the mean, so what is ruled out lies on either side.
        low = max(self.low, float(self.candidates[ruled_out & (self.candidates < mean)].max(initial=0.0)))
        high = min(self.high, float(self.candidates[ruled_out & (self.candidates > mean)].min(initial=1.0)))
        lost = bool(ruled_out.all()) and not low - 1 / _STEPS <= mean <= high + 1 / _STEPS
        log_e, null_capital = 0.0, self.null_capital
        if self.null is not None:
            null_capital = null_capital + _log_bets(x, np.array([self.null]))
            log_e = float(_log_sum(null_capital + _LOG_SHARES, 0)[0])
        kept = ~ruled_out
        new = replace(self, candidates=self.candidates[kept], capital=capital[:, kept], null_capital=null_capital)
        return replace(new, low=low, high=high, log_e=log_e, contradicted=self.count if lost else None)


class _Decision:
    """What a monitor says, out of its finding."""

    @property
    def decided(self) -> bool:
        """Whether the run may stop."""
        return self._finding()[0]

    @property
    def reason(self) -> str:
        """Why it may stop, or why not, in words."""
        return self._finding()[1]

    def _finding(self) -> tuple[bool, str]:
        raise NotImplementedError


@dataclass(frozen=True)
class RateMonitor(_Decision):
    """Watches a success rate (or mean reward) while a run goes on. `update` gives the next monitor.

    Attributes:
        threshold: If given, decided once the interval lies wholly on one side of it.
        half_width: If given, decided once the interval is as narrow as this.
        level: One minus the chance that the interval ever misses.
        method: As for `rate_sequence`.
    """

    threshold: float | None = None
    half_width: float | None = None
    level: float = 0.95
    method: Method = "beta-binomial"
    _state: _State | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_level(self.level)
        _check_method(self.method)
        _check_inside("threshold", self.threshold, 0, 1)
        _check_inside("half_width", self.half_width, 0, 1)

    @property
    def _now(self) -> _State:
        state = self._state or _State(self.method, self.level, self.threshold)
        if self._state is None and self.threshold is not None:  # so that interval and p-value decide at the same time
            state = replace(state, candidates=np.union1d(state.candidates, [self.threshold]))
        return state

    def update(self, outcome: float) -> RateMonitor:
        """The monitor after one more episode."""
        x = _stream([outcome], "outcome")
        _check_method(self.method, x)
        return replace(self, _state=self._now.after(float(x[0])))

    @property
    def episodes(self) -> int:
        """Episodes seen."""
        return self._now.count

    @property
    def interval(self) -> Interval:
        """The interval so far; the estimate is the mean so far (one half before any episode)."""
        return _interval(self._now, 1.0, 0.0, self.method)

    @property
    def e_value(self) -> float | None:
        """Evidence against "the rate is the threshold": 1 is none, 20 is 5%. None where there is no such test."""
        return None if self.threshold is None or self.method == "running-mean" else _exp(self._now.log_e)

    @property
    def p_value(self) -> float | None:
        """Anytime-valid p-value of "the rate is the threshold", two-sided. None where there is no such test."""
        return None if self.e_value is None else math.exp(-self._now.largest_log_e)

    def _finding(self) -> tuple[bool, str]:
        now = self.interval
        found = f"[{now.low:.3f}, {now.high:.3f}] after {self.episodes} episodes"
        if self._now.contradicted is not None:
            return False, _drift("rate", self._now.contradicted)
        if self.threshold is not None and now.low >= self.threshold:
            return True, f"the rate is above {self.threshold:g}: {found}"
        if self.threshold is not None and now.high <= self.threshold:
            return True, f"the rate is below {self.threshold:g}: {found}"
        if self.half_width is not None and now.width <= 2 * self.half_width:
            return True, f"the rate is known to within {self.half_width:g}: {found}"
        return False, f"open: {found}"


@dataclass(frozen=True)
class DifferenceMonitor(_Decision):
    """Watches two agents that meet at the same configurations. `update` gives the next monitor.

    With successes, the test of "no difference" uses only the pairs in which one agent succeeded and the other failed:
    it tells who wins more of those, not by how much. How much is in the interval.

    Attributes:
        margin: If given, decided once the interval lies within plus or minus this: no difference that matters.
        half_width: If given, decided once the interval is as narrow as this.
        level: One minus the chance that the interval ever misses, and so of a false "one is better".
    """

    margin: float | None = None
    half_width: float | None = None
    level: float = 0.95
    _state: _State | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_level(self.level)
        _check_inside("margin", self.margin, 0, 1)
        _check_inside("half_width", self.half_width, 0, 2)

    @property
    def _now(self) -> _State:
        return self._state or _State("betting", self.level, 0.5)

    def update(self, a: float, b: float) -> DifferenceMonitor:
        """The monitor after one more pair: outcomes (or rewards) of the two agents at one configuration."""
        first, second = _stream([a, b], "pair")
        return replace(self, _state=self._now.after(float(first - second + 1) / 2))

    @property
    def pairs(self) -> int:
        """Pairs seen."""
        return self._now.count

    @property
    def interval(self) -> Interval:
        """The interval so far for the mean of a - b."""
        return _interval(self._now, 2.0, -1.0, "betting, paired")

    @property
    def e_value(self) -> float:
        """Evidence against "no difference": 1 is none, 20 is 5%."""
        return _exp(self._now.log_e)

    @property
    def p_value(self) -> float:
        """Anytime-valid p-value of "no difference", two-sided."""
        return math.exp(-self._now.largest_log_e)

    @property
    def winner(self) -> Literal["a", "b"] | None:
        """Who is better, once that is decided."""
        now = self.interval
        if self._now.contradicted is not None or now.low < 0 < now.high:
            return None
        return "a" if now.low >= 0 else "b"

    def _finding(self) -> tuple[bool, str]:
        now = self.interval
        found = f"a - b in [{now.low:+.3f}, {now.high:+.3f}] after {self.pairs} pairs"
        if self._now.contradicted is not None:
            return False, _drift("difference", self._now.contradicted)
        if self.winner is not None:
            return True, f"{self.winner} is better: {found}"
        if self.margin is not None and -self.margin <= now.low and now.high <= self.margin:
            return True, f"no difference larger than {self.margin:g}: {found}"
        if self.half_width is not None and now.width <= 2 * self.half_width:
            return True, f"the difference is known to within {self.half_width:g}: {found}"
        return False, f"open: {found}"


def _log_beta_binomial(s: Floats, n: Floats, p: ArrayLike) -> Floats:
    """Log of the martingale M_n(p): a Beta(1/2, 1/2) mixture of likelihood ratios against p."""
    p = np.asarray(p, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):  # at p = 0 or 1, what cannot happen has likelihood 0
        likelihood = np.where(s > 0, s * np.log(p), 0.0) + np.where(n - s > 0, (n - s) * np.log1p(-p), 0.0)
    return np.asarray(betaln(s + 0.5, n - s + 0.5) - betaln(0.5, 0.5) - likelihood)


def _beta_binomial_low(s: Floats, n: Floats, alpha: float) -> Floats:
    """Smallest p with M_n(p) < 1/alpha, by Newton steps on the log-odds.

    The log-likelihood is concave there and we start left of the root, so every step stays left of it: stopping short
    would only widen the interval.
    """
    target = math.log(alpha) + betaln(s + 0.5, n - s + 0.5) - betaln(0.5, 0.5)
    some = s > 0
    theta = target / np.where(some, s, 1)
    for _ in range(200):
        step = (target - s * theta + n * np.logaddexp(0, theta)) / np.where(some, s - n * expit(theta), 1)
        step = np.where(some & (step > 0), step, 0)
        theta = theta + step
        if np.all(step <= 1e-12 * (1 + np.abs(theta))):
            break
    return np.asarray(np.where(some, expit(theta), 0.0))


def _running_mean_bounds(s: Floats, n: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Ends of {m: mean over tilts of exp(tilt s - n log(1 - m + m e^tilt)) < 1/alpha}, which is an interval round s/n.

    For x in [0, 1] with mean m, E exp(tilt x) <= 1 - m + m e^tilt, and its log is concave in m: so the average of the
    episodes' own means may stand in for all of them.
    """
    s, n = s[..., None], n[..., None]
    growth, factor = _TILTS * s - math.log(len(_TILTS) / alpha), np.expm1(_TILTS)
    outside = np.array([0.0, 1.0]) + 0 * s  # both ends at once, in the last axis
    inside = s / n + 0 * outside
    for _ in range(45):
        middle = (outside + inside) / 2
        ruled_out = _log_sum(growth[..., None, :] - n[..., None] * np.log1p(middle[..., None] * factor), -1) >= 0
        outside, inside = np.where(ruled_out, middle, outside), np.where(ruled_out, inside, middle)
    return outside[..., 0], outside[..., 1]


def _log_sum(logs: Floats, axis: int) -> Floats:
    """Log of the sum of exponentials; SciPy's spends more time on looking at its arguments than on the sum."""
    top = logs.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(logs - top).sum(axis=axis)) + top.squeeze(axis))


def _log_bets(x: float, means: Floats) -> Floats:
    """Log growth of each bet at outcome x if the mean were as given: fractions up, then down, by candidates."""
    k = _FRACTIONS[:, None]
    return np.concatenate([np.log1p(k * (x / means - 1)), np.log1p(k * ((1 - x) / (1 - means) - 1))])


def _log_capital_of_wins(wins: Floats, losses: Floats) -> Floats:
    """The log e-value of "no difference" from counts of pairs that one or the other won."""
    capital = np.full(wins.shape, -np.inf)
    for fraction, share in zip(_FRACTIONS, _LOG_SHARES[: len(_FRACTIONS), 0], strict=True):
        up, down = math.log1p(fraction), math.log1p(-fraction)
        np.logaddexp(capital, wins * up + losses * down + share, out=capital)
        np.logaddexp(capital, losses * up + wins * down + share, out=capital)
    return capital


def _fold(x: Floats, estimate: Floats, level: float) -> ConfidenceSequence:
    state, low, high = _State("betting", level, None), np.empty(len(x)), np.empty(len(x))
    for i, value in enumerate(x.tolist()):  # one step is a thousand candidates wide
        state = state.after(value)
        low[i], high[i] = state.low, state.high
    return _sequence(estimate, low, high, level, "betting", state.contradicted)


def _sequence(
    estimate: Floats, low: Floats, high: Floats, level: float, method: str, contradicted: int | None
) -> ConfidenceSequence:
    notes: tuple[str, ...] = ("holds if configurations come in random order",)
    if contradicted is not None:
        notes = (_drift("mean", contradicted),)
    return ConfidenceSequence(estimate, low, high, level, method, contradicted, notes)


def _judge(name: str, hit: NDArray[np.bool_], lead: Floats, better: float) -> StoppingRule:
    declared, stop = hit.any(axis=1), hit.argmax(axis=1)
    side = np.sign(lead[np.arange(len(lead)), stop])
    used = np.where(declared, stop + 1, lead.shape[1])
    wrong = declared & (side != better)
    return StoppingRule(name, float(declared.mean()), float(wrong.mean()), float(used.mean()), float(np.median(used)))


def _interval(state: _State, scale: float, shift: float, method: str) -> Interval:
    mean = state.total / state.count if state.count else 0.5
    estimate = scale * min(max(mean, state.low), state.high) + shift
    return Interval(estimate, scale * state.low + shift, scale * state.high + shift, state.level, method)


def _drift(what: str, number: int) -> str:
    return (
        f"no single {what} fits: at number {number} the intervals stopped overlapping, so the stream drifts (was the "
        "order random?), and from there the interval is for the average of the stream so far"
    )


def _exp(log: float) -> float:
    return math.exp(min(log, 700.0))  # past that a float has no room, and no one doubts


def _stream(values: ArrayLike, name: str) -> Floats:
    x = np.asarray(values)
    if x.ndim != 1 or x.size == 0 or x.dtype.kind not in "buif":
        raise InvalidInput(
            f"{name}: expected a list of numbers, got {x.dtype} of shape {x.shape}", fix="give one number an episode"
        )
    x = x.astype(float)
    bad = np.flatnonzero(~((x >= 0) & (x <= 1)))
    if bad.size:
        raise InvalidInput(
            f"{name}[{bad[0]}]: expected a number in [0, 1], got {x[bad[0]]}",
            fix="leave out errored episodes, and scale rewards to [0, 1]",
        )
    return x


def _check_method(method: str, x: Floats | None = None) -> None:
    if method not in _METHODS:
        raise InvalidInput(f"method: expected one of {', '.join(_METHODS)}, got {method!r}", fix="choose one of them")
    if x is not None and method == "beta-binomial" and not np.isin(x, (0, 1)).all():
        raise InvalidInput("outcomes: expected 0 or 1, got rewards in between", fix="use method='betting'")


def _check_inside(name: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least < value < most:
        raise InvalidInput(
            f"{name}: expected a number between {least} and {most}, got {value!r}", fix="or leave it out"
        )
