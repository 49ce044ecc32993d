"""The `Sandbox` protocol: the contract that every runner implements.

To add a runner, register a callable that takes a `SandboxSpec` and returns a `Sandbox` under the entry point group
`fairground.runners`. The tests in `conformance` check that it obeys the contract.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from fairground.core import InvalidInput

HOME = "~"
"""Paths inside a sandbox are absolute or start with `~/`, the user's home. The runner chooses where that is."""

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Resource limits of a sandbox. A runner that cannot enforce a limit says so in `Sandbox.notes`."""

    memory: int | None = 4096 * MEGABYTE
    """Bytes for all processes and in-memory files together."""
    processes: int | None = 1024
    """Maximum number of processes and threads."""
    cpus: float | None = None
    """Number of CPUs, such as 1.5; None for no limit."""
    disk: int = 1024 * MEGABYTE
    """Maximum bytes per writable tree (home and system, temporary files, shared memory)."""

    def __post_init__(self) -> None:
        for name, least in (("memory", MEGABYTE), ("processes", 1), ("cpus", 0.01), ("disk", MEGABYTE)):
            value = getattr(self, name)
            if not (value is None and name != "disk") and not least <= value < float("inf"):
                raise InvalidInput(f"Limits.{name}: expected at least {least}, got {value!r}")


@dataclass(frozen=True)
class SandboxSpec:
    """Describes a sandbox to create.

    Attributes:
        layers: Folders stacked over the machine's own files, lowest first. Each may contain `usr`, `opt`, `etc`, `var`
            and `home`. Sandboxes share them and never write to them.
        writable: Where written files go. None: in memory, until the sandbox is discarded. A folder: they are kept
            there, and the folder can be a layer of later sandboxes.
        network: `none` allows loopback only. `outbound` also reaches other machines, but never the host's loopback.
        env: Added to the environment of every program.
        hide: Additional host paths to hide (the code of suites is always hidden).
    """

    layers: tuple[Path, ...] = ()
    writable: Path | None = None
    network: Literal["none", "outbound"] = "none"
    limits: Limits = field(default_factory=Limits)
    env: Mapping[str, str] = field(default_factory=dict)
    hostname: str = "desk"
    hide: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Completed:
    """A command that ended, with its output."""

    argv: tuple[str, ...]
    code: int
    """Exit status. A negative status is the signal that killed it."""
    stdout: bytes
    stderr: bytes
    seconds: float


@dataclass(frozen=True)
class FileInfo:
    """A file system entry inside a sandbox. `path` is relative to the listed folder."""

    path: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    modified: float


class Process(Protocol):
    """A program that was started in a sandbox."""

    pid: int
    """Process ID inside the sandbox."""
    argv: tuple[str, ...]

    def poll(self) -> int | None:
        """Return the exit status (negative: the signal that killed it), or None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit status.

        Raises:
            TimeoutError: The program is still running after the timeout.
        """

    def kill(self, signal: int = 9) -> None:
        """Send a signal to its process group. Does nothing if it has ended."""

    def output(self, limit: int = 65536) -> str:
        """Return the end of its output (stdout and stderr together). A runner keeps at least 64 KB of it."""


@runtime_checkable
class Sandbox(Protocol):
    """An environment for untrusted programs. All methods are thread-safe."""

    runner: str
    """Name of the runner, such as `namespace` or `bare`."""
    isolated: bool
    """Whether programs inside are isolated from the host and from other sandboxes."""
    notes: tuple[str, ...]
    """Remarks for readers of results, such as limits that this machine cannot enforce."""
    home: str
    """The user's home, as an absolute path inside."""
    backstage: str
    """A folder for the files of backstage programs. If `isolated`, other programs can only read it."""
    frozen: bool

    @property
    def alive(self) -> bool:
        """Whether it still answers. False after `discard`, or if it broke."""

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        input: bytes = b"",
        timeout: float = 60.0,
        check: bool = True,
        limit: int = 8 * MEGABYTE,
        backstage: bool = False,
    ) -> Completed:
        """Run a command and wait until it ends. Does not wait for background processes that it started.

        Args:
            argv: The program and its arguments.
            env: Added to the environment of the sandbox.
            cwd: The working folder; by default the home, or for a backstage program of an `isolated` sandbox
                `self.backstage`: the agent can write to its home, and many programs load code from where they run.
            input: Passed to standard input.
            timeout: In seconds.
            check: Raise an error if the exit status is not 0.
            limit: Maximum bytes of stdout and stderr together.
            backstage: Run it backstage: if the sandbox is `isolated`, programs that are not backstage cannot see,
                signal or trace it, nor change /etc or its home (`self.backstage`).

        Raises:
            SandboxError: It failed and `check` is set, it could not be started, it exceeded the timeout, or it wrote
                more than `limit` bytes. In the last two cases it is killed with its process group. The message includes
                the end of its output.
            MissingPrerequisite: There is no such program.
            InvalidInput: The arguments are not a valid command.
        """

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        fds: Mapping[int, int] | None = None,
        backstage: bool = False,
    ) -> Process:
        """Start a program and return at once. Raises the same errors as `run`.

        Args:
            argv: The program and its arguments.
            env: Added to the environment of the sandbox.
            cwd: The working folder; the default is that of `run`.
            fds: Open files to pass: file descriptor inside -> file descriptor of the caller. The program gets no
                others.
            backstage: As for `run`. A backstage program cannot send signals.
        """

    def read_file(self, path: str, *, limit: int = 64 * MEGABYTE) -> bytes:
        """Return a regular file's content.

        Follows links, except into /proc: a link there could lead to the keeper's files.

        Raises:
            StateError: The file is missing, not a regular file, or over the limit.
        """

    def write_file(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Write a file, creating parent folders.

        Raises:
            SandboxError: The file cannot be written.
        """

    def list_files(self, path: str = HOME, *, limit: int = 100_000) -> list[FileInfo]:
        """List all entries below a folder, sorted by path. Does not follow links.

        A name that is not UTF-8 is decoded as by `os.fsdecode`.

        Raises:
            StateError: The folder is missing, or has more than `limit` entries.
        """

    def connect(self, address: int | str) -> socket.socket:
        """Connect to a server inside: a TCP port on its loopback, the path of a Unix socket, or `@abstract`.

        Raises:
            SandboxError: Nothing answers.
        """

    def listen(self, port: int = 0) -> socket.socket:
        """Return a TCP socket that listens on the sandbox's loopback. The caller accepts connections outside."""

    def cpu_seconds(self) -> float:
        """CPU time used so far by programs inside. Used to detect that they are idle."""

    def at_work(self) -> int:
        """Number of threads inside that run, or wait for a CPU or a disk. 0 means idle, also on a busy machine."""

    def memory_bytes(self) -> int:
        """Memory in use by programs inside."""

    def freeze(self) -> None:
        """Stop every program inside at once. Files can still be read and written, but no program started."""

    def thaw(self) -> None:
        """Continue all stopped programs."""

    def discard(self) -> None:
        """End everything inside and remove all traces. Calling it twice is allowed.

        Every other call afterwards raises `SandboxError`, also one that is waiting in another thread.
        """
