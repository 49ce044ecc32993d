"""The first process of a sandbox, answering the host: start, read, write, connect, freeze.

Requests and answers are small JSON messages on one socket; open files travel with them, so that content
never does. What runs inside can reach neither the socket nor this process. Everything is imported at the
start: once inside, the host's Python library is out of sight.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import resource
import select
import shutil
import signal
import socket
import stat
import time
from collections.abc import Callable
from typing import Any

from . import kernel

MESSAGE = 1 << 17  # bytes a message may have
_COPY = 1 << 20


class Refused(Exception):
    """An answer that says no: a code the host knows, and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Keeper:
    """Answers one host until the host goes away."""

    def __init__(
        self,
        control: socket.socket,
        *,
        home: str,
        logs: str,
        env: dict[str, str],
        attach: list[int],
        thaw: int | None,
        processes: int | None,
        namespaced: bool,
    ) -> None:
        self.control = control
        self.home = home
        self.logs = logs
        self.env = env
        self.attach = attach
        self.thaw_fd = thaw
        self.processes = processes
        self.namespaced = namespaced
        self.children: dict[int, int | None] = {}
        self.used = 0.0  # processor seconds of those that ended

    def serve(self) -> None:
        """Answers requests and reaps children until the control socket closes."""
        wake, nudge = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(nudge, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(ignored, signal.SIG_IGN)
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        poller.register(wake, select.POLLIN)
        while True:
            for fd, _ in poller.poll():
                if fd == wake:
                    with contextlib.suppress(BlockingIOError):
                        os.read(wake, 512)
                    self._reap()
                elif not self._answer():
                    return

    def end(self) -> None:
        """Ends everything that was started. In a pid namespace the kernel does it when this process exits."""
        if self.thaw_fd is not None:
            with contextlib.suppress(OSError):
                os.write(self.thaw_fd, b"THAWED")  # a frozen process of cgroup v1 cannot even be killed
        if not self.namespaced:
            _end_descendants()

    def _answer(self) -> bool:
        try:
            message, fds, flags, _ = socket.recv_fds(self.control, MESSAGE, 16)
        except OSError:
            return False
        if not message:
            return False
        passed: list[int] = []
        try:
            if flags & socket.MSG_TRUNC:
                raise Refused("invalid", "the request is too large")
            request = json.loads(message)
            handler: Callable[..., tuple[Any, list[int]]] = getattr(self, f"do_{request.pop('do')}")
            value, passed = handler(fds=fds, **request)
            answer: dict[str, Any] = {"value": value}
        except Refused as refusal:
            answer = {"refused": refusal.code, "message": refusal.message}
        except OSError as error:
            answer = {"refused": errno.errorcode.get(error.errno or 0, "EIO"), "message": str(error)}
        finally:
            for fd in fds:
                os.close(fd)
        try:
            socket.send_fds(self.control, [json.dumps(answer).encode()], passed)
        except OSError:
            return False
        finally:
            for fd in passed:
                os.close(fd)
        return True

    def _reap(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self.used += usage.ru_utime + usage.ru_stime
            if pid in self.children:
                self.children[pid] = os.waitstatus_to_exitcode(status)

    def _path(self, path: str) -> str:
        if path == "~" or path.startswith("~/"):
            return self.home + path[1:]
        if not path.startswith("/"):
            raise Refused("invalid", f"path {path!r} is neither absolute nor below ~/")
        return path

    # Requests. Each returns plain data and the files to send along.

    def do_spawn(
        self, *, argv: list[str], env: dict[str, str], cwd: str, targets: list[int], log: bool, fds: list[int]
    ) -> tuple[Any, list[int]]:
        """Starts a program; `targets` are the numbers that the passed files get in it."""
        give = dict(zip(targets, fds, strict=True))
        passed: list[int] = []
        if log:
            name = f"{self.logs}/log"
            writer = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            passed.append(os.open(name, os.O_RDONLY | os.O_CLOEXEC))
            os.unlink(name)
            give |= {1: writer, 2: writer}
        report, tell = os.pipe2(os.O_CLOEXEC)
        pid = os.fork()
        if pid == 0:
            self._become(argv, {**self.env, **env}, self._path(cwd), give, tell)
        os.close(tell)
        if log:
            os.close(give[1])
        with os.fdopen(report, "rb") as pipe:
            failure = pipe.read(4096)
        if failure:
            os.waitpid(pid, 0)
            for fd in passed:
                os.close(fd)
            code, _, text = failure.decode(errors="replace").partition(" ")
            raise Refused(code, text)
        self.children[pid] = None
        return pid, [os.pidfd_open(pid), *passed]

    def _become(self, argv: list[str], env: dict[str, str], cwd: str, give: dict[int, int], tell: int) -> None:
        """In the child: attaches, hands over files, executes. Never returns."""
        try:
            os.setsid()
            for fd in self.attach:
                os.write(fd, b"0")
            with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
                file.write("500")  # the machine's memory runs out here first
            if self.processes is not None:
                resource.setrlimit(resource.RLIMIT_NPROC, (self.processes, self.processes))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for number in range(1, signal.NSIG):
                with contextlib.suppress(OSError, ValueError):
                    signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.chdir(cwd)
            null = os.open("/dev/null", os.O_RDWR)
            high = {target: _duplicate_high(fd) for target, fd in {0: null, 1: null, 2: null, **give}.items()}
            tell = _duplicate_high(tell)
            for target, fd in high.items():
                os.dup2(fd, target, inheritable=True)
            os.execvpe(argv[0], argv, env)
        except OSError as error:
            text = f"{argv[0]}: {error.strerror}" if error.filename is None else f"{error.filename}: {error.strerror}"
            os.write(tell, f"{errno.errorcode.get(error.errno or 0, 'EIO')} {text}".encode()[:4000])
        finally:
            os._exit(127)

    def do_status(self, *, pid: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Exit status of a program started here; null while it runs."""
        self._reap()
        if pid not in self.children:
            raise Refused("invalid", f"no program {pid} was started here")
        return self.children[pid], []

    def do_kill(self, *, pid: int, signal: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Signals the process group of a program started here, if it still runs."""
        self._reap()
        if pid not in self.children:
            raise Refused("invalid", f"no program {pid} was started here")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal)
        return None, []

    def do_read(self, *, path: str, fds: list[int]) -> tuple[Any, list[int]]:
        """Opens a regular file for the host to read."""
        # Without O_NONBLOCK a pipe left under a file's name would hold us for ever.
        fd = kernel.open_inside(self._path(path), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise Refused("special", f"{path} is not a regular file")
        return None, [fd]

    def do_write(self, *, path: str, mode: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Writes what the passed file holds to a path, making the folders above it."""
        target = self._path(path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        out = kernel.open_inside(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK, mode)
        try:
            while data := os.read(fds[0], _COPY):
                view = memoryview(data)
                while view:
                    view = view[os.write(out, view) :]
            os.fchmod(out, mode)
        finally:
            os.close(out)
        return None, []

    def do_list(self, *, path: str, limit: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Writes all entries below a folder into the passed file, a JSON list."""
        start = self._path(path)
        rows: list[tuple[str, str, int, float]] = []
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                entries = list(os.scandir(os.path.join(start, folder)))
            except OSError:
                if folder == "":
                    raise
                continue  # unreadable, or gone meanwhile
            for entry in entries:
                if len(rows) >= limit:
                    raise Refused("limit", f"{path} holds more than {limit} entries")
                info = entry.stat(follow_symlinks=False)
                kind = _kind(info.st_mode)
                name = os.path.join(folder, entry.name)
                rows.append((name, kind, info.st_size, info.st_mtime))
                if kind == "folder":
                    folders.append(name)
        with os.fdopen(os.dup(fds[0]), "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(sorted(rows), file)
        return len(rows), []

    def do_connect(self, *, address: int | str, fds: list[int]) -> tuple[Any, list[int]]:
        """Connects to a server inside."""
        if isinstance(address, int):
            client, place = socket.socket(), ("127.0.0.1", address)
        else:
            client = socket.socket(socket.AF_UNIX)
            place = "\0" + address[1:] if address.startswith("@") else self._path(address)  # type: ignore[assignment]
        client.settimeout(5)
        try:
            client.connect(place)
        except TimeoutError:
            client.close()
            raise Refused("ETIMEDOUT", f"{address}: no answer within 5 s") from None
        client.settimeout(None)
        return None, [client.detach()]

    def do_listen(self, *, port: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Opens a listening socket on this side's loopback."""
        server = socket.create_server(("127.0.0.1", port), backlog=64)
        return server.getsockname()[1], [server.detach()]

    def do_stop(self, *, fds: list[int]) -> tuple[Any, list[int]]:
        """Stops every program by signal: for machines without a freezer."""
        self._signal_all(signal.SIGSTOP)
        return None, []

    def do_continue(self, *, fds: list[int]) -> tuple[Any, list[int]]:
        """Lets stopped programs go on."""
        self._signal_all(signal.SIGCONT)
        return None, []

    def do_usage(self, *, fds: list[int]) -> tuple[Any, list[int]]:
        """Processor seconds and bytes of memory of everything here: for machines without cgroups."""
        seconds, memory = self.used, 0
        for pid in self._pids():
            try:
                # The clock of another process: all its threads, in nanoseconds.
                seconds += time.clock_gettime((~pid << 3) | 2)
                with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
                    fields = file.read().split()
                memory += (int(fields[1]) - int(fields[2])) * 4096
            except (OSError, IndexError):
                continue  # it ended meanwhile
        return {"seconds": seconds, "memory": memory}, []

    def _pids(self) -> list[int]:
        if self.namespaced:
            return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]
        return descendants()

    def _signal_all(self, number: int) -> None:
        if self.namespaced:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, number)  # everything but ourselves, in one step
            return
        for pid in descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


def descendants() -> list[int]:
    """Every process below this one, which must be a child subreaper so that none gets away."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(name))
    found, stack = [], [os.getpid()]
    while stack:
        below = children.get(stack.pop(), [])
        found += below
        stack += below
    return found


def _end_descendants() -> None:
    deadline = time.monotonic() + 10
    while (pids := descendants()) and time.monotonic() < deadline:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # Reaping blocks until one has ended, so this loop follows the processes, not a clock.
        with contextlib.suppress(ChildProcessError):
            os.wait()


def remove_folder(path: str) -> None:
    """Removes what a bare sandbox kept on disk, also where a program took its own permission away."""

    def allow(function: Callable[..., Any], name: str, _: Any) -> None:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(name), 0o700)
            function(name)

    shutil.rmtree(path, onerror=allow)


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def _duplicate_high(fd: int) -> int:
    """A copy past the numbers that programs are given, so that handing over cannot overwrite a source."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 64)
