"""The connection to a keeper: requests, answers, failures, and the end."""

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
    """The connection to one keeper. One thread at a time uses it.

    Args:
        control: The socket to the keeper.
        keeper: The keeper's process on the host, which cleans up at the end.
        said: Open file with the keeper's output; it prints only when it breaks.
        cgroup: Where programs run.
        folder: Where the keeper of a bare sandbox stores its files.

    Attributes:
        lock: Held during a request. Callers hold it to make several requests atomic.
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
        """Wait for the keeper's first message, sent once the sandbox exists.

        Returns the message and its files, without the one of the first process.
        """
        with self.lock:
            value, fds = self._receive(0, _ANSWER_SECONDS)
        self._first, *rest = fds
        return value, rest

    def call(self, request: dict[str, Any], fds: Sequence[int] = ()) -> tuple[Any, list[int]]:
        """Send a request and return its answer.

        Raises:
            Refusal: The keeper refused the request.
        """
        with self.lock:
            self.check_open()
            if not self.alive:  # a half-dead keeper may still read this, and start something that is never thawed
                raise self._broken("its keeper exited")
            self._requests += 1
            message = json.dumps({"id": self._requests, **request}).encode()
            if len(message) > MESSAGE:
                raise InvalidInput(f"a request to the sandbox has at most {MESSAGE} bytes, got {len(message)}")
            try:
                socket.send_fds(self._control, [message], list(fds))
            except ConnectionError:
                raise self._broken("its keeper exited") from None
            except OSError as error:  # a file that cannot be passed, or another thread closed the socket
                self.check_open()
                raise SandboxError(f"the request cannot be sent: {error.strerror}") from None
            return self._receive(self._requests, _ANSWER_SECONDS)

    def _receive(self, number: int, seconds: float) -> tuple[Any, list[int]]:
        """Receive the answer to a request. Skips an earlier answer that was left unread because of an interrupt."""
        deadline = time.monotonic() + seconds
        while True:
            if not readable(self._control.fileno(), max(0.0, deadline - time.monotonic())):
                raise self._broken(f"it did not answer within {seconds:g} s")
            try:
                answer, fds, _, _ = socket.recv_fds(self._control, MESSAGE, 16, socket.MSG_CMSG_CLOEXEC)
            except OSError as error:
                raise self._broken(error.strerror or str(error)) from None
            if not answer:
                raise self._broken("its keeper exited")
            reply = json.loads(answer)
            if reply["id"] == number and "refused" not in reply:
                return reply["value"], fds
            for fd in fds:
                os.close(fd)
            if reply["id"] == number:
                raise Refusal(reply["refused"], reply["message"])

    def check_open(self) -> None:
        """Check that the sandbox is usable.

        Raises:
            SandboxError: The sandbox was discarded or broke.
        """
        if not self._open:
            raise SandboxError("the sandbox was discarded or broke", fix="open a new sandbox")

    def _broken(self, why: str) -> SandboxError:
        if not self._open:
            return SandboxError("the sandbox was discarded", fix="open a new sandbox")
        self._open = False
        self._kill()
        printed = os.pread(self._said, 1 << 16, 0).decode(errors="replace").strip()[-2000:]
        return SandboxError(
            f"the sandbox is gone: {why}" + (f"\n{printed}" if printed else ""), fix="open a new sandbox"
        )

    @property
    def alive(self) -> bool:
        """Whether both processes of the keeper still run."""
        if not self._open or self.keeper.poll() is not None:
            return False
        first = self._first
        return first < 0 or not readable(first, 0)

    @property
    def first_pid(self) -> int:
        """Host process ID of the first process in the sandbox."""
        self.check_open()
        text = Path(f"/proc/self/fdinfo/{self._first}").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pid:"))

    def end(self) -> None:
        """End the keeper and everything in the sandbox, and wait until nothing is left. Calling it twice is allowed."""
        with self._end_lock:
            if self._ended:
                return
            self._open = False
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)  # unblocks other threads
            with self.lock:
                self._control.close()  # the keeper notices, ends everything inside, and cleans up
            late = not _await_exit(self.keeper, _END_SECONDS)
            if late or self.keeper.returncode != 0:
                self._kill()
            for helper in self.helpers:
                if not _await_exit(helper, 1.0):
                    helper.kill()
                    helper.wait()
            self.cgroup.remove()
            if self._folder:
                remove_folder(self._folder)  # does nothing unless the keeper was killed
            first, self._first = self._first, -1
            for fd in (first, self._said):
                if fd >= 0:
                    os.close(fd)
            self._ended = True
        if late:
            raise SandboxError(f"the sandbox did not end within {_END_SECONDS:g} s and was killed")

    def _kill(self) -> None:
        """Kill what does not end by itself, or what a dead keeper left behind."""
        self.cgroup.kill()
        if self._first >= 0 and (self.keeper.poll() is None or not readable(self._first, 5.0)):
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
        if not _await_exit(self.keeper, 5.0):
            self.keeper.kill()
            self.keeper.wait()


class Refusal(SandboxError):
    """The keeper refused a request. Callers convert it to a specific error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def readable(fd: int, timeout: float | None) -> bool:
    """Whether the file becomes readable within the timeout in seconds."""
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(None if timeout is None else timeout * 1000))


def _await_exit(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a process without polling, unlike `Popen.wait` with a timeout."""
    if process.poll() is not None:
        return True
    try:
        pidfd = os.pidfd_open(process.pid)
    except ProcessLookupError:
        process.wait()  # another thread was faster
        return True
    try:
        ended = readable(pidfd, seconds)
    finally:
        os.close(pidfd)
    if ended:
        process.wait()
    return ended
