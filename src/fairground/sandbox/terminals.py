"""Waiting until data that programs sent through terminals has arrived."""

from __future__ import annotations

import contextlib
import os
import select

_MILLISECONDS = 1000


def wait_for_terminals() -> None:
    """Wait until everything written to any pseudo-terminal before this call has reached its reader.

    A kernel worker transfers the data. It belongs to no sandbox, so while it waits for a CPU (up to 100 ms on a busy
    machine), all programs of a sandbox appear idle. The worker handles terminals in turn. Once it has transferred a
    byte of our own, it has transferred everything written earlier.
    """
    with contextlib.suppress(OSError):  # no pseudo-terminals here, so no program has one either
        master, slave = os.openpty()
        try:
            os.write(slave, b"\n")
            poller = select.poll()
            poller.register(master, select.POLLIN)
            poller.poll(_MILLISECONDS)
        finally:
            os.close(slave)
            os.close(master)
