"""Programs try to reach what runs backstage, to change what it relies on, and to see what is not theirs."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairground.sandbox import Sandbox, keep_private, open_sandbox
from fairground.sandbox import hidden as hiding
from fairground.sandbox.packaged import packaged

pytestmark = pytest.mark.process

Attack = Callable[..., list[str]]
Make = Callable[..., Sandbox]


# --- processes -------------------------------------------------------------------------------------------------------


def test_what_runs_backstage_cannot_be_seen_signalled_stopped_or_traced(box: Sandbox, attack: Attack) -> None:
    ours = box.start(["sleep", "1000"], backstage=True)
    program = """
found = [name for name in os.listdir("/proc") if name.isdigit() and b"sleep" in read(f"/proc/{name}/cmdline")]
print("sees", found) if found else None
for pid in set(range(2, 300)) - {os.getpid(), os.getppid()}:
    attempt(f"kill {pid}", os.kill, pid, signal.SIGKILL)
    attempt(f"attach {pid}", lambda: check(libc.ptrace(PTRACE_ATTACH, pid, 0, 0)))
    attempt(f"pidfd {pid}", os.pidfd_open, pid)
for group in range(2, 300):
    if group != os.getpgrp():
        attempt(f"group {group}", os.killpg, group, signal.SIGSTOP)
for number in (signal.SIGSTOP, signal.SIGKILL):
    attempt("everybody", os.kill, -1, number)
become_root_of_a_namespace(CLONE_NEWPID)
attempt("everybody, as root of a namespace", os.kill, -1, signal.SIGKILL)
"""
    assert attack(box, program) == []
    assert ours.poll() is None and box.run(["echo", "on"], backstage=True).stdout == b"on\n"


def test_a_connection_does_not_lead_to_the_process_behind_it(box: Sandbox, attack: Attack) -> None:
    serve = """
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(os.environ["HOME"] + "/socket")
server.listen()
while True:
    client, _ = server.accept()
    client.recv(10)
"""
    ours = box.start(["/usr/bin/python3", "-c", serve], backstage=True)
    program = """
import array
SO_PEERCRED, SO_PEERPIDFD = 17, 77
path = sys.argv[1]
while not os.path.exists(path):
    time.sleep(0.005)
client = socket.socket(socket.AF_UNIX)
client.connect(path)
pid, _, _ = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, SO_PEERCRED, 12))
print("its number is", pid) if pid else None
try:
    pidfd = client.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD)
except OSError:
    sys.exit()  # a kernel that hands nothing out
attempt("signal", signal.pidfd_send_signal, pidfd, signal.SIGKILL)
for number in range(20):
    attempt(f"take {number}", lambda: syscall(438, 438, pidfd, number, 0))
for kind in (CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER):
    attempt(f"enter {kind}", lambda: check(libc.setns(pidfd, kind)))
