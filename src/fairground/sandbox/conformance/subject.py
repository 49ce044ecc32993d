"""The runner under test, and helpers for the tests."""

from __future__ import annotations

import contextlib
import shlex
import threading
import time
from collections.abc import Callable, Iterator

from fairground.core import FairgroundError
from fairground.sandbox.protocol import Process, Sandbox, SandboxSpec
from fairground.sandbox.runners import open_sandbox

SECONDS = 20.0
"""A timeout that a busy machine does not exceed."""


class RunnerSubject:
    """Base of the tests: set `runner`, or override `make`."""

    runner: str = ""

    def make(self, spec: SandboxSpec) -> Sandbox:
        """Open a sandbox with the runner under test."""
        return open_sandbox(spec, runner=self.runner)

    @contextlib.contextmanager
    def sandbox(self, spec: SandboxSpec | None = None) -> Iterator[Sandbox]:
        """Yield a sandbox for one test, and discard it afterwards."""
        box = self.make(spec or SandboxSpec())
        try:
            yield box
        finally:
            box.discard()


def raised(kind: type[BaseException] | tuple[type[BaseException], ...], call: Callable[[], object]) -> FairgroundError:
    """Call, and return the expected error. Other errors propagate."""
    try:
        result = call()
    except kind as error:
        return error  # type: ignore[return-value]
    raise AssertionError(f"expected an error, got {result!r}")


def until(condition: Callable[[], bool], otherwise: str, seconds: float = SECONDS) -> None:
    """Wait for a condition, and fail with the message `otherwise` at the timeout."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(otherwise)
        pause.wait(0.005)


def exists(box: Sandbox, path: str, holding: str = "") -> bool:
    """Whether a folder, or a file (containing this text), exists."""
    done = box.run(["sh", "-c", f"[ -e {_quoted(box, path)} ]"], check=False)
    if done.code != 0 or not holding:
        return done.code == 0
    return holding in box.read_file(path).decode(errors="replace")


def says(box: Sandbox, word: str) -> bool:
    """Whether one of the sandbox's notes contains a word."""
    return any(word in note for note in box.notes)


def first_line(program: Process) -> str:
    """Wait for the first line of a program's output."""
    until(lambda: "\n" in program.output() or program.poll() is not None, f"{program.argv[0]} wrote no output")
    return program.output().partition("\n")[0]


def _quoted(box: Sandbox, path: str) -> str:
    return shlex.quote(box.home + path[1:] if path.startswith("~") else path)
