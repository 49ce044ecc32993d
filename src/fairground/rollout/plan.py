"""Run plans: which episodes a run consists of. The same spec and seed give the same plan on every machine."""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field, model_validator

from fairground.agents.builtin import MODELS
from fairground.agents.greedy import greedy_note
from fairground.agents.models import Price
from fairground.core import AXES, Configuration, InvalidConfiguration, Record, unknown
from fairground.env import check_observations
from fairground.rollout.interventions.spec import Deterministic, Intervention, Perturbed
from fairground.worlds import Design, Selection, Suite, World, derived_seed, installed, select, suite_of, suites


class Budget(Record):
    """Limits of an attempt or a whole run. null means no additional limit; scenarios have their own."""

    steps: int | None = Field(None, ge=1, description="actions per episode; never more than the scenario's own budget")
    seconds: float | None = Field(None, gt=0, description="per episode, from its first frame")
    tokens: int | None = Field(
        None, ge=1, description="model tokens per episode, of the agent and its advisers together"
    )
    dollars: float | None = Field(None, gt=0, description="for the whole run")


class RunSpec(Record):
    """Specification of a run. It is written into the run's folder and never changed."""

    format: Literal[1] = Field(1, description="version of the file format")
    worlds: tuple[str, ...] = Field(min_length=1, description="suites, apps, scenarios or configurations")
    agent: str = Field(description="name of the agent, as given to `--agent`")
    condition: str = Field("", description="name in tables; default: the names of the interventions")
    interventions: tuple[Intervention, ...] = Field((), description="changes to how the agent is run")
    rollouts: int = Field(3, ge=1, le=100_000, description="attempts per configuration")
    configs: int | None = Field(4, ge=1, description="configurations per scenario; null for all")
    design: Design = Field(
        "random", description="how configurations are chosen: at random, or one axis at a time from a base"
    )
    axes: tuple[str, ...] = Field(AXES, description="axes to vary; the others stay at their first value")
    seed: int = Field(0, ge=0, description="random seed of the plan; the same seed gives the same plan")
    budget: Budget = Field(Budget(), description="limits of each episode and of the run")
    retries: int = Field(2, ge=0, le=100, description="maximum number of retries of an errored episode")
    agent_errors: Literal["failed", "excluded"] = Field(
        "failed", description="outcome of an episode that the agent aborted, or whose seat it broke"
    )
    prices: dict[str, Price] = Field({}, description="prices of models, overriding those that the workers know")
    runner: str | None = Field(None, description="sandbox runner; null: namespace where possible, else bare")
    video: bool = Field(False, description="whether a video of every episode is written")
    observe: tuple[str, ...] = Field((), description="what the agent observes; empty: the agent's own choice")
    home: str = Field("", description="folder to import a Python agent from; empty: the current one")
    split: str = Field("", description="file and side of the split that the worlds are restricted to")
    only: dict[str, dict[str, tuple[str, ...]]] = Field(
        {}, description="scenarios of that side, each with the allowed values of a held-out axis; empty: all"
    )

    @model_validator(mode="before")
    @classmethod
    def _name_condition(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("interventions") and not data.get("condition"):
            listed = data["interventions"]
            names = [item.get("name", "") if isinstance(item, dict) else getattr(item, "name", "") for item in listed]
            return {**data, "condition": "+".join(map(str, names))}
        return data

    @classmethod
    def stored(cls, data: Any) -> RunSpec:
        """Read the spec from a run's index.

        Runs older than the option `agent_errors` excluded agent errors from the score.
        """
        return cls.parse({"agent_errors": "excluded", **data} if isinstance(data, dict) else data, where="spec")

    def has(self, kind: type[Record]) -> bool:
        """Return whether the run has an intervention of this kind."""
        return any(isinstance(intervention, kind) for intervention in self.interventions)


class Planned(Record):
    """One planned episode of a run."""

    number: int = Field(ge=0, description="number of the episode in its run, from 0")
    configuration: str = Field(description="ID of the configuration")
    rollout: int = Field(ge=0, description="index of the attempt at this configuration, from 0")
    seed: int = Field(ge=0, description="random seed of the world and the agent")
    paired_with: str = Field("", description="the configuration it counts for, if another one is run; empty: its own")

    @property
    def pairing(self) -> str:
        """The configuration that this episode counts for in statistics, the same in every condition of a study."""
        return self.paired_with or self.configuration


def make_plan(spec: RunSpec) -> tuple[Planned, ...]:
    """Return every episode of a run. Rollouts of one configuration are adjacent, so that seats stay warm.

    The configurations drawn for a scenario depend only on the seed and that scenario: adding an app to a run does not
    change the others. Interventions do not change the draw either, so runs of two conditions are paired.
    """
    check_observations(spec.observe)
    planned: list[Planned] = []
    selection = restrict(select(*spec.worlds), spec.only)
    drawn = selection.sample(spec.configs, axes=spec.axes, seed=spec.seed, design=spec.design)
    for configuration in dict.fromkeys(drawn):
        shown = _looks(configuration, spec) if spec.has(Perturbed) else itertools.repeat(configuration)
        for rollout, actual in zip(range(spec.rollouts), shown, strict=False):
            planned.append(
                Planned(
                    number=len(planned),
                    configuration=actual.id,
                    rollout=rollout,
                    seed=derived_seed(spec.seed, configuration.id, 0 if spec.has(Deterministic) else rollout),
                    paired_with="" if actual == configuration else configuration.id,
                )
            )
    return tuple(planned)


def restrict(selection: Selection, only: Mapping[str, Mapping[str, Collection[str]]]) -> Selection:
    """Return the part of a selection with these scenarios, each with these values of its axes. Empty: all of it.

    Raises:
        InvalidConfiguration: Nothing is left.
    """
    if not only:
        return selection
    left = tuple(
        part for whole in selection.parts if whole.name in only and len(part := whole.pinned(only[whole.name]))
    )
    if not left:
        raise InvalidConfiguration(f"nothing of {selection.named} is left: none of it is among the allowed scenarios")
    return replace(selection, parts=left)


def plan_notes(spec: RunSpec, plan: Sequence[Planned]) -> tuple[str, ...]:
    """Return notes to show before a run starts, such as that an intervention has no effect in an app."""
    notes = [greedy_note(spec.agent)] if spec.has(Deterministic) else []
    notes += [excluded_note(spec)] if spec.agent_errors == "excluded" else []
    unseen = [name for name in spec.observe if name not in ("screen", "cursor")]
    if unseen and spec.agent.partition(":")[0] in MODELS:
        notes.append(f"{' and '.join(unseen)}: recorded, but models see only the screen")
    if spec.has(Perturbed):
        apps = dict.fromkeys(tuple(episode.pairing.split("/", 2)[:2]) for episode in plan)
        alone = [f"{suite}/{app}" for suite, app in apps if len(_suite(suite, spec.worlds).app(app).themes) == 1]
        notes += [f"perturbed has no effect in {app}: it has only one theme" for app in alone]
    return tuple(note for note in notes if note)


def excluded_note(spec: RunSpec) -> str:
    """Return the note to show with a score that excludes agent errors."""
    who = f"{spec.agent} [{spec.condition}]" if spec.condition else spec.agent
    return f"agent errors were excluded from the score of {who} (--agent-errors excluded)"


def world_for(configuration: Configuration, spec: RunSpec, *, seed: int) -> World:
    """Return the world of an episode, also if the run was given a folder with a `world.toml` instead of a suite.

    Raises:
        InvalidInput: If the suite, scenario or axis value no longer exists.
    """
    return World.of(_suite(configuration.suite, spec.worlds), configuration, seed)


def _suite(name: str, worlds: Sequence[str]) -> Suite:
    if (suite_installed := installed(name)) is not None:
        return suite_installed
    for text in worlds:
        if installed(text.partition("/")[0]) is None and (suite := suite_of(text)[0]).name == name:
            return suite
    raise unknown("suite", name, suites())


def _looks(drawn: Configuration, spec: RunSpec) -> Iterator[Configuration]:
    """Yield the drawn configuration, then the same in other themes, each once before any repeats."""
    themes = [name for name in _suite(drawn.suite, spec.worlds).app(drawn.app).themes if name != drawn.theme]
    random.Random(derived_seed(spec.seed, drawn.id, -2)).shuffle(themes)
    for theme in itertools.cycle([drawn.theme, *themes]):
        yield drawn.model_copy(update={"theme": theme})
