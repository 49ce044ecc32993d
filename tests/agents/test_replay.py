"""Blind replay: it repeats what worked, to the letter, and knows nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from fairground_pocket.notes.app import build
from fairground_pocket.notes.scenarios.count_label import count

from fairground.agents import Agent, Brief, Turn
from fairground.agents.replay import ReplayAgent, Trajectory
from fairground.core import (
    Action,
    Answer,
    Click,
    Done,
    EpisodeError,
    Fail,
    Frame,
    InvalidInput,
    Look,
    Observation,
    Outcome,
    State,
    Type,
    UnknownName,
)
from fairground.rollout import Planned, RunSpec, RunStore, read_episode, run_episode
from fairground.rollout.ended import finished_of
from fairground.rollout.replaying import named_agent, recorded_successes, replay_agent
from fairground.worlds import resolve
from tests.rollout import recordings
from tests.rollout.recordings import notes_episode, run_of

SIZE = (40, 30)


def seen(shade: int = 0) -> Observation:
    return Observation(Frame(np.full((SIZE[1], SIZE[0], 3), shade, np.uint8)))


def recorded(*actions: Action, instruction: str = "Add tea.", shade: int = 0, task: str = "s/a/tea/i") -> Trajectory:
    return Trajectory(instruction, SIZE, seen(shade).frame.digest, actions, task)


def played(
    agent: Agent, instruction: str = "Add tea.", *, shade: int = 0, size: tuple[int, int] = SIZE
) -> list[Action]:
    agent.begin(Brief(instruction, size, step_budget=9))
    actions: list[Action] = []
    while not (actions and actions[-1].ends):
        turn = agent.act(seen(shade if not actions else 255))
        actions.append(turn.action if isinstance(turn, Turn) else turn)
    return actions


TEA = (Click(point=(3, 4)), Type(text="tea"), Done())


def test_it_plays_what_was_recorded_whatever_it_sees() -> None:
    agent = ReplayAgent([recorded(*TEA)])
    assert played(agent, shade=0) == played(agent, shade=99) == list(TEA)
    assert isinstance(agent, Agent)


def test_without_a_recorded_success_it_gives_up_at_once_and_says_why() -> None:
    agent = ReplayAgent([recorded(*TEA)])
    for actions in (played(agent, "Add coffee."), played(agent, size=(1280, 720))):
        assert actions == [Fail(reason="no recorded success for this task")]


def test_a_recording_that_does_not_end_by_itself_is_ended() -> None:
    assert played(ReplayAgent([recorded(Look())])) == [Look(), Done()]


def test_the_first_of_several_successes_is_played() -> None:
    assert played(ReplayAgent([recorded(*TEA), recorded(Look(), shade=7)]), shade=7) == list(TEA)


def test_by_screen_it_plays_only_where_it_begins_on_the_recorded_frame() -> None:
    agent = ReplayAgent([recorded(*TEA), recorded(Look(), shade=7)], match="screen")
    assert played(agent) == list(TEA)
    assert played(agent, shade=7) == [Look(), Done()]
    (gave_up,) = played(agent, shade=8)
    assert isinstance(gave_up, Fail) and "began on this screen" in gave_up.reason


def test_two_tasks_with_one_instruction_are_told_apart_by_the_first_frame_or_not_played() -> None:
    agent = ReplayAgent([recorded(*TEA), recorded(Look(), shade=7, task="s/b/tea/i")])
    assert played(agent, shade=7) == [Look(), Done()]
    (gave_up,) = played(agent, shade=8)
    assert isinstance(gave_up, Fail) and "2 recorded tasks" in gave_up.reason


def test_names_of_agents() -> None:
    assert named_agent("do-nothing").name == "do-nothing"
    with pytest.raises(InvalidInput, match="neither a run nor an episode"):
        named_agent("replay:nowhere")
    with pytest.raises(UnknownName):
        named_agent("repley")
    with pytest.raises(InvalidInput, match="expected task or screen"):
        ReplayAgent([], match="colour")  # type: ignore[arg-type]


# --- on the notes app ------------------------------------------------------------------------------------------------


class Solver:
    """Taps by name, as a person would: it sees the accessibility tree, so it solves the task on any profile."""

    name = "solver"

    def __init__(self, taps: Sequence[tuple[str, str] | Action]) -> None:
        self._all = taps

    def begin(self, brief: Brief) -> None:
        self._left: Iterator[tuple[str, str] | Action] = iter(self._all)

    def act(self, observation: Observation) -> Action:
        step = next(self._left, None)
        if step is None:
            return Done()
        if not isinstance(step, tuple):
            return step
        assert observation.tree is not None
        node = observation.tree.find(*step)
        assert node is not None and node.center is not None, step
        return Click(point=node.center)


PIN = Solver([
    ("searchbox", "Search notes"), Type(text="gift"), ("link", "Gift ideas"), ("link", "Edit note"),
    ("checkbox", "Money"), ("button", "Save"), ("button", "Pin"),
])  # fmt: skip
PINNED = "pocket/notes/pin-and-label/gifts-money@cafe/paper/list"
COUNTED = "pocket/notes/count-label/recipes@student/paper/list"


def recipes(world: str) -> int:
    """The right answer, from the app's own database."""
    store = build(resolve(world))
    try:
        return count(State(data=store.dump()), "Recipes")
    finally:
        store.close()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which one task was solved at the second attempt, another at the first, and a third never."""
    solved = Solver([("link", "Recipes"), Answer(text=str(recipes(COUNTED)))])
    unsolved = "pocket/notes/count-label/travel@student/paper/list"
    attempts: list[tuple[str, Agent]] = [
        (PINNED, Solver([])),
        (PINNED, PIN),
        (COUNTED, solved),
        (unsolved, Solver([Answer(text="999")])),
    ]
    outcomes = [Outcome.FAILED, Outcome.PASSED, Outcome.PASSED, Outcome.FAILED]
    return record_run(tmp_path_factory.mktemp("replay") / "run", attempts, outcomes)


@pytest.fixture(scope="module")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which one task was solved at the second attempt."""
    answers = ("none", str(recipes(COUNTED)))
    episodes = [(COUNTED, partial(notes_episode, configuration=COUNTED, answer=answer)) for answer in answers]
    return run_of(tmp_path_factory.mktemp("replay") / "short", episodes)


