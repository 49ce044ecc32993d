"""Compare two contenders: their difference, paired as far as their configurations match."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.suites.bootstrap import FLAT, Method, Scheme, check_scheme, interval_of, wilson_over_scenarios
from fairground.stats.suites.clusters import (
    Spread,
    apart_spread,
    difference_interval,
    difference_spread,
    resample_apps,
    resampled_spread,
)
from fairground.stats.suites.nesting import Design
from fairground.stats.suites.resampling import resample
from fairground.stats.suites.scores import app_spread, is_share, suite_spread
from fairground.stats.suites.suite_statistics import Floats, Statistic, apply, mean, statistic_of
from fairground.stats.tables.cells import Cells, match, match_scenarios
from fairground.stats.tables.table import Contender

Pairing = Literal["auto", "configurations", "scenarios", "apart"]
"""What is paired.

- `configurations`: Both contenders at the same configurations; others are left out.
- `scenarios`: The same scenarios, with each contender's own configurations.
- `apart`: Nothing; only the apps are the same.
- `auto`: The first of these that keeps at least half of what each has.
"""

_KEPT = 0.5
_COUNTABLE = 10  # minimum number of replicates beyond 0 to rely on their count


@dataclass(frozen=True)
class Comparison:
    """Comparison of two contenders.

    Attributes:
        a: First contender.
        b: Second contender.
        statistic: The statistic of the app means.
        scores: Scores of both on what was compared.
        difference: Score of `a` minus score of `b`.
        apps: The same for each app.
        p_value: Two-sided p-value of no difference. It is below 1 - level if the interval excludes 0.
        decided: The better contender, if the interval excludes 0.
        pairing: What was paired.
        matched: Number of configurations (if paired by configuration) or scenarios.
        left_out: Number of configurations of each that were left out.
        notes: Caveats for the reader.
    """

    a: Contender
    b: Contender
    statistic: str
    scores: tuple[float, float]
    difference: Interval
    apps: dict[str, Interval]
    p_value: float
    decided: Contender | None
    pairing: str
    matched: int
    left_out: tuple[int, int]
    notes: tuple[str, ...] = ()


def compare(
    a: Cells,
    b: Cells,
    *,
    rng: np.random.Generator,
    statistic: str | Statistic = "mean",
    level: float = 0.95,
    pairing: Pairing = "auto",
    scheme: Scheme = "clusters",
    resamples: int = 2000,
    method: Method = "percentile",
    design: Design = "auto",
) -> Comparison:
    """Compare two contenders of one table: their difference, with its interval and p-value.

    Each scenario that both tried gives one difference, over the configurations that both tried. What is hard for both
    cancels. These differences are the sample: in a suite of one app the test is the paired t test over scenarios, with
    a small-sample correction.

    Args:
        a: First contender.
        b: Second contender.
        rng: Random generator. The mean with the default scheme does not need it.
        statistic: Statistic of the app means.
        level: Confidence level.
        pairing: What is paired.
        scheme: `clusters`, or `prism` for the nested bootstrap of the paper.
        resamples: Number of replicates, if a bootstrap is needed.
        method: Interval method of the nested bootstrap.
        design: Whether configurations are a grid or a sample, for the nested bootstrap.

    Raises:
        InvalidInput: If they share no app, or not what `pairing` requires.
    """
    check_level(level)
    check_scheme(scheme, method, design)
    if a.contender == b.contender:
        raise InvalidInput(f"{a.contender} cannot be compared with itself", fix="name two different contenders")
    cells_a, cells_b, paired = _pair(a, b, pairing)
    name, function = statistic_of(statistic)
    if scheme == "prism":
        (difference, p_value), apps = _nested(
            cells_a, cells_b, paired, rng, (name, function), resamples, level, method, design
        )
    else:
        shares = is_share(cells_a) and is_share(cells_b)
        suite_difference = _spread(cells_a, cells_b, paired, function, rng, resamples)
        difference, p_value = difference_interval(*suite_difference, level, shares=shares)
        apps = {
            app: difference_interval(*_app_difference(cells_a, cells_b, paired, at), level, shares=shares)[0]
            for at, app in enumerate(cells_a.apps)
        }
    return Comparison(
        a.contender,
        b.contender,
        name,
        (float(apply(function, cells_a.app_means)), float(apply(function, cells_b.app_means))),
        difference,
        apps,
        p_value,
        None if 0 in difference else (a.contender if difference.estimate > 0 else b.contender),
        paired,
        len(cells_a) if paired == "configurations" else len(cells_a.scenarios),
        (len(a) - len(cells_a), len(b) - len(cells_b)),
        _notes(a, b, cells_a, cells_b, paired),
    )


def _spread(
    a: Cells, b: Cells, paired: str, function: Statistic, rng: np.random.Generator, resamples: int
) -> tuple[Spread, float]:
    """Return the spread of the suite's difference, and its variance if scenarios were single trials."""
    if len(a.apps) == 1:
        return _app_difference(a, b, paired, 0)
    if paired == "apart":
        spread, single = apart_spread(suite_spread(a), suite_spread(b))
    else:
        spread, single = _paired_spread(a.scenario_means - b.scenario_means, a.app_of)
    if function is mean:
        return spread, single
    sides = [(a, b)] if paired != "apart" else [(a,), (b,)]
    drawn = np.concatenate(
        [
            resample_apps(
                np.stack([cells.scenario_means for cells in side]), side[0].app_of, rng=rng, resamples=resamples
            )
            for side in sides
        ]
    )
    estimate = float(apply(function, a.app_means) - apply(function, b.app_means))
    return resampled_spread(apply(function, drawn[0]) - apply(function, drawn[1]), estimate, spread), single


