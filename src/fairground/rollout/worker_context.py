"""How worker processes are started: forked from a server that has imported what they need."""

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
_LONGEST = 70  # characters of a temporary folder in which the path of the server's socket still fits


def start_worker(function: Callable[..., None], *args: Any) -> BaseProcess:
    """Starts a daemon process that calls a function; both it and its arguments must survive being pickled."""
    process = worker_context().Process(target=_work, args=(dict(os.environ), function, args), daemon=True)
    process.start()
    return process


def worker_context() -> ForkServerContext | SpawnContext:
    """What starts worker processes. What they do must begin with `adopt`.

    A fork of a server that runs nothing else starts in milliseconds, and copies no lock that a thread of ours holds.
    """
    if len(tempfile.gettempdir()) > _LONGEST:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    return context


def adopt(environment: dict[str, str]) -> None:
    """Gives a worker process the environment that its parent has now, and a random state of its own."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    np.random.seed()  # agents may use the global generator, and forks would all draw the same from it


def _work(environment: dict[str, str], function: Callable[..., None], args: tuple[Any, ...]) -> None:
    adopt(environment)
    try:
        function(*args)
    finally:
        atexit._run_exitfuncs()  # a fork ends without them
