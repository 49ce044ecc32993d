"""Who may write a run: one process, while no worker of a killed one is left. Kept by the kernel, not by files."""

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
    """Another process writes this run."""


def take_lock(folder: Path) -> int:
    """The right to write a run; the kernel takes it back when this process ends, however it ends."""
    with writing(folder / "run.lock"):
        handle = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        who = os.read(handle, 64).decode("utf-8", "replace").strip()
        os.close(handle)
        raise RunBusy(
            f"{folder} is being written by another process{f' ({who})' if who else ''}",
            fix="wait for it to end, or stop it; reading and reporting work meanwhile",
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
    """Whether a process of this machine writes a run now; asked of the kernel, so that its lock is not touched."""
    try:
        lock = os.stat(folder / "run.lock").st_ino
        held = Path("/proc/locks").read_text()
    except OSError:
        return False
    # Such as: 3: FLOCK  ADVISORY  WRITE 4711 fe:01:131090 0 EOF
    lines = (line.split() for line in held.splitlines())
    return any(parts[1] == "FLOCK" and parts[5].endswith(f":{lock}") for parts in lines if len(parts) == 8)


def hold(folder: Path) -> int:
    """A worker's sign of life: while it is held, nobody else begins to write the run. Let go of at its death."""
    with writing(folder / "workers.lock"):
        handle = os.open(folder / "workers.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def wait_for_orphans(folder: Path) -> None:
    """Workers of a process that was killed end by themselves, soon; until then they might still write."""
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
                        f"{folder}: workers of a run that was killed are still there after {ORPHANS:g} s",
                        fix="end them (they are python processes), then try again",
                    ) from None
                threading.Event().wait(0.02)
    finally:
        os.close(handle)
