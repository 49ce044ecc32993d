"""The packages as users install them: built wheels in an empty environment."""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest

import fairground

ROOT = Path(__file__).resolve().parents[1]


def load_release() -> Any:
    loader = SourceFileLoader("release", str(ROOT / "scripts/release"))
    spec = importlib.util.spec_from_loader("release", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_all_packages_have_one_version() -> None:
    assert load_release().check_versions() == []


def test_the_public_api_is_what_type_checkers_see() -> None:
    text = (ROOT / "src/fairground/__init__.py").read_text()
    names = [name for name in fairground.__all__ if name != "__version__"]
    for name in names:
        home = f"fairground.{fairground._LATE[name]}"
        assert f"    from {home} import {name} as {name}\n" in text
        assert getattr(fairground, name) is getattr(importlib.import_module(home), name)
    assert text.count(" import ") - 3 == len(names)


@pytest.mark.slow
def test_wheels_in_an_empty_environment_run_an_agent(tmp_path: Path) -> None:
    release = load_release()
    release.build(tmp_path / "dist", "--wheel")
    assert release.check_contents(tmp_path / "dist") == []
    python = release.make_environment(tmp_path, tmp_path / "dist")
    out = tmp_path / "run"
    command = [python.with_name("fairground"), "run", "pocket/notes/count-label", "--agent", "oracle"]
    command += ["--configs", "1", "--rollouts", "1", "--out", out, "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "episodes/000000/episode.json").read_text())["outcome"] == "passed"
    where = "import fairground as a, fairground_pocket as b; print(a.__file__, b.__file__)"
    places = subprocess.run([python, "-c", where], cwd=tmp_path, capture_output=True, text=True).stdout.split()
    assert len(places) == 2 and all(Path(place).is_relative_to(tmp_path) for place in places)
