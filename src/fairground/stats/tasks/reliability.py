"""Reliability: Pass^k and pass@k with intervals, and consistency classes.

Everything is computed from two numbers per task: c successes out of n rollouts. Tasks may have different n.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import check_counts, check_whole, score_bounds, wilson
from fairground.stats.suites.clusters import KNOWN, Spread, share_interval

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Metric = Literal["Pass^k", "pass@k"]
Resample = Literal["tasks", "rollouts"]

CLASSES = ("always", "sometimes", "never")
"""Consistency classes, in the order of rows and columns of a flow matrix."""

_CELLS_AT_ONCE = 4_000_000
_KS_AT_ONCE = 200
_NO_SPREAD = "wilson bound (no spread in the data)"


@dataclass(frozen=True)
class PassK:
    """Pass^k or pass@k at one k.

    Attributes:
        metric: "Pass^k" or "pass@k".
        k: Number of executions.
        estimate: Mean over the tasks that have at least k rollouts.
        tasks: Number of these tasks.
        left_out: Number of tasks with fewer than k rollouts.
        notes: Caveats for the reader.
    """

    metric: Metric
    k: int
    estimate: float
    tasks: int
    left_out: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PassCurve:
    """Pass^k or pass@k for k = 1, 2, ... with intervals.

    Attributes:
        metric: "Pass^k" or "pass@k".
        ks: The values of k.
        points: The estimate and interval at each k.
        tasks: Number of tasks with enough rollouts at each k.
        left_out: Number of tasks without enough rollouts at each k.
        notes: Caveats for the reader.
    """

    metric: Metric
    ks: tuple[int, ...]
    points: tuple[Interval, ...]
    tasks: tuple[int, ...]
    left_out: tuple[int, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Consistency:
    """Number of tasks solved in every rollout, in some, and in none.

    Attributes:
        tasks: Number of tasks.
        counts: Number of tasks in each class of `CLASSES`.
        shares: Shares of all tasks, with Wilson intervals.
        notes: Caveats for the reader.
    """

    tasks: int
    counts: dict[str, int]
    shares: dict[str, Interval]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReliabilitySummary:
    """Summary of one agent's reliability.

    Attributes:
        tasks: Number of tasks.
        rollouts: Total number of rollouts.
        consistency: Tasks solved always, sometimes, never.
        pass_hat: The Pass^k curve.
        pass_at: The pass@k curve.
    """

    tasks: int
    rollouts: int
    consistency: Consistency
    pass_hat: PassCurve
    pass_at: PassCurve


def pass_hat_k(successes: ArrayLike, trials: ArrayLike, k: int) -> PassK:
    """Compute Pass^k, the probability that k executions of a task all succeed.

    It is the mean over tasks of C(c, k) / C(n, k).

    Args:
        successes: c of each task.
        trials: n of each task, or one number for all.
        k: At least 1. Tasks with fewer rollouts carry no information about it and are left out, with a note.

    Raises:
        InvalidInput: If no task has k rollouts.
    """
    return _at("Pass^k", successes, trials, k)


def pass_at_k(successes: ArrayLike, trials: ArrayLike, k: int) -> PassK:
    """Compute pass@k, the probability that at least one of k executions succeeds.

    It is the mean over tasks of 1 - C(n-c, k) / C(n, k). Arguments as for `pass_hat_k`.
    """
    return _at("pass@k", successes, trials, k)


def pass_curve(
    successes: ArrayLike,
    trials: ArrayLike,
    *,
    rng: np.random.Generator,
    metric: Metric = "Pass^k",
    largest_k: int | None = None,
    groups: Sequence[Hashable] | NDArray[np.generic] | None = None,
    resample: Resample = "tasks",
    level: float = 0.95,
    replicates: int = 10_000,
) -> PassCurve:
    """Compute Pass^k or pass@k for k = 1 up to `largest_k`, with intervals.

    By default tasks are the clusters. Each task's value is an unbiased estimate of its own p^k, so the variance of
    these values over tasks already includes both sources of randomness: the choice of tasks and of rollouts. The
    interval is Wilson's with the effective number of trials, and Student's t, as for a score.

    Args:
        successes: c of each task.
        trials: n of each task, or one number for all.
        rng: Random generator.
        metric: Which of the two.
        largest_k: End of the curve. Default: the largest k for which at least half of the tasks have enough rollouts.
        groups: The app of each task. Apps are then fixed, and tasks are the sample within their app.
        resample: "tasks" for conclusions about tasks like these; "rollouts" for conclusions about exactly these tasks.
            For "rollouts" a bootstrap draws rollouts again within each task. A task with c of n drawn again has the
            mean (c/n)^k, which is above C(c, k) / C(n, k); this bias is removed. Reliable only if k is at most half of
            n.
        level: Confidence level of each point (not of the whole curve).
        replicates: Number of bootstrap resamples, for "rollouts".
    """
    check_level(level)
    c, n = _tasks(successes, trials)
    if replicates < 100:
        raise InvalidInput(f"replicates: expected at least 100, got {replicates}", fix="use 10,000")
    if metric not in ("Pass^k", "pass@k"):
        raise InvalidInput(f'metric: expected "Pass^k" or "pass@k", got {metric!r}')
    if resample not in ("tasks", "rollouts"):
        raise InvalidInput(f'resample: expected "tasks" or "rollouts", got {resample!r}')
    if largest_k is None:
        largest_k = int(np.sort(n)[len(n) // 2])
    largest_k = _k(largest_k)
    group = _group(groups, len(c))
    notes: list[str] = []
    points: list[Interval] = []
    used: list[int] = []
    # Between two consecutive values of n the same tasks can be used, so one bootstrap serves all k in between.
    ends = {int(size) for size in np.unique(n)} | set(range(0, largest_k, _KS_AT_ONCE))
    starts = sorted(end for end in ends if end < largest_k)
    for start, end in zip(starts, [*starts[1:], largest_k], strict=True):
        usable = n > start
        if not usable.any():
            raise _too_few(start + 1, n)
        ks = range(start + 1, end + 1)
        points += _points(metric, c[usable], n[usable], group[usable], ks, resample, level, replicates, rng)
        used += [int(usable.sum())] * len(ks)
    if used[-1] < len(c):
        notes.append(_short_note(largest_k, len(c) - used[-1], len(c)))
    notes += _bootstrap_notes(points, used, int(n.min()), resample)
    left_out = tuple(len(c) - u for u in used)
    return PassCurve(metric, tuple(range(1, largest_k + 1)), tuple(points), tuple(used), left_out, tuple(notes))


def consistency(successes: ArrayLike, trials: ArrayLike, *, level: float = 0.95) -> Consistency:
    """Count the tasks solved in every rollout (always), in some but not all (sometimes), and in none (never)."""
    c, n = _tasks(successes, trials)
    counts = np.bincount(consistency_classes(c, n), minlength=3).tolist()
    notes = []
    if n.max() == 1:
        notes.append("There is only one rollout per task, so no task can show inconsistency.")
    elif n.min() < n.max():
        notes.append(
            f"Tasks have {n.min()} to {n.max()} rollouts: with more rollouts a task is less likely to count as always "
            "or never solved."
        )
    shares = {name: wilson(count, len(c), level) for name, count in zip(CLASSES, counts, strict=True)}
    return Consistency(len(c), dict(zip(CLASSES, counts, strict=True)), shares, tuple(notes))


def consistency_classes(c: Counts, n: Counts) -> Counts:
    """Return the index of each task's class in `CLASSES`."""
    return np.where(c == n, 0, np.where(c == 0, 2, 1))


