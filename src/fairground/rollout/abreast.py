"""One function over many things, in several processes, with results in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from fairground.core import InfrastructureError
from fairground.rollout.worker_context import adopt, worker_context

FEW = 32
"""So many things are done before other processes would have started."""

T = TypeVar("T")
R = TypeVar("R")


def abreast(function: Callable[[T], R], things: Sequence[T], workers: int) -> Iterator[R]:
    """Applies a function to each thing; here when they are few or there is one worker, else in other processes.

    Args:
        function: Of a module's top level, so that other processes find it.
        things: Must survive being pickled, as must results.
        workers: Processes.

    Raises:
        InfrastructureError: When a process was killed.
    """
    if workers <= 1 or len(things) <= FEW:
        yield from map(function, things)
        return
    pool = ProcessPoolExecutor(
        min(workers, len(things)), mp_context=worker_context(), initializer=adopt, initargs=(dict(os.environ),)
    )
    try:
        yield from pool.map(function, things, chunksize=max(1, min(32, len(things) // (4 * workers))))
    except BrokenProcessPool:
        raise InfrastructureError("a worker process was killed", fix="was memory short? try fewer workers") from None
    finally:
        pool.shutdown(cancel_futures=True)
