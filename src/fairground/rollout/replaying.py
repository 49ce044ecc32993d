"""The replay agent of a run: which recordings it plays back."""

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
    """Return an agent by name: one that `make_agent` knows, or `replay:RUN`. Options as for `make_agent`."""
    if name.startswith(_PREFIX):
        return replay_agent(name)
    return make_agent(name, deterministic=deterministic, home=home)


def replay_agent(text: str) -> ReplayAgent:
    """Return the agent for `replay:RUN`. `replay:screen:RUN` replays a recording only if the first frame matches.

    Args:
        text: The folder of a run or of a single episode, with or without the prefix.

    Raises:
        InvalidInput: If there is no successful episode to replay.
        EpisodeError: If there is one, but its recording cannot be read.
    """
    place = text.removeprefix(_PREFIX)
    match: Match = "screen" if place.startswith(_BY_SCREEN) else "task"
    folder = Path(place.removeprefix(_BY_SCREEN))
    return ReplayAgent(recorded_successes(folder, match=match), match=match, name=f"{_PREFIX}{place}")


def recorded_successes(folder: Path, *, match: Match = "task") -> list[Trajectory]:
    """Return the first success per task (or per configuration, to match screens), in the order of the run's plan."""
    if (folder / "episode.json").is_file():
        recorded = read_episode(folder)
        if recorded.episode.outcome is not Outcome.PASSED:
            raise InvalidInput(f"{folder}: this episode did not pass", fix="give a run, or an episode that passed")
        return [_trajectory(recorded)]
    if not is_run(folder):
        raise InvalidInput(
            f"{folder} is neither a run nor an episode",
            fix="write replay:RUN with the folder that `fairground run` wrote",
        )
    trajectories: dict[str, Trajectory] = {}
    broken: dict[str, EpisodeError] = {}
    passed, damaged = _passed(folder)
    for configuration, place in passed:
        key = configuration.task if match == "task" else configuration.id
        if key in trajectories:
            continue
        try:
            trajectories[key] = _trajectory(read_episode(place))
        except EpisodeError as error:  # a later success of the same task is used instead
            broken.setdefault(key, error)
    for key, fault in broken.items():
        if key not in trajectories:
            raise fault
    if not trajectories and damaged:
        raise DamagedEpisode(f"{folder}: {damage_note(damaged)}", fix=damaged[0].advice)
    if not trajectories:
        raise InvalidInput(f"{folder}: no episode of this run passed, so there is nothing to replay")
    return list(trajectories.values())


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
        # An ending action that was sent back did not end the episode, but it would end the replay.
        actions=tuple(step.action for step in folder.steps if step is folder.steps[-1] or not step.action.ends),
        task=episode.configuration.task,
    )
