"""Seats whose programs answer nonsense, too much, or nothing: the attempt ends, and on the agent's account."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from fairground.core import AppError, InvalidConfiguration, InvalidInput, SandboxError, State, StateError
from fairground.env import finish, finishing, record
from fairground.sandbox import Sandbox, namespace_support, open_sandbox

LEFT = State(files={"~/note.txt": b"left"})


def seat(end: Callable[[], State]) -> Any:
    app = SimpleNamespace(name="notes", screen=SimpleNamespace(has_desktop=True))
    return SimpleNamespace(world=SimpleNamespace(app=app), finish=end, freeze=lambda: None, capture=end)


def _raising(error: BaseException) -> Callable[[], State]:
    def end() -> State:
        raise error

    return end


@pytest.mark.parametrize("how", [finish, record])
def test_what_an_honest_agent_left_is_recorded(how: Callable[[Any], State]) -> None:
    assert how(seat(lambda: LEFT)) == LEFT


@pytest.mark.parametrize(
    "error", [ValueError("5,000 digits"), KeyError("targetInfos"), RecursionError(), AttributeError()]
)
def test_an_answer_that_makes_no_sense_is_an_error_of_the_app(error: Exception) -> None:
    with pytest.raises(AppError, match=f"notes could not be saved and recorded: {type(error).__name__}"):
        finish(seat(_raising(error)))


@pytest.mark.parametrize("error", [OSError(24, "Too many open files"), MemoryError(), SandboxError("gone")])
def test_what_the_machine_lacks_is_not(error: Exception) -> None:
    with pytest.raises(type(error)):
        finish(seat(_raising(error)))


def test_a_program_that_never_ends_its_answer_does_not_hold_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "SECONDS", 0.05)
    never = threading.Event()
    with pytest.raises(AppError, match=r"within 0\.05 s"):
        finish(seat(lambda: (never.wait(60), LEFT)[1]))
    never.set()


def test_more_than_can_be_kept_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "_LARGEST", 1 << 20)
    many = State(data={"files": [{"path": "\udcff" * 4_000} for _ in range(100)]})
    with pytest.raises(StateError, match="bytes of names and data"):
        finish(seat(lambda: many))


@pytest.fixture
def box() -> Iterator[Sandbox]:
    sandbox = open_sandbox(runner="namespace" if namespace_support().ok else "bare")
    yield sandbox
    sandbox.discard()


@pytest.mark.process
def test_names_without_end_are_not_listed(box: Sandbox) -> None:
    script = """
import os
os.makedirs("deep/" + "/".join(["x" * 200] * 18))
os.chdir("deep/" + "/".join(["x" * 200] * 18))
for number in range(3_000):
    open(f"{number}", "w").close()
"""
    box.run(["python3", "-c", script])
    with pytest.raises(StateError, match="have more than 8388608 bytes"):
        box.list_files()


@pytest.mark.parametrize(
    "error",
    [
        ConnectionResetError(104, "Connection reset by peer"),
        BrokenPipeError(32, "Broken pipe"),
        TimeoutError("timed out"),
        InvalidInput("answer: not valid JSON"),
        InvalidConfiguration("the app's answer contradicts the scenario"),
    ],
)
def test_a_program_that_breaks_off_or_blames_the_scenario_is_not_an_error_of_ours(error: Exception) -> None:
    with pytest.raises(AppError, match="notes could not be saved and recorded"):
        finish(seat(_raising(error)))


@pytest.mark.parametrize("nested", [101, 250, 400, 100_000])
def test_an_answer_that_is_nested_too_deeply_is_not_an_error_of_ours(nested: int) -> None:
    answer: list[Any] = []
    for _ in range(nested):
        answer = [answer]
    with pytest.raises(StateError, match="nested more than 100 deep"):
        finish(seat(lambda: State(data={"tabs": answer})))
