"""Reliability of one contender from its cells, with intervals that draw whole scenarios."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import score_bounds
from fairground.stats.suites.bootstrap import FLAT, interval_of
from fairground.stats.tables.cells import Cells
from fairground.stats.tasks.reliability import Metric, PassCurve, ReliabilitySummary, consistency, pass_table
from fairground.stats.tasks.transitions import Transitions, transitions

Unit = Literal["auto", "configuration", "scenario"]
"""What a task is.

configuration: the same task from the same start, as repeated.
scenario: all configurations of a scenario together, so that failing in any of them counts as unreliable.
auto: configuration, if any was tried twice or more; else scenario.
"""

_ENOUGH = 0.75  # of the tasks must have been tried k times, for a curve to go to k


def reliability(
    cells: Cells,
    *,
    rng: np.random.Generator,
    unit: Unit = "auto",
    largest_k: int | None = None,
    resamples: int = 2000,
    level: float = 0.95,
) -> ReliabilitySummary:
    """Pass^k, pass@k and consistency classes of a contender; every task counts the same.

    Tasks of one scenario are alike, so scenarios are drawn whole, within their app.

    Args:
        cells: The contender's.
        rng: Where randomness comes from.
        unit: What a task is.
        largest_k: How far the curves go; as far as three quarters of the tasks were tried, unless given.
        resamples: How many replicates.
        level: Of the intervals.
    """
    check_level(level)
    successes, trials, scenario, name = tasks_of(cells, unit)
    largest = int(np.quantile(trials, 1 - _ENOUGH, method="lower")) if largest_k is None else largest_k
    notes = [] if name == "configuration" else ["A task is a scenario in all its configurations together."]
    short = int((trials < largest).sum())
    if short:
        notes.append(f"{short} of {len(trials)} tasks were tried less than {largest} times: the last points lack them.")
    if largest < 1 or not (trials >= largest).any():
        raise InvalidInput(
            f"k = {largest}: no task was tried so often", fix=f"the most is {int(trials.max())}; ask for less"
        )
    if largest == 1:
        notes.append("Tasks were tried once: nothing can be said on repetition. Run each at least three times.")
    times = _draw_scenarios(cells, rng, resamples)
    return ReliabilitySummary(
        tasks=len(successes),
        rollouts=int(trials.sum()),
        consistency=consistency(successes, trials, level=level),
        pass_hat=_curve("Pass^k", successes, trials, scenario, times, largest, level, tuple(notes)),
        pass_at=_curve("pass@k", successes, trials, scenario, times, largest, level, tuple(notes)),
    )


def changes(base: Cells, new: Cells, *, unit: Unit = "auto", level: float = 0.95) -> Transitions:
    """What became of each task from one contender to another: flows, lists, McNemar, Wilcoxon."""
    wanted: Unit = unit
    if unit == "auto":
        wanted = "configuration" if max(int(base.rollouts.max()), int(new.rollouts.max())) > 1 else "scenario"
    sides = []
    for cells in (base, new):
        successes, trials, scenario, name = tasks_of(cells, wanted)
        names = (
            [cells.configuration(cell) for cell in range(len(cells))]
            if name == "configuration"
            else ([cells.scenarios[one] for one in scenario.tolist()])
        )
        sides.append(dict(zip(names, zip(successes.tolist(), trials.tolist(), strict=True), strict=True)))
    return transitions(sides[0], sides[1], level=level)


def follow(one: Cells, other: Cells, level: float) -> tuple[Transitions | None, tuple[str, ...]]:
    """What became of each task from the other to the one; or why that cannot be said."""
    try:
        return changes(other, one, level=level), ()
    except InvalidInput as error:
        return None, (f"No task is followed from one to the other: {error.message}.",)


def tasks_of(
    cells: Cells, unit: Unit = "auto"
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Literal["configuration", "scenario"]]:
    """Each task's successes, trials and scenario, and what a task is."""
    if cells.values is not None:
        raise InvalidInput("reliability is about success and failure", fix='count(table, value="success")')
    if unit not in ("auto", "configuration", "scenario"):
        raise InvalidInput(f"unit: expected auto, configuration or scenario, got {unit!r}")
    successes, trials = cells.successes.astype(np.int64), cells.rollouts.astype(np.int64)
    if unit == "configuration" or (unit == "auto" and trials.max() > 1):
        return successes, trials, cells.scenario.astype(np.int64), "configuration"
    number = len(cells.scenarios)
    return (
        np.bincount(cells.scenario, successes, number).astype(np.int64),
        np.bincount(cells.scenario, trials, number).astype(np.int64),
        np.arange(number),
        "scenario",
    )


def _draw_scenarios(cells: Cells, rng: np.random.Generator, resamples: int) -> NDArray[np.float64]:
    """How often each scenario comes in each replicate; drawn within apps."""
    times = np.empty((resamples, len(cells.scenarios)))
    for app in range(len(cells.apps)):
        members = np.flatnonzero(cells.app_of == app)
        times[:, members] = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), size=resamples)
    return times


def _curve(
    metric: Metric,
    successes: NDArray[np.int64],
    trials: NDArray[np.int64],
    scenario: NDArray[np.int64],
    times: NDArray[np.float64],
    largest: int,
    level: float,
    notes: tuple[str, ...],
) -> PassCurve:
    number = times.shape[1]
    points, used = [], []
    for k in range(1, largest + 1):
        usable = trials >= k
        values = pass_table(metric, successes[usable], trials[usable], k)[:, k - 1]
        estimate = float(values.mean())
        sums = np.bincount(scenario[usable], values, number)
        sizes = np.bincount(scenario[usable], minlength=number)
        totals = times @ sizes
        drawn = (times @ sums)[totals > 0] / totals[totals > 0]
        points.append(_interval(drawn, estimate, int((sizes > 0).sum()), level))
        used.append(int(usable.sum()))
    left_out = tuple(len(trials) - one for one in used)
    return PassCurve(metric, tuple(range(1, largest + 1)), tuple(points), tuple(used), left_out, notes)


def _interval(drawn: NDArray[np.float64], estimate: float, scenarios: int, level: float) -> Interval:
    """Of the replicates; never narrower than Wilson's where less than one scenario's worth of one outcome was seen.

    There the bootstrap draws next to nothing but the other outcome, and would shrink to no width at all. So it would
    where all scenarios are alike.
    """
    if min(estimate, 1 - estimate) * scenarios >= 1 and np.ptp(drawn) >= FLAT:
        return interval_of(drawn, estimate, level=level, label="bootstrap over scenarios")
    low, high = score_bounds(estimate, scenarios, level)
    if len(drawn):
        ends = interval_of(drawn, estimate, level=level)
        low, high = min(low, ends.low), max(high, ends.high)
    return Interval(estimate, low, high, level, "wilson, a scenario a trial")