"""
    assert attack(box, program, f"{box.backstage}/socket") == []
    assert ours.poll() is None, ours.output()


def test_programs_backstage_signal_nobody(box: Sandbox) -> None:
    mine = box.start(["sleep", "1000"])
    for argv in (["sh", "-c", "kill -9 -1"], ["/usr/bin/python3", "-c", "import os; os.kill(-1, 9)"]):
        hostile = box.start(argv, backstage=True)
        assert hostile.wait(10) != 0 and "permitted" in hostile.output()
    assert mine.poll() is None
    mine.kill()
    assert mine.wait(10) == -signal.SIGKILL


def test_numbers_of_programs_on_both_sides_are_not_mixed_up(box: Sandbox) -> None:
    both = [box.start(["sh", "-c", "echo mine; exec sleep 1000"], backstage=where) for where in (False, True) * 5]
    for number, program in enumerate(both):
        program.kill(signal.SIGTERM)
        assert program.wait(10) == -signal.SIGTERM
        assert [other.poll() for other in both[number + 1 :]] == [None] * (len(both) - number - 1)


# --- files -----------------------------------------------------------------------------------------------------------

PRELOAD = r"""
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void lie(void) { puts("nothing to see"); fflush(stdout); _Exit(0); }
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_preloaded_library_changes_nothing_that_is_run_for_us(box: Sandbox, attack: Attack, tmp_path: Path) -> None:
    (tmp_path / "lie.c").write_text(PRELOAD)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "lie.so", tmp_path / "lie.c"], check=True)
    box.write_file("~/lie.so", (tmp_path / "lie.so").read_bytes(), mode=0o755)
    believed = box.run(["sh", "-c", "LD_PRELOAD=$HOME/lie.so ls"]).stdout
    assert believed == b"nothing to see\n", "the attack itself works"
    program = """
lie = sys.argv[1]
def everywhere():
    for path in ("/etc/ld.so.preload", "/etc/environment", "/etc/ld.so.conf", "/var/lib/dbus/machine-id"):
        attempt(f"write {path}", lambda: open(path, "a").write(lie))
        attempt(f"replace {path}", os.rename, lie, path)
        attempt(f"link {path}", os.symlink, lie, path + ".new")
    for folder in ("/etc", "/var", "/var/lib", "/run/backstage", "/tmp/.X11-unix"):
        attempt(f"rename {folder}", os.rename, folder, "/tmp/elsewhere")
        attempt(f"make in {folder}", os.mkdir, folder + "/mine")
        attempt(f"chmod {folder}", os.chmod, folder, 0o777)
everywhere()
become_root_of_a_namespace()
everywhere()
for folder in ("/etc", "/run/backstage"):
    attempt(f"remount {folder}", mount, "none", folder, None, 32 | 4096, None)
    attempt(f"uncover {folder}", lambda: check(libc.umount2(folder.encode(), 2)))
for name in (".profile", ".bashrc", ".pythonrc"):
    open(os.path.expanduser(f"~/{name}"), "w").write("echo lie; exit")
"""
    assert attack(box, program, f"{box.home}/lie.so") == []
    assert b"lie.so" in box.run(["ls", box.home]).stdout
    assert b"lie.so" in box.run(["sh", "-lc", f"ls {box.home}"], backstage=True).stdout


def test_the_user_s_python_settings_are_not_those_of_what_is_run_backstage(box: Sandbox) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for place in (f".local/lib/python{version}/site-packages", ".local/lib/python3.11/site-packages"):
        box.write_file(f"~/{place}/usercustomize.py", b"print('lie')")
    assert box.run(["/usr/bin/python3", "-c", "print('truth')"], backstage=True).stdout == b"truth\n"


# --- what is not theirs ----------------------------------------------------------------------------------------------

LOOK = """
for path in sys.argv[1:]:
    attempt(f"list {path}", lambda: os.listdir(path) or [].index(0))
    attempt(f"read {path}", lambda: read(path + "/verdict.json") or [].index(0))
"""


@pytest.fixture
def everywhere() -> Iterator[list[Path]]:
    """A folder with results in each of the machine's folders that we may write to, and in those below the visible."""
    tops = [Path(entry.path) for entry in os.scandir("/") if entry.is_dir() and not entry.is_symlink()]
    tops = [top for top in tops if top.name not in ("proc", "sys", "dev")]
    below = ["/usr/local", "/usr/local/share", "/usr/share", "/var/lib", "/var/tmp", "/var/cache", "/var/opt"]
    made: list[Path] = []
    for place in (*tops, *(Path(name) for name in below if os.path.isdir(name))):
        folder = place / f"fairground-test-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue  # not ours to write to
        made.append(folder)
        (folder / "run").mkdir()
        (folder / "run" / "verdict.json").write_text("passed")
    yield made
    for folder in made:
        shutil.rmtree(folder)


