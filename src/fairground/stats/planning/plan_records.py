"""Inputs and outputs of planning: variances, costs and limits; precision, power, designs and plans."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from fairground.core import InvalidInput

MOST = 100_000  # maximum of anything in a plan: the search holds one row per number of configurations


@dataclass(frozen=True)
class VarianceComponents:
    """Variances of one agent's success rate (or mean reward), of shares (not percent), averaged over apps.

    Attributes:
        scenario: Between the true rates of an app's scenarios.
        configuration: Between the true rates of a scenario's configurations.
        rollout: Between rollouts at a configuration: the mean of p (1 - p) for 0/1 outcomes.
    """

    scenario: float
    configuration: float
    rollout: float

    _largest: ClassVar[float] = 1.0  # the true value is at most 1/4, but an estimate from two scenarios may be 1/2

    def __post_init__(self) -> None:
        for name in ("scenario", "configuration", "rollout"):
            value = getattr(self, name)
            if not 0 <= value <= self._largest:
                raise InvalidInput(
                    f"{name}: expected a variance between 0 and {self._largest:g}, got {value!r}",
                    fix="give variances of shares (0.04, not 400), and 0 for an estimate below 0",
                )


@dataclass(frozen=True)
class DifferenceComponents(VarianceComponents):
    """The same three variances for the difference between two agents.

    Create them with `paired_components` or `unpaired_components`, or estimate them from a pilot of both agents.

    Attributes:
        scenario: Between scenarios of an app, of the true difference: how much the lead depends on the scenario.
        configuration: Between configurations of a scenario, of the true difference.
        rollout: For one rollout of each: the sum of the two agents' rollout variances.
        paired: Whether both agents run the same scenarios and configurations.
    """

    paired: bool = True

    _largest: ClassVar[float] = 2.0


@dataclass(frozen=True)
class Costs:
    """Costs in any single unit: minutes, money, episodes.

    Attributes:
        scenario: To write and prove one more scenario; 0 if they exist.
        configuration: To prepare one more configuration, once for all its rollouts and both agents.
        episode: To run one episode, including its reset.
    """

    scenario: float = 0.0
    configuration: float = 0.0
    episode: float = 1.0

    def __post_init__(self) -> None:
        values = (self.scenario, self.configuration, self.episode)
        if not all(0 <= value < math.inf for value in values) or not any(values):
            raise InvalidInput(
                f"costs: expected numbers of 0 or more, not all 0, got {values}", fix="give 0 for what is free"
            )


@dataclass(frozen=True)
class Limits:
    """Minimum and maximum of each size; equal numbers fix it. Scenarios have no default, because they must exist.

    Attributes:
        scenarios: Per app: what the suite has, or what you could still write.
        configurations: Per scenario: what its axes allow.
        rollouts: Per configuration.
    """

    scenarios: tuple[int, int]
    configurations: tuple[int, int] = (1, 1000)
    rollouts: tuple[int, int] = (1, 1000)

    def __post_init__(self) -> None:
        for name in ("scenarios", "configurations", "rollouts"):
            least, most = getattr(self, name)
            if not 1 <= least <= most <= MOST:
                raise InvalidInput(
                    f"{name}: expected (least, most) between 1 and {MOST}, got {(least, most)}",
                    fix="for example (2, 26), or (26, 26) for exactly 26",
                )


@dataclass(frozen=True)
class Precision:
    """Precision of a design.

    Attributes:
        half_width: Half-width of the interval at the given level.
        standard_error: Square root of the variance of the suite mean.
        degrees_of_freedom: Degrees of freedom of Student's t.
        level: Confidence level.
        shares: Shares of the variance that come from scenarios, configurations and rollouts.
    """

    half_width: float
    standard_error: float
    degrees_of_freedom: int
    level: float
    shares: dict[str, float]


@dataclass(frozen=True)
class Power:
    """Power to find a difference.

    Attributes:
        power: Probability that the two-sided t test finds the difference significant.
        difference: The assumed true difference.
        standard_error: Standard error of the measured difference.
        degrees_of_freedom: Degrees of freedom of the test.
        level: One minus the probability of a false positive.
    """

    power: float
    difference: float
    standard_error: float
    degrees_of_freedom: int
    level: float


@dataclass(frozen=True)
class Design:
    """One design.

    Attributes:
        scenarios: Per app.
        configurations: Per scenario.
        rollouts: Per configuration and agent.
        episodes: Total number, of both agents if there are two.
        cost: Total cost.
        half_width: Half-width of the interval for the mean (or for the difference).
        power: Power to find the planned difference. None if a half-width was planned.
    """

    scenarios: int
    configurations: int
    rollouts: int
    episodes: int
    cost: float
    half_width: float
    power: float | None


@dataclass(frozen=True)
class Plan:
    """The cheapest design that meets the goal, and alternatives.

    Attributes:
        goal: "half-width" or "power".
        wanted: The target value.
        cheapest: The cheapest design; among equals, the one with the fewest episodes.
        by_scenarios: The cheapest design for several numbers of scenarios, from few to many, to show the trade-off.
        curve: The cheapest design for several feasible half-widths (or powers) around the target.
        floor: Half-width with the maximum number of scenarios and unlimited configurations and rollouts.
        notes: Caveats for the reader.
    """

    goal: str
    wanted: float
    cheapest: Design
    by_scenarios: tuple[Design, ...]
    curve: tuple[Design, ...]
    floor: float
    notes: tuple[str, ...]
