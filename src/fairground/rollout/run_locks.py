"""Locks on a run: only one process may write it, and only after all workers of a killed process ended.

They are kernel locks (flock), which are released when a process ends.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from pathlib import Path

from fairground.core import FairgroundError
from fairground.rollout.disk import writing

ORPHANS = 60.0
"""Seconds that workers of a killed run have to end."""


class RunBusy(FairgroundError):
    """Another process is writing this run."""


def take_lock(folder: Path) -> int:
    """Take the write lock of a run. The kernel releases it when this process ends for any reason."""
    with writing(folder / "run.lock"):
        handle = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        who = os.read(handle, 64).decode("utf-8", "replace").strip()
        os.close(handle)
        raise RunBusy(
            f"{folder} is being written by another process{f' ({who})' if who else ''}",
            fix="wait for it to end, or stop it; the run can be read in the meantime",
        ) from None
    try:
        with writing(folder / "run.lock"):
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()}".encode(), 0)
    except BaseException:
        os.close(handle)
        raise
    return handle


def is_going(folder: Path) -> bool:
    """Return whether a process on this machine is writing a run. Asks the kernel, without touching the lock."""
    try:
        lock = os.stat(folder / "run.lock").st_ino
        held = Path("/proc/locks").read_text()
    except OSError:
        return False
    # Example: 3: FLOCK  ADVISORY  WRITE 4711 fe:01:131090 0 EOF
    lines = (line.split() for line in held.splitlines())
    return any(parts[1] == "FLOCK" and parts[5].endswith(f":{lock}") for parts in lines if len(parts) == 8)


def hold(folder: Path) -> int:
    """Take a worker's shared lock.

    While it is held, no other process starts to write the run. Released when it dies.
    """
    with writing(folder / "workers.lock"):
        handle = os.open(folder / "workers.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def wait_for_orphans(folder: Path) -> None:
    """Wait until the workers of a killed process have ended. Until then they might still write."""
    with writing(folder / "workers.lock"):
        handle = os.open(folder / "workers.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    deadline = time.monotonic() + ORPHANS
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise RunBusy(
                        f"{folder}: workers of a killed run are still running after {ORPHANS:g} s",
                        fix="end these python processes, then run this again",
                    ) from None
                threading.Event().wait(0.02)
    finally:
        os.close(handle)
