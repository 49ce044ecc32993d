"""Programs inside a sandbox: start, watch, stop, and account for them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import resource
import select
import signal
import time

from . import kernel, seccomp
from .files import Refused
from .logs import Log

_START_SECONDS = 10.0
_STOP_SECONDS = 5.0
_SETTLE_SECONDS = 0.1
_REAP_AT_ONCE = 1000
_HIGHEST_FD = 255  # highest file descriptor that a caller may pass to a program


class Programs:
    """The programs of one sandbox.

    Args:
        env: Environment of every program.
        home: The user's home.
        attach: Open `cgroup.procs` files. Each program writes to them to enter the cgroup.
        processes: Maximum number of processes of this user, or None.
        namespaced: Whether this is the first process of a pid namespace.
    """

    def __init__(
        self, env: dict[str, str], home: str, attach: list[int], processes: int | None, *, namespaced: bool
    ) -> None:
        self.env = env
        self.home = home
        self.attach = attach
        self.processes = processes
        self.namespaced = namespaced
        self._status: dict[int, int | None] = {}
        self._used = 0.0  # CPU seconds of ended programs
        self._most = 0.0
        # The keeper holds two files per followed program; programs get the original limit.
        self._files = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (self._files[1], self._files[1]))

    def start(
        self, argv: list[str], env: dict[str, str], cwd: str, give: dict[int, int], log: Log | None, *, quiet: bool
    ) -> tuple[int, int]:
        """Start a program with these open files. Returns its process ID and a pidfd.

        A quiet program cannot send signals.
        """
        if log is not None:
            give = {1: log.writer, 2: log.writer} | give
        if not all(0 <= target <= _HIGHEST_FD for target in give):
            raise Refused("EBADF", f"file descriptors must be 0 to {_HIGHEST_FD}, got {sorted(give)}")
        report, tell = os.pipe2(os.O_CLOEXEC)
        pid = os.fork()
        if pid == 0:
            self._become(argv, self.env | env, cwd, give, tell, quiet)
        os.close(tell)
        try:
            failure = _await_start(report, pid)
        finally:
            os.close(report)
        if failure:
            os.waitpid(pid, 0)
            code, _, text = failure.decode(errors="replace").partition(" ")
            raise Refused(code, text)
        self._status[pid] = None
        return pid, os.pidfd_open(pid)

    def _become(
        self, argv: list[str], env: dict[str, str], cwd: str, give: dict[int, int], tell: int, quiet: bool
    ) -> None:
        """In the child: enter the cgroups, pass files, execute. Never returns."""
        try:
            tell = _duplicate_high(tell)
            os.setsid()
            for fd in self.attach:
                os.write(fd, b"0")
            if self.processes is not None:
                resource.setrlimit(resource.RLIMIT_NPROC, (self.processes, self.processes))
            for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            try:
                os.chdir(cwd)
            except OSError as error:
                raise Refused("cwd", f"working folder {cwd}: {error.strerror}") from None
            null = os.open("/dev/null", os.O_RDWR)
            high = {target: _duplicate_high(fd) for target, fd in ({0: null, 1: null, 2: null} | give).items()}
            resource.setrlimit(resource.RLIMIT_NOFILE, self._files)
            try:
                kernel.close_on_exec(3)
            except OSError as error:
                if error.errno != errno.ENOSYS:  # every file here is already close-on-exec; this is a second safeguard
                    raise
            for target, fd in high.items():
                os.dup2(fd, target, inheritable=True)
            if quiet:
                seccomp.forbid_signals()
            _execute(argv, env)
        except Refused as refusal:
            failure = f"{refusal.code} {refusal.message}"
        except OSError as error:
            place = argv[0] if error.filename is None else error.filename
            failure = f"{errno.errorcode.get(error.errno or 0, 'EIO')} {place}: {error.strerror}"
        except BaseException as error:
            failure = f"EINVAL {type(error).__name__}: {error}"
        try:
            os.write(tell, failure.encode(errors="replace")[:4000])
        finally:
            os._exit(127)

    def check_attach(self) -> list[bool]:
        """Test with a short-lived process which cgroups programs can enter. The others are dropped."""
        report, tell = os.pipe2(os.O_CLOEXEC)
        pid = os.fork()
        if pid == 0:
            try:
                for fd in self.attach:
                    try:
                        os.write(fd, b"0")
                    except OSError:
                        os.write(tell, b"-")
                    else:
                        os.write(tell, b"+")
            finally:
                os._exit(0)
        os.close(tell)
        os.waitpid(pid, 0)
        answers = os.read(report, len(self.attach) + 1)
        os.close(report)
        able = [answers[index : index + 1] == b"+" for index in range(len(self.attach))]
        self.attach = [fd for fd, can in zip(self.attach, able, strict=True) if can]
        return able

    def reap(self) -> bool:
        """Reap some ended programs and orphans. Returns True if there may be more.

        Not all at once: a program that creates orphans continuously must not block the keeper.
        """
        for _ in range(_REAP_AT_ONCE):
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return False
            self._used += usage.ru_utime + usage.ru_stime
            # An orphan may reuse the process ID of an ended program. Its status is not that program's.
            if pid in self._status and self._status[pid] is None:
                self._status[pid] = os.waitstatus_to_exitcode(status)
        return True

    def status(self, pid: int) -> int | None:
        """Exit status of a program started here; None while it runs."""
        if pid not in self._status:
            raise Refused("ESRCH", f"no program {pid} was started here")
        while self._status[pid] is None and self.reap():
            pass
        return self._status[pid]

    def kill(self, pid: int, number: int) -> None:
        """Signal the process group of a program started here, if it still runs."""
        if self.status(pid) is None:  # after it ended, the process ID may belong to another process
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, number)

    def stop(self) -> None:
        """Stop every program by signal and wait until all have stopped, on machines without a freezer."""
        started = time.monotonic()
        while states := {pid: state for pid in self._pids() if (state := _state(pid)) not in "TtZX"}:
            for pid in [-1] if self.namespaced else states:  # -1 means every process but this one, in one step
                _signal(pid, signal.SIGSTOP)
            waited = time.monotonic() - started
            if set(states.values()) == {"D"} and waited > _SETTLE_SECONDS:
                # in a system call, such as one that waits for a stopped child of vfork; it stops when the call returns
                return
            if waited > _STOP_SECONDS:
                self.resume()
                raise Refused("ETIMEDOUT", f"{len(states)} processes did not stop within {_STOP_SECONDS:g} s")

    def resume(self) -> None:
        """Continue stopped programs."""
        for pid in [-1] if self.namespaced else self._pids():
            _signal(pid, signal.SIGCONT)

    @property
    def used(self) -> float:
        """CPU seconds of the programs that ended."""
        return self._used

    def usage(self, elsewhere: float = 0.0) -> tuple[float, int]:
        """CPU seconds and bytes of memory of all programs, on machines without cgroups.

        Includes running programs of a nested namespace. `elsewhere` is the CPU time of those that ended there.
        """
        seconds, memory = self._used + elsewhere, 0
        for pid in self._pids():
            try:
                # The CPU clock of another process: all its threads, in nanoseconds.
                seconds += time.clock_gettime((~pid << 3) | 2)
                with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
                    fields = file.read().split()
                memory += (int(fields[1]) - int(fields[2])) * resource.getpagesize()
            except (OSError, IndexError):
                continue  # it ended meanwhile
        # A program that has ended but not been reaped is counted in neither sum.
        self._most = max(self._most, seconds)
        return self._most, memory

    def at_work(self) -> int:
        """Number of threads that run, or wait for a CPU or a disk, on machines without cgroups."""
        count = 0
        for pid in self._pids():
            try:
                threads = os.listdir(f"/proc/{pid}/task")
            except OSError:
                continue  # it ended meanwhile
            for thread in threads:
                try:
                    with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
                        count += file.read(512).rpartition(b") ")[2][:1] in (b"R", b"D")
                except OSError:
                    continue
        return count

    def _pids(self) -> list[int]:
        if self.namespaced:
            return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]
        return descendants()


def descendants() -> list[int]:
    """All processes below this one, which must be a child subreaper so that none escapes."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue  # it ended meanwhile
            children.setdefault(parent, []).append(int(name))
    pids: list[int] = []
    stack = [os.getpid()]
    while stack:
        below = children.get(stack.pop(), [])
        pids += below
        stack += below
    return pids


