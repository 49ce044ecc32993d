"""Hierarchical bootstrap: intervals for apps and suites that respect app > scenario > axes > rollout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import score_bounds
from fairground.stats.suites.nesting import Design
from fairground.stats.suites.resampling import LEVELS, resample
from fairground.stats.suites.suite_statistics import Floats, Statistic, apply, statistic_of
from fairground.stats.tables.cells import Cells

Method = Literal["percentile", "bca"]
Scheme = Literal["clusters", "prism"]
"""How intervals are computed.

- `clusters`: Scenarios are the sample, with a small-sample correction; see `fairground.stats.suites.clusters`.
- `prism`: The nested bootstrap of the paper, which resamples scenarios, axes and rollouts. It does not keep its nominal
  level.
"""

FLAT = 1e-9
"""Replicates that differ by less count as equal: nothing varied in the bootstrap."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """Resampled suites of one contender.

    Attributes:
        cells: What was resampled.
        means: Means as a replicate x app array.
        levels: The resampled levels, of "scenarios", "axes" and "rollouts".
    """

    cells: Cells
    means: Floats
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Profile:
    """A performance profile: the share of apps whose success rate is at least a threshold.

    Attributes:
        thresholds: From 0 to 1.
        fraction: The share of apps at each threshold.
        low: Lower end of the pointwise band.
        high: Upper end.
        level: Confidence level of the band.
    """

    thresholds: tuple[float, ...]
    fraction: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    level: float


def check_scheme(scheme: str, method: str = "percentile", design: str = "auto") -> None:
    """Reject unknown schemes, and options that only the nested bootstrap supports."""
    if scheme not in ("clusters", "prism"):
        raise InvalidInput(f"scheme: expected clusters or prism, got {scheme!r}")
    if method not in ("percentile", "bca"):
        raise InvalidInput(f"method: expected percentile or bca, got {method!r}")
    if design not in ("auto", "grid", "sampled"):
        raise InvalidInput(f"design: expected auto, grid or sampled, got {design!r}")
    if scheme == "clusters" and (method, design) != ("percentile", "auto"):
        given = f"method {method}" if method != "percentile" else f"design {design}"
        raise InvalidInput(
            f"{given}: only the nested bootstrap supports this", fix="use the scheme prism (--scheme prism)"
        )


def bootstrap(
    cells: Cells,
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    levels: Sequence[str] = LEVELS,
    design: Design = "auto",
) -> Replicates:
    """Resample a suite: scenarios within each app, each axis within each scenario, rollouts within each cell.

    Args:
        cells: One contender's cells, from `count`.
        rng: Random generator.
        resamples: Number of replicates; 1,000 is enough for 95%.
        levels: What to resample. Leaving out any gives intervals that are too narrow; the option exists to show that.
        design: Whether configurations are a grid along the axes or a sample; see `Design`.
    """
    means = resample([cells], rng=rng, resamples=resamples, levels=levels, design=design)[0]
    return Replicates(cells, means, tuple(level for level in LEVELS if level in levels))


def suite_interval(
    replicates: Replicates,
    statistic: str | Statistic = "mean",
    *,
    level: float = 0.95,
    method: Method = "percentile",
) -> Interval:
    """Return the suite's interval, for any statistic of its app means.

    If all replicates are equal (every episode passed, or every one failed), a bootstrap carries no information. The
    interval is then Wilson's, with scenarios as trials.
    """
    name, function = statistic_of(statistic)
    cells = replicates.cells
    estimate = float(apply(function, cells.app_means))
    replicated = apply(function, replicates.means)
    if np.ptp(replicated) < FLAT and cells.values is None:
        sizes = np.bincount(cells.app_of, minlength=len(cells.apps))
        return wilson_over_scenarios(estimate, len(sizes) ** 2 / float((1 / sizes).sum()), level)
    acceleration = _acceleration(cells, function) if method == "bca" else 0.0
    label = f"hierarchical bootstrap of the {name}"
    return interval_of(replicated, estimate, level=level, method=method, acceleration=acceleration, label=label)


def app_intervals(replicates: Replicates, *, level: float = 0.95, method: Method = "percentile") -> dict[str, Interval]:
    """Return each app's interval."""
    cells = replicates.cells
    sizes = np.bincount(cells.app_of, minlength=len(cells.apps)).tolist()
    intervals = {}
    for app, name in enumerate(cells.apps):
        replicated, estimate = replicates.means[:, app], float(cells.app_means[app])
        if np.ptp(replicated) < FLAT and cells.values is None:
            intervals[name] = wilson_over_scenarios(estimate, sizes[app], level)
            continue
        skewed = _skewness(cells.scenario_means[cells.app_of == app]) if method == "bca" else 0.0
        intervals[name] = interval_of(
            replicated, estimate, level=level, method=method, acceleration=skewed, label="hierarchical bootstrap"
        )
    return intervals


