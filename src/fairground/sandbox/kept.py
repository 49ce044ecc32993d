"""A sandbox as the host holds it: one socket to its keeper, and files passed over it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairground.core import InvalidInput, MissingPrerequisite, SandboxError, StateError
from fairground.sandbox.cgroups import Cgroup
from fairground.sandbox.keeper.folder import remove_folder
from fairground.sandbox.keeper.serve import MESSAGE
from fairground.sandbox.program import KeptProcess, readable
from fairground.sandbox.protocol import HOME, MEGABYTE, Completed, FileInfo

SANDBOX_UID = 60600
"""Who sandboxes are to the host when we are root: a number without an account, in a range nobody hands out."""

_ANSWER_SECONDS = 60.0
_END_SECONDS = 15.0
_CONNECT_SECONDS = 5.0


class KeptSandbox:
    """Implements `Sandbox` by asking a keeper.

    Args:
        runner: Its name.
        control: The socket to the keeper.
        keeper: The keeper's process on the host, which removes what is left.
        said: Open file with what the keeper printed, which it does only when it breaks.
        cgroup: Where programs run.
        folder: Where the keeper of a bare sandbox keeps its files.
    """

    def __init__(
        self,
        runner: str,
        control: socket.socket,
        keeper: subprocess.Popen[bytes],
        said: int,
        cgroup: Cgroup,
        folder: str,
    ) -> None:
        self.runner = runner
        self.isolated = runner == "namespace"
        self.notes: tuple[str, ...] = ()
        self.home = ""
        self.frozen = False
        self._control = control
        self._keeper = keeper
        self._said = said
        self._first = -1
        self._cgroup = cgroup
        self._folder = folder
        self._memory_kills = 0
        self._helpers: list[subprocess.Popen[bytes]] = []
        self._open = True
        self._requests = 0
        self._lock = threading.RLock()  # one request at a time
        self._end_lock = threading.Lock()  # one end
        self._ended = False

    # --- talking to the keeper ---------------------------------------------------------------------------------------

    def await_ready(self) -> tuple[dict[str, Any], list[int]]:
        """The keeper's first message, when everything is made; the files with it, without the first process's."""
        with self._lock:
            value, fds = self._receive(0, _ANSWER_SECONDS)
        self._first, *rest = fds
        self.home = value["home"]
        return value, rest

    def call(self, request: dict[str, Any], fds: Sequence[int] = ()) -> tuple[Any, list[int]]:
        """One request and its answer."""
        with self._lock:
            self._check_open()
            self._requests += 1
            message = json.dumps({"id": self._requests, **request}).encode()
            if len(message) > MESSAGE:
                raise InvalidInput(f"a request to the sandbox may have {MESSAGE} bytes, got {len(message)}")
            try:
                socket.send_fds(self._control, [message], list(fds))
            except ConnectionError:
                raise self._broken("its keeper ended") from None
            except OSError as error:  # a file that cannot be passed, or the socket closed by another thread
                self._check_open()
                raise SandboxError(f"the request cannot be sent: {error.strerror}") from None
            return self._receive(self._requests, _ANSWER_SECONDS)

    def _receive(self, number: int, seconds: float) -> tuple[Any, list[int]]:
        """The answer to a request. One that an interrupt kept from being read may come before it."""
        deadline = time.monotonic() + seconds
        while True:
            if not readable(self._control.fileno(), max(0.0, deadline - time.monotonic())):
                raise self._broken(f"it did not answer within {seconds:g} s")
            try:
                answer, fds, _, _ = socket.recv_fds(self._control, MESSAGE, 16, socket.MSG_CMSG_CLOEXEC)
            except OSError as error:
                raise self._broken(error.strerror or str(error)) from None
            if not answer:
                raise self._broken("its keeper ended")
            found = json.loads(answer)
            if found["id"] == number and "refused" not in found:
                return found["value"], fds
            for fd in fds:
                os.close(fd)
            if found["id"] == number:
                raise Refusal(found["refused"], found["message"])

    def _check_open(self) -> None:
        if not self._open:
            raise SandboxError("the sandbox was discarded, or broke", fix="open a new one")

    def _broken(self, why: str) -> SandboxError:
        if not self._open:
            return SandboxError("the sandbox was discarded", fix="open a new one")
        self._open = False
        self._kill()
        printed = os.pread(self._said, 1 << 16, 0).decode(errors="replace").strip()[-2000:]
        return SandboxError(f"the sandbox is gone: {why}" + (f"\n{printed}" if printed else ""), fix="open a new one")

    @property
    def alive(self) -> bool:
        """Whether its keeper still runs."""
        if not self._open or self._keeper.poll() is not None:
            return False
        first = self._first
        return first < 0 or not readable(first, 0)

    @property
    def keeper_pid(self) -> int:
        """The number of the keeper's outer process, on the host."""
        return self._keeper.pid

    @property
    def first_pid(self) -> int:
        """The number that the first process of the sandbox has on the host."""
        self._check_open()
        text = Path(f"/proc/self/fdinfo/{self._first}").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pid:"))

    # --- programs ----------------------------------------------------------------------------------------------------

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
    ) -> Completed:
        """Runs a command to its end."""
        started = time.monotonic()
        with contextlib.ExitStack() as ours:
            with contextlib.ExitStack() as theirs:
                stdin = _memory_file(theirs, input)
                out_r, out_w = _pipe(ours, theirs)
                err_r, err_w = _pipe(ours, theirs)
                process = self._spawn(argv, env, cwd, {0: stdin, 1: out_w, 2: err_w}, log=False)
            try:
                stdout, stderr = process.gather(out_r, err_r, started + timeout, limit)
            except (TimeoutError, OverflowError) as error:
                with contextlib.suppress(SandboxError):
                    process.kill()
                raise SandboxError(f"{_shown(argv)}: {error}") from None
            code = process.wait(_END_SECONDS)
        if check and code != 0:
            self._check_open()
            tail = (stderr or stdout).decode(errors="replace").strip()[-2000:]
            why = f"{_shown(argv)} ended with {_status_words(code)}{self._memory_words(code)}"
            raise SandboxError(f"{why}\n{tail}".rstrip())
        return Completed(tuple(argv), code, stdout, stderr, time.monotonic() - started)

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str = HOME,
        fds: Mapping[int, int] | None = None,
    ) -> KeptProcess:
        """Starts a program that runs on."""
        return self._spawn(argv, env, cwd, fds or {}, log=True)

    def _spawn(
        self, argv: Sequence[str], env: Mapping[str, str] | None, cwd: str, fds: Mapping[int, int], *, log: bool
    ) -> KeptProcess:
        if not argv or not all(isinstance(part, str) and "\0" not in part for part in argv):
            raise InvalidInput(f"a command is a list of words without NUL, got {_shown(argv)!r}")
        request = {"do": "spawn", "argv": list(argv), "env": checked_env(env or {}), "cwd": checked_path(cwd)}
        with self._lock:
            if self.frozen and self.alive:
                raise SandboxError(f"{argv[0]} cannot be started: the sandbox is frozen", fix="thaw it first")
            try:
                pid, passed = self.call({**request, "targets": list(fds), "log": log}, list(fds.values()))
            except Refusal as refusal:
                raise _cannot_start(argv[0], refusal) from None
        return KeptProcess(self, pid, tuple(argv), *passed)

    def _memory_words(self, code: int) -> str:
        """Says so when a program was killed because the sandbox's memory ran out."""
        kills = self._cgroup.memory_kills()
        killed, self._memory_kills = kills > self._memory_kills, kills
        return ": the sandbox ran out of memory (Limits.memory)" if killed and code != 0 else ""

    # --- files -------------------------------------------------------------------------------------------------------

    def read_file(self, path: str, *, limit: int = 64 * MEGABYTE) -> bytes:
        """A regular file's content."""
        try:
            _, (fd,) = self.call({"do": "read", "path": checked_path(path)})
        except Refusal as refusal:
            raise StateError(f"{path} cannot be read: {refusal.message}") from None
        with os.fdopen(fd, "rb") as file:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                raise StateError(f"{path} is not a regular file")
            if info.st_size > limit:
                raise StateError(f"{path} has {info.st_size} bytes; at most {limit} are read")
            try:
                data = file.read(limit + 1)
            except OSError as error:
                raise StateError(f"{path} cannot be read: {error.strerror}") from None
        if len(data) > limit:
            raise StateError(f"{path} grew past {limit} bytes while it was read")
        return data

    def write_file(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Writes a file, making the folders above it."""
        with contextlib.ExitStack() as stack:
            source = _memory_file(stack, data)
            try:
                self.call({"do": "write", "path": checked_path(path), "mode": mode}, [source])
            except Refusal as refusal:
                fix = "raise Limits.disk, or write less" if refusal.code in ("ENOSPC", "EDQUOT") else None
                raise SandboxError(f"{path} cannot be written: {refusal.message}", fix=fix) from None

    def list_files(self, path: str = HOME, *, limit: int = 100_000) -> list[FileInfo]:
        """All entries below a folder, links not followed."""
        with contextlib.ExitStack() as stack:
            target = _memory_file(stack, b"")
            try:
                self.call({"do": "list", "path": checked_path(path), "limit": limit}, [target])
            except Refusal as refusal:
                raise StateError(f"{path} cannot be listed: {refusal.message}") from None
            with io.FileIO(target, closefd=False) as file:
                file.seek(0)
                rows = json.loads(file.readall())
        return [FileInfo(*row) for row in rows]

    # --- connections -------------------------------------------------------------------------------------------------

    def connect(self, address: int | str) -> socket.socket:
        """A connection to a server inside."""
        try:
            if isinstance(address, str) and not address.startswith("@"):
                _, (fd,) = self.call({"do": "connect", "path": checked_path(address)})
                return socket.socket(fileno=fd)
            family = socket.AF_INET if isinstance(address, int) else socket.AF_UNIX
            _, (fd,) = self.call({"do": "socket", "family": int(family)})
        except Refusal as refusal:
            raise SandboxError(f"nothing answers at {address} in the sandbox: {refusal.message}") from None
        client = socket.socket(fileno=fd)
        client.settimeout(_CONNECT_SECONDS)
        try:
            # Here and not in the keeper, which a server that lets us wait must not hold up.
            client.connect(("127.0.0.1", address) if isinstance(address, int) else "\0" + address[1:])
        except (OSError, OverflowError) as error:
            client.close()
            raise SandboxError(f"nothing answers at {address} in the sandbox: {error}") from None
        client.settimeout(None)
        return client

    def listen(self, port: int = 0) -> socket.socket:
        """A listening socket on the sandbox's loopback."""
        try:
            _, (fd,) = self.call({"do": "listen", "port": port})
        except Refusal as refusal:
            raise SandboxError(f"port {port} cannot be opened in the sandbox: {refusal.message}") from None
        return socket.socket(fileno=fd)

    # --- use of the machine, and time --------------------------------------------------------------------------------

    def cpu_seconds(self) -> float:
        """Processor time used so far."""
        self._check_open()
        with self._gone_as_sandbox_error():
            seconds = self._cgroup.cpu_seconds()
        return seconds if seconds is not None else float(self.call({"do": "usage"})[0]["seconds"])

    def at_work(self) -> int:
        """How many threads inside run, or wait for a processor or a disk."""
        self._check_open()
        with self._gone_as_sandbox_error():
            count = self._cgroup.at_work()
        return count if count is not None else int(self.call({"do": "at_work"})[0])

    def memory_bytes(self) -> int:
        """Memory used now."""
        self._check_open()
        with self._gone_as_sandbox_error():
            memory = self._cgroup.memory_bytes()
        return memory if memory is not None else int(self.call({"do": "usage"})[0]["memory"])

    def freeze(self) -> None:
        """Stops every program inside."""
        self._set_frozen(True)

    def thaw(self) -> None:
        """Lets them go on."""
        self._set_frozen(False)

    def _set_frozen(self, frozen: bool) -> None:
        with self._lock:
            self._check_open()
            if self._cgroup.can_freeze:
                with self._gone_as_sandbox_error():
                    self._cgroup.set_frozen(frozen)
            else:
                self.call({"do": "stop" if frozen else "resume"})
            self.frozen = frozen

    @contextlib.contextmanager
    def _gone_as_sandbox_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SandboxError(f"the sandbox's cgroup is gone: {error}", fix="open a new one") from None

    # --- the end -----------------------------------------------------------------------------------------------------

    def adopt(self, helper: subprocess.Popen[bytes]) -> None:
        """A host program that serves this sandbox and ends by itself when the first process does."""
        self._helpers.append(helper)

    def discard(self) -> None:
        """Ends everything inside and removes every trace."""
        with self._end_lock:
            if self._ended:
                return
            self._open = False
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)  # ends what other threads wait for
            with self._lock:
                self._control.close()  # the keeper notices, ends everything inside, and removes what is left
            late = not _await_exit(self._keeper, _END_SECONDS)
            if late or self._keeper.returncode != 0:
                self._kill()
            for helper in self._helpers:
                if not _await_exit(helper, 1.0):
                    helper.kill()
                    helper.wait()
            self._cgroup.remove()
            if self._folder:
                remove_folder(self._folder)  # nothing to do, unless the keeper was killed
            first, self._first = self._first, -1
            for fd in (first, self._said):
                if fd >= 0:
                    os.close(fd)
            self._ended = True
        if late:
            raise SandboxError(f"the sandbox did not end within {_END_SECONDS:g} s and was killed")

    def _kill(self) -> None:
        """Ends what does not end by itself, or was left alone by a keeper that did not end by itself."""
        self._cgroup.kill()
        if self._first >= 0 and (self._keeper.poll() is None or not readable(self._first, 5.0)):
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
        if not _await_exit(self._keeper, 5.0):
            self._keeper.kill()
            self._keeper.wait()

    def __enter__(self) -> KeptSandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


