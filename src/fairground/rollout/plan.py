"""What a run will do, worked out before it starts: the same for the same words and seed, on every machine."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from fairground.core import AXES, Configuration, InvalidInput, Record, unknown
from fairground.worlds import Scenario, Suite, World, resolve, suites


class Budget(Record):
    """What an attempt, or a whole run, may use; null is no limit of ours (scenarios have their own)."""

    steps: int | None = Field(None, ge=1, description="actions an episode; never more than the scenario's own budget")
    seconds: float | None = Field(None, gt=0, description="an episode, from its first frame on")
    tokens: int | None = Field(None, ge=1, description="of a model, an episode")
    dollars: float | None = Field(None, gt=0, description="the whole run")


class RunSpec(Record):
    """The words a run was asked for in; written into its folder, and never changed."""

    format: Literal[1] = 1
    worlds: tuple[str, ...] = Field(min_length=1, description="suites, apps, scenarios or configurations")
    agent: str
    condition: str = Field("", description="the names of the interventions, in order")
    rollouts: int = Field(3, ge=1, le=100_000, description="attempts at each configuration")
    configs: int | None = Field(4, ge=1, description="configurations a scenario, drawn at random; null for all")
    axes: tuple[str, ...] = Field(AXES, description="the axes that are varied; others stay at their first value")
    seed: int = Field(0, ge=0)
    budget: Budget = Budget()
    retries: int = Field(2, ge=0, le=100, description="how often an errored episode is tried again")
    runner: str | None = None
    video: bool = False


class Planned(Record):
    """One episode to come."""

    number: int = Field(ge=0)
    configuration: str
    rollout: int = Field(ge=0)
    seed: int = Field(ge=0)


def make_plan(spec: RunSpec) -> tuple[Planned, ...]:
    """Every episode of a run, rollouts of one configuration side by side so that seats stay warm.

    Which configurations of a scenario are drawn depends on the seed and on that scenario alone: adding an app to a run
    changes nothing in the others.
    """
    for axis in spec.axes:
        if axis not in AXES:
            raise unknown("axis", axis, AXES)
    planned: list[Planned] = []
    seen: set[str] = set()
    for text in spec.worlds:
        for configuration in _configurations(text, spec):
            if configuration.id in seen:
                continue
            seen.add(configuration.id)
            for rollout in range(spec.rollouts):
                seed = _seed(spec.seed, configuration.id, rollout)
                planned.append(Planned(number=len(planned), configuration=configuration.id, rollout=rollout, seed=seed))
    return tuple(planned)


def world_for(configuration: Configuration, spec: RunSpec, *, seed: int) -> World:
    """The world of an episode, also where the run was given a folder with a `world.toml` instead of a suite.

    Raises:
        InvalidInput: When the world is gone: no suite, scenario or axis value of that name any more.
    """
    return World.of(_suite(configuration.suite, spec.worlds), configuration, seed)


def _configurations(text: str, spec: RunSpec) -> Iterator[Configuration]:
    suite, scenarios, fixed = _scenarios(text)
    if fixed is not None:
        yield fixed
        return
    for scenario in scenarios:
        yield from _draw(suite, scenario, spec)


def _scenarios(text: str) -> tuple[Suite, Sequence[Scenario], Configuration | None]:
    """The scenarios that a person means by a suite, an app or a scenario; or the one configuration."""
    name, _, rest = text.partition("/")
    if "@" in text or rest.count("/") > 1 or name not in suites():
        world = resolve(text)
        folder = name not in suites()
        if folder and "@" not in text:
            return world.suite, [one for one in world.suite.scenarios if one.app == world.app.name], None
        return world.suite, (), world.configuration
    suite = suites()[name]
    parts = [part for part in rest.split("/") if part]
    if not parts:
        return suite, suite.scenarios, None
    app = suite.app(parts[0])
    if len(parts) == 2:
        return suite, (suite.scenario(app.name, parts[1]),), None
    found = [one for one in suite.scenarios if one.app == app.name]
    if not found:
        raise InvalidInput(f"app {suite.name}/{app.name} has no scenario yet")
    return suite, found, None


def _suite(name: str, worlds: Sequence[str]) -> Suite:
    known = suites()
    if name in known:
        return known[name]
    for text in worlds:
        if text.partition("/")[0] not in known and (suite := resolve(text).suite).name == name:
            return suite
    raise unknown("suite", name, known)


def _draw(suite: Suite, scenario: Scenario, spec: RunSpec) -> Iterator[Configuration]:
    app = suite.app(scenario.app)
    values = {
        "instance": list(scenario.instances),
        "profile": list(app.profiles),
        "theme": list(app.themes),
        "ui_state": list(app.ui_states),
    }
    chosen = [values[axis] if axis in spec.axes else values[axis][:1] for axis in AXES]
    whole = list(itertools.product(*chosen))
    if spec.configs is not None and spec.configs < len(whole):
        draw = random.Random(_seed(spec.seed, f"{suite.name}/{scenario.app}/{scenario.name}", -1))
        whole = sorted(draw.sample(whole, spec.configs), key=whole.index)
    for combination in whole:
        yield Configuration(
            suite=suite.name, app=app.name, scenario=scenario.name, **dict(zip(AXES, combination, strict=True))
        )


def _seed(seed: int, name: str, rollout: int) -> int:
    digest = hashlib.blake2b(f"{seed}\n{name}\n{rollout}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big")
