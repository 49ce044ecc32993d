"""Test tiers, their time budgets, and `scripts/soak`, tested on a small project with the real `conftest.py`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = """
import subprocess
import pytest

def test_pure():
    pass

def test_that_hides_a_program():
    try:
        subprocess.run(["true"])
    except Exception:  # product code may catch everything; the test must still fail
        pass

@pytest.mark.process
def test_with_a_program():
    subprocess.run(["true"], check=True)

@pytest.mark.slow
def test_long():
    pass
"""
MARKS = "process simulation conformance slow alone"

pytestmark = pytest.mark.process


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the real `conftest.py` and `scripts/soak`, four tests, and a budget of zero seconds for tier 0."""
    for name in ("tests", "scripts", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(ROOT / "conftest.py", tmp_path)
    shutil.copy(ROOT / "scripts" / "soak", tmp_path / "scripts")
    python = tmp_path / ".venv/bin/python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    listed = "\n".join(f"  {mark}" for mark in MARKS.split())
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmarkers =\n{listed}\n")
    (tmp_path / "tests" / "durations.json").write_text(json.dumps({"budget": {"0": 0, "1": 100}, "tests": {}}))
    (tmp_path / "tests" / "test_these.py").write_text(TESTS)
    return tmp_path


def run(project: Path, *words: str) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=project, capture_output=True, text=True).stdout


def test_a_test_of_pure_logic_may_not_start_a_program_and_higher_tiers_are_left_out(project: Path) -> None:
    said = run(project, "--tier", "1")
    assert "mark it: @pytest.mark.process" in said
    assert "1 failed, 2 passed, 1 deselected" in said
    assert "tier 1 (real programs" in said and "tier 3" not in said


@pytest.mark.slow
def test_a_tier_that_exceeds_its_budget_names_the_tests_that_grew(project: Path) -> None:
    slow = project / "tests" / "test_more.py"
    slow.write_text("import time\n\ndef test_that_grew():\n    end = time.monotonic() + 0.6\n")
    slow.write_text(slow.read_text() + "    while time.monotonic() < end:\n        pass\n")
    said = run(project, "--tier", "0", "--deselect", "tests/test_these.py::test_that_hides_a_program")
    assert "over its budget of 0 s" in said and "tests/test_more.py::test_that_grew" in said
    run(project, "--tier", "0", "--record-durations")
    assert set(json.loads((project / "tests" / "durations.json").read_text())["tests"]) == {
        "tests/test_more.py::test_that_grew"
    }


@pytest.mark.slow
def test_soak_repeats_the_suite_and_lists_what_failed(project: Path) -> None:
    (project / "tests" / "test_these.py").write_text(
        "from pathlib import Path\n\n"
        "def test_that_fails_every_second_time():\n"
        "    mark = Path('mark')\n"
        "    mark.rmdir() if mark.exists() else mark.mkdir()\n"
        "    assert mark.exists()\n\n"
        "def test_sound():\n    pass\n"
    )
    command = [sys.executable, "scripts/soak", "2", "--stress", "busy", "--shuffle", "--", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert done.returncode == 1
    assert "run  1 of 2: green" in done.stdout and "run  2 of 2: RED" in done.stdout, done.stdout + done.stderr
    assert "1 of 2 runs green (stress: busy)" in done.stdout
    assert "failed 1x  tests/test_these.py::test_that_fails_every_second_time" in done.stdout
