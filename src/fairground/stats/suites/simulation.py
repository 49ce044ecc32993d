"""Do the intervals hold what they promise? Coverage on benchmarks that are made up, with the truth known."""

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
"""Each rung resamples one level more."""


PAPER_APPS = (0.16, 0.22, 0.27, 0.31, 0.34, 0.37, 0.40, 0.42, 0.45, 0.47, 0.50, 0.53, 0.56, 0.59, 0.62)
"""Fifteen apps from 0.16 to 0.62 with mean 0.41: all that the paper says of its own."""


@dataclass(frozen=True)
class Shape:
    """A benchmark to make up: how large, and how much each level varies.

    Attributes:
        apps: Each app's success rate.
        scenarios: In each app.
        axes: How many values each axis has.
        rollouts: Of each configuration.
        scenario_sd: How much scenarios differ within an app.
        axis_sd: How much each value of each axis adds for itself; none in the study of the paper.
        configuration_sd: How much configurations differ beyond that.
        sampled: Run only so many configurations a scenario, drawn at random from the grid, rather than all.
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
        if not all(0 <= spread <= 10 for spread in spreads):  # NaN is not
            raise InvalidInput(f"standard deviations: expected numbers from 0 to 10, got {spreads}")


@dataclass(frozen=True)
class Coverage:
    """How often intervals of one method held the truth.

    Attributes:
        method: Which.
        coverage: The share, with Wilson's interval for so many experiments.
        width: Mean width of the intervals.
        level: What was promised.
        experiments: How many.
    """

    method: str
    coverage: Interval
    width: float
    level: float
    experiments: int


def make_up(shape: Shape, *, rng: np.random.Generator) -> Cells:
    """One contender's episodes in a benchmark of that shape.

    Rates are clipped to [0, 1] at each level, as in the study that this follows: a scenario's is its app's plus normal
    noise, a configuration's is its scenario's plus normal noise (and plus an effect of each axis value, if asked for).
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
    """Coverage of the suite's mean: coin flips first, then each rung of the ladder (figure 1b of the paper).

    The truth is the mean of the app rates. Clipping moves rates near 0 or 1 inwards, so a shape with large noise near
    the ends has a truth that no method can quite hit; the paper's study has that too.

    Args:
        shape: The benchmark to make up.
        rng: Where randomness comes from.
        experiments: How many benchmarks.
        resamples: Replicates in each.
        level: Of the intervals.
        methods: Name and what is resampled; the ladder unless given.
        design: Passed on to the bootstrap.
        progress: Called with the number of experiments done.
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
    """Coverage of intervals for one configuration's rate, at each number of rollouts.

    Attributes:
        rollouts: How many.
        wald: Coverage of Wald's interval.
        wilson: Coverage of Wilson's.
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
    """Exact coverage of Wald and Wilson for single configurations (figure 1a of the paper); nothing is random.

    True rates are what Jeffreys' posterior makes of what was observed: k of n give Beta(k + 1/2, n - k + 1/2).
    Fresh rollouts are beta-binomial given those; coverage sums over them the posterior mass of the interval.

    Args:
        rollouts: Numbers of fresh rollouts.
        observed: Successes, and the share of configurations that had so many.
        observed_rollouts: Of how many.
        level: Of the intervals.
    """
    from scipy.special import betainc, betaln, gammaln

    check_level(level)
    if abs(sum(share for _, share in observed) - 1) > 1e-9:
        raise InvalidInput(f"observed: shares must add up to 1, got {sum(share for _, share in observed):g}")
    found: dict[str, list[float]] = {"wald": [], "wilson": []}
    for number in rollouts:
        k = np.arange(number + 1)
        choose = gammaln(number + 1) - gammaln(k + 1) - gammaln(number - k + 1)
        for name, bounds in (("wald", wald_bounds), ("wilson", wilson_bounds)):
            low, high = bounds(k, np.full(number + 1, number), level)
            total = 0.0
            for successes, share in observed:
                a, b = successes + 0.5, observed_rollouts - successes + 0.5
                chance = np.exp(choose + betaln(k + a, number - k + b) - betaln(a, b))
                # Given k fresh successes the rate is Beta(a + k, b + n - k): how much of it lies in the interval.
                inside = betainc(a + k, b + number - k, np.clip(high, 0, 1)) - betainc(
                    a + k, b + number - k, np.clip(low, 0, 1)
                )
                total += share * float((chance * inside).sum())
            found[name].append(total)
    return RateCoverage(tuple(rollouts), tuple(found["wald"]), tuple(found["wilson"]))
