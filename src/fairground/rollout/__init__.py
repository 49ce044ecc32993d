"""Run agents and record what they do.

This room holds the episode loop, the episode folder format, run plans, the run index and the executors (local worker
processes, Ray).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairground.core.late import late_names

if TYPE_CHECKING:
    from fairground.rollout.behaviour import Behaviour as Behaviour
    from fairground.rollout.behaviour import measure as measure
    from fairground.rollout.behaviour_by_outcome import compare_by_outcome as compare_by_outcome
    from fairground.rollout.behaviour_by_outcome import watch_runs as watch_runs
    from fairground.rollout.episode_table import run_table as run_table
    from fairground.rollout.estimates import Estimate as Estimate
    from fairground.rollout.estimates import estimate as estimate
    from fairground.rollout.executor import Executor as Executor
    from fairground.rollout.executor import LocalExecutor as LocalExecutor
    from fairground.rollout.export import export_runs as export_runs
    from fairground.rollout.folder import EpisodeFolder as EpisodeFolder
    from fairground.rollout.folder import read_episode as read_episode
    from fairground.rollout.judge_agreements import JudgeAgreement as JudgeAgreement
    from fairground.rollout.judge_agreements import judge_agreement as judge_agreement
    from fairground.rollout.judged import Judged as Judged
    from fairground.rollout.judged import Judgement as Judgement
    from fairground.rollout.judged import judge_recorded as judge_recorded
    from fairground.rollout.judged import read_judgements as read_judgements
    from fairground.rollout.loop import run_episode as run_episode
    from fairground.rollout.plan import Budget as Budget
    from fairground.rollout.plan import Planned as Planned
    from fairground.rollout.plan import RunSpec as RunSpec
    from fairground.rollout.plan import make_plan as make_plan
    from fairground.rollout.ray_executor import RayExecutor as RayExecutor
    from fairground.rollout.ray_executor import need_ray as need_ray
    from fairground.rollout.ray_executor import on_ray as on_ray
    from fairground.rollout.recorder import Recorder as Recorder
    from fairground.rollout.replaying import named_agent as named_agent
    from fairground.rollout.replaying import replay_agent as replay_agent
    from fairground.rollout.reverifying import reverify as reverify
    from fairground.rollout.reverifying import write_changes as write_changes
    from fairground.rollout.run import AgentUnusable as AgentUnusable
    from fairground.rollout.run import Event as Event
    from fairground.rollout.run import carry_out as carry_out
    from fairground.rollout.run import start_run as start_run
    from fairground.rollout.store import Finished as Finished
    from fairground.rollout.store import Progress as Progress
    from fairground.rollout.store import Row as Row
    from fairground.rollout.store import RunBusy as RunBusy
    from fairground.rollout.store import RunStore as RunStore
    from fairground.rollout.store import is_run as is_run
    from fairground.rollout.store import runs_in as runs_in
    from fairground.rollout.study import StudySpec as StudySpec
    from fairground.rollout.study import read_study as read_study
    from fairground.rollout.study_results import StudyResult as StudyResult
    from fairground.rollout.study_results import study_result as study_result
    from fairground.rollout.study_run import Study as Study
    from fairground.rollout.study_run import carry_out_study as carry_out_study
    from fairground.rollout.study_run import open_study as open_study
    from fairground.rollout.study_run import plan_study as plan_study
    from fairground.rollout.study_run import start_study as start_study
    from fairground.rollout.work import Job as Job
    from fairground.rollout.work import Work as Work

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

# Imported lazily: reading an episode needs far fewer imports than recording one.
_LATE = {
    "AgentUnusable": "run",
    "Behaviour": "behaviour",
    "Budget": "plan",
    "EpisodeFolder": "folder",
    "Estimate": "estimates",
    "Event": "run",
    "Executor": "executor",
    "Finished": "store",
    "Job": "work",
    "JudgeAgreement": "judge_agreements",
    "Judged": "judged",
    "Judgement": "judged",
    "LocalExecutor": "executor",
    "Planned": "plan",
    "Progress": "store",
    "RayExecutor": "ray_executor",
    "Recorder": "recorder",
    "Row": "store",
    "RunBusy": "store",
    "RunSpec": "plan",
    "RunStore": "store",
    "Study": "study_run",
    "StudyResult": "study_results",
    "StudySpec": "study",
    "Work": "work",
    "carry_out": "run",
    "carry_out_study": "study_run",
    "compare_by_outcome": "behaviour_by_outcome",
    "estimate": "estimates",
    "export_runs": "export",
    "is_run": "store",
    "judge_agreement": "judge_agreements",
    "judge_recorded": "judged",
    "make_plan": "plan",
    "measure": "behaviour",
    "named_agent": "replaying",
    "need_ray": "ray_executor",
    "on_ray": "ray_executor",
    "open_study": "study_run",
    "plan_study": "study_run",
    "read_episode": "folder",
    "read_judgements": "judged",
    "read_study": "study",
    "replay_agent": "replaying",
    "reverify": "reverifying",
    "run_episode": "loop",
    "run_table": "episode_table",
    "runs_in": "store",
    "start_run": "run",
    "start_study": "study_run",
    "study_result": "study_results",
    "watch_runs": "behaviour_by_outcome",
    "write_changes": "reverifying",
}

__getattr__ = late_names(__name__, _LATE)
