"""Limits, freezing and accounting through cgroups, where the machine lets us.

As root on cgroup v1 or v2, and for a user to whom systemd delegated a subtree of v2. A `Cgroup` is entered by
each program itself, through files that we opened: the keeper stays outside, so that it can answer for programs
that are frozen or out of memory.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from fairground.core import SandboxError
from fairground.sandbox.protocol import Limits

_ROOT = Path("/sys/fs/cgroup")
_V1 = ("memory", "pids", "cpu", "cpuacct", "freezer")
_PERIOD = 100_000  # microseconds over which processor time is shared out


@dataclass
class Cgroup:
    """A group of our own in each hierarchy that was writable."""

    paths: dict[str, Path] = field(default_factory=dict)
    """Controller -> folder; on v2 all of them are the same folder, under `unified` too."""

    @property
    def folders(self) -> list[Path]:
        """Each folder once."""
        return list(dict.fromkeys(self.paths.values()))

    def open_attach(self) -> list[int]:
        """Open files; a program that writes "0" to each is in the group from then on."""
        return [os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for folder in self.folders]

    def open_thaw(self) -> int | None:
        """On v1 an open file that the keeper thaws by; on v2 a frozen process can be killed as it is."""
        if "freezer" not in self.paths or "unified" in self.paths:
            return None
        return os.open(self.paths["freezer"] / "freezer.state", os.O_WRONLY | os.O_CLOEXEC)

    @property
    def can_freeze(self) -> bool:
        """Whether freezing is the kernel's work here."""
        return "freezer" in self.paths

    def set_frozen(self, frozen: bool, timeout: float = 5.0) -> None:
        """Freezes or thaws, and waits until it is so."""
        folder = self.paths["freezer"]
        if "unified" in self.paths:
            (folder / "cgroup.freeze").write_text("1" if frozen else "0")
            reached = lambda: f"frozen {int(frozen)}" in (folder / "cgroup.events").read_text()  # noqa: E731
        else:
            wanted = "FROZEN" if frozen else "THAWED"
            (folder / "freezer.state").write_text(wanted)
            reached = lambda: (folder / "freezer.state").read_text().strip() == wanted  # noqa: E731
        deadline = time.monotonic() + timeout
        while not reached():
            if time.monotonic() > deadline:
                raise SandboxError(f"the sandbox did not {'freeze' if frozen else 'thaw'} within {timeout:g} s")
            select.select([], [], [], 0.0005)

    def cpu_seconds(self) -> float | None:
        """Processor time used so far, or None when it is not accounted here."""
        if "unified" in self.paths:
            for line in (self.paths["unified"] / "cpu.stat").read_text().splitlines():
                if line.startswith("usage_usec"):
                    return int(line.split()[1]) / 1e6
        if "cpuacct" in self.paths:
            return int((self.paths["cpuacct"] / "cpuacct.usage").read_text()) / 1e9
        return None

    def memory_bytes(self) -> int | None:
        """Memory used now, or None when it is not accounted here."""
        if "memory" not in self.paths:
            return None
        name = "memory.current" if "unified" in self.paths else "memory.usage_in_bytes"
        return int((self.paths["memory"] / name).read_text())

    def remove(self) -> None:
        """Removes the folders; the keeper does it too, for when we cannot."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()


def make_cgroup(limits: Limits) -> tuple[Cgroup, tuple[str, ...]]:
    """A cgroup with these limits, as far as the machine allows, and what it does not allow in words."""
    group = Cgroup()
    name = f"fairground-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    if (_ROOT / "cgroup.controllers").exists():
        _make_v2(group, name)
    else:
        _make_v1(group, name)
    notes = []
    if limits.memory is not None and not _limit_memory(group, limits.memory):
        notes.append("memory limit not enforced: no writable memory cgroup (run as root, or delegate one)")
    if limits.processes is not None and not _set(group, "pids", "pids.max", str(limits.processes)):
        notes.append("process limit kept by RLIMIT_NPROC only: no writable pids cgroup")
    if limits.cpus is not None and not _limit_cpus(group, limits.cpus):
        notes.append("CPU limit not enforced: no writable cpu cgroup (run as root, or delegate one)")
    return group, tuple(notes)


def sweep() -> None:
    """Removes the empty groups of processes that are gone; a reboot or a power cut leaves none, a bug may."""
    for folder in [*_ROOT.glob("fairground-*"), *_ROOT.glob("*/fairground-*"), *_ROOT.glob("fairground/fairground-*")]:
        owner = folder.name.split("-")[1]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            with contextlib.suppress(OSError):
                folder.rmdir()


def _make_v1(group: Cgroup, name: str) -> None:
    for controller in _V1:
        folder = _ROOT / controller / name
        with contextlib.suppress(OSError):
            folder.mkdir()
            group.paths[controller] = folder


def _make_v2(group: Cgroup, name: str) -> None:
    for base in (_ROOT / "fairground", _delegated()):
        if base is None:
            continue
        try:
            base.mkdir(exist_ok=True)
            available = set((base.parent / "cgroup.controllers").read_text().split())
            for folder in (base.parent, base):
                for controller in available & {"memory", "pids", "cpu"}:
                    with contextlib.suppress(OSError):
                        (folder / "cgroup.subtree_control").write_text(f"+{controller}")
            folder = base / name
            folder.mkdir()
            # Moving a program in needs the right to write at the common ancestor too: try it, not guess it.
            os.close(os.open(folder / "cgroup.procs", os.O_WRONLY))
        except OSError:
            continue
        enabled = set((folder / "cgroup.controllers").read_text().split())
        group.paths |= {"unified": folder, "freezer": folder}
        group.paths |= {controller: folder for controller in enabled & {"memory", "pids", "cpu"}}
        return


def _delegated() -> Path | None:
    """The part of v2 that systemd gave to this user, if this process runs inside it."""
    if os.geteuid() == 0:
        return None
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        marker = f"user@{os.geteuid()}.service"
        if line.startswith("0::") and marker in line:
            head = line[3:].partition(marker)[0]
            return _ROOT / head.strip("/") / marker / "fairground"
    return None


def _set(group: Cgroup, controller: str, name: str, value: str) -> bool:
    if controller not in group.paths:
        return False
    try:
        (group.paths[controller] / name).write_text(value)
    except OSError:
        return False
    return True


def _limit_memory(group: Cgroup, memory: int) -> bool:
    if "unified" in group.paths:
        _set(group, "memory", "memory.swap.max", "0")
        return _set(group, "memory", "memory.max", str(memory))
    return _set(group, "memory", "memory.limit_in_bytes", str(memory))


def _limit_cpus(group: Cgroup, cpus: float) -> bool:
    quota = max(1000, int(cpus * _PERIOD))
    if "unified" in group.paths:
        return _set(group, "cpu", "cpu.max", f"{quota} {_PERIOD}")
    return _set(group, "cpu", "cpu.cfs_period_us", str(_PERIOD)) and _set(
        group, "cpu", "cpu.cfs_quota_us", str(quota)
    )
