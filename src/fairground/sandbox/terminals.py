"""Waiting for what programs have sent each other through terminals."""

from __future__ import annotations

import contextlib
import os
import select

_MILLISECONDS = 1000


def wait_for_terminals() -> None:
    """Waits until everything written to any pseudo-terminal before this call has reached its reader.

    A kernel worker carries it from one end to the other. It belongs to no sandbox, so while it waits for a processor
    (up to 100 ms on a busy machine) every program of a sandbox seems to rest. The worker handles terminals in turn:
    once it has carried a byte of our own, it has carried what was written earlier.
    """
    with contextlib.suppress(OSError):  # no pseudo-terminals here: nobody else has one either
        master, slave = os.openpty()
        try:
            os.write(slave, b"\n")
            poller = select.poll()
            poller.register(master, select.POLLIN)
            poller.poll(_MILLISECONDS)
        finally:
            os.close(slave)
            os.close(master)
