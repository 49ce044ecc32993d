"""Calibration on simulated studies with a known truth: coverage of intervals, and error rates of `compare`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from fairground.core import InvalidInput, unknown
from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import wilson
from fairground.stats.suites.bootstrap import Scheme, bootstrap, check_scheme, suite_interval
from fairground.stats.suites.clusters import difference_ends, difference_spread, score_spread, share_ends
from fairground.stats.suites.compare import compare
from fairground.stats.tables.cells import Cells
from fairground.stats.tables.table import Contender

Floats = NDArray[np.float64]

DISTRIBUTIONS: Final[dict[str, tuple[float, float]]] = {
    "uniform": (1.0, 1.0),
    "bimodal": (0.2, 0.2),
    "similar": (20.0, 20.0),
    "hard": (0.3, 2.7),
    "easy": (2.7, 0.3),
}
"""Distributions of the scenarios' success rates: the two parameters of a Beta distribution."""

SHAPES: Final = (
    "8x1x2x2", "8x2x1x1", "8x2x4x3", "1x116x1x5", "1x369x1x1", "10x3x1x1", "10x3x1x4",
    "20x6x5x1", "20x6x1x5", "15x8x9x3", "29x4x4x1", "4x5x2x2", "1x20x1x3", "1x30x1x1",
)  # fmt: skip
"""Apps x scenarios x configurations x rollouts of well-known benchmarks, and small ones."""

_CONFIGURATIONS: Final = 20.0  # similarity of the configurations of a scenario: rate r becomes Beta(20 r, 20 (1 - r))
_AT_ONCE: Final = 2_000_000  # numbers drawn at a time
_MOST: Final = 100_000  # maximum number of cells in a study


@dataclass(frozen=True)
class StudyShape:
    """Size of a study: apps, scenarios per app, configurations per scenario, rollouts per configuration."""

    apps: int
    scenarios: int
    configurations: int
    rollouts: int

    def __str__(self) -> str:
        return f"{self.apps}x{self.scenarios}x{self.configurations}x{self.rollouts}"

    @classmethod
    def of(cls, text: str) -> StudyShape:
        """Parse text such as `8x2x4x3`. Parts left out at the end are 1."""
        parts = text.lower().split("x")
        if not 1 <= len(parts) <= 4 or not all(part.isdecimal() and 0 < int(part) <= _MOST for part in parts):
            raise InvalidInput(
                f"shape: expected apps x scenarios x configurations x rollouts, such as 8x2x4x3, got {text!r}",
                fix="write a benchmark of 369 tasks, each tried once, as 1x369x1x1",
            )
        shape = cls(*[*map(int, parts), 1, 1, 1][:4])
        if shape.apps * shape.scenarios * shape.configurations > _MOST:
            raise InvalidInput(f"shape: {text} has more than {_MOST:,} configurations", fix="simulate a smaller one")
        if shape.apps * shape.scenarios < 2:
            raise InvalidInput(
                f"shape: {text} has only one scenario, which says nothing about others", fix="use 2 or more scenarios"
            )
        return shape


@dataclass(frozen=True)
class Calibration:
    """Results of simulated studies of one shape and one distribution of rates.

    Attributes:
        shape: Shape of the studies.
        distribution: Distribution of the scenarios' rates.
        scheme: Scheme of the intervals.
        level: The nominal level.
        experiments: Number of studies.
        coverage: How often the interval of the score contained the truth.
        width: Mean width of these intervals.
        type_one: How often `compare` decided between equal agents: the larger value of two agents with the same rate in
            each scenario, and two with independently drawn rates.
        power: How often it found the better of two agents that differ by `difference`.
        paired_t: How often the paired t test over scenarios found it.
        difference: Their difference.
    """

    shape: str
    distribution: str
    scheme: Scheme
    level: float
    experiments: int
    coverage: Interval
    width: float
    type_one: Interval
    power: Interval
    paired_t: Interval
    difference: float


