"""Changes of each task between two settings: flows between consistency classes, and paired tests."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.interval import Interval
from fairground.stats.paired_tests import McNemar, Wilcoxon, mcnemar, wilcoxon
from fairground.stats.proportions import check_counts, mean_interval
from fairground.stats.tasks.reliability import consistency_classes

Counts = NDArray[np.int64]
Task = TypeVar("Task", bound=Hashable)


@dataclass(frozen=True)
class Transitions:
    """Changes of each task from a base setting to a new one.

    Attributes:
        tasks: Number of tasks in both settings. Only these are compared.
        flow: Tasks by class before (rows) and after (columns), in the order of `CLASSES`.
        improved: Tasks solved in every rollout now but not before, by name.
        regressed: Tasks solved in every rollout before but not now, by name.
        mcnemar: The test on these two.
        unit: "counts" if each task has as many rollouts in both settings; otherwise "rates".
        delta: Mean change in a task's success count (or rate), with its interval over tasks.
        wilcoxon: The test on the changes in counts (or rates).
        only_base: Tasks missing in the new setting; not used.
        only_new: Tasks missing in the base; not used.
        notes: Caveats for the reader.
    """

    tasks: int
    flow: tuple[tuple[int, ...], ...]
    improved: tuple[Hashable, ...]
    regressed: tuple[Hashable, ...]
    mcnemar: McNemar
    unit: Literal["counts", "rates"]
    delta: Interval
    wilcoxon: Wilcoxon
    only_base: tuple[Hashable, ...]
    only_new: tuple[Hashable, ...]
    notes: tuple[str, ...] = ()


def transitions(
    base: Mapping[Task, tuple[int, int]], new: Mapping[Task, tuple[int, int]], *, level: float = 0.95
) -> Transitions:
    """Compare two settings task by task, with the corresponding tests.

    Args:
        base: (successes, rollouts) per task before.
        new: The same after.
        level: Confidence level.

    Raises:
        InvalidInput: If the two have no task in common.
    """
    both = _by_name(base.keys() & new.keys())
    only_base, only_new = _by_name(base.keys() - new.keys()), _by_name(new.keys() - base.keys())
    if not both:
        raise InvalidInput(
            f"transitions: the base has {len(base)} tasks and the new setting {len(new)}, but none is in both",
            fix="use the same names for the same tasks in both settings",
        )
    c0, n0 = _side(base, both, "base")
    c1, n1 = _side(new, both, "new")
    before, after = consistency_classes(c0, n0), consistency_classes(c1, n1)
    flow = np.bincount(before * 3 + after, minlength=9).reshape(3, 3)
    up, down = (before != 0) & (after == 0), (before == 0) & (after != 0)
    equal = bool((n0 == n1).all())
    # Rounded, so that 3/10 - 2/10 and 1/10 - 0/10 tie.
    change = (c1 - c0).astype(np.float64) if equal else np.round(c1 / n1 - c0 / n0, 12)
    bound = float(n0.max()) if equal else 1.0
    notes = []
    if not equal:
        notes.append(
            f"The numbers of rollouts in the two settings differ (tasks where they do: {int((n0 != n1).sum())}), so "
            "rates are compared instead of counts. A task with more rollouts is less likely to be solved in all of "
            "them, which biases McNemar's test against the setting with more."
        )
    elif n0.min() < n0.max():
        notes.append(f"Tasks have {n0.min()} to {n0.max()} rollouts: a change of one counts the same in all of them.")
    if only_base or only_new:
        notes.append(f"Not used: {len(only_base)} of the tasks only in the base, {len(only_new)} only in the new.")
    return Transitions(
        tasks=len(both),
        flow=tuple(tuple(row) for row in flow.tolist()),
        improved=tuple(name for name, flag in zip(both, up, strict=True) if flag),
        regressed=tuple(name for name, flag in zip(both, down, strict=True) if flag),
        mcnemar=mcnemar(int(up.sum()), int(down.sum()), pairs=len(both), level=level),
        unit="counts" if equal else "rates",
        delta=mean_interval(change, smallest=-bound, largest=bound, level=level),
        wilcoxon=wilcoxon(change),
        only_base=only_base,
        only_new=only_new,
        notes=tuple(notes),
    )


def _side(side: Mapping[Task, tuple[int, int]], names: tuple[Task, ...], what: str) -> tuple[Counts, Counts]:
    """Return counts of the named tasks. An error names the task."""
    for name in names:
        if not isinstance(side[name], Sequence) or len(side[name]) != 2:
            raise InvalidInput(f"{what}[{name!r}]: expected (successes, rollouts), got {side[name]!r}")
    try:
        return check_counts([side[name][0] for name in names], [side[name][1] for name in names])
    except InvalidInput:
        for name in names:
            try:
                check_counts(*side[name])
            except InvalidInput as error:
                raise InvalidInput(f"{what}[{name!r}]: {error.message}", fix=error.fix) from None
        raise


def _by_name(names: Iterable[Task]) -> tuple[Task, ...]:
    return tuple(sorted(names, key=str))
