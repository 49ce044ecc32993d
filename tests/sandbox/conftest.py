"""For escape attempts: sandboxes, and real programs run in them that report what they could do."""

import contextlib
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairground.sandbox import Sandbox, SandboxSpec, namespace_support, open_sandbox

pytest.register_assert_rewrite("fairground.sandbox.conformance")

# Every attempt is a Python program; it prints one line for each thing that it got away with, and nothing else.
PRELUDE = """
import ctypes, errno, fcntl, os, signal, socket, struct, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
ARM = os.uname().machine == "aarch64"
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x10000000, 0x20000000, 0x40000000
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206

def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def syscall(x86_64, aarch64, *arguments):
    return check(libc.syscall(aarch64 if ARM else x86_64, *arguments))

def attempt(what, function, *arguments):
    try:
        got = function(*arguments)
    except (OSError, ValueError):
        return
    print(f"{what}: {got!r}"[:300], flush=True)

def read(path, size=200):
    with open(path, "rb", buffering=0) as file:
        return file.read(size)

def write(path, text):
    fd = os.open(path, os.O_WRONLY)
    os.write(fd, text.encode())

def mount(source, target, kind=None, flags=0, options=None):
    check(libc.mount(source.encode(), target.encode(), kind and kind.encode(), flags, options and options.encode()))

def become_root_of_a_namespace(flags=CLONE_NEWNS):
    uid = os.getuid()
    check(libc.unshare(CLONE_NEWUSER | flags))
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"0 {uid} 1")
    write("/proc/self/gid_map", f"0 {uid} 1")
"""


@pytest.fixture(autouse=True)
def _needs_namespaces(request: pytest.FixtureRequest) -> None:
    if {"box", "make", "shared"} & set(request.fixturenames) and not namespace_support().ok:
        pytest.skip(f"no namespaces here: {namespace_support().reason}")


@pytest.fixture(scope="module")
def shared() -> Iterator[Sandbox]:
    """One sandbox for all attempts of a module that leave it as it was."""
    sandbox = open_sandbox(SandboxSpec(), runner="namespace")
    yield sandbox
    sandbox.discard()


@pytest.fixture
def make() -> Iterator[Callable[..., Sandbox]]:
    """Makes namespace sandboxes that end with the test."""
    with contextlib.ExitStack() as stack:

        def build(**spec: object) -> Sandbox:
            sandbox = open_sandbox(SandboxSpec(**spec), runner="namespace")  # type: ignore[arg-type]
            stack.callback(sandbox.discard)
            return sandbox

        yield build


@pytest.fixture
def box(make: Callable[..., Sandbox]) -> Sandbox:
    """A sandbox of this test's own."""
    return make()


def attack(sandbox: Sandbox, program: str, *arguments: object, timeout: float = 30.0) -> list[str]:
    """Runs an attempt inside; what it got away with, a line each."""
    done = sandbox.run(
        ["python3", "-c", PRELUDE + program, *map(str, arguments)], check=False, timeout=timeout, cwd="/tmp"
    )
    assert done.code == 0, done.stderr.decode(errors="replace")
    return done.stdout.decode(errors="replace").splitlines()


def inner_pid(box: Sandbox) -> int:
    """The number that the first process among the programs, their keeper, has on the host."""
    first: int = box.first_pid  # type: ignore[attr-defined]
    return int(Path(f"/proc/{first}/task/{first}/children").read_text().split()[0])


@pytest.fixture(name="inner_pid")
def inner_pid_fixture() -> Callable[[Sandbox], int]:
    return inner_pid


@pytest.fixture(name="attack")
def attack_fixture() -> Callable[..., list[str]]:
    return attack


@pytest.fixture
def until() -> Callable[..., None]:
    """Waits for a condition; fails with these words when it does not come."""

    def wait(condition: Callable[[], object], otherwise: str, seconds: float = 30.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, otherwise
            time.sleep(0.005)

    return wait


@pytest.fixture
def as_root() -> None:
    """For tests that need rights which only root has."""
    if os.geteuid() != 0:
        pytest.skip("only root can make the host that this test needs")


@pytest.fixture(params=["/usr/local/lib", "/usr/share"])
def software(request: pytest.FixtureRequest, as_root: None) -> Iterator[Path]:
    """A folder among the host's software, which is seen inside unless it is hidden."""
    folder = Path(request.param, f"fairground-test-{uuid.uuid4().hex[:8]}")
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)
