"""What a study is: agents under several conditions on the same configurations, as a file says it and as runs do it."""

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
"""The condition that needs no words: nothing is changed."""

_MAX_FILE = 1 << 20
_INTERVENTIONS: dict[str, type[Record]] = {
    kind.model_fields["name"].default: kind for kind in get_args(get_args(Intervention)[0])
}


class ConditionSpec(Record):
    """One way of running the agents."""

    name: str = Field(description="how tables call it")
    interventions: tuple[Intervention, ...] = Field((), description="all that is changed, in order")
    base: str = Field("", description="the condition that it is compared with; the baseline unless named")
    iterations: int = Field(1, ge=1, le=20, description="of a learned plan: each learns from the one before")

    @property
    def learns(self) -> bool:
        """Whether it needs earlier runs."""
        return any(isinstance(one, LearnedPlan) for one in self.interventions)


class StudySpec(Record):
    """The words of a study; written into its folder, and never changed."""

    format: Literal[1] = 1
    title: str = Field("", max_length=200)
    worlds: tuple[str, ...] = Field(min_length=1, description="suites, apps, scenarios or configurations")
    agents: tuple[str, ...] = Field(min_length=1)
    rollouts: int = Field(3, ge=1, le=1000, description="attempts at each configuration; the k of Pass^k")
    configs: int = Field(4, ge=0, description="configurations per scenario; 0 for all")
    design: Design = Field("random", description="how they are chosen: at random, or one axis at a time from a base")
    axes: tuple[str, ...] = Field(AXES, description="the axes that are varied; others stay at their first value")
    seed: int = Field(0, ge=0)
    budget: Budget = Budget()
    retries: int = Field(2, ge=0, le=100, description="how often an errored episode is tried again")
    agent_errors: Literal["failed", "excluded"] = Field(
        "failed", description="what becomes of an episode that the agent broke off, or whose seat it broke"
    )
    runner: str | None = None
    observe: tuple[str, ...] = Field((), description="what agents observe; empty: what each asks for itself")
    home: str = Field("", description="the folder that Python agents are looked for in; empty: the current one")
    baseline: str = Field(BASELINE, description="the condition that others are compared with")
    conditions: tuple[ConditionSpec, ...] = ()

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        _refuse_twice("worlds", self.worlds)
        _refuse_twice("agents", self.agents)
        _refuse_twice("conditions", [one.name for one in self.conditions])
        known = [one.name for one in self.everything]
        if self.baseline not in known:
            raise _found(unknown("condition", self.baseline, known), "baseline")
        if len(known) == 1:
            raise _found(
                InvalidInput("a study needs a condition besides its baseline", fix="add a [[conditions]] table"),
                "conditions",
            )
        for one in self.everything:
            _check_condition(one, self)
        _refuse_twice("conditions", [run for one in self.everything for run in _names(one)])
        return self

    @property
    def everything(self) -> tuple[ConditionSpec, ...]:
        """All conditions, the baseline first; it is implied where none has its name and it has no other."""
        named = {one.name: one for one in self.conditions}
        if self.baseline == BASELINE:
            named.setdefault(BASELINE, ConditionSpec(name=BASELINE))
        return tuple(sorted(named.values(), key=lambda one: one.name != self.baseline))


@dataclass(frozen=True)
class StudyRun:
    """One run of a study.

    Attributes:
        agent: Who.
        condition: Its name: the condition's, with the iteration where there are iterations.
        base: The name of what it is compared with; "" for the baseline.
        folder: Below the study's.
        learns_from: Folders of the runs that must be there before, below the study's.
        spec: What the run is asked for.
    """

    agent: str
    condition: str
    base: str
    folder: str
    learns_from: tuple[str, ...]
    spec: RunSpec = field(hash=False)  # which holds a price table