def _app_difference(a: Cells, b: Cells, paired: str, app: int) -> tuple[Spread, float]:
    """Return the same for one app. If it has one scenario, for that scenario from its configurations."""
    inside = np.flatnonzero(a.app_of == app)
    if paired != "apart" and len(inside) > 1:
        differences = a.scenario_means[inside] - b.scenario_means[inside]
        return _paired_spread(differences, np.zeros(len(inside), dtype=np.int32))
    if paired == "configurations":
        own = slice(*a.starts[inside[0] : inside[0] + 2].tolist())
        differences = a.means[own] - b.means[own]
        if len(differences) > 1:
            return _paired_spread(
                differences, np.zeros(len(differences), dtype=np.int32), "configurations of its one scenario"
            )
    return apart_spread(app_spread(a, app), app_spread(b, app))


def _paired_spread(differences: Floats, app_of: NDArray[np.int32], clusters: str | None = None) -> tuple[Spread, float]:
    spread = difference_spread(differences, app_of)
    if clusters is not None:
        spread = replace(spread, clusters=clusters)
    return spread, float((differences**2).mean()) / spread.trials


def _nested(
    a: Cells,
    b: Cells,
    paired: str,
    rng: np.random.Generator,
    statistic: tuple[str, Statistic],
    resamples: int,
    level: float,
    method: Method,
    design: Design,
) -> tuple[tuple[Interval, float], dict[str, Interval]]:
    """Compute the nested bootstrap: scenarios, axes and rollouts are drawn for both together, as far as they match."""
    name, function = statistic
    if paired == "apart":
        means = np.concatenate([resample([cells], rng=rng, resamples=resamples, design=design) for cells in (a, b)])
    else:
        means = resample([a, b], rng=rng, resamples=resamples, design=design)
    scores = tuple(float(apply(function, cells.app_means)) for cells in (a, b))
    differences = apply(function, means[0]) - apply(function, means[1])
    label = f"hierarchical bootstrap of the {name}, paired by {paired}" if paired != "apart" else "bootstrap, apart"
    sizes = [np.bincount(cells.app_of, minlength=len(cells.apps)) for cells in (a, b)]
    difference = _difference(
        differences, scores, [len(size) ** 2 / float((1 / size).sum()) for size in sizes], level, method, label
    )
    apps = {
        app: _difference(
            means[0, :, at] - means[1, :, at],
            (float(a.app_means[at]), float(b.app_means[at])),
            [float(size[at]) for size in sizes],
            level,
            method,
            label,
        )
        for at, app in enumerate(a.apps)
    }
    return (difference, _p_value(differences, scores[0] - scores[1], len(a.scenarios) - len(a.apps))), apps


