"""Bradley-Terry as the Chatbot Arena notebook does it: one scikit-learn logistic regression per resample.

Each resample draws all votes again, counts them by pair, and fits a logistic regression without penalty on two
weighted rows per pair. Reads the votes from an .npz file and prints one line of JSON.

    rank_fastchat.py VOTES.npz RESAMPLES      # RESAMPLES: number of resamples to run
"""

from __future__ import annotations

import json
import math
import sys
import time
from typing import Any

import numpy as np
import sklearn  # type: ignore[import-not-found,import-untyped,unused-ignore]
from sklearn.linear_model import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    LogisticRegression,
)


def main() -> None:
    """Fit once for the ratings, then time the resamples."""
    file, resamples = np.load(sys.argv[1]), int(sys.argv[2])
    agents, left, right, winner = int(file["agents"]), file["left"], file["right"], file["winner"]
    rng = np.random.default_rng(1)
    started = time.perf_counter()
    first, second = np.triu_indices(agents, 1)
    key = (left.astype(np.int64) * agents + right) * 4 + winner
    ratings = fit(key, agents, first, second)
    fixed = time.perf_counter() - started
    started = time.perf_counter()
    drawn = [fit(key[rng.integers(0, len(key), len(key))], agents, first, second) for _ in range(resamples)]
    each = (time.perf_counter() - started) / resamples
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    found = {
        "fixed": fixed,
        "each": each,
        "resamples": resamples,
        "ratings": ratings.tolist(),
        "width": float(np.mean(high - low)),
        "version": f"scikit-learn {sklearn.__version__}",
    }
    print(json.dumps(found))


def fit(key: Any, agents: int, first: Any, second: Any) -> Any:
    """Return the ratings of coded votes."""
    table = np.bincount(key, minlength=agents * agents * 4).reshape(agents, agents, 4).astype(float)
    tied = table[:, :, 2:].sum(axis=2)
    won = table[:, :, 0] + table[:, :, 1].T + (tied + tied.T) / 2
    rows = np.arange(len(first))
    design = np.zeros((2 * len(first), agents))
    design[np.r_[rows, rows + len(first)], np.r_[first, first]] = math.log(10)
    design[np.r_[rows, rows + len(first)], np.r_[second, second]] = -math.log(10)
    outcome = np.repeat([1, 0], len(first))
    weight = np.r_[won[first, second], won[second, first]]
    model = LogisticRegression(fit_intercept=False, C=np.inf, tol=1e-6)
    model.fit(design, outcome, sample_weight=weight)
    strengths = 400 * model.coef_[0]
    return 1000 + strengths - strengths.mean()


if __name__ == "__main__":
    main()
