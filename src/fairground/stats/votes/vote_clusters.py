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
"""Minimum effective number of clusters for "auto": fewer do not show how other tasks or voters would differ."""

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which votes depend on each other.

    Attributes:
        codes: For "task", "voter", both or neither: the cluster of each vote, from 0 up.
        freedom: Degrees of freedom of Student's t based on these clusters: the smaller effective number of clusters,
            minus 1. None for independent votes.
        notes: Why a repeating task or voter was not used.
    """

    codes: Mapping[str, Codes] = field(default_factory=dict)
    freedom: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """One of `CLUSTER`, except "auto"."""
        return "both" if len(self.codes) == 2 else next(iter(self.codes), "none")

    @property
    def numbers(self) -> dict[str, int]:
        """Number of clusters of each kind in use."""
        return {name: int(codes.max()) + 1 for name, codes in self.codes.items()}

    def variance(self, of: Callable[[Codes | None], Floats]) -> Floats:
        """Return a covariance matrix that respects the clusters.

        With both tasks and voters it is `task + voter - cell`, where a cell contains the votes of one voter on one task
        (Cameron, Gelbach and Miller 2011). The difference of two estimates need not be positive. So the larger one is
        used, plus the positive part of what the other one adds to the cells.

        Args:
            of: Computes the matrix for votes clustered in one way. None stands for independent votes.
        """
        matrices = [of(codes) for codes in self.codes.values()]
        if len(matrices) < 2:
            return matrices[0] if matrices else of(None)
        smaller, larger = sorted(matrices, key=lambda matrix: float(np.trace(matrix)))
        values, vectors = np.linalg.eigh(smaller - of(self.cells()))
        total: Floats = larger + (vectors * np.maximum(values, 0)) @ vectors.T
        return total

    def cells(self) -> Codes:
        """Return the cell of each vote's task and voter."""
        task, voter = self.codes.values()
        return np.unique(task * (voter.max() + 1) + voter, return_inverse=True)[1].astype(np.int64)


def clusters_of(votes: Votes, cluster: str = "auto") -> Clusters:
    """Return the clusters of some votes.

    Args:
        votes: The votes.
        cluster: "task", "voter" or "both" to cluster by these; "none" for independent votes. "auto" clusters by each of
            the two that repeats, unless there are fewer than `FEWEST` effective ones; a note says so.

    Raises:
        InvalidInput: If votes lack the required task or voter, or there is only one.
    """
    return clusters_in({"task": votes.task, "voter": votes.voter}, votes.weight, cluster)


def clusters_in(
    columns: Mapping[str, Names | Sequence[str] | None], weight: Floats | None = None, cluster: str = "auto"
) -> Clusters:
    """Return clusters like `clusters_of`, for anything with a column "task", "voter" or both."""
    if cluster not in CLUSTER:
        raise InvalidInput(f"cluster: expected {', '.join(CLUSTER)}, got {cluster!r}")
    by_name: dict[str, Codes] = {}
    notes: list[str] = []
    effective: list[float] = []
    for name, column in columns.items():
        required = cluster in (name, "both")
        if not required and (cluster != "auto" or column is None):
            continue
        if column is None:
            raise InvalidInput(f"cluster={cluster!r} needs each vote's {name}", fix=f"add a column {name!r}")
        codes, blank = _with_blanks_apart(column if isinstance(column, Names) else _named(column))
        number, size = int(codes.max(initial=-1)) + 1, effective_number(codes, weight)
        if required and number < 2:
            raise InvalidInput(
                f"cluster={cluster!r} needs at least two {name}s, got {number}", fix='use cluster="none"'
            )
        if not required and number == len(codes):
            continue
        if not required and size < FEWEST:
            notes.append(_too_few(name, number, size))
            continue
        if blank:
            notes.append(f"{blank} votes have no {name}: each counts as a separate {name}")
        by_name[name] = codes
        effective.append(size)
    return Clusters(by_name, max(min(effective) - 1, 1.0) if effective else None, tuple(notes))


def clusters_in_words(clusters: Mapping[str, int]) -> str:
    """Describe clusters: `clustered by 120 tasks and 31 voters`, or `votes treated as independent`."""
    by = " and ".join(f"{number:,} {name}s" for name, number in clusters.items())
    return f"clustered by {by}" if by else "votes treated as independent"


def effective_number(codes: NDArray[np.integer[Any]], weight: Floats | None = None) -> float:
    """Return the effective number of clusters: the squared sum of sizes divided by the sum of squared sizes."""
    sizes = np.bincount(codes, weight)
    squares = float((sizes**2).sum())
    return float(sizes.sum()) ** 2 / squares if squares else 0.0


def _named(labels: Sequence[str]) -> Names:
    place = {name: code for code, name in enumerate(dict.fromkeys(labels))}
    return Names(tuple(place), np.array([place[name] for name in labels], dtype=np.int32))


def _with_blanks_apart(column: Names) -> tuple[Codes, int]:
    """Return codes from 0 up, and the number of votes without a name. Each of these is a separate cluster."""
    codes, blanks = column.codes.astype(np.int64), 0
    if "" in column.values:
        blank = codes == column.values.index("")
        blanks = int(blank.sum())
        codes[blank] = len(column.values) + np.arange(blanks)
    return np.unique(codes, return_inverse=True)[1].astype(np.int64), blanks


def _too_few(name: str, number: int, effective: float) -> str:
    if number == 1:
        return f"1 {name} is too few to cluster by: intervals and tests apply to this {name} only"
    worth = "" if number <= effective + 0.5 else f" (equivalent to {effective:.1f} of equal size)"
    return f"{number} {name}s{worth} are too few to cluster by: intervals and tests apply to these {name}s only"
