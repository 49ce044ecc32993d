"""Estimate what a run will take before it starts: time, and for model agents tokens and dollars, each as a range.

Estimates come from earlier runs of the same agent in the same app. Without such runs, the defaults below and the
scenario's step budget give a deliberately wide range.
"""

from __future__ import annotations

import itertools
import math
import os
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fairground.agents import Agent
from fairground.agents.models import ModelAgent, Price, Tokens
from fairground.agents.models.context import fit
from fairground.core import Configuration, FairgroundError
from fairground.core.damage import unnoticed
from fairground.rollout.plan import Planned, RunSpec, world_for
from fairground.rollout.store import RunStore, is_run
from fairground.worlds import World

_RUNS = 20  # number of earlier runs to read, newest first
_LOOKED_AT = 10_000  # maximum number of folder entries to scan for runs
_ROWS = 2_000  # maximum number of episodes to read per run
_APPROXIMATE = 750  # pixels per token; vendors differ by a factor of 0.5 to 2, and the range allows for that
_PROMPT = 2_500  # tokens of task, situation and tool definitions


@dataclass(frozen=True)
class Range:
    """An estimated range."""

    low: float
    high: float

    def times(self, factor: float) -> Range:
        """Return the range multiplied by a factor."""
        return Range(self.low * factor, self.high * factor)

    def plus(self, other: Range) -> Range:
        """Return the sum of two ranges."""
        return Range(self.low + other.low, self.high + other.high)


AROUND = Range(1.0, 8.0)
"""Seconds per episode outside of its steps: opening the seat, saving, judging."""

STEP = Range(0.1, 0.8)
"""Seconds per step without the agent's own time: acting, settling, grabbing the frame."""

THINKING = {"": Range(0.0, 0.01), "program": Range(0.2, 10.0), "model": Range(3.0, 20.0), "human": Range(2.0, 30.0)}
"""Seconds per step that an agent takes to decide, by kind of agent."""

SPOKEN = Range(80, 800)
"""Tokens that a model writes per step, including thinking."""

EARLY = 0.25
"""Share of the step budget after which an agent may be done (the low end of the range)."""


@dataclass(frozen=True)
class Estimate:
    """Estimated time and cost of a run.

    Attributes:
        episodes: Number of episodes.
        workers: Number of parallel workers.
        seconds: Wall-clock time from start to end.
        seconds_from: Basis of the time estimate.
        tokens: Tokens read and written by the model. None if the agent has no model.
        tokens_from: Basis of the token estimate.
        dollars: None if the agent has no model, or its price is unknown.
        dollars_from: Basis of the dollar estimate, or why there is none.
    """

    episodes: int
    workers: int
    seconds: Range
    seconds_from: str
    tokens: Range | None = None
    tokens_from: str = ""
    dollars: Range | None = None
    dollars_from: str = ""

    def plain(self) -> dict[str, Any]:
        """Return the estimate as a plain dictionary."""
        return asdict(self)


@dataclass(frozen=True)
class _Took:
    """Steps, time and cost of one episode of an earlier run."""

    app: str
    steps: int
    seconds: float
    tokens: int | None
    cost: float | None


