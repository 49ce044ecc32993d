"""What a run will do, worked out before it starts: the same for the same words and seed, on every machine."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import Field, model_validator

from fairground.agents.builtin import MODELS
from fairground.agents.greedy import greedy_note
from fairground.agents.models import Price
from fairground.core import AXES, Configuration, Record, unknown
from fairground.env import check_observations
from fairground.rollout.interventions.spec import Deterministic, Intervention, Perturbed
from fairground.worlds import Design, Suite, World, derived_seed, installed, select, suite_of, suites


class Budget(Record):
    """What an attempt, or a whole run, may use; null is no limit of ours (scenarios have their own)."""

    steps: int | None = Field(None, ge=1, description="actions an episode; never more than the scenario's own budget")
    seconds: float | None = Field(None, gt=0, description="an episode, from its first frame on")
    tokens: int | None = Field(None, ge=1, description="of models, an episode: of the agent and of its advisers")
    dollars: float | None = Field(None, gt=0, description="the whole run")


class RunSpec(Record):
    """The words a run was asked for in; written into its folder, and never changed."""

    format: Literal[1] = 1
    worlds: tuple[str, ...] = Field(min_length=1, description="suites, apps, scenarios or configurations")
    agent: str
    condition: str = Field("", description="how tables call it; the names of the interventions unless given")
    interventions: tuple[Intervention, ...] = Field((), description="what is changed about how the agent is run")
    rollouts: int = Field(3, ge=1, le=100_000, description="attempts at each configuration")
    configs: int | None = Field(4, ge=1, description="configurations per scenario; null for all")
    design: Design = Field("random", description="how they are chosen: at random, or one axis at a time from a base")
    axes: tuple[str, ...] = Field(AXES, description="the axes that are varied; others stay at their first value")
    seed: int = Field(0, ge=0)
    budget: Budget = Budget()
    retries: int = Field(2, ge=0, le=100, description="how often an errored episode is tried again")
    agent_errors: Literal["failed", "excluded"] = Field(
        "failed", description="what becomes of an episode that the agent broke off, or whose seat it broke"
    )
    prices: dict[str, Price] = Field({}, description="of models, in place of those that the workers know")
    runner: str | None = None
    video: bool = False
    observe: tuple[str, ...] = Field((), description="what the agent observes; empty: what it asks for itself")
    home: str = Field("", description="the folder that a Python agent is looked for in; empty: the current one")

    @model_validator(mode="before")
    @classmethod
    def _name_condition(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("interventions") and not data.get("condition"):
            listed = data["interventions"]
            names = [one.get("name", "") if isinstance(one, dict) else getattr(one, "name", "") for one in listed]
            return {**data, "condition": "+".join(map(str, names))}
        return data

    @classmethod
    def stored(cls, data: Any) -> RunSpec:
        """Reads what a run's index holds; runs from before there was a choice left agent errors out of the score."""
        return cls.parse({"agent_errors": "excluded", **data} if isinstance(data, dict) else data, where="spec")

    def has(self, kind: type[Record]) -> bool:
        """Whether an intervention of this kind is among those of the run."""
        return any(isinstance(one, kind) for one in self.interventions)


class Planned(Record):
    """One episode to come."""

    number: int = Field(ge=0)
    configuration: str
    rollout: int = Field(ge=0)
    seed: int = Field(ge=0)
    paired_with: str = Field("", description="the configuration it stands for where another is run; empty: its own")

    @property
    def pairing(self) -> str:
        """The configuration that statistics count this episode under, the same in every condition of a study."""
        return self.paired_with or self.configuration


def make_plan(spec: RunSpec) -> tuple[Planned, ...]:
    """Every episode of a run, rollouts of one configuration side by side so that seats stay warm.

    Which configurations of a scenario are drawn depends on the seed and on that scenario alone: adding an app to a run
    changes nothing in the others. Nor do interventions change what is drawn, so runs of two conditions are paired.
    """
    check_observations(spec.observe)
    planned: list[Planned] = []
    drawn = select(*spec.worlds).sample(spec.configs, axes=spec.axes, seed=spec.seed, design=spec.design)
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


def plan_notes(spec: RunSpec, plan: Sequence[Planned]) -> tuple[str, ...]:
    """What a person should know of a plan before it starts: where an intervention does less than its name says."""
    notes = [greedy_note(spec.agent)] if spec.has(Deterministic) else []
    notes += [excluded_note(spec)] if spec.agent_errors == "excluded" else []
    unseen = [name for name in spec.observe if name not in ("screen", "cursor")]
    if unseen and spec.agent.partition(":")[0] in MODELS:
        notes.append(f"{' and '.join(unseen)}: recorded, but models are shown the screen only")
    if spec.has(Perturbed):
        apps = dict.fromkeys(tuple(one.pairing.split("/", 2)[:2]) for one in plan)
        alone = [f"{suite}/{app}" for suite, app in apps if len(_suite(suite, spec.worlds).app(app).themes) == 1]
        notes += [f"perturbed changes nothing in {app}: it has one theme" for app in alone]
    return tuple(note for note in notes if note)


def excluded_note(spec: RunSpec) -> str:
    """What to say wherever a score is shown that leaves errors of the agent out."""
    who = f"{spec.agent} [{spec.condition}]" if spec.condition else spec.agent
    return f"agent errors were excluded from the score of {who} (--agent-errors excluded)"


def world_for(configuration: Configuration, spec: RunSpec, *, seed: int) -> World:
    """The world of an episode, also where the run was given a folder with a `world.toml` instead of a suite.

    Raises:
        InvalidInput: When the world is gone: no suite, scenario or axis value of that name any more.
    """
    return World.of(_suite(configuration.suite, spec.worlds), configuration, seed)


def _suite(name: str, worlds: Sequence[str]) -> Suite:
    if (found := installed(name)) is not None:
        return found
    for text in worlds:
        if installed(text.partition("/")[0]) is None and (suite := suite_of(text)[0]).name == name:
            return suite
    raise unknown("suite", name, suites())


def _looks(drawn: Configuration, spec: RunSpec) -> Iterator[Configuration]:
    """The drawn configuration, then it in other themes: each once before any comes again."""
    others = [name for name in _suite(drawn.suite, spec.worlds).app(drawn.app).themes if name != drawn.theme]
    random.Random(derived_seed(spec.seed, drawn.id, -2)).shuffle(others)
    for theme in itertools.cycle([drawn.theme, *others]):
        yield drawn.model_copy(update={"theme": theme})
