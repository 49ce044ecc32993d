"""Programs inside try to reach processes, the keeper, the network and the kernel. Each attempt is a real program."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator

import pytest

from fairground.core import SandboxError
from fairground.sandbox import Sandbox

pytestmark = pytest.mark.process

Attack = Callable[..., list[str]]


# --- processes -------------------------------------------------------------------------------------------------------


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the host, of the same user that sandboxes are where that is possible."""
    as_sandbox = {"user": 60600, "group": 60600, "extra_groups": []} if os.geteuid() == 0 else {}
    process = subprocess.Popen(["sleep", "1000"], **as_sandbox)  # type: ignore[call-overload]
    yield process
    assert process.poll() is None, "a process of the host was ended from inside"
    process.kill()
    process.wait()


def test_processes_of_the_host_cannot_be_seen_signalled_or_traced(
    shared: Sandbox, attack: Attack, bystander: subprocess.Popen[bytes]
) -> None:
    program = """
for pid in map(int, sys.argv[1:]):
    attempt(f"signal {pid}", os.kill, pid, 0)
    attempt(f"kill {pid}", os.kill, pid, signal.SIGKILL)
    attempt(f"group {pid}", os.killpg, pid, signal.SIGKILL)
    attempt(f"pidfd {pid}", os.pidfd_open, pid)
    attempt(f"attach {pid}", lambda: check(libc.ptrace(PTRACE_ATTACH, pid, 0, 0)))
    attempt(f"proc {pid}", os.listdir, f"/proc/{pid}")
    attempt(f"priority {pid}", os.setpriority, os.PRIO_PROCESS, pid, 19)
for name in os.listdir("/proc"):
    if name.isdigit() and int(name) not in (1, os.getpid()):
        print("sees", name, open(f"/proc/{name}/cmdline").read())
"""
    # Numbers inside begin at 1: only those that no process inside can have say something.
    pids = [pid for pid in (bystander.pid, os.getpid(), os.getppid()) if pid > 200]
    assert attack(shared, program, *pids) == []


def test_killing_everything_kills_nothing_of_the_host_or_of_another_sandbox(
    make: Callable[..., Sandbox], attack: Attack, bystander: subprocess.Popen[bytes]
) -> None:
    one, two = make(), make()
    other = two.start(["sleep", "1000"])
    mine = one.start(["sleep", "1000"])
    attack(one, "os.kill(-1, signal.SIGKILL)")
    assert mine.wait(10) == -signal.SIGKILL
    assert other.poll() is None and two.alive and one.alive
    assert one.run(["echo", "on"]).stdout == b"on\n"


def test_the_shared_memory_of_another_sandbox_is_not_found(make: Callable[..., Sandbox], attack: Attack) -> None:
    one, two = make(), make()
    make_segment = "print(check(libc.shmget(4711, 4096, 0o1666)))"
    assert attack(one, make_segment)
    assert attack(two, "attempt('segment', lambda: check(libc.shmget(4711, 4096, 0o666)))") == []
    one.write_file("/dev/shm/mine", b"x")
    assert attack(two, "attempt('file', read, '/dev/shm/mine')") == []


def test_the_display_of_another_sandbox_is_not_found(make: Callable[..., Sandbox], attack: Attack) -> None:
    one, two = make(), make()
    serve = """
for number, address in enumerate(["/tmp/X7", "\\0/tmp/.X11-unix/X7"]):
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen()
    globals()[f"server{number}"] = server
tcp = socket.create_server(("127.0.0.1", 6007))
open("/tmp/up", "w").close()
signal.pause()
"""
    one.start(["python3", "-c", "import signal, socket\n" + serve])
    find = """
def connect(family, address):
    socket.socket(family).connect(address)
    return "connected"
attempt("path", connect, socket.AF_UNIX, "/tmp/X7")
attempt("abstract", connect, socket.AF_UNIX, "\\0/tmp/.X11-unix/X7")
attempt("tcp", connect, socket.AF_INET, ("127.0.0.1", 6007))
"""
    wait = "while not os.path.exists('/tmp/up'): time.sleep(0.005)\n"
    assert len(attack(one, wait + find)) == 3, "the attempt itself works where the display is"
    assert attack(two, find) == []


# --- the keeper ------------------------------------------------------------------------------------------------------


