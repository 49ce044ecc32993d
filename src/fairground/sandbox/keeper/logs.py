"""Output of programs (stdout and stderr) in ring buffers, so that excessive output costs no memory."""

from __future__ import annotations

import os
import select
import struct
import time

SIZE = 1 << 18
"""Bytes that are kept per program."""
HEADER = 8
"""Size of the file header, which holds the total number of bytes written."""

_PIECE = 1 << 16
# seconds between two reads of one program's output, so that excessive output does not keep the keeper busy
_REST = 0.005


class Log:
    """The output of one program: a pipe that it writes to, and a memory file that the host reads."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.reader, False)
        self.ring = os.memfd_create("log", os.MFD_CLOEXEC)
        os.ftruncate(self.ring, HEADER + SIZE)
        self.total = 0
        self.due = 0.0

    def take(self) -> bool:
        """Move output into the ring. Returns False when no writer is left."""
        try:
            data = os.read(self.reader, _PIECE)
        except BlockingIOError:
            return True
        place = self.total % SIZE
        head = data[: SIZE - place]
        os.pwrite(self.ring, head, HEADER + place)
        os.pwrite(self.ring, data[len(head) :], HEADER)
        self.total += len(data)
        os.pwrite(self.ring, struct.pack("=Q", self.total), 0)
        return bool(data)

    def close(self) -> None:
        """Close it on this side. The host's open file of the ring stays valid."""
        os.close(self.reader)
        os.close(self.ring)


class Logs:
    """All logs that still have a writer, read in turns."""

    def __init__(self, poller: select.poll) -> None:
        self._poller = poller
        self._logs: dict[int, Log] = {}
        self._resting: dict[int, Log] = {}

    def add(self, log: Log) -> None:
        """Start following a log."""
        self._logs[log.reader] = log
        self._poller.register(log.reader, select.POLLIN)

    def __contains__(self, fd: int) -> bool:
        return fd in self._logs

    def look(self, fd: int) -> None:
        """Read what is available, then pause this log."""
        log = self._logs[fd]
        self._poller.unregister(fd)
        if log.take():
            log.due = time.monotonic() + _REST
            self._resting[fd] = log
        else:
            del self._logs[fd]
            log.close()

    def wait(self) -> float | None:
        """Milliseconds until the next pause ends; None without a pause."""
        now = time.monotonic()
        for fd, log in list(self._resting.items()):
            if log.due <= now:
                del self._resting[fd]
                self._poller.register(fd, select.POLLIN)
        if not self._resting:
            return None
        return max(0.0, min(log.due for log in self._resting.values()) - now) * 1000

    def catch_up(self) -> None:
        """Read everything written so far, up to the capacity of a pipe."""
        for log in list(self._logs.values()):
            for _ in range(SIZE // _PIECE):  # not until it is empty: it may fill up as fast
                before = log.total
                log.take()
                if log.total == before:
                    break
