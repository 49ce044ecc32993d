"""For every test, of the library and of the suites."""

import fcntl
import gc
import os
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Tests run side by side, so threads for one product of matrices only wait for each other. Before NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell that starts something in the background has it ignore Ctrl-C, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Without a clock, because machines that run tests are busy ones.
settings.register_profile("fairground", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("fairground"), max_examples=300)  # `make test-all`
settings.load_profile("fairground")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """What was collected stays: the garbage collector, which walked through all of it again and again, skips it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """While a test marked `alone` runs, with its fixtures, no other process of this session runs a test."""
    if (folder := _shared_folder(item.config)) is None:
        return (yield)
    alone = item.get_closest_marker("alone") is not None
    with open(folder / "tests.lock", "w") as tests:
        with open(folder / "next.lock", "w") as following:
            fcntl.flock(following, fcntl.LOCK_EX)  # who waits to be alone is not overtaken
            fcntl.flock(tests, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        try:
            return (yield)
        finally:
            fcntl.flock(tests, fcntl.LOCK_UN)  # closing is not enough when the test forked, and the child lives on


@pytest.fixture(scope="session", autouse=True)
def own_cache(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Checkpoints of this session only: nothing stale is found, and nothing is left in the user's cache.

    The processes of a session share them, so that each is built once.
    """
    home = (_shared_folder(pytestconfig) or tmp_path_factory.getbasetemp()) / "checkpoints"
    home.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRGROUND_HOME", str(home))
        yield


def _shared_folder(config: pytest.Config) -> Path | None:
    """Where the processes of this session meet, if there are several (`pytest -n`)."""
    if not hasattr(config, "workerinput"):
        return None
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    return factory.getbasetemp().parent


@pytest.fixture
def kill_screen() -> Callable[[Any], None]:
    """Kills a seat's Xvfb, as a failing machine would: the very one that listens at its display."""

    def kill(seat: Any) -> None:
        with seat.sandbox.connect(f"/tmp/.X11-unix/X{seat.env['DISPLAY'][1:]}") as connection:
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        os.kill(struct.unpack("3i", credentials)[0], signal.SIGKILL)

    return kill
