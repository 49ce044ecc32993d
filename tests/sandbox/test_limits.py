"""Limits: enforced where the machine lets us, and a plain word where it does not."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairground.core import SandboxError
from fairground.sandbox import Limits, Sandbox, SandboxSpec, cgroups, open_sandbox
from fairground.sandbox.cgroups import Cgroup, make_cgroup, shortcomings, sweep
from fairground.sandbox.conformance import RunnerConformance

pytestmark = pytest.mark.process

MEGABYTE = 1 << 20
Make = Callable[..., Sandbox]
Until = Callable[..., None]


@pytest.fixture
def without_cgroups(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on a machine where no cgroup is writable."""
    monkeypatch.setattr(cgroups, "ROOT", tmp_path)


# --- with cgroups ----------------------------------------------------------------------------------------------------


def test_a_processor_limit_is_kept(make: Make, until: Until) -> None:
    box = make(limits=Limits(cpus=0.2))
    if any("CPU" in note for note in box.notes):
        pytest.skip("no cpu cgroup here")
    for _ in range(4):
        box.start(["sh", "-c", "while :; do :; done"])
    until(lambda: box.cpu_seconds() > 0.1, "the programs did not start")
    before, started = box.cpu_seconds(), time.monotonic()
    until(lambda: time.monotonic() - started > 1.0, "time stands still")
    used, passed = box.cpu_seconds() - before, time.monotonic() - started
    assert used < 0.5 * passed, "four busy programs were held to a fifth of a processor, with room for error"


def test_a_process_limit_is_kept_by_the_kernel(make: Make) -> None:
    box = make(limits=Limits(processes=30))
    script = "my $n = 0; while ($n < 100) { my $p = fork; last if !defined $p; if (!$p) { sleep 1000 } $n++ } print $n"
    assert int(box.run(["perl", "-e", script]).stdout) <= 30


def test_no_limit_is_no_limit(make: Make) -> None:
    box = make(limits=Limits(memory=None, processes=None))
    assert not [note for note in box.notes if "limit" in note]
    script = "my $n = 0; while ($n < 100) { my $p = fork; last if !defined $p; if (!$p) { sleep 1000 } $n++ } print $n"
    assert int(box.run(["perl", "-e", script]).stdout) == 100


# --- without cgroups -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("without_cgroups")
@pytest.mark.slow
class TestNamespaceWithoutCgroups(RunnerConformance):
    """Signals instead of the freezer, clocks instead of accounts."""

    runner = "namespace"
    test_a_hundred_thousand_entries_are_listed_and_one_more_is_refused = None  # type: ignore[assignment]  # slow, the same

    @pytest.fixture(autouse=True)
    def _namespaces(self, shared: Sandbox) -> None:
        """Only where there are namespaces."""


@pytest.mark.usefixtures("without_cgroups")
@pytest.mark.slow
class TestBareWithoutCgroups(RunnerConformance):
    runner = "bare"
    test_a_hundred_thousand_entries_are_listed_and_one_more_is_refused = None  # type: ignore[assignment]  # slow, the same


@pytest.mark.usefixtures("without_cgroups")
def test_what_cannot_be_enforced_is_said(make: Make) -> None:
    box = make(limits=Limits(memory=100 * MEGABYTE, processes=50, cpus=1.0))
    assert len(box.notes) == 4
    for word in ("memory limit not enforced", "RLIMIT_NPROC", "CPU limit not enforced", "frozen by signals"):
        assert any(word in note for note in box.notes), word


@pytest.mark.usefixtures("without_cgroups")
def test_processes_are_limited_for_each_sandbox_alone_even_so(make: Make) -> None:
    script = "my $n = 0; while ($n < 100) { my $p = fork; last if !defined $p; if (!$p) { sleep 1000 } $n++ } print $n"
    boxes = [make(limits=Limits(processes=40)) for _ in range(2)]
    assert all(20 < int(box.run(["perl", "-e", script]).stdout) <= 40 for box in boxes)


@pytest.mark.usefixtures("without_cgroups")
def test_a_bare_sandbox_says_that_nothing_is_enforced() -> None:
    box = open_sandbox(SandboxSpec(limits=Limits(memory=100 * MEGABYTE)), runner="bare")
    try:
        assert any("not isolated" in note for note in box.notes)
        assert any("process limit not enforced" in note for note in box.notes)
        assert any("disk limit not enforced" in note for note in box.notes)
    finally:
        box.discard()


@pytest.mark.usefixtures("without_cgroups")
@pytest.mark.parametrize("runner", ["namespace", "bare"])
def test_freezing_by_signals_stops_what_forks_all_the_time(runner: str, shared: Sandbox, until: Until) -> None:
    box = open_sandbox(runner=runner)
    try:
        for number in range(3):
            box.start(["sh", "-c", f"while :; do (echo x >> {number}); done"])
        until(lambda: len(box.list_files()) == 3, "the programs did not start")
        for _ in range(5):
            box.freeze()
            sizes = [entry.size for entry in box.list_files()]
            watched = time.monotonic() + 0.1
            while time.monotonic() < watched:
                assert [entry.size for entry in box.list_files()] == sizes
            box.thaw()
            until(lambda sizes=sizes: [e.size for e in box.list_files()] != sizes, "it did not go on")
    finally:
        box.discard()


# --- the groups themselves -------------------------------------------------------------------------------------------


def test_an_unwritable_root_gives_a_group_without_anything(tmp_path: Path) -> None:
    group = make_cgroup(Limits(), tmp_path)
    assert group.folders == [] and not group.can_freeze and group.cpu_seconds() is None
    assert group.memory_bytes() is None and group.memory_kills() == 0 and group.open_attach() == []
    group.remove()


