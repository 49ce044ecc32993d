"""Votes as columns: who met whom, and which of the two was preferred."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from fairground.core import InvalidInput
from fairground.stats.tables.table import Names
from fairground.stats.votes.winners import BAD, problem, read_winners
from fairground.stats.votes.winners import BOTH_BAD as BOTH_BAD
from fairground.stats.votes.winners import LEFT as LEFT
from fairground.stats.votes.winners import RIGHT as RIGHT
from fairground.stats.votes.winners import TIE as TIE
from fairground.stats.votes.winners import WINNERS as WINNERS


class BadVote(InvalidInput):
    """An invalid vote. The message has its row (from 1) and column.

    Args:
        row: Its index, from 0.
        column: The column.
        problem: What was found and what was expected.
        fix: What to do about it.
        place: Description of the row. Default: such as "row 3". File readers give the line.
    """

    def __init__(
        self, row: int, column: str, problem: str, *, fix: str | None = None, place: str | None = None
    ) -> None:
        super().__init__(f"{place or f'row {row + 1}'}, column {column}: {problem}", fix=fix)
        self.row, self.column, self.problem = row, column, problem


@dataclass(frozen=True, eq=False)
class Votes:
    """A table of votes, one row per vote, stored by column. Create it with `Votes.of` or `read_votes`.

    Attributes:
        agents: The agents' names.
        left: Index in `agents` of the agent shown on the left, per vote.
        right: The same for the right.
        winner: Index in `WINNERS`, per vote. `both_bad` is stored as such; for ranking it is a tie.
        weight: Weight of each vote, or None if all count once.
        voter: Who voted.
        task: The task of the two agents.
        category: The group of tasks it belongs to.
        covariates: Other columns of numbers. For `rank(covariates=...)` a column contains a difference, left minus
            right, such as of the lengths of two answers. NaN if a row has none.
        free: Other columns of text.
        notes: How the reader interpreted the file, if that is not obvious.

    Raises:
        BadVote: For an invalid vote. The message names its row and column.
    """

    agents: tuple[str, ...]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    winner: NDArray[np.int8]
    weight: NDArray[np.float64] | None = None
    voter: Names | None = None
    task: Names | None = None
    category: Names | None = None
    covariates: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    free: Mapping[str, Names] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(set(self.agents)) < len(self.agents):
            raise InvalidInput(f"agents: expected distinct names, got {self.agents!r}")
        columns: dict[str, NDArray[Any]] = {"left": self.left, "right": self.right, "winner": self.winner}
        if self.weight is not None:
            columns["weight"] = self.weight
        labels = {"voter": self.voter, "task": self.task, "category": self.category, **self.free}
        columns |= {name: label.codes for name, label in labels.items() if label is not None}
        _check_lengths(columns | dict(self.covariates))
        for column, codes in (("left", self.left), ("right", self.right)):
            _refuse(
                (codes < 0) | (codes >= len(self.agents)), column, "no such agent", "use indices into agents, from 0"
            )
            if "" in self.agents:
                _refuse(codes == self.agents.index(""), column, "it is empty", "name both agents")
        codes_of = f"codes of {', '.join(WINNERS)}"
        _refuse((self.winner < 0) | (self.winner >= len(WINNERS)), "winner", "no such winner", f"use the {codes_of}")
        same = self.left == self.right
        if same.any():
            row = int(same.argmax())
            problem = f"{self.agents[self.left[row]]!r} is on both sides"
            raise BadVote(row, "right", problem, fix="an agent cannot meet itself; correct the row or remove it")
        if self.weight is not None:
            bad = ~((self.weight >= 0) & np.isfinite(self.weight))
            if bad.any():
                row = int(bad.argmax())
                raise BadVote(row, "weight", f"expected a number of 0 or more, got {float(self.weight[row])!r}")

    @classmethod
    def of(
        cls,
        left: Sequence[object],
        right: Sequence[object],
        winner: Sequence[str],
        *,
        weight: ArrayLike | None = None,
        voter: Sequence[object] | None = None,
        task: Sequence[object] | None = None,
        category: Sequence[object] | None = None,
        covariates: Mapping[str, ArrayLike] | None = None,
    ) -> Votes:
        """Create votes from one value per vote. Agents are sorted by name, and winners may have any usual spelling.

        Raises:
            BadVote: If a vote is invalid. The message names the row and column.
            InvalidInput: For columns of different lengths.
        """
        coder = NameCoder()
        coder.add(_texts(left), "left")
        coder.add(_texts(right), "right")
        agents, columns = coder.finish()
        winner_names = _names(winner)
        _check_lengths({"left": columns["left"], "right": columns["right"], "winner": winner_names.codes})
        read = read_winners(winner_names, agents, columns["left"], columns["right"])
        if (read.codes == BAD).any():
            row = int((read.codes == BAD).argmax())
            raise BadVote(row, "winner", problem(winner_names.name(row), read.why), fix=read.fix)
        return cls(
            agents=agents,
            left=columns["left"],
            right=columns["right"],
            winner=read.codes,
            weight=None if weight is None else np.asarray(weight, dtype=np.float64),
            voter=None if voter is None else _names(voter),
            task=None if task is None else _names(task),
            category=None if category is None else _names(category),
            covariates={name: np.asarray(column, dtype=np.float64) for name, column in (covariates or {}).items()},
        )

    @classmethod
    def of_codes(cls, agents: Sequence[str], left: ArrayLike, right: ArrayLike, winner: ArrayLike) -> Votes:
        """Create votes from indices into `agents` and codes of `WINNERS`, without any strings: for large data."""
        return cls(
            tuple(agents),
            np.asarray(left, dtype=np.int32),
            np.asarray(right, dtype=np.int32),
            np.asarray(winner, dtype=np.int8),
        )

    @classmethod
    def of_wins(cls, agents: Sequence[str], wins: ArrayLike, ties: ArrayLike | None = None) -> Votes:
        """Create votes from a matrix of integers.

        `wins[i][j]` votes preferred i to j, and `ties[i][j]` preferred neither. The ties of a pair are the sum of
        `ties[i][j]` and `ties[j][i]`.
        """
        shape = (len(agents), len(agents))
        won = np.asarray(wins)
        tied = np.zeros(shape, dtype=np.int64) if ties is None else np.asarray(ties)
        for name, matrix in (("wins", won), ("ties", tied)):
            if matrix.shape != shape or not np.issubdtype(matrix.dtype, np.integer) or (matrix < 0).any():
                raise InvalidInput(f"{name}: expected a {shape[0]} x {shape[0]} matrix of integers of 0 or more")
        left, right = (grid.ravel() for grid in np.indices(shape))
        return cls.of_codes(
            agents,
            np.concatenate([np.repeat(left, won.ravel()), np.repeat(left, tied.ravel())]),
            np.concatenate([np.repeat(right, won.ravel()), np.repeat(right, tied.ravel())]),
            np.repeat([LEFT, TIE], [won.sum(), tied.sum()]),
        )

    def __len__(self) -> int:
        return len(self.left)

    @property
    def score(self) -> NDArray[np.float64]:
        """What each vote gave the left agent: 1, 0, or 0.5 for a tie of either kind."""
        return np.array([1.0, 0.0, 0.5, 0.5])[self.winner]

    def where(self, keep: NDArray[Any]) -> Votes:
        """Return the votes selected by a mask or a list of indices, with the agents that occur in them."""
        left, right = self.left[keep], self.right[keep]
        seen = np.zeros(len(self.agents), dtype=bool)
        seen[left] = seen[right] = True
        position = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        return replace(
            self,
            agents=tuple(name for name, occurs in zip(self.agents, seen, strict=True) if occurs),
            left=position[left],
            right=position[right],
            winner=self.winner[keep],
            weight=None if self.weight is None else self.weight[keep],
            voter=None if self.voter is None else self.voter.keep(keep),
            task=None if self.task is None else self.task.keep(keep),
            category=None if self.category is None else self.category.keep(keep),
            covariates={name: column[keep] for name, column in self.covariates.items()},
            free={name: column.keep(keep) for name, column in self.free.items()},
        )


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Vote counts of each pair of agents that met: all that Bradley-Terry needs.

    Attributes:
        agents: The agents' names.
        first: Index of the pair's first agent in `agents`.
        second: Index of its second agent.
        wins: Votes for the first; the sum of their weights if votes have weights.
        losses: Votes for the second.
        ties: Votes for neither, of both kinds.
    """

    agents: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    wins: NDArray[np.float64]
    losses: NDArray[np.float64]
    ties: NDArray[np.float64]

    @property
    def total(self) -> NDArray[np.float64]:
        """All votes of each pair, including ties."""
        total: NDArray[np.float64] = self.wins + self.losses + self.ties
        return total


