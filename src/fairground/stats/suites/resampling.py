"""Engine of the hierarchical bootstrap: app means of thousands of resampled suites.

Episodes are successes or failures, so a cell is a pair (successes, rollouts), and cells with the same pair are of one
kind. A replicate therefore needs no episodes: it counts how often each kind of cell was drawn, and draws one binomial
per kind. This is exact in distribution. If all draws of a scenario's axis values can be listed (three axes of three
values: a thousand), the counts of kinds are looked up, several per machine word.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.suites.nesting import Block, Design, blocks, same_places
from fairground.stats.tables.cells import Cells

Floats = NDArray[np.float64]

LEVELS = ("scenarios", "axes", "rollouts")
"""What can be resampled, from the top. Apps are never resampled: they are a chosen set, not a sample."""

_ENTRIES = 4_000_000  # maximum elements of the largest array of a chunk: about 32 MB per thread
_LISTED = 4096  # maximum number of draws of a scenario's axes that are worth listing
_ORDERED = 1 << 20  # maximum number of ordered draws, from which they are drawn
_LANE = 1 << 16  # a count in a quarter of a machine word stays below this


def resample(
    contenders: Sequence[Cells],
    *,
    rng: np.random.Generator,
    resamples: int,
    levels: Sequence[str] = LEVELS,
    design: Design = "auto",
) -> Floats:
    """Return app means of resampled suites: contender x replicate x app.

    Several contenders are drawn together: the same scenarios, and the same configurations if they have the same.

    Args:
        contenders: One, or several with the same apps and scenarios.
        rng: Random generator. The result does not depend on the number of processors.
        resamples: Number of replicates.
        levels: What to resample, of `LEVELS`.
        design: How configurations were chosen.
    """
    if resamples < 1:
        raise InvalidInput(f"resamples: expected at least 1, got {resamples}", fix="use 1000 or more")
    if not set(levels) <= set(LEVELS) or not levels:
        raise InvalidInput(f"levels: expected some of {', '.join(LEVELS)}, got {levels!r}")
    if any(cells.scenarios != contenders[0].scenarios for cells in contenders):
        raise InvalidInput("contenders that are resampled together must have the same scenarios")
    nested = [blocks(cells, design) for cells in contenders]
    means = np.empty((len(contenders), resamples, len(contenders[0].apps)))
    tasks: list[Callable[[np.random.Generator], None]] = []
    for app in range(len(contenders[0].apps)):
        draw, entries = _prepare(contenders, [found[app] for found in nested], resamples, frozenset(levels))
        for start, end in _chunks(resamples, entries):
            tasks.append(_Task(draw, means[:, start:end, app]))
    _run(tasks, rng)
    # Sums in another order differ in the last digits. Rounding makes all-1 results exactly 1.
    np.round(means, 12, out=means)
    if all(cells.values is None for cells in contenders):
        np.clip(means, 0.0, 1.0, out=means)
    return means


@dataclass(frozen=True)
class _Task:
    """Fills its part of the result."""

    draw: _Draw
    target: Floats

    def __call__(self, rng: np.random.Generator) -> None:
        self.target[...] = self.draw(rng, self.target.shape[1])


def _run(tasks: Sequence[Callable[[np.random.Generator], None]], rng: np.random.Generator) -> None:
    """Run the tasks in threads. Each task has its own random stream, so threads do not change the result."""
    seeds = np.random.SeedSequence(rng.integers(2**32, size=4).tolist()).spawn(len(tasks))
    streams = [np.random.Generator(np.random.SFC64(seed)) for seed in seeds]
    workers = min(len(tasks), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    if workers == 1:
        for task, stream in zip(tasks, streams, strict=True):
            task(stream)
        return
    with ThreadPoolExecutor(workers) as pool:  # NumPy releases the GIL in the slow parts
        for _ in pool.map(lambda task, stream: task(stream), tasks, streams):
            pass


def _chunks(resamples: int, entries: int) -> Iterator[tuple[int, int]]:
    size = max(1, min(resamples, _ENTRIES // max(entries, 1)))
    for start in range(0, resamples, size):
        yield start, min(start + size, resamples)


_Draw = Callable[[np.random.Generator, int], Floats]
"""Draws that many replicates of one app: contender x replicate."""


def _prepare(
    contenders: Sequence[Cells], app_blocks: Sequence[Sequence[Block]], resamples: int, levels: frozenset[str]
) -> tuple[_Draw, int]:
    """Return how an app is drawn, and how many numbers a replicate needs in between."""
    together = all(same_places(app_blocks[0], other) for other in app_blocks[1:])
    groups = [list(range(len(contenders)))] if together else [[index] for index in range(len(contenders))]
    sides: list[_Tabulated | _Direct] = []
    for group in groups:
        members = [contenders[index] for index in group]
        scenarios = [[app_blocks[index][scenario] for index in group] for scenario in range(len(app_blocks[0]))]
        listed = _tabulate(members, scenarios, resamples) if levels >= {"axes", "rollouts"} else None
        sides.append(listed or _Direct.of(members, scenarios, levels))
    number = len(app_blocks[0])

    def draw(rng: np.random.Generator, replicates: int) -> Floats:
        if "scenarios" in levels:
            chosen = rng.integers(number, size=(replicates, number), dtype=np.uint32)
        else:
            chosen = np.broadcast_to(np.arange(number, dtype=np.uint32), (replicates, number))
        return np.concatenate([side(rng, chosen) for side in sides])

    return draw, max(side.entries for side in sides)


# --- one app, draws of axes listed ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Kinds of cells: (contender, successes, rollouts, share of the app's mean).

    Attributes:
        owner: Contender.
        chance: Success rate.
        rollouts: Rollouts per cell.
        share: What one success adds to the app's mean.
    """

    owner: NDArray[np.int64]
    chance: Floats
    rollouts: NDArray[np.int64]
    share: Floats

    def draw(self, rng: np.random.Generator, counts: NDArray[Any], members: int) -> Floats:
        """Return means from how often each kind was drawn (replicate x kind): contender x replicate."""
        means = np.zeros((members, len(counts)))
        for kind, (owner, chance, rollouts, share) in enumerate(
            zip(self.owner.tolist(), self.chance.tolist(), self.rollouts.tolist(), self.share.tolist(), strict=True)
        ):
            trials = counts[:, kind].astype(np.int64) * rollouts
            if chance < 1:
                trials = rng.binomial(trials, chance)
            means[owner] += trials * share
        return means


