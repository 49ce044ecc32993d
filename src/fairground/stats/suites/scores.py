"""Scores of a suite and of its apps, with the default intervals: scenarios are the clusters (see `clusters`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.suites.bootstrap import Profile, profile_of
from fairground.stats.suites.clusters import (
    KNOWN,
    Floats,
    Spread,
    number_interval,
    resample_apps,
    resampled_spread,
    score_spread,
    share_interval,
    trials_of,
)
from fairground.stats.suites.suite_statistics import Statistic, apply, mean, statistic_of
from fairground.stats.tables.cells import Cells


def score(
    cells: Cells,
    statistic: str | Statistic = "mean",
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> Interval:
    """Return the suite's score with its interval.

    The mean needs no resampling. The variance of any other statistic of the app means comes from a bootstrap of
    scenarios within apps.

    Args:
        cells: One contender's cells, from `count`.
        statistic: Statistic of the app means: mean, trimmed-mean, median, iqm, or a function.
        rng: Random generator, if needed.
        resamples: Number of replicates, if needed.
        level: Confidence level.
    """
    name, function = statistic_of(statistic)
    spread = suite_spread(cells)
    if len(cells.apps) > 1 and function is not mean:
        drawn = resample_apps(cells.scenario_means[None], cells.app_of, rng=rng, resamples=resamples)[0]
        spread = resampled_spread(apply(function, drawn), float(apply(function, cells.app_means)), spread)
    interval = _interval(spread, cells, level)
    return replace(interval, method=f"{interval.method}; {name} of the apps")


def app_scores(cells: Cells, *, level: float = 0.95) -> dict[str, Interval]:
    """Return each app's success rate with its interval. With one scenario, the interval is about that scenario only."""
    check_level(level)
    return {name: _interval(app_spread(cells, app), cells, level) for app, name in enumerate(cells.apps)}


def score_profile(
    cells: Cells,
    thresholds: Sequence[float] | None = None,
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> Profile:
    """Return the performance profile with its band.

    Each app's rate is drawn from the Beta distribution that is as wide as the app's own interval.

    Raises:
        InvalidInput: If what was counted is not between 0 and 1.
    """
    if not is_share(cells):
        raise InvalidInput("a performance profile needs values from 0 to 1", fix="count success, or a reward in [0, 1]")
    trials = np.array([float(trials_of(app_spread(cells, app))) for app in range(len(cells.apps))])
    passed = cells.app_means * trials
    drawn = rng.beta(passed + 0.5, trials - passed + 0.5, size=(resamples, len(trials)))
    return profile_of(cells.app_means, drawn, thresholds, level=level)


def score_of_counts(counts: Iterable[tuple[str, str, float, int]], *, level: float = 0.95) -> Interval:
    """Return the mean of the apps' success rates, from each configuration's (app, scenario, passed, scored).

    With the sum of rewards from 0 to 1 instead of the number passed, it is the mean reward.

    Raises:
        InvalidInput: If nothing was scored.
    """
    rows = sorted((app, scenario, passed / scored, scored) for app, scenario, passed, scored in counts if scored)
    if not rows:
        raise InvalidInput("no episode has a score", fix="run some episodes, or check why they errored")
    rates = np.array([rate for _, _, rate, _ in rows])
    names, scenario = np.unique([f"{app}\0{name}" for app, name, _, _ in rows], return_inverse=True)
    if len(names) == 1:
        spread = _one_scenario(rates, np.array([scored for *_, scored in rows], dtype=np.float64))
    else:
        means = np.bincount(scenario, rates) / np.bincount(scenario)
        _, app_of = np.unique([name.partition("\0")[0] for name in names.tolist()], return_inverse=True)
        spread = score_spread(means, app_of.astype(np.int32))
    return share_interval(spread, level)


def suite_spread(cells: Cells) -> Spread:
    """Return the spread of the mean of the apps' means."""
    return score_spread(cells.scenario_means, cells.app_of) if len(cells.scenarios) > 1 else app_spread(cells, 0)


def app_spread(cells: Cells, app: int) -> Spread:
    """Return the spread of one app's mean. If it has one scenario, of that scenario's."""
    inside = np.flatnonzero(cells.app_of == app)
    if len(inside) > 1:
        return score_spread(cells.scenario_means[inside], np.zeros(len(inside), dtype=np.int32))
    own = slice(*cells.starts[inside[0] : inside[0] + 2].tolist())
    rollouts = cells.rollouts[own].astype(np.float64)
    if len(rollouts) > 1 or cells.values is None:
        return _one_scenario(cells.means[own], rollouts)
    first = int(cells.rollouts[: own.start].sum())
    return _of("rollouts", cells.values[first : first + int(rollouts[0])])


def _one_scenario(rates: Floats, rollouts: Floats) -> Spread:
    """Return the spread of one scenario's rate: from its configurations, or for one configuration from its rollouts."""
    if len(rates) > 1:
        return _of("configurations of its one scenario", rates)
    return Spread(rates[0], np.float64(0.0), KNOWN, float(rollouts[0]), "rollouts of its one configuration")  # type: ignore[arg-type]


def _of(what: str, values: Floats) -> Spread:
    return replace(score_spread(values, np.zeros(len(values), dtype=np.int32)), clusters=what)


def is_share(cells: Cells) -> bool:
    """Return whether every value is between 0 and 1."""
    return cells.values is None or bool(cells.values.min() >= 0 and cells.values.max() <= 1)


def _interval(spread: Spread, cells: Cells, level: float) -> Interval:
    in_bounds = 0 <= float(spread.estimate) <= 1
    return share_interval(spread, level) if in_bounds and is_share(cells) else number_interval(spread, level)
