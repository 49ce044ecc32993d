"""A real server whose model says what a test makes of each question, and small worlds to be advised in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from fairground.agents import Agent
from fairground.agents.models import RetryPolicy, make_asker
from fairground.core import Action, Check, Episode, Observation, State, parse_action
from fairground.rollout import run_episode
from fairground.rollout.interventions import Company, Intervention
from fairground.rollout.interventions.advisers import Advisers
from fairground.screen import CdpScreen
from fairground.worlds import Ahead, App, Scenario, ScreenSpec, Seat, Suite, World
from tests.agents.models.openai_stage import pictures_in, words_in
from tests.agents.models.wire.openai_rules import KEY
from tests.agents.models.wire.openai_wire import OpenAIServer, broken, completes
from tests.agents.models.wire.server import Answered, Asked

DOWN = object()
"""What a test's model says when its server is broken."""


@dataclass
class Question:
    """What a model was asked."""

    words: str
    pictures: int


@dataclass
class Advice:
    """Answers every question with what `say` makes of it; all that was asked is in `questions`."""

    say: Callable[[str], Any]
    questions: list[Question] = field(default_factory=list)

    def __enter__(self) -> Advice:
        self.server = OpenAIServer([self._answer] * 500)
        self.server.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.__exit__(*error)
        assert self.server.complaints == []

    @property
    def model(self) -> str:
        return f"compatible:adviser@{self.server.url}/v1"

    @property
    def words(self) -> list[str]:
        return [question.words for question in self.questions]

    def advisers(self) -> Advisers:
        return Advisers(partial(make_asker, api_key=KEY, retries=RetryPolicy(attempts=1)))

    def _answer(self, asked: Asked) -> Answered:
        words = words_in(asked.body["messages"])
        self.questions.append(Question(words, len(pictures_in(asked.body))))
        said = self.say(words)
        if said is DOWN:
            return broken()(asked)
        return completes(said if isinstance(said, str) else json.dumps(said))(asked)


def in_turn(*answers: Any) -> Callable[[str], Any]:
    """One answer after the other; the last again and again."""
    left = list(answers)
    return lambda words: left.pop(0) if len(left) > 1 else left[0]


class Follows:
    """Plays actions, and notes the instruction and every message that it is given."""

    name = "follows"

    def __init__(self, *actions: Any) -> None:
        self._actions = [parse_action(one) for one in actions]
        self.instruction = ""
        self.heard: list[str] = []

    def begin(self, brief: Any) -> None:
        self.instruction = brief.instruction
        self._left = list(self._actions)

    def act(self, observation: Observation) -> Action:
        self.heard += observation.messages
        return self._left.pop(0) if self._left else parse_action({"kind": "done"})


LIST = b"milk\nbread\n"
PAGE = f"""<!doctype html><title>list</title><textarea autofocus rows=9>{LIST.decode()}</textarea><script>
let saved = document.querySelector("textarea").value;
addEventListener("keydown", (event) => {{
  if (!event.ctrlKey || event.key != "s") return;
  event.preventDefault();
  saved = document.querySelector("textarea").value;
}});</script>"""


class Editor(App):
    """A text editor in a page, which can be used again by the next episode. Ctrl+S saves."""

    name = "editor"
    packages = ("chromium",)
    screen = ScreenSpec("cdp", (400, 300))

    def launch(self, seat: Seat) -> None:
        self.reset(seat, seat.world)

    def reset(self, seat: Seat, world: World) -> bool:
        cast(CdpScreen, seat.screen).navigate("data:text/html;charset=utf-8," + quote(PAGE))
        seat.keep["saved"] = LIST
        return True

    def save(self, seat: Seat) -> None:
        seat.keep["saved"] = str(cast(CdpScreen, seat.screen).evaluate("saved")).encode()

    def capture(self, seat: Seat, world: World) -> State:
        return State(files={"~/list.txt": cast(bytes, seat.keep["saved"])})


class AddTea(Scenario):
    name = "add-tea"
    app = "editor"
    template = "Add {thing} to the list and save it."
    instances = {"tea": {"thing": "tea"}}
    step_budget = 6

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        found = after.text("~/list.txt")
        return [Check(name="XYZZY the drink stands there", passed="tea" in found, expected="tea", found=found)]


class CountLines(Scenario):
    name = "count-lines"
    app = "editor"
    kind = "answer"
    template = "How many {what} does the list have? Change nothing."
    instances = {"lines": {"what": "lines"}}
    step_budget = 6

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        expected = len(before.text("~/list.txt").splitlines())
        return [Check(name="XYZZY the count", passed=answer == str(expected), expected=expected, found=answer)]


SUITE = Suite("test", "Test", "1", (Editor(),), (AddTea(), CountLines()))
SOLVE = [
    {"kind": "key", "keys": ["ctrl", "end"]},
    {"kind": "type", "text": "tea"},
    {"kind": "key", "keys": ["ctrl", "s"]},
]
DONE = {"kind": "done"}


def world(name: str = "add-tea") -> World:
    return World.of(SUITE, next(one for one in SUITE.configurations() if one.scenario == name))


def attempt(
    folder: Path,
    agent: Agent,
    advice: Advice | None,
    *interventions: Intervention,
    pool: Ahead,
    scenario: str = "add-tea",
    tokens: int | None = None,
) -> Episode:
    """One episode in a real seat, with these interventions, in a folder that passes for a run's."""
    run = folder / "run"
    run.mkdir(exist_ok=True)
    (run / "run.sqlite").touch()
    chosen = world(scenario)
    advisers = advice.advisers() if advice is not None else Advisers()
    company = Company(interventions, run, chosen.id, advisers, agent, tokens=tokens)
    number = sum(1 for _ in run.glob("episode-*"))
    return run_episode(chosen, agent, run / f"episode-{number}", video=False, companion=company, pool=pool)
