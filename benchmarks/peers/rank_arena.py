"""Bradley-Terry by arena-rank, with its own bootstrap and defaults.

Reads the votes from an .npz file and prints one line of JSON.

    rank_arena.py VOTES.npz RESAMPLES      # RESAMPLES: number of resamples to run
"""

from __future__ import annotations

import importlib.metadata
import json
import multiprocessing
import sys
import time

import numpy as np
import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]
from arena_rank.models.bradley_terry import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    BradleyTerry,
)
from arena_rank.utils.data_utils import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    PairDataset,
)


def main() -> None:
    """Time the part that is independent of the resamples, the sandwich intervals, and the bootstrap."""
    # By default its pool forks a process with JAX threads, which hangs.
    multiprocessing.set_start_method("spawn")
    file, resamples = np.load(sys.argv[1]), int(sys.argv[2])
    names = np.array([f"agent {at:03}" for at in range(int(file["agents"]))])
    words = np.array(["model_a", "model_b", "tie", "both_bad"])
    votes = pd.DataFrame(
        {"model_a": names[file["left"]], "model_b": names[file["right"]], "winner": words[file["winner"]]}
    )
    started = time.perf_counter()
    dataset = PairDataset.from_pandas(votes)
    model = BradleyTerry(len(names))
    model.fit(dataset)
    ratings = np.asarray(model.params["ratings"])
    fixed = time.perf_counter() - started
    started = time.perf_counter()
    sandwich = model.compute_ratings_and_cis(dataset)
    sandwich_seconds = time.perf_counter() - started
    started = time.perf_counter()
    drawn = model.compute_ratings_and_cis(dataset, ci_method="bootstrap", num_bootstrap=resamples)
    each = (time.perf_counter() - started) / resamples
    found = {
        "fixed": fixed,
        "each": each,
        "resamples": resamples,
        "sandwich": sandwich_seconds,
        "ratings": (1000 + model.alpha * (ratings - ratings.mean())).tolist(),
        "width": float(np.mean(np.asarray(drawn["rating_upper"]) - np.asarray(drawn["rating_lower"]))),
        "sandwich_width": float(np.mean(np.asarray(sandwich["rating_upper"]) - np.asarray(sandwich["rating_lower"]))),
        "version": f"arena-rank {importlib.metadata.version('arena-rank')}",
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
