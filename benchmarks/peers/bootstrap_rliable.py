"""A suite's interval by rliable, at its closest setting: configurations as tasks, rollouts as runs, both resampled.

It knows no apps, scenarios or axes: it resamples 10,530 tasks and 20 runs of each, and takes the mean. Reads scores
(runs x tasks) from an .npz file; prints one line of JSON.

    bootstrap_rliable.py SCORES.npz RESAMPLES      # RESAMPLES: how many are really run
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time

import numpy as np
from rliable import library, metrics  # type: ignore[import-not-found,import-untyped,unused-ignore]


def main() -> None:
    """Times two numbers of resamples, so that what does not grow with them drops out."""
    scores, resamples = np.load(sys.argv[1])["scores"], int(sys.argv[2])
    times = []
    for number in (resamples // 4, resamples):
        started = time.perf_counter()
        points, ends = library.get_interval_estimates(
            {"agent": scores},
            lambda found: np.array([metrics.aggregate_mean(found)]),
            reps=number,
            task_bootstrap=True,
            random_state=np.random.RandomState(1),
        )
        times.append(time.perf_counter() - started)
    found = {
        "each": (times[1] - times[0]) / (resamples - resamples // 4),
        "score": float(points["agent"][0]),
        "width": float(ends["agent"][1, 0] - ends["agent"][0, 0]),
        "version": f"rliable {importlib.metadata.version('rliable')}",
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
