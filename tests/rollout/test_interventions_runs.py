"""Whole runs under interventions, from the command line, in real browsers; killed and resumed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from fairground.agents import Brief, OracleAgent, Turn
from fairground.cli.main import main
from fairground.core import Done, Observation, Outcome
from fairground.rollout import Budget, Job, RunSpec, RunStore, make_plan, read_episode, run_episode, run_table
from fairground.rollout.interventions import Company, Deterministic, Retry
from fairground.rollout.interventions.advisers import Advisers
from fairground.rollout.work import Episodes
from fairground.worlds import resolve
from tests.agents.models.wire.openai_rules import KEY

from .advised import Advice

WRONG = [{"kind": "answer", "text": "999"}, {"kind": "answer", "text": "998"}]


def adviser(words: str) -> Any:
    task = words.split("<task>\n")[1].split("\n</task>")[0]
    if "you write the plan" in words:
        return "Look at the list of labels.\nCount what is there."
    if "you audit it" in words:
        return {"class": "ok", "reason": "The same."}
    return {"instruction": f"{task} Thank you."}


def episodes_of(folder: Path) -> list[Any]:
    with RunStore.open(folder) as store:
        found = [row.finished for row in store.rows()]
    return [read_episode(folder / one.folder).episode for one in found if one is not None]


@pytest.mark.slow
def test_a_run_that_is_killed_and_resumed_keeps_its_plans_and_clarifications(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMPATIBLE_API_KEY", KEY)
    script, folder = tmp_path / "wrong.jsonl", tmp_path / "run"
    script.write_text("\n".join(map(json.dumps, WRONG)))
    with Advice(adviser) as advice:
        words = ["pocket/notes/count-label", "--agent", f"script:{script}", "--configs", "1", "--rollouts", "3"]
        words += ["--with", f"fixed-plan:{advice.model}", "--with", f"clarified:{advice.model}"]
        words += ["--with", "retry:rounds=1", "--workers", "2", "--out", str(folder), "--json"]
        start = [sys.executable, "-c", "from fairground.cli.main import main; main()", "run", *words]
        with subprocess.Popen(start, env={**os.environ}, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and not any(folder.glob("interventions/plan-*.json")):
                threading.Event().wait(0.02)
            process.kill()
        asked = len(advice.questions)
        assert asked == 3  # a clarification, its audit, a plan: once, for two workers and three rollouts
        capsys.readouterr()
        assert main(["resume", str(folder), "--workers", "2", "--json"]) == 0
        assert len(advice.questions) == asked
    summary = json.loads(capsys.readouterr().out)
    assert summary["folder"] == str(folder)
    found = episodes_of(folder)
    assert len(found) == 3 and {one.outcome for one in found} == {Outcome.FAILED}
    for one in found:
        assert one.extra["condition"]["instruction"] == found[0].extra["condition"]["instruction"]
        assert "Thank you." in one.extra["condition"]["instruction"]
        assert "Count what is there." in one.extra["condition"]["instruction"]
        assert len(one.extra["rounds"]) == 2 and one.answer == "998"
    (contender,) = {str(one) for one in run_table(folder).contenders}
    assert "fixed-plan+clarified+retry" in contender
    assert main(["clarifications", str(folder), "--json"]) == 0
    audit = json.loads(capsys.readouterr().out)
    assert audit["counts"] == {"ok": 1} and audit["clarifications"][0]["clarified"].endswith("Thank you.")
    assert main(["clarifications", str(folder)]) == 0
    assert "1 clarified: 1 ok" in capsys.readouterr().out


@pytest.mark.process
def test_a_random_agent_repeats_itself_when_it_is_run_deterministically(tmp_path: Path) -> None:
    spec = RunSpec(
        worlds=("pocket/notes/count-label",),
        agent="random",
        configs=1,
        rollouts=2,
        budget=Budget(steps=3),
        interventions=(Deterministic(),),
    )
    plan = make_plan(spec)
    RunStore.create(tmp_path, spec, plan).close()
    work = Episodes(tmp_path, spec)
    try:
        for planned in plan:
            assert work.do(Job(planned, 0, f"episodes/{planned.number}"))[0].outcome == Outcome.FAILED
    finally:
        work.close()
    one, other = (read_episode(tmp_path / "episodes" / str(planned.number)) for planned in plan)
    assert len(one.steps) == 3 and [step.action for step in one.steps] == [step.action for step in other.steps]
    assert one.episode.extra["condition"]["interventions"] == [{"name": "deterministic"}]


@pytest.mark.process
def test_a_page_goes_on_as_it_was_after_a_failed_round(tmp_path: Path) -> None:
    class Hasty(OracleAgent):
        """Says that it is done before it has begun, and does it when it is sent back."""

        def begin(self, brief: Brief) -> None:
            super().begin(brief)
            self._hasty = True

        def act(self, observation: Observation) -> Turn:
            hasty, self._hasty = self._hasty, False
            return Turn(Done()) if hasty else super().act(observation)

    world, agent = resolve("pocket/notes/pin-and-label"), Hasty()
    company = Company([Retry()], tmp_path, world.id, Advisers(), agent)
    episode = run_episode(world, agent, tmp_path / "e", video=False, companion=company)
    assert episode.outcome == Outcome.PASSED, episode.error
    assert [one["verdict"]["success"] for one in episode.extra["rounds"]] == [False, True]


def test_what_cannot_be_run_is_refused_before_a_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = ["run", "pocket/notes", "--out", str(tmp_path / "run"), "--with"]
    for wrong, status, said in (
        ("retyr", 2, "did you mean retry"),
        ("retry:simulator", 2, "needs a model that plays the user"),
        ("audited:openai:gpt-5", 1, "OPENAI_API_KEY"),
    ):
        assert main([*words, wrong]) == status
        assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
