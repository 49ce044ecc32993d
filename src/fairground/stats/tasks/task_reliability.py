"""Reliability of one contender from its cells, with intervals whose clusters are scenarios."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.interval import check_level
from fairground.stats.suites.clusters import KNOWN, Spread, added_by, ratio_spread, share_interval
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
    unit: Unit = "auto",
    largest_k: int | None = None,
    level: float = 0.95,
) -> ReliabilitySummary:
    """Pass^k, pass@k and consistency classes of a contender; every task counts the same.

    Tasks of one scenario resemble each other, so scenarios are the clusters of the intervals, as for a score.

    Args:
        cells: The contender's.
        unit: What a task is.
        largest_k: How far the curves go; as far as three quarters of the tasks were tried, unless given.
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
    return ReliabilitySummary(
        tasks=len(successes),
        rollouts=int(trials.sum()),
        consistency=consistency(successes, trials, level=level),
        pass_hat=_curve("Pass^k", successes, trials, scenario, cells.app_of, largest, level, tuple(notes)),
        pass_at=_curve("pass@k", successes, trials, scenario, cells.app_of, largest, level, tuple(notes)),
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


def _curve(
    metric: Metric,
    successes: NDArray[np.int64],
    trials: NDArray[np.int64],
    scenario: NDArray[np.int64],
    app_of: NDArray[np.int32],
    largest: int,
    level: float,
    notes: tuple[str, ...],
) -> PassCurve:
    points, used = [], []
    for k in range(1, largest + 1):
        usable = trials >= k
        values = pass_table(metric, successes[usable], trials[usable], k)[:, k - 1]
        points.append(share_interval(_spread(values, scenario[usable], trials[usable], app_of), level))
        used.append(int(usable.sum()))
    left_out = tuple(len(trials) - one for one in used)
    return PassCurve(metric, tuple(range(1, largest + 1)), tuple(points), tuple(used), left_out, notes)


def _spread(
    values: NDArray[np.float64], scenario: NDArray[np.int64], trials: NDArray[np.int64], app_of: NDArray[np.int32]
) -> Spread:
    """The spread of the mean over tasks: from scenarios, of one scenario from its tasks, of one task from rollouts."""
    if len(values) == 1:
        return Spread(values[0], np.zeros(()), KNOWN, float(trials[0]), "rollouts of its one task")
    if (scenario == scenario[0]).all():
        mean, added = added_by(values, np.arange(len(values)), len(values))
        return ratio_spread(mean, added, clusters="configurations of its one scenario")
    mean, added = added_by(values, scenario, len(app_of))
    return ratio_spread(mean, added, clusters="scenarios", app_of=app_of)