def counts(votes: Votes, *, weighted: bool = True) -> PairCounts:
    """Count the votes of each pair that met (the sum of weights, if they have weights)."""
    agents = len(votes.agents)
    if agents <= 512:  # a full table of ordered pairs is small, and one pass fills it
        key = (votes.left * np.int32(agents) + votes.right) * np.int32(4)
        key += votes.winner
        weight = votes.weight if weighted else None
        table = np.bincount(key, weights=weight, minlength=agents * agents * 4).reshape(agents, agents, 4)
        first, second = np.nonzero(np.triu((table + table.transpose(1, 0, 2)).any(axis=2)))
        ahead, behind = table[first, second], table[second, first]
    else:
        ahead, behind, first, second = _sparse_table(votes, weighted)
    return PairCounts(
        votes.agents,
        first.astype(np.int64),
        second.astype(np.int64),
        wins=(ahead[:, LEFT] + behind[:, RIGHT]).astype(np.float64),
        losses=(ahead[:, RIGHT] + behind[:, LEFT]).astype(np.float64),
        ties=(ahead[:, TIE] + ahead[:, BOTH_BAD] + behind[:, TIE] + behind[:, BOTH_BAD]).astype(np.float64),
    )


class NameCoder:
    """Text columns with shared names, built batch by batch. Names are stripped."""

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._parts: dict[str, list[NDArray[np.int32]]] = {}

    def __len__(self) -> int:
        return len(self._place)

    def add(self, values: pa.Array, column: str = "") -> None:
        """Add the next values of a column. Null is the empty name."""
        coded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
        words = [(word or "").strip() for word in coded.dictionary.cast(pa.string()).to_pylist()]
        if coded.null_count:
            words.append("")
        place = np.array([self._place.setdefault(word, len(self._place)) for word in words], dtype=np.int32)
        indices = coded.indices.fill_null(len(words) - 1) if coded.null_count else coded.indices
        self._parts.setdefault(column, []).append(place[indices.to_numpy(zero_copy_only=False)])

    def finish(self) -> tuple[tuple[str, ...], dict[str, NDArray[np.int32]]]:
        """Return the sorted names, and each column's codes."""
        names = tuple(sorted(self._place))
        final = np.empty(len(names), dtype=np.int32)
        for code, name in enumerate(names):
            final[self._place[name]] = code
        return names, {column: final[np.concatenate(parts)] for column, parts in self._parts.items()}


