"""Reliability of one contender from its cells, with intervals clustered by scenario."""

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

- `configuration`: The same task from the same start.
- `scenario`: All configurations of a scenario together, so that failing in any of them counts as unreliable.
- `auto`: `configuration`, if any was tried at least twice; otherwise `scenario`.
"""

_ENOUGH = 0.75  # share of the tasks that must have k attempts for a curve to reach k


def reliability(
    cells: Cells,
    *,
    unit: Unit = "auto",
    largest_k: int | None = None,
    level: float = 0.95,
) -> ReliabilitySummary:
    """Compute Pass^k, pass@k and consistency classes of a contender. Tasks are equally weighted.

    Tasks of one scenario resemble each other, so scenarios are the clusters of the intervals, as for a score.

    Args:
        cells: The contender's cells.
        unit: What a task is.
        largest_k: End of the curves. Default: the largest k for which three quarters of the tasks have k attempts.
        level: Confidence level.
    """
    check_level(level)
    successes, trials, scenario, name = tasks_of(cells, unit)
    largest = int(np.quantile(trials, 1 - _ENOUGH, method="lower")) if largest_k is None else largest_k
    notes = [] if name == "configuration" else ["A task is a scenario with all its configurations together."]
    short = int((trials < largest).sum())
    if short:
        notes.append(
            f"Missing from the last points, because they were tried fewer than {largest} times: {short} of "
            f"{len(trials)} tasks."
        )
    if largest < 1 or not (trials >= largest).any():
        raise InvalidInput(f"k = {largest}: no task was tried that often", fix=f"use k up to {int(trials.max())}")
    if largest == 1:
        notes.append(
            "Tasks were tried only once, so nothing can be said about repeated attempts. Run each at least three times."
        )
    return ReliabilitySummary(
        tasks=len(successes),
        rollouts=int(trials.sum()),
        consistency=consistency(successes, trials, level=level),
        pass_hat=_curve("Pass^k", successes, trials, scenario, cells.app_of, largest, level, tuple(notes)),
        pass_at=_curve("pass@k", successes, trials, scenario, cells.app_of, largest, level, tuple(notes)),
    )


def changes(base: Cells, new: Cells, *, unit: Unit = "auto", level: float = 0.95) -> Transitions:
    """Compare each task between two contenders: flows, lists, McNemar, Wilcoxon."""
    wanted: Unit = unit
    if unit == "auto":
        wanted = "configuration" if max(int(base.rollouts.max()), int(new.rollouts.max())) > 1 else "scenario"
    sides = []
    for cells in (base, new):
        successes, trials, scenario, name = tasks_of(cells, wanted)
        names = (
            [cells.configuration(cell) for cell in range(len(cells))]
            if name == "configuration"
            else ([cells.scenarios[index] for index in scenario.tolist()])
        )
        sides.append(dict(zip(names, zip(successes.tolist(), trials.tolist(), strict=True), strict=True)))
    return transitions(sides[0], sides[1], level=level)


def follow(one: Cells, other: Cells, level: float) -> tuple[Transitions | None, tuple[str, ...]]:
    """Return how each task's result changes from the other to the one, or a note why that is not possible."""
    try:
        return changes(other, one, level=level), ()
    except InvalidInput as error:
        return None, (f"Tasks cannot be compared between the two: {error.message}.",)


def tasks_of(
    cells: Cells, unit: Unit = "auto"
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Literal["configuration", "scenario"]]:
    """Return each task's successes, trials and scenario, and what a task is."""
    if cells.values is not None:
        raise InvalidInput(
            "reliability needs success or failure, but these episodes have other values",
            fix='use count(table, value="success")',
        )
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
    left_out = tuple(len(trials) - count for count in used)
    return PassCurve(metric, tuple(range(1, largest + 1)), tuple(points), tuple(used), left_out, notes)


def _spread(
    values: NDArray[np.float64], scenario: NDArray[np.int64], trials: NDArray[np.int64], app_of: NDArray[np.int32]
) -> Spread:
    """Return the spread of the mean over tasks.

    It comes from scenarios; for one scenario from its tasks; for one task from its rollouts.
    """
    if len(values) == 1:
        return Spread(values[0], np.zeros(()), KNOWN, float(trials[0]), "rollouts of its one task")
    if (scenario == scenario[0]).all():
        mean, added = added_by(values, np.arange(len(values)), len(values))
        return ratio_spread(mean, added, clusters="configurations of its one scenario")
    mean, added = added_by(values, scenario, len(app_of))
    return ratio_spread(mean, added, clusters="scenarios", app_of=app_of)
