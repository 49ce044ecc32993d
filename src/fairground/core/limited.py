"""Work on what an agent left, within limits: a document can be made so that reading it takes hours, or all memory.

The work is done in a child process, which the kernel stops when it has used its share of processor time or memory. It
is forked, so that it needs nothing to be sent to it; its answer comes back as bytes.
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
_PATIENCE = 60.0  # seconds on the clock for each second of processor time, on a machine that does other things
_LARGEST = 256 << 20  # bytes of an answer


@dataclass(frozen=True)
class ReadingBudget:
    """What reading may use. Both are the child's own: time on the processor, and memory beyond what was there.

    Attributes:
        seconds: Processor time.
        memory: Bytes.
    """

    seconds: float = 2.0
    memory: int = 300 << 20

    def times(self, count: int) -> ReadingBudget:
        """For so many documents, read one after the other: more time, and not more memory."""
        return ReadingBudget(self.seconds * max(1, count), self.memory)


def within(budget: ReadingBudget, what: str, work: Callable[[], bytes]) -> bytes:
    """Does the work in a child process.

    Args:
        budget: What it may use.
        what: What is read, for errors.
        work: Returns the answer. It sees all that is in memory now, and changes nothing outside of the child.

    Raises:
        StateError: When it used up the budget, or what was read crashed it.
        InfrastructureError: When the machine ended it, or gave it no processor for a very long time.
    """
    answer = os.memfd_create("answer", os.MFD_CLOEXEC)
    try:
        with warnings.catch_warnings():
            # Python warns of forks with threads. The child only computes, and ends without cleaning anything up.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            _work(budget, work, answer)
        status = _await(child, budget, what)
        size = os.fstat(answer).st_size
        if status == 0 and size <= _LARGEST:
            return os.pread(answer, size, 0)
        said = os.pread(answer, 4000, 0).decode(errors="replace")
    finally:
        os.close(answer)
    raise _failure(status, size, budget, what, said)


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
    """The child's exit status; negative is the signal that ended it."""
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
        f"reading {what} did not end within {_PATIENCE * budget.seconds:g} s, without using its processor time",
        fix="is the machine overloaded? Run fewer workers at once",
    )


def _failure(status: int, size: int, budget: ReadingBudget, what: str, said: str) -> StateError | InfrastructureError:
    if status == -signal.SIGXCPU:
        return StateError(f"reading {what} takes more than {budget.seconds:g} s of processor time")
    if status == _MEMORY or size > _LARGEST:
        return StateError(f"reading {what} takes more than {budget.memory >> 20} MB of memory")
    if status in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGILL, -signal.SIGFPE):
        return StateError(f"reading {what} crashed the reader ({signal.Signals(-status).name})")
    if status == _BROKE:
        return StateError(f"reading {what} broke the reader: {said.strip().splitlines()[-1] if said.strip() else '?'}")
    return InfrastructureError(
        f"the process that read {what} was ended from outside (status {status})",
        fix="did the machine run out of memory? Run fewer workers at once",
    )