def test_the_keeper_cannot_be_read_traced_or_entered(shared: Sandbox, attack: Attack) -> None:
    program = """
def attempts(where):
    for name in ("environ", "mem", "maps", "auxv", "stack", "syscall", "io", "fdinfo/0", "root/etc/passwd",
                 "cwd/etc/passwd", "exe", "smaps", "pagemap", "personality", "numa_maps"):
        attempt(f"{where} read {name}", read, f"/proc/1/{name}", 1)
    for name in ("fd", "map_files", "fdinfo", "root", "cwd", "task/1/fd"):
        attempt(f"{where} list {name}", os.listdir, f"/proc/1/{name}")
    for name in ("exe", "root", "cwd", "ns/mnt", "ns/user", "ns/net", "ns/pid"):
        attempt(f"{where} link {name}", os.readlink, f"/proc/1/{name}")
    for number in range(40):
        attempt(f"{where} open {number}", os.open, f"/proc/1/fd/{number}", os.O_RDWR)
    attempt(f"{where} attach", lambda: check(libc.ptrace(PTRACE_ATTACH, 1, 0, 0)))
    attempt(f"{where} seize", lambda: check(libc.ptrace(PTRACE_SEIZE, 1, 0, 0)))
    buffer = ctypes.create_string_buffer(64)
    vector = struct.pack("PN", ctypes.addressof(buffer), 64)
    attempt(f"{where} vm", lambda: syscall(310, 270, 1, vector, 1, vector, 1, 0))
    attempt(f"{where} oom", write, "/proc/1/oom_score_adj", "1000")
    attempt(f"{where} core filter", write, "/proc/1/coredump_filter", "255")
    for number in range(16):
        attempt(f"{where} limit {number}", lambda: __import__("resource").prlimit(1, number, (0, 0)))
    attempt(f"{where} priority", os.setpriority, os.PRIO_PROCESS, 1, 19)
    attempt(f"{where} priority of all", os.setpriority, os.PRIO_USER, os.getuid(), 19)
    attempt(f"{where} scheduler", os.sched_setscheduler, 1, os.SCHED_IDLE, os.sched_param(0))
    attempt(f"{where} affinity", os.sched_setaffinity, 1, {0})
    attempt(f"{where} group", os.setpgid, 1, 0)
    attempt(f"{where} io priority", lambda: syscall(251, 30, 1, 1, 3 << 13))
    pidfd = os.pidfd_open(1)
    for number in range(20):
        attempt(f"{where} take {number}", lambda: syscall(438, 438, pidfd, number, 0))
    attempt(f"{where} setns", lambda: check(libc.setns(pidfd, CLONE_NEWNS)))

attempts("plain")
become_root_of_a_namespace()
attempts("as root of a namespace")
"""
    assert attack(shared, program) == []


def test_no_signal_stops_the_keeper(box: Sandbox, attack: Attack) -> None:
    program = """
for number in signal.valid_signals():
    for _ in range(50):
        attempt("", lambda: os.kill(1, number)) if number == 0 else os.kill(1, number)
"""
    attack(box, program)
    assert box.alive and box.run(["echo", "on"]).stdout == b"on\n"


def test_the_keepers_socket_and_files_are_not_handed_on(box: Sandbox, attack: Attack) -> None:
    program = """
for number in range(3, 1024):
    attempt(f"fd {number}", os.fstat, number)
for number in range(3):
    print(os.readlink(f"/proc/self/fd/{number}").partition(":")[0])
"""
    assert attack(box, program) == ["/memfd", "pipe", "pipe"]
    started = box.start(["python3", "-c", "import os; print(sorted(os.listdir('/proc/self/fd')))"])
    started.wait(10)
    assert started.output() == "['0', '1', '2', '3']\n"


