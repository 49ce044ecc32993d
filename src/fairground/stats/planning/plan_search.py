"""Exhaustive search for the cheapest design that meets a goal."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairground.stats.planning.plan_records import Costs, Design, Limits
from fairground.stats.planning.plan_setting import Bools, Floats, Goal, Setting, sizes_of


@dataclass(frozen=True)
class Search:
    """A search problem, without the target value.

    Attributes:
        setting: What a design measures.
        goal: The kind of goal.
        costs: What a design costs.
        limits: Which designs are allowed.
    """

    setting: Setting
    goal: Goal
    costs: Costs
    limits: Limits


def cheapest(search: Search, wanted: float) -> Design | None:
    """Return the best design over all S. Numbers of scenarios whose cost bound exceeds the best design are skipped."""
    able = able_scenarios(search, wanted)
    if not able.size:
        return None
    floors = _cost_floors(search, wanted, able)
    best: Design | None = None
    for i in np.argsort(floors, kind="stable"):
        if best is not None and floors[i] > best.cost * (1 + 1e-9):
            break
        candidate = cheapest_for(search, wanted, float(able[i]))
        if candidate is not None and (best is None or _before(candidate, best)):
            best = candidate
    return best


def cheapest_for(search: Search, wanted: float, scenarios: float) -> Design | None:
    """Return the best C and R for one S: every C that can be best, each with the fewest sufficient rollouts."""
    limits, s = search.limits, np.asarray(float(scenarios))
    meets = search.setting.meets_with(s, search.goal, wanted)
    (c_least, c_most), (r_least, r_most) = np.array(limits.configurations, float), np.array(limits.rollouts, float)
    if not meets(c_most, r_most):
        return None
    first = float(_fewest(lambda c: meets(c, r_most), c_least, c_most))
    last = float(_fewest(lambda c: meets(c, r_least), c_least, c_most))  # more only costs more
    c = np.arange(first, last + 1)
    r = _fewest(lambda r: meets(c, r), np.full_like(c, r_least), np.full_like(c, r_most))
    cost = search.setting.cost(search.costs, s, c, r)
    near = np.flatnonzero(cost <= cost.min() * (1 + 1e-12))
    pick = near[np.lexsort((c[near], (c * r)[near]))[0]]
    return _design(search, float(s), float(c[pick]), float(r[pick]))


def able_scenarios(search: Search, wanted: float) -> Floats:
    """Return the numbers of scenarios with which the goal can be met."""
    limits = search.limits
    counts = np.arange(limits.scenarios[0], limits.scenarios[1] + 1.0)
    most = np.asarray(float(limits.configurations[1])), np.asarray(float(limits.rollouts[1]))
    return counts[search.setting.meets(search.goal, wanted, counts, *most)]


def _fewest(enough: Callable[[Floats], Bools], least: Floats, most: Floats) -> Floats:
    """Return the smallest integer in [least, most] that is enough; `most` if no smaller one is."""
    low, high = least - 1, most
    while np.any(high - low > 1):
        middle = np.where(high - low > 1, np.floor((low + high) / 2), high)
        good = enough(middle)
        low, high = np.where(good | (middle == high), low, middle), np.where(good, middle, high)
    return high


def _cost_floors(search: Search, wanted: float, able: Floats) -> Floats:
    """Return lower bounds of the cost with that many scenarios: the cost for known variance (z instead of t).

    This is exact for up to 32 configurations. Beyond, fractions are allowed too, which changes little.
    """
    setting, costs, of = search.setting, search.costs, search.setting.components
    c_least, r_least = search.limits.configurations[0], search.limits.rollouts[0]
    error = setting.largest_error(search.goal, wanted, np.asarray(math.inf))
    # Room for c/C + r/(C R).
    room = np.maximum(setting.apps * able * (error * (1 + 1e-9)) ** 2 - setting.scenario_variance, 1e-300)
    prepare, run = setting.sets * costs.configuration, setting.agents * costs.episode
    if of.rollout * prepare >= r_least**2 * of.configuration * run:
        many = (math.sqrt(prepare * of.configuration) + math.sqrt(run * of.rollout)) ** 2 / room
    else:  # as few rollouts as allowed, and more configurations
        many = (prepare + run * r_least) * (of.configuration + of.rollout / r_least) / room
    many = np.maximum(many, (prepare + run * r_least) * (c_least + 32))
    c = np.arange(c_least, c_least + 32.0)
    left = c * room[:, None] - of.configuration
    r = np.maximum(np.ceil(of.rollout / np.where(left > 0, left, np.inf) - 1e-6), r_least)
    few = np.where(left > 0, prepare * c + run * c * r, np.inf).min(axis=1)
    return np.asarray(setting.apps * able * (setting.sets * costs.scenario + np.minimum(few, many)))


def _before(a: Design, b: Design) -> bool:
    """Return whether a is better: cheaper, or as cheap with fewer episodes, or equal in both and narrower."""
    if abs(a.cost - b.cost) > 1e-12 * max(a.cost, b.cost):
        return a.cost < b.cost
    return (a.episodes, a.half_width) < (b.episodes, b.half_width)


def _design(search: Search, s: float, c: float, r: float) -> Design:
    setting, sizes = search.setting, sizes_of(s, c, r)
    power = float(setting.power(*sizes)) if setting.difference is not None else None
    episodes, cost = int(setting.apps * s * c * r * setting.agents), setting.cost(search.costs, *sizes).item()
    return Design(int(s), int(c), int(r), episodes, cost, float(setting.half_width(*sizes)), power)
