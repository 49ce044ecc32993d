"""Votes that depend on each other: those of one voter, and those on one task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.tables.table import Names
from fairground.stats.votes.votes import Votes

CLUSTER = ("auto", "none", "task", "voter", "both")
"""What votes can be clustered by."""
FEWEST = 4.0
"""Effective clusters below which "auto" does not cluster: fewer cannot tell how other tasks or voters would differ."""

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which of some votes depend on each other.

    Attributes:
        codes: For "task", "voter", both or neither: the cluster of each vote, from 0 up.
        freedom: Degrees of freedom of Student's t for anything that rests on these clusters: the smaller effective
            number of clusters, minus 1. None for independent votes.
        notes: Why a task or voter that repeats was not used.
    """

    codes: Mapping[str, Codes] = field(default_factory=dict)
    freedom: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """One of `CLUSTER`, without "auto"."""
        return "both" if len(self.codes) == 2 else next(iter(self.codes), "none")

    @property
    def numbers(self) -> dict[str, int]:
        """How many clusters there are of each kind in use."""
        return {name: int(codes.max()) + 1 for name, codes in self.codes.items()}

    def variance(self, of: Callable[[Codes | None], Floats]) -> Floats:
        """A covariance matrix that respects the clusters.

        With both tasks and voters it is `task + voter - cell`, where a cell holds the votes of one voter on one task
        (Cameron, Gelbach and Miller 2011). The difference of two estimates need not be positive, so the form used is
        the larger one plus the positive part of what the other one adds to the cells.

        Args:
            of: Computes the matrix for votes that are clustered in one way; None stands for independent votes.
        """
        matrices = [of(codes) for codes in self.codes.values()]
        if len(matrices) < 2:
            return matrices[0] if matrices else of(None)
        smaller, larger = sorted(matrices, key=lambda matrix: float(np.trace(matrix)))
        values, vectors = np.linalg.eigh(smaller - of(self.cells()))
        total: Floats = larger + (vectors * np.maximum(values, 0)) @ vectors.T
        return total

    def cells(self) -> Codes:
        """For each vote the cell of its task and voter."""
        task, voter = self.codes.values()
        return np.unique(task * (voter.max() + 1) + voter, return_inverse=True)[1].astype(np.int64)


def clusters_of(votes: Votes, cluster: str = "auto") -> Clusters:
    """The clusters of some votes.

    Args:
        votes: The votes.
        cluster: "task", "voter" or "both" to cluster by these; "none" for independent votes. "auto" clusters by each
            of the two that repeats, unless the votes rest on fewer than `FEWEST` effective ones; a note says so.

    Raises:
        InvalidInput: When votes lack the task or voter that was asked for, or there is only one.
    """
    return clusters_in({"task": votes.task, "voter": votes.voter}, votes.weight, cluster)


def clusters_in(
    columns: Mapping[str, Names | Sequence[str] | None], weight: Floats | None = None, cluster: str = "auto"
) -> Clusters:
    """As `clusters_of`, for anything that has tasks or voters: the columns "task" and "voter", or one of them."""
    if cluster not in CLUSTER:
        raise InvalidInput(f"cluster: expected {', '.join(CLUSTER)}, got {cluster!r}")
    found: dict[str, Codes] = {}
    notes: list[str] = []
    effective: list[float] = []
    for name, column in columns.items():
        asked = cluster in (name, "both")
        if not asked and (cluster != "auto" or column is None):
            continue
        if column is None:
            raise InvalidInput(f"cluster={cluster!r} needs to know each vote's {name}", fix=f"add a column {name!r}")
        codes, blank = _with_blanks_apart(column if isinstance(column, Names) else _named(column))
        number, size = int(codes.max(initial=-1)) + 1, effective_number(codes, weight)
        if asked and number < 2:
            raise InvalidInput(f"cluster={cluster!r} needs two {name}s, got {number}", fix='use cluster="none"')
        if not asked and number == len(codes):
            continue
        if not asked and size < FEWEST:
            notes.append(_too_few(name, number, size))
            continue
        if blank:
            notes.append(f"{blank} votes have no {name}: each counts as a {name} of its own")
        found[name] = codes
        effective.append(size)
    return Clusters(found, max(min(effective) - 1, 1.0) if effective else None, tuple(notes))


def clusters_in_words(clusters: Mapping[str, int]) -> str:
    """`clustered by 120 tasks and 31 voters`, or `votes taken as independent`."""
    by = " and ".join(f"{number:,} {name}s" for name, number in clusters.items())
    return f"clustered by {by}" if by else "votes taken as independent"


def effective_number(codes: NDArray[np.integer[Any]], weight: Floats | None = None) -> float:
    """How many clusters of equal size these are worth: the squared sum of the sizes over the sum of their squares."""
    sizes = np.bincount(codes, weight)
    squares = float((sizes**2).sum())
    return float(sizes.sum()) ** 2 / squares if squares else 0.0


def _named(labels: Sequence[str]) -> Names:
    place = {name: code for code, name in enumerate(dict.fromkeys(labels))}
    return Names(tuple(place), np.array([place[name] for name in labels], dtype=np.int32))


def _with_blanks_apart(column: Names) -> tuple[Codes, int]:
    """The codes from 0 up, all used; a vote without a name is a cluster of its own. And how many such there are."""
    codes, blanks = column.codes.astype(np.int64), 0
    if "" in column.values:
        blank = codes == column.values.index("")
        blanks = int(blank.sum())
        codes[blank] = len(column.values) + np.arange(blanks)
    return np.unique(codes, return_inverse=True)[1].astype(np.int64), blanks


def _too_few(name: str, number: int, effective: float) -> str:
    if number == 1:
        return f"1 {name} is too few to cluster by: intervals and tests hold for this {name} and not for others"
    worth = "" if number <= effective + 0.5 else f" (worth {effective:.1f} of equal size)"
    return (
        f"{number} {name}s{worth} are too few to cluster by: intervals and tests hold for these {name}s and not for "
        "others"
    )