def _kinds(members: Sequence[Cells], scenarios: Sequence[Sequence[Block]]) -> tuple[_Kinds, list[NDArray[np.int64]]]:
    """Return the kinds of cells of an app, and per scenario (contender x cell) each cell's kind; -1 for no success."""
    keys = []
    for blocks_of in scenarios:
        for owner, (cells, block) in enumerate(zip(members, blocks_of, strict=True)):
            keys.append(
                np.stack(
                    [
                        np.full(len(block.cells), owner),
                        cells.successes[block.cells].astype(np.int64),
                        cells.rollouts[block.cells],
                        np.full(len(block.cells), len(block.cells)),
                    ],
                    axis=-1,
                )
            )
    table, codes = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    codes = codes.reshape(-1)
    useful = table[:, 1] > 0
    codes = np.where(useful[codes], (np.cumsum(useful) - 1)[codes], -1)
    table = table[useful]
    ends = np.cumsum([len(key) for key in keys])[:-1]
    parts = np.split(codes, ends)
    each = [np.stack(parts[at : at + len(members)]) for at in range(0, len(parts), len(members))]
    rollouts, size = table[:, 2], table[:, 3]
    kinds = _Kinds(table[:, 0], table[:, 1] / rollouts, rollouts, 1.0 / (rollouts * size * len(scenarios)))
    return kinds, each


@dataclass(frozen=True, eq=False)
class _Tabulated:
    """An app with all draws of axes listed.

    Attributes:
        kinds: The kinds of cells.
        words: Counts of the kinds per scenario and listed draw, four per word.
        listed: Index of the listed draw for each ordered draw of axes.
        members: Number of contenders.
    """

    kinds: _Kinds
    words: NDArray[np.uint64]
    listed: NDArray[np.uint32]
    rows: int
    members: int

    @property
    def entries(self) -> int:
        scenarios = len(self.words) // self.rows
        return int(scenarios * max(self.words.shape[1], 1) * 32)  # small chunks, so that lookups stay in the cache

    def __call__(self, rng: np.random.Generator, chosen: NDArray[np.uint32]) -> Floats:
        rows = self.listed.take(rng.integers(len(self.listed), size=chosen.shape, dtype=np.uint32))
        rows += chosen * np.uint32(self.rows)
        counts = self.words.take(rows, axis=0).sum(axis=1)
        lanes = counts.view(np.uint16).reshape(len(chosen), -1)
        return self.kinds.draw(rng, lanes, self.members)


