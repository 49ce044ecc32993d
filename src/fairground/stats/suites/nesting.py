"""Arrangement of configurations in scenarios for resampling: grids along the axes, or samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput
from fairground.stats.tables.cells import Cells

Design = Literal["auto", "grid", "sampled"]
"""How the configurations of a scenario were chosen.

- `grid`: A product of values along each axis, possibly with holes. Each axis is resampled separately.
- `sampled`: Drawn at random. Configurations are resampled directly.
- `auto`: Per scenario: a grid if at least half of the product exists.
"""

_FILLED = 0.5


@dataclass(frozen=True, eq=False)
class Block:
    """One scenario of one app.

    Attributes:
        cells: Indices of its cells, in the order of `places`.
        shape: Number of values per axis; if sampled, one number: that of the configurations.
        places: Position of each cell in the product of the axes, in row-major order.
    """

    cells: NDArray[np.int64]
    shape: tuple[int, ...]
    places: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Number of configurations in the product."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def complete(self) -> bool:
        """Whether every configuration of the product was run."""
        return len(self.cells) == self.size


def blocks(cells: Cells, design: Design = "auto") -> tuple[tuple[Block, ...], ...]:
    """Return the blocks of each app's scenarios."""
    if design not in ("auto", "grid", "sampled"):
        raise InvalidInput(f"design: expected auto, grid or sampled, got {design!r}")
    by_app: list[list[Block]] = [[] for _ in cells.apps]
    starts = cells.starts.tolist()
    for scenario, app in enumerate(cells.app_of.tolist()):
        by_app[app].append(_block(cells, starts[scenario], starts[scenario + 1], design))
    return tuple(map(tuple, by_app))


def same_places(one: Sequence[Block], other: Sequence[Block]) -> bool:
    """Return whether two contenders' scenarios of an app have the same configurations and can be drawn together."""
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
