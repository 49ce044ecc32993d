"""Two contenders: their difference, paired as far as what they were run on matches."""

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
"""What is drawn together.

configurations: both contenders at the same configurations; others are left out.
scenarios: the same scenarios, each contender's own configurations.
apart: nothing; only the apps are the same.
auto: the first of these for which at least half of what each has is kept.
"""

_KEPT = 0.5
_COUNTABLE = 10  # replicates beyond 0, from which on their number says enough


@dataclass(frozen=True)
class Comparison:
    """One contender against another.

    Attributes:
        a: The one.
        b: The other.
        statistic: What of the app means was compared.
        scores: Either's score on what was compared.
        difference: Score of `a` minus score of `b`.
        apps: The same for each app.
        p_value: Of no difference, two-sided. It is below 1 - level where the interval leaves out 0.
        decided: Which of the two is better, if the interval leaves out 0.
        pairing: What was drawn together.
        matched: How many configurations (paired by configuration) or scenarios entered.
        left_out: How many of either's configurations did not.
        notes: What must be known to read this rightly.
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
    """The difference between two contenders of one table, with its interval and p-value.

    Each scenario that both tried gives one difference, over the configurations that both tried; what is hard for both
    cancels in it. These differences are the sample: in a suite of one app the test is the paired t test over scenarios,
    with a correction for small samples.

    Args:
        a: The one.
        b: The other.
        rng: Where randomness comes from; the mean with the default scheme needs none.
        statistic: Of the app means.
        level: Of the interval.
        pairing: What of the two is matched.
        scheme: `clusters`, or `prism` for the nested bootstrap of the paper.
        resamples: Replicates, where a bootstrap is needed.
        method: Of the nested bootstrap's intervals.
        design: Whether configurations are a grid or a sample, for the nested bootstrap.

    Raises:
        InvalidInput: When they share no app, or not what `pairing` asks for.
    """
    check_level(level)
    check_scheme(scheme, method, design)
    if a.contender == b.contender:
        raise InvalidInput(f"{a.contender} cannot be compared with itself", fix="name two different contenders")
    one, other, paired = _pair(a, b, pairing)
    name, function = statistic_of(statistic)
    if scheme == "prism":
        (difference, p_value), apps = _nested(
            one, other, paired, rng, (name, function), resamples, level, method, design
        )
    else:
        shares = is_share(one) and is_share(other)
        whole = _spread(one, other, paired, function, rng, resamples)
        difference, p_value = difference_interval(*whole, level, shares=shares)
        apps = {
            app: difference_interval(*_app_difference(one, other, paired, at), level, shares=shares)[0]
            for at, app in enumerate(one.apps)
        }
    return Comparison(
        a.contender,
        b.contender,
        name,
        (float(apply(function, one.app_means)), float(apply(function, other.app_means))),
        difference,
        apps,
        p_value,
        None if 0 in difference else (a.contender if difference.estimate > 0 else b.contender),
        paired,
        len(one) if paired == "configurations" else len(one.scenarios),
        (len(a) - len(one), len(b) - len(other)),
        _notes(a, b, one, other, paired),
    )


def _spread(
    one: Cells, other: Cells, paired: str, function: Statistic, rng: np.random.Generator, resamples: int
) -> tuple[Spread, float]:
    """The spread of the suite's difference, and what its variance would be if scenarios were single trials."""
    if len(one.apps) == 1:
        return _app_difference(one, other, paired, 0)
    if paired == "apart":
        found, single = apart_spread(suite_spread(one), suite_spread(other))
    else:
        found, single = _paired_spread(one.scenario_means - other.scenario_means, one.app_of)
    if function is mean:
        return found, single
    sides = [(one, other)] if paired != "apart" else [(one,), (other,)]
    drawn = np.concatenate(
        [
            resample_apps(
                np.stack([cells.scenario_means for cells in side]), side[0].app_of, rng=rng, resamples=resamples
            )
            for side in sides
        ]
    )
    estimate = float(apply(function, one.app_means) - apply(function, other.app_means))
    return resampled_spread(apply(function, drawn[0]) - apply(function, drawn[1]), estimate, found), single


def _app_difference(one: Cells, other: Cells, paired: str, app: int) -> tuple[Spread, float]:
    """The same for one app; where it has one scenario, for that scenario from its configurations."""
    inside = np.flatnonzero(one.app_of == app)
    if paired != "apart" and len(inside) > 1:
        differences = one.scenario_means[inside] - other.scenario_means[inside]
        return _paired_spread(differences, np.zeros(len(inside), dtype=np.int32))
    if paired == "configurations":
        own = slice(*one.starts[inside[0] : inside[0] + 2].tolist())
        differences = one.means[own] - other.means[own]
        if len(differences) > 1:
            return _paired_spread(
                differences, np.zeros(len(differences), dtype=np.int32), "configurations of its one scenario"
            )
    return apart_spread(app_spread(one, app), app_spread(other, app))


