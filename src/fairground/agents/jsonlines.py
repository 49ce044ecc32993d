"""Exchange lines with an external program: one line in, one line out. The program can always be stopped.

The program is untrusted. It may flood, hang, close its input, or leave child processes behind. So nothing here waits
for only one of its pipes, all output is limited, and it runs in its own process group, which is killed with it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Sequence

from fairground.core import FairgroundError, InfrastructureError, InvalidInput, MissingPrerequisite

MAX_LINE = 1 << 20
"""Maximum bytes of one line of a program: a long thought and the longest action fit."""

OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""System errors that mean this machine lacks a resource. They are not the program's fault."""

_ERRORS_KEPT = 16 << 10
_ERRORS_SHOWN = 2_000  # maximum characters of standard error in a message
_CHUNK = 1 << 16
_LAST_WORDS = 1.0  # seconds for a program that closed its pipes to exit, so that its status is known


class ProgramFault(FairgroundError):
    """An agent's program violated the protocol: it exited, flooded, or printed something unreadable."""


def find_program(command: Sequence[str]) -> tuple[str, ...]:
    """Check that the program exists and return the command. Raises before anything is started."""
    if not command or not command[0]:
        raise InvalidInput(
            "an agent program needs a command", fix="write program:COMMAND, such as program:python agent.py"
        )
    if any("\0" in word for word in command):
        raise InvalidInput("a command must not contain a NUL character")
    if shutil.which(command[0]) is None:
        there = os.path.exists(command[0]) and not os.path.isdir(command[0])
        problem = "is not executable" if there else "was not found"
        fix = f"chmod +x {shlex.quote(command[0])}" if there else "install it, or give the path to it"
        raise MissingPrerequisite(f"agent program {command[0]!r} {problem}", fix=fix)
    return tuple(command)


