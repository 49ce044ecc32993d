"""Studies: agents under several conditions on the same configurations. The study file, and the runs it defines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import Field, model_validator

from fairground.core import AXES, InvalidInput, Record, check_name, unknown
from fairground.rollout.interventions.spec import Intervention, LearnedPlan
from fairground.rollout.plan import Budget, RunSpec
from fairground.worlds import Design

BASELINE = "baseline"
"""Default name of the condition without interventions."""

_MAX_FILE = 1 << 20
_INTERVENTIONS: dict[str, type[Record]] = {
    kind.model_fields["name"].default: kind for kind in get_args(get_args(Intervention)[0])
}


class ConditionSpec(Record):
    """One condition: a way of running the agents."""

    name: str = Field(description="name in tables")
    interventions: tuple[Intervention, ...] = Field((), description="changes to how agents are run, in order")
    base: str = Field("", description="the condition it is compared with; default: the baseline")
    iterations: int = Field(1, ge=1, le=20, description="iterations of a learned plan; each learns from the one before")

    @property
    def learns(self) -> bool:
        """Whether it learns from earlier runs."""
        return any(isinstance(intervention, LearnedPlan) for intervention in self.interventions)


class StudySpec(Record):
    """Specification of a study. It is written into the study's folder and never changed."""

    format: Literal[1] = Field(1, description="version of the file format")
    title: str = Field("", max_length=200, description="title of the report")
    worlds: tuple[str, ...] = Field(min_length=1, description="suites, apps, scenarios or configurations")
    agents: tuple[str, ...] = Field(min_length=1, description="names of agents; each runs under every condition")
    rollouts: int = Field(3, ge=1, le=1000, description="attempts per configuration; the k of Pass^k")
    configs: int = Field(4, ge=0, description="configurations per scenario; 0 for all")
    design: Design = Field(
        "random", description="how configurations are chosen: at random, or one axis at a time from a base"
    )
    axes: tuple[str, ...] = Field(AXES, description="axes to vary; the others stay at their first value")
    seed: int = Field(0, ge=0, description="random seed of the plan; the same seed gives the same plan")
    budget: Budget = Field(Budget(), description="limits of each episode and of each run")
    retries: int = Field(2, ge=0, le=100, description="maximum number of retries of an errored episode")
    agent_errors: Literal["failed", "excluded"] = Field(
        "failed", description="outcome of an episode that the agent aborted, or whose seat it broke"
    )
    runner: str | None = Field(None, description="sandbox runner; null: namespace where possible, else bare")
    observe: tuple[str, ...] = Field((), description="what agents observe; empty: each agent's own choice")
    home: str = Field("", description="folder to import Python agents from; empty: the current one")
    baseline: str = Field(BASELINE, description="the condition that the others are compared with")
    conditions: tuple[ConditionSpec, ...] = Field((), description="what is changed: the interventions of each run")

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        _refuse_twice("worlds", self.worlds)
        _refuse_twice("agents", self.agents)
        _refuse_twice("conditions", [condition.name for condition in self.conditions])
        known = [condition.name for condition in self.everything]
        if self.baseline not in known:
            raise _found(unknown("condition", self.baseline, known), "baseline")
        if len(known) == 1:
            raise _found(
                InvalidInput("a study needs a condition besides its baseline", fix="add a [[conditions]] table"),
                "conditions",
            )
        for each in self.everything:
            _check_condition(each, self)
        _refuse_twice("conditions", [run for condition in self.everything for run in _names(condition)])
        return self

    @property
    def everything(self) -> tuple[ConditionSpec, ...]:
        """All conditions, baseline first. The default baseline is added if no condition has its name."""
        named = {condition.name: condition for condition in self.conditions}
        if self.baseline == BASELINE:
            named.setdefault(BASELINE, ConditionSpec(name=BASELINE))
        return tuple(sorted(named.values(), key=lambda condition: condition.name != self.baseline))


@dataclass(frozen=True)
class StudyRun:
    """One run of a study.

    Attributes:
        agent: Agent name.
        condition: Name of the condition, with the iteration if there are iterations.
        base: Name of the condition it is compared with; "" for the baseline.
        folder: Folder, relative to the study's.
        learns_from: Folders of the runs that must have ended before, relative to the study's.
        spec: The run's specification.
    """

    agent: str
    condition: str
    base: str
    folder: str
    learns_from: tuple[str, ...]
    spec: RunSpec = field(hash=False)  # contains an unhashable price table


def read_study(path: Path) -> StudySpec:
    """Read a study file strictly.

    Raises:
        InvalidInput: If it cannot be read, is not TOML, or has unknown or contradictory content.
    """
    try:
        if path.stat().st_size > _MAX_FILE:
            raise InvalidInput(f"{path} is larger than {_MAX_FILE >> 20} MB")
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}", fix="give the file of a study") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8: {error}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}") from None
    _refuse_unknown(data, path.name)
    return StudySpec.parse(data, where=path.name)


def study_runs(spec: StudySpec) -> tuple[StudyRun, ...]:
    """Return every run of a study. Runs that others learn from come first.

    All have the same worlds, seed and rollouts, and so the same configurations.
    """
    ordered = sorted(
        spec.everything, key=lambda each: (each.learns, len(_bases(each, spec)))
    )  # otherwise in the file's order
    places = _slugs(spec.agents)
    runs = []
    for agent in spec.agents:
        for condition in ordered:
            base = "" if condition.name == spec.baseline else condition.base or spec.baseline
            earlier = [base]
            for name in _names(condition):
                sources: tuple[str, ...] = ()
                if condition.learns:
                    sources = tuple(f"runs/{places[agent]}/{source}" for source in earlier)
                runs.append(
                    StudyRun(
                        agent=agent,
                        condition=name,
                        base=base,
                        folder=f"runs/{places[agent]}/{name}",
                        learns_from=sources,
                        spec=_run_spec(spec, agent, name, condition, earlier),
                    )
                )
                earlier.append(name)
    return tuple(runs)


