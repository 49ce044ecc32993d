"""Agents that are Python classes: how they are named, found, made and checked."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairground.agents import Agent, Brief, Turn, make_agent
from fairground.agents.python import PythonAgent, is_python_agent, read_arguments
from fairground.cli import main
from fairground.core import Click, Done, Frame, InvalidInput, Observation, UnknownName
from fairground.rollout import RunStore, read_episode

AGENTS = """
import dataclasses
import helper

@dataclasses.dataclass
class Clicker:
    speed: int = 1
    mode: str = "slow"
    observations = ("screen", "tree")
    usage = {"tokens": 12, "dollars": 0.5}

    def begin(self, brief):
        self.brief = brief

    def act(self, observation):
        return {"kind": "done", "thought": helper.words(self.speed, self.mode)}

class Breaking:
    name = "breaking"

    def begin(self, brief):
        self.left = 0

    def act(self, observation):
        return 1 / self.left

def made(mode="function"):
    return Clicker(mode=mode)

ready = Clicker(mode="ready")
no_agent = 17

class NoAct:
    def begin(self, brief):
        pass

class Greedy(Clicker):
    def take_seat(self, seat):
        raise AssertionError("an agent was given the seat")

class Fussy(Clicker):
    def __init__(self):
        raise OSError("no weights")