def record_run(folder: Path, attempts: Sequence[tuple[str, Agent]], outcomes: Sequence[Outcome]) -> Path:
    """Carries out the attempts in one seat after another, as a run."""
    plan = [
        Planned(number=number, configuration=world, rollout=number, seed=number)
        for number, (world, _) in enumerate(attempts)
    ]
    with RunStore.create(folder, RunSpec(worlds=("pocket/notes",), agent="solver"), plan) as store:
        for planned, (world, agent) in zip(plan, attempts, strict=True):
            name = f"episodes/{planned.number:06d}"
            parts = ("screen", "cursor", "tree")
            episode = run_episode(resolve(world), agent, folder / name, observations=parts, video=False)
            assert episode.error == ""
            store.finish(planned.number, finished_of(episode, name))
        assert [row.finished.outcome for row in store.rows() if row.finished] == list(outcomes)
    return folder


def outcome(agent: Agent, world: str, folder: Path) -> tuple[Outcome | None, list[str]]:
    episode = run_episode(resolve(world), agent, folder, video=False)
    assert episode.error == ""
    return episode.outcome, [step.action.kind for step in read_episode(folder).steps]


@pytest.mark.slow
def test_where_the_world_is_the_same_a_recorded_success_succeeds_again(run: Path, tmp_path: Path) -> None:
    agent = named_agent(f"replay:{run}")
    how, kinds = outcome(agent, PINNED, tmp_path / "e")
    assert how is Outcome.PASSED and kinds[-1] == "done" and kinds.count("click") == 6


@pytest.mark.slow
def test_where_the_world_varies_it_plays_the_same_and_fails(run: Path, tmp_path: Path) -> None:
    agent = replay_agent(str(run))
    other = COUNTED.replace("student", "cafe")
    assert recipes(other) != recipes(COUNTED)
    assert outcome(agent, other, tmp_path / "other") == (Outcome.FAILED, ["click", "answer"])
    by_screen = replay_agent(f"replay:screen:{run}")
    assert outcome(by_screen, other, tmp_path / "screen") == (Outcome.FAILED, ["fail"])


@pytest.mark.slow
def test_a_task_that_was_never_solved_is_given_up_at_once(run: Path, tmp_path: Path) -> None:
    world = "pocket/notes/count-label/travel@student/paper/list"
    assert outcome(replay_agent(str(run)), world, tmp_path / "e") == (Outcome.FAILED, ["fail"])


def test_one_episode_can_be_replayed_and_one_that_failed_cannot(short_run: Path) -> None:
    (only,) = recorded_successes(short_run / "episodes/000001")
    assert only.task == "pocket/notes/count-label/recipes" and only.size == recordings.SIZE
    with pytest.raises(InvalidInput, match="did not pass"):
        recorded_successes(short_run / "episodes/000000")


def test_a_success_whose_recording_is_gone_is_said(short_run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    copy.mkdir()
    (copy / "run.sqlite").write_bytes((short_run / "run.sqlite").read_bytes())
    with pytest.raises(EpisodeError, match="the episode's folder is missing"):
        recorded_successes(copy)


def test_a_run_without_a_success_has_nothing_to_play(tmp_path: Path) -> None:
    RunStore.create(tmp_path / "run", RunSpec(worlds=("pocket",), agent="x"), ()).close()
    with pytest.raises(InvalidInput, match="no episode of this run passed"):
        replay_agent(str(tmp_path / "run"))
