"""Complete an episode whose worker process ended during it.

A Python agent's code runs in the worker process, and a program agent runs as the same user: both can end it. Such an
episode counts as the agent's failure, as if it had raised an exception.
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
    """Return the result of an attempt whose worker exited (`EXITED`) or died (`DIED`).

    It is the agent's failure, or an infrastructure error. What was recorded until then is completed.
    """
    runs_agent_code = is_python_agent(spec.agent) or spec.agent.startswith("program:")
    if finished.ended_by != EXITED and not runs_agent_code:
        return replace(finished, ended_by="error")
    finished = replace(finished, ended_by="agent_error", error=f"{finished.error} while the agent was at work")
    if spec.agent_errors == "excluded":
        return finished
    episode = _completed(run / job.folder, finished.error, video=spec.video)
    if episode is None:
        return replace(finished, outcome=Outcome.FAILED, reward=0.0)
    return finished_of(episode, job.folder)


def _completed(folder: Path, error: str, *, video: bool) -> Episode | None:
    """Record an incomplete episode again, with its end. Returns None if it had not begun."""
    try:
        recorded = read_episode(folder)
    except EpisodeError:
        return None
    if recorded.complete:
        return recorded.episode if recorded.episode.outcome is not None and recorded.episode.outcome.scored else None
    if not recorded.episode.first_frame or recorded.episode.first_frame not in recorded.frame_sizes:
        return None
    torn = folder.with_name(f".{folder.name}.torn")
    with writing(folder):
        shutil.rmtree(torn, ignore_errors=True)
        folder.rename(torn)
    try:
        return _recorded(folder, replace(recorded, path=torn), [guard("agent_error", error, weight=1.0)], error, video)
    finally:
        shutil.rmtree(torn, ignore_errors=True)


def _recorded(folder: Path, recorded: EpisodeFolder, checks: list[Check], error: str, video: bool) -> Episode:
    begun = recorded.episode.model_copy(update={"first_frame": ""})
    with Recorder(folder, begun, video=video) as recorder:
        recorder.first(recorded.frame(recorded.episode.first_frame))
        for step in recorded.steps:
            recorder.step(step, recorded.frame(step.frame))
        if (before := recorded.state("before")) is not None:
            recorder.state("before", before.files, before.data, before.missing)
        for name in recorded.log_names():
            recorder.log(name, recorded.log(name))
        update = {
            "outcome": Outcome.FAILED,
            "verdict": Verdict.of(checks),
            "ended_by": "agent_error",
            "error": error,
            "seconds": recorded.steps[-1].seconds if recorded.steps else 0.0,
        }
        return recorder.close(recorded.episode.model_copy(update=update))
