"""Pairs of configurations that differ along one axis only, and what they would show if that axis did nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import gammaln

from fairground.stats.tables.cells import Cells

TIE = 1e-9
"""Rates are ratios of small counts: shifts closer than this are the same shift."""

BLOCK = 4_000_000
"""Elements of an array that is made at once."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Matched pairs along an axis. A line is the cells that differ along it only; its cells lie together.

    Attributes:
        successes: For each cell on a line with two cells or more.
        rollouts: For each such cell.
        starts: Where each line begins.
        sizes: How many cells each line has.
        line: For each pair, its line.
        one: For each pair, its first cell.
        other: For each pair, its second cell; of the greater level.
        scenario: For each pair, its scenario.
        group: For each pair, which scenario and pair of levels; numbered from 0.
        group_scenario: For each group, its scenario.
        left_out: Cells that were left out, where there would have been too many pairs.
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
    """All pairs of one scenario that have the same level on every axis but this one; None where there is none.

    Args:
        cells: One contender's counts.
        axis: Which axis.
        most: Where there would be more pairs, each line keeps only some of its cells, drawn at random: a thousand
            values of an axis make half a million pairs that say little more than a few hundred of them.
        rng: Needed with `most`.
    """
    line = line_of(cells, axis)
    order = np.lexsort((cells.levels[:, axis], line))
    line = line[order]
    sizes = np.bincount(line)
    kept = sizes[line] > 1
    if not kept.any():
        return None
    order, line = order[kept], line[kept]
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
    """For each cell its line, numbered from 0: cells of one line have the same level on every axis but this one."""
    others = [cells.levels[:, other] for other in range(cells.levels.shape[1]) if other != axis]
    return _distinct([cells.scenario, *others])[1]


def _thin(line: NDArray[np.int64], sizes: NDArray[np.int64], most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Which cells to keep, so many of each line at the most that there are hardly more pairs than wanted."""
    widest = 2
    while (np.minimum(sizes, widest + 1) * (np.minimum(sizes, widest + 1) - 1) // 2).sum() <= most:
        widest += 1
    shuffled = np.lexsort((rng.random(len(line)), line))
    firsts = np.searchsorted(line[shuffled], line[shuffled])
    place = np.arange(len(line)) - firsts
    return np.sort(shuffled[place < widest])


@dataclass(frozen=True, eq=False)
class Null:
    """Shifts when the axis has no effect: for each kind of pair, how likely each size of shift is.

    Attributes:
        sizes: All sizes a shift can have, ascending.
        chances: For each kind of pair and each size, its probability.
        kind: For each pair, its kind.
        mean: For each pair, the expected size.
    """

    sizes: NDArray[np.float64]
    chances: csr_matrix
    kind: NDArray[np.int64]
    mean: NDArray[np.float64]

    def place(self, shifts: NDArray[np.float64]) -> NDArray[np.int64]:
        """For each shift, which of the sizes it is."""
        return np.searchsorted(_same(self.sizes), _same(shifts)).astype(np.int64)

    def above(self, threshold: float) -> float:
        """The expected share of pairs with a shift strictly above the threshold."""
        weights = np.bincount(self.kind, minlength=self.chances.shape[0]) / len(self.kind)
        likely: NDArray[np.float64] = self.chances @ (self.sizes > threshold + TIE).astype(np.float64)
        return float(np.clip(weights @ likely, 0.0, 1.0))


def exact_null(pairs: Pairs) -> Null:
    """The exact law of each pair's shift, given the successes on its line: draws without replacement."""
    tried = np.add.reduceat(pairs.rollouts, pairs.starts)[pairs.line]
    solved = np.add.reduceat(pairs.successes, pairs.starts)[pairs.line]
    ends = np.sort(np.stack([pairs.rollouts[pairs.one], pairs.rollouts[pairs.other]]), axis=0)
    first, kind = _distinct([ends[0], ends[1], tried, solved])
    small, large, tried, solved = (column[first] for column in (*ends, tried, solved))
    laws = []
    for one, other in sorted(set(zip(small.tolist(), large.tolist(), strict=True))):
        kinds = np.flatnonzero((small == one) & (large == other))
        laws.append((kinds, *_gap_law(one, other, tried[kinds], solved[kinds])))
    # Every size stays, however unlikely: what is unlikely without an effect may well be observed.
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
    """For lines with `solved` of `tried`: the law of |X/one - Y/other| of two cells with that many rollouts."""
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
    """Shifts that differ by the rounding of their arithmetic only, made equal."""
    rounded: NDArray[np.float64] = np.round(shifts, 12)
    return rounded


def _log_choose(of: NDArray[np.int64], taken: NDArray[np.int64]) -> NDArray[np.float64]:
    """Log of the binomial coefficient; minus infinity where there is no way."""
    possible = (taken >= 0) & (taken <= of)
    safe = np.where(possible, taken, 0)
    logs = gammaln(of + 1.0) - gammaln(safe + 1.0) - gammaln(np.where(possible, of - safe, of) + 1.0)
    return np.where(possible, logs, -np.inf)


@dataclass(frozen=True, eq=False)
class Chance:
    """What was seen when outcomes were dealt out at random.

    Attributes:
        mad: For each deal, the mean absolute shift over pairs.
        whole_mad: Of whole scenarios, the mean over all deals.
        whole_above: For each threshold, the share of whole-scenario shifts above it, over all deals.
    """

    mad: NDArray[np.float64]
    whole_mad: float
    whole_above: tuple[float, ...]


def permute(pairs: Pairs, groups: int, thresholds: tuple[float, ...], rng: np.random.Generator, times: int) -> Chance:
    """Deals each line's outcomes out among its cells again and again."""
    tried = np.add.reduceat(pairs.rollouts, pairs.starts)
    solved = np.add.reduceat(pairs.successes, pairs.starts)
    live = (solved > 0) & (solved < tried)  # on the other lines every order is the same
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
    """Successes of each cell when each of these lines' outcomes are dealt out in a random order."""
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
    """Rows that are the same in all columns get the same number; and where each number is first seen."""
    order = np.lexsort(columns[::-1])
    ordered = np.stack([column[order] for column in columns])
    new = np.concatenate([[True], (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return order[new].astype(np.int64), number
