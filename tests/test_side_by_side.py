"""Parallel tests: `conftest.py` runs tests marked `alone` by themselves, and workers share checkpoints."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process
CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
TESTS = """
import os, time
from pathlib import Path
import pytest

LOG = Path("log")

def note(word):
    with LOG.open("a") as log:
        log.write(word)

@pytest.mark.parametrize("number", range(300))
def test_that_bears_company(number):
    note("-")

@pytest.mark.alone
def test_that_wants_to_be_alone():
    note("[")
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        pass
    note("]")

@pytest.mark.parametrize("number", range(300))
def test_that_shares_checkpoints(number):
    Path(os.environ["FAIRGROUND_HOME"], os.environ["PYTEST_XDIST_WORKER"]).touch()
    note("-")
"""


@pytest.mark.slow
def test_alone_is_alone_and_checkpoints_are_shared(tmp_path: Path) -> None:
    shutil.copy(CONFTEST, tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = alone\n")
    (tmp_path / "test_these.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "load", f"--basetemp={tmp_path / 'base'}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout[-3000:]
    log = (tmp_path / "log").read_text()
    assert log.count("-") == 600 and "[]" in log
    assert {path.name for path in (tmp_path / "base" / "checkpoints").iterdir()} == {"gw0", "gw1"}
