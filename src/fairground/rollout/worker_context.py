"""Start worker processes by forking a server process that has already imported what they need."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

_PRELOAD = ["fairground.rollout.work"]
_LONGEST = 70  # maximum length of the temporary folder, so that the path of the server's socket fits


def start_worker(function: Callable[..., None], *args: Any) -> BaseProcess:
    """Start a daemon process that calls a function. The function and its arguments must be picklable."""
    process = worker_context().Process(target=_work, args=(dict(os.environ), function, args), daemon=True)
    process.start()
    return process


def worker_context() -> ForkServerContext | SpawnContext:
    """Return the multiprocessing context for workers. What they run must begin with `adopt`.

    Forking a server that runs nothing else takes milliseconds, and copies no lock held by one of our threads.
    """
    if len(tempfile.gettempdir()) > _LONGEST:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    return context


def adopt(environment: dict[str, str]) -> None:
    """Give a worker process its parent's current environment, and its own random state."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    np.random.seed()  # agents may use the global generator, and all forks would draw the same numbers from it


def _work(environment: dict[str, str], function: Callable[..., None], args: tuple[Any, ...]) -> None:
    adopt(environment)
    os.setpgid(0, 0)  # an agent that signals its process group does not end the run or other workers
    try:
        function(*args)
    finally:
        atexit._run_exitfuncs()  # a fork ends without calling them
