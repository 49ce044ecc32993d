"""How much success changes when only one axis changes, compared with what chance alone would show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fairground.core import InvalidInput
from fairground.stats.axes.marginal_shifts import AxisShifts, marginal_shifts
from fairground.stats.axes.matched_pairs import BLOCK, TIE, Null, Pairs, exact_null, matched_pairs, permute
from fairground.stats.interval import Interval, check_level
from fairground.stats.paired_tests import holm
from fairground.stats.tables.cells import Cells

THRESHOLDS = tuple(step / 20 for step in range(21))
"""Default thresholds of exceedance curves: 0, 0.05, ... 1."""

_TAIL = 0.9


@dataclass(frozen=True)
class Exceedance:
    """Share of pairs that shift by more than a threshold.

    Attributes:
        thresholds: The thresholds.
        fraction: Share of pairs with a shift strictly above each threshold; at 0, the share that shifts at all.
        floor: Expected share if the axis has no effect.
    """

    thresholds: tuple[float, ...]
    fraction: tuple[float, ...]
    floor: tuple[float, ...]


@dataclass(frozen=True)
class Shift:
    """The shifts of one app or scenario along one axis.

    Attributes:
        name: Name of the app or scenario.
        pairs: Number of matched pairs.
        mad: Mean absolute shift of the success rate.
        floor: Expected `mad` if the axis has no effect.
        excess: `mad - floor`. Below 0 if the pairs agree better than by chance.
        p90: The smallest shift that 90% of the pairs do not exceed.
        p90_floor: The same if the axis has no effect.
        interval: Interval of `mad`, over scenarios. None for a scenario, and for an app with one scenario.
    """

    name: str
    pairs: int
    mad: float
    floor: float
    excess: float
    p90: float
    p90_floor: float
    interval: Interval | None = None


@dataclass(frozen=True)
class ScenarioShifts:
    """Shifts of whole scenarios: rates are first averaged over the other axes, then compared between two values.

    Attributes:
        pairs: Number of pairs of values of the axis, over all scenarios.
        mad: Mean absolute shift, with its interval over scenarios.
        floor: Expected `mad` if the axis has no effect: the mean over the permutations.
        excess: `mad - floor`.
        exceedance: The curve of figure 4 in the paper, with its floor.
    """

    pairs: int
    mad: Interval
    floor: float
    excess: float
    exceedance: Exceedance


@dataclass(frozen=True)
class Sensitivity:
    """Effect of one axis.

    Attributes:
        axis: Its name.
        pairs: Number of pairs of configurations that differ along this axis only.
        scenarios: Number of scenarios with such a pair.
        mad: Mean absolute shift of the success rate over all pairs, including noise.
        floor: Expected `mad` if the axis has no effect; exact.
        excess: `mad - floor`, with its interval over scenarios.
        p90: The smallest shift that 90% of the pairs do not exceed.
        p90_floor: The same for all pairs together if the axis has no effect; exact.
        p_value: One-sided permutation p-value of the hypothesis that success does not depend on this axis.
        p_holm: `p_value` adjusted for the number of axes tested.
        exceedance: Share of pairs above each threshold, and its floor.
        by_scenario: The same for whole scenarios.
        per_app: The shifts of each app that has pairs.
        per_scenario: The shifts of each scenario that has pairs.
        notes: Caveats for the reader.
    """

    axis: str
    pairs: int
    scenarios: int
    mad: Interval
    floor: float
    excess: Interval
    p90: float
    p90_floor: float
    p_value: float
    p_holm: float
    exceedance: Exceedance
    by_scenario: ScenarioShifts
    per_app: tuple[Shift, ...]
    per_scenario: tuple[Shift, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sensitivities:
    """Effects of all axes on one contender.

    Attributes:
        contender: The contender.
        axes: One record per axis with matched pairs.
        skipped: The axes without matched pairs, with the reason.
        marginal: For each axis that was varied, how far each of its values is from the others, with or without matched
            pairs.
    """

    contender: str
    axes: tuple[Sensitivity, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    marginal: Mapping[str, AxisShifts] = field(default_factory=dict)

    def __getitem__(self, axis: str) -> Sensitivity:
        for record in self.axes:
            if record.axis == axis:
                return record
        reason = self.skipped.get(axis, "it was not varied")
        raise InvalidInput(f"no sensitivity to {axis!r}: {reason}")


def varied_axes(cells: Cells) -> tuple[str, ...]:
    """Return the axes with two or more values for this contender."""
    spread = [len(np.unique(cells.levels[:, axis])) > 1 for axis in range(len(cells.axes))]
    return tuple(axis for axis, varied in zip(cells.axes, spread, strict=True) if varied)


def sensitivity(
    cells: Cells,
    *,
    rng: np.random.Generator,
    permutations: int = 1000,
    resamples: int = 1000,
    thresholds: Sequence[float] = THRESHOLDS,
    most_pairs: int = 200_000,
    level: float = 0.95,
) -> Sensitivities:
    """Measure the effect of each axis: matched pairs of configurations, and the marginal shift of each of its values.

    Matched pairs are configurations that differ along one axis only. If the axis has no effect, their outcomes are
    exchangeable. Floors are expectations over all permutations, given the number of successes. So they are valid for
    any success rate, and need no estimate of it.

    Args:
        cells: One contender's counts.
        rng: Random generator, for the p-values, the intervals and the floors of whole scenarios.
        permutations: Number of permutations per p-value.
        resamples: Number of resamples of scenarios, within apps, for the intervals.
        thresholds: Thresholds of the exceedance curves.
        most_pairs: Maximum number of pairs per axis. If there are more, some of its configurations are sampled, and a
            note says how many were left out.
        level: Confidence level.

    Raises:
        InvalidInput: If no axis was varied, or episodes have values other than 0 and 1.
    """
    check_level(level)
    _check(cells, permutations, resamples, thresholds)
    varied = varied_axes(cells)
    (own_stream,) = rng.spawn(1)  # so that other results do not depend on how many numbers the shifts draw
    if not varied:
        raise InvalidInput(
            f"{cells.contender} was run with only one value of every axis",
            fix="fill in at least one of the columns instance, profile, theme and ui_state, and vary it",
        )
    skipped: dict[str, str] = {}
    measured = []
    for axis in cells.axes:
        if axis not in varied:
            skipped[axis] = "this contender was run at only one value of it"
            continue
        pairs = matched_pairs(cells, cells.axes.index(axis), most=most_pairs, rng=rng)
        if pairs is None:
            skipped[axis] = "no two configurations differ along this axis only"
            continue
        measured.append(_measure(cells, axis, pairs, rng, permutations, resamples, tuple(thresholds), level))
    adjusted = holm([result.p_value for result in measured]) if measured else ()
    return Sensitivities(
        contender=str(cells.contender),
        axes=tuple(replace(result, p_holm=float(value)) for result, value in zip(measured, adjusted, strict=True)),
        skipped=skipped,
        marginal=marginal_shifts(cells, varied, rng=own_stream, permutations=permutations, level=level),
    )


def _measure(
    cells: Cells,
    axis: str,
    pairs: Pairs,
    rng: np.random.Generator,
    permutations: int,
    resamples: int,
    thresholds: tuple[float, ...],
    level: float,
) -> Sensitivity:
    rates = pairs.successes / pairs.rollouts
    change = rates[pairs.one] - rates[pairs.other]
    shift = np.abs(change)
    null = exact_null(pairs)
    whole_shift = np.abs(np.bincount(pairs.group, change) / np.bincount(pairs.group))
    chance = permute(pairs, len(whole_shift), thresholds, rng, permutations)

    scenarios, apps = len(cells.scenarios), cells.app_of.astype(np.int64)
    columns = np.stack(
        [
            np.bincount(pairs.scenario, shift, scenarios),
            np.bincount(pairs.scenario, null.mean, scenarios),
            np.bincount(pairs.scenario, minlength=scenarios),
            np.bincount(pairs.group_scenario, whole_shift, scenarios),
            np.bincount(pairs.group_scenario, minlength=scenarios),
        ],
        axis=-1,
    ).astype(np.float64)
    resampled = _resample(columns, apps, len(cells.apps), rng, resamples)
    drawn = resampled.sum(axis=0)
    used = np.bincount(apps[columns[:, 2] > 0], minlength=len(cells.apps))
    spread = bool((used > 1).any())  # with one scenario per app, nothing can be resampled
    mad, floor = float(shift.mean()), float(null.mean.mean())
    observed = null.place(shift)
    total = _describe(null, observed, np.zeros(len(shift), np.int64), 1)
    by_app = _describe(null, observed, apps[pairs.scenario], len(cells.apps))
    by_scenario = _describe(null, observed, pairs.scenario, scenarios)
    app_intervals = {
        app: _interval(float(by_app.mad[app]), resampled[app, :, 0] / resampled[app, :, 2], level)
        for app in np.flatnonzero(used > 1).tolist()
    }
    extremes = float(np.count_nonzero(chance.mad >= mad - TIE))
    whole_mad = float(whole_shift.mean())
    return Sensitivity(
        axis=axis,
        pairs=len(shift),
        scenarios=int(used.sum()),
        mad=_interval(mad, drawn[:, 0] / drawn[:, 2] if spread else None, level),
        floor=floor,
        excess=_interval(mad - floor, (drawn[:, 0] - drawn[:, 1]) / drawn[:, 2] if spread else None, level, least=-1.0),
        p90=float(total.p90[0]),
        p90_floor=float(total.p90_floor[0]),
        p_value=(1 + extremes) / (1 + permutations),
        p_holm=1.0,
        exceedance=Exceedance(
            thresholds,
            tuple(float((shift > at + TIE).mean()) for at in thresholds),
            tuple(null.above(at) for at in thresholds),
        ),
        by_scenario=ScenarioShifts(
            pairs=len(whole_shift),
            mad=_interval(whole_mad, drawn[:, 3] / drawn[:, 4] if spread else None, level),
            floor=chance.whole_mad,
            excess=whole_mad - chance.whole_mad,
            exceedance=Exceedance(
                thresholds, tuple(float((whole_shift > at + TIE).mean()) for at in thresholds), chance.whole_above
            ),
        ),
        per_app=by_app.shifts(cells.apps, app_intervals),
        per_scenario=by_scenario.shifts(cells.scenarios, {}),
        notes=_notes(pairs, used, spread),
    )


@dataclass(frozen=True, eq=False)
class _Described:
    pairs: NDArray[np.int64]
    mad: NDArray[np.float64]
    floor: NDArray[np.float64]
    p90: NDArray[np.float64]
    p90_floor: NDArray[np.float64]

    def shifts(self, names: Sequence[str], intervals: Mapping[int, Interval]) -> tuple[Shift, ...]:
        return tuple(
            Shift(
                names[at],
                int(self.pairs[at]),
                float(self.mad[at]),
                float(self.floor[at]),
                float(self.mad[at] - self.floor[at]),
                float(self.p90[at]),
                float(self.p90_floor[at]),
                intervals.get(at),
            )
            for at in np.flatnonzero(self.pairs).tolist()
        )


def _describe(null: Null, observed: NDArray[np.int64], owner: NDArray[np.int64], owners: int) -> _Described:
    """Return mean and 90th percentile of the observed and the expected shifts, per owner of pairs."""
    ones = np.ones(len(owner))
    counted = csr_matrix((ones, (owner, observed)), shape=(owners, len(null.sizes)))
    expected = csr_matrix((ones, (owner, null.kind)), shape=(owners, null.chances.shape[0])) @ null.chances
    pairs = np.bincount(owner, minlength=owners)
    per_pair = 1.0 / np.maximum(pairs, 1)
    return _Described(
        pairs=pairs.astype(np.int64),
        mad=(counted @ null.sizes) * per_pair,
        floor=(expected @ null.sizes) * per_pair,
        p90=_quantile(counted, null.sizes, pairs),
        p90_floor=_quantile(expected, null.sizes, pairs),
    )


def _quantile(weights: csr_matrix, sizes: NDArray[np.float64], totals: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, per row of weights, the smallest size at or below which 90% of the weight lies."""
    quantiles = np.empty(len(totals))
    step = max(1, BLOCK // len(sizes))
    for begin in range(0, len(totals), step):
        rows = slice(begin, begin + step)
        reached = np.cumsum(weights[rows].toarray(), axis=1) >= (_TAIL - TIE) * totals[rows, None]
        quantiles[rows] = sizes[reached.argmax(axis=1)]
    return quantiles


def _resample(
    columns: NDArray[np.float64], app_of: NDArray[np.int64], apps: int, rng: np.random.Generator, times: int
) -> NDArray[np.float64]:
    """Return sums of the columns over resampled scenarios, per app and resample.

    Scenarios without pairs are left out.
    """
    sums = np.zeros((apps, times, columns.shape[1]))
    for app in range(apps):
        own = columns[(app_of == app) & (columns[:, 2] > 0)]
        if len(own):
            # One draw fewer than there are scenarios: with as many, the spread would be too small by 1/S.
            draws = max(len(own) - 1, 1)
            picks = rng.multinomial(draws, np.full(len(own), 1 / len(own)), size=times)
            sums[app] = picks @ own * (len(own) / draws)
    return sums


def _interval(estimate: float, drawn: NDArray[np.float64] | None, level: float, least: float = 0.0) -> Interval:
    if drawn is None:
        return Interval(
            estimate, least, 1.0, level, "none: only one scenario per app, so the interval is the whole range"
        )
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(
        estimate,
        float(min(low, estimate)),
        float(max(high, estimate)),
        level,
        "bootstrap over scenarios, percentile",
    )


def _notes(pairs: Pairs, used: NDArray[np.int64], spread: bool) -> tuple[str, ...]:
    notes = ["The mean shift includes rollout noise: compare it with its floor."]
    if (pairs.rollouts == 1).all():
        notes.append("Every configuration has only one rollout, so a single shift can only be 0 or 1.")
    if pairs.left_out:
        notes.append(f"{pairs.left_out} configurations were left out at random, to limit the number of pairs.")
    alone = int((used == 1).sum())
    if not spread:
        notes.append("No app has two scenarios with matched pairs, so there is no interval over scenarios.")
    elif alone:
        notes.append(f"{alone} app(s) with only one scenario add nothing to the width of the intervals.")
    return tuple(notes)


def _check(cells: Cells, permutations: int, resamples: int, thresholds: Sequence[float]) -> None:
    if cells.values is not None:
        raise InvalidInput(
            "sensitivity needs success rates, but these episodes have values other than 0 and 1",
            fix='use count(table, contender, value="success")',
        )
    for name, number in (("permutations", permutations), ("resamples", resamples)):
        if number < 1:
            raise InvalidInput(f"{name}: expected 1 or more, got {number}", fix="use 1000")
    if not len(thresholds) or not all(0 <= at <= 1 for at in thresholds):
        raise InvalidInput(f"thresholds: expected numbers from 0 to 1, got {tuple(thresholds)}")
