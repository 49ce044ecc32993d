"""How sure the ratings of agents are, for the drawing of pairs: two whose intervals overlap should meet again."""

from __future__ import annotations

import threading

import numpy as np

from fairground.arena.standings import well_known
from fairground.arena.store import Store
from fairground.arena.tables import all_votes, counted, votes_version
from fairground.core import InvalidInput
from fairground.stats import rank

_RESAMPLES = 200  # only for ranks, which nobody looks at here


class Ratings:
    """Intervals of an arena's ratings; reckoned again when votes have changed.

    Args:
        store: The arena.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, threading.Lock()
        self._version, self._found = "", dict[str, tuple[float, float]]()

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Both ends for each agent; nothing while votes rank nobody."""
        with self._lock:
            version = votes_version(self._store)
            if version != self._version:
                self._version, self._found = version, _reckon(self._store)
            return self._found


def _reckon(store: Store) -> dict[str, tuple[float, float]]:
    table = counted(well_known(all_votes(store)))  # others are as uncertain as can be
    if table is None:
        return {}
    try:
        ranking = rank(table, rng=np.random.default_rng(0), method="sandwich", resamples=_RESAMPLES)
    except InvalidInput:  # too few, or two groups that never met
        return {}
    return {one.agent: (one.rating.low, one.rating.high) for one in ranking.agents}
