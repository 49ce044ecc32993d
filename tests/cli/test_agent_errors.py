"""Errored episodes beside the score, and errors of agents that were excluded: every report says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.core import Outcome
from fairground.rollout import Finished, Planned, RunSpec, RunStore

NOTE = "agent errors were excluded from the score of quits"


def a_run(folder: Path, ends: list[str], **spec: Any) -> Path:
    """A run with one episode of each of these outcomes."""
    plan = [Planned(number=at, configuration=f"s/a/n{at}/i@p/t/u", rollout=0, seed=at) for at in range(len(ends))]
    with RunStore.create(folder, RunSpec(worlds=("s",), agent="quits", **spec), plan) as store:
        for at, outcome in enumerate(ends):
            if outcome == "errored":
                store.finish(at, Finished(Outcome.ERRORED, ended_by="agent_error", error="not sure"))
            elif outcome == "invalid":
                store.finish(at, Finished(Outcome.INVALID, ended_by="error", error="no such button"))
            else:
                store.finish(at, Finished(Outcome(outcome), float(outcome == "passed"), 3, 1.0))
    return folder


def said(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([*map(str, words)]) == 0
    out, err = capsys.readouterr()
    return " ".join(f"{out} {err}".split())  # a terminal breaks lines where it likes; notes on tables go to stderr


def data(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_show_names_the_error_that_an_agent_caused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The checks of such an episode only show that nothing was done."""
    plan = [Planned(number=0, configuration="s/a/n/i@p/t/u", rollout=0, seed=0)]
    with RunStore.create(tmp_path / "run", RunSpec(worlds=("s",), agent="mine.py:Mine"), plan) as store:
        store.finish(0, Finished(Outcome.FAILED, 0.0, ended_by="agent_error", error="ZeroDivisionError: line 7"))
    assert "ZeroDivisionError: line 7" in said(capsys, "show", tmp_path / "run")


@pytest.fixture
def quits(tmp_path: Path) -> Path:
    """Three passed, five were broken off by the agent and excluded."""
    return a_run(tmp_path / "quits", ["passed"] * 3 + ["errored"] * 5, agent_errors="excluded")


@pytest.mark.parametrize("command", ["stats", "show"])
def test_the_score_with_errors_as_failures_and_the_exclusion_are_shown(
    capsys: pytest.CaptureFixture[str], quits: Path, command: str
) -> None:
    out = said(capsys, command, quits)
    assert "errors as failures" in out and "100.0% [" in out and "37.5% [" in out and NOTE in out
    found = data(capsys, command, quits)
    summary = found["summary"] if command == "show" else found
    (standing,) = summary["standings"]
    assert standing["score"]["estimate"] == 1 and standing["score_errors_failed"]["estimate"] == 0.375
    assert any(NOTE in note for note in summary["notes"])


def test_the_report_shows_both_scores_and_the_exclusion(
    capsys: pytest.CaptureFixture[str], quits: Path, tmp_path: Path
) -> None:
    said(capsys, "report", quits, "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "Errors as failures" in page and "37.5 [" in page and NOTE in page


def test_where_nothing_errored_nothing_more_is_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run", ["passed", "failed", "invalid"])
    out = said(capsys, "stats", folder)
    assert "errors as failures" not in out and "excluded" not in out
    (standing,) = data(capsys, "stats", folder)["standings"]
    assert standing["score"]["estimate"] == 0.5 and standing["score_errors_failed"] is None


def test_a_run_from_before_there_was_a_choice_is_read_as_one_that_excluded_agent_errors(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = a_run(tmp_path / "quits", ["passed", "errored"])
    with RunStore.open(folder) as store:
        assert store.spec.agent_errors == "failed"
        older = {name: value for name, value in store.spec.plain().items() if name != "agent_errors"}
    assert RunSpec.stored(older).agent_errors == "excluded" and RunSpec.parse(older).agent_errors == "failed"


def test_the_plan_says_that_agent_errors_are_excluded(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "pocket/notes", "--agent", "random", "--configs", "1", "--dry-run"]
    out = said(capsys, *words, "--agent-errors", "excluded")
    assert "agent errors were excluded from the score of random" in out
    assert data(capsys, *words, "--agent-errors", "excluded")["spec"]["agent_errors"] == "excluded"
    assert data(capsys, *words)["spec"]["agent_errors"] == "failed" and "excluded" not in said(capsys, *words)


def test_a_study_takes_the_choice_from_its_file_or_the_command_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "study.toml"
    text = 'worlds = ["pocket/notes"]\nagents = ["random"]\nconfigs = 1\n[[conditions]]\nname = "again"\n'
    file.write_text(text + 'interventions = [{ name = "retry" }]\n')
    assert data(capsys, "study", file, "--dry-run")["study"]["agent_errors"] == "failed"
    words = ["study", file, "--dry-run", "--agent-errors", "excluded"]
    assert data(capsys, *words)["study"]["agent_errors"] == "excluded"
    assert "agent errors were excluded from the score of random" in said(capsys, *words)
    file.write_text('agent_errors = "excluded"\n' + file.read_text())
    assert data(capsys, "study", file, "--dry-run")["study"]["agent_errors"] == "excluded"


def test_reliability_shows_errors_as_failures_beside_its_figures(
    capsys: pytest.CaptureFixture[str], quits: Path
) -> None:
    out = said(capsys, "stats", "reliability", quits)
    assert "errors as failures" in out and "37.5% [" in out and "5 of 8 episodes errored" in out and NOTE in out
    found = data(capsys, "stats", "reliability", quits)["quits"]
    assert found["pass_hat"]["points"][0]["estimate"] == 1 and found["errored"] == 5
    assert found["errors_failed"]["pass_hat"]["points"][0]["estimate"] == 0.375
    assert any(NOTE in note for note in found["notes"])


def test_sensitivity_names_errored_episodes_and_excluded_errors(
    capsys: pytest.CaptureFixture[str], quits: Path
) -> None:
    assert "5 of 8 episodes errored" in said(capsys, "stats", "sensitivity", quits)
    notes = data(capsys, "stats", "sensitivity", quits)["notes"]
    assert any(NOTE in note for note in notes) and any("5 of 8 episodes errored" in note for note in notes)
