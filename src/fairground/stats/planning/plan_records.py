"""What planning takes and gives: variances, costs and limits go in; precision, power, designs and plans come out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from fairground.core import InvalidInput

MOST = 100_000  # of anything in a plan: the search holds one row for each number of configurations


@dataclass(frozen=True)
class VarianceComponents:
    """Variances of one agent's success rate (or mean reward), as shares, not percent, averaged over apps.

    Attributes:
        scenario: Between the true rates of an app's scenarios.
        configuration: Between the true rates of a scenario's configurations.
        rollout: Between rollouts at a configuration: the mean of p (1 - p) for successes.
    """

    scenario: float
    configuration: float
    rollout: float

    _largest: ClassVar[float] = 1.0  # the truth is at most 1/4, but an estimate from two scenarios may be 1/2

    def __post_init__(self) -> None:
        for name in ("scenario", "configuration", "rollout"):
            value = getattr(self, name)
            if not 0 <= value <= self._largest:
                raise InvalidInput(
                    f"{name}: expected a variance between 0 and {self._largest:g}, got {value!r}",
                    fix="give variances of shares (0.04, not 400); an estimate below 0 counts as 0",
                )


@dataclass(frozen=True)
class DifferenceComponents(VarianceComponents):
    """The same three variances of the difference between two agents.

    Make them with `paired_components` or `unpaired_components`, or estimate them from a pilot of both agents.

    Attributes:
        scenario: Between scenarios of an app, of the true difference: how much the lead depends on the scenario.
        configuration: Between configurations of a scenario, of the true difference.
        rollout: Of one rollout of each: the sum of the two agents' rollout variances.
        paired: Whether both agents run the same scenarios and configurations.
    """

    paired: bool = True

    _largest: ClassVar[float] = 2.0


@dataclass(frozen=True)
class Costs:
    """What things cost, in any one unit: minutes, money, episodes.

    Attributes:
        scenario: To write and prove one more scenario. 0 if they exist.
        configuration: To prepare one more configuration, once, for all its rollouts and both agents.
        episode: To run one episode, with its reset.
    """

    scenario: float = 0.0
    configuration: float = 0.0
    episode: float = 1.0

    def __post_init__(self) -> None:
        values = (self.scenario, self.configuration, self.episode)
        if not all(0 <= value < math.inf for value in values) or not any(values):
            raise InvalidInput(f"costs: expected numbers from 0 on, not all 0, got {values}", fix="0 for what is free")


@dataclass(frozen=True)
class Limits:
    """Least and most of each; equal numbers fix it. Scenarios have no default: they cannot be invented.

    Attributes:
        scenarios: In an app. What the suite has, or what you could still write.
        configurations: In a scenario. What its axes allow.
        rollouts: At a configuration.
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
    """How well a plan measures.

    Attributes:
        half_width: Of the interval at the given level.
        standard_error: Square root of the variance of the suite mean.
        degrees_of_freedom: Of Student's t.
        level: Of the interval.
        shares: Which part of the variance comes from scenarios, configurations and rollouts.
    """

    half_width: float
    standard_error: float
    degrees_of_freedom: int
    level: float
    shares: dict[str, float]


@dataclass(frozen=True)
class Power:
    """How likely a difference is found.

    Attributes:
        power: Chance that the two-sided t test finds the difference significant.
        difference: The true difference supposed.
        standard_error: Of the measured difference.
        degrees_of_freedom: Of the test.
        level: One minus the chance of a false finding.
    """

    power: float
    difference: float
    standard_error: float
    degrees_of_freedom: int
    level: float


@dataclass(frozen=True)
class Design:
    """One way to do it.

    Attributes:
        scenarios: In each app.
        configurations: In each scenario.
        rollouts: At each configuration, of each agent.
        episodes: In all, of both agents where there are two.
        cost: In all.
        half_width: Of the interval for the mean (or for the difference).
        power: To find the difference planned for; None where a half-width was planned.
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
    """The cheapest design that meets the goal, and what else there is.

    Attributes:
        goal: "half-width" or "power".
        wanted: How much of it.
        cheapest: The cheapest design; among equals, the one with the fewest episodes.
        by_scenarios: The cheapest design for several numbers of scenarios, from few to many, to see the trade.
        curve: The cheapest design for several half-widths (or powers) round the wanted one, those that can be had.
        floor: Half-width with the most scenarios allowed and endless configurations and rollouts.
        notes: What must be known when reading it.
    """

    goal: str
    wanted: float
    cheapest: Design
    by_scenarios: tuple[Design, ...]
    curve: tuple[Design, ...]
    floor: float
    notes: tuple[str, ...]
