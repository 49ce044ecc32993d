"""Tracing of code: what took part in a computation, and what makes it stale."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairground.core import Configuration
from fairground.sandbox.hidden import hidden_paths
from fairground.worlds.code_trace import Trace, changed_units

TASK = '''
from traced.reading import read, unused
from traced import tables as t

LIMIT = 10


def _scale():
    return 2


FACTOR = _scale()


class Base:
    goal = "large"

    def wanted(self):
        return LIMIT


class Task(Base):
    def judge(self, text):
        """Judges it."""
        return [value * FACTOR for value in read(text)] == [self.wanted()] and t.NAMES

    def words(self):
        return "never called"


def elsewhere():
    return unused()
'''
READING = """
from functools import lru_cache

_SIGN = ","


@lru_cache
def read(text):
    return [_one(part) for part in text.split(_SIGN)]


def _one(part):
    return int(part)


def unused():
    return 0
"""
TABLES = 'NAMES = ("a", "b")\nOTHERS = ("c",)\n'

Edit = Callable[[str, str, str], list[str]]


@pytest.fixture
def units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, ...]]:
    folder = tmp_path / "traced"
    folder.mkdir()
    for name, text in (("__init__", ""), ("task", TASK), ("reading", READING), ("tables", TABLES)):
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    task = importlib.import_module("traced.task").Task()
    task.judge("5")  # so that the result of reading is cached
    with (trace := Trace(task)):
        assert task.judge("5")
    yield trace.units()
    for name in [name for name in sys.modules if name.partition(".")[0] == "traced"]:
        del sys.modules[name]


def edit(folder: Path, module: str, old: str, new: str) -> None:
    path = folder / "traced" / f"{module}.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_what_ran_and_what_it_refers_to_took_part(units: tuple[str, ...]) -> None:
    names = {unit.partition(" ")[0] for unit in units}
    expected = ("Task", "Task.judge", "Base", "Base.wanted", "LIMIT", "FACTOR", "_scale", "read")
    assert {f"traced.task:{name}" for name in expected} <= names
    assert {"traced.reading:read", "traced.reading:_one", "traced.reading:_SIGN", "traced.tables:NAMES"} <= names
    others = ("Task.words", "elsewhere", ":unused", "OTHERS")
    assert not [name for name in names if name.endswith(others)], "they neither ran nor are they referred to"
    assert changed_units(units) == []


@pytest.mark.parametrize(
    ("module", "old", "new", "stale"),
    [
        ("task", '"""Judges it."""', '"""Say whether it is right."""', []),
        ("task", '"never called"', '"still not"', []),
        ("reading", "return 0", "return 1", []),
        ("tables", '("c",)', '("d",)', []),
        ("reading", "int(part)", "int(part, 10)", ["traced.reading:_one"]),
        ("reading", '","', '";"', ["traced.reading:_SIGN"]),
        ("tables", '("a", "b")', '("a",)', ["traced.tables:NAMES"]),
        ("task", "LIMIT = 10", "LIMIT = 11", ["traced.task:LIMIT"]),
        ("task", "return 2", "return 3", ["traced.task:_scale"]),
        ("task", '"large"', '"small"', ["traced.task:Base"]),
        ("task", "    def words", "    def wanted(self):\n        return 0\n\n    def words", ["traced.task:Task"]),
        ("task", "import read, unused", "import unused\nfrom traced.other import read", ["traced.task:read"]),
        ("reading", "def _one", "def _two", ["traced.reading:_one"]),
    ],
)
def test_only_a_change_of_what_took_part_makes_it_stale(
    units: tuple[str, ...], tmp_path: Path, module: str, old: str, new: str, stale: list[str]
) -> None:
    edit(tmp_path, module, old, new)
    assert changed_units(units) == stale


def test_files_that_something_else_covers_are_not_counted(units: tuple[str, ...], tmp_path: Path) -> None:
    task = sys.modules["traced.task"].Task()
    with (trace := Trace(task, [tmp_path / "traced" / "reading.py"])):
        task.judge("5")
    assert not [unit for unit in trace.units() if unit.startswith("traced.reading")]


def test_a_trace_ends_with_its_block_and_gives_the_former_one_back() -> None:
    def before(*_: object) -> None:
        return None

    former = sys.gettrace()
    sys.settrace(before)
    try:
        with Trace() as trace, trace:
            assert sys.gettrace() is not before
        assert sys.gettrace() is before
    finally:
        sys.settrace(former)


def test_a_change_of_the_sandbox_makes_no_proof_stale() -> None:
    assert changed_units(["fairground.sandbox.kept:KeptSandbox.run 0", "fairground.verify.guard:gone 0"]) == [
        "fairground.verify.guard:gone"
    ]


def test_code_of_the_sandbox_that_runs_meanwhile_does_not_count() -> None:
    with Trace() as trace:
        assert Configuration.from_id("a/b/c/d@e/f/g").app == "b"
        assert hidden_paths() is not None
    modules = {unit.partition(":")[0] for unit in trace.units()}
    assert "fairground.core.configuration" in modules
    assert not any(name.startswith("fairground.sandbox") for name in modules)