def estimate(
    spec: RunSpec, plan: Sequence[Planned], agent: Agent, *, workers: int, places: Iterable[Path] = ()
) -> Estimate:
    """Estimate a run, without any model request and without opening a seat.

    Args:
        spec: The run's specification.
        plan: Its episodes.
        agent: The agent to run.
        workers: Number of episodes in parallel.
        places: Folders that may hold earlier runs.
    """
    before = _earlier(spec.agent, places)
    seconds, tokens, dollars = Range(0, 0), Range(0, 0), Range(0, 0)
    measured: set[int] = set()
    guessed = uncounted = 0
    model = agent if isinstance(agent, ModelAgent) else None
    kind = "model" if model is not None else spec.agent.partition(":")[0]
    thinking = THINKING.get(kind, THINKING[""])
    for world, number in _scenarios(spec, plan):
        app = f"{world.configuration.suite}/{world.configuration.app}"
        same = [at for at, past in enumerate(before) if past.app == app]
        took = [_within(before[at], spec) for at in same]
        measured.update(same)
        guessed += 0 if took else number
        steps = _steps(spec, world)
        spent = [past.seconds for past in took]
        each = _of_sum(spent, number) if took else _default_seconds(spec, world, steps, thinking).times(number)
        seconds = seconds.plus(each).plus(AROUND.times(number))
        if model is not None:
            counted = [float(past.tokens) for past in took if past.tokens is not None]
            paid = [past.cost for past in took if past.cost is not None]
            uncounted += 0 if counted else number
            used, cost = _default_tokens(model, world, steps, spec.budget.tokens)
            tokens = tokens.plus(_of_sum(counted, number) if counted else used.times(number))
            dollars = dollars.plus(_of_sum(paid, number) if paid else cost.times(number))
    many = max(1, min(workers, len(plan)))
    whence = _whence(len(measured), guessed, len(plan), thinking)
    if spec.interventions:
        whence += "; time and model use of interventions are not included"
    result = Estimate(len(plan), many, seconds.times(1 / many), whence)
    if model is None:
        return result
    result = replace(result, tokens=tokens, tokens_from=_tokens_from(model, uncounted, len(plan)))
    return _with_money(result, model, dollars, spec)


def _with_money(result: Estimate, model: ModelAgent, dollars: Range, spec: RunSpec) -> Estimate:
    if model.price is None:
        return replace(result, dollars_from=f"no price is known for {model.model}, so dollars are not estimated")
    price = (
        f"{model.model}: ${model.price.input:g} per million tokens read, ${model.price.output:g} per million written"
    )
    if spec.budget.dollars is not None and dollars.high > spec.budget.dollars:
        price += f"; the run stops at its budget of ${spec.budget.dollars:g}, possibly before all episodes are done"
        dollars = Range(min(dollars.low, spec.budget.dollars), spec.budget.dollars)
    return replace(result, dollars=dollars, dollars_from=price)


def _scenarios(spec: RunSpec, plan: Sequence[Planned]) -> list[tuple[World, int]]:
    """Return one world per scenario, and the number of its episodes."""
    counts: Counter[tuple[str, str, str]] = Counter()
    example: dict[tuple[str, str, str], World] = {}
    known: dict[str, tuple[str, str, str]] = {}
    for planned in plan:
        key = known.get(planned.configuration)
        if key is None:
            configuration = Configuration.from_id(planned.configuration)
            key = known[planned.configuration] = (configuration.suite, configuration.app, configuration.scenario)
            if key not in example:
                example[key] = world_for(configuration, spec, seed=planned.seed)
        counts[key] += 1
    return [(example[key], number) for key, number in counts.items()]


def _steps(spec: RunSpec, world: World) -> Range:
    most = min(world.scenario.step_budget, spec.budget.steps or world.scenario.step_budget)
    if spec.agent == "do-nothing":
        return Range(1, 1)
    return Range(most if spec.agent == "random" else max(1, math.ceil(EARLY * most)), most)


def _default_seconds(spec: RunSpec, world: World, steps: Range, thinking: Range) -> Range:
    step = STEP.plus(thinking)
    most = min(world.scenario.time_budget, spec.budget.seconds or world.scenario.time_budget)
    return Range(min(steps.low * step.low, most), min(steps.high * step.high, most))


def _default_tokens(model: ModelAgent, world: World, steps: Range, most: int | None) -> tuple[Range, Range]:
    """Return tokens and dollars of one episode. Each step reads the conversation again, with the frames kept in it.

    The low end assumes few steps, few frames, and all but the newest frame read from the server's cache. The high end
    assumes no caching.
    """
    width, height = fit(world.app.screen.size, model.limits)
    frame = width * height / _APPROXIMATE
    few = _read(int(steps.low), model.policy.frames, frame / 1.5, SPOKEN.low)
    many = _read(int(steps.high), model.policy.frames + model.policy.slack, frame * 1.5, SPOKEN.high)
    low, high = few + steps.low * SPOKEN.low, many + steps.high * SPOKEN.high
    price = model.price or Price(input=0, output=0)
    fresh = min(few, _PROMPT + steps.low * (frame / 1.5 + SPOKEN.low))
    cheap = Tokens(int(fresh), int(steps.low * SPOKEN.low), cached=int(few - fresh))
    dear = Tokens(output=int(steps.high * SPOKEN.high), **{_dearest(price): int(many)})
    share = 1.0 if most is None else min(1.0, most / high)
    return Range(min(low, high * share), high * share), Range(price.dollars(cheap), price.dollars(dear)).times(share)


