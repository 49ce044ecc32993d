"""The host's side of a program in a sandbox: its pidfd and its output."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import time

from fairground.core import SandboxError
from fairground.sandbox.channel import Channel, readable
from fairground.sandbox.keeper.logs import HEADER, SIZE

_PIECE = 1 << 16


class KeptProcess:
    """A program running in a sandbox with a keeper.

    Args:
        channel: The connection to the sandbox's keeper.
        pid: Process ID inside.
        argv: The command.
        pidfd: Becomes readable when the program ends.
        ring: The end of its output, in memory shared with the keeper; None if the output is not followed.
        backstage: Whether it runs backstage, where process IDs have a different meaning.
    """

    def __init__(
        self,
        channel: Channel,
        pid: int,
        argv: tuple[str, ...],
        pidfd: int,
        ring: int | None = None,
        *,
        backstage: bool = False,
    ) -> None:
        self.pid = pid
        self.argv = argv
        self._channel = channel
        self._pidfd = pidfd
        self._ring = ring
        self._backstage = backstage
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None and readable(self._pidfd, 0):
            self._code = self._status()
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        if self._code is None:
            if not readable(self._pidfd, timeout):
                raise TimeoutError(f"{self.argv[0]} is still running after {timeout:g} s")
            self._code = self._status()
        return self._code

    def _status(self) -> int:
        # Everything inside ends with its sandbox, and the status of a traced program goes to the tracer.
        code = None
        with contextlib.suppress(SandboxError):
            code, _ = self._channel.call({"do": "status", "pid": self.pid, "backstage": self._backstage})
        return int(code) if code is not None else -signal.SIGKILL

    def kill(self, signal: int = 9) -> None:
        if self.poll() is None:
            where = {"pid": self.pid, "backstage": self._backstage}
            self._channel.call({"do": "kill", "signal": int(signal), **where})

    def output(self, limit: int = 65536) -> str:
        """The end of its output, also after the sandbox is gone. At most 256 KB are kept."""
        if self._ring is None:
            return ""
        with contextlib.suppress(SandboxError):
            self._channel.call({"do": "catch_up", "backstage": self._backstage})
        (total,) = struct.unpack("=Q", os.pread(self._ring, HEADER, 0))
        ring = os.pread(self._ring, SIZE, HEADER)
        place = total % SIZE
        data = ring[:place] if total < SIZE else ring[place:] + ring[:place]
        return data[max(0, len(data) - limit) :].decode(errors="replace")

    def gather(self, out: int, err: int, deadline: float, limit: int) -> tuple[bytes, bytes]:
        """Read both outputs until the program ends.

        Background processes that it started may keep the pipes open or fill them forever. So after the end, only what
        is in the pipes is read.
        """
        chunks: dict[int, list[bytes]] = {out: [], err: []}
        total = 0
        poller = select.poll()
        for fd in (out, err, self._pidfd):
            poller.register(fd, select.POLLIN)
        waiting = {out, err}
        ended = False
        while not ended:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("did not end in time and was stopped")
            ready = {fd for fd, _ in poller.poll(left * 1000)}
            ended = self._pidfd in ready
            for fd in ready & waiting if not ended else waiting.copy():
                data = _rest(fd) if ended else os.read(fd, _PIECE)
                chunks[fd].append(data)
                total += len(data)
                if total > limit:
                    raise OverflowError(f"wrote more than {limit} bytes and was stopped")
                if not data:
                    waiting.discard(fd)
                    poller.unregister(fd)
        return b"".join(chunks[out]), b"".join(chunks[err])

    def __del__(self) -> None:
        for fd in (self._pidfd, self._ring):
            if fd is not None:
                with contextlib.suppress(OSError):
                    os.close(fd)


def _rest(fd: int) -> bytes:
    """What a pipe holds now, without waiting and without later output."""
    os.set_blocking(fd, False)
    pieces: list[bytes] = []
    while sum(map(len, pieces)) < _PIECE:  # as much as a pipe holds
        try:
            piece = os.read(fd, _PIECE)
        except BlockingIOError:
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces)