def _run_spec(spec: StudySpec, agent: str, name: str, condition: ConditionSpec, earlier: list[str]) -> RunSpec:
    # Runs are side by side, so a study's folder can be moved.
    runs = tuple(f"../{source}" for source in earlier)
    interventions = tuple(
        intervention.model_copy(update={"runs": runs}) if isinstance(intervention, LearnedPlan) else intervention
        for intervention in condition.interventions
    )
    return RunSpec(
        worlds=spec.worlds,
        agent=agent,
        condition=name,
        interventions=interventions,
        rollouts=spec.rollouts,
        configs=spec.configs or None,
        design=spec.design,
        axes=spec.axes,
        seed=spec.seed,
        budget=spec.budget,
        retries=spec.retries,
        agent_errors=spec.agent_errors,
        runner=spec.runner,
        observe=spec.observe,
        home=spec.home,
    )


def _names(condition: ConditionSpec) -> list[str]:
    if not condition.learns:
        return [condition.name]
    return [f"{condition.name}-iteration-{number}" for number in range(1, condition.iterations + 1)]


def _check_condition(condition: ConditionSpec, spec: StudySpec) -> None:
    where = f"conditions.{condition.name}"
    try:
        check_name("condition", condition.name)
    except InvalidInput as error:
        raise _found(error, where) from None
    known = {each.name: each for each in spec.everything}
    if condition.base and condition.base not in known:
        raise _found(unknown("condition", condition.base, known.keys() - {condition.name}), f"{where}.base")
    if condition.name == spec.baseline and (condition.base or condition.learns):
        raise _found(InvalidInput("the baseline must have neither a base nor a learned plan"), where)
    if _bases(condition, spec)[-1:] == [condition.name]:
        raise _found(InvalidInput("the bases form a cycle"), f"{where}.base")
    if condition.base and known[condition.base].learns:
        raise _found(
            InvalidInput(f"{condition.base!r} is itself a learned plan", fix="increase its iterations instead"),
            f"{where}.base",
        )
    if condition.iterations > 1 and not condition.learns:
        raise _found(InvalidInput("only learned plans have iterations"), f"{where}.iterations")
    for intervention in condition.interventions:
        if isinstance(intervention, LearnedPlan) and intervention.runs:
            raise _found(
                InvalidInput("a study chooses the runs to learn from itself", fix="remove `runs`"),
                f"{where}.learned-plan",
            )


def _bases(condition: ConditionSpec, spec: StudySpec) -> list[str]:
    """Return the chain of bases of a condition. In a cycle, it ends with a name that came before."""
    known = {each.name: each for each in spec.everything}
    chain: list[str] = []
    here = condition
    while here.name != spec.baseline and here.base in ("", *known):
        chain.append(here.base or spec.baseline)
        if chain[-1] == condition.name or chain[-1] in chain[:-1]:
            break
        here = known[chain[-1]]
    return chain


def _refuse_twice(where: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise _found(InvalidInput(f"{name!r} is given twice"), where)
        seen.add(name)


def _found(error: InvalidInput, where: str) -> InvalidInput:
    return InvalidInput(f"{where}: {error.message}", fix=error.fix)


def _refuse_unknown(data: Mapping[str, Any], where: str) -> None:
    """Reject unknown keys and suggest the nearest known one, before values are validated."""
    _refuse_keys(data, StudySpec, where)
    _refuse_keys(data.get("budget"), Budget, f"{where}: budget")
    conditions = data.get("conditions")
    if isinstance(conditions, dict):
        raise InvalidInput(f"{where}: conditions: expected a list", fix="write [[conditions]] with two brackets")
    for number, condition in enumerate(conditions if isinstance(conditions, list) else ()):
        here = f"{where}: conditions[{number}]"
        _refuse_keys(condition, ConditionSpec, here)
        listed = condition.get("interventions") if isinstance(condition, dict) else None
        for place, entry in enumerate(listed if isinstance(listed, list) else ()):
            there = f"{here}.interventions[{place}]"
            name = entry.get("name") if isinstance(entry, dict) else None
            if not isinstance(name, str):
                raise InvalidInput(
                    f"{there}: expected a table with a name", fix='write for example { name = "deterministic" }'
                )
            if name not in _INTERVENTIONS:
                error = unknown("intervention", name, _INTERVENTIONS)
                raise InvalidInput(f"{there}: {error.message}", fix=error.fix)
            _refuse_keys(entry, _INTERVENTIONS[name], there)


def _refuse_keys(data: Any, kind: type[Record], where: str) -> None:
    for key in data if isinstance(data, dict) else ():
        if key not in kind.model_fields:
            error = unknown("key", key, kind.model_fields)
            raise InvalidInput(f"{where}: {error.message}", fix=error.fix)


def _slugs(agents: Iterable[str]) -> dict[str, str]:
    """Return a unique folder name for each agent."""
    names: dict[str, str] = {}
    for agent in agents:
        plain = re.sub(r"[^a-z0-9.]+", "-", agent.lower()).strip("-.")[:60] or "agent"
        name, number = plain, 2
        while name in names.values():
            name, number = f"{plain}-{number}", number + 1
        names[agent] = name
    return names