def _names(values: Sequence[object]) -> Names:
    coder = NameCoder()
    coder.add(_texts(values))
    names, columns = coder.finish()
    return Names(names, columns[""])


def _texts(values: Sequence[object]) -> pa.Array:
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def _check_lengths(columns: Mapping[str, NDArray[Any]]) -> None:
    shape = next(iter(columns.values())).shape
    for name, column in columns.items():
        if column.shape != shape or column.ndim != 1:
            raise InvalidInput(f"{name}: expected {shape[0]} values, one per vote, got {column.shape}")


def _refuse(bad: NDArray[np.bool_], column: str, problem: str, fix: str) -> None:
    if bad.any():
        raise BadVote(int(bad.argmax()), column, problem, fix=fix)


def _sparse_table(votes: Votes, weighted: bool) -> tuple[NDArray[Any], ...]:
    """Return the table of only the pairs that met, for very many agents."""
    agents = len(votes.agents)
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    pairs, pair = np.unique(low.astype(np.int64) * agents + high, return_inverse=True)
    swapped = votes.left > votes.right
    key = (pair * 2 + swapped) * 4 + votes.winner
    weight = votes.weight if weighted else None
    table = np.bincount(key, weights=weight, minlength=len(pairs) * 8).reshape(-1, 2, 4)
    met = table.any(axis=(1, 2))
    return table[met, 0], table[met, 1], pairs[met] // agents, pairs[met] % agents