def _tabulate(members: Sequence[Cells], scenarios: Sequence[Sequence[Block]], resamples: int) -> _Tabulated | None:
    """Return the app with its draws listed, if that is possible and saves time; otherwise None."""
    shape = scenarios[0][0].shape
    first = [blocks_of[0] for blocks_of in scenarios]
    if any(block.shape != shape or not block.complete for block in first):
        return None
    if any(cells.values is not None for cells in members):
        return None
    rows = math.prod(math.comb(2 * size - 1, size) for size in shape)
    ordered = math.prod(size**size for size in shape)
    if rows > _LISTED or ordered > _ORDERED or rows > 4 * resamples or math.prod(shape) * len(scenarios) >= _LANE:
        return None
    kinds, codes = _kinds(members, scenarios)
    if not len(kinds.chance):
        return None
    weights, listed = _list_draws(shape)
    lanes = -(-len(kinds.chance) // 4) * 4
    counts = np.zeros((len(scenarios), rows, lanes), dtype=np.uint16)
    for scenario, (block, code) in enumerate(zip(first, codes, strict=True)):
        # float32 represents integers up to 2**24 exactly, and BLAS multiplies it fastest.
        drawn = weights[:, block.places] @ _one_hot(code, lanes)
        counts[scenario] = drawn
    words = counts.reshape(len(scenarios) * rows, lanes).view(np.uint64)
    return _Tabulated(kinds, words, listed, rows, len(members))


def _one_hot(codes: NDArray[np.int64], width: int) -> NDArray[np.float32]:
    """Return cell x kind over all contenders: which kinds a draw of the cell adds to."""
    hot = np.zeros((codes.shape[1], width), dtype=np.float32)
    for row in codes:
        cells = np.flatnonzero(row >= 0)
        hot[cells, row[cells]] = 1
    return hot


@lru_cache(maxsize=16)
def _list_draws(shape: tuple[int, ...]) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Return all draws with replacement along each axis.

    Returns:
        How often each place of the product occurs in each draw; and for each ordered draw (these are equally likely),
        which of them it is.
    """
    weights = np.ones((1, 1), dtype=np.float32)
    listed = np.zeros(1, dtype=np.uint32)
    for size in shape:
        draws = np.indices((size,) * size).reshape(size, -1).T
        times = np.stack([(draws == value).sum(axis=1) for value in range(size)], axis=-1)
        distinct, which = np.unique(times, axis=0, return_inverse=True)
        weights = np.einsum("ra,db->rdab", weights, distinct.astype(np.float32)).reshape(
            len(weights) * len(distinct), -1
        )
        listed = (listed[:, None] * np.uint32(len(distinct)) + which.reshape(-1).astype(np.uint32)).reshape(-1)
    return weights, listed


# --- one app, drawn scenario by scenario ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Direct:
    """An app whose axes are drawn directly: any size, with holes, any values.

    Attributes:
        members: The contenders.
        scenarios: Each contender's block per scenario. Their places are the same.
        levels: What is resampled.
        pooled: The kinds and each cell's kind, if a success counts the same in every draw; otherwise None.
    """

    members: Sequence[Cells]
    scenarios: Sequence[Sequence[Block]]
    levels: frozenset[str]
    pooled: tuple[_Kinds, list[NDArray[np.float32]]] | None

    @classmethod
    def of(cls, members: Sequence[Cells], scenarios: Sequence[Sequence[Block]], levels: frozenset[str]) -> _Direct:
        without_holes = all(blocks_of[0].complete for blocks_of in scenarios) or "axes" not in levels
        binary = all(cells.values is None for cells in members)
        if not (without_holes and binary and "rollouts" in levels):
            return cls(members, scenarios, levels, None)
        kinds, codes = _kinds(members, scenarios)
        return cls(members, scenarios, levels, (kinds, [_one_hot(code, len(kinds.chance)) for code in codes]))

    @property
    def entries(self) -> int:
        largest = max(blocks_of[0].size for blocks_of in self.scenarios)
        if any(cells.values is not None for cells in self.members):
            largest = max(
                int(cells.rollouts[block.cells].sum()) * 3
                for blocks_of in self.scenarios
                for cells, block in zip(self.members, blocks_of, strict=True)
            )
        kinds = len(self.pooled[0].chance) if self.pooled else 0
        return 3 * largest + kinds + 4 * len(self.scenarios)

    def __call__(self, rng: np.random.Generator, chosen: NDArray[np.uint32]) -> Floats:
        replicates = len(chosen)
        if self.pooled:
            counts = np.zeros((replicates, len(self.pooled[0].chance)))
            for scenario, hot in enumerate(self.pooled[1]):
                where, times = self._draw(rng, chosen, scenario)
                _add(counts, where, times @ hot)
            return self.pooled[0].draw(rng, counts, len(self.members))
        means = np.zeros((len(self.members), replicates))
        for scenario, blocks_of in enumerate(self.scenarios):
            where, times = self._draw(rng, chosen, scenario)
            for owner, (cells, block) in enumerate(zip(self.members, blocks_of, strict=True)):
                drawn = self._means(rng, cells, block, times)
                means[owner] += np.bincount(where, drawn, replicates)
        return means / len(self.scenarios)

    def _draw(
        self, rng: np.random.Generator, chosen: NDArray[np.uint32], scenario: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the replicates in which a scenario occurs (once per occurrence), and how often each cell is drawn."""
        where = np.nonzero(chosen == scenario)[0]
        block = self.scenarios[scenario][0]
        if "axes" not in self.levels:
            return where, np.ones((len(where), len(block.cells)), dtype=np.float32)
        times = _draw_places(rng, block.shape, len(where))
        if block.complete:
            return where, times[:, block.places] if len(block.shape) > 1 else times
        times = times[:, block.places]
        while len(empty := np.flatnonzero(times.sum(axis=1) == 0)):  # only holes were drawn: draw again
            times[empty] = _draw_places(rng, block.shape, len(empty))[:, block.places]
        return where, times

    def _means(self, rng: np.random.Generator, cells: Cells, block: Block, times: NDArray[np.float32]) -> Floats:
        """Return the scenario's mean in each draw."""
        total = times.sum(axis=1, dtype=np.float64)
        if "rollouts" not in self.levels:
            means: Floats = times @ cells.means[block.cells] / total
            return means
        if cells.values is None:
            sums = np.zeros(len(times))
            pairs = np.stack([cells.successes[block.cells].astype(np.int64), cells.rollouts[block.cells]], axis=-1)
            kinds, codes = np.unique(pairs, axis=0, return_inverse=True)
            for kind, (successes, rollouts) in enumerate(kinds.tolist()):
                if successes:
                    drawn = times[:, codes.reshape(-1) == kind].sum(axis=1, dtype=np.int64) * rollouts
                    sums += rng.binomial(drawn, successes / rollouts) / rollouts
        else:
            sums = _draw_values(rng, cells, block, times.astype(np.int64))
        return np.asarray(sums / total)


def _draw_places(rng: np.random.Generator, shape: tuple[int, ...], number: int) -> NDArray[np.float32]:
    """Return how often each place of the product occurs if each axis is drawn separately: draw x place."""
    times = np.ones((number, 1), dtype=np.float32)
    for size in shape:
        drawn = rng.integers(size, size=(number, size), dtype=np.int32)
        drawn += (np.arange(number, dtype=np.int32) * size)[:, None]
        along = np.bincount(drawn.reshape(-1), minlength=number * size).reshape(number, size).astype(np.float32)
        times = (times[:, :, None] * along[:, None, :]).reshape(number, -1)
    return times


def _draw_values(rng: np.random.Generator, cells: Cells, block: Block, times: NDArray[np.int64]) -> Floats:
    """Return sums over the drawn cells of the mean of fresh rollouts, for values other than 0 and 1."""
    assert cells.values is not None
    ends = np.cumsum(cells.rollouts[: block.cells[-1] + 1])
    first = ends[block.cells] - cells.rollouts[block.cells]
    rollouts = cells.rollouts[block.cells]
    sums = np.zeros(len(times))
    for cell in range(len(block.cells)):  # copies of one cell have the same number of rollouts
        copies = np.repeat(np.arange(len(times)), times[:, cell])
        picks = rng.integers(rollouts[cell], size=(len(copies), int(rollouts[cell])))
        means = cells.values[first[cell] + picks].mean(axis=1)
        sums += np.bincount(copies, means, len(times))
    return sums


def _add(target: Floats, where: NDArray[np.int64], rows: NDArray[np.float32]) -> None:
    """Add rows to the rows of the target given by the sorted `where`. Several may go to one."""
    if not len(where):
        return
    starts = np.flatnonzero(np.r_[True, where[1:] != where[:-1]])
    target[where[starts]] += np.add.reduceat(rows, starts, axis=0)