@pytest.mark.parametrize("times", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_program_that_stops_every_new_process_cannot_hold_the_keeper(box: Sandbox, times: int) -> None:
    stopper = box.start(["perl", "-e", "while (1) { kill STOP => -1 }"])
    for _ in range(times):
        with contextlib.suppress(SandboxError):  # kept from starting, after some seconds
            box.start(["true"]).kill()
    stopper.kill()
    assert stopper.wait(10) == -signal.SIGKILL
    assert box.run(["echo", "on"]).stdout == b"on\n"


def test_a_program_that_kills_every_new_process_only_harms_itself(box: Sandbox) -> None:
    killer = box.start(["perl", "-e", "while (1) { kill KILL => -1 }"])
    codes = {box.run(["true"], check=False).code for _ in range(20)}
    assert codes <= {0, -signal.SIGKILL}
    killer.kill()
    assert box.run(["echo", "on"]).stdout == b"on\n"


def test_an_orphan_with_a_reused_number_does_not_change_a_programs_status(
    as_root: None, box: Sandbox, inner_pid: Callable[[Sandbox], int]
) -> None:
    program = box.start(["sh", "-c", "exit 3"])
    assert program.wait(10) == 3
    # Only root outside can say which number comes next; inside, numbers come round after some thousands of forks.
    again = f"echo {program.pid - 1} > /proc/sys/kernel/ns_last_pid; sh -c 'echo $$; exit 99' & exit 0"
    enter = ["nsenter", "-t", str(inner_pid(box)), "-p", "sh", "-c", again]
    done = subprocess.run(enter, capture_output=True, text=True, check=True)
    assert int(done.stdout) == program.pid, "the number was reused"
    box.run(["true"])  # by now the orphan was reaped
    assert box._channel.call({"do": "status", "pid": program.pid})[0] == 3  # type: ignore[attr-defined]


# --- the network -----------------------------------------------------------------------------------------------------


def test_no_kind_of_socket_reaches_out(shared: Sandbox, attack: Attack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as loopback, socket.create_server(("0.0.0.0", 0)) as everywhere:
        program = """
import random
loopback, everywhere, *hosts = sys.argv[1:]
def connect(family, kind, address):
    client = socket.socket(family, kind)
    client.settimeout(2)
    client.connect(address)
    client.send(b"x")
    return "sent"
def attempts(where):
    for host in hosts:
        for port in (loopback, everywhere, 53, 80):
            attempt(f"{where} tcp {host}:{port}", connect, socket.AF_INET, socket.SOCK_STREAM, (host, int(port)))
            if not host.startswith("127."):
                attempt(f"{where} udp {host}:{port}", connect, socket.AF_INET, socket.SOCK_DGRAM, (host, int(port)))
    for family in (3, 4, 5, 9, 15, 17, 21, 26, 29, 30, 31, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45):
        for kind in (1, 2, 3, 5):
            attempt(f"{where} family {family}", socket.socket, family, kind)
    for protocol in set(range(24)) - {0, 15}:
        attempt(f"{where} netlink {protocol}", socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, protocol)
attempts("plain")
attempt("raw", socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)
attempt("name", socket.getaddrinfo, "example.org", 80)
attempt("interfaces", lambda: [name for _, name in socket.if_nameindex() if name != "lo"] or [][0:0].index(1))
become_root_of_a_namespace(CLONE_NEWNET)
attempts("in a namespace")
"""
        hosts = ["127.0.0.1", "10.0.2.2", "10.0.2.3", "192.0.2.1", "169.254.169.254", *_own_addresses()]
        ports = [loopback.getsockname()[1], everywhere.getsockname()[1]]
        assert attack(shared, program, *ports, *hosts) == []


def test_abstract_sockets_of_the_host_are_not_found(shared: Sandbox, attack: Attack) -> None:
    name = f"fairground-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as stream, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagram:
        stream.bind(f"\0{name}")
        stream.listen()
        datagram.bind(f"\0{name}-datagram")
        program = """
def connect(kind, name):
    client = socket.socket(socket.AF_UNIX, kind)
    client.connect("\\0" + name)
    return "connected"
attempt("stream", connect, socket.SOCK_STREAM, sys.argv[1])
attempt("datagram", connect, socket.SOCK_DGRAM, sys.argv[1] + "-datagram")
for line in open("/proc/net/unix"):
    if sys.argv[1] in line:
        print(line)
"""
        assert attack(shared, program, name) == []


# --- the kernel ------------------------------------------------------------------------------------------------------


def test_settings_of_the_kernel_cannot_be_changed(shared: Sandbox, attack: Attack) -> None:
    program = """
def attempts(where):
    for folder, _, names in os.walk("/proc/sys"):
        for name in names:
            path = f"{folder}/{name}"
            if where == "nested" and path.startswith(("/proc/sys/user/", "/proc/sys/kernel/pid_max")):
                continue  # a namespace's own
            try:
                fd = os.open(path, os.O_RDWR)
                os.pwrite(fd, os.read(fd, 1000) or b"1", 0)
            except OSError:
                continue
            print(where, "writes", path)
    for path, text in (("/proc/sysrq-trigger", "h"), ("/proc/sys/kernel/core_pattern", "|/bin/sh"),
                       ("/proc/timer_list", ""), ("/proc/irq/default_smp_affinity", "1"), ("/proc/kmsg", "")):
        attempt(f"{where} writes {path}", write, path, text)
    for path in ("/proc/kcore", "/proc/kmsg", "/proc/vmallocinfo", "/proc/kpageflags", "/proc/kpagecount"):
        attempt(f"{where} reads {path}", read, path, 1)
    attempt(f"{where} hostname", lambda: check(libc.sethostname(b"evil", 4)))
    attempt(f"{where} time", lambda: time.clock_settime(time.CLOCK_REALTIME, 0))
    attempt(f"{where} nice", os.nice, -5)
attempts("plain")
become_root_of_a_namespace()
attempts("nested")
"""
    assert attack(shared, program) == []


def test_sys_is_not_there(shared: Sandbox, attack: Attack) -> None:
    program = """
print(os.listdir("/sys"))
become_root_of_a_namespace(CLONE_NEWNS | CLONE_NEWNET)
os.mkdir("/tmp/sys")
attempt("sysfs", mount, "sysfs", "/tmp/sys", "sysfs")
for kind in ("debugfs", "tracefs", "securityfs", "efivarfs", "configfs", "pstore", "bpf", "devtmpfs", "ext4"):
    attempt(kind, mount, kind, "/tmp/sys", kind)
"""
    assert attack(shared, program) == ["[]"]


def test_system_calls_that_reach_past_namespaces_are_refused(shared: Sandbox, attack: Attack) -> None:
    program = """
buffer = ctypes.create_string_buffer(128)
def attempts(where):
    for name, x86_64, aarch64, *arguments in (
        ("kcmp", 312, 272, 1, 1, 0, 0, 0),
        ("add_key", 248, 217, b"user", b"x", b"y", 1, -3),
        ("request_key", 249, 218, b"user", b"x", 0, -3),
        ("keyctl", 250, 219, 0, -3, 1),
        ("bpf", 321, 280, 0, buffer, 128),
        ("perf_event_open", 298, 241, buffer, 0, -1, -1, 0),
        ("userfaultfd", 323, 282, 0),
        ("init_module", 175, 105, buffer, 1, b""),
        ("finit_module", 313, 273, 0, b"", 0),
        ("delete_module", 176, 106, b"loop", 0),
        ("swapon", 167, 224, b"/tmp/x", 0),
        ("kexec_load", 246, 104, 0, 0, 0, 0),
        ("acct", 163, 89, b"/tmp/x"),
        ("reboot", 169, 142, 0xfee1dead, 672274793, 0, 0),
        ("syslog", 103, 116, 3, buffer, 128),
        ("io_uring_setup", 425, 425, 8, buffer),
        ("quotactl", 179, 60, 0, 0, 0, 0),
        ("open_by_handle_at", 304, 265, -100, buffer, 0),
        ("pivot_root", 155, 41, b"/tmp", b"/tmp"),
        ("ioperm", 173, 9999, 0, 8, 1),
        ("iopl", 172, 9999, 3),
    ):
        attempt(f"{where} {name}", lambda: syscall(x86_64, aarch64, *arguments))
    attempt(f"{where} mknod", os.mknod, "/tmp/sda", 0o60666, os.makedev(8, 0))
    attempt(f"{where} mknod char", os.mknod, "/tmp/mem", 0o20666, os.makedev(1, 1))
attempts("plain")
attempt("chroot", os.chroot, "/tmp")
attempt("setuid", os.setuid, 0)
become_root_of_a_namespace()
attempts("nested")
"""
    assert attack(shared, program) == []


def test_programs_that_would_give_rights_give_none(shared: Sandbox, attack: Attack) -> None:
    program = """
for folder in ("/usr/bin", "/usr/sbin", "/usr/lib/openssh", "/usr/lib/dbus-1.0", "/usr/libexec"):
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        info = os.lstat(f"{folder}/{name}")
        if info.st_mode & 0o6000 and (info.st_mode & 0o170000) == 0o100000:
            pid = os.fork()
            if pid == 0:
                null = os.open("/dev/null", os.O_RDWR)
                for fd in range(3):
                    os.dup2(null, fd)
                signal.alarm(1)
                os.execv(f"{folder}/{name}", [name, "--version"])
            seen = set()
            while os.waitpid(pid, os.WNOHANG)[0] == 0:
                try:
                    lines = open(f"/proc/{pid}/status").read().splitlines()
                except OSError:
                    continue
                seen |= {line for line in lines if line.startswith(("Uid", "Gid", "CapEff"))}
            rights = {line for line in seen if line.split()[1:] not in (["1000"] * 4, ["0" * 16])}
            if rights:
                print(name, rights)
started = []
streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
for command in (["su", "-c", "id"], ["sudo", "-n", "id"], ["pkexec", "id"], ["newgrp", "root"]):
    try:
        started.append(subprocess.Popen(command, **streams))
    except FileNotFoundError:
        continue
for process in started:  # each of them takes its time to refuse
    try:
        said, _ = process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        continue
    if b"uid=0" in said:
        print(process.args)
"""
    assert attack(shared, program, timeout=60) == []


def test_calls_of_another_architecture_do_not_walk_around_the_filter(box: Sandbox, attack: Attack) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip(f"the attack is by 32-bit calls, which only x86_64 has; this is {os.uname().machine}")
    program = """
import mmap
# mov eax, NUMBER; xor ebx..edx; int 0x80; ret  (32-bit calls from a 64-bit program)
def call_32(number):
    code = mmap.mmap(-1, 4096, prot=7)
    rest = b"\\x31\\xdb\\x31\\xc9\\x31\\xd2\\xcd\\x80\\x48\\x63\\xc0\\x5b\\xc3"
    code.write(b"\\x53\\xb8" + struct.pack("<I", number) + rest)
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return ctypes.CFUNCTYPE(ctypes.c_long)(address)()
for name, number in (("getpid", 20), ("keyctl", 288), ("bpf", 357), ("socketcall", 102)):
    pid = os.fork()
    if pid == 0:
        result = call_32(number)
        os._exit(1 if result >= 0 else 0)
    status = os.waitpid(pid, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        print("32-bit", name)
attempt("x32 getpid", lambda: check(libc.syscall(0x40000000 + 39)))
"""
    assert attack(box, program) == []


def test_a_terminal_that_was_handed_over_cannot_be_typed_into(box: Sandbox) -> None:
    ours, theirs = os.openpty()
    try:
        program = """
import fcntl, os, sys
os.setsid() if os.getsid(0) != os.getpid() else None
fcntl.ioctl(0, 0x540E, 0)
for request, argument in ((0x5412, b"x"), (0x541C, b"\\x02")):
    try:
        fcntl.ioctl(0, request, argument)
        print("typed", hex(request))
    except OSError:
        pass
"""
        done = box.start(["python3", "-c", program], fds={0: theirs})
        assert done.wait(10) == 0, done.output()
        assert done.output() == ""
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_crash_leaves_no_dump_and_calls_no_program_of_the_host(box: Sandbox, attack: Attack) -> None:
    program = """
import resource
limit = resource.getrlimit(resource.RLIMIT_CORE)
for value in ((0, 0), (0, 1)):
    try:
        resource.setrlimit(resource.RLIMIT_CORE, value)
    except ValueError:
        pass
    try:
        resource.prlimit(0, resource.RLIMIT_CORE, value)
    except ValueError:
        pass
if resource.getrlimit(resource.RLIMIT_CORE) != limit:
    print("the limit was changed to", resource.getrlimit(resource.RLIMIT_CORE))
os.chdir("/tmp")
pid = os.fork()
if pid == 0:
    os.abort()
status = os.waitpid(pid, 0)[1]
if os.WCOREDUMP(status):
    print("dumped")
for name in os.listdir("."):
    if "core" in name:
        print(name)
"""
    assert attack(box, program) == []


def _own_addresses() -> list[str]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            any_socket.connect(("192.0.2.1", 9))
        except OSError:
            return []
        return [str(any_socket.getsockname()[0])]
