"""Attempts, carried out and written down: the episode loop and its folder; plans, runs, their index and workers."""

from fairground.rollout.behaviour import Behaviour, measure
from fairground.rollout.behaviour_by_outcome import compare_by_outcome, watch_runs
from fairground.rollout.estimate import Estimate, estimate
from fairground.rollout.executor import Executor, LocalExecutor
from fairground.rollout.export import export_runs
from fairground.rollout.folder import EpisodeFolder, read_episode
from fairground.rollout.judge_agreement import JudgeAgreement, judge_agreement
from fairground.rollout.judged import Judged, Judgement, judge_recorded, read_judgements
from fairground.rollout.loop import run_episode
from fairground.rollout.plan import Budget, Planned, RunSpec, make_plan
from fairground.rollout.ray_executor import RayExecutor, need_ray, on_ray
from fairground.rollout.recorder import Recorder
from fairground.rollout.replaying import named_agent, replay_agent
from fairground.rollout.reverify import reverify, write_changes
from fairground.rollout.run import Event, carry_out, start_run
from fairground.rollout.run_table import is_run, run_table
from fairground.rollout.store import Finished, Progress, Row, RunBusy, RunStore
from fairground.rollout.study import StudySpec, read_study
from fairground.rollout.study_result import StudyResult, study_result
from fairground.rollout.study_run import Study, carry_out_study, open_study, plan_study, start_study
from fairground.rollout.work import Job, Work

__all__ = [
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
    "start_run",
    "start_study",
    "study_result",
    "watch_runs",
    "write_changes",
]
