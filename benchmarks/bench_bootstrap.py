"""The hierarchical bootstrap of a large suite, compared with a plain loop and with rliable.

python benchmarks/bench_bootstrap.py [--json]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np
from figures import Figure, show
from numpy.typing import NDArray
from peer import need_peers, run_peer

from fairground.stats import Cells, Shape, bootstrap, exact_variance, make_up, suite_interval

SHAPE = Shape(scenarios=26, axes=(3, 3, 3), rollouts=20)
RESAMPLES = 10_000
ROUNDS = 7
LOOP, RLIABLE = 60, 400
BAR_SECONDS, BAR_TIMES = 1.0, 50


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    need_peers()
    return show(_measure(), as_json=wanted.json)


def _measure() -> list[Figure]:
    cells = make_up(SHAPE, rng=np.random.default_rng(0))
    episodes = episodes_of(cells)
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        replicates = bootstrap(cells, rng=np.random.default_rng(1), resamples=RESAMPLES)
        found = suite_interval(replicates)
        times.append(time.perf_counter() - started)
    ours = statistics.median(times)
    spread = float(replicates.means.mean(axis=1).std() / exact_variance(cells)[0] ** 0.5)

    started = time.perf_counter()
    plain = loop(cells, episodes, np.random.default_rng(2), LOOP)
    each = (time.perf_counter() - started) / LOOP
    gap = abs(float(plain.mean()) - found.estimate)

    scores = episodes.reshape(len(cells), SHAPE.rollouts).T
    theirs = run_peer("bootstrap_rliable.py", {"scores": scores}, RLIABLE)
    what = f"{len(SHAPE.apps)} apps x {SHAPE.scenarios} scenarios x 27 configurations x {SHAPE.rollouts} rollouts"
    return [
        Figure(
            f"{RESAMPLES:,} resamples of {what}, to the interval",
            ours * 1e3,
            "ms",
            f"under {BAR_SECONDS:g} s",
            most=BAR_SECONDS * 1e3,
            note=f"interval {100 * found.width:.2f} points wide",
        ),
        Figure(
            "standard deviation of the replicates over its closed form",
            spread,
            "x",
            "0.97 to 1.03",
            least=0.97,
            most=1.03,
        ),
        Figure(
            "speed compared with a plain loop",
            each * RESAMPLES / ours,
            "x faster",
            f"at least {BAR_TIMES}x",
            least=BAR_TIMES,
            note=f"{each * RESAMPLES:,.0f} s; {LOOP} resamples run, scaled; means {100 * gap:.2f} points apart",
        ),
        Figure(
            "speed compared with rliable, which resamples tasks and runs only",
            theirs["each"] * RESAMPLES / ours,
            "x faster",
            f"at least {BAR_TIMES}x",
            least=BAR_TIMES,
            note=f"{theirs['version']}: {theirs['each'] * RESAMPLES:,.0f} s, {RLIABLE} resamples run, scaled; its "
            f"interval is {100 * theirs['width']:.2f} points wide, because it has no scenario level",
        ),
    ]


def episodes_of(cells: Cells) -> NDArray[np.float64]:
    """Return every episode as 0 or 1, in an array of cells x rollouts."""
    return (np.arange(SHAPE.rollouts) < cells.successes[:, None]).astype(np.float64)


def loop(cells: Cells, episodes: NDArray[np.float64], rng: np.random.Generator, resamples: int) -> NDArray[np.float64]:
    """Compute the resampled suite means with plain loops."""
    grid = episodes.reshape(len(SHAPE.apps), SHAPE.scenarios, *SHAPE.axes, SHAPE.rollouts)
    means = np.empty(resamples)
    for b in range(resamples):
        apps = []
        for app in grid:
            drawn = []
            for scenario in rng.integers(SHAPE.scenarios, size=SHAPE.scenarios):
                axes = (rng.integers(size, size=size) for size in SHAPE.axes)
                copies = app[scenario][np.ix_(*axes)]
                picks = rng.integers(SHAPE.rollouts, size=copies.shape)
                drawn.append(np.take_along_axis(copies, picks, axis=-1).mean())
            apps.append(np.mean(drawn))
        means[b] = np.mean(apps)
    return means


if __name__ == "__main__":
    sys.exit(main())
