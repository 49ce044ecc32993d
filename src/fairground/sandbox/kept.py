"""A sandbox as the host holds it: one socket to its keeper, and files passed over it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairground.core import InfrastructureError, InvalidInput, MissingPrerequisite, SandboxError, StateError
from fairground.sandbox.cgroups import Cgroup, make_cgroup
from fairground.sandbox.protocol import HOME, MEGABYTE, Completed, FileInfo, SandboxSpec

_MESSAGE = 1 << 17
_ANSWER_SECONDS = 30.0
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from keeper.main import main; main(int(sys.argv[2]))"
)
SANDBOX_UID = 60600
"""Who sandboxes are to the host when we are root: a number without an account, in a range nobody hands out."""


def make_sandbox(spec: SandboxSpec, *, kind: str, hide: Sequence[Path] = ()) -> KeptSandbox:
    """Starts a keeper, which makes a sandbox of this kind (`namespace` or `bare`)."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    cgroup, notes = make_cgroup(spec.limits)
    fds: list[int] = []
    try:
        order = _order(spec, kind, cgroup, hide, fds)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-c", _START, str(Path(__file__).parent), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd="/",
        )
        theirs.close()
        socket.send_fds(ours, [json.dumps(order).encode()], fds)
        sandbox = KeptSandbox(kind, ours, process, cgroup, notes)
    except BaseException:
        ours.close()
        cgroup.remove()
        raise
    finally:
        for fd in fds:
            os.close(fd)
    try:
        sandbox.home = sandbox.call(None)[0]["home"]
    except BaseException:
        sandbox.discard()
        raise
    return sandbox


def _order(spec: SandboxSpec, kind: str, cgroup: Cgroup, hide: Sequence[Path], fds: list[int]) -> dict[str, Any]:
    """What the keeper is told; open files are appended to `fds` and named by their place in it."""

    def give(fd: int) -> int:
        fds.append(fd)
        return len(fds) - 1

    for path in (*spec.layers, *([spec.writable] if spec.writable else [])):
        if not path.is_dir():
            raise SandboxError(f"layer {path} is not a folder", fix="build it again")
    thaw = cgroup.open_thaw()
    root = os.geteuid() == 0
    return {
        "kind": kind,
        "attach": [give(fd) for fd in cgroup.open_attach()],
        "thaw": None if thaw is None else give(thaw),
        "layers": [str(path.absolute()) for path in spec.layers],
        "writable": None if spec.writable is None else str(spec.writable.absolute()),
        "folder": tempfile.mkdtemp(prefix="fairground-") if kind == "bare" else "",
        "cgroups": [str(path) for path in cgroup.folders],
        "env": dict(spec.env),
        "processes": spec.limits.processes if kind == "namespace" else None,
        "disk": spec.limits.disk,
        "hide": [str(path) for path in (*spec.hide, *hide)],
        "hostname": spec.hostname,
        "host_uid": SANDBOX_UID if root else os.geteuid(),
        "host_gid": SANDBOX_UID if root else os.getegid(),
    }


@dataclass
class KeptProcess:
    """A program running in a kept sandbox."""

    sandbox: KeptSandbox
    pid: int
    argv: tuple[str, ...]
    pidfd: int
    log: int | None
    _code: int | None = field(default=None, init=False)

    def poll(self) -> int | None:
        """The exit status, or None while it runs."""
        if self._code is None and _readable(self.pidfd, 0):
            self._code = self._status()
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """The exit status; raises `TimeoutError` when it does not come in time."""
        if self._code is None:
            if not _readable(self.pidfd, timeout):
                raise TimeoutError(f"{self.argv[0]} still runs after {timeout:g} s")
            self._code = self._status()
        return self._code

    def _status(self) -> int:
        if not self.sandbox.alive:
            return -signal.SIGKILL  # everything inside ended with the sandbox
        try:
            code = self.sandbox.call({"do": "status", "pid": self.pid})[0]
        except SandboxError:
            return -signal.SIGKILL
        return int(code) if code is not None else -signal.SIGKILL

    def kill(self, signal: int = 9) -> None:
        """Sends a signal to its process group."""
        if self._code is None and self.sandbox.alive:
            self.sandbox.call({"do": "kill", "pid": self.pid, "signal": int(signal)})

    def output(self, limit: int = 65536) -> str:
        """The end of what it has written."""
        if self.log is None:
            return ""
        size = os.fstat(self.log).st_size
        return os.pread(self.log, limit, max(0, size - limit)).decode(errors="replace")

    def __del__(self) -> None:
        for fd in (self.pidfd, self.log):
            if fd is not None:
                with contextlib.suppress(OSError):
                    os.close(fd)


