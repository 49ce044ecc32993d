"""Not a test module: what `test_unprivileged.py` runs as a user without any rights. Prints its findings as JSON."""

import json
import os
import shutil
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from fairground.sandbox import Limits, SandboxSpec, namespace_support
from fairground.sandbox.conformance import IsolationConformance, RunnerConformance, RunnerSubject

LEFT_OUT = ("hundred_thousand", "threads_use_it", "does_not_end_in_time")  # slow, and the same for every user
# Where it matters whose rights a sandbox has: mounts, files, signals, cgroups, sockets. Without "all", only these.
RIGHTS = ("cannot_be", "kernels_files", "full_disk", "is_read_back", "is_listed_with", "killing_reaches", "handed_over",
          "by_port_path", "that_we_listen_on", "frozen", "processor_time", "memory_in_use", "limits_are", "backstage",
          "everything_ends", "side_by_side")  # fmt: skip
BARE = ("gives_its_output", "killing_reaches", "everything_ends")


class Runner(RunnerConformance):
    runner = "namespace"


class Isolation(IsolationConformance):
    runner = "namespace"


class Bare(RunnerConformance):
    runner = "bare"


def main() -> None:
    """Runs the conformance tests, and some checks of what is particular to a plain user."""
    findings: dict[str, str] = {"user": f"{os.geteuid()} {os.getegid()}"}
    support = namespace_support()
    findings["namespaces"] = "" if support.ok else support.reason
    for suite in (Runner(), Isolation(), Bare()):
        for name in dir(suite):
            words = BARE if isinstance(suite, Bare) else RIGHTS if isinstance(suite, Runner) else ("",)
            if "all" in sys.argv and isinstance(suite, Runner):
                words = ("",)
            wanted = any(word in name for word in words)
            if name.startswith("test_") and wanted and not any(word in name for word in LEFT_OUT):
                findings[f"{type(suite).__name__}.{name}"] = _outcome(getattr(suite, name))
    for check in (files_are_the_users_own, limits_are_kept_or_said, the_network_is_a_switch, nothing_is_left):
        findings[check.__name__] = _outcome(check)
    print(json.dumps(findings))


def files_are_the_users_own() -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        tree.mkdir()
        with _box(SandboxSpec(writable=tree)) as box:
            box.run(["sh", "-c", "id -u; echo mine > file"])
        assert (tree / "home" / "file").stat().st_uid == os.geteuid()
        for place, _, _ in os.walk(tree):
            os.chmod(place, 0o700)
    with _box() as box:
        assert box.run(["id", "-u"]).stdout == b"1000\n"
        assert box.run(["cat", "/etc/shadow"], check=False).stdout == b""


def limits_are_kept_or_said() -> None:
    with _box(SandboxSpec(limits=Limits(processes=40, memory=100 << 20, cpus=0.5))) as box:
        script = "my $n = 0; while ($n < 99) { my $p = fork; last if !defined $p; if (!$p) { sleep 99 } $n++ } print $n"
        assert int(box.run(["perl", "-e", script]).stdout) <= 40
        for controller in ("memory", "CPU"):
            assert any(controller in note for note in box.notes) or _can_make_cgroups(), box.notes


def the_network_is_a_switch() -> None:
    if shutil.which("slirp4netns") is None or not os.access("/dev/net/tun", os.W_OK):
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            any_socket.connect(("192.0.2.1", 9))
        except OSError:
            return
        address = any_socket.getsockname()[0]
    connect = ["perl", "-MIO::Socket", "-e", "exit(IO::Socket::INET->new(PeerAddr => $ARGV[0], Timeout => 5) ? 0 : 1)"]
    with socket.create_server((address, 0)) as outside, socket.create_server(("127.0.0.1", 0)) as loopback:
        there, here = outside.getsockname()[1], loopback.getsockname()[1]
        with _box(SandboxSpec(network="outbound")) as box:
            assert box.run([*connect, f"{address}:{there}"], check=False).code == 0
            assert box.run([*connect, f"10.0.2.2:{here}"], check=False).code == 1
        with _box() as box:
            assert box.run([*connect, f"{address}:{there}"], check=False).code == 1


def nothing_is_left() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with _box() as box:
            box.start(["sleep", "1000"])
            box.freeze()
    assert len(os.listdir("/proc/self/fd")) == before
    assert not Path("/proc/self/task", str(os.getpid()), "children").read_text().split()


def _box(spec: SandboxSpec | None = None):  # type: ignore[no-untyped-def]
    return RunnerSubject.sandbox(Runner(), spec)


def _can_make_cgroups() -> bool:
    with _box() as box:
        return not any("freezer" in note for note in box.notes)


def _outcome(test: Callable[[], None]) -> str:
    try:
        test()
    except Exception:
        return traceback.format_exc()
    return ""


if __name__ == "__main__":
    main()
