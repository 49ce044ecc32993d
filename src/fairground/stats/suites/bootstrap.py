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
"""How intervals are made.

clusters: scenarios are the sample, with a correction for small samples; see `fairground.stats.suites.clusters`.
prism: the nested bootstrap of the paper, which resamples scenarios, axes and rollouts; it does not hold its level.
"""

FLAT = 1e-9
"""Replicates that differ by less are all the same: the bootstrap saw nothing vary."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """Resampled suites of one contender.

    Attributes:
        cells: What was resampled.
        means: Replicate x app.
        levels: What was resampled, of "scenarios", "axes" and "rollouts".
    """

    cells: Cells
    means: Floats
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Profile:
    """A performance profile: the share of apps whose success rate is at least a threshold.

    Attributes:
        thresholds: From 0 to 1.
        fraction: The share of apps, at each.
        low: Lower end of the band, at each threshold for itself.
        high: Upper end.
        level: Of the band.
    """

    thresholds: tuple[float, ...]
    fraction: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    level: float


def check_scheme(scheme: str, method: str = "percentile", design: str = "auto") -> None:
    """Refuses what is not a scheme, and what only the nested bootstrap can heed."""
    if scheme not in ("clusters", "prism"):
        raise InvalidInput(f"scheme: expected clusters or prism, got {scheme!r}")
    if method not in ("percentile", "bca"):
        raise InvalidInput(f"method: expected percentile or bca, got {method!r}")
    if design not in ("auto", "grid", "sampled"):
        raise InvalidInput(f"design: expected auto, grid or sampled, got {design!r}")
    if scheme == "clusters" and (method, design) != ("percentile", "auto"):
        given = f"method {method}" if method != "percentile" else f"design {design}"
        raise InvalidInput(
            f"{given}: only the nested bootstrap has that", fix="ask for the scheme prism (--scheme prism)"
        )


def bootstrap(
    cells: Cells,
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    levels: Sequence[str] = LEVELS,
    design: Design = "auto",
) -> Replicates:
    """Resamples a suite: scenarios within each app, each axis within each scenario, rollouts within each cell.

    Args:
        cells: One contender's, from `count`.
        rng: Where randomness comes from.
        resamples: How many replicates; 1,000 will do for 95%.
        levels: What to resample. Leaving any out gives intervals that are too narrow; it is there to show that.
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
    """The suite's interval, for any statistic of its app means.

    Where all replicates are the same (every episode passed, or every one failed) a bootstrap knows nothing; the
    interval is then Wilson's, with scenarios for trials.
    """
    name, function = statistic_of(statistic)
    cells = replicates.cells
    estimate = float(apply(function, cells.app_means))
    found = apply(function, replicates.means)
    if np.ptp(found) < FLAT and cells.values is None:
        sizes = np.bincount(cells.app_of, minlength=len(cells.apps))
        return wilson_over_scenarios(estimate, len(sizes) ** 2 / float((1 / sizes).sum()), level)
    acceleration = _acceleration(cells, function) if method == "bca" else 0.0
    label = f"hierarchical bootstrap of the {name}"
    return interval_of(found, estimate, level=level, method=method, acceleration=acceleration, label=label)


def app_intervals(replicates: Replicates, *, level: float = 0.95, method: Method = "percentile") -> dict[str, Interval]:
    """Each app's interval."""
    cells = replicates.cells
    sizes = np.bincount(cells.app_of, minlength=len(cells.apps)).tolist()
    intervals = {}
    for app, name in enumerate(cells.apps):
        found, estimate = replicates.means[:, app], float(cells.app_means[app])
        if np.ptp(found) < FLAT and cells.values is None:
            intervals[name] = wilson_over_scenarios(estimate, sizes[app], level)
            continue
        skewed = _skewness(cells.scenario_means[cells.app_of == app]) if method == "bca" else 0.0
        intervals[name] = interval_of(
            found, estimate, level=level, method=method, acceleration=skewed, label="hierarchical bootstrap"
        )
    return intervals


def profile(replicates: Replicates, thresholds: Sequence[float] | None = None, *, level: float = 0.95) -> Profile:
    """The performance profile with its band; thresholds are 0, 0.01, ... 1 unless given."""
    return profile_of(replicates.cells.app_means, replicates.means, thresholds, level=level)


def profile_of(
    app_means: Floats, drawn: Floats, thresholds: Sequence[float] | None = None, *, level: float = 0.95
) -> Profile:
    """The profile of app means, with a band from draws of them (draw x app)."""
    check_level(level)
    taus = np.linspace(0, 1, 101) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    slack = 1e-12  # a rate of 0.3 that was added up as 0.29999... is at least 0.3
    fraction = (app_means[:, None] >= taus - slack).mean(axis=0)
    ends = np.empty((2, len(taus)))
    for at, tau in enumerate(taus.tolist()):  # one threshold at a time: replicates x apps x thresholds may be large
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
    """The interval of bootstrap replicates of a number. It is widened to hold the estimate, should it not.

    Args:
        replicates: The number in each.
        estimate: The number in the data.
        level: Of the interval.
        method: `percentile`, or `bca` (bias-corrected and accelerated).
        acceleration: For `bca`: a sixth of the skewness of the estimate's influence values.
        label: How the interval says it was made.
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
    """Where a bootstrap has nothing to vary: Wilson's interval, as if each scenario were one trial."""
    low, high = score_bounds(estimate, scenarios, check_level(level))
    return Interval(estimate, low, high, level, "wilson, a scenario a trial")


def _acceleration(cells: Cells, statistic: Statistic) -> float:
    """From leaving out one scenario at a time, app by app (apps are strata)."""
    sizes = np.bincount(cells.app_of, minlength=len(cells.apps))
    usable = np.flatnonzero(sizes[cells.app_of] > 1)
    if not len(usable):
        return 0.0
    apps = cells.app_of[usable]
    without = np.repeat(cells.app_means[None], len(usable), axis=0)
    totals = cells.app_means * sizes
    without[np.arange(len(usable)), apps] = (totals[apps] - cells.scenario_means[usable]) / (sizes[apps] - 1)
    found = apply(statistic, without)
    means = np.bincount(apps, found, len(cells.apps)) / np.maximum(np.bincount(apps, minlength=len(cells.apps)), 1)
    influence = (sizes[apps] - 1) * (means[apps] - found)
    return _cubes_over_squares(influence / sizes[apps])


def _skewness(values: Floats) -> float:
    return _cubes_over_squares(values - values.mean()) if len(values) > 1 else 0.0


def _cubes_over_squares(parts: NDArray[np.float64]) -> float:
    squares = float((parts**2).sum())
    return float((parts**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