def read_study(path: Path) -> StudySpec:
    """Reads a study's file strictly.

    Raises:
        InvalidInput: When it cannot be read, is no TOML, or says something that is not known or makes no sense.
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
    """Every run of a study, in order of need: what others learn from comes before them.

    All have the same worlds, seed and rollouts, and so the same configurations.
    """
    ordered = sorted(spec.everything, key=lambda one: (one.learns, len(_bases(one, spec))))  # in the file's order else
    places = _slugs(spec.agents)
    found = []
    for agent in spec.agents:
        for condition in ordered:
            base = "" if condition.name == spec.baseline else condition.base or spec.baseline
            earlier = [base]
            for name in _names(condition):
                sources: tuple[str, ...] = ()
                if condition.learns:
                    sources = tuple(f"runs/{places[agent]}/{one}" for one in earlier)
                found.append(
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
    return tuple(found)


def _run_spec(spec: StudySpec, agent: str, name: str, condition: ConditionSpec, earlier: list[str]) -> RunSpec:
    # Runs lie side by side, so a study's folder can be moved.
    runs = tuple(f"../{one}" for one in earlier)
    interventions = tuple(
        one.model_copy(update={"runs": runs}) if isinstance(one, LearnedPlan) else one
        for one in condition.interventions
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


def _check_condition(one: ConditionSpec, spec: StudySpec) -> None:
    where = f"conditions.{one.name}"
    try:
        check_name("condition", one.name)
    except InvalidInput as error:
        raise _found(error, where) from None
    known = {other.name: other for other in spec.everything}
    if one.base and one.base not in known:
        raise _found(unknown("condition", one.base, known.keys() - {one.name}), f"{where}.base")
    if one.name == spec.baseline and (one.base or one.learns):
        raise _found(InvalidInput("the baseline has no base, and no runs to learn from"), where)
    if _bases(one, spec)[-1:] == [one.name]:
        raise _found(InvalidInput("the bases lead in a circle"), f"{where}.base")
    if one.base and known[one.base].learns:
        raise _found(
            InvalidInput(f"{one.base!r} learns from runs itself", fix="raise its iterations instead"), f"{where}.base"
        )
    if one.iterations > 1 and not one.learns:
        raise _found(InvalidInput("only learned plans have iterations"), f"{where}.iterations")
    for intervention in one.interventions:
        if isinstance(intervention, LearnedPlan) and intervention.runs:
            raise _found(
                InvalidInput("a study knows which runs came before", fix="leave `runs` out"), f"{where}.learned-plan"
            )


def _bases(one: ConditionSpec, spec: StudySpec) -> list[str]:
    """What a condition is based on, what that is based on, and so on; ends with a name that came before in a circle."""
    known = {other.name: other for other in spec.everything}
    found: list[str] = []
    here = one
    while here.name != spec.baseline and here.base in ("", *known):
        found.append(here.base or spec.baseline)
        if found[-1] == one.name or found[-1] in found[:-1]:
            break
        here = known[found[-1]]
    return found


def _refuse_twice(where: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise _found(InvalidInput(f"{name!r} is there twice"), where)
        seen.add(name)


def _found(error: InvalidInput, where: str) -> InvalidInput:
    return InvalidInput(f"{where}: {error.message}", fix=error.fix)


def _refuse_unknown(data: Mapping[str, Any], where: str) -> None:
    """Refuses keys that nothing answers to, with the nearest known one, before values are looked at."""
    _refuse_keys(data, StudySpec, where)
    _refuse_keys(data.get("budget"), Budget, f"{where}: budget")
    conditions = data.get("conditions")
    if isinstance(conditions, dict):
        raise InvalidInput(f"{where}: conditions: expected a list", fix="write [[conditions]] with two brackets")
    for number, condition in enumerate(conditions if isinstance(conditions, list) else ()):
        here = f"{where}: conditions[{number}]"
        _refuse_keys(condition, ConditionSpec, here)
        listed = condition.get("interventions") if isinstance(condition, dict) else None
        for place, one in enumerate(listed if isinstance(listed, list) else ()):
            there = f"{here}.interventions[{place}]"
            name = one.get("name") if isinstance(one, dict) else None
            if not isinstance(name, str):
                raise InvalidInput(f"{there}: expected a table with a name", fix='such as { name = "deterministic" }')
            if name not in _INTERVENTIONS:
                error = unknown("intervention", name, _INTERVENTIONS)
                raise InvalidInput(f"{there}: {error.message}", fix=error.fix)
            _refuse_keys(one, _INTERVENTIONS[name], there)


def _refuse_keys(data: Any, kind: type[Record], where: str) -> None:
    for key in data if isinstance(data, dict) else ():
        if key not in kind.model_fields:
            error = unknown("key", key, kind.model_fields)
            raise InvalidInput(f"{where}: {error.message}", fix=error.fix)


def _slugs(agents: Iterable[str]) -> dict[str, str]:
    """A folder's name for each agent, no two alike."""
    found: dict[str, str] = {}
    for agent in agents:
        plain = re.sub(r"[^a-z0-9.]+", "-", agent.lower()).strip("-.")[:60] or "agent"
        name, number = plain, 2
        while name in found.values():
            name, number = f"{plain}-{number}", number + 1
        found[agent] = name
    return found
