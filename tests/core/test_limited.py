"""Work that takes too long, too much memory, or crashes: it ends, with an error that says so."""

import json
import os
import signal
import threading
from pathlib import Path

import pytest

from fairground.core import InfrastructureError, StateError
from fairground.core.limited import ReadingBudget, within

SMALL = ReadingBudget(seconds=1, memory=50 << 20)

pytestmark = pytest.mark.process


def test_the_answer_comes_back() -> None:
    data = os.urandom(3 << 20)
    assert within(SMALL, "a file", lambda: data[::-1]) == data[::-1]


def _busy() -> bytes:
    while True:
        pass


def _hungry() -> bytes:
    return b"".join([bytes(10 << 20) for _ in range(100)])


def _crashing() -> bytes:
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)
    return b""


def _broken() -> bytes:
    raise KeyError("no such row")


@pytest.mark.parametrize(
    ("work", "expected"),
    [(_busy, "1 s of CPU time"), (_hungry, "50 MB"), (_crashing, "SIGSEGV"), (_broken, "no such row")],
)
def test_what_cannot_be_read_is_a_state_error(work: object, expected: str) -> None:
    with pytest.raises(StateError, match=expected) as caught:
        within(SMALL, "~/report.ods", work)  # type: ignore[arg-type]
    assert "~/report.ods" in caught.value.message


def test_a_child_that_the_machine_ends_is_not_the_documents_fault() -> None:
    with pytest.raises(InfrastructureError, match="killed by the system"):
        within(SMALL, "a file", lambda: os.kill(os.getpid(), 9))  # type: ignore[arg-type, return-value]


def test_many_threads_may_read_at_once_and_leave_nothing() -> None:
    before, children = set(os.listdir("/proc/self/fd")), _children()
    answers: list[bytes] = []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(within(SMALL, "a file", lambda: json.dumps(n).encode())))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, answers)) == list(range(20))
    assert set(os.listdir("/proc/self/fd")) <= before
    assert _children() <= children


def _children() -> set[str]:
    return {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}