def _paired_spread(differences: Floats, app_of: NDArray[np.int32], clusters: str | None = None) -> tuple[Spread, float]:
    found = difference_spread(differences, app_of)
    if clusters is not None:
        found = replace(found, clusters=clusters)
    return found, float((differences**2).mean()) / found.trials


def _nested(
    one: Cells,
    other: Cells,
    paired: str,
    rng: np.random.Generator,
    statistic: tuple[str, Statistic],
    resamples: int,
    level: float,
    method: Method,
    design: Design,
) -> tuple[tuple[Interval, float], dict[str, Interval]]:
    """The nested bootstrap: scenarios, axes and rollouts are drawn for both together, as far as they match."""
    name, function = statistic
    if paired == "apart":
        means = np.concatenate(
            [resample([cells], rng=rng, resamples=resamples, design=design) for cells in (one, other)]
        )
    else:
        means = resample([one, other], rng=rng, resamples=resamples, design=design)
    scores = tuple(float(apply(function, cells.app_means)) for cells in (one, other))
    found = apply(function, means[0]) - apply(function, means[1])
    label = f"hierarchical bootstrap of the {name}, paired by {paired}" if paired != "apart" else "bootstrap, apart"
    sizes = [np.bincount(cells.app_of, minlength=len(cells.apps)) for cells in (one, other)]
    difference = _difference(
        found, scores, [len(size) ** 2 / float((1 / size).sum()) for size in sizes], level, method, label
    )
    apps = {
        app: _difference(
            means[0, :, at] - means[1, :, at],
            (float(one.app_means[at]), float(other.app_means[at])),
            [float(size[at]) for size in sizes],
            level,
            method,
            label,
        )
        for at, app in enumerate(one.apps)
    }
    return (difference, _p_value(found, scores[0] - scores[1], len(one.scenarios) - len(one.apps))), apps


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
    kept = [cells.keep(np.isin(np.array(cells.apps)[cells.app_of[cells.scenario]], list(shared))) for cells in (a, b)]
    return kept[0], kept[1], "apart"


def _difference(
    found: Floats, scores: tuple[float, ...], trials: list[float], level: float, method: Method, label: str
) -> Interval:
    estimate = scores[0] - scores[1]
    if np.ptp(found) >= FLAT:
        return interval_of(found, estimate, level=level, method=method, label=label)
    # Nothing varied, on either side: combine Wilson's intervals of both (Newcombe), a scenario a trial.
    one, other = (
        wilson_over_scenarios(min(max(score, 0.0), 1.0), number, level)
        for score, number in zip(scores, trials, strict=True)
    )
    low = estimate - float(np.hypot(one.estimate - one.low, other.high - other.estimate))
    high = estimate + float(np.hypot(one.high - one.estimate, other.estimate - other.low))
    return Interval(estimate, low, high, level, "newcombe, a scenario a trial")


def _p_value(found: Floats, estimate: float, freedom: int) -> float:
    """From the tail of the replicates beyond 0; where that is too thin to count, from Student's t.

    Without the latter no p-value could be below two in the number of replicates, and after a correction for many
    pairs nothing could ever be decided.
    """
    tail = min(int((found <= 0).sum()), int((found >= 0).sum()))
    counted = min(1.0, 2 * (1 + tail) / (1 + len(found)))
    spread = float(found.std(ddof=1)) if len(found) > 1 else 0.0
    if tail >= _COUNTABLE or freedom < 1 or spread == 0:
        return counted
    return min(counted, 2 * float(stdtr(freedom, -abs(estimate) / spread)))


def _notes(a: Cells, b: Cells, one: Cells, other: Cells, paired: str) -> tuple[str, ...]:
    notes = []
    for before, after in ((a, one), (b, other)):
        missing = len(before) - len(after)
        if missing:
            notes.append(
                f"{missing} of {before.contender}'s {len(before)} configurations are not in this comparison: "
                "the other one has no scored episode there."
            )
    if paired == "scenarios":
        notes.append("Paired by scenario only: the two were run in different configurations of them.")
    if paired == "apart":
        notes.append("Not paired: the two were run in different scenarios of the same apps.")
    few = [app for app, number in zip(one.apps, np.bincount(one.app_of).tolist(), strict=True) if number == 1]
    if few:
        notes.append(
            f"{len(few)} of {len(one.apps)} apps have a single scenario: an app's own interval then speaks about that "
            "scenario only; in the suite's interval such apps are the sample."
        )
    return tuple(notes)
