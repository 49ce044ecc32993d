"""Variance components: apps, scenarios, each axis, the rest of the configuration, and rollouts.

Within scenarios: Henderson's first method. Uncorrected sums of squares over cells, over the values of each axis and
over the scenario have expectations that are linear in the components. Rollout noise is subtracted per cell, and the
linear equations of all scenarios are added and solved. On a full grid this is the crossed analysis of variance. Between
scenarios and between apps: the variance of the means, minus the contribution of the levels below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.planning.planning import DifferenceComponents, VarianceComponents
from fairground.stats.tables.cells import Cells, match

Floats = NDArray[np.float64]

_SINGULAR = 1e8  # condition number above which equations are treated as singular
_COUNT, _MEAN, _SQUARE, _UNIT, _NOISE, _FIXED = range(6)  # columns of the features; the rest start at `_FIXED`


@dataclass(frozen=True)
class Component:
    """One source of variance.

    Attributes:
        name: `app`, `scenario`, an axis, `interaction`, `configuration` or `rollout`; joined by "and" if the data
            cannot separate them.
        variance: The estimate, not below 0.
        raw: The unbiased estimate before it was raised to 0. Use this to average over studies.
        sd: Square root of `variance`, on the scale of the rates.
        share: Share of the sum of all variances.
        interval: Interval of `variance`, over scenarios. None if no app has two scenarios, or resamples cannot be
            solved.
    """

    name: str
    variance: float
    raw: float
    sd: float
    share: float
    interval: Interval | None


@dataclass(frozen=True)
class Components:
    """Variance components of a single episode.

    Attributes:
        contender: The contender; or the two whose difference it is.
        parts: The sources, outermost first.
        configuration: Everything that varies within a scenario between configurations: axes and their interaction. None
            if configurations cannot be separated from another level.
        total: Sum of the variances.
        difference: Whether it is the variance of a difference between two contenders.
        notes: Caveats for the reader.
    """

    contender: str
    parts: tuple[Component, ...]
    configuration: Component | None
    total: float
    difference: bool = False
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Component:
        for part in self.parts:
            if part.name == name:
                return part
        if name == "configuration" and self.configuration is not None:
            return self.configuration
        raise InvalidInput(f"no component {name!r}", fix=f"known: {', '.join(part.name for part in self.parts)}")

    def to_plan(self) -> VarianceComponents:
        """Return the variances of scenarios, configurations and rollouts, as needed for planning.

        For a difference, they are `DifferenceComponents` of a paired study.

        Raises:
            InvalidInput: If the data cannot separate these three.
        """
        names = {part.name for part in self.parts}
        missing = [name for name in ("scenario", "rollout") if name not in names]
        if missing:
            raise InvalidInput(
                f"the variance of {' and '.join(f'{name}s' for name in missing)} cannot be estimated from these data",
                fix=(
                    "run a pilot with at least two scenarios per app and two rollouts per configuration, or give the "
                    "standard deviations (--sd S,C,R; in Python, the components)"
                ),
            )
        configuration = 0.0 if self.configuration is None else self.configuration.variance
        kind = DifferenceComponents if self.difference else VarianceComponents
        return kind(scenario=self["scenario"].variance, configuration=configuration, rollout=self["rollout"].variance)


def variance_components(
    cells: Cells, *, rng: np.random.Generator, resamples: int = 1000, level: float = 0.95
) -> Components:
    """Estimate the variance components of one contender's episodes.

    Args:
        cells: The contender's counts.
        rng: Random generator for the intervals.
        resamples: Number of resamples of scenarios, within apps.
        level: Confidence level.
    """
    unit, unknown = _rollout_variance(cells)
    return _decompose(
        cells, cells.means, unit, unit / cells.rollouts, unknown, str(cells.contender), rng, resamples, level
    )


def difference_components(
    one: Cells, other: Cells, *, rng: np.random.Generator, resamples: int = 1000, level: float = 0.95
) -> Components:
    """Estimate the variance components of the difference between two contenders, at the configurations that both have.

    What is hard for both cancels: the scenario component measures how differently the two handle scenarios. Here an
    episode is a pair of rollouts, one each, treated as independent.
    """
    first, second = match(one, other)
    units, unknown = zip(*(_rollout_variance(cells) for cells in (first, second)), strict=True)
    noise = units[0] / first.rollouts + units[1] / second.rollouts
    name = f"{one.contender} minus {other.contender}"
    # If either side has no repeated rollouts, nothing can be subtracted: then for neither side.
    blind = None if None in unknown else int(unknown[0] or 0) + int(unknown[1] or 0)
    if blind is None:
        units, noise = (np.zeros(len(first)), np.zeros(len(first))), np.zeros(len(first))
    result = _decompose(
        first, first.means - second.means, units[0] + units[1], noise, blind, name, rng, resamples, level
    )
    return replace(result, difference=True)


def _rollout_variance(cells: Cells) -> tuple[Floats, int | None]:
    """Return the unbiased variance of one rollout per cell, and for how many cells it was borrowed (None: all)."""
    several = cells.rollouts > 1
    if not several.any():
        return np.zeros(len(cells)), None
    scale = 1.0 / np.maximum(cells.rollouts - 1, 1)
    if cells.values is None:
        unit = cells.successes * (1 - cells.means) * scale
    else:
        owner = np.repeat(np.arange(len(cells)), cells.rollouts)
        unit = np.bincount(owner, (cells.values - cells.means[owner]) ** 2, len(cells)) * scale
    unit = np.where(several, unit, 0.0)
    borrowed = np.full(len(cells), unit[several].mean())
    for group in (cells.app_of[cells.scenario], cells.scenario):
        known, total = np.bincount(group, several), np.bincount(group, unit)
        borrowed = np.where(known[group] > 0, (total / np.maximum(known, 1))[group], borrowed)
    return np.where(several, unit, borrowed), int((~several).sum())


def _decompose(
    cells: Cells,
    rates: Floats,
    unit: Floats,
    noise: Floats,
    borrowed: int | None,
    contender: str,
    rng: np.random.Generator,
    resamples: int,
    level: float,
) -> Components:
    check_level(level)
    if resamples < 1:
        raise InvalidInput(f"resamples: expected 1 or more, got {resamples}", fix="use 1000")
    inner = _inner(cells, rates, noise)
    use, inner_names, notes = _choose(cells, inner, borrowed is None)
    sizes = np.bincount(cells.app_of, minlength=len(cells.apps))
    model = _Model(
        unknowns=len(use),
        apps=len(cells.apps) > 1,
        scenarios=bool((sizes > 1).any()),
        rollouts=borrowed is not None,
    )
    features = _features(cells, rates, unit, noise, inner, use)
    raw = _estimate(_app_sums(features, cells)[None], model)[0]
    names = _names(cells, model, inner_names)
    if not names:
        raise InvalidInput(
            f"{contender} has only one episode, so there is no variance to estimate",
            fix="repeat rollouts, configurations or scenarios",
        )
    drawn = None
    if model.scenarios:
        drawn, lost = _resample(features, cells, model, rng, resamples)
        if lost:
            notes.append(f"{lost} of {resamples} resamples could not be solved and are left out of the intervals.")
    floored = np.maximum(raw, 0.0)
    total = float(floored.sum())
    parts = tuple(
        _component(name, raw[at], None if drawn is None else drawn[:, at], total, level)
        for at, name in enumerate(names)
    )
    configuration = None
    if use and not any(" and rollout" in name for name in inner_names):
        places = [names.index(name) for name in inner_names]
        together = None if drawn is None else drawn[:, places].sum(axis=1)
        configuration = _component("configuration", raw[places].sum(), together, total, level)
    if use:
        notes += [
            f"The {axis} never changes within a scenario: its effect is included in the scenario's."
            for axis in cells.axes
            if axis not in inner.axes
        ]
    notes += _remarks(raw, names, total, borrowed, model, cells)
    return Components(contender, parts, configuration, total, notes=tuple(notes))


@dataclass(frozen=True, eq=False)
class _Inner:
    """Henderson's equations within each scenario. The last row and column stand for single cells.

    Attributes:
        squares: Per scenario: sums of squares between axis values and between cells, without rollout noise.
        weights: Per scenario: coefficients of the components in the expectations of these.
        share: Per scenario: share of each component in the variance of its mean.
        axes: Names of the axes that vary within a scenario.
    """

    squares: Floats
    weights: Floats
    share: Floats
    axes: tuple[str, ...]


def _inner(cells: Cells, rates: Floats, noise: Floats) -> _Inner:
    scenario, size = cells.scenario.astype(np.int64), len(cells.scenarios)
    groups = {}
    for axis, name in enumerate(cells.axes):
        group = _number(scenario, cells.levels[:, axis])
        if (np.bincount(scenario[np.unique(group, return_index=True)[1]]) > 1).any():
            groups[name] = group
    groups[""] = np.arange(len(cells))  # every cell on its own
    names, count = tuple(groups), len(groups)
    cells_in = np.bincount(scenario, minlength=size).astype(np.float64)
    mean_square = (np.bincount(scenario, rates, size) ** 2 - np.bincount(scenario, noise, size)) / cells_in
    squares, weights, share = np.empty((size, count)), np.empty((size, count, count)), np.empty((size, count))
    for row, name in enumerate(names):
        group = groups[name]
        owner = scenario[np.unique(group, return_index=True)[1]]
        members = np.bincount(group).astype(np.float64)
        share[:, row] = np.bincount(owner, members**2, size) / cells_in**2
        square = (np.bincount(group, rates) ** 2 - np.bincount(group, noise)) / members
        squares[:, row] = np.bincount(owner, square, size) - mean_square
        for column, source in enumerate(names):
            both, first, inverse = np.unique(_number(group, groups[source]), return_index=True, return_inverse=True)
            overlap = np.bincount(inverse, minlength=len(both)) ** 2 / members[group[first]]
            weights[:, row, column] = np.bincount(scenario[first], overlap, size)
    weights -= (share * cells_in[:, None])[:, None, :]
    return _Inner(squares, weights, share, names[:-1])


def _number(first: NDArray[np.int64], second: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.int64]:
    """Number rows from 0, equal for rows that agree in both."""
    _, numbers = np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)
    return np.asarray(numbers, dtype=np.int64)


def _choose(cells: Cells, inner: _Inner, blind: bool) -> tuple[list[int], tuple[str, ...], list[str]]:
    """Return which components within scenarios the design can separate: their indices and names."""
    last = len(inner.axes)
    total = inner.weights.sum(axis=0)
    if total[last, last] <= 0:  # no scenario has two cells
        if not cells.axes:
            return [], (), []
        return (
            [],
            (),
            ["Every scenario was run in one configuration: its effect cannot be separated from the scenario's."],
        )
    everything = list(range(last + 1))
    if last and _solvable(total):
        return everything, (*inner.axes, "interaction and rollout" if blind else "interaction"), []
    if last and not blind and _solvable(total[:last, :last]):
        note = (
            "There is only one axis, so there are no interactions."
            if last == 1
            else "This design cannot separate interactions from the axes' own effects; they are counted together."
        )
        return everything[:last], inner.axes, [note]
    notes = ["This design cannot separate the effects of the axes: only the configuration as a whole is estimated."]
    return [last], ("configuration and rollout" if blind else "configuration",), notes if last > 1 else []


def _solvable(weights: Floats) -> bool:
    return bool(_condition(weights[None])[0] < _SINGULAR)


def _condition(weights: Floats) -> Floats:
    """Return condition numbers of row-scaled matrices; infinite for a row of zeros."""
    scale = np.abs(weights).max(axis=-1, keepdims=True)
    scaled = weights / np.where(scale > 0, scale, 1.0)
    singular = np.linalg.svd(scaled, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Floats = singular[:, 0] / singular[:, -1]
    return np.where(np.isfinite(ratio), ratio, np.inf)


@dataclass(frozen=True)
class _Model:
    """What can be estimated: components within scenarios, and whether apps, scenarios and rollouts can."""

    unknowns: int
    apps: bool
    scenarios: bool
    rollouts: bool


def _features(cells: Cells, rates: Floats, unit: Floats, noise: Floats, inner: _Inner, use: list[int]) -> Floats:
    """Return per scenario all that the estimates need. The estimates depend only on sums of these over scenarios."""
    size = len(cells.scenarios)
    cells_in = np.diff(cells.starts).astype(np.float64)
    mean = np.bincount(cells.scenario, rates, size) / cells_in
    return np.concatenate(
        [
            np.ones((size, 1)),
            mean[:, None],
            mean[:, None] ** 2,
            (np.bincount(cells.scenario, unit, size) / cells_in)[:, None],
            (np.bincount(cells.scenario, noise, size) / cells_in**2)[:, None],
            inner.share[:, use],
            inner.squares[:, use],
            inner.weights[:, use][:, :, use].reshape(size, -1),
        ],
        axis=1,
    )


def _app_sums(features: Floats, cells: Cells) -> Floats:
    sums = np.zeros((len(cells.apps), features.shape[1]))
    np.add.at(sums, cells.app_of, features)
    return sums


def _estimate(sums: Floats, model: _Model, *, resampled: bool = False) -> Floats:
    """Return raw components from sums over scenarios: one row per set of sums (resample, app, feature).

    A resample of S scenarios has (S - 1) / S of their spread on average; `resampled` corrects for that.
    """
    many, unknowns = len(sums), model.unknowns
    edges = _FIXED + np.array([0, unknowns, 2 * unknowns])
    total = sums.sum(axis=1)
    inner = np.zeros((many, 0))
    if unknowns:
        weights = total[:, edges[2] :].reshape(many, unknowns, unknowns)
        inner = np.linalg.solve(weights, total[:, edges[1] : edges[2], None])[:, :, 0]
    count, mean = sums[:, :, _COUNT], sums[:, :, _MEAN] / sums[:, :, _COUNT]
    below = sums[:, :, _NOISE] + (sums[:, :, edges[0] : edges[1]] @ inner[:, :, None])[:, :, 0]  # in scenario means
    columns = []
    scenario = np.zeros(many)
    if model.scenarios:
        within = sums[:, :, _SQUARE] - count * mean**2
        if resampled:
            within = within * count / np.maximum(count - 1, 1)
        scenario = (within - (1 - 1 / count) * below).sum(axis=1) / (count - 1).sum(axis=1)
    if model.apps:
        spread = mean.var(axis=1, ddof=1)
        columns.append(spread - (scenario[:, None] / count + below / count**2).mean(axis=1))
    if model.scenarios:
        columns.append(scenario)
    columns.extend(inner.T)
    if model.rollouts:
        columns.append(total[:, _UNIT] / total[:, _COUNT])
    return np.stack(columns, axis=1) if columns else np.zeros((many, 0))


def _names(cells: Cells, model: _Model, inner: tuple[str, ...]) -> list[str]:
    """Return the names of the estimates. A level that was not repeated is joined with the one above."""
    scenario = ["scenario"]
    if not inner:
        scenario += (["configuration"] if cells.axes else []) + ([] if model.rollouts else ["rollout"])
    outer = [["app"]] if model.apps else []
    if model.scenarios:
        outer.append(scenario)
    elif outer:
        outer[-1] += scenario
    return [" and ".join(parts) for parts in outer] + list(inner) + (["rollout"] if model.rollouts else [])


def _resample(
    features: Floats, cells: Cells, model: _Model, rng: np.random.Generator, resamples: int
) -> tuple[Floats | None, int]:
    """Return how far resampled estimates are from the estimate, and how many resamples had no solution."""
    sums = np.empty((resamples, len(cells.apps), features.shape[1]))
    for app in range(len(cells.apps)):
        own = features[cells.app_of == app]
        picks = rng.multinomial(len(own), np.full(len(own), 1 / len(own)), size=resamples)
        sums[:, app] = picks @ own
    unknowns = model.unknowns
    if unknowns:
        weights = sums.sum(axis=1)[:, -(unknowns**2) :].reshape(resamples, unknowns, unknowns)
        sums = sums[_condition(weights) < _SINGULAR]
    lost = resamples - len(sums)
    if len(sums) <= resamples / 2:
        return None, lost
    drawn = _estimate(sums, model, resampled=True)
    # Resampling biases a variance, and its spread is too small by one scenario per app. Correct both.
    size = len(cells.scenarios)
    return (drawn - drawn.mean(axis=0)) * np.sqrt(size / (size - len(cells.apps))), lost


def _component(name: str, raw: float, drawn: Floats | None, total: float, level: float) -> Component:
    variance = max(float(raw), 0.0)
    interval = None
    if drawn is not None:
        low, high = raw + np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
        method = "bootstrap over scenarios, percentile, centred"
        interval = Interval(variance, float(np.clip(low, 0, variance)), float(max(high, variance)), level, method)
    return Component(
        name, variance, float(raw), float(np.sqrt(variance)), variance / total if total > 0 else 0.0, interval
    )


def _remarks(
    raw: Floats, names: list[str], total: float, borrowed: int | None, model: _Model, cells: Cells
) -> list[str]:
    notes = []
    negative = [name for name, value in zip(names, raw.tolist(), strict=True) if value < -1e-12]
    if negative:
        notes.append(f"Estimated below 0 and set to 0: {', '.join(negative)}. Too small to detect here.")
    if total <= 0:
        notes.append("All episodes had the same result: there is no variance, and shares are 0.")
    if borrowed is None:
        notes.append("Rollouts were not repeated: their noise cannot be separated from the level above.")
    elif borrowed:
        notes.append(
            f"{borrowed} configurations have only one rollout; their noise was estimated from others of the scenario."
        )
    if not model.scenarios:
        notes.append("No app has two scenarios: there is no separate scenario component, and there are no intervals.")
    if model.apps:
        notes.append("Apps are a fixed choice: their variance describes only these apps.")
    if model.scenarios and len(cells.scenarios) < 40:
        notes.append("Fewer than 40 scenarios: intervals are somewhat too narrow.")
    return notes
