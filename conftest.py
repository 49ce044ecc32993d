"""For every test, of the library and of the suites."""

import os
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Without a clock, because machines that run tests are busy ones.
settings.register_profile("fairground", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fairground")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Checkpoints of this session only: nothing stale is found, and nothing is left in the user's cache."""
    before = os.environ.get("FAIRGROUND_HOME")
    os.environ["FAIRGROUND_HOME"] = str(tmp_path_factory.mktemp("checkpoints"))
    yield
    if before is None:
        del os.environ["FAIRGROUND_HOME"]
    else:
        os.environ["FAIRGROUND_HOME"] = before


@pytest.fixture
def kill_screen() -> Callable[[Any], None]:
    """Kills a seat's Xvfb, as a failing machine would: the very one that listens at its display."""

    def kill(seat: Any) -> None:
        with seat.sandbox.connect(f"/tmp/.X11-unix/X{seat.env['DISPLAY'][1:]}") as connection:
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        os.kill(struct.unpack("3i", credentials)[0], signal.SIGKILL)

    return kill
