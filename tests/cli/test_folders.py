"""Commands that read results take what `fairground run` wrote for several agents, and single episodes."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fairground_pocket.notes.scenarios.count_label import CountLabel

from fairground.cli import main
from fairground.core import Check
from fairground.rollout import RunSpec
from tests.rollout.judge_stage import KEY, serving
from tests.rollout.recordings import notes_episode, run_of

ONE = "pocket/notes/count-label/health@student/paper/list"

Told = Callable[..., Any]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """Runs a command with --json, and returns what it printed."""

    def run(*words: object) -> Any:
        assert main([*map(str, words), "--json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def both(tmp_path: Path) -> Path:
    """Two agents' runs side by side: one answers rightly, one not at all."""
    for agent, answer in (("oracle", "9"), ("mute", None)):
        spec = RunSpec(worlds=("pocket",), agent=agent)
        run_of(tmp_path / "both" / agent, [(ONE, partial(notes_episode, configuration=ONE, answer=answer))], spec)
    return tmp_path / "both"


@pytest.fixture
def loose(tmp_path: Path) -> Path:
    """Episodes that `run_episode` wrote, and one whose recording was cut off."""
    for name, answer in (("a", "9"), ("deeper/b", None), ("deeper/cut", None)):
        notes_episode(tmp_path / "loose" / name, ONE, answer=answer)
    cut = tmp_path / "loose" / "deeper" / "cut" / "episode.json"
    cut.write_text(cut.read_text().replace('"complete"', '"running"'))
    return tmp_path / "loose"


def test_several_agents_are_exported_into_one_table(both: Path, told: Told) -> None:
    assert told("export", both, "-o", both / "t.jsonl")["episodes"] == 2
    rows = [json.loads(line) for line in (both / "t.jsonl").read_text().splitlines()]
    assert [(row["agent"], row["outcome"]) for row in rows] == [("mute", "failed"), ("oracle", "passed")]


def test_several_agents_are_shown_as_a_leaderboard_with_what_failed(
    both: Path, told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told("show", both)
    assert [one["contender"]["agent"] for one in found["summary"]["standings"]] == ["oracle", "mute"]
    (missed,) = found["not_passed"]
    assert missed["folder"] == str(both / "mute/episodes/000000") and "expected 9, found no answer" in missed["why"]
    assert main(["show", str(both)]) == 0
    assert "1 episode did not pass" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["show", "stats", "report"])
def test_a_folder_of_runs_that_repeat_each_other_lists_them_and_names_the_command_for_one(
    tmp_path: Path, told: Told, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    runs = tmp_path / "runs"
    for name, answer in (("first", None), ("second", "9")):
        spec = RunSpec(worlds=("pocket",), agent="mine")
        run_of(runs / name, [(ONE, partial(notes_episode, configuration=ONE, answer=answer))], spec)
    assert main([command, str(runs)]) == 2
    err = capsys.readouterr().err
    assert f"{runs} holds 2 runs" in err and "row" not in err and "--condition" in err
    assert f"  {runs / 'first'}: mine, 1 episode\n" in err and f"  {runs / 'second'}: mine, 1 episode\n" in err
    commands = re.findall(r"^  (fairground .+)$", err, re.MULTILINE)
    assert commands[1] == f"fairground compare {runs / 'second'} {runs / 'first'}"
    assert main(shlex.split(commands[0])[1:]) == 0 and "1 episode: 1 passed" in capsys.readouterr().out
    spec = RunSpec(worlds=("pocket",), agent="mine", condition="v2")
    run_of(tmp_path / "named" / "new", [(ONE, partial(notes_episode, configuration=ONE, answer="9"))], spec)
    (runs / "first").rename(tmp_path / "named" / "old")
    contenders = [one["contender"] for one in told("show", tmp_path / "named")["summary"]["standings"]]
    assert [one["condition"] for one in contenders] == ["v2", ""]


def test_several_agents_are_scored_again_judged_and_watched(
    both: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = told("reverify", both)
    assert again["scored"] == again["same"] == 2
    assert [one["contender"]["agent"] for one in told("behaviour", both)["contenders"]] == ["mute", "oracle"]
    assert told("clarifications", both) == {"counts": {}, "clarifications": []}
    monkeypatch.setenv("COMPATIBLE_API_KEY", KEY)
    with serving(0) as server:
        found = told("judge", both, "--model", f"compatible:judge@{server.url}/v1")
    assert len(found["not_judged"]) == 2  # tasks that ask for an answer are not for a judge of pictures
    assert found["page"] == str(both / "judge.html")


def test_new_verdicts_are_written_into_each_run(both: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    def checks(_: object, world: object, before: object, after: object, answer: str | None) -> list[Check]:
        return [Check(name="any answer", passed=answer is not None)]

    monkeypatch.setattr(CountLabel, "checks", checks)
    again = told("reverify", both, "--write", "--workers", 1)
    assert {Path(one["run"]).name for one in again["changed"]} == {"mute", "oracle"} and len(again["written"]) == 2
    assert told("reverify", both, "--workers", 1)["changed"] == []


def test_episodes_outside_of_a_run_are_read_by_report_stats_and_export(
    loose: Path, told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told("stats", loose)
    assert found["episodes"] == 2 and found["standings"][0]["contender"]["agent"] == "scripted"
    assert main(["export", str(loose), "-o", str(loose / "t.csv")]) == 0
    assert "left out" in capsys.readouterr().err
    assert str(loose / "deeper/b") in (loose / "t.csv").read_text()
    assert Path(told("report", loose, "-o", loose / "page.html")["page"]).is_file()
    assert len(told("show", loose)["not_passed"]) == 1
    assert len(told("behaviour", loose)["contenders"]) == 1


def test_an_exported_folder_can_be_shown_and_columns_keep_their_types(both: Path, told: Told) -> None:
    told("export", both, "-o", both / "t.jsonl")
    for row in map(json.loads, (both / "t.jsonl").read_text().splitlines()):
        assert told("show", row["folder"])["outcome"] == row["outcome"]
        assert isinstance(row["episode_seed"], int) and isinstance(row["attempts"], int)


@pytest.mark.parametrize("command", ["show", "behaviour", "reverify", "clarifications", "stats", "export"])
def test_a_folder_without_results_is_named(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["-o", str(tmp_path / "t.csv")] if command == "export" else []
    assert main([command, str(tmp_path / "nowhere"), *more]) == 2
    assert str(tmp_path / "nowhere") in capsys.readouterr().err.replace("\n", "")
    assert main([command, str(tmp_path), *more]) == 2
    assert "no run" in (said := capsys.readouterr().err) or "neither a run nor an episode" in said
