"""Bradley-Terry with covariates: separates the effect of agents from that of length, position or style.

The logit of a vote for the left agent is b_left - b_right + g . x, where x contains the vote's covariates (differences,
left minus right). Strengths and coefficients are fitted together, so strengths are adjusted for the covariates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.special import expit

from fairground.core import InvalidInput, unknown
from fairground.stats.votes.vote_clusters import Clusters, Codes, effective_number
from fairground.stats.votes.votes import Votes

_CLOSE = 1e-10
_STEPS = 100
_FARTHEST = 30.0  # a larger logit means that a covariate determines votes

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointFit:
    """Strengths and coefficients that fit the votes best.

    Attributes:
        strengths: Strengths of the agents. They sum to 0.
        coefficients: Coefficients of the covariates, per unit of each.
        covariance: Covariance of both together, in this order: the sandwich, clustered if clusters are given.
    """

    strengths: Floats
    coefficients: Floats
    covariance: Floats


def fit_with_covariates(votes: Votes, names: Sequence[str], prior: float, clusters: Clusters) -> JointFit:
    """Fit strengths and coefficients by Newton's method.

    Args:
        votes: The votes. Their agents must be connected by them (or by the prior).
        names: Columns of `votes.covariates`.
        prior: Virtual tied votes per agent, spread over all others, with covariates of 0.
        clusters: Which votes depend on each other.

    Raises:
        InvalidInput: If a covariate is missing, is redundant, or determines who wins.
    """
    design = _Design.of(votes, names, prior)
    point = np.zeros(design.size)
    spectrum = np.linalg.eigvalsh(design.curvature(point))
    if spectrum[0] <= 1e-10 * spectrum[-1]:
        raise InvalidInput(
            f"the effects of the covariates {', '.join(names)} cannot be separated from each other or from the agents",
            fix="leave one out; a covariate must vary between votes on the same two agents",
        )
    for _ in range(_STEPS):
        step = np.linalg.solve(design.curvature(point), design.slope(point))
        length, height = 1.0, design.height(point)
        while design.height(point + length * step) < height - 1e-13 * abs(height) and length > 1e-12:
            length /= 2
        point += length * step
        if np.abs(design.covariates @ point[design.agents :]).max() > _FARTHEST:
            raise InvalidInput(
                f"the covariates {', '.join(names)} determine the winner of some votes, so they have no finite "
                "coefficients",
                fix="leave out the covariate that determines the winner",
            )
        if np.abs(step).max() < _CLOSE:
            break
    else:
        raise ArithmeticError(f"the fit with covariates did not converge in {_STEPS} steps")
    inverse = np.linalg.inv(design.curvature(point))
    covariance = clusters.variance(lambda codes: inverse @ design.meat(point, codes) @ inverse)
    scale = np.concatenate([np.ones(design.agents), 1 / design.scale])
    point, covariance = point * scale, covariance * np.outer(scale, scale)
    return JointFit(point[: design.agents] - point[: design.agents].mean(), point[design.agents :], covariance)


@dataclass(frozen=True, eq=False)
class _Design:
    """The real and virtual votes, row by row, with scaled covariates."""

    agents: int
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    score: Floats
    weight: Floats
    covariates: Floats
    scale: Floats
    real: int

    @property
    def size(self) -> int:
        return self.agents + int(self.covariates.shape[1])

    @classmethod
    def of(cls, votes: Votes, names: Sequence[str], prior: float) -> _Design:
        columns = np.column_stack([_covariate(votes, name) for name in names])
        scale = np.sqrt((columns**2).mean(axis=0))
        for name, size in zip(names, scale, strict=True):
            if size == 0:
                raise InvalidInput(f"covariate {name!r} is 0 in every vote", fix="leave it out")
        agents = len(votes.agents)
        first, second = np.triu_indices(agents, 1) if prior else (np.empty(0, np.int64), np.empty(0, np.int64))
        weight = np.ones(len(votes)) if votes.weight is None else votes.weight
        return cls(
            agents,
            np.concatenate([votes.left, first]).astype(np.int64),
            np.concatenate([votes.right, second]).astype(np.int64),
            np.concatenate([votes.score, np.full(len(first), 0.5)]),
            np.concatenate([weight, np.full(len(first), prior / (agents - 1))]),
            np.concatenate([columns / scale, np.zeros((len(first), len(names)))]),
            scale,
            len(votes),
        )

    def logit(self, point: Floats) -> Floats:
        logit: Floats = point[self.left] - point[self.right] + self.covariates @ point[self.agents :]
        return logit

    def height(self, point: Floats) -> float:
        logit = self.logit(point)
        return float((self.weight * (self.score * logit - np.logaddexp(0, logit))).sum())

    def slope(self, point: Floats) -> Floats:
        rest = self.weight * (self.score - expit(self.logit(point)))
        strengths = np.bincount(self.left, rest, self.agents) - np.bincount(self.right, rest, self.agents)
        return np.concatenate([strengths, self.covariates.T @ rest])

    def curvature(self, point: Floats) -> Floats:
        chance = expit(self.logit(point))
        matrix = self.products(self.weight * chance * (1 - chance))
        # Shifting all strengths changes nothing; the constant removes that freedom.
        matrix[: self.agents, : self.agents] += np.trace(matrix[: self.agents, : self.agents]) / self.agents**2
        return matrix

    def products(self, row_weight: Floats, rows: slice = slice(None)) -> Floats:
        """Return the sum of weighted outer products of the rows (+1 left, -1 right, covariates)."""
        left, right, extra = self.left[rows], self.right[rows], self.covariates[rows]
        matrix = np.zeros((self.size, self.size))
        met = np.bincount(left * self.agents + right, row_weight, self.agents**2).reshape(self.agents, self.agents)
        met = met + met.T
        matrix[: self.agents, : self.agents] = np.diag(met.sum(axis=1)) - met
        for at in range(extra.shape[1]):
            column = row_weight * extra[:, at]
            cross = np.bincount(left, column, self.agents) - np.bincount(right, column, self.agents)
            matrix[: self.agents, self.agents + at] = matrix[self.agents + at, : self.agents] = cross
        matrix[self.agents :, self.agents :] = extra.T @ (row_weight[:, None] * extra)
        return matrix

    def meat(self, point: Floats, clusters: Codes | None) -> Floats:
        """Return the sum over votes (or clusters) of outer products of their scores. Virtual votes have none."""
        real = slice(0, self.real)
        rest = (self.weight * (self.score - expit(self.logit(point))))[real]
        if clusters is None:
            return self.products(rest**2, real) * (self.real / max(self.real - 1, 1))
        number = int(clusters.max()) + 1
        columns = [self.left[real], self.right[real]]
        values = [rest, -rest]
        for at in range(self.covariates.shape[1]):
            columns.append(np.full(self.real, self.agents + at))
            values.append(rest * self.covariates[real, at])
        rows = np.tile(clusters, len(columns))
        entries = (np.concatenate(values), (rows, np.concatenate(columns)))
        scores = csr_array(coo_array(entries, (number, self.size)))
        effective = effective_number(clusters, self.weight[real])
        summed: Floats = (scores.T @ scores).toarray() * (effective / (effective - 1))
        return summed


def _covariate(votes: Votes, name: str) -> Floats:
    if name not in votes.covariates:
        raise unknown("covariate", name, votes.covariates)
    column = votes.covariates[name]
    bad = ~np.isfinite(column)
    if bad.any():
        row = int(bad.argmax())
        raise InvalidInput(
            f"covariate {name!r}: row {row + 1} has {float(column[row])!r}", fix="give every vote a finite number"
        )
    return column
