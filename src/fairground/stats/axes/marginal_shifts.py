"""How much the success rate with one value of an axis differs from the rate with its other values.

Values are compared within scenarios, so the difficulty of a scenario cancels. Scenarios are the clusters of every
interval and the strata of every test. No matched pairs are needed: an ordinary run with randomly drawn configurations
is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.sparse import csr_matrix

from fairground.stats.axes.matched_pairs import BLOCK, TIE, line_of
from fairground.stats.interval import Interval
from fairground.stats.paired_tests import holm
from fairground.stats.proportions import mean_interval
from fairground.stats.tables.cells import Cells

LEAST = 3
"""Minimum number of scenarios in which a value can be compared with another, for an interval and for the test."""

_MIXED = (
    "Few configurations differ along one axis only, so those compared differ along other axes too. This is "
    "fair if they were drawn at random."
)

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ValueShift:
    """One value of an axis compared with its other values.

    Attributes:
        value: The value.
        configurations: Number of configurations with it in the comparison.
        scenarios: Number of scenarios they belong to.
        shift: Success rate with this value minus the rate with the other values, over these scenarios.
        p_value: p-value of the hypothesis that `shift` is 0.
        p_holm: `p_value` adjusted for the number of values of this axis.
    """

    value: str
    configurations: int
    scenarios: int
    shift: Interval
    p_value: float
    p_holm: float = 1.0


@dataclass(frozen=True)
class AxisShifts:
    """The values of one axis.

    Attributes:
        axis: Its name.
        within: What is compared: `lines` compares configurations that differ along this axis only. `scenarios` compares
            configurations of the same scenario, which may differ along other axes too.
        scenarios: Number of scenarios with such a comparison.
        values: The values that can be judged, smallest p-value first.
        too_few: The other values, with the number of scenarios in which each can be compared.
        p_value: Permutation p-value of the hypothesis that success does not depend on this axis. None if it cannot be
            computed.
        p_holm: `p_value` adjusted for the number of axes.
        notes: Caveats for the reader, or why there is no result.
    """

    axis: str
    within: Literal["lines", "scenarios"]
    scenarios: int
    values: tuple[ValueShift, ...]
    too_few: Mapping[str, int]
    p_value: float | None
    p_holm: float | None = None
    notes: tuple[str, ...] = ()


def marginal_shifts(
    cells: Cells, axes: tuple[str, ...], *, rng: np.random.Generator, permutations: int = 1000, level: float = 0.95
) -> dict[str, AxisShifts]:
    """Compare each value of each axis with the axis' other values.

    If configurations that differ along only this axis hold at least half of the information, only these are compared,
    and no other axis can interfere. Otherwise all configurations of a scenario are compared. The other axes then differ
    too: this adds noise, but no bias if their values were drawn at random.

    Args:
        cells: One contender's counts.
        axes: The axes to compare.
        rng: Random generator for the permutations.
        permutations: Number of permutations for the p-value of an axis.
        level: Confidence level.
    """
    shifts = {axis: _compare(cells, axis, rng, permutations, level) for axis in axes}
    tested = [result for result in shifts.values() if result.p_value is not None]
    if not tested:
        return shifts
    of_axes = holm([result.p_value for result in tested if result.p_value is not None]).tolist()
    for result_of_axis, adjusted in zip(tested, of_axes, strict=True):
        shifts[result_of_axis.axis] = replace(result_of_axis, p_holm=adjusted)
    return shifts


def _compare(cells: Cells, axis: str, rng: np.random.Generator, permutations: int, level: float) -> AxisShifts:
    number = cells.axes.index(axis)
    label, scenario = cells.levels[:, number].astype(np.int64), cells.scenario.astype(np.int64)
    lines = line_of(cells, number)
    matched, all_weights = _weights(lines, label), _weights(scenario, label)
    within: Literal["lines", "scenarios"] = "lines" if 2 * matched.sum() >= all_weights.sum() else "scenarios"
    stratum, weights = (lines, matched) if within == "lines" else (scenario, all_weights)
    kept = weights > 0
    label, scenario, stratum = label[kept], scenario[kept], np.unique(stratum[kept], return_inverse=True)[1]
    above = cells.means[kept] - (np.bincount(stratum, cells.means[kept]) / np.bincount(stratum))[stratum]
    keys, place = np.unique(label * len(cells.scenarios) + scenario, return_inverse=True)
    weight: Floats = np.bincount(place, weights[kept]).astype(np.float64)
    contrast: Floats = np.bincount(place, above) / weight
    levels, first, counts = np.unique(keys // len(cells.scenarios), return_index=True, return_counts=True)
    names, configurations = cells.axis_values[number], np.bincount(label)
    values = []
    for value, begin, count in zip(levels.tolist(), first.tolist(), counts.tolist(), strict=True):
        if count >= LEAST:
            own = slice(begin, begin + count)
            shift, p_value = _weighted_mean(contrast[own], weight[own], level)
            values.append(ValueShift(names[value], int(configurations[value]), count, shift, p_value))
    too_few = {
        names[value]: count for value, count in zip(levels.tolist(), counts.tolist(), strict=True) if count < LEAST
    }
    scenarios = len(np.unique(scenario))
    if not values:
        why = (
            f"at least {LEAST} scenarios must vary this axis, found {scenarios}"
            if scenarios < LEAST
            else f"no value can be compared with another in {LEAST} scenarios"
        )
        return AxisShifts(axis, within, scenarios, (), too_few, None, notes=(f"{axis}: not enough data: {why}.",))
    adjusted = holm([shifted.p_value for shifted in values]).tolist()
    values = [replace(shifted, p_holm=value) for shifted, value in zip(values, adjusted, strict=True)]
    values.sort(key=lambda shifted: (shifted.p_value, shifted.value))
    p_value = _permuted(label, stratum, above, levels[counts >= LEAST], rng, permutations)
    notes = () if within == "lines" else (_MIXED,)
    return AxisShifts(axis, within, scenarios, tuple(values), too_few, p_value, notes=notes)


def _weights(stratum: Numbers, label: Numbers) -> Floats:
    """Return how much each cell adds to the precision of its value's contrast. 0 if its stratum has no other value.

    The m cells of a value in a stratum of n cells add up to m (n - m) / n.
    """
    _, group, members = np.unique(label * (int(stratum.max()) + 1) + stratum, return_inverse=True, return_counts=True)
    weights: Floats = 1.0 - members[group] / np.bincount(stratum)[stratum]
    return weights


def _weighted_mean(contrast: Floats, weight: Floats, level: float) -> tuple[Interval, float]:
    """Return the mean over scenarios with an interval, and the p-value of 0.

    The variance is the bias-reduced sandwich estimate with scenarios as clusters (CR2), with Satterthwaite's degrees of
    freedom. With equal weights this is Student's t interval.
    """
    share = weight / weight.sum()
    leverage = share**2 / (1 - share)
    mean = float(share @ contrast)
    variance = float(leverage @ (contrast - mean) ** 2)
    if variance <= TIE**2:  # the data do not show how much scenarios differ, and t would claim certainty
        same = np.full(len(contrast), np.clip(mean, -1.0, 1.0))
        return mean_interval(same, smallest=-1.0, level=level), 2 * float(special.ndtr(-abs(mean) * len(same) ** 0.5))
    freedom = 1 / float((share**2).sum() + leverage.sum() ** 2 - (leverage**2).sum())
    error = variance**0.5
    half = -float(special.stdtrit(freedom, (1 - level) / 2)) * error
    method = f"t over scenarios, {freedom:.3g} degrees of freedom"
    interval = Interval(mean, max(-1.0, mean - half), min(1.0, mean + half), level, method)
    return interval, 2 * float(special.stdtr(freedom, -abs(mean) / error))


def _permuted(
    label: Numbers, stratum: Numbers, above: Floats, values: Numbers, rng: np.random.Generator, times: int
) -> float:
    """Return the share of permutations within strata that separate the values at least as much as observed.

    The statistic is the sum over values of the squared standardised shift. Its scale does not depend on the
    permutation.
    """
    order = np.argsort(stratum, kind="stable")
    label, stratum, above = label[order], stratum[order], above[order]
    sizes = np.bincount(stratum)
    spread = np.bincount(stratum, above**2) / (sizes - 1)
    place = np.searchsorted(values, label)
    judged = np.flatnonzero(np.isin(label, values))
    chosen = csr_matrix((np.ones(len(judged)), (place[judged], judged)), shape=(len(values), len(label)))
    pairs, members = np.unique(np.stack([place[judged], stratum[judged]]), axis=1, return_counts=True)
    size = sizes[pairs[1]]
    scale = np.bincount(pairs[0], spread[pairs[1]] * members * (size - members) / size, len(values))
    scale = np.where(scale > 0, scale, np.inf)  # a value whose strata all passed or all failed adds nothing

    def statistic(dealt: Floats) -> Floats:
        sums: Floats = ((chosen @ dealt.T) ** 2 / scale[:, None]).sum(axis=0)
        return sums

    observed = float(statistic(above[None])[0])
    extreme, step = 0, max(1, BLOCK // len(above))
    groups = [np.flatnonzero(sizes[stratum] == size).reshape(-1, size) for size in np.unique(sizes)]
    for begin in range(0, times, step):
        dealt = np.empty((min(step, times - begin), len(above)))
        for cells in groups:
            dealt[:, cells] = rng.permuted(np.broadcast_to(above[cells], (len(dealt), *cells.shape)), axis=-1)
        extreme += int(np.count_nonzero(statistic(dealt) >= observed * (1 - TIE) - TIE))
    return (1 + extreme) / (1 + times)
