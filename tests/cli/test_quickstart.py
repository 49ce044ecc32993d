"""`fairground quickstart`: a first agent is written, run and scored, and the next step improves it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.cli.quickstart import NEW_LINE, OLD_LINE, example_source


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def quickstart(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["quickstart", *words])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.process
def test_it_explains_writes_runs_and_scores_a_first_agent(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, err = quickstart(capsys, "--yes")
    assert code == 0, err
    assert (folder / "my_agent.py").read_text(encoding="utf-8") == example_source()
    assert "class MyAgent:" in out and "fairground run pocket/notes/count-label --agent my_agent.py:MyAgent" in out
    assert "score  my_agent.py:MyAgent" in out and "runs/quickstart/report.html" in out
    assert (folder / "runs" / "quickstart" / "report.html").is_file()
    assert "fairground compare runs/quickstart-2 runs/quickstart" in out
    assert "--condition back-first --out runs/quickstart-2" in out and "AGENT [back-first]" in out


@pytest.mark.slow
def test_json_has_the_scores_and_the_suggested_change_improves_them(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, out, err = quickstart(capsys, "--json", "--file", "first.py")
    assert code == 0, err
    result = json.loads(out)
    assert result["file"] == "first.py" and Path(result["run"]["page"]).is_file()
    passed = sum(episode["outcome"] == "passed" for episode in result["episodes"])
    assert 0 < passed < len(result["episodes"]) == 6
    source = (folder / "first.py").read_text(encoding="utf-8")
    assert source.count(OLD_LINE) == 1
    (folder / "first.py").write_text(source.replace(OLD_LINE, NEW_LINE), encoding="utf-8")
    again = shlex.split(result["next"]["commands"]["Run the same configurations again"])
    assert main([*again[1:], "--json"]) == 0
    standing = json.loads(capsys.readouterr().out)["summary"]["standings"][0]
    assert standing["contender"] == {"agent": "first.py:MyAgent", "condition": "back-first"}
    assert standing["score"]["estimate"] > passed / 6


def test_an_existing_file_is_not_overwritten(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    mine = folder / "my_agent.py"
    mine.write_text("mine\n")
    code, _, err = quickstart(capsys)
    assert code == 2 and mine.read_text() == "mine\n"
    assert "already exists" in err and "--file" in err and "--force" in err
    code, out, _ = quickstart(capsys, "--json")
    assert code == 2 and "--force" in json.loads(out)["fix"]


def test_missing_chromium_is_an_error_with_a_fix(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    code, out, _ = quickstart(capsys, "--json")
    error = json.loads(out)
    assert code == 1 and "Chromium" in error["error"] and "apt-get install chromium" in error["fix"]
    assert list(folder.iterdir()) == []


def test_the_file_must_be_a_python_file(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = quickstart(capsys, "--file", "agent.txt")
    assert code == 2 and "ends in .py" in err
