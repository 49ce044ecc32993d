"""Pairs of configurations that differ along one axis only, and their distribution if that axis has no effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import gammaln

from fairground.stats.tables.cells import Cells

TIE = 1e-9
"""Rates are ratios of small counts: shifts closer than this count as equal."""

BLOCK = 4_000_000
"""Maximum number of array elements per block."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Matched pairs along an axis. A line is a set of cells that differ only along it; its cells are adjacent.

    Attributes:
        successes: Successes per cell, on lines with two cells or more.
        rollouts: Rollouts per such cell.
        starts: Start of each line.
        sizes: Number of cells per line.
        line: Line of each pair.
        one: First cell of each pair.
        other: Second cell of each pair, with the greater level.
        scenario: Scenario of each pair.
        group: Scenario and pair of levels of each pair, numbered from 0.
        group_scenario: Scenario of each group.
        left_out: Number of cells left out to limit the number of pairs.
    """

    successes: NDArray[np.int64]
    rollouts: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    line: NDArray[np.int64]
    one: NDArray[np.int64]
    other: NDArray[np.int64]
    scenario: NDArray[np.int64]
    group: NDArray[np.int64]
    group_scenario: NDArray[np.int64]
    left_out: int = 0


def matched_pairs(
    cells: Cells, axis: int, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Pairs | None:
    """Return all pairs of one scenario with the same level on every axis but this one. None if there are none.

    Args:
        cells: One contender's counts.
        axis: Index of the axis.
        most: Maximum number of pairs. If there would be more, each line keeps only a random sample of its cells: a
            thousand values of an axis make half a million pairs, which say little more than a few hundred values.
        rng: Random generator, needed with `most`.
    """
    line = line_of(cells, axis)
    order = np.lexsort((cells.levels[:, axis], line))
    line = line[order]
    sizes = np.bincount(line)
    paired = sizes[line] > 1
    if not paired.any():
        return None
    order, line = order[paired], line[paired]
    left_out = 0
    if most is not None and rng is not None and (sizes * (sizes - 1) // 2).sum() > most:
        thin = _thin(line, sizes, most, rng)
        left_out = len(order) - len(thin)
        order, line = order[thin], line[thin]
        sizes = np.bincount(line, minlength=len(sizes))
    sizes = sizes[sizes > 1]
    starts = np.cumsum(sizes) - sizes
    lines, ones, twos = [], [], []
    for size in np.unique(sizes).tolist():
        left, right = np.triu_indices(size, 1)
        chosen = np.flatnonzero(sizes == size)
        lines.append(np.repeat(chosen, len(left)))
        ones.append((starts[chosen, None] + left).ravel())
        twos.append((starts[chosen, None] + right).ravel())
    one, other = np.concatenate(ones), np.concatenate(twos)
    level, scenario = cells.levels[order, axis], cells.scenario[order].astype(np.int64)
    first, group = _distinct([scenario[one], level[one], level[other]])
    return Pairs(
        successes=np.rint(cells.successes[order]).astype(np.int64),
        rollouts=cells.rollouts[order].astype(np.int64),
        starts=starts,
        sizes=sizes,
        line=np.concatenate(lines),
        one=one,
        other=other,
        scenario=scenario[one],
        group=group,
        group_scenario=scenario[one][first],
        left_out=left_out,
    )


def line_of(cells: Cells, axis: int) -> NDArray[np.int64]:
    """Return the line of each cell, numbered from 0.

    Cells of one line have the same level on every axis but this one.
    """
    others = [cells.levels[:, other] for other in range(cells.levels.shape[1]) if other != axis]
    return _distinct([cells.scenario, *others])[1]


def _thin(line: NDArray[np.int64], sizes: NDArray[np.int64], most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return which cells to keep: a maximum per line, so that the number of pairs is about `most`."""
    widest = 2
    while (np.minimum(sizes, widest + 1) * (np.minimum(sizes, widest + 1) - 1) // 2).sum() <= most:
        widest += 1
    shuffled = np.lexsort((rng.random(len(line)), line))
    firsts = np.searchsorted(line[shuffled], line[shuffled])
    place = np.arange(len(line)) - firsts
    return np.sort(shuffled[place < widest])


@dataclass(frozen=True, eq=False)
class Null:
    """Distribution of shifts if the axis has no effect, per kind of pair.

    Attributes:
        sizes: All possible sizes of a shift, ascending.
        chances: Probability of each size, per kind of pair.
        kind: Kind of each pair.
        mean: Expected size per pair.
    """

    sizes: NDArray[np.float64]
    chances: csr_matrix
    kind: NDArray[np.int64]
    mean: NDArray[np.float64]

    def place(self, shifts: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the index of each shift's size."""
        return np.searchsorted(_same(self.sizes), _same(shifts)).astype(np.int64)

    def above(self, threshold: float) -> float:
        """Return the expected share of pairs with a shift strictly above the threshold."""
        weights = np.bincount(self.kind, minlength=self.chances.shape[0]) / len(self.kind)
        likely: NDArray[np.float64] = self.chances @ (self.sizes > threshold + TIE).astype(np.float64)
        return float(np.clip(weights @ likely, 0.0, 1.0))


def exact_null(pairs: Pairs) -> Null:
    """Return the exact distribution of each pair's shift, given the successes on its line.

    Outcomes are drawn without replacement.
    """
    tried = np.add.reduceat(pairs.rollouts, pairs.starts)[pairs.line]
    solved = np.add.reduceat(pairs.successes, pairs.starts)[pairs.line]
    ends = np.sort(np.stack([pairs.rollouts[pairs.one], pairs.rollouts[pairs.other]]), axis=0)
    first, kind = _distinct([ends[0], ends[1], tried, solved])
    small, large, tried, solved = (column[first] for column in (*ends, tried, solved))
    laws = []
    for fewer, more in sorted(set(zip(small.tolist(), large.tolist(), strict=True))):
        kinds = np.flatnonzero((small == fewer) & (large == more))
        laws.append((kinds, *_gap_law(fewer, more, tried[kinds], solved[kinds])))
    # All sizes are kept, even improbable ones: they may well be observed if there is an effect.
    every = np.concatenate([gaps for _, gaps, _ in laws])
    sizes = every[np.unique(_same(every), return_index=True)[1]]
    chances = csr_matrix((len(first), len(sizes)))
    for kinds, gaps, law in laws:
        rows, columns = np.nonzero(law)
        places = np.searchsorted(_same(sizes), _same(gaps))[columns]
        chances += csr_matrix((law[rows, columns], (kinds[rows], places)), shape=chances.shape)
    return Null(sizes, chances, kind, (chances @ sizes)[kind])


def _gap_law(
    one: int, other: int, tried: NDArray[np.int64], solved: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distribution of |X/one - Y/other| for two cells with that many rollouts.

    Their lines have `solved` successes of `tried` rollouts.
    """
    left, right = np.arange(one + 1)[:, None], np.arange(other + 1)[None, :]
    every = np.abs(left / one - right / other).ravel()
    _, example, where = np.unique(_same(every), return_index=True, return_inverse=True)
    gaps = every[example]
    gather = csr_matrix((np.ones(len(where)), (np.arange(len(where)), where)), shape=(len(where), len(gaps)))
    ways = _log_choose(np.array(one), left) + _log_choose(np.array(other), right)
    law = np.empty((len(tried), len(gaps)))
    step = max(1, BLOCK // len(where))
    for begin in range(0, len(tried), step):
        total, good = tried[begin : begin + step, None, None], solved[begin : begin + step, None, None]
        logs = ways + _log_choose(total - one - other, good - left - right) - _log_choose(total, good)
        law[begin : begin + step] = np.exp(logs).reshape(len(total), -1) @ gather
    return gaps, law / law.sum(axis=1, keepdims=True)


def _same(shifts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round shifts, so that those that differ only by floating-point error are equal."""
    rounded: NDArray[np.float64] = np.round(shifts, 12)
    return rounded


def _log_choose(of: NDArray[np.int64], taken: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log of the binomial coefficient; minus infinity where it is 0."""
    possible = (taken >= 0) & (taken <= of)
    safe = np.where(possible, taken, 0)
    logs = gammaln(of + 1.0) - gammaln(safe + 1.0) - gammaln(np.where(possible, of - safe, of) + 1.0)
    return np.where(possible, logs, -np.inf)


@dataclass(frozen=True, eq=False)
class Chance:
    """Results of random permutations of outcomes.

    Attributes:
        mad: Mean absolute shift over pairs, per permutation.
        whole_mad: The same for whole scenarios, as the mean over all permutations.
        whole_above: Per threshold, the share of whole-scenario shifts above it, over all permutations.
    """

    mad: NDArray[np.float64]
    whole_mad: float
    whole_above: tuple[float, ...]


def permute(pairs: Pairs, groups: int, thresholds: tuple[float, ...], rng: np.random.Generator, times: int) -> Chance:
    """Permute each line's outcomes among its cells, `times` times."""
    tried = np.add.reduceat(pairs.rollouts, pairs.starts)
    solved = np.add.reduceat(pairs.successes, pairs.starts)
    live = (solved > 0) & (solved < tried)  # on the other lines all permutations are the same
    mixed = np.flatnonzero(live[pairs.line])
    one, other, size = pairs.one[mixed], pairs.other[mixed], len(pairs.line)
    share = 1.0 / np.bincount(pairs.group)[pairs.group[mixed]]
    averaging = csr_matrix((share, (pairs.group[mixed], np.arange(len(mixed)))), shape=(groups, len(mixed)))
    mads, whole_sum, above = np.zeros(times), 0.0, np.zeros(len(thresholds))
    step = max(1, BLOCK // max(len(pairs.rollouts), len(mixed), 1))
    for begin in range(0, times if len(mixed) else 0, step):
        rates = _deal(pairs, np.flatnonzero(live), rng, min(step, times - begin)) / pairs.rollouts
        change = rates[:, one] - rates[:, other]
        mads[begin : begin + step] = np.abs(change).sum(axis=1) / size
        whole = np.abs(averaging @ change.T)
        whole_sum += float(whole.sum())
        above += [np.count_nonzero(whole > at + TIE) for at in thresholds]
    cases = groups * times
    return Chance(mads, whole_sum / cases, tuple(float(count) / cases for count in above))


def _deal(pairs: Pairs, lines: NDArray[np.int64], rng: np.random.Generator, times: int) -> NDArray[np.int64]:
    """Return the successes of each cell when each line's outcomes are permuted at random."""
    dealt = np.broadcast_to(pairs.successes, (times, len(pairs.successes))).copy()
    starts, sizes = pairs.starts[lines], pairs.sizes[lines]
    good = np.broadcast_to(np.add.reduceat(pairs.successes, pairs.starts)[lines], (times, len(lines))).copy()
    left = np.add.reduceat(pairs.rollouts, pairs.starts)[lines]
    for place in range(int(sizes.max())):
        last, more = np.flatnonzero(sizes == place + 1), np.flatnonzero(sizes > place + 1)
        dealt[:, starts[last] + place] = good[:, last]
        if len(more):
            hand = pairs.rollouts[starts[more] + place]
            drawn = rng.hypergeometric(good[:, more], left[more] - good[:, more], hand)
            dealt[:, starts[more] + place] = drawn
            good[:, more] -= drawn
            left[more] -= hand
    return dealt


def _distinct(columns: Sequence[NDArray[np.int64] | NDArray[np.int32]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each distinct row is first seen, and the number of each row's group (equal in all columns)."""
    order = np.lexsort(columns[::-1])
    ordered = np.stack([column[order] for column in columns])
    new = np.concatenate([[True], (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return order[new].astype(np.int64), number