def calibrate(
    shape: StudyShape,
    distribution: str,
    *,
    rng: np.random.Generator,
    experiments: int = 2000,
    scheme: Scheme = "clusters",
    level: float = 0.95,
    difference: float = 0.1,
    resamples: int = 500,
    progress: Callable[[int], None] | None = None,
) -> Calibration:
    """Simulate studies and count.

    A scenario's rate is drawn from the distribution, whose mean is the truth. A configuration's rate is drawn around
    its scenario's, with the same mean. Rollouts are independent Bernoulli trials.

    Args:
        shape: Shape of the studies.
        distribution: One of `DISTRIBUTIONS`.
        rng: Random generator.
        experiments: Number of studies.
        scheme: Scheme of the intervals. The bootstrap of `prism` takes a thousand times as long.
        level: Confidence level.
        difference: Difference between the two agents, for the power.
        resamples: Number of bootstrap resamples.
        progress: Called with the number of completed studies.
    """
    check_level(level)
    check_scheme(scheme)
    if distribution not in DISTRIBUTIONS:
        raise unknown("distribution", distribution, DISTRIBUTIONS)
    if not 0 < difference < 0.5:
        raise InvalidInput(
            f"difference: expected a share between 0 and 0.5, got {difference!r}", fix="use 0.1, for example"
        )
    if experiments < 1:
        raise InvalidInput(f"experiments: expected at least 1, got {experiments}")
    a, b = DISTRIBUTIONS[distribution]
    truth = a / (a + b)
    cells = shape.apps * shape.scenarios * shape.configurations
    at_once = max(1, min(experiments, _AT_ONCE // cells))
    held, same, apart, found, t_found = 0, 0, 0, 0, 0
    width = 0.0
    for start in range(0, experiments, at_once):
        number = min(at_once, experiments - start)
        rates = rng.beta(a, b, (number, shape.apps * shape.scenarios))
        others = rng.beta(a, b, rates.shape)
        better = rates + difference / (1 - truth) * (1 - rates) if truth <= 0.5 else rates * (1 - difference / truth)
        one, *rest = (_run(shape, some, rng) for some in (rates, rates, others, better))
        judge = _clustered if scheme == "clusters" else _nested
        low, high, decided = judge(shape, one, rest, level, rng, resamples)
        slack = 1e-12
        held += int(((low - slack <= truth) & (truth <= high + slack)).sum())
        width += float((high - low).sum())
        same, apart, found = (
            before + int(now.sum()) for before, now in zip((same, apart, found), decided, strict=True)
        )
        t_found += int(_paired_t(_means(shape, one) - _means(shape, rest[2]), level).sum())
        if progress is not None:
            progress(start + number)
    return Calibration(
        shape=str(shape),
        distribution=distribution,
        scheme=scheme,
        level=level,
        experiments=experiments,
        coverage=wilson(held, experiments),
        width=width / experiments,
        type_one=wilson(max(same, apart), experiments),
        power=wilson(found, experiments),
        paired_t=wilson(t_found, experiments),
        difference=difference,
    )


def _run(shape: StudyShape, rates: Floats, rng: np.random.Generator) -> Floats:
    """Return the number of passed rollouts per configuration: study x scenario x configuration."""
    spread = np.repeat(rates[..., None], shape.configurations, axis=-1)
    least = 1e-9
    chances = rng.beta(np.maximum(spread * _CONFIGURATIONS, least), np.maximum((1 - spread) * _CONFIGURATIONS, least))
    return rng.binomial(shape.rollouts, chances).astype(np.float64)


def _means(shape: StudyShape, passed: Floats) -> Floats:
    means: Floats = passed.mean(axis=-1) / shape.rollouts
    return means


def _clustered(
    shape: StudyShape, base: Floats, rest: list[Floats], level: float, _rng: np.random.Generator, _resamples: int
) -> tuple[Floats, Floats, list[NDArray[np.bool_]]]:
    app_of = np.repeat(np.arange(shape.apps, dtype=np.int32), shape.scenarios)
    means = _means(shape, base)
    low, high = share_ends(score_spread(means, app_of), level)
    decided = []
    for other in rest:
        differences = means - _means(shape, other)
        spread = difference_spread(differences, app_of)
        p = difference_ends(spread, (differences**2).mean(axis=-1) / spread.trials, level)[2]
        decided.append(p < 1 - level)
    return low, high, decided


def _nested(
    shape: StudyShape, base: Floats, rest: list[Floats], level: float, rng: np.random.Generator, resamples: int
) -> tuple[Floats, Floats, list[NDArray[np.bool_]]]:
    ends, decided = np.empty((2, len(base))), np.zeros((len(rest), len(base)), dtype=bool)
    for at, passed in enumerate(base):
        cells = _cells(shape, passed, "one")
        interval = suite_interval(bootstrap(cells, rng=rng, resamples=resamples, design="sampled"), level=level)
        ends[:, at] = interval.low, interval.high
        for row, other in enumerate(rest):
            comparison = compare(
                cells, _cells(shape, other[at], "other"), rng=rng, scheme="prism", resamples=resamples, level=level,
                design="sampled",
            )  # fmt: skip
            decided[row, at] = comparison.decided is not None
    return ends[0], ends[1], list(decided)


def _cells(shape: StudyShape, passed: Floats, name: str) -> Cells:
    number, width = passed.shape
    return Cells(
        contender=Contender(name),
        apps=tuple(f"app{app}" for app in range(shape.apps)),
        scenarios=tuple(f"app{at // shape.scenarios}/{at % shape.scenarios}" for at in range(number)),
        app_of=np.repeat(np.arange(shape.apps, dtype=np.int32), shape.scenarios),
        axes=("instance",),
        axis_values=(tuple(map(str, range(width))),),
        scenario=np.repeat(np.arange(number, dtype=np.int32), width),
        levels=np.tile(np.arange(width, dtype=np.int32), number)[:, None],
        successes=passed.reshape(-1),
        rollouts=np.full(number * width, shape.rollouts, dtype=np.int64),
    )


def _paired_t(differences: Floats, level: float) -> NDArray[np.bool_]:
    """Return whether the paired t test over all scenarios decides."""
    number = differences.shape[-1]
    error = differences.std(axis=-1, ddof=1) / number**0.5
    usable = error > 0
    t = np.abs(differences.mean(axis=-1)) / np.where(usable, error, 1.0)
    return np.asarray(usable & (2 * stdtr(number - 1, -t) < 1 - level))