def test_controllers_that_are_mounted_together_share_a_folder(tmp_path: Path) -> None:
    (tmp_path / "cpu,cpuacct").mkdir()
    (tmp_path / "cpu").symlink_to("cpu,cpuacct")
    (tmp_path / "cpuacct").symlink_to("cpu,cpuacct")
    group = make_cgroup(Limits(), tmp_path)
    assert set(group.paths) == {"cpu", "cpuacct"} and len(group.folders) == 1


def test_a_group_that_programs_cannot_enter_is_given_up_with_its_limits(tmp_path: Path) -> None:
    for name in ("memory", "pids", "freezer"):
        (tmp_path / name).mkdir()
    group = Cgroup({name: tmp_path / name for name in ("memory", "pids", "freezer")}, {"memory", "processes"})
    group.give_up(tmp_path / "memory")
    assert group.enforced == {"processes"} and "memory" not in group.paths and not (tmp_path / "memory").exists()
    assert any("memory" in note for note in shortcomings(group, Limits(), own_user=True))


@pytest.fixture
def unified() -> Iterator[Path]:
    """A writable cgroup v2, wherever it is mounted."""
    for root in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified")):
        if (root / "cgroup.controllers").exists() and os.access(root, os.W_OK):
            yield root
            return
    pytest.skip("no writable cgroup v2 here")


def test_v2_freezes_counts_and_is_removed(unified: Path, monkeypatch: pytest.MonkeyPatch, until: Until) -> None:
    monkeypatch.setattr(cgroups, "ROOT", unified)
    box = open_sandbox(runner="namespace")
    group = box._cgroup  # type: ignore[attr-defined]
    try:
        assert group.unified and group.can_freeze and group.thaw_file is None
        box.start(["sh", "-c", "i=0; while :; do i=$((i+1)); echo $i > counter; done"])
        until(lambda: box.cpu_seconds() > 0.05, "v2 does not count")
        box.freeze()
        before = box.read_file("~/counter")
        watched = time.monotonic() + 0.2
        while time.monotonic() < watched:
            assert box.read_file("~/counter") == before
        box.thaw()
        until(lambda: box.read_file("~/counter") not in (b"", before), "it did not go on")
        box.freeze()
    finally:
        box.discard()
    assert not any(folder.exists() for folder in group.folders)


def test_a_v2_group_that_cannot_be_entered_is_a_note_not_an_error(
    unified: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening `cgroup.procs` is allowed, writing to it is not: as without delegation of the common ancestor."""
    monkeypatch.setattr(cgroups, "ROOT", unified)
    real = Cgroup.open_attach

    def read_only(group: Cgroup) -> list[int]:
        for fd in real(group):
            os.close(fd)
        return [os.open(folder / "cgroup.procs", os.O_RDONLY | os.O_CLOEXEC) for folder in group.folders]

    monkeypatch.setattr(Cgroup, "open_attach", read_only)
    box = open_sandbox(runner="namespace")
    try:
        assert any("frozen by signals" in note for note in box.notes)
        assert box.run(["echo", "on"]).stdout == b"on\n"
        box.freeze()
        box.thaw()
        assert box.cpu_seconds() >= 0
    finally:
        box.discard()


def test_groups_of_the_dead_are_swept(as_root: None) -> None:
    root = cgroups.ROOT / "freezer" if (cgroups.ROOT / "freezer").is_dir() else cgroups.ROOT
    gone = _a_number_that_no_process_has()
    dead, living = root / f"fairground-{gone}-test", root / f"fairground-{os.getpid()}-test"
    for folder in (dead, living):
        folder.mkdir()
    try:
        sweep()
        assert not dead.exists() and living.exists()
    finally:
        for folder in (dead, living):
            if folder.exists():
                folder.rmdir()


def test_a_frozen_process_of_the_dead_is_swept(as_root: None, until: Until) -> None:
    if not (cgroups.ROOT / "freezer").is_dir():
        pytest.skip("only with cgroup v1")
    folder = cgroups.ROOT / "freezer" / f"fairground-{_a_number_that_no_process_has()}-test"
    folder.mkdir()
    process = subprocess.Popen(["sleep", "1000"])
    (folder / "cgroup.procs").write_text(str(process.pid))
    (folder / "freezer.state").write_text("FROZEN")
    sweep()
    assert process.wait(10) == -signal.SIGKILL
    until(lambda: sweep() or not folder.exists(), "the folder is still there")


def test_a_sandbox_that_cannot_be_frozen_says_so_and_goes_on(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    box = make()
    if not box._cgroup.can_freeze:  # type: ignore[attr-defined]
        pytest.skip("no freezer here")
    monkeypatch.setattr(Cgroup, "_try_frozen", lambda self, frozen: not frozen)
    with pytest.raises(SandboxError, match="did not freeze"):
        box._cgroup.set_frozen(True, timeout=0.05)  # type: ignore[attr-defined]
    monkeypatch.undo()
    assert not box.frozen and box.run(["echo", "on"]).stdout == b"on\n"


def test_freezing_and_running_from_two_threads_never_hangs(make: Make) -> None:
    box = make()
    done = threading.Event()

    def flicker() -> None:
        while not done.is_set():
            box.freeze()
            box.thaw()

    thread = threading.Thread(target=flicker)
    thread.start()
    try:
        for _ in range(50):
            try:
                assert box.run(["echo", "on"], timeout=20).stdout == b"on\n"
            except SandboxError as error:
                assert "frozen" in error.message
    finally:
        done.set()
        thread.join()


def _a_number_that_no_process_has() -> int:
    return next(number for number in range(60_000, 1, -1) if not Path(f"/proc/{number}").exists())