def profile(replicates: Replicates, thresholds: Sequence[float] | None = None, *, level: float = 0.95) -> Profile:
    """Return the performance profile with its band. Default thresholds: 0, 0.01, ... 1."""
    return profile_of(replicates.cells.app_means, replicates.means, thresholds, level=level)


def profile_of(
    app_means: Floats, drawn: Floats, thresholds: Sequence[float] | None = None, *, level: float = 0.95
) -> Profile:
    """Return the profile of app means, with a band from draws of them (draw x app)."""
    check_level(level)
    taus = np.linspace(0, 1, 101) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    slack = 1e-12  # a rate of 0.3 computed as 0.29999... is at least 0.3
    fraction = (app_means[:, None] >= taus - slack).mean(axis=0)
    ends = np.empty((2, len(taus)))
    for at, tau in enumerate(
        taus.tolist()
    ):  # one threshold at a time, because replicates x apps x thresholds may be large
        shares = (drawn >= tau - slack).mean(axis=1)
        ends[:, at] = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2])
    return Profile(
        tuple(taus.tolist()),
        tuple(fraction.tolist()),
        tuple(np.minimum(ends[0], fraction).tolist()),
        tuple(np.maximum(ends[1], fraction).tolist()),
        level,
    )


def interval_of(
    replicates: Floats,
    estimate: float,
    *,
    level: float = 0.95,
    method: Method = "percentile",
    acceleration: float = 0.0,
    label: str = "bootstrap",
) -> Interval:
    """Return the interval of bootstrap replicates of a number. It is widened to contain the estimate if necessary.

    Args:
        replicates: The number in each replicate.
        estimate: The number in the data.
        level: Confidence level.
        method: `percentile`, or `bca` (bias-corrected and accelerated).
        acceleration: For `bca`: a sixth of the skewness of the estimate's influence values.
        label: Prefix of the interval's method.
    """
    check_level(level)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        below = (np.count_nonzero(replicates < estimate) + 0.5 * np.count_nonzero(replicates == estimate)) / len(
            replicates
        )
        half = 0.5 / len(replicates)
        bias = float(ndtri(min(max(below, half), 1 - half)))
        shifted = bias + ndtri(tails)
        tails = np.clip(ndtr(bias + shifted / (1 - acceleration * shifted)), 0, 1)
    elif method != "percentile":
        raise InvalidInput(f"method: expected percentile or bca, got {method!r}")
    low, high = np.quantile(replicates, tails).tolist()
    return Interval(estimate, min(low, estimate), max(high, estimate), level, f"{label}, {method}")


def wilson_over_scenarios(estimate: float, scenarios: float, level: float) -> Interval:
    """Return Wilson's interval with one trial per scenario, for data in which nothing varies."""
    low, high = score_bounds(estimate, scenarios, check_level(level))
    return Interval(estimate, low, high, level, "wilson, one trial per scenario")


def _acceleration(cells: Cells, statistic: Statistic) -> float:
    """Compute the acceleration by leaving out one scenario at a time, per app (apps are strata)."""
    sizes = np.bincount(cells.app_of, minlength=len(cells.apps))
    usable = np.flatnonzero(sizes[cells.app_of] > 1)
    if not len(usable):
        return 0.0
    apps = cells.app_of[usable]
    without = np.repeat(cells.app_means[None], len(usable), axis=0)
    totals = cells.app_means * sizes
    without[np.arange(len(usable)), apps] = (totals[apps] - cells.scenario_means[usable]) / (sizes[apps] - 1)
    statistics = apply(statistic, without)
    means = np.bincount(apps, statistics, len(cells.apps)) / np.maximum(np.bincount(apps, minlength=len(cells.apps)), 1)
    influence = (sizes[apps] - 1) * (means[apps] - statistics)
    return _cubes_over_squares(influence / sizes[apps])


def _skewness(values: Floats) -> float:
    return _cubes_over_squares(values - values.mean()) if len(values) > 1 else 0.0


def _cubes_over_squares(parts: NDArray[np.float64]) -> float:
    squares = float((parts**2).sum())
    return float((parts**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
