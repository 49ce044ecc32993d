"""How many scenarios, configurations and rollouts a wanted precision or a wanted power takes.

The plan is balanced: in each of A apps S scenarios, in each of them C configurations, at each of these R rollouts. Apps
are fixed: the suite speaks about these apps and no others. With variances s (between scenarios of an app), c (between
configurations of a scenario) and r (between rollouts at a configuration), the suite mean has variance

    V = (s/S + c/(S C) + r/(S C R)) / A

and half-width t * sqrt(V), with Student's t at A (S - 1) degrees of freedom. That is the number of scenario means,
which vary independently, less one for each app's own mean; so few scenarios cost twice, by V and by t.

If scenarios are "fixed" (the conclusion is about these scenarios, not others like them), s drops out, and there are
A S (C - 1) degrees of freedom, or A S (C R - 1) if c is 0 and rollouts are what varies. Configurations count as drawn
independently within a scenario, which a small grid of crossed axes is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import nctdtr, stdtrit

from fairground.core import InvalidInput
from fairground.stats.interval import check_level

ScenariosAre = Literal["sampled", "fixed"]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_MOST = 100_000  # of anything in a plan: the search holds one row for each number of configurations
_CURVE = {
    "half-width": (2.0, 1.5, 1.25, 1.1, 1.0, 0.9, 0.8, 0.65, 0.5),  # times the goal
    "power": (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99),
}


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
            if not 1 <= least <= most <= _MOST:
                raise InvalidInput(
                    f"{name}: expected (least, most) between 1 and {_MOST}, got {(least, most)}",
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


def paired_components(
    a: VarianceComponents, b: VarianceComponents, *, scenario_correlation: float, configuration_correlation: float
) -> DifferenceComponents:
    """Components of a - b when both agents run the same configurations.

    Correlations are between the two agents' true rates, over scenarios of an app and over configurations of a scenario.
    They are high where what is hard for one is hard for the other; then pairing saves most. Rollouts are independent.
    """
    if not (-1 <= scenario_correlation <= 1 and -1 <= configuration_correlation <= 1):
        raise InvalidInput(
            f"correlations: expected numbers in [-1, 1], got {scenario_correlation} and {configuration_correlation}",
            fix="0 is cautious; estimate them from a pilot of both agents",
        )

    def spread(first: float, second: float, correlation: float) -> float:
        return max(first + second - 2 * correlation * math.sqrt(first * second), 0.0)

    scenario = spread(a.scenario, b.scenario, scenario_correlation)
    configuration = spread(a.configuration, b.configuration, configuration_correlation)
    return DifferenceComponents(scenario, configuration, a.rollout + b.rollout)


def unpaired_components(a: VarianceComponents, b: VarianceComponents) -> DifferenceComponents:
    """Components of a - b when each agent has scenarios of its own, S of them in each app."""
    return DifferenceComponents(
        a.scenario + b.scenario, a.configuration + b.configuration, a.rollout + b.rollout, paired=False
    )


def precision(
    components: VarianceComponents,
    *,
    apps: int,
    scenarios: int,
    configurations: int,
    rollouts: int,
    level: float = 0.95,
    scenarios_are: ScenariosAre = "sampled",
) -> Precision:
    """Half-width of the interval for the suite mean, or for the difference if given `DifferenceComponents`.

    The half-width is t times the true standard error; a run's own is a little wider or narrower by chance.
    """
    setting = _Setting(components, apps, level, scenarios_are)
    sizes = _sizes(scenarios, configurations, rollouts)
    error, freedom = setting.error(*sizes), setting.checked_freedom(*sizes)
    s, c, r = (float(part) for part in setting.parts(*sizes))
    whole = s + c + r or 1.0
    shares = {"scenario": s / whole, "configuration": c / whole, "rollout": r / whole}
    return Precision(float(setting.half_width(*sizes)), error.item(), freedom, level, shares)


def power(
    components: DifferenceComponents,
    *,
    difference: float,
    apps: int,
    scenarios: int,
    configurations: int,
    rollouts: int,
    level: float = 0.95,
    scenarios_are: ScenariosAre = "sampled",
) -> Power:
    """Chance that a two-sided t test at `1 - level` finds a true difference, from the noncentral t distribution."""
    setting = _two_agents(components, apps, level, scenarios_are, difference)
    sizes = _sizes(scenarios, configurations, rollouts)
    freedom = setting.checked_freedom(*sizes)
    return Power(float(setting.power(*sizes)), difference, setting.error(*sizes).item(), freedom, level)


def plan_precision(
    components: VarianceComponents,
    *,
    apps: int,
    half_width: float,
    limits: Limits,
    costs: Costs | None = None,
    level: float = 0.95,
    scenarios_are: ScenariosAre = "sampled",
) -> Plan:
    """The cheapest scenarios x configurations x rollouts with at most the wanted half-width.

    Raises:
        InvalidInput: Also where no design within the limits is precise enough; it says how far they reach.
    """
    if not 0 < half_width < 1:
        raise InvalidInput(f"half_width: expected a share below 1, got {half_width!r}", fix="0.03 is three points")
    return _plan(_Setting(components, apps, level, scenarios_are), "half-width", half_width, costs or Costs(), limits)


def plan_power(
    components: DifferenceComponents,
    *,
    apps: int,
    difference: float,
    limits: Limits,
    power: float = 0.8,
    costs: Costs | None = None,
    level: float = 0.95,
    scenarios_are: ScenariosAre = "sampled",
) -> Plan:
    """The cheapest scenarios x configurations x rollouts that find a true difference with the wanted power.

    Raises:
        InvalidInput: Also where no design within the limits is powerful enough; it says how far they reach.
    """
    if not 1 - check_level(level) < power < 1:
        raise InvalidInput(f"power: expected between {1 - level:g} and 1, got {power!r}", fix="0.8 and 0.9 are usual")
    setting = _two_agents(components, apps, level, scenarios_are, difference)
    return _plan(setting, "power", power, costs or Costs(), limits)


@dataclass(frozen=True)
class _Setting:
    """Everything but the sizes S, C, R, which come as arrays of floats (infinity allowed) that broadcast."""

    components: VarianceComponents
    apps: int
    level: float
    scenarios_are: ScenariosAre
    difference: float | None = None

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.apps < 1 or int(self.apps) != self.apps:
            raise InvalidInput(f"apps: expected a whole number from 1 on, got {self.apps!r}", fix="count the apps")
        if self.scenarios_are not in ("sampled", "fixed"):
            raise InvalidInput(
                f"scenarios_are: expected 'sampled' or 'fixed', got {self.scenarios_are!r}",
                fix="'sampled' to speak about scenarios like these, 'fixed' about these only",
            )

    @property
    def agents(self) -> int:
        return 2 if isinstance(self.components, DifferenceComponents) else 1

    @property
    def sets(self) -> int:
        """Sets of scenarios and configurations to prepare."""
        return 2 if isinstance(self.components, DifferenceComponents) and not self.components.paired else 1

    def parts(self, s: Floats, c: Floats, r: Floats) -> tuple[Floats, Floats, Floats]:
        of, apps = self.components, self.apps
        scenario = 0.0 if self.scenarios_are == "fixed" else of.scenario
        return scenario / (s * apps), of.configuration / (s * c * apps), of.rollout / (s * c * r * apps)

    def error(self, s: Floats, c: Floats, r: Floats) -> Floats:
        return np.asarray(np.sqrt(sum(self.parts(s, c, r))))

    def freedom(self, s: Floats, c: Floats, r: Floats) -> Floats:
        if self.scenarios_are == "sampled":
            free = self.apps * (s - 1)
        elif self.components.configuration > 0:
            free = self.apps * s * (c - 1)
        else:
            free = self.apps * s * (c * r - 1)
        return np.asarray(free * self.sets, dtype=float)

    def checked_freedom(self, s: Floats, c: Floats, r: Floats) -> int:
        free = int(self.freedom(s, c, r))
        if free < 1:
            what = "scenario in each app" if self.scenarios_are == "sampled" else "attempt in each scenario"
            raise InvalidInput(
                f"sizes: one {what} shows no spread, so there is no interval",
                fix="two scenarios in each app; with scenarios_are='fixed', two configurations in each scenario",
            )
        return free

    def critical(self, freedom: Floats) -> Floats:
        return np.where(freedom >= 1, stdtrit(np.maximum(freedom, 1), (1 + self.level) / 2), np.inf)

    def half_width(self, s: Floats, c: Floats, r: Floats) -> Floats:
        critical = self.critical(self.freedom(s, c, r))
        usable = np.isfinite(critical)
        return np.where(usable, np.where(usable, critical, 1.0) * self.error(s, c, r), np.inf)

    def power(self, s: Floats, c: Floats, r: Floats) -> Floats:
        error, freedom = self.error(s, c, r), self.freedom(s, c, r)
        critical = self.critical(freedom)
        assert self.difference is not None
        shift = np.minimum(abs(self.difference) / np.maximum(error, 1e-300), 1e3)  # certain long before
        usable = np.isfinite(critical)
        return np.where(usable, _rejections(np.maximum(freedom, 1), shift, np.where(usable, critical, 1.0)), 0.0)

    def cost(self, costs: Costs, s: Floats, c: Floats, r: Floats) -> Floats:
        prepared = self.sets * (costs.scenario + costs.configuration * c)
        return np.asarray(self.apps * s * (prepared + self.agents * costs.episode * c * r))

    def meets(self, goal: str, wanted: float, s: Floats) -> Callable[[Floats, Floats], Bools]:
        """Whether C and R meet a goal with that S."""
        if goal == "half-width":
            return lambda c, r: self.half_width(s, c, r) <= wanted * (1 + 1e-12)
        if self.scenarios_are == "fixed":
            return lambda c, r: self.power(s, c, r) >= wanted - 1e-12
        # Here the degrees of freedom hang on S alone, so one inversion replaces many calls of the slow noncentral t.
        error = abs(self.difference or 0.0) / self.shift(self.freedom(s, s, s), wanted)
        return lambda c, r: self.error(s, c, r) <= error * (1 + 1e-12)

    def shift(self, freedom: Floats, wanted: float) -> float:
        """True difference, in standard errors, that is found with the wanted power."""
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


def _plan(setting: _Setting, goal: str, wanted: float, costs: Costs, limits: Limits) -> Plan:
    least, most = limits.scenarios
    if setting.scenarios_are == "fixed" and least != most:
        raise InvalidInput(
            f"scenarios: fixed scenarios are those the suite has, but the limits leave {least} to {most} open",
            fix="give the suite's number twice, or scenarios_are='sampled'",
        )
    cheapest = _cheapest(setting, goal, wanted, costs, limits)
    if cheapest is None:
        raise _out_of_reach(setting, goal, wanted, limits)
    able = _able(setting, goal, wanted, limits)
    some = {*np.geomspace(able[0], able[-1], 9).round().tolist(), cheapest.scenarios}
    rows = [_cheapest_for(setting, goal, wanted, costs, limits, s) for s in sorted(some)]
    steps = {wanted * step for step in _CURVE[goal]} if goal == "half-width" else {wanted, *_CURVE[goal]}
    curve = [_cheapest(setting, goal, step, costs, limits) for step in sorted(steps)]
    points = sorted((point for point in curve if point is not None), key=lambda point: point.cost)
    floor = float(setting.half_width(*_sizes(most, math.inf, math.inf)))
    by_scenarios = tuple(row for row in rows if row is not None)
    return Plan(goal, wanted, cheapest, by_scenarios, tuple(points), floor, _notes(setting, cheapest))


def _cheapest(setting: _Setting, goal: str, wanted: float, costs: Costs, limits: Limits) -> Design | None:
    """Best over all S: those whose cost cannot fall below the best found are left out, all others are searched."""
    able = _able(setting, goal, wanted, limits)
    if not able.size:
        return None
    floors = _cost_floors(setting, goal, wanted, costs, limits, able)
    best: Design | None = None
    for i in np.argsort(floors, kind="stable"):
        if best is not None and floors[i] > best.cost * (1 + 1e-9):
            break
        found = _cheapest_for(setting, goal, wanted, costs, limits, float(able[i]))
        if found is not None and (best is None or _before(found, best)):
            best = found
    return best


def _cheapest_for(
    setting: _Setting, goal: str, wanted: float, costs: Costs, limits: Limits, scenarios: float
) -> Design | None:
    """Best C and R for one S: every C that can be best, each with the fewest rollouts that do."""
    s = np.asarray(float(scenarios))
    meets = setting.meets(goal, wanted, s)
    (c_least, c_most), (r_least, r_most) = np.array(limits.configurations, float), np.array(limits.rollouts, float)
    if not meets(c_most, r_most):
        return None
    first = float(_fewest(lambda c: meets(c, r_most), c_least, c_most))
    last = float(_fewest(lambda c: meets(c, r_least), c_least, c_most))  # more only costs more
    c = np.arange(first, last + 1)
    r = _fewest(lambda r: meets(c, r), np.full_like(c, r_least), np.full_like(c, r_most))
    cost = setting.cost(costs, s, c, r)
    near = np.flatnonzero(cost <= cost.min() * (1 + 1e-12))
    pick = near[np.lexsort((c[near], (c * r)[near]))[0]]
    return _design(setting, float(s), float(c[pick]), float(r[pick]), costs)


def _fewest(enough: Callable[[Floats], Bools], least: Floats, most: Floats) -> Floats:
    """Smallest whole number in [least, most] that is enough; `most` where none is known to be less."""
    low, high = least - 1, most
    while np.any(high - low > 1):
        middle = np.where(high - low > 1, np.floor((low + high) / 2), high)
        good = enough(middle)
        low, high = np.where(good | (middle == high), low, middle), np.where(good, middle, high)
    return high


def _cost_floors(setting: _Setting, goal: str, wanted: float, costs: Costs, limits: Limits, able: Floats) -> Floats:
    """No design with that many scenarios is cheaper: the cost if the variance were known, z in place of t.

    Exact then for up to 32 configurations; beyond, fractions are allowed too, which changes little.
    """
    endless = np.asarray(math.inf)
    if goal == "half-width":
        error = wanted / float(setting.critical(endless))
    else:
        error = abs(setting.difference or 0.0) / setting.shift(endless, wanted)
    of, (c_least, _), (r_least, _) = setting.components, limits.configurations, limits.rollouts
    scenario = 0.0 if setting.scenarios_are == "fixed" else of.scenario
    room = np.maximum(setting.apps * able * (error * (1 + 1e-9)) ** 2 - scenario, 1e-300)  # for c/C + r/(C R)
    prepare, run = setting.sets * costs.configuration, setting.agents * costs.episode
    if of.rollout * prepare >= r_least**2 * of.configuration * run:
        many = (math.sqrt(prepare * of.configuration) + math.sqrt(run * of.rollout)) ** 2 / room
    else:  # as few rollouts as allowed, and the more configurations
        many = (prepare + run * r_least) * (of.configuration + of.rollout / r_least) / room
    many = np.maximum(many, (prepare + run * r_least) * (c_least + 32))
    c = np.arange(c_least, c_least + 32.0)
    left = c * room[:, None] - of.configuration
    r = np.maximum(np.ceil(of.rollout / np.where(left > 0, left, np.inf) - 1e-6), r_least)
    few = np.where(left > 0, prepare * c + run * c * r, np.inf).min(axis=1)
    return np.asarray(setting.apps * able * (setting.sets * costs.scenario + np.minimum(few, many)))


def _able(setting: _Setting, goal: str, wanted: float, limits: Limits) -> Floats:
    """The numbers of scenarios with which the goal can be met at all."""
    counts = np.arange(limits.scenarios[0], limits.scenarios[1] + 1.0)
    sizes = counts, np.asarray(float(limits.configurations[1])), np.asarray(float(limits.rollouts[1]))
    if goal == "half-width":
        return counts[setting.half_width(*sizes) <= wanted * (1 + 1e-12)]
    return counts[setting.power(*sizes) >= wanted - 1e-12]


def _before(a: Design, b: Design) -> bool:
    if abs(a.cost - b.cost) > 1e-12 * max(a.cost, b.cost):
        return a.cost < b.cost
    return (a.episodes, a.half_width) < (b.episodes, b.half_width)


def _design(setting: _Setting, s: float, c: float, r: float, costs: Costs) -> Design:
    sizes = _sizes(s, c, r)
    found = float(setting.power(*sizes)) if setting.difference is not None else None
    episodes, cost = int(setting.apps * s * c * r * setting.agents), setting.cost(costs, *sizes).item()
    return Design(int(s), int(c), int(r), episodes, cost, float(setting.half_width(*sizes)), found)


def _out_of_reach(setting: _Setting, goal: str, wanted: float, limits: Limits) -> InvalidInput:
    most = limits.scenarios[1]
    ends = _sizes(most, limits.configurations[1], limits.rollouts[1])
    endless = _sizes(most, math.inf, math.inf)
    name, value, sign = ("power", setting.power, -1) if goal == "power" else ("half_width", setting.half_width, 1)
    floor, reached = float(value(*endless)), float(value(*ends))
    where = f"{most} scenarios in each of {setting.apps} apps"
    if sign * (floor - wanted) <= 0:
        return InvalidInput(
            f"{name}: {wanted:g} cannot be had with at most {where}, {limits.configurations[1]} configurations and "
            f"{limits.rollouts[1]} rollouts; they give {reached:.4g}, and endless ones {floor:.4g}",
            fix="allow more configurations or rollouts, or want less",
        )
    counts = np.arange(1.0, _MOST + 1)
    enough = counts[sign * (value(counts, endless[1], endless[2]) - wanted) < 0]
    more = f"at least {int(enough[0])} scenarios in each app, or" if enough.size else ""
    return InvalidInput(
        f"{name}: {wanted:g} cannot be had with at most {where}: with endless configurations and rollouts it would be "
        f"{floor:.4g}, because the scenarios themselves differ",
        fix=f"{more} want less, or speak about these scenarios only (scenarios_are='fixed')".strip(),
    )


def _notes(setting: _Setting, design: Design) -> tuple[str, ...]:
    notes = ["the components count as known: those of a small pilot are uncertain themselves, so leave a margin"]
    if setting.scenarios_are == "fixed":
        notes.append("speaks about these scenarios only, not about others like them")
    free = int(setting.freedom(*_sizes(design.scenarios, design.configurations, design.rollouts)))
    if free < 10:
        notes.append(f"only {free} degrees of freedom: with so few the interval leans on normality")
    return tuple(notes)


def _rejections(freedom: Floats, shift: Floats, critical: Floats) -> Floats:
    """Chance that |T| exceeds the critical value when T has the noncentral t distribution."""
    tails = nctdtr(freedom, shift, critical), nctdtr(freedom, shift, -critical)
    below, other = (np.nan_to_num(tail, nan=0.0) for tail in tails)  # SciPy has no number for some below 1e-11
    return np.asarray(1 - below + other)


def _sizes(s: float, c: float, r: float) -> tuple[Floats, Floats, Floats]:
    for name, value in (("scenarios", s), ("configurations", c), ("rollouts", r)):
        if not (value >= 1 and (int(value) == value if math.isfinite(value) else name != "scenarios")):
            raise InvalidInput(f"{name}: expected a whole number from 1 on, got {value!r}", fix="count from 1")
    return np.asarray(float(s)), np.asarray(float(c)), np.asarray(float(r))


def _two_agents(
    components: VarianceComponents, apps: int, level: float, scenarios_are: ScenariosAre, difference: float
) -> _Setting:
    if not isinstance(components, DifferenceComponents):
        raise InvalidInput(
            "components: expected those of the difference between two agents, got those of one agent",
            fix="make them with paired_components(a, b, ...) or unpaired_components(a, b)",
        )
    if not 0 < abs(difference) <= 1:
        raise InvalidInput(f"difference: expected a share, not 0, got {difference!r}", fix="0.05 is five points")
    return _Setting(components, apps, level, scenarios_are, difference)