def _read(steps: int, frames: int, frame: float, spoken: float) -> float:
    """Return the number of tokens read in `steps` steps."""
    return sum(_PROMPT + min(at, frames) * frame + at * spoken for at in range(1, steps + 1))


def _dearest(price: Price) -> str:
    return "stored" if price.stored is not None and price.stored > price.input else "input"


def _of_sum(values: Sequence[float], number: int) -> Range:
    """Return the range of a sum of `number` values like those observed: two standard deviations, within extremes."""
    mean = statistics.fmean(values)
    spread = statistics.stdev(values) if len(values) > 1 else mean / 2
    off = 2 * spread * math.sqrt(number + number**2 / len(values))
    low, high = (min(values), max(values)) if len(values) > 1 else (0.0, math.inf)
    return Range(max(number * mean - off, number * low), min(number * mean + off, number * high))


def _within(past: _Took, spec: RunSpec) -> _Took:
    """Return the figures scaled to this run's step budget."""
    if spec.budget.steps is None or past.steps <= spec.budget.steps:
        return past
    share = spec.budget.steps / past.steps
    tokens = None if past.tokens is None else int(past.tokens * share)
    cost = None if past.cost is None else past.cost * share
    return _Took(past.app, spec.budget.steps, past.seconds * share, tokens, cost)


def _earlier(agent: str, places: Iterable[Path]) -> list[_Took]:
    """Return episodes of the same agent from the newest runs directly below the given folders."""
    folders: dict[Path, float] = {}
    for place in places:
        try:
            with os.scandir(place) as entries:
                near = [Path(entry.path) for entry in itertools.islice(entries, _LOOKED_AT) if entry.is_dir()]
            folders |= {path.resolve(): (path / "run.sqlite").stat().st_mtime for path in near if is_run(path)}
        except OSError:  # missing or unreadable folder
            continue
    episodes: list[_Took] = []
    for folder in sorted(folders, key=lambda path: -folders[path])[:_RUNS]:
        try:
            with unnoticed(), RunStore.open(folder) as store:
                if store.spec.agent == agent:
                    episodes += _took(store)
        except FairgroundError:  # written by another version, or damaged: an estimate does not report that
            continue
    return episodes


def _took(store: RunStore) -> list[_Took]:
    rows = itertools.islice(store.rows(), _ROWS)
    return [
        _Took(
            "/".join(row.planned.configuration.split("/", 2)[:2]),
            row.finished.steps,
            row.finished.seconds,
            row.finished.tokens,
            row.finished.cost,
        )
        for row in rows
        if row.finished is not None and row.finished.outcome.scored and row.finished.steps
    ]


def _whence(measured: int, guessed: int, episodes: int, thinking: Range) -> str:
    think = f", {thinking.low:g} to {thinking.high:g} s of thinking" if thinking.high > STEP.low else ""
    usual = f"{STEP.low:g} to {STEP.high:g} s per step{think}, up to the scenario's budget"
    around = f"{AROUND.low:g} to {AROUND.high:g} s of overhead per episode"
    if not measured:
        return f"no earlier run of this agent was found; defaults: {usual}; {around}"
    came = f"{measured:,} episodes of this agent in earlier runs; {around}"
    return (
        came
        if not guessed
        else f"{came}; for {guessed:,} of {episodes:,} episodes, in apps without earlier runs: {usual}"
    )


def _tokens_from(model: ModelAgent, uncounted: int, episodes: int) -> str:
    if not uncounted:
        return "token use of this agent's episodes in earlier runs"
    policy = model.policy
    usual = (
        f"{policy.frames} to {policy.frames + policy.slack} frames per request, {SPOKEN.low:g} to "
        f"{SPOKEN.high:g} tokens written per step"
    )
    return usual if uncounted == episodes else f"earlier runs; for {uncounted:,} of {episodes:,} episodes: {usual}"
