"""`fairground run`: what is said before it starts, and that everything a run can be is said there."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.cli.estimates import print_estimates
from fairground.cli.output import console, print_entry
from fairground.cli.run import run as command
from fairground.rollout import Budget, RunSpec, RunStore
from fairground.rollout.estimates import Estimate, Range

WORLD = "pocket/notes/count-label"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["run", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out if "--json" in words else " ".join(out.split()), " ".join(err.split())


def planned(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    code, out, err = run(capsys, WORLD, *words, "--dry-run", "--json")
    assert code == 0, err
    return json.loads(out)


def test_everything_that_a_run_can_be_can_be_said_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    options = set(inspect.signature(command).parameters)
    made = {"format", "budget", "interventions", "home", "only"}  # set by the command itself
    fields = set(RunSpec.model_fields) - made | set(Budget.model_fields)
    assert fields <= options
    code, out, _ = run(capsys, "--help")
    assert code == 0 and "fairground run pocket/notes --agent random" in out


def test_a_dry_run_shows_plan_time_and_cost_and_makes_nothing(
    capsys: pytest.CaptureFixture[str], elsewhere: Path
) -> None:
    words = (WORLD, "--agent", "anthropic:claude-opus-5-5", "--configs=1", "--rollouts=2", "--workers=2", "--dry-run")
    code, out, _ = run(capsys, *words, "--out", "new/run")
    assert code == 0 and "1 configuration x 2 rollouts = 2 episodes" in out
    assert "minutes with 2 workers" in out and "tokens" in out and "cost $" in out
    assert list(elsewhere.iterdir()) == []
    found = planned(capsys, "--agent", "anthropic:claude-opus-5-5", "--tokens", 5000)
    assert found["estimate"]["dollars"]["high"] > 0 and found["spec"]["budget"]["tokens"] == 5000


def test_configurations_can_be_planned_to_vary_one_axis_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert planned(capsys)["spec"]["design"] == "random"
    found = planned(capsys, "--design", "one-axis-at-a-time", "--configs", 5, "--rollouts", 2)
    assert found["spec"]["design"] == "one-axis-at-a-time"
    assert run(capsys, WORLD, "--design", "one-axis-at-a-time", "--configs", 1, "--dry-run")[0] == 2
    assert run(capsys, WORLD, "--design", "at-random", "--dry-run")[0] == 2


def test_a_price_table_of_ones_own_is_kept_with_the_run(capsys: pytest.CaptureFixture[str], elsewhere: Path) -> None:
    agent = ("--agent", "anthropic:my-model")
    assert planned(capsys, *agent)["estimate"]["dollars"] is None
    code, _, err = run(capsys, WORLD, *agent, "--dollars", 5, "--dry-run")
    assert code == 2 and "no price of my-model is known" in err and "--prices" in err
    (elsewhere / "prices.toml").write_text("[my-model]\ninput = 1.0\noutput = 5.0\n")
    found = planned(capsys, *agent, "--prices", "prices.toml", "--dollars", 5)
    assert found["spec"]["prices"]["my-model"]["output"] == 5.0 and found["estimate"]["dollars"]["high"] > 0
    code, _, err = run(capsys, WORLD, *agent, "--prices", "nowhere.toml")
    assert code == 2 and "cannot be read" in err


def test_observations_are_chosen_and_a_model_is_said_to_see_the_screen_only(
    capsys: pytest.CaptureFixture[str], elsewhere: Path
) -> None:
    assert planned(capsys, "--observe", "screen,tree")["spec"]["observe"] == ["screen", "tree"]
    code, _, err = run(capsys, WORLD, "--observe", "screen,trees", "--dry-run")
    assert code == 2 and "unknown observation 'trees'" in err and "did you mean tree" in err
    _, out, _ = run(capsys, WORLD, "--agent", "anthropic:claude-opus-5-5", "--observe", "tree", "--dry-run")
    assert "models see only the screen" in out


def test_the_help_says_how_to_name_an_edited_agent(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--help")
    assert "--agent my_agent.py:MyAgent --condition v2" in out
    assert "An agent keeps its name when you edit its file." in out


def test_long_lines_hang_and_no_word_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "_width", 80)
    agents = [f"oracle:slip=0.{at}" for at in range(1, 6)]
    words = [word for agent in agents for word in ("--agent", agent)]
    assert main(["run", WORLD, *words, "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert {line[:7].strip() for line in lines} == {"plan", "time", ""}
    assert [line[6] for line in lines if line.strip()] == [" "] * len(lines)
    shown = " ".join(" ".join(lines).split())
    assert ", ".join(agents) in shown
    long = "a/very/" + "long/" * 30 + "path"
    print_entry("[bold]note[/]", f"see {long} for it")
    assert capsys.readouterr().out.splitlines() == ["note   see", f"       {long}", "       for it"]
    print_entry("[bold]score[/]", "robots.py:robot: 50%")
    assert "robots.py:robot: 50%" in capsys.readouterr().out, "a name between colons is no emoji"


def test_the_basis_of_estimates_is_printed_once_for_several_agents(capsys: pytest.CaptureFixture[str]) -> None:
    agents = ("--agent", "oracle", "--agent", "random", "--agent", "do-nothing")
    _, out, _ = run(capsys, WORLD, *agents, "--dry-run")
    assert out.count("no earlier run of this agent was found") == 1 and out.count(" time ") == 1
    assert "oracle: " in out and "random: " in out and "do-nothing: " in out
    found = planned(capsys, *agents)
    assert len(found["runs"]) == 3
    models = ("--agent", "anthropic:claude-opus-5-5", "--agent", "anthropic:my-model")
    _, out, _ = run(capsys, WORLD, *models, "--dry-run")
    assert out.count("million tokens read") == 1 and "no price is known for my-model" in out


@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["run", "dry"])
def test_an_unusable_folder_is_refused_before_anything_is_planned(
    capsys: pytest.CaptureFixture[str], elsewhere: Path, monkeypatch: pytest.MonkeyPatch, dry: tuple[str, ...]
) -> None:
    def nothing(*_: object, **__: object) -> None:
        raise AssertionError("planned although the folder cannot be used")

    monkeypatch.setattr("fairground.cli.running.make_plan", nothing)
    (elsewhere / "file").write_text("mine")
    (elsewhere / "full").mkdir()
    (elsewhere / "full" / "notes.txt").write_text("mine")
    (elsewhere / "old").mkdir()
    (elsewhere / "old" / "run.sqlite").write_text("")
    for out, words in {
        "file": "it is not a folder",
        "file/run": "file is not a folder",
        "full": "is not empty: it holds notes.txt",
        "old": "fairground resume old",
    }.items():
        for agents in (("--agent", "oracle"), ("--agent", "oracle", "--agent", "random")):
            code, _, err = run(capsys, WORLD, *agents, "--out", out, *dry)
            assert code == 2 and words in err and "--out" in err
    with monkeypatch.context() as patch:
        patch.setattr("os.access", lambda *_: False)
        code, _, err = run(capsys, WORLD, "--out", "deep/new", *dry)
        assert code == 2 and "is not writable" in err
    assert sorted(path.name for path in elsewhere.iterdir()) == ["file", "full", "old"]


def test_what_belongs_to_a_cluster_is_refused_without_one(capsys: pytest.CaptureFixture[str], elsewhere: Path) -> None:
    code, _, err = run(capsys, WORLD, "--ship", "--out", "run")
    assert code == 2 and "--executor ray" in err
    assert main(["resume", "run", "--ship"]) == 2
    assert list(elsewhere.iterdir()) == []


def test_a_person_cannot_be_run_without_a_page(capsys: pytest.CaptureFixture[str], elsewhere: Path) -> None:
    code, _, err = run(capsys, WORLD, "--agent", "human", "--out", "run")
    assert code == 1 and "acts through a page" in err and "fairground play" in err
    assert list(elsewhere.iterdir()) == []


@pytest.mark.slow
def test_a_run_ends_with_a_score_and_informs_the_next_estimate(
    capsys: pytest.CaptureFixture[str], elsewhere: Path
) -> None:
    words = (WORLD, "--agent", "do-nothing", "--configs", 1, "--rollouts", 2, "--workers", 1)
    code, out, err = run(capsys, *words, "--out", "runs/first")
    assert code == 0 and "no earlier run" in out and "score do-nothing: 0.0%" in out, err
    with RunStore.open(elsewhere / "runs" / "first") as store:
        assert store.progress().finished == 2
    assert "2 episodes of this agent in earlier runs" in planned(capsys, *words[1:])["estimate"]["seconds_from"]


@pytest.mark.process
def test_several_agents_have_the_same_configurations_and_one_leaderboard(
    capsys: pytest.CaptureFixture[str], elsewhere: Path
) -> None:
    agents = ("--agent", "oracle", "--agent", "do-nothing", "--agent", "oracle")
    code, out, err = run(capsys, WORLD, *agents, "--configs=1", "--rollouts=1", "--workers=1", "--out", "both")
    assert code == 0, err
    assert "= 1 episode each" in out and "oracle 100.0%" in out and "do-nothing 0.0%" in out
    assert sorted(path.name for path in (elsewhere / "both").iterdir()) == ["do-nothing", "oracle", "report.html"]
    page = (elsewhere / "both" / "report.html").read_text()
    assert "The last frame of one episode per app" in page
    replays = re.findall(r'href="([^"#]+/index.html)"', page)
    assert len(set(replays)) == 2 and all((elsewhere / "both" / href).is_file() for href in replays)
    plans = []
    for name in ("oracle", "do-nothing"):
        with RunStore.open(elsewhere / "both" / name) as store:
            plans.append([row.planned for row in store.rows()])
    assert plans[0] == plans[1]
    assert main(["resume", "both"]) == 0  # nothing is left to do, and both are found
    assert main(["stats", "both", "--json"]) == 0
    said = capsys.readouterr().out
    assert [one["contender"]["agent"] for one in json.loads(said[said.rindex("\n{") :])["standings"]] == [
        "oracle",
        "do-nothing",
    ]


def test_an_agent_that_cannot_be_run_stops_all_before_anything_is_made(
    capsys: pytest.CaptureFixture[str], elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    code, _, err = run(capsys, WORLD, "--agent", "do-nothing", "--agent", "anthropic:claude-opus-5-5", "--out", "both")
    assert code == 1 and "key" in err
    assert list(elsewhere.iterdir()) == []


def test_an_estimate_whose_ends_are_written_alike_is_one_number(capsys: pytest.CaptureFixture[str]) -> None:
    estimate = Estimate(2, 1, Range(7, 14), "earlier runs", Range(440, 440), "earlier runs", Range(0.101, 0.102), "")
    print_estimates(["a"], [estimate])
    out = capsys.readouterr().out
    assert "7 to 14 seconds" in out and "440\n" in out and "440 to" not in out and "$0.10\n" in out
