"""The interval of a suite by rliable, with its closest setting.

Configurations are tasks, rollouts are runs, and both are resampled. rliable has no apps, scenarios or axes. It
resamples 10,530 tasks with 20 runs each and takes the mean. Reads scores (runs x tasks) from an .npz file and prints
one line of JSON.

    bootstrap_rliable.py SCORES.npz RESAMPLES      # RESAMPLES: number of resamples to run
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time

import numpy as np
from rliable import library, metrics  # type: ignore[import-not-found,import-untyped,unused-ignore]


def main() -> None:
    """Time two numbers of resamples. Their difference excludes the fixed cost."""
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
