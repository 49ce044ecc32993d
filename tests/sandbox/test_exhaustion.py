"""Programs inside use up what there is: processes, memory, disk, names, terminals, output. The host does not notice."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from fairground.core import SandboxError
from fairground.sandbox import Limits, Sandbox

pytestmark = pytest.mark.process

MEGABYTE = 1 << 20
Attack = Callable[..., list[str]]
Make = Callable[..., Sandbox]


def test_a_fork_bomb_is_bounded_and_the_sandbox_ends_quickly(
    make: Make, until: Callable[..., None], inner_pid: Callable[[Sandbox], int]
) -> None:
    box = make(limits=Limits(processes=150))
    inside = _namespace(inner_pid(box))
    assert inside
    box.start(["sh", "-c", "bomb() { bomb | bomb & }; bomb"])
    box.start(["perl", "-e", "while (1) { fork }"])
    until(lambda: _processes(inside) > 40, "the bomb did not go off")
    for _ in range(20):
        assert _processes(inside) < 250
    assert box.read_file("/etc/hostname")
    assert box.run(["echo", "on"], check=False, timeout=30).code in (0, -signal.SIGKILL)
    box.discard()  # an error, if it takes long
    until(lambda: _processes(inside) == 0, "the bomb outlived its sandbox")


def test_a_memory_bomb_is_killed_inside_and_the_sandbox_says_so(make: Make, attack: Attack) -> None:
    box = make(limits=Limits(memory=100 * MEGABYTE))
    if any("memory" in note for note in box.notes):
        pytest.skip(
            "this kernel or user cannot limit memory; the sandbox says so in its notes: " + "; ".join(box.notes)
        )
    with pytest.raises(SandboxError, match="ran out of memory"):
        box.run(["perl", "-e", "my @x; while (1) { push @x, 'x' x 1_000_000 }"])
    assert box.alive and box.run(["echo", "on"]).stdout == b"on\n"
    with pytest.raises(SandboxError, match="status 7") as plain:
        box.run(["sh", "-c", "exit 7"])
    assert "memory" not in plain.value.message


def test_files_in_memory_count_as_memory_and_can_still_be_read(make: Make) -> None:
    box = make(limits=Limits(memory=60 * MEGABYTE, disk=500 * MEGABYTE))
    if any("memory" in note for note in box.notes):
        pytest.skip(
            "this kernel or user cannot limit memory; the sandbox says so in its notes: " + "; ".join(box.notes)
        )
    box.write_file("~/state", b"what is to be judged")
    done = box.run(["dd", "if=/dev/zero", "of=/tmp/big", "bs=1M", "count=400"], check=False)
    assert done.code != 0
    assert box.memory_bytes() <= 61 * MEGABYTE
    assert box.read_file("~/state") == b"what is to be judged"
    assert box.list_files("/tmp")


@pytest.mark.alone
@pytest.mark.parametrize("place", ["~", "/tmp", "/var/tmp", "/dev/shm", "/run/user/1000"])
def test_a_full_disk_is_full_inside_only(make: Make, place: str) -> None:
    box = make(limits=Limits(disk=8 * MEGABYTE))
    free = shutil.disk_usage("/").free
    done = box.run(["dd", "if=/dev/zero", "of=big", "bs=1M", "count=200"], cwd=place, check=False)
    assert done.code != 0 and b"No space left" in done.stderr
    assert free - shutil.disk_usage("/").free < 100 * MEGABYTE
    assert box.run(["echo", "on"]).stdout == b"on\n"
    program = box.start(["echo", "heard"])
    program.wait(10)
    assert program.output() == "heard\n", "what programs say does not need the disk"
    box.run(["rm", "big"], cwd=place)
    box.write_file(f"{place}/fits", b"again")


@pytest.mark.slow
def test_running_out_of_files_is_an_error_inside_only(make: Make, attack: Attack) -> None:
    box = make()
    program = """
count = 0
os.mkdir("/dev/shm/many")
os.chdir("/dev/shm/many")
open("0", "w").close()
try:
    while True:
        count += 1
        os.mkdir(f"x{count}")
except OSError as error:
    print(errno.errorcode[error.errno], count < 250_000)
"""
    assert attack(box, program, timeout=60) == ["ENOSPC True"]
    with pytest.raises(SandboxError, match="No space left") as full:
        box.write_file("/dev/shm/one-more", b"")
    assert full.value.fix
    assert box.start(["true"]).wait(10) == 0
    box.write_file("~/elsewhere", b"x")


def test_a_flood_of_output_does_not_grow_or_slow_anything(
    make: Make, until: Callable[..., None], inner_pid: Callable[[Sandbox], int]
) -> None:
    box = make()
    floods = [box.start(["sh", "-c", "exec yes $0", f"flood{number}"]) for number in range(4)]
    until(lambda: all("flood" in flood.output(100) for flood in floods), "nothing was written")
    keeper = Path(f"/proc/{inner_pid(box)}/statm")
    before = int(keeper.read_text().split()[1])
    for number in range(30):
        assert box.run(["echo", str(number)]).stdout.decode() == f"{number}\n"
        assert floods[number % 4].output(100).endswith(f"flood{number % 4}\n"[-1])
    assert int(keeper.read_text().split()[1]) - before < 4 * MEGABYTE / 4096
    for number, flood in enumerate(floods):
        flood.kill()
        assert flood.wait(10) == -signal.SIGKILL
        assert set(flood.output(10_000).splitlines()[1:-1]) == {f"flood{number}"}


def test_many_programs_can_be_started_and_their_ends_are_remembered(
    make: Make, inner_pid: Callable[[Sandbox], int]
) -> None:
    box = make()
    fds = len(os.listdir("/proc/self/fd"))
    for number in range(100):
        program = box.start(["sh", "-c", f"echo {number}; exit {number}"])
        assert program.wait(20) == number and program.output() == f"{number}\n"
    del program
    assert len(os.listdir("/proc/self/fd")) <= fds + 2
    if os.geteuid() == 0:
        for keeper in (box.first_pid, inner_pid(box)):  # type: ignore[attr-defined]
            assert len(os.listdir(f"/proc/{keeper}/fd")) < 40, "the keeper lets go of what ended"


def test_orphans_by_the_thousand_do_not_keep_the_keeper_from_answering(make: Make, until: Callable[..., None]) -> None:
    box = make()
    box.start(["perl", "-e", "while (1) { my $p = fork; if ($p == 0) { fork; exit } waitpid($p, 0) }"])
    for _ in range(20):
        assert box.run(["echo", "on"], check=False).stdout in (b"on\n", b"")
        box.write_file("~/file", b"x")
    assert box.alive


def test_terminals_and_watches_run_out_inside_before_they_do_outside(make: Make, attack: Attack) -> None:
    box = make()
    program = """
count = 0
try:
    held = []
    while count < 5000:
        held.append(os.openpty())
        count += 1
except OSError:
    print("terminals", count <= 64)
count = 0
try:
    while count < 5000:
        check(libc.inotify_init1(0))
        count += 1
except OSError:
    print("watchers", count <= 64)
"""
    assert attack(box, program) == ["terminals True", "watchers True"]
    master, slave = os.openpty()
    os.close(master)
    os.close(slave)


def _processes(namespace: str) -> int:
    return sum(_namespace(pid) == namespace for pid in os.listdir("/proc") if pid.isdigit())


def _namespace(pid: int | str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:  # it has ended, or is somebody else's
        return ""
