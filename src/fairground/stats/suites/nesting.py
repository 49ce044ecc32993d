"""How configurations lie in scenarios, as resampling needs it: grids along the axes, or a sample of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.tables.cells import Cells

Design = Literal["auto", "grid", "sampled"]
"""How the configurations of a scenario came about.

grid: a product of values along each axis, perhaps with holes. Each axis is resampled on its own.
sampled: drawn at random. Configurations are resampled as they are.
auto: scenario by scenario: a grid if at least half of the product is there.
"""

_FILLED = 0.5


@dataclass(frozen=True, eq=False)
class Block:
    """One scenario of one app.

    Attributes:
        cells: Which cells of the contender are its, in the order of `places`.
        shape: How many values each axis has here; one number, that of the configurations, when they were sampled.
        places: Where each cell lies in the product of the axes, row by row.
    """

    cells: NDArray[np.int64]
    shape: tuple[int, ...]
    places: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many configurations the product has."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def complete(self) -> bool:
        """Whether every configuration of the product was run."""
        return len(self.cells) == self.size


def blocks(cells: Cells, design: Design = "auto") -> tuple[tuple[Block, ...], ...]:
    """For each app the blocks of its scenarios."""
    if design not in ("auto", "grid", "sampled"):
        raise InvalidInput(f"design: expected auto, grid or sampled, got {design!r}")
    found: list[list[Block]] = [[] for _ in cells.apps]
    starts = cells.starts.tolist()
    for scenario, app in enumerate(cells.app_of.tolist()):
        found[app].append(_block(cells, starts[scenario], starts[scenario + 1], design))
    return tuple(map(tuple, found))


def same_places(one: Sequence[Block], other: Sequence[Block]) -> bool:
    """Whether two contenders' scenarios of an app have the same configurations, so that they can be drawn together."""
    return len(one) == len(other) and all(
        a.shape == b.shape and np.array_equal(a.places, b.places) for a, b in zip(one, other, strict=True)
    )


def _block(cells: Cells, start: int, end: int, design: Design) -> Block:
    indices = np.arange(start, end)
    shape: list[int] = []
    place = np.zeros(end - start, dtype=np.int64)
    for axis in range(len(cells.axes)):
        values, codes = np.unique(cells.levels[start:end, axis], return_inverse=True)
        if len(values) > 1:
            shape.append(len(values))
            place = place * len(values) + codes
    size = int(np.prod(shape, dtype=np.int64))
    if design == "sampled" or (design == "auto" and len(indices) < _FILLED * size):
        return Block(indices, (len(indices),), np.arange(len(indices)))
    return Block(indices, tuple(shape) or (1,), place)