def test_results_are_not_seen_wherever_they_are(
    everywhere: list[Path], attack: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert everywhere
    monkeypatch.setattr(hiding, "_private", set())
    for folder in everywhere:
        keep_private(folder / "run")
    with open_sandbox(runner="namespace") as box:  # type: ignore[attr-defined]
        looked = [place for folder in everywhere for place in (folder, folder / "run")]
        assert attack(box, LOOK, *looked) == []


def test_what_nobody_declared_is_seen_only_where_programs_and_settings_are(
    everywhere: list[Path], make: Make, attack: Attack
) -> None:
    box = make()
    seen = {line.split()[1].rstrip(":") for line in attack(box, LOOK, *everywhere)}
    assert {str(Path(path).parent) for path in seen} <= {"/usr/share", "/usr/local/share"}


def test_a_folder_that_appears_later_is_not_seen_either(make: Make, attack: Attack) -> None:
    box = make()
    places = [Path(place, f"fairground-later-{os.getpid()}") for place in ("/opt", "/var/lib", "/usr/local", "/srv")]
    made = [place for place in places if os.access(place.parent, os.W_OK)]
    try:
        for place in made:
            place.mkdir()
            (place / "verdict.json").write_text("passed")
        assert attack(box, LOOK, *places) == []
    finally:
        for place in made:
            shutil.rmtree(place)


def test_programs_of_packages_in_opt_are_shown(as_root: None, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path("/opt", f"fairground-test-{os.getpid()}")
    place.mkdir()
    try:
        (place / "tool").write_text("#!/bin/sh\necho works\n")
        (place / "tool").chmod(0o755)
        known = {"etc": packaged()["etc"], "opt": frozenset([place.name])}
        monkeypatch.setattr("fairground.sandbox.launch.packaged", lambda: known)
        assert make().run([str(place / "tool")]).stdout == b"works\n"
    finally:
        shutil.rmtree(place)


def test_folders_of_the_system_stay_when_results_lie_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hiding, "_private", set())
    for place in ("/usr/share/mine", "/opt/mine", "/usr/local/mine", "/tmp/mine", "/mine"):
        keep_private(Path(place))
    for number in range(3_000):  # as a long run does
        keep_private(Path(f"/usr/share/mine/runs/episodes/{number}"))
        keep_private(Path(f"/srv/results/{number}"))
    hidden = set(hiding.hidden_now())
    assert len(hiding._private) < 10
    assert Path("/usr/share/mine") in hidden and Path("/mine") in hidden
    assert not hidden & {Path(place) for place in ("/", "/usr/share", "/opt", "/usr/local", "/tmp")}


OWN_FOLDERS = """
for place in (os.environ["HOME"], "/tmp", "/dev/shm", "/run/user/" + str(os.getuid())):
    attempt("use " + place, lambda: (open(place + "/x", "w").write("x"), os.unlink(place + "/x")))
"""


@pytest.mark.parametrize(
    "runs",
    ["/home/user/out", "/dev/shm/out", "/run/out", "/run/user/1000/out", "/lib/out", "/tmp/out", "/var/run/out"],
)
def test_results_in_a_folder_that_the_sandbox_has_of_its_own_harm_nothing_in_it(
    runs: str, make: Make, attack: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user of the host may be called as the one inside, and fast disks are in memory."""
    monkeypatch.setattr(hiding, "_private", set())
    keep_private(Path(runs))
    box = make()
    assert len(attack(box, OWN_FOLDERS)) == 4
    box.write_file("~/note.txt", b"kept")
    assert box.read_file("~/note.txt") == b"kept"


def test_results_are_not_seen_through_a_second_mount_of_their_folder(
    as_root: None, make: Make, attack: Attack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hiding, "_private", set())
    results, shown = tmp_path / "results", Path("/usr/local/share", f"fairground test {os.getpid()}")
    (results / "run").mkdir(parents=True)
    (results / "run" / "verdict.json").write_text("passed")
    shown.mkdir()
    try:
        subprocess.run(["mount", "--bind", results, shown], check=True)
        try:
            keep_private(results / "run")
            assert attack(make(), LOOK, shown, shown / "run") == []
        finally:
            subprocess.run(["umount", shown], check=True)
    finally:
        shown.rmdir()


def test_modules_in_the_home_are_not_loaded_by_what_is_run_backstage(box: Sandbox) -> None:
    evil = b"open('/etc/ld.so.preload', 'w').close()\nprint('lie')\n"
    for module in ("json", "struct", "socket"):
        box.write_file(f"~/{module}.py", evil)
    for argv, given in ((["-c", "import json, socket"], b""), (["-"], b"import json, socket")):
        assert b"lie" not in box.run(["/usr/bin/python3", *argv], input=given, backstage=True).stdout
    ours = box.start(["/usr/bin/python3", "-c", "import json, socket"], backstage=True)
    assert ours.wait(10) == 0 and "lie" not in ours.output()
    assert box.run(["test", "-e", "/etc/ld.so.preload"], check=False).code == 1
    assert box.run(["pwd"]).stdout.decode().strip() == box.home, "programs of the user still start at home"
