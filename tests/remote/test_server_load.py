"""Many sessions: opened and abandoned a thousand times, nothing is left of them."""

from __future__ import annotations

import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fairground.remote import EnvironmentServer
from tests.waiting import eventually

from .stage import connected, open_session
from .test_server_faults import _below

SEATS = 8
SESSIONS = 1000


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_thousand_abandoned_sessions_leave_nothing() -> None:
    """Half are abandoned by clients that disconnect, half by clients that never call again."""
    with EnvironmentServer("pocket/notes", seats=SEATS, share_browser=True) as server:

        def abandon(count: int) -> None:
            for _ in range(count // SEATS // 2):
                with connected(server.url) as socket:
                    assert len(socket.call("open", group=SEATS)["sessions"]) == SEATS
                eventually(lambda: server.sessions.in_use == 0)
                with ThreadPoolExecutor(SEATS) as clients:
                    list(clients.map(lambda _: open_session(server.url, lease=0.1), range(SEATS)))
                eventually(lambda: server.sessions.in_use == 0)

        def left() -> dict[str, int]:
            gc.collect()
            with open("/proc/self/statm") as file:
                memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            return {
                "threads": threading.active_count(),
                "files": len(os.listdir("/proc/self/fd")),
                "processes": len(_below(os.getpid())),
                "megabytes": memory >> 20,
            }

        abandon(SESSIONS // 5)  # caches and pools have filled up
        before = left()
        abandon(SESSIONS - SESSIONS // 5)
        after = left()
        assert after["threads"] <= before["threads"] + 2 and after["files"] <= before["files"] + 8, (before, after)
        assert after["processes"] <= before["processes"] + 2, (before, after)
        assert after["megabytes"] <= before["megabytes"] + 100, (before, after)
