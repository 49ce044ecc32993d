"""Limits, freezing and accounting with cgroups, where the machine allows it.

Works as root on cgroup v1 or v2, and for a user with a delegated subtree of v2 (systemd). Each program enters its
`Cgroup` itself, through files that the host opened. The keeper stays outside, so that it can answer while programs are
frozen or out of memory.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
import uuid
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from fairground.core import SandboxError
from fairground.sandbox.protocol import Limits

ROOT = Path("/sys/fs/cgroup")
_V1 = ("memory", "pids", "cpu", "cpuacct", "freezer")
_PERIOD = 100_000  # microseconds; the period over which CPU time is divided
_NAME = "fairground"


@dataclass
class Cgroup:
    """The cgroup of one sandbox, in each writable hierarchy."""

    paths: dict[str, Path] = field(default_factory=dict)
    """Folder by controller. On v2 all controllers have the same folder, also listed as `unified`."""
    enforced: set[str] = field(default_factory=set)
    """The limits that the kernel enforces: `memory`, `processes`, `cpus`."""

    @property
    def folders(self) -> list[Path]:
        """All folders, without duplicates."""
        return list(dict.fromkeys(self.paths.values()))

    @property
    def unified(self) -> bool:
        """Whether this is v2, where entering needs more than permission to open a file."""
        return "unified" in self.paths

    def open_attach(self) -> list[int]:
        """Open the attach files, in the order of `folders`. A program enters the group by writing "0" to each."""
        fds: list[int] = []
        try:
            for folder in self.folders:
                fds.append(os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC))
        except BaseException:
            for fd in fds:
                os.close(fd)
            raise
        return fds

    def give_up(self, folder: Path) -> None:
        """Drop a folder that programs cannot enter, with the limits it would have enforced."""
        lost = {controller for controller, path in self.paths.items() if path == folder}
        self.paths = {controller: path for controller, path in self.paths.items() if path != folder}
        limits = {"memory": "memory", "pids": "processes", "cpu": "cpus"}
        self.enforced -= {limits[controller] for controller in lost & set(limits)}
        with contextlib.suppress(OSError):
            folder.rmdir()

    @property
    def can_freeze(self) -> bool:
        """Whether the kernel can freeze the programs here."""
        return "freezer" in self.paths

    @property
    def thaw_file(self) -> Path | None:
        """On v1, the file for thawing; None on v2, where a frozen process can be killed directly."""
        return self.paths["freezer"] / "freezer.state" if self.can_freeze and not self.unified else None

    def set_frozen(self, frozen: bool, timeout: float = 5.0) -> None:
        """Freeze or thaw, and wait until it has taken effect."""
        deadline = time.monotonic() + timeout
        while not self._try_frozen(frozen):
            if time.monotonic() > deadline:
                if frozen:
                    self.set_frozen(False)
                raise SandboxError(f"the sandbox did not {'freeze' if frozen else 'thaw'} within {timeout:g} s")
            select.select([], [], [], 0.0005)

    def _try_frozen(self, frozen: bool) -> bool:
        folder = self.paths["freezer"]
        if self.unified:
            (folder / "cgroup.freeze").write_text(str(int(frozen)))
            return _field(folder / "cgroup.events", "frozen") == int(frozen)
        # Written on every attempt: v1 does not retry by itself for a process that was in the middle of a vfork.
        wanted = "FROZEN" if frozen else "THAWED"
        (folder / "freezer.state").write_text(wanted)
        return (folder / "freezer.state").read_text().strip() == wanted

    def cpu_seconds(self) -> float | None:
        """CPU time used so far, or None if it is not accounted here."""
        if self.unified:
            return _field(self.paths["unified"] / "cpu.stat", "usage_usec") / 1e6
        if "cpuacct" in self.paths:
            return int((self.paths["cpuacct"] / "cpuacct.usage").read_text()) / 1e9
        return None

    def at_work(self) -> int | None:
        """Number of threads that run, or wait for a CPU or a disk; None if unknown here."""
        folder = self.paths.get("unified", self.paths.get("cpuacct"))
        if folder is None:
            return None
        count = 0
        for thread in (folder / ("cgroup.threads" if self.unified else "tasks")).read_text().split():
            with contextlib.suppress(OSError), open(f"/proc/{thread}/stat", "rb") as file:  # it may end meanwhile
                count += file.read(512).rpartition(b") ")[2][:1] in (b"R", b"D")
        return count

    def memory_bytes(self) -> int | None:
        """Memory in use, or None if it is not accounted here."""
        if "memory" not in self.paths:
            return None
        name = "memory.current" if self.unified else "memory.usage_in_bytes"
        return int((self.paths["memory"] / name).read_text())

    def memory_kills(self) -> int:
        """Number of processes that were killed because memory ran out."""
        if "memory" not in self.paths:
            return 0
        try:
            name = "memory.events" if self.unified else "memory.oom_control"
            return _field(self.paths["memory"] / name, "oom_kill")
        except OSError:
            return 0  # the group is gone; the caller is about to report that

    def kill(self) -> None:
        """Kill everything that remains, for when the keeper could not."""
        with contextlib.suppress(OSError, SandboxError):
            if self.can_freeze:
                self.set_frozen(False, timeout=1.0)  # on v1 a frozen process cannot be killed
        for folder in self.folders:
            with contextlib.suppress(OSError):
                for pid in (folder / "cgroup.procs").read_text().split():
                    os.kill(int(pid), signal.SIGKILL)

    def remove(self, timeout: float = 5.0) -> None:
        """Remove the folders once their last process has been reaped. The keeper does this too."""
        deadline = time.monotonic() + timeout
        for folder in self.folders:
            while folder.exists() and time.monotonic() < deadline:
                try:
                    for place, _, _ in os.walk(folder, topdown=False):  # a program may have created some below
                        os.rmdir(place)
                except OSError:
                    select.select([], [], [], 0.001)
        if self.unified:
            with contextlib.suppress(OSError):
                self.paths["unified"].parent.rmdir()  # if it was the last one


def make_cgroup(limits: Limits, root: Path | None = None) -> Cgroup:
    """Create a cgroup with these limits, as far as the machine allows. `shortcomings` lists what it does not allow."""
    root = root or ROOT
    _sweep_once(root)
    group = Cgroup()
    name = f"{_NAME}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    if (root / "cgroup.controllers").exists():
        _make_v2(group, root, name)
    else:
        _make_v1(group, root, name)
    if limits.memory is not None and _limit_memory(group, limits.memory):
        group.enforced.add("memory")
    if limits.processes is not None and _set(group, "pids", "pids.max", str(limits.processes)):
        group.enforced.add("processes")
    if limits.cpus is not None and _limit_cpus(group, limits.cpus):
        group.enforced.add("cpus")
    return group


def shortcomings(group: Cgroup, limits: Limits, *, own_user: bool) -> list[str]:
    """Describe the limits that are not enforced. `own_user`: whether the sandbox's processes are counted separately."""
    notes = []
    if limits.memory is not None and "memory" not in group.enforced:
        notes.append("memory limit not enforced: no writable memory cgroup (run as root, or delegate one)")
    if limits.processes is not None and "processes" not in group.enforced:
        enforcement = "enforced by RLIMIT_NPROC only" if own_user else "not enforced"
        notes.append(f"process limit {enforcement}: no writable pids cgroup")
    if limits.cpus is not None and "cpus" not in group.enforced:
        notes.append("CPU limit not enforced: no writable cpu cgroup (run as root, or delegate one)")
    if not group.can_freeze:
        notes.append("frozen by signals, which a hostile program can undo: no writable freezer cgroup")
    return notes


