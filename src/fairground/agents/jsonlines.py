"""A program that is spoken to in lines: one goes in, one comes out, and whatever it does, it can be stopped.

The program is somebody else's. It may flood, hang, close what it should read, or leave children behind; so nothing
here waits for one of its pipes alone, nothing it prints is kept without a limit, and it has a process group of its
own that ends with it.
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
"""Bytes of one line of a program: a long thought and the longest action."""

OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""What the system says when this machine lacks something. That is not the program's doing."""

_ERRORS_KEPT = 16 << 10
_ERRORS_SHOWN = 2_000  # characters of it in a message
_CHUNK = 1 << 16
_LAST_WORDS = 1.0  # seconds for a program that closed its pipes to end, so that its status can be told


class ProgramFault(FairgroundError):
    """An agent's program did not keep to the protocol: it ended, flooded, or said what nobody can read."""


def find_program(command: Sequence[str]) -> tuple[str, ...]:
    """The command, if there is such a program; raises before anything is started."""
    if not command or not command[0]:
        raise InvalidInput("an agent program needs a command", fix="program:COMMAND, such as program:python agent.py")
    if any("\0" in word for word in command):
        raise InvalidInput("a command cannot have a NUL character in it")
    if shutil.which(command[0]) is None:
        there = os.path.exists(command[0]) and not os.path.isdir(command[0])
        found = "is not executable" if there else "was not found"
        fix = f"chmod +x {shlex.quote(command[0])}" if there else "install it, or give the path to it"
        raise MissingPrerequisite(f"agent program {command[0]!r} {found}", fix=fix)
    return tuple(command)


class LineProgram:
    """A running program, in a process group of its own.

    It is not sandboxed: it runs as the user, with the user's environment.

    Args:
        command: Program and arguments.
        max_line: Bytes of the longest line that is read.
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
                start_new_session=True,  # a Ctrl-C is meant for us, and it is to be killed with all its children
            )
        except OSError as error:
            fault = f"agent program {self._words} cannot be started: {error.strerror or error}"
            if error.errno in OUT_OF_RESOURCES:
                raise InfrastructureError(fault, fix="free memory or disk, or run fewer --workers") from None
            raise ProgramFault(fault) from None
        assert process.stdin and process.stdout and process.stderr
        self.pid = process.pid
        self._in, self._out, self._err = (pipe.fileno() for pipe in (process.stdin, process.stdout, process.stderr))
        for handle in (self._in, self._out, self._err):
            os.set_blocking(handle, False)
        self._exit = os.pidfd_open(process.pid)  # tells that it ended without reaping it, so that its group stays ours
        self._stopped, self._stop = os.pipe()
        self._inbox = bytearray()
        self._errors = bytearray()
        self._open = {self._out, self._err}
        self._talking, self._stopping = threading.Lock(), threading.Lock()
        self._end = weakref.finalize(self, _end, process, (self._exit, self._stopped, self._stop))

    def ask(self, line: bytes) -> bytes:
        """Writes a line (or several) and returns the next one it prints, without its newline.

        Waits as long as it takes; `stop`, from another thread, ends the waiting.

        Raises:
            ProgramFault: When it ends, or floods, or prints a line that is too long. It is killed then.
        """
        with self._talking:
            try:
                return self._converse(memoryview(line))
            except BaseException:
                self._kill()
                raise

    def stop(self, last: bytes = b"", grace: float = 2.0) -> None:
        """Ends it, with everything it started; may be called twice, and while another thread asks.

        Args:
            last: A line to say before its input is closed.
            grace: Seconds it has to end by itself, if nobody waits for an answer of it.
        """
        with self._stopping:
            if not self._end.alive:
                return
            if self._talking.acquire(blocking=False):
                try:
                    with contextlib.suppress(OSError):  # it may have ended, or closed its input
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
        """The end of what it wrote to standard error, as far as it has been read."""
        return self._errors.decode("utf-8", "backslashreplace")

    def fault(self, what: str) -> ProgramFault:
        """An error about this program, with the end of what it wrote to standard error."""
        self._drain()
        said = self.errors.strip()
        if len(said) > _ERRORS_SHOWN:
            said = "... " + said[-_ERRORS_SHOWN:]
        tail = f"; its standard error ends:\n{said}" if said else "; it wrote nothing to standard error"
        return ProgramFault(f"agent program {self._words} {what}{tail}")

    def _converse(self, unsent: memoryview) -> bytes:
        if not self._end.alive:
            raise ProgramFault(f"agent program {self._words} was stopped")
        while True:
            if not unsent and (line := self._line()) is not None:
                return line
            if len(self._inbox) > 2 * self._max_line:  # only while it does not take what we say
                raise self.fault("prints without reading what it is told")
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
                unsent = memoryview(b"")  # nobody is there to read it; but it may have answered before it ended
                if b"\n" not in self._inbox:
                    raise self._early_end()

    def _line(self) -> bytes | None:
        found = self._inbox.find(b"\n")
        if found > self._max_line or (found < 0 and len(self._inbox) > self._max_line):
            raise self.fault(f"printed a line of more than {self._max_line:,} bytes")
        if found < 0:
            return None
        line = bytes(self._inbox[:found])
        del self._inbox[: found + 1]
        return line

    def _wait(self, writable: list[int], seconds: float | None) -> set[int]:
        poll = select.poll()  # not select.select: a worker may have many files open
        for handle in (*self._open, self._exit, self._stopped):
            poll.register(handle, select.POLLIN)
        for handle in writable:
            poll.register(handle, select.POLLOUT)
        return {handle for handle, _ in poll.poll(None if seconds is None else max(seconds, 0) * 1000)}

    def _read(self, ready: set[int]) -> bool:
        """Takes what is there, a chunk of each; whether there was any."""
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
        """Reads what was printed before now, within the limits; a child may hold the pipes open for ever."""
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
        # The program reads the end; the number stays taken until `_end` closes it, so that nothing else gets it.
        null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(null, self._in, inheritable=False)
        os.close(null)

    def _kill(self) -> None:
        if self._end.alive:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes], handles: tuple[int, ...]) -> None:
    """Kills a program's whole group and lets go of everything; also when Python ends."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # before it is reaped: until then nobody else can have its number
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
