"""Programs inside try to reach the host's files, to uncover what is covered, and to lead the keeper astray."""

import contextlib
import os
import socket
import stat
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import fairground
from fairground.core import SandboxError, StateError
from fairground.sandbox import Sandbox
from fairground.sandbox.hidden import hidden_paths

pytestmark = pytest.mark.process

Attack = Callable[..., list[str]]
Make = Callable[..., Sandbox]


# --- the host's files ------------------------------------------------------------------------------------------------


def test_the_hosts_files_are_not_seen(shared: Sandbox, attack: Attack, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    secret.chmod(0o644)
    places = [
        tmp_path,
        Path.home(),
        Path.cwd(),
        Path(sys.prefix),
        *(Path(place) for place in fairground.__path__),
        *hidden_paths(),
        Path("/boot"),
        Path("/lost+found"),
        Path("/run/dbus"),
        Path("/run/systemd"),
        Path("/var/log"),
        Path("/var/spool"),
        Path("/var/backups"),
        Path("/etc/ssh"),
        Path("/etc/shadow"),
        Path("/etc/gshadow"),
        Path("/home/user/.bashrc"),
    ]
    program = """
for path in sys.argv[1:]:
    attempt(f"list {path}", lambda: os.listdir(path) or [].index(0))
    attempt(f"read {path}", read, path)
"""
    assert attack(shared, program, secret, *places) == []


def test_nothing_of_the_host_can_be_written(shared: Sandbox, attack: Attack) -> None:
    program = """
for folder in ("/", "/usr", "/usr/bin", "/usr/local", "/opt", "/proc", "/sys", "/root", "/mnt", "/home"):
    attempt(f"create in {folder}", lambda: os.open(f"{folder}/escaped", os.O_CREAT | os.O_WRONLY))
    attempt(f"chmod {folder}", os.chmod, folder, 0o777)
for path in ("/usr/bin/env", "/usr/bin/python3", "/etc/../usr/lib/os-release"):
    attempt(f"write {path}", os.open, path, os.O_WRONLY)
    attempt(f"remove {path}", os.unlink, path)
    attempt(f"times {path}", os.utime, path)
    attempt(f"attribute {path}", os.setxattr, path, "user.escaped", b"x")
"""
    assert attack(shared, program) == []
    assert not any(Path(folder, "escaped").exists() for folder in ("/", "/usr", "/usr/bin", "/opt", "/dev", "/mnt"))


def test_what_is_written_in_etc_and_var_stays_inside(make: Make, attack: Attack) -> None:
    before = Path("/etc/passwd").read_text()
    one, two = make(), make()
    program = """
attempt("passwd", lambda: open("/etc/passwd", "a").write("evil::0:0::/:/bin/sh\\n"))
attempt("etc", lambda: open("/etc/escaped", "w").close())
attempt("var", os.mkdir, "/var/escaped")
"""
    assert attack(one, program) == [], "programs change nothing there at all"
    one.run(["sh", "-c", "echo evil >> /etc/passwd; touch /etc/escaped; mkdir /var/escaped"], backstage=True)
    assert b"evil" in one.read_file("/etc/passwd")
    assert Path("/etc/passwd").read_text() == before
    assert not Path("/etc/escaped").exists() and not Path("/var/escaped").exists()
    assert attack(two, "attempt('seen', os.stat, '/etc/escaped'); attempt('seen', os.stat, '/var/escaped')") == []
    assert b"evil" not in two.read_file("/etc/passwd")


def test_the_user_inside_is_nobody_outside(make: Make) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        tree = Path(folder, "tree")
        tree.mkdir()
        if os.geteuid() == 0:
            os.chown(tree, 60600, 60600)
            os.chmod(folder, 0o755)
        box = make(writable=tree)
        box.run(["sh", "-c", "touch mine; cp /usr/bin/id s; chmod 6755 s"])
        info = (tree / "home" / "s").stat()
        assert (info.st_uid == 60600) if os.geteuid() == 0 else (info.st_uid == os.geteuid())
        assert not info.st_mode & stat.S_ISUID or info.st_uid != 0
        box.discard()


# --- what is covered -------------------------------------------------------------------------------------------------


def test_hidden_code_below_usr_is_not_seen(software: Path, make: Make, attack: Attack) -> None:
    package, module = software / "suite", software / "oracle.py"
    package.mkdir()
    (package / "checks.py").write_text("answer = 42")
    module.write_text("answer = 42")
    link = software / "link"
    link.symlink_to(package)
    look = """
for path in sys.argv[1:]:
    attempt(path, lambda: os.listdir(path) or [].index(0))
    attempt(path, lambda: read(path) or [].index(0))
"""
    paths = [package, package / "checks.py", module, link, link / "checks.py"]
    assert len(attack(make(), look, *paths)) == 5, "the attempt itself works"
    assert attack(make(hide=(link, module)), look, *paths) == []


def test_nothing_uncovers_what_is_covered_or_makes_it_writable(software: Path, make: Make, attack: Attack) -> None:
    (software / "secret").write_text("answer")
    box = make(hide=(software,))
    program = """
hidden, above = sys.argv[1], os.path.dirname(sys.argv[1])
become_root_of_a_namespace()
for name in ("m", "u", "w", "o"):
    os.mkdir(f"/tmp/{name}")
BIND, REC, REMOUNT, MOVE, RDONLY = 4096, 16384, 32, 8192, 1
def seen(where):
    for name in ("", "/" + os.path.basename(hidden)):
        attempt(f"{where}: secret", read, f"/tmp/m{name}/secret")
def on_m(what, *arguments):
    try:
        mount(*arguments)
    except OSError:
        return
    seen(what)
    libc.umount2(b"/tmp/m", 2)
for flags in (0, 1, 2, 4, 8):
    for path in (hidden, "/usr", "/var/log", "/proc", "/", "/usr/local", "/etc"):
        attempt(f"umount {path}", lambda: check(libc.umount2(path.encode(), flags)))
for path in (hidden, "/usr", "/opt", "/usr/local", "/", "/var/log"):
    for flags in (REMOUNT, REMOUNT | BIND, REMOUNT | BIND | 2, REMOUNT | BIND | 4):
        attempt(f"remount {path}", mount, "none", path, None, flags, None)
    attempt(f"make shared {path}", lambda: open(f"{path}/x", "w"))
for source in (above, "/usr", hidden, "/"):
    on_m(f"bind {source}", source, "/tmp/m", None, BIND)
    on_m(f"rbind {source}", source, "/tmp/m", None, BIND | REC)
    on_m(f"move {source}", source, "/tmp/m", None, MOVE)
    for options in (f"lowerdir={source}:/tmp/o,userxattr", f"lowerdir=/tmp/o:{source},userxattr",
                    f"lowerdir={source},upperdir=/tmp/u,workdir=/tmp/w,userxattr",
                    f"lowerdir={source},upperdir=/tmp/u,workdir=/tmp/w"):
        on_m(f"overlay {options}", "overlay", "/tmp/m", "overlay", 0, options)
# The newer calls: a copy of the tree that is not attached anywhere, changed before it is.
for source in (above, "/usr", hidden, "/"):
    for recursive in (0, 0x8000):
        try:
            tree = syscall(428, 428, -100, source.encode(), 1 | recursive)
        except OSError:
            continue
        attempt(f"clone {source}", lambda: read(f"/proc/self/fd/{tree}/{os.path.basename(hidden)}/secret"))
        attempt(f"clone {source}", lambda: read(f"/proc/self/fd/{tree}/secret"))
        clear = struct.pack("=QQQQ", 0, 1, 0, 0)
        attempt(f"writable {source}", lambda: syscall(442, 442, tree, b"", 0x1000 | recursive, clear, 32))
attempt("pivot", lambda: syscall(155, 41, b"/tmp/m", b"/tmp/m"))
os.chroot("/tmp")
for _ in range(10):
    os.chdir("..")
attempt("out of chroot", os.stat, hidden.lstrip("/") + "/secret")
"""
    assert attack(box, program, software) == []
    assert attack(box, "attempt('still hidden', read, sys.argv[1] + '/secret')", software) == []


@pytest.mark.parametrize("software", ["/usr/local/lib"], indirect=True)
def test_a_server_of_the_host_with_its_socket_below_usr_local_is_not_reached(
    software: Path, make: Make, attack: Attack
) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(software / "socket"))
        server.listen()
        os.chmod(software / "socket", 0o777)
        os.mkfifo(software / "pipe", 0o777)
        os.chmod(software / "pipe", 0o777)
        reader = os.open(software / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        program = """
client = socket.socket(socket.AF_UNIX)
attempt("connected", client.connect, sys.argv[1] + "/socket")
attempt("pipe", lambda: os.write(os.open(sys.argv[1] + "/pipe", os.O_WRONLY | os.O_NONBLOCK), b"x"))
"""
        try:
            assert attack(make(), program, software) == []
        finally:
            os.close(reader)


# --- leading the keeper astray ---------------------------------------------------------------------------------------


def test_the_keeper_is_not_led_astray_by_links_that_change_under_it(box: Sandbox) -> None:
    """A name is swapped as fast as possible between a plain file and links into the kernel's files."""
    swap = """
import os
os.makedirs("real/sub", exist_ok=True)
open("real/file", "w").write("plain")
targets = ["/proc/self/environ", "/proc/1/fd/4", "/proc/self/root/etc/passwd", "/dev/zero", "/proc/self/maps"]
turn = 0
while True:
    turn += 1
    for target in ("real/file", targets[turn % 5]):
        os.symlink(target, "new") if target != "real/file" else os.link("real/file", "new")
        os.rename("new", "name")
    for target in ("real", "/proc/self", "/proc/1/fd", "/proc/self/task"):
        os.symlink(target, "newdir")
        os.rename("newdir", "folder")
"""
    box.start(["python3", "-c", swap])
    while True:
        try:
            box.read_file("~/name")
            break
        except StateError:
            continue
    seen = set()
    for turn in range(300):
        with contextlib.suppress(StateError):
            seen.add(box.read_file("~/name", limit=1 << 20))
        with contextlib.suppress(SandboxError):
            box.write_file(f"~/folder/fd/{turn % 10}", b"overwritten")
        with contextlib.suppress(StateError):
            listed = {entry.path for entry in box.list_files("~/folder")}
            assert listed <= {"file", "sub", "fd", *(f"fd/{number}" for number in range(10))}, listed
    assert seen <= {b"plain", b"overwritten"}, seen
    assert box.alive and box.run(["echo", "on"]).stdout == b"on\n"


def test_a_folder_that_becomes_a_link_is_not_followed_when_listed(box: Sandbox) -> None:
    swap = """
import os
os.mkdir("d")
os.mkdir("t")
while True:
    os.rename("d", "t/x")
    os.rename("t/x", "d")
    os.symlink("/usr", "t/x")
    os.unlink("t/x")
"""
    box.start(["python3", "-c", swap])
    while box.run(["sh", "-c", "[ -d t ]"], check=False).code != 0:
        pass
    for _ in range(500):
        assert {entry.path for entry in box.list_files("~/t")} <= {"x"}


def test_a_file_that_a_program_holds_a_lease_on_does_not_hold_the_keeper(box: Sandbox) -> None:
    hold = """
import fcntl, os, signal
fd = os.open("f", os.O_RDWR | os.O_CREAT)
signal.signal(signal.SIGIO, signal.SIG_IGN)
fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("held", flush=True)
signal.pause()
"""
    holder = box.start(["python3", "-c", hold])
    while "held" not in holder.output():
        assert holder.poll() is None, holder.output()
    with pytest.raises(StateError):
        box.read_file("~/f")
    assert box.run(["echo", "on"]).stdout == b"on\n"


def test_a_path_deeper_than_paths_can_be_is_an_error_not_an_omission(box: Sandbox) -> None:
    deep = "import os\nfor _ in range(3000):\n os.mkdir('dd'); os.chdir('dd')\nopen('hidden', 'w').close()"
    box.run(["python3", "-c", deep], cwd="~")
    with pytest.raises(StateError):
        box.list_files("~")
    assert box.alive


def test_a_server_that_accepts_nobody_does_not_hold_the_keeper(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.sandbox.kept._CONNECT_SECONDS", 1.0)
    full = """
import socket, signal
tcp = socket.create_server(("127.0.0.1", 7007), backlog=0)
unix = socket.socket(socket.AF_UNIX)
unix.bind("full")
unix.listen(0)
clients = []
for family, address in ((socket.AF_INET, ("127.0.0.1", 7007)), (socket.AF_UNIX, "full")):
    for _ in range(4):
        client = socket.socket(family)
        client.setblocking(False)
        client.connect_ex(address)
        clients.append(client)
print("full", flush=True)
signal.pause()
"""
    server = box.start(["python3", "-c", full])
    while "full" not in server.output():
        assert server.poll() is None, server.output()
    answered = threading.Event()

    def connect() -> None:
        for address in (7007, "~/full"):
            with pytest.raises(SandboxError):
                box.connect(address)
        answered.set()

    waiting = threading.Thread(target=connect)
    waiting.start()
    assert box.run(["echo", "on"]).stdout == b"on\n"
    waiting.join(30)
    assert answered.is_set()
