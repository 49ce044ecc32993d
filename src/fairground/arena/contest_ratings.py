"""Uncertainty of ratings, for drawing pairs: agents with overlapping intervals should meet again."""

from __future__ import annotations

import threading

import numpy as np

from fairground.arena.standings import well_known
from fairground.arena.store import Store
from fairground.arena.tables import all_votes, counted, votes_version
from fairground.core import InvalidInput
from fairground.stats import rank

_RESAMPLES = 200  # affects only ranks, which are not used here


class Ratings:
    """Intervals of an arena's ratings, recomputed when votes have changed.

    Args:
        store: The arena.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, threading.Lock()
        self._version, self._found = "", dict[str, tuple[float, float]]()

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Return both ends for each agent; empty if the votes give no ranking."""
        with self._lock:
            version = votes_version(self._store)
            if version != self._version:
                self._version, self._found = version, _reckon(self._store)
            return self._found


def _reckon(store: Store) -> dict[str, tuple[float, float]]:
    table = counted(well_known(all_votes(store)))  # other agents have maximum uncertainty
    if table is None:
        return {}
    try:
        ranking = rank(table, rng=np.random.default_rng(0), method="sandwich", resamples=_RESAMPLES)
    except InvalidInput:  # too few votes, or two groups that never met
        return {}
    return {agent.agent: (agent.rating.low, agent.rating.high) for agent in ranking.agents}
