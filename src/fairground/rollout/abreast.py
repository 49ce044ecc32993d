"""Parallel map over worker processes, with results in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from fairground.core import InfrastructureError
from fairground.rollout.worker_context import adopt, worker_context

FEW = 32
"""Up to this many items are processed here: starting other processes would take longer."""

T = TypeVar("T")
R = TypeVar("R")


def abreast(function: Callable[[T], R], things: Sequence[T], workers: int) -> Iterator[R]:
    """Apply a function to each item, in this process or in worker processes.

    Worker processes are used only with several workers and more than `FEW` items.

    Args:
        function: A top-level function of a module, so that worker processes can import it.
        things: Items to process. Items and results must be picklable.
        workers: Number of worker processes.

    Raises:
        InfrastructureError: If a worker process was killed.
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
        raise InfrastructureError(
            "a worker process was killed", fix="check that the machine has enough free memory, or use fewer workers"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