class LineProgram:
    """A running program in its own process group.

    It is not sandboxed: it runs as the user, with the user's environment.

    Args:
        command: Program and arguments.
        max_line: Maximum bytes of a line.
    """

    def __init__(self, command: Sequence[str], *, max_line: int = MAX_LINE) -> None:
        self._words = shlex.join(command)
        self._max_line = max_line
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for us, and the group is killed with all its children
            )
        except OSError as error:
            fault = f"agent program {self._words} cannot be started: {error.strerror or error}"
            if error.errno in OUT_OF_RESOURCES:
                raise InfrastructureError(fault, fix="free memory or disk space, or use fewer --workers") from None
            raise ProgramFault(fault) from None
        assert process.stdin and process.stdout and process.stderr
        self.pid = process.pid
        self._in, self._out, self._err = (pipe.fileno() for pipe in (process.stdin, process.stdout, process.stderr))
        for handle in (self._in, self._out, self._err):
            os.set_blocking(handle, False)
        self._exit = os.pidfd_open(
            process.pid
        )  # signals the exit without reaping the process, so that its group ID stays reserved
        self._stopped, self._stop = os.pipe()
        self._inbox = bytearray()
        self._errors = bytearray()
        self._open = {self._out, self._err}
        self._talking, self._stopping = threading.Lock(), threading.Lock()
        self._end = weakref.finalize(self, _end, process, (self._exit, self._stopped, self._stop))

    def ask(self, line: bytes) -> bytes:
        """Write one or more lines, and return the next line it prints, without its newline.

        Waits without a timeout. `stop`, from another thread, ends the wait.

        Raises:
            ProgramFault: If it exits, floods, or prints a line that is too long. It is then killed.
        """
        with self._talking:
            try:
                return self._converse(memoryview(line))
            except BaseException:
                self._kill()
                raise

    def stop(self, last: bytes = b"", grace: float = 2.0) -> None:
        """Stop the program and everything it started. May be called twice, and while another thread waits in `ask`.

        Args:
            last: A line to send before its input is closed.
            grace: Seconds it has to exit by itself, if no other thread waits for an answer.
        """
        with self._stopping:
            if not self._end.alive:
                return
            if self._talking.acquire(blocking=False):
                try:
                    with contextlib.suppress(OSError):  # it may have exited, or closed its input
                        self._wave_off(memoryview(last), time.monotonic() + grace)
                finally:
                    self._end()
                    self._talking.release()
                return
            os.write(self._stop, b"x")
            self._kill()
            with self._talking:
                self._end()

    @property
    def errors(self) -> str:
        """The end of its standard error, as far as it was read."""
        return self._errors.decode("utf-8", "backslashreplace")

    def fault(self, what: str) -> ProgramFault:
        """Return an error about this program, with the end of its standard error."""
        self._drain()
        output = self.errors.strip()
        if len(output) > _ERRORS_SHOWN:
            output = "... " + output[-_ERRORS_SHOWN:]
        tail = f"; its standard error ends:\n{output}" if output else "; it wrote nothing to standard error"
        return ProgramFault(f"agent program {self._words} {what}{tail}")

    def _converse(self, unsent: memoryview) -> bytes:
        if not self._end.alive:
            raise ProgramFault(f"agent program {self._words} was stopped")
        while True:
            if not unsent and (line := self._line()) is not None:
                return line
            if len(self._inbox) > 2 * self._max_line:  # only while it does not read its input
                raise self.fault("prints without reading its input")
            ready = self._wait([self._in] if unsent else [], None)
            if self._stopped in ready:
                raise ProgramFault(f"agent program {self._words} was stopped")
            if self._in in ready:
                try:
                    unsent = unsent[os.write(self._in, unsent[:_CHUNK]) :]
                except BlockingIOError:
                    pass
                except BrokenPipeError:
                    if not self._ended(_LAST_WORDS):
                        raise self.fault("closed its standard input while it was running") from None
                    unsent = memoryview(b"")
            self._read(ready)
            if self._exit in ready or self._out not in self._open:
                self._drain()
                unsent = memoryview(b"")  # there is no reader any more; but it may have answered before it exited
                if b"\n" not in self._inbox:
                    raise self._early_end()

    def _line(self) -> bytes | None:
        newline = self._inbox.find(b"\n")
        if newline > self._max_line or (newline < 0 and len(self._inbox) > self._max_line):
            raise self.fault(f"printed a line of more than {self._max_line:,} bytes")
        if newline < 0:
            return None
        line = bytes(self._inbox[:newline])
        del self._inbox[: newline + 1]
        return line

    def _wait(self, writable: list[int], seconds: float | None) -> set[int]:
        poll = select.poll()  # not select.select: a worker may have many open files
        for handle in (*self._open, self._exit, self._stopped):
            poll.register(handle, select.POLLIN)
        for handle in writable:
            poll.register(handle, select.POLLOUT)
        return {handle for handle, _ in poll.poll(None if seconds is None else max(seconds, 0) * 1000)}

    def _read(self, ready: set[int]) -> bool:
        """Read a chunk of each ready pipe. Returns whether there was any data."""
        any_read = False
        for handle in ready & self._open:
            try:
                data = os.read(handle, _CHUNK)
            except BlockingIOError:
                continue
            if not data:
                self._open.discard(handle)
                continue
            any_read = True
            if handle == self._out:
                self._inbox += data
            else:
                self._errors += data
                del self._errors[:-_ERRORS_KEPT]
        return any_read

    def _drain(self) -> None:
        """Read what was printed so far, within the limits. A child process may keep the pipes open for ever."""
        while self._end.alive and len(self._inbox) <= self._max_line and self._read(set(self._open)):
            pass

    def _early_end(self) -> ProgramFault:
        half = " in the middle of a line" if self._inbox else ""
        if not self._ended(_LAST_WORDS):
            return self.fault(f"closed its standard output{half} while it was running")
        status = os.waitid(os.P_PIDFD, self._exit, os.WEXITED | os.WNOWAIT)
        assert status is not None
        if status.si_code == os.CLD_EXITED:
            return self.fault(f"exited with status {status.si_status}{half} before it answered")
        return self.fault(f"was killed by {_signal_name(status.si_status)}{half} before it answered")

    def _ended(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._exit, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _wave_off(self, unsent: memoryview, deadline: float) -> None:
        listening = True
        while (left := deadline - time.monotonic()) > 0:
            if listening and not unsent:
                self._close_input()
                listening = False
            ready = self._wait([self._in] if listening else [], left)
            if self._exit in ready:
                return
            if self._in in ready:
                with contextlib.suppress(BlockingIOError):
                    unsent = unsent[os.write(self._in, unsent[:_CHUNK]) :]
            self._read(ready)
            self._inbox.clear()

    def _close_input(self) -> None:
        # The program reads the end of file. The descriptor stays reserved until `_end` closes it.
        null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(null, self._in, inheritable=False)
        os.close(null)

    def _kill(self) -> None:
        if self._end.alive:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes], handles: tuple[int, ...]) -> None:
    """Kill a program's whole process group and close everything, also when Python exits."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # before it is reaped: until then its group ID cannot be reused
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait()
    for handle in handles:
        os.close(handle)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
