"""`scripts/setup` on incomplete machines, and when it is killed, run concurrently, or its checkout is moved.

The quick tests put fake `id`, `dpkg-query` and `apt-get` programs in the path, because a test cannot uninstall system
packages. The slow tests create a real environment for a project of one empty package, and need the network.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.process
PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "tiny"
version = "1"
[project.optional-dependencies]
dev = []
[tool.hatch.build.targets.wheel]
packages = ["tiny"]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the real script, a space in its path, and almost nothing to install."""
    folder = tmp_path / "fair ground"
    for part in ("scripts", "requirements", "tiny", "stand-ins"):
        (folder / part).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup", folder / "scripts")
    shutil.copy(ROOT / "scripts" / "apt-packages.txt", folder / "scripts")
    shutil.copy(ROOT / "requirements" / "constraints.txt", folder / "requirements")
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "tiny" / "__init__.py").touch()
    return folder


def stand_in(checkout: Path, name: str, script: str) -> None:
    path = checkout / "stand-ins" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def set_up(checkout: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "scripts" / "setup", *words],
        env=_environment(checkout, **environment),
        capture_output=True,
        text=True,
    )


def _environment(checkout: Path, **changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHON", "SKIP_APT")}
    return kept | {"PATH": f"{checkout / 'stand-ins'}:{os.environ['PATH']}"} | changes


def test_without_root_the_one_line_to_run_is_printed_and_nothing_else_happens(checkout: Path) -> None:
    stand_in(checkout, "id", "echo 1000")
    stand_in(checkout, "dpkg-query", "echo installed openbox; exit 1")
    stand_in(checkout, "apt-get", "touch called")
    done = set_up(checkout, "run")
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if "sudo apt-get update && sudo apt-get install -y" in line]
    assert len(lines) == 1
    assert " xvfb " in lines[0] and " openbox" not in lines[0] and " xterm" not in lines[0]
    assert not (checkout / ".venv").exists() and not (checkout / "called").exists()


def test_as_root_missing_packages_are_installed_without_questions(checkout: Path) -> None:
    stand_in(checkout, "id", "echo 0")
    stand_in(checkout, "dpkg-query", "true")
    stand_in(checkout, "apt-get", 'echo "$DEBIAN_FRONTEND $*" >> called; test "$1" = update')
    done = set_up(checkout, "test")
    update, install = (checkout / "called").read_text().splitlines()
    assert update.startswith("noninteractive update")
    assert install.startswith("noninteractive install -y --no-install-recommends") and " xterm" in install
    assert done.returncode == 1, "apt-get failed, so set-up must stop"
    assert "apt-get could not install the system packages" in done.stderr and "fix: " in done.stderr
    assert "setup: installing system packages: xvfb" in done.stdout


def test_a_python_that_is_too_old_is_named(checkout: Path) -> None:
    stand_in(checkout, "python-of-old", 'case "$1" in -V) echo "Python 3.9.2" ;; *) exit 1 ;; esac')
    done = set_up(checkout, "check", PYTHON="python-of-old")
    assert done.returncode == 1
    assert "Python 3.11 or newer" in done.stderr and "reports: Python 3.9.2" in done.stderr and "fix: " in done.stderr


def test_a_wish_that_is_none_is_refused(checkout: Path) -> None:
    done = set_up(checkout, "everything")
    assert done.returncode == 1
    assert "expected check, run, test, bench, train or openenv" in done.stderr


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_set_up_that_was_killed_is_repaired_by_two_that_run_at_once(checkout: Path) -> None:
    killed = start(checkout)
    while not (
        checkout / ".venv" / "bin" / "pip"
    ).exists():  # incomplete: .venv exists, but its packages are not installed
        assert killed.poll() is None, killed.communicate()
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert not (checkout / ".setup" / "venv").exists()

    both = [start(checkout), start(checkout)]
    outputs = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert "".join(outputs).count("setup: ready") == 1
    assert subprocess.run([checkout / ".venv" / "bin" / "python", "-c", "import tiny"]).returncode == 0

    again = set_up(checkout, "check")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_system_and_python_packages_are_installed_at_the_same_time(checkout: Path) -> None:
    stand_in(checkout, "id", "echo 0")
    stand_in(checkout, "dpkg-query", "true")
    # apt-get exits only after .venv exists, so a sequential set-up would never finish.
    stand_in(checkout, "apt-get", 'test "$1" = update || while [ ! -e .venv/bin/pip ]; do sleep 0.1; done')
    done = set_up(checkout, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "setup: ready" in done.stdout
    assert subprocess.run([checkout / ".venv" / "bin" / "python", "-c", "import tiny"]).returncode == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_checkout_that_was_moved_gets_an_environment_of_its_own(checkout: Path) -> None:
    assert set_up(checkout, "check", PYTHON=sys.executable).returncode == 0
    moved = checkout.rename(checkout.with_name("moved"))
    done = set_up(moved, "check", PYTHON=sys.executable)
    assert done.returncode == 0 and "creating .venv" in done.stdout
    assert str(moved) in (moved / ".venv" / "bin" / "pip").read_text()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_without_a_network_pip_s_own_words_are_shown(checkout: Path) -> None:
    nowhere = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null", "PIP_FIND_LINKS": ""}
    done = set_up(checkout, "check", **nowhere)
    assert done.returncode == 1
    assert "ERROR: " in done.stderr and "hatchling" in done.stderr
    assert "pip could not install the Python packages" in done.stderr and "is the network up?" in done.stderr
    assert set_up(checkout, "check").returncode == 0


def start(checkout: Path) -> subprocess.Popen[str]:
    command = [checkout / "scripts" / "setup", "check"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, env=_environment(checkout), text=True, start_new_session=True, **pipes)  # type: ignore[call-overload,no-any-return]