def reliability_summary(
    successes: ArrayLike,
    trials: ArrayLike,
    *,
    rng: np.random.Generator,
    largest_k: int | None = None,
    groups: Sequence[Hashable] | NDArray[np.generic] | None = None,
    level: float = 0.95,
    replicates: int = 10_000,
) -> ReliabilitySummary:
    """Compute consistency classes and both curves of one agent. Arguments as for `pass_curve`."""
    c, n = _tasks(successes, trials)
    hat, at = (
        pass_curve(c, n, rng=rng, metric=metric, largest_k=largest_k, groups=groups, level=level, replicates=replicates)
        for metric in ("Pass^k", "pass@k")
    )
    return ReliabilitySummary(len(c), int(n.sum()), consistency(c, n, level=level), hat, at)


def pass_table(metric: Metric, successes: Counts, trials: Counts, largest_k: int) -> Floats:
    """Return the value of each task (row) at k = 1 up to `largest_k` (columns). Undefined beyond a task's n.

    A running product of ratios, (c/n) * ((c-1)/(n-1)) * ..., so nothing overflows for large n.
    """
    product = np.multiply.accumulate(_ratios(metric, successes, trials, largest_k), axis=1, dtype=np.float64)
    return product if metric == "Pass^k" else 1 - product


def _ratios(metric: Metric, c: Counts, n: Counts, k: int) -> Floats:
    drawn = np.arange(k)
    left = (c if metric == "Pass^k" else n - c)[:, None] - drawn
    ratios: Floats = np.maximum(left, 0) / np.maximum(n[:, None] - drawn, 1)
    return ratios


