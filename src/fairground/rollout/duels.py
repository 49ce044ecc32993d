"""Compare two contenders of a table, with their runs if available."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fairground.rollout.differing import Contest, RunSide, contests, unlike
from fairground.stats import Cells, Comparison, Names, Table, Transitions, conclusions_differ
from fairground.stats.tasks.task_reliability import follow


@dataclass(frozen=True)
class Duel:
    """The comparison of two contenders.

    Attributes:
        a: Results of the first contender, per cell.
        b: Results of the second contender, per cell.
        comparison: Which is better, with its uncertainty.
        transitions: How each task's result changes from `b` to `a`. None if it cannot be determined.
        contests: Configurations with different success. Empty unless both contenders have a run.
        errors_failed: The comparison with errored episodes counted as failed. None if neither has errored episodes.
        notes: Caveats for the reader.
    """

    a: Cells
    b: Cells
    comparison: Comparison
    transitions: Transitions | None
    contests: tuple[Contest, ...]
    notes: tuple[str, ...]
    errors_failed: Comparison | None = None


def duel(
    a: Cells,
    b: Cells,
    found: Comparison,
    one: RunSide | None = None,
    other: RunSide | None = None,
    *,
    level: float,
    errors_failed: Comparison | None = None,
) -> Duel:
    """Collect everything that follows from a comparison.

    Args:
        a: Results of the first contender, per cell.
        b: Results of the second contender, per cell.
        found: Their comparison.
        one: The run of the first contender.
        other: The run of the second contender.
        level: Confidence level of the intervals.
        errors_failed: The comparison with errored episodes counted as failed, if it differs.
    """
    moves, why_none = follow(a, b, level)
    notes = (*found.notes, *why_none, *(moves.notes if moves else ()))
    if errors_failed is not None and errors_failed.decided != found.decided:
        notes = (conclusions_differ(found, found.decided, errors_failed.decided), *notes)
    if one is None or other is None:
        return Duel(a, b, found, moves, (), notes, errors_failed)
    return Duel(a, b, found, moves, contests(one, other), (*unlike(one, other), *notes), errors_failed)


def told_apart(table: Table, name: str) -> Table:
    """Return the table with `name` added to every condition, to tell it from a table with the same contenders."""
    conditions = table.names["condition"]
    values = tuple(f"{value}, {name}" if value else name for value in conditions.values)
    return replace(table, names={**table.names, "condition": Names(values, conditions.codes)})
