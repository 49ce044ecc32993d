"""The line to a keeper: requests and answers, what becomes of it, and its end."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairground.core import InvalidInput, SandboxError
from fairground.sandbox.cgroups import Cgroup
from fairground.sandbox.keeper.folder import remove_folder
from fairground.sandbox.keeper.serve import MESSAGE

_ANSWER_SECONDS = 60.0
_END_SECONDS = 15.0


class Channel:
    """One keeper, asked by one thread at a time.

    Args:
        control: The socket to it.
        keeper: Its process on the host, which removes what is left.
        said: Open file with what it printed, which it does only when it breaks.
        cgroup: Where programs run.
        folder: Where the keeper of a bare sandbox keeps its files.

    Attributes:
        lock: Held during a request; held by callers to make several of them one.
    """

    def __init__(
        self, control: socket.socket, keeper: subprocess.Popen[bytes], said: int, cgroup: Cgroup, folder: str
    ) -> None:
        self.keeper = keeper
        self.cgroup = cgroup
        self.lock = threading.RLock()
        self.helpers: list[subprocess.Popen[bytes]] = []
        self._control = control
        self._said = said
        self._folder = folder
        self._first = -1
        self._open = True
        self._requests = 0
        self._end_lock = threading.Lock()
        self._ended = False

    def await_ready(self) -> tuple[dict[str, Any], list[int]]:
        """The keeper's first message, when everything is made; the files with it, without the first process's."""
        with self.lock:
            value, fds = self._receive(0, _ANSWER_SECONDS)
        self._first, *rest = fds
        return value, rest

    def call(self, request: dict[str, Any], fds: Sequence[int] = ()) -> tuple[Any, list[int]]:
        """One request and its answer; raises `Refusal` when the answer is no."""
        with self.lock:
            self.check_open()
            if not self.alive:  # half of a keeper may still read this, and start something that nobody thaws
                raise self._broken("its keeper ended")
            self._requests += 1
            message = json.dumps({"id": self._requests, **request}).encode()
            if len(message) > MESSAGE:
                raise InvalidInput(f"a request to the sandbox may have {MESSAGE} bytes, got {len(message)}")
            try:
                socket.send_fds(self._control, [message], list(fds))
            except ConnectionError:
                raise self._broken("its keeper ended") from None
            except OSError as error:  # a file that cannot be passed, or the socket closed by another thread
                self.check_open()
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

    def check_open(self) -> None:
        """Raises `SandboxError` after the end."""
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
        """Whether both processes of the keeper still run."""
        if not self._open or self.keeper.poll() is not None:
            return False
        first = self._first
        return first < 0 or not readable(first, 0)

    @property
    def first_pid(self) -> int:
        """The number that the first process of the sandbox has on the host."""
        self.check_open()
        text = Path(f"/proc/self/fdinfo/{self._first}").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pid:"))

    def end(self) -> None:
        """Ends the keeper and everything with it, and waits until nothing is left; may be called twice."""
        with self._end_lock:
            if self._ended:
                return
            self._open = False
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)  # ends what other threads wait for
            with self.lock:
                self._control.close()  # the keeper notices, ends everything inside, and removes what is left
            late = not _await_exit(self.keeper, _END_SECONDS)
            if late or self.keeper.returncode != 0:
                self._kill()
            for helper in self.helpers:
                if not _await_exit(helper, 1.0):
                    helper.kill()
                    helper.wait()
            self.cgroup.remove()
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
        self.cgroup.kill()
        if self._first >= 0 and (self.keeper.poll() is None or not readable(self._first, 5.0)):
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
        if not _await_exit(self.keeper, 5.0):
            self.keeper.kill()
            self.keeper.wait()


class Refusal(SandboxError):
    """The keeper's no, before it is put into the caller's words."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def readable(fd: int, timeout: float | None) -> bool:
    """Whether there is something to read, within some seconds."""
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(None if timeout is None else timeout * 1000))


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