def _at(metric: Metric, successes: ArrayLike, trials: ArrayLike, k: int) -> PassK:
    c, n = _tasks(successes, trials)
    k = _k(k)
    usable = n >= k
    if not usable.any():
        raise _too_few(k, n)
    size, left_out = int(usable.sum()), int((~usable).sum())
    n_cell, c_cell, weight, _ = _cells(c[usable], n[usable])
    total = 0.0
    rows = max(1, _CELLS_AT_ONCE // k)
    for start in range(0, len(weight), rows):
        part = slice(start, start + rows)
        product = np.prod(_ratios(metric, c_cell[part], n_cell[part], k), axis=1)
        total += float(weight[part] @ (product if metric == "Pass^k" else 1 - product))
    notes = (_short_note(k, left_out, len(c)),) if left_out else ()
    return PassK(metric, k, min(1.0, total / size), size, left_out, notes)


def _points(
    metric: Metric,
    c: Counts,
    n: Counts,
    group: Counts,
    ks: range,
    resample: Resample,
    level: float,
    replicates: int,
    rng: np.random.Generator,
) -> list[Interval]:
    """Return intervals at consecutive k for which all tasks have enough rollouts."""
    n_cell, c_cell, weight, cell = _cells(c, n)
    columns = slice(ks.start - 1, ks.stop - 1)
    table = pass_table(metric, c_cell, n_cell, ks.stop - 1)[:, columns]
    estimates = np.clip(weight @ table / len(c), 0.0, 1.0)
    if resample == "tasks":
        return _over_tasks(estimates, table, cell, group, level)
    means = np.empty((replicates, len(ks)))
    rows = max(1, _CELLS_AT_ONCE // ((int(n.max()) + 1) * len(ks)))
    for start in range(0, replicates, rows):
        size = min(rows, replicates - start)
        sums = np.zeros((size, len(ks)))
        for trials, successes, tasks, value in zip(n_cell, c_cell, weight, table, strict=True):
            sums += tasks * value
            if 0 < successes < trials:
                possible = np.arange(trials + 1)
                values = pass_table(metric, possible, np.full_like(possible, trials), ks.stop - 1)[:, columns]
                sums += _shifts(values, int(successes), int(trials), int(tasks), size, rng)
        means[start : start + size] = sums / len(c)
    low, high = np.quantile(np.clip(means, 0.0, 1.0), [(1 - level) / 2, (1 + level) / 2], axis=0)
    flat = np.ptp(means, axis=0) < 1e-12
    points = []
    for estimate, lower, upper, still in zip(estimates.tolist(), low.tolist(), high.tolist(), flat, strict=True):
        if still:
            ends = score_bounds(estimate, len(c), level)
            points.append(Interval(estimate, *ends, level, _NO_SPREAD))
        else:
            ends = min(lower, estimate), max(upper, estimate)
            points.append(Interval(estimate, *ends, level, "bootstrap over rollouts, percentile"))
    return points


def _over_tasks(estimates: Floats, table: Floats, cell: Counts, group: Counts, level: float) -> list[Interval]:
    """Return intervals with tasks as clusters, within groups. Groups of one task form one stratum together."""
    alone = np.bincount(group)[group] == 1
    strata = np.where(alone, -1, group)
    variance, freedom = np.zeros(len(estimates)), 0
    for stratum in np.unique(strata).tolist():
        present, count = np.unique(cell[strata == stratum], return_counts=True)
        size = int(count.sum())
        if size > 1:
            values = table[present]
            mean = count @ values / size
            variance += size * (count @ (values - mean) ** 2) / (size - 1)
            freedom += size - 1
    tasks = len(cell)
    free = float(freedom) if tasks > 1 else KNOWN
    return [
        share_interval(Spread(np.asarray(value), np.asarray(spread), free, tasks, "tasks"), level)
        for value, spread in zip(estimates, variance / tasks**2, strict=True)
    ]


def _shifts(values: Floats, successes: int, trials: int, tasks: int, size: int, rng: np.random.Generator) -> Floats:
    """Return how far the summed value of `tasks` equal tasks moves around its mean when rollouts are drawn again.

    Widened by n / (n - 1) in variance: rates estimated from n rollouts look that much less variable than they are.
    """
    rate = successes / trials
    possible = np.arange(trials + 1)
    chance = np.exp(
        special.gammaln(trials + 1)
        - special.gammaln(possible + 1)
        - special.gammaln(trials - possible + 1)
        + special.xlogy(possible, rate)
        + special.xlog1py(trials - possible, -rate)
    )
    chance /= chance.sum()
    mean = tasks * (chance @ values)
    if tasks > trials:
        drawn: Floats = rng.multinomial(tasks, chance, size) @ values
    else:
        drawn = np.zeros((size, values.shape[1]))
        for _ in range(tasks):
            drawn += values[rng.binomial(trials, rate, size)]
    widened: Floats = (drawn - mean) * (trials / (trials - 1)) ** 0.5
    return widened


def _cells(c: Counts, n: Counts) -> tuple[Counts, Counts, Counts, Counts]:
    """Group tasks with equal (n, c): n and c of each kind, how many there are, and the kind of each task."""
    sizes, size = np.unique(n, return_inverse=True)
    counts, count = np.unique(c, return_inverse=True)
    kinds, cell, weight = np.unique(size * len(counts) + count, return_inverse=True, return_counts=True)
    return sizes[kinds // len(counts)], counts[kinds % len(counts)], weight, cell


def _tasks(successes: ArrayLike, trials: ArrayLike) -> tuple[Counts, Counts]:
    c, n = check_counts(successes, trials)
    if c.ndim != 1:
        raise InvalidInput(f"successes: expected a list with one number per task, got shape {c.shape}")
    return c, n


def _k(k: int) -> int:
    number = check_whole(k, "k")
    if number.ndim or number < 1:
        raise InvalidInput(f"k: expected one integer of at least 1, got {k!r}")
    return int(number)


def _group(groups: Sequence[Hashable] | NDArray[np.generic] | None, size: int) -> Counts:
    if groups is None:
        return np.zeros(size, dtype=np.int64)
    if len(groups) != size:
        raise InvalidInput(f"groups: expected one per task ({size}), got {len(groups)}")
    known: dict[Hashable, int] = {}
    names = groups.tolist() if isinstance(groups, np.ndarray) else groups
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _bootstrap_notes(points: list[Interval], used: list[int], smallest_n: int, resample: Resample) -> list[str]:
    notes = []
    if any(point.method == _NO_SPREAD for point in points):
        notes.append("If the resamples do not vary, the interval is a conservative bound from the number of tasks.")
    rare = [k for k, point in enumerate(points, 1) if _is_rare(point, used[k - 1])]
    if rare:
        notes.append(f"From k = {rare[0]} on, one outcome has fewer than five tasks: the interval is approximate.")
    if resample == "rollouts" and len(points) > smallest_n / 2:
        notes.append("Resampling rollouts gives intervals that are too narrow if k is more than half of n.")
    return notes


def _is_rare(point: Interval, tasks: int) -> bool:
    return point.method != _NO_SPREAD and min(point.estimate, 1 - point.estimate) * tasks < 5


def _short_note(k: int, left_out: int, tasks: int) -> str:
    return (
        f"Left out, because they have fewer than {k} rollouts: {left_out} of {tasks} tasks; the remaining ones may be "
        "easier or harder"
    )


def _too_few(k: int, n: Counts) -> InvalidInput:
    return InvalidInput(
        f"k: no task has {k} rollouts; the maximum is {n.max()}",
        fix=f"use k up to {n.max()}, or run more rollouts",
    )
