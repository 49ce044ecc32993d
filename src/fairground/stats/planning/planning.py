"""How many scenarios, configurations and rollouts a target precision or power requires.

The design is balanced: S scenarios in each of A apps, C configurations per scenario, R rollouts per configuration. Apps
are fixed: the conclusion is about these apps only. With variances s (between scenarios of an app), c (between
configurations of a scenario) and r (between rollouts at a configuration), the suite mean has variance

    V = (s/S + c/(S C) + r/(S C R)) / A

and half-width t * sqrt(V), with Student's t at A (S - 1) degrees of freedom. That is the number of independent scenario
means, minus one per app mean. So few scenarios cost twice: by V and by t. A paired difference has A S - 1, as in
`compare`, where differences between apps add degrees of freedom.

If scenarios are "fixed" (the conclusion is about these scenarios only), s drops out, and there are A S (C - 1) degrees
of freedom, or A S (C R - 1) if c is 0 and only rollouts vary. Configurations are treated as drawn independently within
a scenario, which is not true for a small grid of crossed axes.
"""

from __future__ import annotations

import math

import numpy as np

from fairground.core import InvalidInput
from fairground.stats.interval import check_level
from fairground.stats.planning.plan_records import (
    MOST,
    Costs,
    Design,
    DifferenceComponents,
    Limits,
    Plan,
    Power,
    Precision,
    VarianceComponents,
)
from fairground.stats.planning.plan_search import Search, able_scenarios, cheapest, cheapest_for
from fairground.stats.planning.plan_setting import ScenariosAre, Setting, sizes_of

__all__ = [
    "Costs",
    "Design",
    "DifferenceComponents",
    "Limits",
    "Plan",
    "Power",
    "Precision",
    "VarianceComponents",
    "paired_components",
    "plan_power",
    "plan_precision",
    "power",
    "precision",
    "unpaired_components",
]

# The curve shows the cost of other targets.
_HALF_WIDTHS = (2.0, 1.5, 1.25, 1.1, 1.0, 0.9, 0.8, 0.65, 0.5)  # times the target
_POWERS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99)  # in addition to the target


def paired_components(
    a: VarianceComponents, b: VarianceComponents, *, scenario_correlation: float, configuration_correlation: float
) -> DifferenceComponents:
    """Return the components of a - b if both agents run the same configurations.

    Correlations are between the two agents' true rates, over scenarios of an app and over configurations of a scenario.
    They are high if the same tasks are hard for both; then pairing saves most. Rollouts are independent.
    """
    if not (-1 <= scenario_correlation <= 1 and -1 <= configuration_correlation <= 1):
        raise InvalidInput(
            f"correlations: expected numbers in [-1, 1], got {scenario_correlation} and {configuration_correlation}",
            fix="use 0 to be conservative, or estimate them from a pilot of both agents",
        )

    def spread(first: float, second: float, correlation: float) -> float:
        return max(first + second - 2 * correlation * math.sqrt(first * second), 0.0)

    scenario = spread(a.scenario, b.scenario, scenario_correlation)
    configuration = spread(a.configuration, b.configuration, configuration_correlation)
    return DifferenceComponents(scenario, configuration, a.rollout + b.rollout)


def unpaired_components(a: VarianceComponents, b: VarianceComponents) -> DifferenceComponents:
    """Return the components of a - b if each agent has its own scenarios, S of them per app."""
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
    """Return the half-width of the interval for the suite mean, or for the difference with `DifferenceComponents`.

    The half-width is t times the true standard error. That of an actual run varies a little by chance.
    """
    setting = Setting(components, apps, level, scenarios_are)
    sizes = sizes_of(scenarios, configurations, rollouts)
    error, freedom = setting.error(*sizes), setting.checked_freedom(*sizes)
    s, c, r = (float(part) for part in setting.parts(*sizes))
    total = s + c + r or 1.0
    shares = {"scenario": s / total, "configuration": c / total, "rollout": r / total}
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
    """Return the probability that a two-sided t test at `1 - level` finds a true difference.

    It is computed from the noncentral t distribution.
    """
    setting = _two_agents(components, apps, level, scenarios_are, difference)
    sizes = sizes_of(scenarios, configurations, rollouts)
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
    """Return the cheapest scenarios x configurations x rollouts with at most the given half-width.

    Raises:
        InvalidInput: Also if no design within the limits is precise enough. The message says what they can reach.
    """
    if not 0 < half_width < 1:
        raise InvalidInput(
            f"half_width: expected a share between 0 and 1, got {half_width!r}",
            fix="use 0.03 for three percentage points",
        )
    setting = Setting(components, apps, level, scenarios_are)
    steps = {half_width * step for step in _HALF_WIDTHS}
    return _plan(Search(setting, "half-width", costs or Costs(), limits), half_width, steps)


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
    """Return the cheapest scenarios x configurations x rollouts that find a true difference with the given power.

    Raises:
        InvalidInput: Also if no design within the limits is powerful enough. The message says what they can reach.
    """
    if not 1 - check_level(level) < power < 1:
        raise InvalidInput(f"power: expected between {1 - level:g} and 1, got {power!r}", fix="use 0.8 or 0.9")
    setting = _two_agents(components, apps, level, scenarios_are, difference)
    return _plan(Search(setting, "power", costs or Costs(), limits), power, {power, *_POWERS})


