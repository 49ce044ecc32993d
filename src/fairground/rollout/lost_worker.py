"""What becomes of an episode whose worker process ended under it.

A Python agent's code runs in that process, and a program as the same user: both can end it. Such an episode is the
agent's failure, as if it had raised.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from fairground.agents.python import is_python_agent
from fairground.core import Check, Episode, EpisodeError, Outcome, Verdict
from fairground.rollout.attribution import guard
from fairground.rollout.disk import writing
from fairground.rollout.ended import finished_of
from fairground.rollout.executor import EXITED
from fairground.rollout.folder import EpisodeFolder, read_episode
from fairground.rollout.plan import RunSpec
from fairground.rollout.recorder import Recorder
from fairground.rollout.store import Finished
from fairground.rollout.work import Job


def lost_worker(run: Path, spec: RunSpec, job: Job, finished: Finished) -> Finished:
    """How an attempt ended whose worker exited (`EXITED`) or died (`DIED`): the agent's failure, or an error of ours.

    What was recorded until then is completed.
    """
    somebody_elses = is_python_agent(spec.agent) or spec.agent.startswith("program:")
    if finished.ended_by != EXITED and not somebody_elses:
        return replace(finished, ended_by="error")
    finished = replace(finished, ended_by="agent_error", error=f"{finished.error} while the agent was at work")
    if spec.agent_errors == "excluded":
        return finished
    episode = _completed(run / job.folder, finished.error, video=spec.video)
    if episode is None:
        return replace(finished, outcome=Outcome.FAILED, reward=0.0)
    return finished_of(episode, job.folder)


def _completed(folder: Path, error: str, *, video: bool) -> Episode | None:
    """Records an incomplete episode again, with its end; None where it had not begun."""
    try:
        found = read_episode(folder)
    except EpisodeError:
        return None
    if found.complete:
        return found.episode if found.episode.outcome is not None and found.episode.outcome.scored else None
    if not found.episode.first_frame or found.episode.first_frame not in found.frame_sizes:
        return None
    torn = folder.with_name(f".{folder.name}.torn")
    with writing(folder):
        shutil.rmtree(torn, ignore_errors=True)
        folder.rename(torn)
    try:
        return _recorded(folder, replace(found, path=torn), [guard("agent_error", error, weight=1.0)], error, video)
    finally:
        shutil.rmtree(torn, ignore_errors=True)


def _recorded(folder: Path, found: EpisodeFolder, checks: list[Check], error: str, video: bool) -> Episode:
    begun = found.episode.model_copy(update={"first_frame": ""})
    with Recorder(folder, begun, video=video) as recorder:
        recorder.first(found.frame(found.episode.first_frame))
        for step in found.steps:
            recorder.step(step, found.frame(step.frame))
        if (before := found.state("before")) is not None:
            recorder.state("before", before.files, before.data, before.missing)
        for name in found.log_names():
            recorder.log(name, found.log(name))
        update = {
            "outcome": Outcome.FAILED,
            "verdict": Verdict.of(checks),
            "ended_by": "agent_error",
            "error": error,
            "seconds": found.steps[-1].seconds if found.steps else 0.0,
        }
        return recorder.close(found.episode.model_copy(update=update))