"""
SEEN = Observation(Frame(np.zeros((48, 64, 3), np.uint8)))
BRIEF = Brief("say hello", (64, 48), step_budget=5)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_agents.py").write_text(AGENTS)
    (tmp_path / "helper.py").write_text("def words(speed, mode): return f'{speed} {mode}'\n")
    monkeypatch.syspath_prepend(str(tmp_path))  # so that what the loader adds is taken back after the test
    monkeypatch.chdir(tmp_path)
    for name in ("my_agents", "helper"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def thought_of(agent: Agent) -> str:
    agent.begin(BRIEF)
    turn = agent.act(SEEN)
    assert isinstance(turn, Turn) and turn.action == Done()
    return turn.thought


@pytest.mark.parametrize(
    ("name", "thought"),
    [
        ("my_agents:Clicker", "1 slow"),
        ("my_agents.py:Clicker", "1 slow"),
        ("./my_agents.py:Clicker:speed=3", "3 slow"),
        ('my_agents.py:Clicker:speed=3,mode="fast, and more"', "3 fast, and more"),
        ("my_agents:made", "1 function"),
        ("my_agents:made:mode=http://localhost:8000/v1", "1 http://localhost:8000/v1"),
        ("my_agents:ready", "1 ready"),
        ("my_agents:Greedy", "1 slow"),
    ],
)
def test_a_class_a_function_or_an_object_is_an_agent(home: Path, name: str, thought: str) -> None:
    agent = make_agent(name)
    assert isinstance(agent, PythonAgent) and thought_of(agent) == thought
    assert agent.observations == ("screen", "tree") and not hasattr(agent, "take_seat")


def test_files_are_looked_for_in_the_home_that_is_given(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    with pytest.raises(InvalidInput, match="file /my_agents.py does not exist"):
        make_agent("my_agents.py:Clicker")
    assert thought_of(make_agent("my_agents.py:Clicker", home=home)) == "1 slow"


def test_a_published_agent_goes_by_its_name(home: Path) -> None:
    info = home / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fairground.agents]\nclicker = my_agents:Clicker\n")
    importlib.invalidate_caches()
    assert thought_of(make_agent("clicker")) == "1 slow"
    assert thought_of(make_agent("clicker:speed=7")) == "7 slow"
    with pytest.raises(UnknownName, match="did you mean clicker"):
        make_agent("clikcer")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("my_agents:Cliker", "did you mean Clicker"),
        ("no_such_module:Agent", "No module named 'no_such_module'"),
        ("my_agents:Clicker:sped=3", "unexpected keyword argument 'sped'(?s:.*)it takes .*speed"),
        ("my_agents:Clicker:3", "expected NAME=VALUE, got '3'"),
        ("my_agents:NoAct", "has no method act"),
        ("my_agents:no_agent", "a int: 17"),
        ("my_agents:Fussy", r"OSError: no weights \(.*my_agents.py, line \d+\)"),
        ("broken.py:Agent", "broken.py cannot be loaded: SyntaxError"),
        ("needy.py:Agent", "No module named 'no_such_package'(?s:.*)install no_such_package"),
    ],
)
def test_what_is_wrong_is_said_before_anything_starts(home: Path, name: str, said: str) -> None:
    (home / "broken.py").write_text("class Agent(:\n")
    (home / "needy.py").write_text("import no_such_package\n")
    with pytest.raises(InvalidInput, match=said):
        make_agent(name)


@pytest.mark.parametrize("answer", [None, 3, "done", {"kind": "jump"}])
def test_an_answer_that_is_no_action_is_refused_with_what_would_be_one(answer: Any) -> None:
    class Mute:
        def begin(self, brief: Brief) -> None: ...
        def act(self, observation: Observation) -> Any:
            return answer

    agent = PythonAgent(Mute(), "mute")
    agent.begin(BRIEF)
    with pytest.raises(InvalidInput, match=r"mute returned|kind"):
        agent.act(SEEN)


def test_a_file_without_a_class_and_a_misspelt_class_say_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from fairground import Click\nclass Clicker: ...\n")
    with pytest.raises(InvalidInput, match="no class") as missing:
        make_agent("mine.py", home=tmp_path)
    assert missing.value.fix == "add the class: mine.py:CLASS"
    with pytest.raises(InvalidInput, match="Cliker") as misspelt:
        make_agent("mine.py:Cliker", home=tmp_path)
    assert misspelt.value.fix == "did you mean Clicker?", "and not Click, which it imports"


def test_actions_and_turns_are_taken_as_they_are() -> None:
    class Plain:
        def begin(self, brief: Brief) -> None: ...
        def act(self, observation: Observation) -> Click:
            return Click(point=(1, 2))

    assert PythonAgent(Plain(), "plain").act(SEEN) == Turn(Click(point=(1, 2)))


def test_names_of_other_agents_are_not_taken_for_modules() -> None:
    others = ("openai:gpt", "program:python x.py:Y", "oracle:slip=0.1", "replay:runs/x", "random", "desk:")
    assert not any(map(is_python_agent, others))


def test_arguments_are_json_where_they_can_be() -> None:
    text = 'a=1,b=true,c=[1, 2],d={"x": 1.5},e=plain words,f="1",g=,h=null'
    found = {"a": 1, "b": True, "c": [1, 2], "d": {"x": 1.5}, "e": "plain words", "f": "1", "g": "", "h": None}
    assert read_arguments(text, where="x") == found


@pytest.mark.process
def test_a_class_is_run_in_worker_processes_and_resumed_from_elsewhere(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--configs", "1", "--rollouts", "1", "--out", "out", "--json"]
    assert main(["run", "pocket/notes/count-label", "--agent", "my_agents.py:Clicker:speed=5", *words]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["standings"][0]["episodes"] == 1
    with RunStore.open(home / "out") as store:
        assert store.spec.agent == "my_agents.py:Clicker:speed=5" and store.spec.home == str(home)
    found = read_episode(home / "out" / "episodes" / "000000")
    assert found.steps[0].thought == "5 slow" and found.episode.agent == "Clicker"
    assert (found.path / "trees").is_dir() and found.episode.extra["usage"]["tokens"] == 12


@pytest.mark.slow
def test_what_a_class_raises_is_recorded_with_its_line(home: Path) -> None:
    words = ["--agent", "my_agents:Breaking", "--no-video", "--out", "e"]
    assert main(["record", "pocket/notes/count-label", *words]) == 1
    episode = read_episode(home / "e")
    assert "ZeroDivisionError" in episode.episode.error and "my_agents.py, line" in episode.episode.error
    assert "return 1 / self.left" in episode.log("traceback")
