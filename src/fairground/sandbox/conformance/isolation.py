"""Isolation from the host and from other sandboxes."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import time
from pathlib import Path

from fairground.core import SandboxError, StateError
from fairground.sandbox.conformance.subject import RunnerSubject, raised, until
from fairground.sandbox.kept import SANDBOX_UID
from fairground.sandbox.protocol import SandboxSpec


class IsolationConformance(RunnerSubject):
    """Tests for runners whose sandboxes are `isolated`."""

    def test_it_says_that_it_isolates(self) -> None:
        with self.sandbox() as box:
            assert box.isolated

    def test_the_hosts_processes_are_not_seen(self) -> None:
        with self.sandbox() as box:
            assert box.run(["kill", "-0", str(os.getpid())], check=False).code != 0
            count = box.run(["sh", "-c", "cat /proc/[0-9]*/comm | wc -l"]).stdout
            assert int(count) < 10

    def test_a_sandbox_does_not_see_the_processes_of_another(self) -> None:
        with self.sandbox() as first, self.sandbox() as second:
            first.start(["perl", "-e", "$0 = 'hiding-here'; sleep 1000"])
            until(lambda: b"hiding-here" in first.run(["sh", "-c", "cat /proc/[0-9]*/cmdline"]).stdout, "not started")
            assert b"hiding-here" not in second.run(["sh", "-c", "cat /proc/[0-9]*/cmdline"]).stdout

    def test_the_hosts_files_are_neither_seen_nor_changed(self) -> None:
        with tempfile.TemporaryDirectory() as folder, self.sandbox() as box:
            secret = Path(folder, "secret")
            secret.write_text("of the host")
            for place in (folder, str(Path.home()), str(Path(__file__).parent)):
                assert box.run(["ls", "-A", place], check=False).stdout == b"", place
            raised(StateError, lambda: box.read_file(str(secret)))
            marker = f"fairground-conformance-{os.getpid()}"
            for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/etc", "/usr", "/opt", "/"):
                box.run(["sh", "-c", f"echo x > {place}/{marker}"], check=False)
                assert not Path(place, marker).exists(), place

    def test_programs_have_no_rights(self) -> None:
        with self.sandbox() as box:
            status = box.run(["cat", "/proc/self/status"]).stdout.decode()
            rights = dict(line.split(":\t") for line in status.splitlines() if line.startswith(("Cap", "NoNewPrivs")))
            assert all(int(value, 16) == 0 for name, value in rights.items() if name.startswith("Cap")), rights
            assert rights["NoNewPrivs"] == "1"
            assert box.run(["id", "-u"]).stdout != b"0\n"

    def test_without_a_network_nothing_of_the_host_answers(self) -> None:
        name = f"fairground-{os.getpid()}-{time.monotonic_ns()}"
        with contextlib.ExitStack() as stack:
            loopback = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            everywhere = stack.enter_context(socket.create_server(("0.0.0.0", 0)))
            abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
            abstract.bind("\0" + name)
            abstract.listen()
            box = stack.enter_context(self.sandbox())
            connect = ["perl", "-MIO::Socket", "-e", "exit(IO::Socket::INET->new($ARGV[0]) ? 0 : 1)"]
            for server in (loopback, everywhere):
                port = server.getsockname()[1]
                for host in {"127.0.0.1", "10.0.2.2", _own_address()}:
                    assert box.run([*connect, f"{host}:{port}"], check=False).code == 1, host
            raised(SandboxError, lambda: box.connect(f"@{name}"))

    def test_what_the_keeper_is_made_of_is_out_of_reach(self) -> None:
        with self.sandbox() as box:
            for path in (
                "/proc/1/environ",
                "/proc/1/mem",
                "/proc/1/maps",
                "/proc/1/fd/",
                "/proc/1/root/",
                "/proc/1/cwd/",
            ):
                assert box.run(["sh", "-c", f"cat {path} || ls {path}/"], check=False).stdout == b"", path
            for number in ("KILL", "STOP", "TERM", "INT", "SEGV", "USR1", "CHLD", "ABRT"):
                box.run(["sh", "-c", f"kill -{number} 1"], check=False)
            assert box.run(["echo", "alive"]).stdout == b"alive\n"

    def test_programs_cannot_see_signal_or_change_what_is_backstage(self) -> None:
        with self.sandbox() as box:
            ours = box.start(["perl", "-e", "$0 = 'backstage-here'; sleep 1000"], backstage=True)
            look = ["sh", "-c", "cat /proc/[0-9]*/cmdline"]
            until(lambda: b"backstage-here" in box.run(look, backstage=True).stdout, "not started")
            assert b"backstage-here" not in box.run(look).stdout
            box.run(["sh", "-c", "kill -9 -1; for p in $(seq 2 300); do kill -9 $p; done"], check=False)
            assert ours.poll() is None
            for place in ("/etc", box.backstage):
                box.run(["sh", "-c", f"echo lie > {place}/ld.so.preload"], check=False)
                assert box.run(["ls", f"{place}/ld.so.preload"], check=False, backstage=True).code != 0

    def test_layers_are_seen_and_never_changed(self) -> None:
        with tempfile.TemporaryDirectory(dir=_layer_place()) as folder:
            lower, upper = Path(folder, "lower"), Path(folder, "upper")
            for layer, text in ((lower, "lower"), (upper, "upper")):
                for place in ("usr/share/fairground-test", "opt/fairground-test", "home"):
                    (layer / place).mkdir(parents=True)
                    (layer / place / "which").write_text(text)
            (lower / "home" / "only-lower").write_text("here")
            _give_to_sandbox_user(Path(folder))
            before = _content(Path(folder))
            with self.sandbox(SandboxSpec(layers=(lower, upper))) as box:
                for place in ("/usr/share/fairground-test", "/opt/fairground-test", "~"):
                    assert box.read_file(f"{place}/which") == b"upper", place
                assert box.read_file("~/only-lower") == b"here"
                box.run(["sh", "-c", "rm -f which only-lower; echo changed > which; echo x > new"], check=False)
                assert box.run(["ls", "/usr/bin/env"]).code == 0
            assert _content(Path(folder)) == before

    def test_what_is_written_to_a_folder_is_a_layer_for_the_next(self) -> None:
        with tempfile.TemporaryDirectory(dir=_layer_place()) as folder:
            tree = Path(folder, "tree")
            tree.mkdir()
            _give_to_sandbox_user(Path(folder))
            with self.sandbox(SandboxSpec(writable=tree)) as box:
                box.write_file("~/kept/file", b"by the first")
            with self.sandbox(SandboxSpec(layers=(tree,))) as box:
                assert box.read_file("~/kept/file") == b"by the first"
                box.write_file("~/kept/file", b"by the second")
            with self.sandbox(SandboxSpec(layers=(tree,))) as box:
                assert box.read_file("~/kept/file") == b"by the first"
            _make_removable(tree)

    def test_a_layer_that_is_missing_is_a_sandbox_error(self) -> None:
        error = raised(SandboxError, lambda: self.make(SandboxSpec(layers=(Path("/nowhere/at/all"),))))
        assert "/nowhere/at/all" in error.message

    def test_hidden_paths_are_empty(self) -> None:
        with self.sandbox(SandboxSpec(hide=(Path("/usr/share"), Path("/usr/bin/env"), Path("/not/there")))) as box:
            assert box.run(["ls", "-A", "/usr/share"], check=False).stdout == b""
            assert box.run(["cat", "/usr/bin/env"], check=False).stdout == b""


def _make_removable(tree: Path) -> None:
    """Make what a sandbox left in a writable folder removable."""
    for folder, _, _ in os.walk(tree):
        os.chmod(folder, 0o700)


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _layer_place() -> str:
    """A place for layers that is not below a folder over which sandboxes are stacked."""
    return "/tmp"


def _give_to_sandbox_user(folder: Path) -> None:
    """As root, give a test's folder to the sandbox's user, as the owner of layers does."""
    if os.geteuid() != 0:
        return
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, SANDBOX_UID, SANDBOX_UID)


def _own_address() -> str:
    """This machine's address on its network, or loopback. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            any_socket.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(any_socket.getsockname()[0])
