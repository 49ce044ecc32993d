"""How much success shifts when one axis changes and nothing else does, beside what chance alone would show."""

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
"""Where exceedance is read off when nobody says otherwise: 0, 0.05, ... 1."""

_TAIL = 0.9


@dataclass(frozen=True)
class Exceedance:
    """Which share of pairs shifts by more than a threshold.

    Attributes:
        thresholds: The thresholds.
        fraction: For each, the share of pairs with a shift strictly above it; at 0, the share that shifts at all.
        floor: For each, the share expected when the axis has no effect.
    """

    thresholds: tuple[float, ...]
    fraction: tuple[float, ...]
    floor: tuple[float, ...]


@dataclass(frozen=True)
class Shift:
    """The shifts of one app or one scenario along one axis.

    Attributes:
        name: Of the app or the scenario.
        pairs: How many matched pairs.
        mad: Mean absolute shift of the success rate.
        floor: What `mad` is expected to be when the axis has no effect.
        excess: `mad - floor`; below 0 when the pairs agree better than chance would have them.
        p90: The smallest shift that 90% of the pairs do not exceed.
        p90_floor: The same when the axis has no effect.
        interval: Around `mad`, over scenarios; None for a scenario, and for an app with one scenario.
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
    """Shifts of whole scenarios: rates averaged over the other axes first, then compared between two values.

    Attributes:
        pairs: How many pairs of values of the axis, over all scenarios.
        mad: Mean absolute shift, with its interval over scenarios.
        floor: What it is expected to be when the axis has no effect; the mean over the permutations.
        excess: `mad - floor`.
        exceedance: The curve of the paper's figure 4, with its floor.
    """

    pairs: int
    mad: Interval
    floor: float
    excess: float
    exceedance: Exceedance


@dataclass(frozen=True)
class Sensitivity:
    """What one axis does.

    Attributes:
        axis: Its name.
        pairs: How many pairs of configurations differ along this axis only.
        scenarios: How many scenarios have such a pair.
        mad: Mean absolute shift of the success rate over all pairs, noise included.
        floor: What `mad` is expected to be when the axis has no effect; exact.
        excess: `mad - floor`, with its interval over scenarios.
        p90: The smallest shift that 90% of the pairs do not exceed.
        p90_floor: The same of all pairs' shifts together when the axis has no effect; exact.
        p_value: Of the hypothesis that no configuration's success depends on this axis; one-sided, by permutation.
        p_holm: `p_value` adjusted for the number of axes tested.
        exceedance: Share of pairs above each threshold, and its floor.
        by_scenario: The same question asked of whole scenarios.
        per_app: The shifts of each app that has pairs.
        per_scenario: The shifts of each scenario that has pairs.
        notes: What to keep in mind with these figures.
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
    """What each axis does to one contender.

    Attributes:
        contender: Whose episodes.
        axes: One record for each axis that has matched pairs.
        skipped: The axes without matched pairs, with the reason.
        marginal: For each axis that was varied, how far each of its values lies from the others, with or without
            matched pairs.
    """

    contender: str
    axes: tuple[Sensitivity, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    marginal: Mapping[str, AxisShifts] = field(default_factory=dict)

    def __getitem__(self, axis: str) -> Sensitivity:
        for found in self.axes:
            if found.axis == axis:
                return found
        reason = self.skipped.get(axis, "it was not varied")
        raise InvalidInput(f"no sensitivity to {axis!r}: {reason}")


def varied_axes(cells: Cells) -> tuple[str, ...]:
    """The axes along which this contender was run at two values or more."""
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
    """What each axis does: matched pairs of configurations, and the marginal shift of each of its values.

    Matched pairs are configurations that differ along one axis only. If the axis has no effect, the outcomes of such
    configurations could have come in any order. Floors are expectations over these orders, given how many of the
    outcomes were successes: so they are right for any success rate, and need no estimate of it.

    Args:
        cells: One contender's counts.
        rng: Source of randomness, for the p-values, the intervals and the floors of whole scenarios.
        permutations: How many orders are drawn for each p-value.
        resamples: How many resamples of scenarios, within apps, for the intervals.
        thresholds: Where the exceedance curves are read off.
        most_pairs: Where an axis has more, some of its configurations are drawn, and a note says how many were not.
        level: Of the intervals.

    Raises:
        InvalidInput: When no axis was varied, or episodes are not worth 0 or 1.
    """
    check_level(level)
    _check(cells, permutations, resamples, thresholds)
    varied = varied_axes(cells)
    (own_stream,) = rng.spawn(1)  # so that other figures do not depend on how many numbers the shifts draw
    if not varied:
        raise InvalidInput(
            f"{cells.contender} was run with every axis at one value",
            fix="fill at least one of the columns instance, profile, theme and ui_state, and vary it",
        )
    skipped: dict[str, str] = {}
    found = []
    for axis in cells.axes:
        if axis not in varied:
            skipped[axis] = "this contender was run at one value of it"
            continue
        pairs = matched_pairs(cells, cells.axes.index(axis), most=most_pairs, rng=rng)
        if pairs is None:
            skipped[axis] = "no two configurations differ along this axis only"
            continue
        found.append(_measure(cells, axis, pairs, rng, permutations, resamples, tuple(thresholds), level))
    adjusted = holm([one.p_value for one in found]) if found else ()
    return Sensitivities(
        contender=str(cells.contender),
        axes=tuple(replace(one, p_holm=float(value)) for one, value in zip(found, adjusted, strict=True)),
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
    whole = np.abs(np.bincount(pairs.group, change) / np.bincount(pairs.group))
    chance = permute(pairs, len(whole), thresholds, rng, permutations)

    scenarios, apps = len(cells.scenarios), cells.app_of.astype(np.int64)
    columns = np.stack(
        [
            np.bincount(pairs.scenario, shift, scenarios),
            np.bincount(pairs.scenario, null.mean, scenarios),
            np.bincount(pairs.scenario, minlength=scenarios),
            np.bincount(pairs.group_scenario, whole, scenarios),
            np.bincount(pairs.group_scenario, minlength=scenarios),
        ],
        axis=-1,
    ).astype(np.float64)
    resampled = _resample(columns, apps, len(cells.apps), rng, resamples)
    drawn = resampled.sum(axis=0)
    used = np.bincount(apps[columns[:, 2] > 0], minlength=len(cells.apps))
    spread = bool((used > 1).any())  # with one scenario an app, nothing can be resampled
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
    whole_mad = float(whole.mean())
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
            pairs=len(whole),
            mad=_interval(whole_mad, drawn[:, 3] / drawn[:, 4] if spread else None, level),
            floor=chance.whole_mad,
            excess=whole_mad - chance.whole_mad,
            exceedance=Exceedance(
                thresholds, tuple(float((whole > at + TIE).mean()) for at in thresholds), chance.whole_above
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
    """Mean and 90th percentile of the observed shifts and of the expected ones, for each owner of pairs."""
    ones = np.ones(len(owner))
    found = csr_matrix((ones, (owner, observed)), shape=(owners, len(null.sizes)))
    expected = csr_matrix((ones, (owner, null.kind)), shape=(owners, null.chances.shape[0])) @ null.chances
    pairs = np.bincount(owner, minlength=owners)
    per_pair = 1.0 / np.maximum(pairs, 1)
    return _Described(
        pairs=pairs.astype(np.int64),
        mad=(found @ null.sizes) * per_pair,
        floor=(expected @ null.sizes) * per_pair,
        p90=_quantile(found, null.sizes, pairs),
        p90_floor=_quantile(expected, null.sizes, pairs),
    )


def _quantile(weights: csr_matrix, sizes: NDArray[np.float64], totals: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each row of weights, the smallest size at or below which 90% of the weight lies."""
    found = np.empty(len(totals))
    step = max(1, BLOCK // len(sizes))
    for begin in range(0, len(totals), step):
        rows = slice(begin, begin + step)
        reached = np.cumsum(weights[rows].toarray(), axis=1) >= (_TAIL - TIE) * totals[rows, None]
        found[rows] = sizes[reached.argmax(axis=1)]
    return found


def _resample(
    columns: NDArray[np.float64], app_of: NDArray[np.int64], apps: int, rng: np.random.Generator, times: int
) -> NDArray[np.float64]:
    """Sums of the columns over resampled scenarios, for each app and resample. Scenarios without pairs stay out."""
    sums = np.zeros((apps, times, columns.shape[1]))
    for app in range(apps):
        own = columns[(app_of == app) & (columns[:, 2] > 0)]
        if len(own):
            # One draw fewer than there are scenarios: drawing as many would make the spread too small, by 1/S.
            draws = max(len(own) - 1, 1)
            picks = rng.multinomial(draws, np.full(len(own), 1 / len(own)), size=times)
            sums[app] = picks @ own * (len(own) / draws)
    return sums


def _interval(estimate: float, drawn: NDArray[np.float64] | None, level: float, least: float = 0.0) -> Interval:
    if drawn is None:
        return Interval(estimate, least, 1.0, level, "none: one scenario an app, so anything is possible")
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(
        estimate,
        float(min(low, estimate)),
        float(max(high, estimate)),
        level,
        "bootstrap over scenarios, percentile",
    )


def _notes(pairs: Pairs, used: NDArray[np.int64], spread: bool) -> tuple[str, ...]:
    notes = ["The mean shift holds rollout noise: read it against its floor, never alone."]
    if (pairs.rollouts == 1).all():
        notes.append("Every configuration has one rollout, so a single shift can only be 0 or 1.")
    if pairs.left_out:
        notes.append(f"{pairs.left_out} configurations were left out at random: there would be too many pairs.")
    alone = int((used == 1).sum())
    if not spread:
        notes.append("No app has two scenarios with matched pairs, so no interval over scenarios can be given.")
    elif alone:
        notes.append(f"{alone} app(s) with one scenario only add nothing to the width of the intervals.")
    return tuple(notes)


def _check(cells: Cells, permutations: int, resamples: int, thresholds: Sequence[float]) -> None:
    if cells.values is not None:
        raise InvalidInput(
            "sensitivity compares success rates, and these episodes are worth other numbers than 0 and 1",
            fix='count(table, contender, value="success")',
        )
    for name, number in (("permutations", permutations), ("resamples", resamples)):
        if number < 1:
            raise InvalidInput(f"{name}: expected 1 or more, got {number}", fix="1000 is usual")
    if not len(thresholds) or not all(0 <= at <= 1 for at in thresholds):
        raise InvalidInput(f"thresholds: expected numbers from 0 to 1, got {tuple(thresholds)}")