class Refusal(SandboxError):
    """The keeper's no, before it is put into the caller's words."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def checked_env(env: Mapping[str, str]) -> dict[str, str]:
    """An environment that can be given to a program."""
    for name, value in env.items():
        if not name or "=" in name or "\0" in name + value:
            raise InvalidInput(f"an environment has names without = and nothing with NUL, got {name!r}: {value!r}")
    return dict(env)


def checked_path(path: str) -> str:
    """A path as the protocol has them."""
    if not (path == HOME or path.startswith((f"{HOME}/", "/"))) or "\0" in path:
        raise InvalidInput(f"a path in a sandbox is absolute or starts with {HOME}/, got {path[:200]!r}")
    return path


def _cannot_start(program: str, refusal: Refusal) -> SandboxError | MissingPrerequisite:
    if refusal.code != "ENOENT":
        return SandboxError(f"{program} cannot be started: {refusal.message}")
    name = Path(program).name
    return MissingPrerequisite(
        f"{program} cannot be started in the sandbox: {refusal.message}",
        fix=f"install the package that holds {name} (apt-file search bin/{name})",
    )


def _await_exit(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Waits for a process without looking again and again, as `Popen.wait` does when it has a time limit."""
    if process.poll() is not None:
        return True
    try:
        pidfd = os.pidfd_open(process.pid)
    except ProcessLookupError:
        process.wait()  # another thread was quicker
        return True
    try:
        ended = readable(pidfd, seconds)
    finally:
        os.close(pidfd)
    if ended:
        process.wait()
    return ended


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
