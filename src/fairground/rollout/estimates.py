"""What a run will take, said before it starts: time, and for model agents tokens and dollars, each as a range.

Earlier runs of the same agent in the same app are asked first. Where there are none, defaults below and the
scenario's budget of steps give a range that is wide on purpose.
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

_RUNS = 20  # earlier runs that are looked at, the newest
_LOOKED_AT = 10_000  # entries of a folder that may hold runs
_ROWS = 2_000  # episodes of each
_APPROXIMATE = 750  # pixels a token: what vendors count differs by half and double, and so does the range
_PROMPT = 2_500  # tokens of task, situation and tools


@dataclass(frozen=True)
class Range:
    """From, to."""

    low: float
    high: float

    def times(self, factor: float) -> Range:
        """So many of it."""
        return Range(self.low * factor, self.high * factor)

    def plus(self, other: Range) -> Range:
        """Both, one after the other."""
        return Range(self.low + other.low, self.high + other.high)


AROUND = Range(1.0, 8.0)
"""Seconds of an episode beside its steps: opening the seat, saving, judging."""

STEP = Range(0.1, 0.8)
"""Seconds of a step beside the agent's own: acting, settling, grabbing."""

THINKING = {"": Range(0.0, 0.01), "program": Range(0.2, 10.0), "model": Range(3.0, 20.0), "human": Range(2.0, 30.0)}
"""Seconds that an agent takes for a step, by its kind."""

SPOKEN = Range(80, 800)
"""Tokens that a model writes a step, thinking included."""

EARLY = 0.25
"""The share of its step budget after which an agent may well be done."""


@dataclass(frozen=True)
class Estimate:
    """What a run will take.

    Attributes:
        episodes: How many there are.
        workers: How many at a time.
        seconds: From start to end.
        seconds_from: Where that comes from.
        tokens: Read and written by a model; None where the agent has none.
        tokens_from: Where that comes from.
        dollars: None where the agent has no model, or its price is not known.
        dollars_from: Where that comes from, or why there is none.
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
        """As plain data."""
        return asdict(self)


@dataclass(frozen=True)
class _Took:
    """What one episode of an earlier run took."""

    app: str
    steps: int
    seconds: float
    tokens: int | None
    cost: float | None


def estimate(
    spec: RunSpec, plan: Sequence[Planned], agent: Agent, *, workers: int, places: Iterable[Path] = ()
) -> Estimate:
    """Works out a range for everything; makes no request and opens no seat.

    Args:
        spec: What was asked for.
        plan: Its episodes.
        agent: Who will act.
        workers: Episodes at a time.
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
        same = [at for at, one in enumerate(before) if one.app == app]
        took = [_within(before[at], spec) for at in same]
        measured.update(same)
        guessed += 0 if took else number
        steps = _steps(spec, world)
        spent = [one.seconds for one in took]
        each = _of_sum(spent, number) if took else _default_seconds(spec, world, steps, thinking).times(number)
        seconds = seconds.plus(each).plus(AROUND.times(number))
        if model is not None:
            counted = [float(one.tokens) for one in took if one.tokens is not None]
            paid = [one.cost for one in took if one.cost is not None]
            uncounted += 0 if counted else number
            used, cost = _default_tokens(model, world, steps, spec.budget.tokens)
            tokens = tokens.plus(_of_sum(counted, number) if counted else used.times(number))
            dollars = dollars.plus(_of_sum(paid, number) if paid else cost.times(number))
    many = max(1, min(workers, len(plan)))
    whence = _whence(len(measured), guessed, len(plan), thinking)
    if spec.interventions:
        whence += "; what interventions take, in time and of models, is not counted"
    found = Estimate(len(plan), many, seconds.times(1 / many), whence)
    if model is None:
        return found
    found = replace(found, tokens=tokens, tokens_from=_tokens_from(model, uncounted, len(plan)))
    return _with_money(found, model, dollars, spec)


def _with_money(found: Estimate, model: ModelAgent, dollars: Range, spec: RunSpec) -> Estimate:
    if model.price is None:
        return replace(found, dollars_from=f"no price of {model.model} is known, so no dollars are counted")
    price = f"${model.price.input:g} read and ${model.price.output:g} written, a million tokens of {model.model}"
    if spec.budget.dollars is not None and dollars.high > spec.budget.dollars:
        price += f"; the run stops at its budget of ${spec.budget.dollars:g}, perhaps before its end"
        dollars = Range(min(dollars.low, spec.budget.dollars), spec.budget.dollars)
    return replace(found, dollars=dollars, dollars_from=price)