class KeptSandbox:
    """Implements `Sandbox` by asking a keeper."""

    def __init__(
        self,
        runner: str,
        control: socket.socket,
        process: subprocess.Popen[bytes],
        cgroup: Cgroup,
        notes: tuple[str, ...],
    ) -> None:
        self.runner = runner
        self.isolated = runner == "namespace"
        self.notes = notes
        self.home = ""
        self.frozen = False
        self._control = control
        self._process = process
        self._cgroup = cgroup
        self._lock = threading.RLock()
        self._open = True
        self._helpers: list[subprocess.Popen[bytes]] = []

    @property
    def alive(self) -> bool:
        """Whether its keeper still runs."""
        return self._open and self._process.poll() is None

    @property
    def keeper_pid(self) -> int:
        """The keeper's number on the host: for tests, and for joining its namespaces."""
        return self._process.pid

    def call(
        self, request: dict[str, Any] | None, fds: Sequence[int] = (), timeout: float = _ANSWER_SECONDS
    ) -> tuple[Any, list[int]]:
        """One request and its answer; None only awaits an answer."""
        with self._lock:
            if not self._open:
                raise SandboxError("the sandbox was discarded", fix="open a new one")
            try:
                if request is not None:
                    message = json.dumps(request).encode()
                    if len(message) > _MESSAGE:
                        raise InvalidInput(f"a request to the sandbox may have {_MESSAGE} bytes, got {len(message)}")
                    socket.send_fds(self._control, [message], list(fds))
                if not _readable(self._control.fileno(), timeout):
                    raise SandboxError(f"the sandbox did not answer within {timeout:g} s")
                answer, passed, _, _ = socket.recv_fds(self._control, _MESSAGE, 16)
            except OSError as error:
                raise self._broken(error.strerror or str(error)) from None
            if not answer:
                raise self._broken("its keeper ended")
        found = json.loads(answer)
        if "refused" in found:
            for fd in passed:
                os.close(fd)
            raise _Refusal(found["refused"], found["message"])
        return found["value"], passed

    def _broken(self, why: str) -> SandboxError:
        self._open = False
        self._process.kill()
        _, stderr = self._process.communicate()
        said = stderr.decode(errors="replace").strip()[-2000:]
        return SandboxError(f"the sandbox is gone: {why}" + (f"\n{said}" if said else ""), fix="open a new one")

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
        out_r, out_w = os.pipe()
        err_r, err_w = os.pipe()
        stdin = _memory_file(input)
        try:
            process = self._spawn(argv, env, cwd, {0: stdin, 1: out_w, 2: err_w}, log=False)
        except BaseException:
            os.close(out_r)
            os.close(err_r)
            raise
        finally:
            for fd in (stdin, out_w, err_w):
                os.close(fd)
        try:
            stdout, stderr = _gather(process, out_r, err_r, started + timeout, limit)
        except (TimeoutError, OverflowError) as error:
            with contextlib.suppress(SandboxError):
                process.kill()
            raise SandboxError(f"{_shown(argv)}: {error}") from None
        finally:
            os.close(out_r)
            os.close(err_r)
        done = Completed(tuple(argv), process.wait(10), stdout, stderr, time.monotonic() - started)
        if check and done.code != 0:
            tail = (stderr or stdout).decode(errors="replace").strip()[-2000:]
            raise SandboxError(f"{_shown(argv)} ended with {_status_words(done.code)}\n{tail}".rstrip())
        return done

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
        if not argv or any("\0" in part for part in argv):
            raise InvalidInput(f"a command is a list of words without NUL, got {argv!r}")
        request = {
            "do": "spawn",
            "argv": list(argv),
            "env": dict(env or {}),
            "cwd": cwd,
            "targets": list(fds),
            "log": log,
        }
        try:
            pid, passed = self.call(request, list(fds.values()))
        except _Refusal as refusal:
            if refusal.code == "ENOENT":
                raise MissingPrerequisite(
                    f"{argv[0]} cannot be started in the sandbox: {refusal.message}",
                    fix=f"install the package that holds {Path(argv[0]).name} (apt-file search bin/{Path(argv[0]).name})",
                ) from None
            raise SandboxError(f"{argv[0]} cannot be started: {refusal.message}") from None
        return KeptProcess(self, pid, tuple(argv), passed[0], passed[1] if log else None)

    def read_file(self, path: str, *, limit: int = 64 * MEGABYTE) -> bytes:
        """A regular file's content."""
        try:
            _, (fd,) = self.call({"do": "read", "path": path})
        except _Refusal as refusal:
            raise StateError(f"{path} cannot be read: {refusal.message}") from None
        with os.fdopen(fd, "rb") as file:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                raise StateError(f"{path} is not a regular file")
            if info.st_size > limit:
                raise StateError(f"{path} has {info.st_size} bytes; at most {limit} are read")
            data = file.read(limit + 1)
        if len(data) > limit:
            raise StateError(f"{path} grew past {limit} bytes while it was read")
        return data

    def write_file(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Writes a file, making the folders above it."""
        fd = _memory_file(data)
        try:
            self.call({"do": "write", "path": path, "mode": mode}, [fd])
        except _Refusal as refusal:
            fix = "raise Limits.disk, or write less" if refusal.code in ("ENOSPC", "EDQUOT") else None
            raise SandboxError(f"{path} cannot be written: {refusal.message}", fix=fix) from None
        finally:
            os.close(fd)

    def list_files(self, path: str = HOME, *, limit: int = 100_000) -> list[FileInfo]:
        """All entries below a folder, links not followed."""
        fd = _memory_file(b"")
        try:
            self.call({"do": "list", "path": path, "limit": limit}, [fd])
            with io.FileIO(fd, closefd=False) as file:
                file.seek(0)
                rows = json.loads(file.readall())
        except _Refusal as refusal:
            raise StateError(f"{path} cannot be listed: {refusal.message}") from None
        finally:
            os.close(fd)
        return [FileInfo(*row) for row in rows]

    def connect(self, address: int | str) -> socket.socket:
        """A connection to a server inside."""
        try:
            _, (fd,) = self.call({"do": "connect", "address": address})
        except _Refusal as refusal:
            raise SandboxError(f"nothing answers at {address} in the sandbox: {refusal.message}") from None
        return socket.socket(fileno=fd)

    def listen(self, port: int = 0) -> socket.socket:
        """A listening socket on the sandbox's loopback."""
        try:
            _, (fd,) = self.call({"do": "listen", "port": port})
        except _Refusal as refusal:
            raise SandboxError(f"port {port} cannot be opened in the sandbox: {refusal.message}") from None
        return socket.socket(fileno=fd)

    def cpu_seconds(self) -> float:
        """Processor time used so far."""
        seconds = self._cgroup.cpu_seconds()
        return seconds if seconds is not None else float(self.call({"do": "usage"})[0]["seconds"])

    def memory_bytes(self) -> int:
        """Memory used now."""
        memory = self._cgroup.memory_bytes()
        return memory if memory is not None else int(self.call({"do": "usage"})[0]["memory"])

    def freeze(self) -> None:
        """Stops every program inside."""
        with self._lock:
            if self._cgroup.can_freeze:
                self._cgroup.set_frozen(True)
            else:
                self.call({"do": "stop"})
            self.frozen = True

    def thaw(self) -> None:
        """Lets them go on."""
        with self._lock:
            if self._cgroup.can_freeze:
                self._cgroup.set_frozen(False)
            else:
                self.call({"do": "continue"})
            self.frozen = False

    def adopt(self, helper: subprocess.Popen[bytes]) -> None:
        """A host program that serves this sandbox and ends with it."""
        self._helpers.append(helper)

    def discard(self) -> None:
        """Ends everything inside and removes every trace."""
        with self._lock:
            self._open = False
            self._control.close()  # the keeper notices, ends everything inside, and removes what is left
            for helper in self._helpers:
                helper.kill()
                helper.wait()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise SandboxError("the sandbox did not end within 15 s and was killed") from None
        finally:
            if self._process.stderr is not None:
                self._process.stderr.close()
            self._cgroup.remove()

    def __enter__(self) -> KeptSandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


class _Refusal(SandboxError):
    """The keeper's no, before it is put into the caller's words."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _gather(process: KeptProcess, out: int, err: int, deadline: float, limit: int) -> tuple[bytes, bytes]:
    """Reads both outputs until the program ends; what it left behind may keep the pipes open for ever."""
    chunks: dict[int, list[bytes]] = {out: [], err: []}
    total = 0
    poller = select.poll()
    for fd in (out, err, process.pidfd):
        poller.register(fd, select.POLLIN)
    waiting = {out, err}
    ended = False
    while waiting:
        left = deadline - time.monotonic()
        if left <= 0 and not ended:
            raise TimeoutError("did not end in time and was stopped")
        ready = {fd for fd, _ in poller.poll(0 if ended else max(1, left * 1000))}
        if ended and not ready & waiting:
            break
        for fd in ready & waiting:
            data = os.read(fd, 1 << 16)
            chunks[fd].append(data)
            total += len(data)
            if total > limit:
                raise OverflowError(f"wrote more than {limit} bytes and was stopped")
            if not data:
                waiting.discard(fd)
                poller.unregister(fd)
        if process.pidfd in ready and not ended:
            ended = True
            poller.unregister(process.pidfd)
    if not ended and not _readable(process.pidfd, max(0.0, deadline - time.monotonic())):
        raise TimeoutError("did not end in time and was stopped")
    return b"".join(chunks[out]), b"".join(chunks[err])


def _memory_file(data: bytes) -> int:
    fd = os.memfd_create("fairground", os.MFD_CLOEXEC)
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _readable(fd: int, timeout: float | None) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(None if timeout is None else timeout * 1000))


def _shown(argv: Sequence[str]) -> str:
    text = " ".join(argv)
    return text if len(text) <= 120 else text[:117] + "..."


def _status_words(code: int) -> str:
    return f"status {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"


__all__ = ["InfrastructureError", "KeptProcess", "KeptSandbox", "make_sandbox"]
