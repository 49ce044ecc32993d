"""What programs write to stdout and stderr, kept as a ring: a flood of it costs no memory and harms nobody."""

from __future__ import annotations

import os
import select
import struct
import time

SIZE = 1 << 18
"""Bytes that are kept of each program's output."""
HEADER = 8
"""Bytes before the ring in its file: how much was written in all."""

_PIECE = 1 << 16
_REST = 0.005  # seconds between two looks at one program's output, so that a flood does not keep us busy


class Log:
    """One program's output: a pipe that it writes to, and a file in memory that the host reads."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.reader, False)
        self.ring = os.memfd_create("log", os.MFD_CLOEXEC)
        os.ftruncate(self.ring, HEADER + SIZE)
        self.total = 0
        self.due = 0.0

    def take(self) -> bool:
        """Moves what was written into the ring; False when nobody can write any more."""
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
        """Ends it on this side; the host's open file of the ring lives on."""
        os.close(self.reader)
        os.close(self.ring)


class Logs:
    """All logs that somebody may still write to, looked at by turns."""

    def __init__(self, poller: select.poll) -> None:
        self._poller = poller
        self._logs: dict[int, Log] = {}
        self._resting: dict[int, Log] = {}

    def add(self, log: Log) -> None:
        """Follows one more."""
        self._logs[log.reader] = log
        self._poller.register(log.reader, select.POLLIN)

    def __contains__(self, fd: int) -> bool:
        return fd in self._logs

    def look(self, fd: int) -> None:
        """Takes what there is, then lets this one rest."""
        log = self._logs[fd]
        self._poller.unregister(fd)
        if log.take():
            log.due = time.monotonic() + _REST
            self._resting[fd] = log
        else:
            del self._logs[fd]
            log.close()

    def wait(self) -> float | None:
        """Milliseconds until one has rested; None when none rests."""
        now = time.monotonic()
        for fd, log in list(self._resting.items()):
            if log.due <= now:
                del self._resting[fd]
                self._poller.register(fd, select.POLLIN)
        if not self._resting:
            return None
        return max(0.0, min(log.due for log in self._resting.values()) - now) * 1000

    def catch_up(self) -> None:
        """Takes what was written up to now, as far as pipes hold it."""
        for log in list(self._logs.values()):
            for _ in range(SIZE // _PIECE):  # not until it is empty: it may be filled as fast
                before = log.total
                log.take()
                if log.total == before:
                    break