def _pair(a: Cells, b: Cells, pairing: Pairing) -> tuple[Cells, Cells, str]:
    if pairing not in ("auto", "configurations", "scenarios", "apart"):
        raise InvalidInput(f"pairing: expected auto, configurations, scenarios or apart, got {pairing!r}")
    shared = set(a.apps) & set(b.apps)
    if not shared:
        raise InvalidInput(
            f"{a.contender} and {b.contender} were run in different apps: {', '.join(a.apps[:5])}; "
            f"{', '.join(b.apps[:5])}",
            fix="compare contenders that were run in the same suite",
        )
    for wanted, function in (("configurations", match), ("scenarios", match_scenarios)):
        if pairing not in ("auto", wanted):
            continue
        try:
            one, other = function(a, b)
        except InvalidInput:
            if pairing == wanted:
                raise
            continue
        if pairing == wanted or (len(one) >= _KEPT * len(a) and len(other) >= _KEPT * len(b)):
            return one, other, wanted
    shared_apps_only = [
        cells.keep(np.isin(np.array(cells.apps)[cells.app_of[cells.scenario]], list(shared))) for cells in (a, b)
    ]
    return shared_apps_only[0], shared_apps_only[1], "apart"


def _difference(
    replicates: Floats, scores: tuple[float, ...], trials: list[float], level: float, method: Method, label: str
) -> Interval:
    estimate = scores[0] - scores[1]
    if np.ptp(replicates) >= FLAT:
        return interval_of(replicates, estimate, level=level, method=method, label=label)
    # Nothing varied on either side: combine both Wilson intervals (Newcombe), with one trial per scenario.
    one, other = (
        wilson_over_scenarios(min(max(score, 0.0), 1.0), number, level)
        for score, number in zip(scores, trials, strict=True)
    )
    low = estimate - float(np.hypot(one.estimate - one.low, other.high - other.estimate))
    high = estimate + float(np.hypot(one.high - one.estimate, other.estimate - other.low))
    return Interval(estimate, low, high, level, "newcombe, one trial per scenario")


def _p_value(replicates: Floats, estimate: float, freedom: int) -> float:
    """Return the p-value from the tail of the replicates beyond 0. If that is too thin to count, from Student's t.

    Otherwise no p-value could be below two divided by the number of replicates, and after a correction for many pairs
    nothing could ever be decided.
    """
    tail = min(int((replicates <= 0).sum()), int((replicates >= 0).sum()))
    counted = min(1.0, 2 * (1 + tail) / (1 + len(replicates)))
    spread = float(replicates.std(ddof=1)) if len(replicates) > 1 else 0.0
    if tail >= _COUNTABLE or freedom < 1 or spread == 0:
        return counted
    return min(counted, 2 * float(stdtr(freedom, -abs(estimate) / spread)))


def _notes(a: Cells, b: Cells, used_a: Cells, used_b: Cells, paired: str) -> tuple[str, ...]:
    notes = []
    for before, after in ((a, used_a), (b, used_b)):
        missing = len(before) - len(after)
        if missing:
            notes.append(
                f"{missing} of {before.contender}'s {len(before)} configurations are not in this comparison: "
                "the other contender has no scored episode there."
            )
    if paired == "scenarios":
        notes.append("Paired by scenario only: the two were run in different configurations of the scenarios.")
    if paired == "apart":
        notes.append("Not paired: the two were run in different scenarios of the same apps.")
    few = [app for app, number in zip(used_a.apps, np.bincount(used_a.app_of).tolist(), strict=True) if number == 1]
    if few:
        notes.append(
            f"Apps with only one scenario: {len(few)} of {len(used_a.apps)}; such an app's own interval is about "
            "that scenario only"
            + ("; in the suite's interval such apps are the sample." if len(used_a.apps) > 1 else ".")
        )
    return tuple(notes)
