"""Which runner is put to the test, and what the tests are written with."""

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
"""A deadline that a busy machine does not miss."""


class RunnerSubject:
    """Which runner is put to the test: set `runner`, or override `make`."""

    runner: str = ""

    def make(self, spec: SandboxSpec) -> Sandbox:
        """Opens a sandbox with the runner under test."""
        return open_sandbox(spec, runner=self.runner)

    @contextlib.contextmanager
    def sandbox(self, spec: SandboxSpec | None = None) -> Iterator[Sandbox]:
        """A sandbox for one test, discarded after it."""
        box = self.make(spec or SandboxSpec())
        try:
            yield box
        finally:
            box.discard()


def raised(kind: type[BaseException] | tuple[type[BaseException], ...], call: Callable[[], object]) -> FairgroundError:
    """Calls, and returns the error that must come; another error passes through."""
    try:
        result = call()
    except kind as error:
        return error  # type: ignore[return-value]
    raise AssertionError(f"expected an error, got {result!r}")


def until(condition: Callable[[], bool], otherwise: str, seconds: float = SECONDS) -> None:
    """Waits for a condition, and fails with these words when it does not come."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(otherwise)
        pause.wait(0.005)


def exists(box: Sandbox, path: str, holding: str = "") -> bool:
    """Whether a file (with this text in it) or a folder is there."""
    done = box.run(["sh", "-c", f"[ -e {_quoted(box, path)} ]"], check=False)
    if done.code != 0 or not holding:
        return done.code == 0
    return holding in box.read_file(path).decode(errors="replace")


def says(box: Sandbox, word: str) -> bool:
    """Whether a note speaks of something."""
    return any(word in note for note in box.notes)


def first_line(program: Process) -> str:
    """What a program says first."""
    until(lambda: "\n" in program.output() or program.poll() is not None, f"{program.argv[0]} says nothing")
    return program.output().partition("\n")[0]


def _quoted(box: Sandbox, path: str) -> str:
    return shlex.quote(box.home + path[1:] if path.startswith("~") else path)
