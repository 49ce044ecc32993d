"""Attempts, carried out and written down: the episode loop and its folder; plans, runs, their index and workers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fairground.rollout.executor import Executor, LocalExecutor
from fairground.rollout.folder import EpisodeFolder, read_episode
from fairground.rollout.loop import run_episode
from fairground.rollout.plan import Budget, Planned, RunSpec, make_plan
from fairground.rollout.recorder import Recorder
from fairground.rollout.replaying import named_agent, replay_agent
from fairground.rollout.run import AgentUnusable, Event, carry_out, start_run
from fairground.rollout.store import Finished, Progress, Row, RunBusy, RunStore, is_run, runs_in
from fairground.rollout.work import Job, Work

if TYPE_CHECKING:
    from fairground.rollout.behaviour import Behaviour as Behaviour
    from fairground.rollout.behaviour import measure as measure
    from fairground.rollout.behaviour_by_outcome import compare_by_outcome as compare_by_outcome
    from fairground.rollout.behaviour_by_outcome import watch_runs as watch_runs
    from fairground.rollout.episode_table import run_table as run_table
    from fairground.rollout.estimates import Estimate as Estimate
    from fairground.rollout.estimates import estimate as estimate
    from fairground.rollout.export import export_runs as export_runs
    from fairground.rollout.judge_agreements import JudgeAgreement as JudgeAgreement
    from fairground.rollout.judge_agreements import judge_agreement as judge_agreement
    from fairground.rollout.judged import Judged as Judged
    from fairground.rollout.judged import Judgement as Judgement
    from fairground.rollout.judged import judge_recorded as judge_recorded
    from fairground.rollout.judged import read_judgements as read_judgements
    from fairground.rollout.ray_executor import RayExecutor as RayExecutor
    from fairground.rollout.ray_executor import need_ray as need_ray
    from fairground.rollout.ray_executor import on_ray as on_ray
    from fairground.rollout.reverifying import reverify as reverify
    from fairground.rollout.reverifying import write_changes as write_changes
    from fairground.rollout.study import StudySpec as StudySpec
    from fairground.rollout.study import read_study as read_study
    from fairground.rollout.study_results import StudyResult as StudyResult
    from fairground.rollout.study_results import study_result as study_result
    from fairground.rollout.study_run import Study as Study
    from fairground.rollout.study_run import carry_out_study as carry_out_study
    from fairground.rollout.study_run import open_study as open_study
    from fairground.rollout.study_run import plan_study as plan_study
    from fairground.rollout.study_run import start_study as start_study

__all__ = [
    "AgentUnusable",
    "Behaviour",
    "Budget",
    "EpisodeFolder",
    "Estimate",
    "Event",
    "Executor",
    "Finished",
    "Job",
    "JudgeAgreement",
    "Judged",
    "Judgement",
    "LocalExecutor",
    "Planned",
    "Progress",
    "RayExecutor",
    "Recorder",
    "Row",
    "RunBusy",
    "RunSpec",
    "RunStore",
    "Study",
    "StudyResult",
    "StudySpec",
    "Work",
    "carry_out",
    "carry_out_study",
    "compare_by_outcome",
    "estimate",
    "export_runs",
    "is_run",
    "judge_agreement",
    "judge_recorded",
    "make_plan",
    "measure",
    "named_agent",
    "need_ray",
    "on_ray",
    "open_study",
    "plan_study",
    "read_episode",
    "read_judgements",
    "read_study",
    "replay_agent",
    "reverify",
    "run_episode",
    "run_table",
    "runs_in",
    "start_run",
    "start_study",
    "study_result",
    "watch_runs",
    "write_changes",
]

_LATE = {
    "Behaviour": "behaviour",
    "Estimate": "estimates",
    "JudgeAgreement": "judge_agreements",
    "Judged": "judged",
    "Judgement": "judged",
    "RayExecutor": "ray_executor",
    "Study": "study_run",
    "StudyResult": "study_results",
    "StudySpec": "study",
    "carry_out_study": "study_run",
    "compare_by_outcome": "behaviour_by_outcome",
    "estimate": "estimates",
    "export_runs": "export",
    "judge_agreement": "judge_agreements",
    "judge_recorded": "judged",
    "measure": "behaviour",
    "need_ray": "ray_executor",
    "on_ray": "ray_executor",
    "open_study": "study_run",
    "plan_study": "study_run",
    "read_judgements": "judged",
    "read_study": "study",
    "reverify": "reverifying",
    "run_table": "episode_table",
    "start_study": "study_run",
    "study_result": "study_results",
    "watch_runs": "behaviour_by_outcome",
    "write_changes": "reverifying",
}


def __getattr__(name: str) -> Any:
    # Looked up late: workers start in a fraction of the time without statistics, reports and clusters.
    if name in _LATE:
        return getattr(import_module(f"fairground.rollout.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
