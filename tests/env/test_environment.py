"""The Gymnasium environment over real software."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import fairground
from fairground.core import Done, InvalidAction, InvalidInput, Key, Type, UnknownName
from fairground.env import FairgroundEnv
from fairground.remote.seats import Seats
from fairground.worlds import read_folder
from tests.worlds.board import world as board_world

TOML = """
[app]
name = "pad"
packages = ["mousepad"]
launch = ["mousepad", "~/note.txt"]
window = "note"

[[scenario]]
name = "greet"
instruction = "Replace the text with hello and save."
step_budget = 4
[[scenario.check]]
name = "the note says hello"
file = "~/note.txt"
equals = "hello"
[[scenario.check]]
name = "and begins with h"
file = "~/note.txt"
matches = "^h"
"""


WRONG: list[object] = [
    {"kind": "click", "point": [5000, 10]},
    {"kind": "click", "point": [float("nan"), 10]},
    {"kind": "type", "text": "a" * 1_000_000},
    {"kind": "key", "keys": ["nokey"]},
    {"kind": "jump"},
    {"point": [1, 2]},
    17,
    None,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "pad"
    folder.mkdir()
    (folder / "world.toml").write_text(TOML)
    (folder / "setup").write_text("#!/bin/sh\necho start > ~/note.txt\n")
    (folder / "setup").chmod(0o755)
    assert read_folder(folder).scenarios
    return folder


@pytest.fixture
def env(folder: Path) -> Iterator[FairgroundEnv]:
    env = FairgroundEnv(str(folder), render_mode="rgb_array", user=lambda question: f"You asked: {question}")
    yield env
    env.close()


@pytest.mark.process
def test_gymnasiums_own_checker_passes() -> None:
    seats = Seats(1, share=True)  # it resets a dozen times
    everything = ("screen", "cursor", "tree", "windows", "instruction")
    env = FairgroundEnv(board_world(), observations=everything, render_mode="rgb_array", pool=seats)
    try:
        check_env(env, skip_render_check=True)
    finally:
        env.close()
        seats.close()


@pytest.mark.process
def test_solving_earns_the_reward_and_terminates(env: FairgroundEnv) -> None:
    _, info = env.reset(seed=1)
    assert info["instruction"] == "Replace the text with hello and save."
    for action in (Key(keys=("ctrl", "a")), Type(text="hello"), Key(keys=("ctrl", "s"))):
        observation, reward, terminated, truncated, _ = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert observation in env.observation_space
    _, reward, terminated, truncated, info = env.step(Done())
    assert (reward, terminated, truncated, info["outcome"]) == (1.0, True, False, "passed")


@pytest.mark.slow
def test_half_a_solution_earns_half(env: FairgroundEnv) -> None:
    env.reset()
    for action in (Key(keys=("ctrl", "a")), Type(text="hi"), Key(keys=("ctrl", "s"))):
        env.step(action)
    _, reward, _, _, info = env.step(Done())
    assert (reward, info["outcome"]) == (0.5, "failed")


@pytest.mark.process
def test_an_action_that_cannot_be_carried_out_costs_nothing_and_the_step_budget_truncates_and_is_judged(
    env: FairgroundEnv,
) -> None:
    env.reset()
    for action in WRONG:
        with pytest.raises(InvalidAction):
            env.step(action)
    results = [env.step({"kind": "look"}) for _ in range(4)]
    assert [result[2:4] for result in results] == [(False, False)] * 3 + [(False, True)]
    assert results[-1][4]["outcome"] == "failed"
    with pytest.raises(InvalidInput, match="reset"):
        env.step(Done())


@pytest.mark.process
def test_a_reset_gives_a_fresh_world_and_render_its_frame(env: FairgroundEnv) -> None:
    first, _ = env.reset(seed=3)
    env.step(Type(text="something"))
    again, _ = env.reset(seed=3)
    assert np.array_equal(first["screen"], again["screen"])
    assert np.array_equal(env.render(), again["screen"])
    assert env.step({"kind": "call_user", "text": "which file?"})[4]["messages"] == ["You asked: which file?"]


def test_unknown_observations_and_worlds_get_a_suggestion(folder: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean screen"):
        FairgroundEnv(str(folder), observations=("scren",))
    with pytest.raises(UnknownName, match="did you mean desk"):
        FairgroundEnv("dsk/calc")


def test_installed_scenarios_are_known_to_gymnasium() -> None:
    import fairground.gym

    fairground.gym.register()
    assert "fairground/desk.calc.region-total" in gymnasium.registry


@pytest.mark.process
def test_resets_draw_from_all_that_was_named_as_the_seed_says() -> None:
    env = fairground.make("pocket/notes")

    def draw(seed: int | None) -> str:
        world: str = env.reset(seed=seed)[1]["world"]
        env.step(Done())  # so that the seat is used again
        return world

    try:
        seen = [draw(seed) for seed in (1, None, None, 1)]
        assert seen[3] == seen[0] and len(set(seen)) == 3
        drawn = env.reset(options={"scenario": "count-label", "theme": "midnight"})[1]["world"]
        assert drawn.startswith("pocket/notes/count-label/") and "/midnight/" in drawn
        with pytest.raises(UnknownName, match="option of reset"):
            env.reset(options={"colour": "dark"})
    finally:
        env.close()


@pytest.mark.process
def test_members_of_a_vector_environment_differ() -> None:
    import fairground.gym  # noqa: F401 (registers)

    vector = gymnasium.make_vec("fairground/pocket.notes", num_envs=2, vectorization_mode="sync")
    try:
        one, other = vector.reset(seed=5)[1]["world"]
        assert one != other
    finally:
        vector.close()


def test_worlds_of_two_sizes_do_not_fit_into_one_environment() -> None:
    with pytest.raises(InvalidInput, match=r"must have the same screen size, got .*pocket/notes"):
        FairgroundEnv(["pocket/notes", "desk/mousepad"])