def sweep(root: Path | None = None) -> None:
    """Remove groups whose host and keeper were both killed, and kill what still runs in them."""
    root = root or ROOT
    for pattern in (f"{_NAME}-*", f"*/{_NAME}-*", f"{_NAME}/{_NAME}-*"):
        for folder in root.glob(pattern):
            owner = folder.name.split("-")[1]
            if not owner.isdigit() or Path(f"/proc/{owner}").exists():
                continue
            with contextlib.suppress(OSError):
                pids = (folder / "cgroup.procs").read_text().split()
                if "0" in pids:
                    continue  # it belongs to another container, where the owner's process ID means another process
                if (folder / "freezer.state").exists():
                    (folder / "freezer.state").write_text("THAWED")
                for pid in pids:
                    os.kill(int(pid), signal.SIGKILL)
                folder.rmdir()


@cache
def _sweep_once(root: Path) -> None:
    sweep(root)


def _make_v1(group: Cgroup, root: Path, name: str) -> None:
    for controller in _V1:
        # Some machines mount two controllers together, and link `cpu` and `cpuacct` to `cpu,cpuacct`.
        folder = (root / controller).resolve() / name
        with contextlib.suppress(OSError):
            if folder not in group.paths.values():
                folder.mkdir()
            group.paths[controller] = folder