def _scenarios(spec: RunSpec, plan: Sequence[Planned]) -> list[tuple[World, int]]:
    """One world of each scenario, and how many episodes there are in it."""
    counts: Counter[tuple[str, str, str]] = Counter()
    example: dict[tuple[str, str, str], World] = {}
    known: dict[str, tuple[str, str, str]] = {}
    for one in plan:
        key = known.get(one.configuration)
        if key is None:
            configuration = Configuration.from_id(one.configuration)
            key = known[one.configuration] = (configuration.suite, configuration.app, configuration.scenario)
            if key not in example:
                example[key] = world_for(configuration, spec, seed=one.seed)
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
    """Tokens and dollars of one episode: each step reads the conversation again, with the frames that stay in it.

    The low end has few steps, few frames, and all but the newest frame from the server's cache; the high end has no
    cache at all.
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
    """Tokens read in so many steps."""
    return sum(_PROMPT + min(at, frames) * frame + at * spoken for at in range(1, steps + 1))


def _dearest(price: Price) -> str:
    return "stored" if price.stored is not None and price.stored > price.input else "input"


def _of_sum(values: Sequence[float], number: int) -> Range:
    """The range of a sum of so many, after those that were seen: two deviations, never beyond the extremes."""
    mean = statistics.fmean(values)
    spread = statistics.stdev(values) if len(values) > 1 else mean / 2
    off = 2 * spread * math.sqrt(number + number**2 / len(values))
    low, high = (min(values), max(values)) if len(values) > 1 else (0.0, math.inf)
    return Range(max(number * mean - off, number * low), min(number * mean + off, number * high))


def _within(one: _Took, spec: RunSpec) -> _Took:
    """The same under the budget of steps of this run."""
    if spec.budget.steps is None or one.steps <= spec.budget.steps:
        return one
    share = spec.budget.steps / one.steps
    tokens = None if one.tokens is None else int(one.tokens * share)
    cost = None if one.cost is None else one.cost * share
    return _Took(one.app, spec.budget.steps, one.seconds * share, tokens, cost)


def _earlier(agent: str, places: Iterable[Path]) -> list[_Took]:
    """Episodes of the same agent in the newest runs that are found directly below some folders."""
    folders: dict[Path, float] = {}
    for place in places:
        try:
            with os.scandir(place) as entries:
                near = [Path(entry.path) for entry in itertools.islice(entries, _LOOKED_AT) if entry.is_dir()]
            folders |= {one.resolve(): (one / "run.sqlite").stat().st_mtime for one in near if is_run(one)}
        except OSError:  # nothing there, or nothing for us
            continue
    found: list[_Took] = []
    for folder in sorted(folders, key=lambda one: -folders[one])[:_RUNS]:
        try:
            with unnoticed(), RunStore.open(folder) as store:
                if store.spec.agent == agent:
                    found += _took(store)
        except FairgroundError:  # another version's, or damaged: an estimate is no place to say so
            continue
    return found


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
    usual = f"{STEP.low:g} to {STEP.high:g} s a step{think}, up to the scenario's budget"
    around = f"{AROUND.low:g} to {AROUND.high:g} s around each episode"
    if not measured:
        return f"no earlier run of this agent here; usual figures: {usual}; {around}"
    came = f"{measured:,} episodes of this agent in earlier runs; {around}"
    return came if not guessed else f"{came}; for {guessed:,} of {episodes:,} in apps not run before: {usual}"


def _tokens_from(model: ModelAgent, uncounted: int, episodes: int) -> str:
    if not uncounted:
        return "what episodes of this agent took in earlier runs"
    policy = model.policy
    usual = (
        f"{policy.frames} to {policy.frames + policy.slack} frames in each request, "
        f"{SPOKEN.low:g} to {SPOKEN.high:g} tokens written a step"
    )
    return usual if uncounted == episodes else f"earlier runs; for {uncounted:,} of {episodes:,} episodes: {usual}"
