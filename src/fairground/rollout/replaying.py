"""The replay agent of a run: which of its recordings are played back."""

from __future__ import annotations

from pathlib import Path

from fairground.agents import Agent, make_agent
from fairground.agents.replay import Match, ReplayAgent, Trajectory
from fairground.core import Configuration, EpisodeError, InvalidInput, Outcome
from fairground.core.damage import Damaged, damage_note
from fairground.rollout.damage import DamagedEpisode
from fairground.rollout.folder import EpisodeFolder, read_episode
from fairground.rollout.store import RunStore, is_run

_PREFIX = "replay:"
_BY_SCREEN = "screen:"


def named_agent(name: str, *, deterministic: bool = False, home: Path | None = None) -> Agent:
    """An agent by name: one that `make_agent` knows, or `replay:RUN`; options as for `make_agent`."""
    if name.startswith(_PREFIX):
        return replay_agent(name)
    return make_agent(name, deterministic=deterministic, home=home)


def replay_agent(text: str) -> ReplayAgent:
    """The agent that `replay:RUN` names; `replay:screen:RUN` plays a recording only where the first frame is its own.

    Args:
        text: The folder of a run or of a single episode, with or without these words before it.

    Raises:
        InvalidInput: When there is no success to play back.
        EpisodeError: When there is one, and its recording cannot be read.
    """
    place = text.removeprefix(_PREFIX)
    match: Match = "screen" if place.startswith(_BY_SCREEN) else "task"
    folder = Path(place.removeprefix(_BY_SCREEN))
    return ReplayAgent(recorded_successes(folder, match=match), match=match, name=f"{_PREFIX}{place}")


def recorded_successes(folder: Path, *, match: Match = "task") -> list[Trajectory]:
    """The first success of each task (of each configuration, to match screens), in the order of the run's plan."""
    if (folder / "episode.json").is_file():
        found = read_episode(folder)
        if found.episode.outcome is not Outcome.PASSED:
            raise InvalidInput(f"{folder}: this episode did not pass", fix="give a run, or an episode that passed")
        return [_trajectory(found)]
    if not is_run(folder):
        raise InvalidInput(f"{folder} is neither a run nor an episode", fix="replay:RUN, the folder that `run` wrote")
    kept: dict[str, Trajectory] = {}
    broken: dict[str, EpisodeError] = {}
    passed, damaged = _passed(folder)
    for configuration, place in passed:
        key = configuration.task if match == "task" else configuration.id
        if key in kept:
            continue
        try:
            kept[key] = _trajectory(read_episode(place))
        except EpisodeError as error:  # a later success of the same will do
            broken.setdefault(key, error)
    for key, fault in broken.items():
        if key not in kept:
            raise fault
    if not kept and damaged:
        raise DamagedEpisode(f"{folder}: {damage_note(damaged)}", fix=damaged[0].advice)
    if not kept:
        raise InvalidInput(f"{folder}: no episode of this run passed, so there is nothing to play back")
    return list(kept.values())


def _passed(folder: Path) -> tuple[list[tuple[Configuration, Path]], tuple[Damaged, ...]]:
    with RunStore.open(folder) as store:
        passed = [
            (Configuration.from_id(row.planned.configuration), folder / row.finished.folder)
            for row in store.rows()
            if row.finished is not None and row.finished.outcome is Outcome.PASSED
        ]
        return passed, store.damaged()


def _trajectory(folder: EpisodeFolder) -> Trajectory:
    episode = folder.episode
    if not folder.complete:
        raise EpisodeError(f"{folder.path}: incomplete: the recording stopped before the episode ended")
    return Trajectory(
        instruction=episode.instruction,
        size=folder.frame_size(episode.first_frame),
        first_frame=episode.first_frame,
        # An end that was sent back was none; played again, it would be.
        actions=tuple(step.action for step in folder.steps if step is folder.steps[-1] or not step.action.ends),
        task=episode.configuration.task,
    )
