"""The network switch: `none` reaches nothing, `outbound` reaches outside but never the host's own loopback."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairground.core import MissingPrerequisite
from fairground.sandbox import Sandbox, SandboxSpec, open_sandbox
from fairground.sandbox.network import Outbound

pytestmark = pytest.mark.process

Attack = Callable[..., list[str]]
Make = Callable[..., Sandbox]
Until = Callable[..., None]

CONNECT = """
for address in sys.argv[1:]:
    host, _, port = address.rpartition(":")
    client = socket.socket()
    client.settimeout(3)
    try:
        client.connect((host, int(port)))
        client.sendall(b"from inside\\n")
        answer = client.recv(100).decode().strip()
    except OSError:
        continue
    if answer:
        print(address, answer)
"""


@pytest.fixture
def outside() -> Iterator[tuple[str, int]]:
    """A server at this machine's address on its network, which is as far outside as a test can be sure of."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            any_socket.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but loopback")
        address = any_socket.getsockname()[0]
    with _Server(address) as server:
        yield address, server.port


@pytest.fixture(autouse=True)
def _needs_slirp() -> None:
    if shutil.which("slirp4netns") is None:
        pytest.skip("needs slirp4netns")


class _Server:
    """Says hello to everybody."""

    def __init__(self, address: str) -> None:
        self._socket = socket.create_server((address, 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with client:
                client.recv(100)
                client.sendall(b"hello\n")

    def __enter__(self) -> "_Server":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


def test_outbound_reaches_outside(make: Make, attack: Attack, outside: tuple[str, int]) -> None:
    box = make(network="outbound")
    address = f"{outside[0]}:{outside[1]}"
    assert attack(box, CONNECT, address) == [f"{address} hello"]
    assert attack(make(), CONNECT, address) == []


def test_outbound_never_reaches_the_hosts_loopback(make: Make, attack: Attack) -> None:
    box = make(network="outbound")
    with _Server("127.0.0.1") as loopback, _Server("127.0.0.53") as resolver:
        ways = ["127.0.0.1", "10.0.2.2", "10.0.2.3", "10.0.2.100", "0.0.0.0", "localhost", "127.0.0.53", "10.0.2.0"]
        addresses = [f"{host}:{port}" for host in ways for port in (loopback.port, resolver.port)]
        assert attack(box, CONNECT, *addresses) == []


def test_two_sandboxes_with_a_network_do_not_reach_each_other(make: Make, attack: Attack, until: Until) -> None:
    one, two = make(network="outbound"), make(network="outbound")
    serve = """
import socket
server = socket.create_server(("0.0.0.0", 7070))
print("up", flush=True)
while True:
    client, _ = server.accept()
    client.recv(100)
    client.send(b"hello")
    client.close()
"""
    server = one.start(["python3", "-c", serve])
    until(lambda: "up" in server.output(), "the server did not start")
    addresses = ["10.0.2.100:7070", "10.0.2.2:7070", "127.0.0.1:7070"]
    assert len(attack(one, CONNECT, "10.0.2.100:7070")) == 1
    assert attack(two, CONNECT, *addresses) == []


def test_programs_cannot_change_their_network(make: Make, attack: Attack) -> None:
    box = make(network="outbound")
    program = """
for command in (["ip", "link", "set", "tap0", "down"], ["ip", "addr", "add", "10.0.2.7/24", "dev", "tap0"],
                ["ip", "route", "del", "default"], ["ip", "tuntap", "add", "tap1", "mode", "tap"]):
    try:
        if subprocess.run(command, capture_output=True).returncode == 0:
            print(command)
    except FileNotFoundError:
        pass
attempt("packet socket", socket.socket, 17, 3)
attempt("raw socket", socket.socket, socket.AF_INET, socket.SOCK_RAW, 6)
attempt("tun", lambda: os.open("/dev/net/tun", os.O_RDWR))
"""
    assert attack(box, program) == []


def test_the_way_out_ends_with_the_sandbox(make: Make, until: Until) -> None:
    box = make(network="outbound")
    (helper,) = box._channel.helpers  # type: ignore[attr-defined]
    assert helper.poll() is None
    box.discard()
    assert helper.returncode is not None


def test_the_way_out_ends_with_a_keeper_that_is_killed(make: Make, until: Until) -> None:
    box = make(network="outbound")
    (helper,) = box._channel.helpers  # type: ignore[attr-defined]
    os.kill(box.first_pid, signal.SIGKILL)  # type: ignore[attr-defined]
    until(lambda: helper.poll() is not None, "slirp4netns survived its sandbox")


def test_the_way_out_ends_with_a_host_that_is_killed(until: Until) -> None:
    code = """
import multiprocessing, time
from fairground.sandbox import SandboxSpec, open_sandbox
box = open_sandbox(SandboxSpec(network="outbound"), runner="namespace")
worker = multiprocessing.get_context("fork").Process(target=time.sleep, args=(100,), daemon=True)
worker.start()
print(box._channel.helpers[0].pid, box.keeper_pid, worker.pid, flush=True)
time.sleep(100)
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env) as host:
        worker = None
        try:
            assert host.stdout is not None
            helper, keeper, worker = map(int, host.stdout.readline().split())
            host.kill()
            host.wait()
            until(lambda: not _runs(helper) and not _runs(keeper), "slirp4netns survived its host")
        finally:
            host.kill()
            if worker is not None:
                os.kill(worker, signal.SIGKILL)


def test_a_helper_that_complains_to_nobody_goes_on(make: Make, attack: Attack) -> None:
    """What slirp4netns complains of goes nowhere once nobody reads it, and does not stop it."""
    box = make(network="outbound")
    flood = """
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.setblocking(False)
for number in range(3000):
    try:
        client.sendto(b"x" * 1000, (f"10.0.2.{number % 3 + 1}", number % 60000 + 1))
    except OSError:
        pass
"""
    attack(box, flood)
    (helper,) = box._channel.helpers  # type: ignore[attr-defined]
    assert helper.poll() is None


def test_without_slirp4netns_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(MissingPrerequisite, match="slirp4netns") as missing:
        open_sandbox(SandboxSpec(network="outbound"), runner="namespace")
    assert missing.value.fix == "apt-get install slirp4netns"
    assert len(os.listdir("/proc/self/fd")) <= before


def test_a_slirp4netns_that_fails_is_an_error_that_says_why(
    shared: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "slirp4netns"
    fake.write_text("#!/bin/sh\necho no tunnel device >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(Exception, match="no tunnel device"):
        open_sandbox(SandboxSpec(network="outbound"), runner="namespace")
    assert len(os.listdir("/proc/self/fd")) <= before


def test_an_outbound_that_was_never_connected_closes_what_it_opened() -> None:
    before = len(os.listdir("/proc/self/fd"))
    with Outbound():
        pass
    assert len(os.listdir("/proc/self/fd")) <= before


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