def _make_v2(group: Cgroup, root: Path, name: str) -> None:
    for base in (root / _NAME, _delegated(root)):
        if base is None:
            continue
        try:
            folder = _make_below(base, name)
        except OSError:
            continue
        enabled = set((folder / "cgroup.controllers").read_text().split())
        group.paths |= {"unified": folder, "freezer": folder}
        group.paths |= {controller: folder for controller in enabled & {"memory", "pids", "cpu"}}
        return


def _make_below(base: Path, name: str) -> Path:
    """Create a group below `base`. The first group creates `base`; the last one removes it."""
    for attempt in range(10):
        base.mkdir(exist_ok=True)
        available = set((base.parent / "cgroup.controllers").read_text().split())
        for folder in (base.parent, base):
            for controller in available & {"memory", "pids", "cpu"}:
                with contextlib.suppress(OSError):
                    (folder / "cgroup.subtree_control").write_text(f"+{controller}")
        try:
            (base / name).mkdir()
        except FileNotFoundError:
            if attempt == 9:
                raise
            continue  # another process removed `base` with its last group
        try:
            os.close(os.open(base / name / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC))
        except OSError:
            (base / name).rmdir()
            raise
        break
    return base / name


def _delegated(root: Path) -> Path | None:
    """The part of v2 that systemd delegated to this user, if this process runs inside it."""
    if os.geteuid() == 0:
        return None
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        marker = f"user@{os.geteuid()}.service"
        if line.startswith("0::") and marker in line:
            head = line[3:].partition(marker)[0]
            return root / head.strip("/") / marker / _NAME
    return None


def _field(path: Path, name: str) -> int:
    for line in path.read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


def _set(group: Cgroup, controller: str, name: str, value: str) -> bool:
    if controller not in group.paths:
        return False
    try:
        (group.paths[controller] / name).write_text(value)
    except OSError:
        return False
    return True


def _limit_memory(group: Cgroup, memory: int) -> bool:
    if group.unified:
        _set(group, "memory", "memory.swap.max", "0")
        return _set(group, "memory", "memory.max", str(memory))
    if not _set(group, "memory", "memory.limit_in_bytes", str(memory)):
        return False
    _set(group, "memory", "memory.memsw.limit_in_bytes", str(memory))  # missing if swap is not accounted
    return True


def _limit_cpus(group: Cgroup, cpus: float) -> bool:
    quota = max(1000, int(cpus * _PERIOD))
    if group.unified:
        return _set(group, "cpu", "cpu.max", f"{quota} {_PERIOD}")
    return _set(group, "cpu", "cpu.cfs_period_us", str(_PERIOD)) and _set(group, "cpu", "cpu.cfs_quota_us", str(quota))
