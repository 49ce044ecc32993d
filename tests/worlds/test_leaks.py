"""Seats leave nothing behind: not after hundreds, not when their owner is killed, not when they wait frozen."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fairground.core import Type
from fairground.worlds import open_seat, resolve

DEADLINE = 60.0
OWNER = """
import sys
from fairground.sandbox import Pool
from fairground.worlds import open_seat, resolve

world = resolve(sys.argv[1])
with Pool(open_seat, size=1) as pool:
    seat = pool.take(world)
    pool.wait_ready(world, 1)
    print("ready", flush=True)
    sys.stdin.read()
"""

pytestmark = pytest.mark.process


def parents() -> dict[int, int]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    return found


def descendants(root: int) -> set[int]:
    tree = parents()
    found: set[int] = set()
    while more := {pid for pid, parent in tree.items() if parent in found | {root}} - found:
        found |= more
    return found


def traces() -> dict[str, object]:
    """What a seat could leave: open files, threads, children, cgroups, temporary folders, mounts."""
    gc.collect()
    return {
        "files": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "children": descendants(os.getpid()),
        "cgroups": sorted(str(path) for path in Path("/sys/fs/cgroup").glob(f"*/fairground-{os.getpid()}-*")),
        "mounts": Path("/proc/self/mountinfo").read_text(),
    }


def wait_until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("count", [1, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
def test_seats_opened_and_closed_in_a_loop_leak_nothing(write_world: Callable[..., Path], count: int) -> None:
    world = resolve(str(write_world()))
    open_seat(world).close()
    before = traces()

    def sit() -> None:
        with open_seat(world) as seat:
            seat.screen.act(Type(text="x"))
            seat.screen.grab()

    for _ in range(count):
        sit()
    assert wait_until(lambda: traces() == before), (before, traces())


def test_an_owner_killed_outright_takes_every_seat_along_frozen_ones_too(write_world: Callable[..., Path]) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(write_world())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdin is not None and owner.stdout is not None
    try:
        assert owner.stdout.readline() == "ready\n"
        inside = descendants(owner.pid)
        assert len(inside) > 10
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        gone = wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in inside))
        left = [Path(f"/proc/{pid}/cmdline").read_text() for pid in inside if Path(f"/proc/{pid}").exists()]
        assert gone, left
        assert wait_until(lambda: not list(Path("/sys/fs/cgroup").glob(f"*/fairground-{owner.pid}-*")))
    finally:
        owner.kill()
        owner.wait()
        owner.stdin.close()
        owner.stdout.close()
