"""Coverage of intervals on simulated benchmarks with a known truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import wald, wald_bounds, wilson, wilson_bounds
from fairground.stats.suites.bootstrap import interval_of
from fairground.stats.suites.nesting import Design
from fairground.stats.suites.resampling import resample
from fairground.stats.tables.cells import Cells
from fairground.stats.tables.table import Contender

Floats = NDArray[np.float64]

LADDER: dict[str, tuple[str, ...]] = {
    "rollouts": ("rollouts",),
    "+ axes": ("axes", "rollouts"),
    "+ scenarios (full)": ("scenarios", "axes", "rollouts"),
}
"""Each entry resamples one more level."""


PAPER_APPS = (0.16, 0.22, 0.27, 0.31, 0.34, 0.37, 0.40, 0.42, 0.45, 0.47, 0.50, 0.53, 0.56, 0.59, 0.62)
"""Fifteen apps from 0.16 to 0.62 with mean 0.41, which is all that the paper reports about its own."""


@dataclass(frozen=True)
class Shape:
    """A benchmark to simulate: its size, and how much each level varies.

    Attributes:
        apps: Success rate of each app.
        scenarios: Number of scenarios per app.
        axes: Number of values of each axis.
        rollouts: Number of rollouts per configuration.
        scenario_sd: Standard deviation of scenarios within an app.
        axis_sd: Standard deviation of the effect of each axis value; 0 in the paper's study.
        configuration_sd: Standard deviation of configurations beyond that.
        sampled: Number of configurations per scenario, drawn at random from the grid. None for all.
    """

    apps: tuple[float, ...] = PAPER_APPS
    scenarios: int = 8
    axes: tuple[int, ...] = (3, 3, 3)
    rollouts: int = 3
    scenario_sd: float = 0.25
    axis_sd: float = 0.0
    configuration_sd: float = 0.05
    sampled: int | None = None

    def __post_init__(self) -> None:
        if not self.apps or any(not 0 <= rate <= 1 for rate in self.apps):
            raise InvalidInput(f"apps: expected success rates from 0 to 1, got {self.apps}")
        if min(self.scenarios, self.rollouts, *self.axes, 1 if self.sampled is None else self.sampled) < 1:
            raise InvalidInput("scenarios, rollouts, axes and sampled must be at least 1")
        spreads = (self.scenario_sd, self.axis_sd, self.configuration_sd)
        if not all(0 <= spread <= 10 for spread in spreads):  # rejects NaN, too
            raise InvalidInput(f"standard deviations: expected numbers from 0 to 10, got {spreads}")


@dataclass(frozen=True)
class Coverage:
    """Coverage of the intervals of one method.

    Attributes:
        method: The method.
        coverage: Share of intervals that contain the truth, with Wilson's interval for the number of experiments.
        width: Mean width of the intervals.
        level: The nominal level.
        experiments: Number of experiments.
    """

    method: str
    coverage: Interval
    width: float
    level: float
    experiments: int


def make_up(shape: Shape, *, rng: np.random.Generator) -> Cells:
    """Simulate one contender's episodes in a benchmark of that shape.

    Rates are clipped to [0, 1] at each level, as in the paper's study. A scenario's rate is its app's plus normal
    noise. A configuration's rate is its scenario's plus normal noise (plus an effect of each axis value, if `axis_sd`
    is set).
    """
    number = len(shape.apps) * shape.scenarios
    scenario = np.clip(np.repeat(shape.apps, shape.scenarios) + rng.normal(0, shape.scenario_sd, number), 0, 1)
    grid = np.array(list(np.ndindex(*shape.axes)), dtype=np.int32).reshape(math.prod(shape.axes), len(shape.axes))
    rates = scenario[:, None] + rng.normal(0, shape.configuration_sd, (number, len(grid)))
    if shape.axis_sd:
        for axis, size in enumerate(shape.axes):
            rates += rng.normal(0, shape.axis_sd, (number, size))[:, grid[:, axis]]
    rates = np.clip(rates, 0, 1)
    chosen = np.broadcast_to(np.arange(len(grid)), (number, len(grid)))
    if shape.sampled is not None and shape.sampled < len(grid):
        chosen = np.sort(np.argsort(rng.random((number, len(grid))), axis=1)[:, : shape.sampled], axis=1)
    rates = np.take_along_axis(rates, chosen, axis=1)
    width = chosen.shape[1]
    return Cells(
        contender=Contender("made up"),
        apps=tuple(f"app{app:02}" for app in range(len(shape.apps))),
        scenarios=tuple(f"app{at // shape.scenarios:02}/scenario{at % shape.scenarios:03}" for at in range(number)),
        app_of=np.repeat(np.arange(len(shape.apps), dtype=np.int32), shape.scenarios),
        axes=tuple(f"axis{axis}" for axis in range(len(shape.axes))),
        axis_values=tuple(tuple(map(str, range(size))) for size in shape.axes),
        scenario=np.repeat(np.arange(number, dtype=np.int32), width),
        levels=grid[chosen.reshape(-1)],
        successes=rng.binomial(shape.rollouts, rates).astype(np.float64).reshape(-1),
        rollouts=np.full(number * width, shape.rollouts, dtype=np.int64),
    )


def suite_coverage(
    shape: Shape,
    *,
    rng: np.random.Generator,
    experiments: int = 200,
    resamples: int = 500,
    level: float = 0.95,
    methods: dict[str, tuple[str, ...]] | None = None,
    design: Design = "auto",
    progress: Callable[[int], None] | None = None,
) -> tuple[Coverage, ...]:
    """Compute the coverage of the suite's mean (figure 1b of the paper).

    The methods are independent episodes (Wald), then each entry of the ladder. The truth is the mean of the app rates.
    Clipping moves rates near 0 or 1 inwards, so a shape with large noise near the ends has a truth that no method can
    quite hit. This also holds for the paper's study.

    Args:
        shape: The benchmark to simulate.
        rng: Random generator.
        experiments: Number of benchmarks.
        resamples: Number of replicates in each.
        level: Confidence level.
        methods: Resampled levels by name. Default: the ladder.
        design: Passed to the bootstrap.
        progress: Called with the number of completed experiments.
    """
    check_level(level)
    truth = float(np.mean(shape.apps))
    ladder = LADDER if methods is None else methods
    names = ["coin flips (Wald)", *ladder]
    held, width = np.zeros((len(names), experiments), dtype=bool), np.zeros((len(names), experiments))
    for at in range(experiments):
        cells = make_up(shape, rng=rng)
        intervals = [wald(int(cells.successes.sum()), cells.episodes, level=level)]
        estimate = float(cells.app_means.mean())
        for levels in ladder.values():
            means = resample([cells], rng=rng, resamples=resamples, levels=levels, design=design)[0].mean(axis=1)
            intervals.append(interval_of(means, estimate, level=level))
        for row, interval in enumerate(intervals):
            held[row, at], width[row, at] = truth in interval, interval.width
        if progress is not None:
            progress(at + 1)
    return tuple(
        Coverage(name, wilson(int(held[row].sum()), experiments), float(width[row].mean()), level, experiments)
        for row, name in enumerate(names)
    )


@dataclass(frozen=True)
class RateCoverage:
    """Coverage of intervals for one configuration's rate, by number of rollouts.

    Attributes:
        rollouts: Numbers of rollouts.
        wald: Coverage of Wald's interval.
        wilson: Coverage of Wilson's interval.
    """

    rollouts: tuple[int, ...]
    wald: tuple[float, ...]
    wilson: tuple[float, ...]


def rate_coverage(
    rollouts: Sequence[int] = (1, 2, 3, 5, 10, 20),
    *,
    observed: Sequence[tuple[int, float]] = ((0, 0.68), (3, 0.32)),
    observed_rollouts: int = 3,
    level: float = 0.95,
) -> RateCoverage:
    """Compute the exact coverage of Wald and Wilson for single configurations (figure 1a of the paper).

    Nothing is random.

    True rates follow Jeffreys' posterior given the observations: k of n give Beta(k + 1/2, n - k + 1/2). Fresh rollouts
    are beta-binomial given those. Coverage sums over them the posterior mass of the interval.

    Args:
        rollouts: Numbers of fresh rollouts.
        observed: Numbers of successes, and the share of configurations that had each.
        observed_rollouts: Number of observed rollouts.
        level: Confidence level.
    """
    from scipy.special import betainc, betaln, gammaln

    check_level(level)
    if abs(sum(share for _, share in observed) - 1) > 1e-9:
        raise InvalidInput(f"observed: shares must add up to 1, got {sum(share for _, share in observed):g}")
    coverage: dict[str, list[float]] = {"wald": [], "wilson": []}
    for number in rollouts:
        k = np.arange(number + 1)
        choose = gammaln(number + 1) - gammaln(k + 1) - gammaln(number - k + 1)
        for name, bounds in (("wald", wald_bounds), ("wilson", wilson_bounds)):
            low, high = bounds(k, np.full(number + 1, number), level)
            total = 0.0
            for successes, share in observed:
                a, b = successes + 0.5, observed_rollouts - successes + 0.5
                chance = np.exp(choose + betaln(k + a, number - k + b) - betaln(a, b))
                # Given k fresh successes the rate is Beta(a + k, b + n - k). This is its mass in the interval.
                inside = betainc(a + k, b + number - k, np.clip(high, 0, 1)) - betainc(
                    a + k, b + number - k, np.clip(low, 0, 1)
                )
                total += share * float((chance * inside).sum())
            coverage[name].append(total)
    return RateCoverage(tuple(rollouts), tuple(coverage["wald"]), tuple(coverage["wilson"]))
