"""Execute a study: its runs one after the other, resumable at any point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fairground.agents import Checkable
from fairground.agents.models import ModelAgent
from fairground.core import InvalidInput, Record
from fairground.rollout.disk import read_inside, write_whole, writing
from fairground.rollout.executor import Executor
from fairground.rollout.interventions.checking import check_interventions
from fairground.rollout.interventions.kept import keep_clarification, keep_plan, read_clarifications, read_plans
from fairground.rollout.interventions.spec import Clarified, FixedPlan
from fairground.rollout.plan import Planned, make_plan, plan_notes
from fairground.rollout.replaying import named_agent
from fairground.rollout.run import Event, carry_out, start_run
from fairground.rollout.store import RunStore, is_run
from fairground.rollout.strictjson import dumps, read_record
from fairground.rollout.study import StudyRun, StudySpec, study_runs

PLAN = "plan.json"
"""File with the study's specification. Written at the start and never changed."""

_MAX_PLAN = 4 << 20


class _Written(Record):
    """The content of `plan.json`."""

    study: StudySpec


@dataclass(frozen=True)
class Study:
    """A study that was started.

    Attributes:
        folder: The study's folder.
        spec: Its specification.
        runs: Its runs. Runs that others learn from come first.
    """

    folder: Path
    spec: StudySpec
    runs: tuple[StudyRun, ...]

    def place(self, run: StudyRun) -> Path:
        """Return the folder of a run."""
        return self.folder / run.folder


def start_study(folder: Path, spec: StudySpec) -> Study:
    """Write a study into a folder that is empty or does not exist. `carry_out_study` executes it."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        fix = "choose another folder, or continue this study with `fairground study --resume`"
        raise InvalidInput(f"{folder} is not empty", fix=fix)
    write_whole(folder / PLAN, dumps(_Written(study=spec), indent=2))
    return Study(folder, spec, study_runs(spec))


def open_study(folder: Path) -> Study:
    """Open a study that was started before."""
    if not (folder / PLAN).is_file():
        raise InvalidInput(
            f"{folder} is not a study: it has no {PLAN}", fix="give the folder that `fairground study` wrote"
        )
    spec = read_record(_Written, read_inside(folder, PLAN, limit=_MAX_PLAN), where=str(folder / PLAN)).study
    if "agent_errors" not in spec.model_fields_set:  # older than this option: agent errors were excluded from the score
        spec = spec.model_copy(update={"agent_errors": "excluded"})
    return Study(folder, spec, study_runs(spec))


@dataclass(frozen=True)
class PlannedStudy:
    """What a study will run.

    Attributes:
        plans: The episodes of each run.
        notes: Notes to show before it starts.
    """

    plans: dict[StudyRun, tuple[Planned, ...]]
    notes: tuple[str, ...]

    @property
    def episodes(self) -> int:
        """Total number of episodes."""
        return sum(map(len, self.plans.values()))


def plan_study(spec: StudySpec) -> PlannedStudy:
    """Plan every run. Raises an error before anything starts for what could not be executed.

    Raises:
        UnknownName: If a world or an agent does not exist.
        MissingPrerequisite: If an agent or a model lacks its SDK or API key. No server is contacted.
    """
    for name in spec.agents:
        agent = named_agent(name, home=Path(spec.home) if spec.home else None)
        if isinstance(agent, Checkable):
            agent.check()
        if spec.budget.dollars is not None and isinstance(agent, ModelAgent) and agent.price is None:
            raise InvalidInput(
                f"a budget of ${spec.budget.dollars:g} cannot be enforced: no price is known for {name}",
                fix="set FAIRGROUND_PRICES to a price table, or give a budget in tokens instead",
            )
    plans, notes = {}, dict[str, None]()
    for run in study_runs(spec):
        check_interventions(run.spec.interventions)
        plans[run] = make_plan(run.spec)
        notes |= dict.fromkeys(plan_notes(run.spec, plans[run]))
    return PlannedStudy(plans, tuple(notes))


def carry_out_study(
    study: Study,
    *,
    workers: int = 2,
    make_executor: Callable[[RunStore], Executor] | None = None,
    on_run: Callable[[StudyRun, RunStore], None] | None = None,
    on_event: Callable[[StudyRun, Event], None] | None = None,
) -> tuple[StudyRun, ...]:
    """Execute the remaining episodes of a study. May be stopped at any time and called again.

    Args:
        study: The study.
        workers: Number of local worker processes.
        make_executor: Creates the executor of a run, such as for a cluster. Default: local worker processes.
        on_run: Called before each run starts or continues.
        on_event: Called at the end of every attempt.

    Returns:
        Runs that were not started, because the runs they learn from have not ended (their budget was used up).
    """
    waiting = []
    for run in study.runs:
        if not all(_ended(study.folder / source) for source in run.learns_from):
            waiting.append(run)
            continue
        with _store(study.place(run), run) as store:
            _take_over(study, run)
            if on_run is not None:
                on_run(run, store)
            carry_out(
                store,
                workers=workers,
                executor=make_executor(store) if make_executor is not None else None,
                on_event=(lambda event, run=run: on_event(run, event)) if on_event is not None else None,  # type: ignore[misc]
            )
    return tuple(waiting)


def _store(folder: Path, run: StudyRun) -> RunStore:
    if not is_run(folder):
        # Remove what a killed process left: the index of a run appears atomically.
        for left in folder.glob(".run.sqlite.tmp*"):
            left.unlink()
        return start_run(folder, run.spec)
    store = RunStore.open(folder, write=True)
    if store.spec != run.spec:
        store.close()
        raise InvalidInput(
            f"{folder}: this run does not match the study's plan", fix="move it elsewhere, then continue the study"
        )
    return store


def _take_over(study: Study, run: StudyRun) -> None:
    """Reuse the base's plans and clarifications where both have the same intervention.

    So the two conditions differ only in the rest.
    """
    base = next((each for each in study.runs if (each.agent, each.condition) == (run.agent, run.base)), None)
    if base is None or not is_run(study.place(base)):
        return
    source, target = study.place(base), study.place(run)
    shared = [intervention for intervention in run.spec.interventions if intervention in base.spec.interventions]
    if any(isinstance(intervention, Clarified) for intervention in shared):
        for name, said in read_clarifications(source).items():
            keep_clarification(target, name, lambda said=said: said)  # type: ignore[misc]
    if any(isinstance(intervention, FixedPlan) for intervention in shared):
        for name, plan in read_plans(source).items():
            keep_plan(target, name, lambda plan=plan: plan)  # type: ignore[misc]


def _ended(folder: Path) -> bool:
    if not is_run(folder):
        return False
    with RunStore.open(folder) as store:
        return next(iter(store.unfinished()), None) is None