def _plan(search: Search, wanted: float, steps: set[float]) -> Plan:
    """Return the plan, with a curve over those targets that are feasible."""
    setting, (least, most) = search.setting, search.limits.scenarios
    if setting.scenarios_are == "fixed" and least != most:
        raise InvalidInput(
            f"scenarios: fixed scenarios need an exact number, but the limits allow {least} to {most}",
            fix="give the suite's number twice, or use scenarios_are='sampled' (without --fixed)",
        )
    if not float(setting.error(*sizes_of(1, 1, 1))):
        raise InvalidInput(
            "components: all variances are 0, so any number of episodes would seem sufficient",
            fix="run a larger pilot (one in which all episodes ended alike says nothing), or state the components",
        )
    best = cheapest(search, wanted)
    if best is None:
        raise _out_of_reach(search, wanted)
    able = able_scenarios(search, wanted)
    shown_counts = {*np.geomspace(able[0], able[-1], 9).round().tolist(), best.scenarios}
    rows = [cheapest_for(search, wanted, scenarios) for scenarios in sorted(shown_counts)]
    points = [cheapest(search, step) for step in sorted(steps)]
    return Plan(
        goal=search.goal,
        wanted=wanted,
        cheapest=best,
        by_scenarios=tuple(row for row in rows if row is not None),
        curve=tuple(sorted((point for point in points if point is not None), key=lambda point: point.cost)),
        floor=float(setting.half_width(*sizes_of(most, math.inf, math.inf))),
        notes=_notes(setting, best),
    )


def _out_of_reach(search: Search, wanted: float) -> InvalidInput:
    """Return the error, which says what the limits can reach and what would help."""
    setting, limits = search.setting, search.limits
    most = limits.scenarios[1]
    ends = sizes_of(most, limits.configurations[1], limits.rollouts[1])
    endless = sizes_of(most, math.inf, math.inf)
    more_is_better = search.goal == "power"
    name, value = ("power", setting.power) if more_is_better else ("half_width", setting.half_width)
    sign = -1 if more_is_better else 1
    floor, reached = float(value(*endless)), float(value(*ends))
    where = f"{most} scenarios in each of {setting.apps} apps"
    if sign * (floor - wanted) <= 0:
        return InvalidInput(
            f"{name}: {wanted:g} cannot be reached with at most {where}, {limits.configurations[1]} "
            f"configurations and {limits.rollouts[1]} rollouts; they give {reached:.4g}, and unlimited ones "
            f"{floor:.4g}",
            fix="allow more configurations or rollouts, or choose a less ambitious target",
        )
    counts = np.arange(1.0, MOST + 1)
    enough = counts[sign * (value(counts, endless[1], endless[2]) - wanted) < 0]
    more = f"use at least {int(enough[0])} scenarios per app, or" if enough.size else ""
    return InvalidInput(
        f"{name}: {wanted:g} cannot be reached with at most {where}: with unlimited configurations and "
        f"rollouts it would be {floor:.4g}, because scenarios differ",
        fix=(
            f"{more} choose a less ambitious target, or restrict the conclusion to these scenarios "
            "(--fixed; in Python, scenarios_are='fixed')"
        ).strip(),
    )


def _notes(setting: Setting, design: Design) -> tuple[str, ...]:
    notes = ["The components are treated as known. Those of a small pilot are uncertain, so leave a margin."]
    if setting.scenarios_are == "fixed":
        notes.append("Conclusions are about these scenarios only, not about others like them.")
    free = int(setting.freedom(*sizes_of(design.scenarios, design.configurations, design.rollouts)))
    if free < 10:
        notes.append(f"There are only {free} degrees of freedom, so the interval depends strongly on normality.")
    return tuple(notes)


def _two_agents(
    components: VarianceComponents, apps: int, level: float, scenarios_are: ScenariosAre, difference: float
) -> Setting:
    """Return the setting for finding a difference."""
    if not isinstance(components, DifferenceComponents):
        raise InvalidInput(
            "components: expected those of the difference between two agents, got those of one agent",
            fix="create them with paired_components(a, b, ...) or unpaired_components(a, b)",
        )
    if not 0 < abs(difference) <= 1:
        raise InvalidInput(
            f"difference: expected a share other than 0, got {difference!r}", fix="use 0.05 for five percentage points"
        )
    return Setting(components, apps, level, scenarios_are, difference)
