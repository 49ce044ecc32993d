"""The host's side of a sandbox with a keeper: one socket, and files passed over it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import socket
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fairground.core import InvalidInput, MissingPrerequisite, SandboxError, StateError
from fairground.sandbox.channel import Channel, Refusal
from fairground.sandbox.program import KeptProcess
from fairground.sandbox.protocol import HOME, MEGABYTE, Completed, FileInfo
from fairground.sandbox.terminals import wait_for_terminals

SANDBOX_UID = 60600
"""The host user of sandboxes if we are root: an ID without an account, in a range that systems do not assign."""

_CONNECT_SECONDS = 5.0
_STATUS_SECONDS = 15.0


class KeptSandbox:
    """Implements `Sandbox` with requests to a keeper.

    Args:
        runner: Name of the runner.
        channel: The connection to the keeper.
        home: The user's home inside.
        backstage: The folder of backstage programs.
        notes: Remarks for readers of results.
    """

    def __init__(self, runner: str, channel: Channel, home: str, backstage: str, notes: tuple[str, ...]) -> None:
        self.runner = runner
        self.isolated = runner == "namespace"
        self.notes = notes
        self.home = home
        self.backstage = backstage
        self.frozen = False
        self._channel = channel
        self._cgroup = channel.cgroup
        self._memory_kills = 0

    @property
    def alive(self) -> bool:
        return self._channel.alive

    @property
    def keeper_pid(self) -> int:
        """Host process ID of the keeper's outer process."""
        return self._channel.keeper.pid

    @property
    def first_pid(self) -> int:
        """Host process ID of the first process in the sandbox."""
        return self._channel.first_pid

    # --- programs ----------------------------------------------------------------------------------------------------

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
        started = time.monotonic()
        with contextlib.ExitStack() as ours:
            with contextlib.ExitStack() as theirs:
                stdin = _memory_file(theirs, input)
                out_r, out_w = _pipe(ours, theirs)
                err_r, err_w = _pipe(ours, theirs)
                process = self._spawn(argv, env, cwd, {0: stdin, 1: out_w, 2: err_w}, log=False, backstage=backstage)
            try:
                stdout, stderr = process.gather(out_r, err_r, started + timeout, limit)
            except (TimeoutError, OverflowError) as error:
                with contextlib.suppress(SandboxError):
                    process.kill()
                raise SandboxError(f"{_shown(argv)}: {error}") from None
            code = process.wait(_STATUS_SECONDS)
        if check and code != 0:
            self._channel.check_open()
            tail = (stderr or stdout).decode(errors="replace").strip()[-2000:]
            why = f"{_shown(argv)} ended with {_status_words(code)}{self._memory_words(code)}"
            raise SandboxError(f"{why}\n{tail}".rstrip())
        return Completed(tuple(argv), code, stdout, stderr, time.monotonic() - started)

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        fds: Mapping[int, int] | None = None,
        backstage: bool = False,
    ) -> KeptProcess:
        return self._spawn(argv, env, cwd, fds or {}, log=True, backstage=backstage)

    def _spawn(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: str | None,
        fds: Mapping[int, int],
        *,
        log: bool,
        backstage: bool,
    ) -> KeptProcess:
        if not argv or not all(isinstance(part, str) and "\0" not in part for part in argv):
            raise InvalidInput(f"a command must be a non-empty list of strings without NUL, got {_shown(argv)!r}")
        if cwd is None:  # Python, Perl and others load code from where they run, and the agent can write to the home
            cwd = self.backstage if backstage and self.isolated else HOME
        request = {
            "do": "spawn",
            "argv": list(argv),
            "env": checked_env(env or {}),
            "cwd": checked_path(cwd),
            "targets": list(fds),
            "log": log,
            "quiet": log and backstage and self.isolated,
            "backstage": backstage,
        }
        with self._channel.lock:
            if self.frozen and self.alive:
                raise SandboxError(f"{argv[0]} cannot be started: the sandbox is frozen", fix="call thaw() first")
            try:
                pid, passed = self._channel.call(request, list(fds.values()))
            except Refusal as refusal:
                raise _cannot_start(argv[0], refusal) from None
        return KeptProcess(self._channel, pid, tuple(argv), *passed, backstage=backstage)

    def _memory_words(self, code: int) -> str:
        """Explain it if a program was killed because the sandbox ran out of memory."""
        kills = self._cgroup.memory_kills()
        killed, self._memory_kills = kills > self._memory_kills, kills
        return ": the sandbox ran out of memory (Limits.memory)" if killed and code != 0 else ""

    # --- files -------------------------------------------------------------------------------------------------------

    def read_file(self, path: str, *, limit: int = 64 * MEGABYTE) -> bytes:
        try:
            _, (fd,) = self._channel.call({"do": "read", "path": checked_path(path)})
        except Refusal as refusal:
            raise StateError(f"{path} cannot be read: {refusal.message}") from None
        with os.fdopen(fd, "rb") as file:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                raise StateError(f"{path} is not a regular file")
            if info.st_size > limit:
                raise StateError(f"{path} has {info.st_size} bytes; the limit is {limit}")
            try:
                data = file.read(limit + 1)
            except OSError as error:
                raise StateError(f"{path} cannot be read: {error.strerror}") from None
        if len(data) > limit:
            raise StateError(f"{path} grew past {limit} bytes while being read")
        return data

    def write_file(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        with contextlib.ExitStack() as stack:
            source = _memory_file(stack, data)
            try:
                self._channel.call({"do": "write", "path": checked_path(path), "mode": mode}, [source])
            except Refusal as refusal:
                fix = "increase Limits.disk, or write less" if refusal.code in ("ENOSPC", "EDQUOT") else None
                raise SandboxError(f"{path} cannot be written: {refusal.message}", fix=fix) from None

    def list_files(self, path: str = HOME, *, limit: int = 100_000) -> list[FileInfo]:
        with contextlib.ExitStack() as stack:
            target = _memory_file(stack, b"")
            try:
                self._channel.call({"do": "list", "path": checked_path(path), "limit": limit}, [target])
            except Refusal as refusal:
                raise StateError(f"{path} cannot be listed: {refusal.message}") from None
            with io.FileIO(target, closefd=False) as file:
                file.seek(0)
                rows = json.loads(file.readall())
        return [FileInfo(*row) for row in rows]

    # --- connections -------------------------------------------------------------------------------------------------

    def connect(self, address: int | str) -> socket.socket:
        try:
            if isinstance(address, str) and not address.startswith("@"):
                _, (fd,) = self._channel.call({"do": "connect", "path": checked_path(address)})
                return socket.socket(fileno=fd)
            family = socket.AF_INET if isinstance(address, int) else socket.AF_UNIX
            _, (fd,) = self._channel.call({"do": "socket", "family": int(family)})
        except Refusal as refusal:
            raise SandboxError(f"nothing answers at {address} in the sandbox: {refusal.message}") from None
        client = socket.socket(fileno=fd)
        client.settimeout(_CONNECT_SECONDS)
        try:
            # Connect here, not in the keeper, so that a slow server does not block the keeper.
            client.connect(("127.0.0.1", address) if isinstance(address, int) else "\0" + address[1:])
        except (OSError, OverflowError) as error:
            client.close()
            raise SandboxError(f"nothing answers at {address} in the sandbox: {error}") from None
        client.settimeout(None)
        return client

    def listen(self, port: int = 0) -> socket.socket:
        try:
            _, (fd,) = self._channel.call({"do": "listen", "port": port})
        except Refusal as refusal:
            raise SandboxError(f"port {port} cannot be opened in the sandbox: {refusal.message}") from None
        return socket.socket(fileno=fd)

    # --- resource usage and freezing ---------------------------------------------------------------------------------

    def cpu_seconds(self) -> float:
        self._channel.check_open()
        with self._gone_as_sandbox_error():
            seconds = self._cgroup.cpu_seconds()
        return seconds if seconds is not None else float(self._channel.call({"do": "usage"})[0]["seconds"])

    def at_work(self) -> int:
        self._channel.check_open()
        wait_for_terminals()
        with self._gone_as_sandbox_error():
            count = self._cgroup.at_work()
        return count if count is not None else int(self._channel.call({"do": "at_work"})[0])

    def memory_bytes(self) -> int:
        self._channel.check_open()
        with self._gone_as_sandbox_error():
            memory = self._cgroup.memory_bytes()
        return memory if memory is not None else int(self._channel.call({"do": "usage"})[0]["memory"])

    def freeze(self) -> None:
        self._set_frozen(True)

    def thaw(self) -> None:
        self._set_frozen(False)

    def _set_frozen(self, frozen: bool) -> None:
        with self._channel.lock:
            self._channel.check_open()
            if self._cgroup.can_freeze:
                with self._gone_as_sandbox_error():
                    self._cgroup.set_frozen(frozen)
            else:
                self._channel.call({"do": "stop" if frozen else "resume"})
            self.frozen = frozen

    @contextlib.contextmanager
    def _gone_as_sandbox_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SandboxError(f"the sandbox's cgroup is gone: {error}", fix="open a new sandbox") from None

    def discard(self) -> None:
        self._channel.end()

    def __enter__(self) -> KeptSandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def checked_env(env: Mapping[str, str]) -> dict[str, str]:
    """Return a valid environment for a program.

    Raises:
        InvalidInput: A name or value is not allowed.
    """
    for name, value in env.items():
        if not name or "=" in name or "\0" in name + value:
            raise InvalidInput(f"an environment has non-empty names without = and no NUL, got {name!r}: {value!r}")
    return dict(env)


def checked_path(path: str) -> str:
    """Return a valid path inside a sandbox.

    Raises:
        InvalidInput: The path is neither absolute nor below `~`.
    """
    if not (path == HOME or path.startswith((f"{HOME}/", "/"))) or "\0" in path:
        raise InvalidInput(f"a path in a sandbox must be absolute or start with {HOME}/, got {path[:200]!r}")
    return path


def _cannot_start(program: str, refusal: Refusal) -> SandboxError | MissingPrerequisite:
    if refusal.code != "ENOENT":
        return SandboxError(f"{program} cannot be started: {refusal.message}")
    name = Path(program).name
    return MissingPrerequisite(
        f"{program} cannot be started in the sandbox: {refusal.message}",
        fix=f"install the package that contains {name} (apt-file search bin/{name})",
    )


def _pipe(reading: contextlib.ExitStack, writing: contextlib.ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for stack, fd in zip((reading, writing), ends, strict=True):
        stack.callback(os.close, fd)
    return ends


def _memory_file(stack: contextlib.ExitStack, data: bytes) -> int:
    fd = os.memfd_create("fairground", os.MFD_CLOEXEC)
    stack.callback(os.close, fd)
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _shown(argv: Sequence[str]) -> str:
    text = " ".join(map(str, argv))
    return text if len(text) <= 120 else text[:117] + "..."


def _status_words(code: int) -> str:
    return f"status {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
