"""What a sandbox is, whoever makes it: the contract that every runner obeys.

`conformance.py` holds the tests that prove a runner; a third party registers one under the entry point
group `fairground.runners` as a callable that takes a `SandboxSpec` and returns a `Sandbox`.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from fairground.core import InvalidInput

HOME = "~"
"""Paths inside a sandbox are absolute, or start with `~/`: the user's home, wherever the runner puts it."""

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a sandbox may use. A runner that cannot enforce one says so in `Sandbox.notes`."""

    memory: int | None = 4096 * MEGABYTE
    """Bytes, for all processes and in-memory files together."""
    processes: int | None = 1024
    cpus: float | None = None
    disk: int = 1024 * MEGABYTE
    """Bytes that may be written to each writable tree (home and system, temporary files, shared memory)."""

    def __post_init__(self) -> None:
        for name, least in (("memory", MEGABYTE), ("processes", 1), ("cpus", 0.01), ("disk", MEGABYTE)):
            value = getattr(self, name)
            if not (value is None and name != "disk") and not least <= value < float("inf"):
                raise InvalidInput(f"Limits.{name}: at least {least}, got {value!r}")


@dataclass(frozen=True)
class SandboxSpec:
    """How a sandbox is to be made.

    Attributes:
        layers: Folders stacked over the machine's own files, lowest first; each may hold `usr`, `opt`, `etc`,
            `var` and `home`. They are shared between sandboxes and never written to.
        writable: Where what is written goes. None keeps it in memory, gone with the sandbox; a folder keeps
            it there, and the folder can be a layer of later sandboxes.
        network: `none` is loopback only; `outbound` reaches outside but never the host's own loopback.
        env: Added to the environment of every program.
        hide: Further host paths that must not be seen inside (the code of suites is always hidden).
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
    """A command that ended, with all that it wrote."""

    argv: tuple[str, ...]
    code: int
    """Exit status; negative is the signal that killed it."""
    stdout: bytes
    stderr: bytes
    seconds: float


@dataclass(frozen=True)
class FileInfo:
    """One entry of a tree inside a sandbox; `path` is relative to where the listing began."""

    path: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    modified: float


class Process(Protocol):
    """A program that was started in a sandbox and runs on."""

    pid: int
    """Its number inside the sandbox."""
    argv: tuple[str, ...]

    def poll(self) -> int | None:
        """The exit status (negative: the signal), or None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit status; raises `TimeoutError` when it does not come in time."""

    def kill(self, signal: int = 9) -> None:
        """Sends a signal to its process group; nothing happens when it has ended."""

    def output(self, limit: int = 65536) -> str:
        """The end of what it has written to stdout and stderr together: a runner keeps at least 64 KB of it."""


@runtime_checkable
class Sandbox(Protocol):
    """A place where untrusted programs run. All methods may be called from any thread."""

    runner: str
    """Name of what made it, such as `namespace` or `bare`."""
    isolated: bool
    """Whether what runs inside is kept from the host and from other sandboxes."""
    notes: tuple[str, ...]
    """What a reader of results should know, such as limits this machine cannot enforce."""
    home: str
    """The user's home, as an absolute path inside."""
    backstage: str
    """A folder for the files of programs that run backstage; where `isolated`, other programs can only read it."""
    frozen: bool

    @property
    def alive(self) -> bool:
        """Whether it still answers; False after `discard` or when it broke."""

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str = HOME,
        input: bytes = b"",
        timeout: float = 60.0,
        check: bool = True,
        limit: int = 8 * MEGABYTE,
        backstage: bool = False,
    ) -> Completed:
        """Runs a command to its end.

        With `backstage`, and where `isolated`, it runs where no program that was started without can see, signal or
        trace it, nor change /etc or what its own home (`self.backstage`) holds.

        Raises `SandboxError` with the end of its output when `check` is set and it failed, when it cannot be
        started, and when it does not end in time or writes more than `limit` bytes (it is killed, with its
        process group); `MissingPrerequisite` when there is no such program; `InvalidInput` when this cannot be
        a command at all. What it leaves running in the background is not waited for.
        """

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str = HOME,
        fds: Mapping[int, int] | None = None,
        backstage: bool = False,
    ) -> Process:
        """Starts a program, as `run` does; one that runs backstage cannot send signals.

        `fds` gives it open files: its number inside -> the caller's number.

        It has no other open files of anybody's. Raises as `run` does.
        """

    def read_file(self, path: str, *, limit: int = 64 * MEGABYTE) -> bytes:
        """A regular file's content; raises `StateError` when it is missing, special, or over the limit.

        Links are followed, but none into /proc: what a program left there must not lead to the keeper's files.
        """

    def write_file(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Writes a file, making the folders above it; raises `SandboxError` when it cannot be."""

    def list_files(self, path: str = HOME, *, limit: int = 100_000) -> list[FileInfo]:
        """All entries below a folder, links not followed, sorted by path.

        A name that is not UTF-8 has the bytes as Python's `os.fsdecode` gives them. Raises `StateError` when
        the folder is missing or holds more than `limit`.
        """

    def connect(self, address: int | str) -> socket.socket:
        """A connection to a server inside: a TCP port on its loopback, a unix socket's path, or `@abstract`.

        Raises `SandboxError` when nothing answers.
        """

    def listen(self, port: int = 0) -> socket.socket:
        """A listening TCP socket on the sandbox's loopback, accepted from by the caller, outside."""

    def cpu_seconds(self) -> float:
        """Processor time used so far by what runs inside; used to see that it has come to rest."""

    def at_work(self) -> int:
        """How many threads inside run, or wait for a processor or a disk: 0 is rest, also on a busy machine."""

    def memory_bytes(self) -> int:
        """Memory that what runs inside uses now."""

    def freeze(self) -> None:
        """Stops every program inside, at once; files can still be read and written, but nothing be started."""

    def thaw(self) -> None:
        """Lets them go on."""

    def discard(self) -> None:
        """Ends everything inside and removes every trace; may be called twice.

        Every other call afterwards raises `SandboxError`, also one that another thread is waiting in.
        """