def end_descendants(seconds: float) -> None:
    """Kill every process below this one as they appear, and reap them."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        pids = descendants()
        for pid in pids:  # stop all first, so that none forks meanwhile
            _signal(pid, signal.SIGSTOP)
        for pid in pids:
            _signal(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            return
        select.select([], [], [], 0.001)


def _execute(argv: list[str], env: dict[str, str]) -> None:
    """Find and execute a program. `os.execvpe` would import a module, which is no longer possible here."""
    if "/" in argv[0]:
        os.execve(argv[0], argv, env)
    failure: OSError = FileNotFoundError(errno.ENOENT, "no such program on PATH", argv[0])
    for folder in env.get("PATH", "").split(":"):
        path = f"{folder or '.'}/{argv[0]}"
        try:
            os.execve(path, argv, env)
        except OSError as error:
            if os.path.lexists(path):  # it exists but cannot be executed; a later one on PATH may work
                failure = error
    raise failure


def _await_start(report: int, pid: int) -> bytes:
    """Read the error of a new program's process; empty if the program was executed.

    Programs of the same user can stop that process before it is ready, so this must not wait for it indefinitely.
    """
    poller = select.poll()
    poller.register(report, select.POLLIN)
    deadline = time.monotonic() + _START_SECONDS
    while not poller.poll(2):
        if time.monotonic() > deadline:
            _signal(pid, signal.SIGKILL)
            return b"ETIMEDOUT it was kept from starting"
        _signal(pid, signal.SIGCONT)
    return os.read(report, 4096)


def _state(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return "X"  # it ended meanwhile


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _duplicate_high(fd: int) -> int:
    """Duplicate a file descriptor above the range for programs, so that passing files cannot overwrite a source."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _HIGHEST_FD + 1)
