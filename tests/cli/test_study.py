"""`fairground study`, with real seats: the plan first, a result at the end, and plans that reach the agent."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from fairground_pocket.notes.app import build
from fairground_pocket.notes.scenarios.count_label import count

from fairground.cli import main
from fairground.core import State
from fairground.rollout import RunSpec, RunStore, make_plan
from fairground.rollout.interventions import read_plans
from fairground.rollout.study_run import open_study
from fairground.worlds import resolve
from tests.agents.models.openai_stage import words_in
from tests.agents.models.wire.openai_rules import KEY
from tests.agents.models.wire.openai_wire import OpenAIServer, completes, tool_call
from tests.agents.models.wire.server import Answered, Asked

ROOT = Path(__file__).resolve().parents[2]
SMALL = """
worlds = ["pocket/notes/count-label"]
agents = ["do-nothing"]
rollouts = 2
configs = 1

[[conditions]]
name = "again"
interventions = [{ name = "retry", rounds = 1 }]
"""


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "study.toml"
    path.write_text(text)
    return str(path)


def test_a_dry_run_shows_the_episodes_of_each_condition_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = written(tmp_path, SMALL), tmp_path / "out"
    assert main(["study", file, "--out", str(out), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "again" in said and "1 configuration x 2 rollouts in each of 2 runs = 4 episodes" in said
    assert main(["study", file, "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(run["condition"], run["base"], run["episodes"]) for run in found["runs"]] == [
        ("baseline", "", 2), ("again", "baseline", 2),
    ]  # fmt: skip
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "needs either a file, or a folder"),
        (["FILE", "--resume", "x"], "needs either a file, or a folder"),
        (["--resume", "x", "--out", "y"], "cannot be combined"),
        (["--resume", "nowhere"], "is not a study"),
        (["FILE"], "ANTHROPIC_API_KEY"),
    ],
)
def test_what_is_asked_wrongly_is_said_before_anything_starts(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path, SMALL.replace("do-nothing", "anthropic:claude-sonnet-5-5"))
    assert main(["study", *(file if word == "FILE" else word for word in words)]) in (1, 2)
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.toml"]


@pytest.mark.slow
def test_a_study_ends_with_a_result_and_a_page_and_does_nothing_when_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["study", written(tmp_path, SMALL), "--out", str(out), "--workers", "1"]) == 0
    said = capsys.readouterr().out
    assert "Pass^2" in said and "2 of 2" in said and "2 rounds in 2 episodes" in said
    assert "<h1>" in (out / "study.html").read_text()
    assert main(["study", "--resume", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["condition"] for one in found["result"]["conditions"]] == ["baseline", "again"]
    assert found["result"]["conditions"][1]["advice"]["rounds"] == 2 and found["not_begun"] == []
    assert json.loads((out / "study.json").read_text())["result"] == found["result"]


@pytest.mark.process
def test_an_interrupted_study_says_how_to_go_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    program = "import sys; from fairground.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["study", written(tmp_path, SMALL), "--out", str(out), "--workers", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not (out / "runs/do-nothing/baseline/workers.lock").exists():
        threading.Event().wait(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130 and f"fairground study --resume {out}" in said.replace("\n", "")
    assert open_study(out).spec.rollouts == 2


# --- learned plans, end to end ---------------------------------------------------------------------------------------

LESSON = "Tap the label in the list of labels, then count the notes that are shown."


class School:
    """A model that plans and a model that acts: it answers rightly only where its task comes with the plan."""

    def __init__(self, right: str) -> None:
        self.right = right
        self.planned: list[str] = []
        self.server = OpenAIServer([self.answer] * 500)

    def answer(self, asked: Asked) -> Answered:
        words = words_in(asked.body["messages"])
        if asked.body["model"] == "planner":
            self.planned.append(words)
            leak = f"<plan>The answer is {self.right}.</plan>"
            return completes(leak if len(self.planned) == 1 else f"<plan>{LESSON}</plan>")(asked)
        said = self.right if LESSON in words else "a thousand"
        return completes("I answer.", tool_call("give_answer", answer=said))(asked)


@pytest.mark.slow
def test_a_learned_plan_reaches_the_agent_and_is_kept_when_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMPATIBLE_API_KEY", KEY)
    spec = RunSpec(worlds=("pocket/notes/count-label",), agent="x", configs=1, seed=3)
    world = resolve(make_plan(spec)[0].configuration)
    store = build(world)
    school = School(str(count(State(data=store.dump()), str(world.parameters["label"]))))
    store.close()
    with school.server as server:
        file = written(
            tmp_path,
            SMALL.partition("[[")[0]
            .replace('"do-nothing"', f'"compatible:actor@{server.url}/v1"')
            .replace("rollouts = 2", "rollouts = 1")
            + f"""seed = 3

[[conditions]]
name = "learned"
iterations = 2
interventions = [{{ name = "learned-plan", model = "compatible:planner@{server.url}/v1" }}]
""",
        )
        assert main(["study", file, "--out", str(tmp_path / "out"), "--workers", "1", "--json"]) == 0
        assert server.complaints == []
    result: dict[str, Any] = json.loads(capsys.readouterr().out)["result"]
    passed = [one["outcomes"].get("passed", 0) for one in result["conditions"]]
    assert passed == [0, 1, 1]
    # Asked twice, because the first plan gave the answer away; not at all for the second iteration: it works.
    assert len(school.planned) == 2 and "could not be used because it held" in school.planned[1]
    assert "Every attempt of the same agent failed" in school.planned[0]
    study = open_study(tmp_path / "out")
    notes = []
    for run in study.runs[1:]:
        (plan,) = read_plans(study.place(run)).values()
        assert plan.text == LESSON
        notes.append(plan.note)
        with RunStore.open(study.place(run)) as opened:
            folders = [study.place(run) / row.finished.folder for row in opened.rows() if row.finished]
        for folder in folders:
            extra = json.loads((folder / "episode.json").read_text())["extra"]
            assert LESSON in extra["condition"]["instruction"] and extra["condition"]["plan"]["text"] == LESSON
    assert notes == ["", "every episode with the previous plan passed: it is kept"]
    advice = [one["advice"] for one in result["conditions"]]
    assert advice[1]["plans"] == 1 and advice[1]["tokens"] > 0 and advice[2]["tokens"] == 0


@pytest.mark.slow
def test_the_example_runs_offline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", str(ROOT / "examples/study.toml"), "--out", str(tmp_path / "out"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["result"]["conditions"]
    assert [one["condition"] for one in found] == ["baseline", "deterministic", "perturbed", "retry"]
    assert all(one["planned"] == sum(one["outcomes"].values()) for one in found)
