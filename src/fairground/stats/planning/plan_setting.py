"""What a balanced design of given sizes measures and costs. The formulas are in `planning`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import nctdtr, stdtrit

from fairground.core import InvalidInput
from fairground.stats.interval import check_level
from fairground.stats.planning.plan_records import Costs, DifferenceComponents, VarianceComponents

ScenariosAre = Literal["sampled", "fixed"]
Goal = Literal["half-width", "power"]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_SLACK = 1e-12  # so that rounding never rejects a design that meets its goal exactly


@dataclass(frozen=True)
class Setting:
    """Everything but the sizes S, C, R, which are passed as broadcastable float arrays (infinity allowed).

    Attributes:
        components: Variance components of one agent, or of the difference between two.
        apps: Number of apps.
        level: Confidence level, or one minus the probability of a false positive.
        scenarios_are: Whether the conclusion is about scenarios like these ("sampled") or only these ("fixed").
        difference: The true difference to find. None if only a half-width is required.
    """

    components: VarianceComponents
    apps: int
    level: float
    scenarios_are: ScenariosAre
    difference: float | None = None

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.apps < 1 or int(self.apps) != self.apps:
            raise InvalidInput(f"apps: expected an integer of at least 1, got {self.apps!r}", fix="count the apps")
        if self.scenarios_are not in ("sampled", "fixed"):
            raise InvalidInput(
                f"scenarios_are: expected 'sampled' or 'fixed', got {self.scenarios_are!r}",
                fix="use 'sampled' for conclusions about scenarios like these, and 'fixed' for only these",
            )

    @property
    def agents(self) -> int:
        """Number of agents."""
        return 2 if isinstance(self.components, DifferenceComponents) else 1

    @property
    def sets(self) -> int:
        """Number of sets of scenarios and configurations to prepare."""
        return 2 if isinstance(self.components, DifferenceComponents) and not self.components.paired else 1

    @property
    def scenario_variance(self) -> float:
        """Variance between scenarios that counts: none for fixed scenarios, which would be the same again."""
        return 0.0 if self.scenarios_are == "fixed" else self.components.scenario

    def parts(self, s: Floats, c: Floats, r: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the variance of the suite mean from scenarios, configurations and rollouts."""
        of, apps = self.components, self.apps
        return self.scenario_variance / (s * apps), of.configuration / (s * c * apps), of.rollout / (s * c * r * apps)

    def error(self, s: Floats, c: Floats, r: Floats) -> Floats:
        """Return the standard error of the suite mean."""
        return np.asarray(np.sqrt(sum(self.parts(s, c, r))))

    def freedom(self, s: Floats, c: Floats, r: Floats) -> Floats:
        """Return the degrees of freedom of Student's t. Below 1 there is no interval."""
        if self.scenarios_are == "sampled" and isinstance(self.components, DifferenceComponents):
            free = np.where(s > 1, self.apps * s - 1, 0.0) if self.components.paired else self.apps * (s - 1)
        elif self.scenarios_are == "sampled":
            free = self.apps * (s - 1)
        elif self.components.configuration > 0:
            free = self.apps * s * (c - 1)
        else:
            free = self.apps * s * (c * r - 1)
        return np.asarray(free * self.sets, dtype=float)

    def checked_freedom(self, s: Floats, c: Floats, r: Floats) -> int:
        """Return the degrees of freedom of one design. Raises an error if they allow no interval."""
        free = int(self.freedom(s, c, r))
        if free < 1:
            what = "scenario in each app" if self.scenarios_are == "sampled" else "attempt in each scenario"
            raise InvalidInput(
                f"sizes: with only one {what} the variance cannot be estimated, so there is no interval",
                fix="use two scenarios per app; with fixed scenarios (--fixed), two configurations per scenario",
            )
        return free

    def critical(self, freedom: Floats) -> Floats:
        """Return Student's t at the level; infinity if there is no interval."""
        return np.where(freedom >= 1, stdtrit(np.maximum(freedom, 1), (1 + self.level) / 2), np.inf)

    def half_width(self, s: Floats, c: Floats, r: Floats) -> Floats:
        """Return the half-width of the interval; infinity if there is none."""
        critical = self.critical(self.freedom(s, c, r))
        usable = np.isfinite(critical)  # infinity times an error of 0 would be NaN
        return np.where(usable, np.where(usable, critical, 1.0) * self.error(s, c, r), np.inf)

    def power(self, s: Floats, c: Floats, r: Floats) -> Floats:
        """Return the probability of finding the difference; 0 if there is no test."""
        error, freedom = self.error(s, c, r), self.freedom(s, c, r)
        critical = self.critical(freedom)
        assert self.difference is not None
        shift = np.minimum(abs(self.difference) / np.maximum(error, 1e-300), 1e3)  # power is 1 long before
        usable = np.isfinite(critical)
        return np.where(usable, _rejections(np.maximum(freedom, 1), shift, np.where(usable, critical, 1.0)), 0.0)

    def cost(self, costs: Costs, s: Floats, c: Floats, r: Floats) -> Floats:
        """Return the total cost."""
        prepared = self.sets * (costs.scenario + costs.configuration * c)
        return np.asarray(self.apps * s * (prepared + self.agents * costs.episode * c * r))

    def meets(self, goal: Goal, wanted: float, s: Floats, c: Floats, r: Floats) -> Bools:
        """Return whether the sizes meet a goal."""
        if goal == "half-width":
            return np.asarray(self.half_width(s, c, r) <= wanted * (1 + _SLACK))
        return np.asarray(self.power(s, c, r) >= wanted - _SLACK)

    def meets_with(self, s: Floats, goal: Goal, wanted: float) -> Callable[[Floats, Floats], Bools]:
        """Return `meets` as a function of C and R, for one S and many calls."""
        if goal == "half-width" or self.scenarios_are == "fixed":
            return lambda c, r: self.meets(goal, wanted, s, c, r)
        # Here the degrees of freedom depend only on S, so one inversion replaces many calls of the slow noncentral t.
        error = self.largest_error(goal, wanted, self.freedom(s, s, s))
        return lambda c, r: self.error(s, c, r) <= error * (1 + _SLACK)

    def largest_error(self, goal: Goal, wanted: float, freedom: Floats) -> float:
        """Return the largest standard error that meets a goal with these degrees of freedom."""
        if goal == "half-width":
            return wanted / float(self.critical(freedom))
        assert self.difference is not None
        return abs(self.difference) / self._shift(freedom, wanted)

    def _shift(self, freedom: Floats, wanted: float) -> float:
        """Return the true difference, in standard errors, that is found with the target power."""
        if freedom < 1:
            return math.inf
        critical = self.critical(freedom)
        low, high = 0.0, 1.0
        while _rejections(freedom, np.asarray(high), critical) < wanted:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            enough = _rejections(freedom, np.asarray(middle), critical) >= wanted
            low, high = (low, middle) if enough else (middle, high)
        return high


def sizes_of(s: float, c: float, r: float) -> tuple[Floats, Floats, Floats]:
    """Return the sizes of one design in the form that `Setting` needs, checked. C and R may be infinity (unlimited)."""
    for name, value in (("scenarios", s), ("configurations", c), ("rollouts", r)):
        endless = value == math.inf and name != "scenarios"
        if not (endless or (1 <= value < math.inf and int(value) == value)):
            raise InvalidInput(f"{name}: expected an integer of at least 1, got {value!r}", fix="count from 1")
    return np.asarray(float(s)), np.asarray(float(c)), np.asarray(float(r))


def _rejections(freedom: Floats, shift: Floats, critical: Floats) -> Floats:
    """Return the probability that |T| exceeds the critical value if T has the noncentral t distribution."""
    tails = nctdtr(freedom, shift, critical), nctdtr(freedom, shift, -critical)
    below, other = (np.nan_to_num(tail, nan=0.0) for tail in tails)  # SciPy returns NaN for some values below 1e-11
    return np.asarray(1 - below + other)
