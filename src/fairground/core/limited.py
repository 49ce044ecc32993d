"""Resource limits for reading files that an agent wrote. A crafted document can take hours or all memory to read.

The work runs in a forked child process with kernel limits on CPU time and memory. Forking avoids sending it any input;
its result comes back as bytes.
"""

from __future__ import annotations

import math
import os
import resource
import select
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from fairground.core.errors import InfrastructureError, StateError

_MEMORY, _BROKE = 71, 70  # exit statuses of the child
_PATIENCE = 60.0  # seconds of wall-clock time per second of CPU time, for a busy machine
_LARGEST = 256 << 20  # maximum bytes of a result


@dataclass(frozen=True)
class ReadingBudget:
    """Limits for the child process.

    Attributes:
        seconds: CPU time in seconds.
        memory: Bytes of memory, in addition to what the parent used.
    """

    seconds: float = 2.0
    memory: int = 300 << 20

    def times(self, count: int) -> ReadingBudget:
        """Scale the budget for this many documents, read one after another. The time grows; the memory does not."""
        return ReadingBudget(self.seconds * max(1, count), self.memory)


def within(budget: ReadingBudget, what: str, work: Callable[[], bytes]) -> bytes:
    """Run `work` in a child process within limits.

    Args:
        budget: The limits.
        what: What is being read, for error messages.
        work: Returns the result. It sees the parent's memory, but cannot change anything outside the child.

    Raises:
        StateError: The work exceeded the budget, or crashed on what it read.
        InfrastructureError: The system killed the child, or gave it no CPU time for very long.
    """
    answer = os.memfd_create("answer", os.MFD_CLOEXEC)
    try:
        with warnings.catch_warnings():
            # Python warns about forking with threads. The child only computes, and exits without any cleanup.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            _work(budget, work, answer)
        status = _await(child, budget, what)
        size = os.fstat(answer).st_size
        if status == 0 and size <= _LARGEST:
            return os.pread(answer, size, 0)
        printed = os.pread(answer, 4000, 0).decode(errors="replace")
    finally:
        os.close(answer)
    raise _failure(status, size, budget, what, printed)


def _work(budget: ReadingBudget, work: Callable[[], bytes], answer: int) -> NoReturn:
    status = _BROKE
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        seconds = math.ceil(budget.seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + budget.memory, used + budget.memory))
        view = memoryview(work())
        while view:
            view = view[os.write(answer, view) :]
        status = 0
    except MemoryError:
        status = _MEMORY
    except BaseException:
        os.pwrite(answer, traceback.format_exc()[-4000:].encode(errors="backslashreplace"), 0)
    finally:
        os._exit(status)


def _await(child: int, budget: ReadingBudget, what: str) -> int:
    """Wait for the child and return its exit status. A negative status is the signal that killed it."""
    deadline = time.monotonic() + _PATIENCE * budget.seconds
    pidfd = os.pidfd_open(child)
    try:
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        if poller.poll(max(0.0, deadline - time.monotonic()) * 1000):
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        os.close(pidfd)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise InfrastructureError(
        f"reading {what} did not finish within {_PATIENCE * budget.seconds:g} s, with CPU time to spare",
        fix="the machine may be overloaded; use fewer workers",
    )


def _failure(
    status: int, size: int, budget: ReadingBudget, what: str, printed: str
) -> StateError | InfrastructureError:
    if status == -signal.SIGXCPU:
        return StateError(f"reading {what} takes more than {budget.seconds:g} s of CPU time")
    if status == _MEMORY or size > _LARGEST:
        return StateError(f"reading {what} takes more than {budget.memory >> 20} MB of memory")
    if status in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGILL, -signal.SIGFPE):
        return StateError(f"reading {what} crashed the reader ({signal.Signals(-status).name})")
    if status == _BROKE:
        return StateError(f"reading {what} failed: {printed.strip().splitlines()[-1] if printed.strip() else '?'}")
    return InfrastructureError(
        f"the process that read {what} was killed by the system (status {status})",
        fix="the machine may have run out of memory; use fewer workers",
    )
