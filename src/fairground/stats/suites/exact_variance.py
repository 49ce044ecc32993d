"""The variance of the bootstrap of a mean in closed form, to verify the sampler."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairground.core import InvalidInput
from fairground.stats.suites.nesting import Block, Design, blocks
from fairground.stats.suites.resampling import LEVELS
from fairground.stats.tables.cells import Cells


def exact_variance(
    cells: Cells, *, levels: Sequence[str] = LEVELS, design: Design = "auto"
) -> tuple[float, dict[str, float]]:
    """Return the variance, over all resamples, of the suite's mean and of each app's mean.

    Along an axis of L values a draw takes value i a share w_i of the time, with E[w_i w_j] = (1 - 1/L + [i=j]) / L^2.
    Axes are independent, so the second moment of a scenario's mean is a product over axes. Fresh rollouts of each copy
    add p(1-p)/R, and drawing n of n scenarios divides by n.

    Raises:
        InvalidInput: If a grid has holes: the mean is then a ratio, whose variance has no closed form.
    """
    apps = {}
    for app, app_blocks in zip(cells.apps, blocks(cells, design), strict=True):
        moments = [_moments(cells, block, levels) for block in app_blocks]
        inner = sum(variance for _, variance in moments)
        means = np.array([mean for mean, _ in moments])
        between = len(app_blocks) * float(means.var()) if "scenarios" in levels else 0.0
        apps[app] = (inner + between) / len(app_blocks) ** 2
    return sum(apps.values()) / len(apps) ** 2, apps


def _moments(cells: Cells, block: Block, levels: Sequence[str]) -> tuple[float, float]:
    """Return a scenario's mean, and the variance of its mean in one draw of its axes and rollouts."""
    rates = cells.means[block.cells]
    mean = float(rates.mean())
    variance = 0.0
    if "axes" in levels:
        if not block.complete:
            raise InvalidInput(
                "there is no closed form for a grid with holes",
                fix="use bootstrap(), or design='sampled'",
            )
        grid = np.empty(block.size)
        grid[block.places] = rates
        spread = grid.reshape(block.shape)
        for axis, size in enumerate(block.shape):
            spread = (spread + (1 - 1 / size) * spread.sum(axis=axis, keepdims=True)) / size**2
        variance += float((grid.reshape(block.shape) * spread).sum()) - mean**2
    if "rollouts" in levels:
        if cells.values is None:
            within = rates * (1 - rates)
        else:
            ends = np.cumsum(cells.rollouts)
            within = np.array([cells.values[ends[c] - cells.rollouts[c] : ends[c]].var() for c in block.cells.tolist()])
        variance += float((within / cells.rollouts[block.cells]).sum()) / len(rates) ** 2
    return mean, variance
