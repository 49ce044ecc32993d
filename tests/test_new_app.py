"""The tutorial docs/new-app.md and its app in examples/desk_app, used as a new user would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples/desk_app"
DOCUMENT = (ROOT / "docs/new-app.md").read_text(encoding="utf-8")
SECONDS = 280  # timeout; each test takes a few seconds on an idle machine

pytestmark = pytest.mark.timeout(SECONDS + 20)

_SHOWN = re.compile(
    r"<!-- no-run: examples/desk_app/(\S+), [^\n]* -->\n```python no-run\n(.*?)\n```$", re.DOTALL | re.MULTILINE
)


def shown() -> dict[str, list[str]]:
    """Return the parts of each file that the document shows, by file."""
    found: dict[str, list[str]] = {}
    for name, text in _SHOWN.findall(DOCUMENT):
        found.setdefault(name, []).append(text)
    return found


def test_the_document_shows_the_package_as_it_is_and_all_of_it() -> None:
    package = [path for path in sorted(EXAMPLE.glob("my_desk/**/*.py")) if "__pycache__" not in path.parts]
    for path in package:
        name = path.relative_to(EXAMPLE).as_posix()
        assert "\n\n\n".join(shown().get(name, [])) == path.read_text().strip(), f"docs/new-app.md shows another {name}"
    assert f"```toml\n{(EXAMPLE / 'pyproject.toml').read_text()}```" in DOCUMENT


def test_the_document_shows_tests_as_they_are() -> None:
    for name, texts in shown().items():
        whole = (EXAMPLE / name).read_text()
        assert all(text in whole for text in texts), f"docs/new-app.md shows another {name}"
    assert len(shown()) == 9
    assert DOCUMENT.count("```python no-run") == sum(map(len, shown().values()))


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables with the example installed as a user would, in a prefix that no other test sees."""
    place = tmp_path_factory.mktemp("prefix")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--prefix", str(place), "--editable", str(EXAMPLE)]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    site = sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)})
    return {**os.environ, "PYTHONPATH": os.pathsep.join([site, str(EXAMPLE)]), "PYTHONDONTWRITEBYTECODE": "1"}


def fairground(environment: dict[str, str], *words: str) -> Any:
    command = [sys.executable, "-m", "fairground", *words, "--json"]
    done = subprocess.run(command, env=environment, cwd=EXAMPLE, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return json.loads(done.stdout)


@pytest.mark.slow
def test_its_own_tests_pass_and_its_oracle_solves_a_task_on_a_real_seat(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error"]
    done = subprocess.run(command, env=environment, cwd=EXAMPLE, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "passed" in done.stdout and "skipped" not in done.stdout


@pytest.mark.slow
def test_a_sample_of_it_is_proven(environment: dict[str, str]) -> None:
    found = fairground(environment, "prove", "my-desk/xournalpp/jot-note", "--sample", "1", "--workers", "1")
    assert found["sound"] and found["totals"]["proven"] == 1
    assert found["totals"]["mutants"]["survived"] == 0 and found["totals"]["mutants"]["rejected"] > 10


@pytest.mark.slow
def test_the_checklist_for_apps_is_all_green(environment: dict[str, str]) -> None:
    found = fairground(environment, "check-app", "my-desk/xournalpp")
    assert {item["name"]: item["status"] for item in found["items"] if item["status"] != "passed"} == {
        "renewal": "not applicable"
    }


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_all_of_it_is_proven_and_what_is_shipped_says_so(environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fairground", "prove", "my-desk", "--table", str(tmp_path), "--json"]
    done = subprocess.run(command, env=environment, cwd=EXAMPLE, capture_output=True, text=True, timeout=560)
    totals = json.loads(done.stdout)["totals"]
    assert (totals["pairs"], totals["proven"], totals["mutants"]["survived"]) == (12, 12, 0)
    listed = fairground(environment, "list", "my-desk")
    assert listed["totals"]["proven_configurations"] == totals["proven_configurations"] == 48
