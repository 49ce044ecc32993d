"""A study carried out: its runs one after the other, resumed from wherever they were stopped."""

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
"""What the study was asked for; there from the beginning, and never changed."""

_MAX_PLAN = 4 << 20


class _Written(Record):
    """The content of `plan.json`."""

    study: StudySpec


@dataclass(frozen=True)
class Study:
    """A study that was begun.

    Attributes:
        folder: Where it is.
        spec: What was asked for.
        runs: What that means, in order of need.
    """

    folder: Path
    spec: StudySpec
    runs: tuple[StudyRun, ...]

    def place(self, run: StudyRun) -> Path:
        """The folder of a run."""
        return self.folder / run.folder


def start_study(folder: Path, spec: StudySpec) -> Study:
    """Writes a study down in a folder that is empty or absent; `carry_out_study` does it."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        fix = "choose another folder, or `fairground study --resume` it"
        raise InvalidInput(f"{folder} is not empty", fix=fix)
    write_whole(folder / PLAN, dumps(_Written(study=spec), indent=2))
    return Study(folder, spec, study_runs(spec))


def open_study(folder: Path) -> Study:
    """A study that was begun before."""
    if not (folder / PLAN).is_file():
        raise InvalidInput(f"{folder} is no study: it has no {PLAN}", fix="give the folder that `study` wrote")
    spec = read_record(_Written, read_inside(folder, PLAN, limit=_MAX_PLAN), where=str(folder / PLAN)).study
    if "agent_errors" not in spec.model_fields_set:  # from before there was a choice: they were left out of the score
        spec = spec.model_copy(update={"agent_errors": "excluded"})
    return Study(folder, spec, study_runs(spec))


@dataclass(frozen=True)
class PlannedStudy:
    """What a study will do.

    Attributes:
        plans: The episodes of each run.
        notes: What a person should know before it starts.
    """

    plans: dict[StudyRun, tuple[Planned, ...]]
    notes: tuple[str, ...]

    @property
    def episodes(self) -> int:
        """How many there are in all."""
        return sum(map(len, self.plans.values()))


def plan_study(spec: StudySpec) -> PlannedStudy:
    """Works out every run, and raises before anything starts for what could not be carried out.

    Raises:
        UnknownName: A world or an agent that nothing answers to.
        MissingPrerequisite: An agent or a model without its SDK or its key; nothing is asked of a server.
    """
    for name in spec.agents:
        agent = named_agent(name, home=Path(spec.home) if spec.home else None)
        if isinstance(agent, Checkable):
            agent.check()
        if spec.budget.dollars is not None and isinstance(agent, ModelAgent) and agent.price is None:
            raise InvalidInput(
                f"a budget of ${spec.budget.dollars:g} cannot be kept: no price of {name} is known",
                fix="name a price table in FAIRGROUND_PRICES, or give a budget in tokens instead",
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
    """Does what a study still lacks. May be stopped at any instant, and called again.

    Args:
        study: Which.
        workers: Processes of the local executor.
        make_executor: Who carries out a run, such as a cluster; processes on this machine unless given.
        on_run: Told of each run before it goes on.
        on_event: Told of every end of an attempt.

    Returns:
        Runs that were not begun, because what they learn from has not ended: its money was spent.
    """
    waiting = []
    for run in study.runs:
        if not all(_ended(study.folder / one) for one in run.learns_from):
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
        # What a kill left before the run was there; a run appears whole.
        for left in folder.glob(".run.sqlite.tmp*"):
            left.unlink()
        return start_run(folder, run.spec)
    store = RunStore.open(folder, write=True)
    if store.spec != run.spec:
        store.close()
        raise InvalidInput(f"{folder}: this run was not planned by its study", fix="move it elsewhere, and go on")
    return store


def _take_over(study: Study, run: StudyRun) -> None:
    """What the base was told is told again where both have the same intervention, so that only the rest differs."""
    base = next((one for one in study.runs if (one.agent, one.condition) == (run.agent, run.base)), None)
    if base is None or not is_run(study.place(base)):
        return
    source, target = study.place(base), study.place(run)
    shared = [one for one in run.spec.interventions if one in base.spec.interventions]
    if any(isinstance(one, Clarified) for one in shared):
        for name, said in read_clarifications(source).items():
            keep_clarification(target, name, lambda said=said: said)  # type: ignore[misc]
    if any(isinstance(one, FixedPlan) for one in shared):
        for name, plan in read_plans(source).items():
            keep_plan(target, name, lambda plan=plan: plan)  # type: ignore[misc]


def _ended(folder: Path) -> bool:
    if not is_run(folder):
        return False
    with RunStore.open(folder) as store:
        return next(iter(store.unfinished()), None) is None
