"""Two contenders of a table held against each other, with the runs that they are of where there are any."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fairground.rollout.differing import Contest, RunSide, contests, unlike
from fairground.stats import Cells, Comparison, Names, Table, Transitions, conclusions_differ
from fairground.stats.tasks.task_reliability import follow


@dataclass(frozen=True)
class Duel:
    """What is to be said of two contenders.

    Attributes:
        a: The one, counted.
        b: The other.
        comparison: Who is better, and how sure that is.
        transitions: What became of each task from `b` to `a`; None where that cannot be said.
        contests: Configurations with unlike success; none where either is of no run.
        errors_failed: Who is better with every errored episode as a failed one; None where none of theirs errored.
        notes: What must be known to read this rightly.
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
    """Everything that follows from a comparison.

    Args:
        a: The one, counted.
        b: The other.
        found: How they compare.
        one: The run of the one.
        other: The run of the other.
        level: Of the intervals.
        errors_failed: How they compare with errors as failures, where that is another comparison.
    """
    moves, why_none = follow(a, b, level)
    notes = (*found.notes, *why_none, *(moves.notes if moves else ()))
    if errors_failed is not None and errors_failed.decided != found.decided:
        notes = (conclusions_differ(found, found.decided, errors_failed.decided), *notes)
    if one is None or other is None:
        return Duel(a, b, found, moves, (), notes, errors_failed)
    return Duel(a, b, found, moves, contests(one, other), (*unlike(one, other), *notes), errors_failed)


def told_apart(table: Table, name: str) -> Table:
    """The table with a name in every condition, for when another one has the same contenders."""
    conditions = table.names["condition"]
    values = tuple(f"{value}, {name}" if value else name for value in conditions.values)
    return replace(table, names={**table.names, "condition": Names(values, conditions.codes)})
