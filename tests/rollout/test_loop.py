"""The episode loop: outcomes are typed, and nothing that goes wrong becomes a score."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from fairground.agents import Brief, DoNothing, Scripted
from fairground.core import Action, Check, Look, Observation, Outcome, ScreenError, State, Type
from fairground.rollout import Budget, read_episode, run_episode
from fairground.sandbox import Sandbox
from fairground.verify import judge
from fairground.worlds import Ahead, App, Scenario, Seat, Suite, World, open_seat

from . import advised

pytestmark = pytest.mark.process


class Editor(App):
    name = "editor"
    packages = ("mousepad",)
    recorded = ("~/list.txt",)

    def setup(self, sandbox: Sandbox, world: World) -> None:
        sandbox.write_file("~/list.txt", b"milk\n")

    def launch(self, seat: Seat) -> None:
        seat.start(["mousepad", f"{seat.sandbox.home}/list.txt"])
        seat.wait_window("list")


class Broken(Editor):
    name = "broken"

    def launch(self, seat: Seat) -> None:
        seat.start(["sh", "-c", "echo out of ideas; exit 7"])
        seat.wait_window("list")


class AddTea(Scenario):
    name = "add-tea"
    app = "editor"
    template = "Add tea to the list and save it."
    step_budget = 8

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        found = after.text("~/list.txt")
        return [Check(name="tea is on the list", passed="tea" in found, expected="tea", found=found)]


class AddTeaBroken(AddTea):
    app = "broken"


class Faulty(AddTea):
    name = "faulty"

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        raise KeyError("a column that is not there")


SUITE = Suite("test", "Test", "1", (Editor(), Broken()), (AddTea(), AddTeaBroken()))
SOLVE = [
    {"kind": "key", "keys": ["ctrl", "end"]},
    {"kind": "type", "text": "tea"},
    {"kind": "key", "keys": ["ctrl", "s"]},
]


def world(scenario: str = "editor/add-tea") -> World:
    app, name = scenario.split("/")
    return World.of(SUITE, next(c for c in SUITE.configurations() if (c.app, c.scenario) == (app, name)))


@pytest.fixture(scope="module")
def seats() -> Iterator[Ahead]:
    """One page, renewed for each episode that needs no desktop."""
    source = Ahead(open_seat)
    yield source
    source.close()


def test_a_solved_episode_passes_is_read_back_and_judged_again_and_refused_actions_cost_a_step(tmp_path: Path) -> None:
    told: list[tuple[str, ...]] = []

    class Clumsy(Scripted):
        def act(self, observation: Observation):
            told.append(observation.messages)
            return super().act(observation)

    agent = Clumsy([{"kind": "click", "point": [9999, 9999]}, *SOLVE])
    episode = run_episode(world(), agent, tmp_path / "e")
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.PASSED, "agent", 5)
    assert "off the 1280x720 screen" in told[1][0]
    folder = read_episode(tmp_path / "e")
    assert folder.complete and folder.episode == episode and "off the" in folder.steps[0].refused
    before, after = folder.state("before"), folder.state("after")
    assert before is not None and after is not None and "tea" in after.text("~/list.txt")
    assert judge(world(), before, after) == episode.verdict
    assert (tmp_path / "e" / "video.mp4").stat().st_size > 1000


def test_an_agent_that_raises_has_failed_and_the_state_is_judged_as_evidence(tmp_path: Path, seats: Ahead) -> None:
    class Crashing:
        name = "crashing"

        def begin(self, brief: Brief) -> None:
            pass

        def act(self, observation: Observation) -> Action:
            if observation.step == 1:
                raise ConnectionResetError("the model's server went away")
            return Look()

    episode = run_episode(advised.world(), Crashing(), tmp_path / "e", video=False, pool=seats)
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.FAILED, "agent_error", 1)
    assert "server went away" in episode.error
    found = read_episode(tmp_path / "e")
    assert found.complete and found.state("after") is not None and "went away" in found.log("traceback")
    assert episode.verdict is not None and (episode.verdict.reward, episode.verdict.integrity) == (0, False)
    assert [check.name for check in episode.verdict.checks][1:] == ["the agent ended the episode itself"]


def test_an_agent_that_hangs_is_judged_on_what_it_did_until_then(
    tmp_path: Path, seats: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = 0.0  # the time is up when everything was done, however long that took
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later)
    monkeypatch.setattr("fairground.rollout.patience.time", clock)

    class Sleepy(Scripted):
        def act(self, observation: Observation):
            nonlocal later
            if observation.step == len(SOLVE):
                threading.Event().wait()
            if observation.step == len(SOLVE) - 1:
                later = 1000.0
            return super().act(observation)

    budget = Budget(seconds=1000.0)
    episode = run_episode(advised.world(), Sleepy(SOLVE), tmp_path / "e", video=False, pool=seats, budget=budget)
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.PASSED, "time_budget", 3)
    assert episode.extra == {"abandoned": True}
    assert read_episode(tmp_path / "e").complete


def test_a_budget_of_steps_ends_an_agent_that_never_stops(tmp_path: Path, seats: Ahead) -> None:
    class Restless:
        name = "restless"

        def begin(self, brief: Brief) -> None:
            assert brief.step_budget == 3

        def act(self, observation: Observation) -> Action:
            return Look()

    episode = run_episode(advised.world(), Restless(), tmp_path / "e", video=False, pool=seats, budget=Budget(steps=3))
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.FAILED, "step_budget", 3)


def test_an_app_that_does_not_open_is_an_error_with_its_output(tmp_path: Path) -> None:
    episode = run_episode(world("broken/add-tea"), DoNothing(), tmp_path / "e", video=False)
    assert (episode.outcome, episode.verdict) == (Outcome.ERRORED, None)
    assert "status 7" in episode.error and "out of ideas" in episode.error


def test_checks_that_break_make_the_configuration_invalid(tmp_path: Path, seats: Ahead) -> None:
    suite = Suite("test", "Test", "1", advised.SUITE.apps, (Faulty(),))
    faulty = World.of(suite, suite.configurations()[0])
    episode = run_episode(faulty, DoNothing(), tmp_path / "e", video=False, pool=seats)
    assert (episode.outcome, episode.verdict) == (Outcome.INVALID, None)
    assert "a column that is not there" in episode.error


def test_a_screen_that_the_agent_killed_is_its_failure_and_what_came_before_is_kept(
    tmp_path: Path, kill_screen: Callable[[Seat], None]
) -> None:
    class Killer:
        name = "killer"

        def begin(self, brief: Brief) -> None:
            pass

        def act(self, observation: Observation) -> Action:
            if observation.step == 2:
                kill_screen(seats[0])
            return Type(text="x")

    seats: list[Seat] = []

    class Watched(Editor):
        def launch(self, seat: Seat) -> None:
            super().launch(seat)
            seats.append(seat)

    suite = Suite("test", "Test", "1", (Watched(),), (AddTea(),))
    episode = run_episode(World.of(suite, suite.configurations()[0]), Killer(), tmp_path / "e", video=False)
    assert (episode.outcome, episode.ended_by) == (Outcome.FAILED, "seat") and episode.error
    assert episode.verdict is not None and episode.verdict.reward == 0
    assert episode.verdict.checks[-1].name == "the seat could be used and recorded until the end"
    assert episode.steps >= 2


@pytest.mark.parametrize(
    "damage",
    [
        "rm ~/list.txt",
        pytest.param("printf '\\377\\376' > ~/list.txt", marks=pytest.mark.slow),
        pytest.param("ln -sf /etc/passwd ~/list.txt", marks=pytest.mark.slow),
    ],
)
def test_a_state_that_the_agent_spoiled_is_a_failure_and_not_an_error(tmp_path: Path, damage: str) -> None:
    class Spoiled(Editor):
        def save(self, seat: Seat) -> None:
            seat.sandbox.run(["sh", "-c", damage])  # what an agent with a terminal could have done

    suite = Suite("test", "Test", "1", (Spoiled(),), (AddTea(),))
    episode = run_episode(World.of(suite, suite.configurations()[0]), DoNothing(), tmp_path / "e", video=False)
    assert episode.outcome == Outcome.FAILED
    assert episode.verdict is not None and episode.verdict.reward == 0


@pytest.mark.slow
def test_the_fingerprint_names_the_world_that_it_ran_in(tmp_path: Path) -> None:
    run_episode(world(), DoNothing(), tmp_path / "a", video=False)
    run_episode(world(), DoNothing(), tmp_path / "b", video=False)
    one, two = (json.loads((tmp_path / name / "episode.json").read_text())["fingerprint"] for name in "ab")
    assert one == two
    assert one["packages"]["mousepad"] and one["stages"]["configure"] and one["runner"]


def test_a_sandbox_that_is_gone_is_an_error_of_ours_also_while_the_agent_is_at_work(tmp_path: Path) -> None:
    class Unlucky(Scripted):
        def act(self, observation: Observation):
            if observation.step == 1:
                seats[0].sandbox.discard()
            return super().act(observation)

    seats: list[Seat] = []

    class Watched(Editor):
        def launch(self, seat: Seat) -> None:
            super().launch(seat)
            seats.append(seat)

    suite = Suite("test", "Test", "1", (Watched(),), (AddTea(),))
    episode = run_episode(World.of(suite, suite.configurations()[0]), Unlucky(SOLVE), tmp_path / "e", video=False)
    assert (episode.outcome, episode.verdict, episode.ended_by) == (Outcome.ERRORED, None, "error"), episode.error


def test_an_app_that_cannot_save_any_more_is_the_agents_failure_and_the_state_is_recorded(tmp_path: Path) -> None:
    class Blocked(Editor):
        def save(self, seat: Seat) -> None:
            raise ScreenError("the window takes no input")  # as when the agent has stopped the app

    suite = Suite("test", "Test", "1", (Blocked(),), (AddTea(),))
    episode = run_episode(World.of(suite, suite.configurations()[0]), Scripted(SOLVE), tmp_path / "e", video=False)
    assert (episode.outcome, episode.ended_by) == (Outcome.FAILED, "seat") and "takes no input" in episode.error
    found = read_episode(tmp_path / "e")
    after = found.state("after")
    assert after is not None and "tea" in after.text("~/list.txt")
    assert episode.verdict is not None and [check.passed for check in episode.verdict.checks] == [True, False]
