"""The replay experiment: what a blind script scores that plays recordings of an agent back.

Where every attempt at a task starts the same it scores what the agent scores in the best of its attempts (pass@k).
Where worlds vary it should score next to nothing. Both are measured here, with real episodes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from fairground.core import Configuration, InvalidInput, Outcome
from fairground.prove.proving import OnProgress, select
from fairground.prove.resistance import in_turn
from fairground.prove.sampling import diagonal
from fairground.rollout import RunSpec, RunStore, carry_out, start_run
from fairground.stats import Interval, replay_from_counts
from fairground.stats.proportions import mean_interval
from fairground.worlds import Scenario, Suite


@dataclass(frozen=True)
class ReplayPlan:
    """What the experiment does.

    Attributes:
        agent: Who is recorded: good and not perfect, such as `oracle:slip=0.1`.
        tasks: How many tasks, spread over apps and scenarios.
        watched: Attempts at each that are recorded for the replay (the largest k); as many again measure pass@k.
        elsewhere: Configurations of each task in which the replay of the varied suite is tried.
        seed: Which configurations.
    """

    agent: str = "oracle:slip=0.1"
    tasks: int = 12
    watched: int = 4
    elsewhere: int = 2
    seed: int = 0


@dataclass(frozen=True)
class ReplayResult:
    """What was found, as functions of k.

    Attributes:
        agent: Who was recorded.
        ks: Attempts watched: 1, 2, ...
        pass_at_k: Of the agent on the static suite, from attempts of their own.
        static: Success rate of the replay where each task always starts the same.
        varied: Success rate of the replay where each attempt has its own configuration.
        gap: How much more the replay scores than pass@k on the static suite, task by task.
        tasks: How many tasks.
        left_out: Tasks without a scored replay, by suite.
    """

    agent: str
    ks: tuple[int, ...]
    pass_at_k: tuple[Interval, ...]
    static: tuple[Interval, ...]
    varied: tuple[Interval, ...]
    gap: tuple[Interval, ...]
    tasks: int
    left_out: dict[str, int]

    def plain(self) -> dict[str, Any]:
        """JSON-ready."""
        curves = {"pass_at_k": self.pass_at_k, "static": self.static, "varied": self.varied, "gap": self.gap}
        return {
            "agent": self.agent,
            "tasks": self.tasks,
            "left_out": self.left_out,
            "k": list(self.ks),
            **{name: [[one.estimate, one.low, one.high] for one in curve] for name, curve in curves.items()},
        }


def replay_experiment(
    name: str,
    folder: Path,
    plan: ReplayPlan | None = None,
    *,
    workers: int = 2,
    on_progress: OnProgress = lambda phase, done, total: None,
) -> ReplayResult:
    """Records an agent on a static and on a varied suite, plays its successes back, and compares.

    Args:
        name: `SUITE[/APP[/SCENARIO]]`.
        folder: Where the four runs are kept; one that is there and finished is taken as it is.
        plan: What is done.
        workers: Processes.
        on_progress: Told how far it is.
    """
    plan = plan or ReplayPlan()
    suite, scenarios = select(name)
    tasks = _tasks(suite, scenarios, plan)
    run = _Runs(folder, workers, on_progress)
    fixed = [places[0] for places in tasks]
    static = run.attempts("static", plan.agent, fixed, 2 * plan.watched)
    found = {"static": run.replayed("static", fixed)}
    roaming = [place for places in tasks for place in places[: plan.watched]]
    varied = run.attempts("varied", plan.agent, roaming, 1)
    elsewhere = [place for places in tasks for place in places[plan.watched :]]
    found["varied"] = run.replayed("varied", elsewhere)

    names = [Configuration.from_id(places[0]).task for places in tasks]
    solved = [sum(static.get(task, [])[plan.watched :]) for task in names]
    curve = replay_from_counts(solved, plan.watched, rng=np.random.default_rng(plan.seed)).replay
    ks = tuple(range(1, plan.watched + 1))
    watched = {"static": {task: seen[: plan.watched] for task, seen in static.items()}, "varied": varied}
    rates = {kind: [_rates(names, watched[kind], found[kind], k) for k in ks] for kind in watched}
    gaps = [
        [rate - _chance(solved[names.index(task)], plan.watched, k) for task, rate in at_k.items()]
        for k, at_k in zip(ks, rates["static"], strict=True)
    ]
    missing = {kind: sum(_first(watched[kind].get(task, [])) is not None and task not in found[kind] for task in names)
               for kind in found}  # fmt: skip
    return ReplayResult(
        agent=plan.agent,
        ks=ks,
        pass_at_k=tuple(curve.points),
        static=tuple(mean_interval(list(at_k.values()) or [0.0]) for at_k in rates["static"]),
        varied=tuple(mean_interval(list(at_k.values()) or [0.0]) for at_k in rates["varied"]),
        gap=tuple(mean_interval(gap or [0.0], smallest=-1.0) for gap in gaps),
        tasks=len(names),
        left_out=missing,
    )


class _Runs:
    def __init__(self, folder: Path, workers: int, on_progress: OnProgress) -> None:
        self._folder, self._workers, self._on_progress = folder, workers, on_progress

    def attempts(self, name: str, agent: str, worlds: Sequence[str], rollouts: int) -> dict[str, list[bool]]:
        """Whether each attempt at each task passed, in the order of the plan."""
        folder = self._folder / name
        spec = RunSpec(worlds=tuple(worlds), agent=agent, rollouts=rollouts, configs=None)
        whole = (folder / "run.sqlite").is_file()
        store = RunStore.open(folder, write=True) if whole else start_run(folder, spec)
        try:
            if store.spec != spec:
                raise InvalidInput(f"{folder} is of another experiment", fix="choose another folder, or the same plan")
            carry_out(store, workers=self._workers, on_event=lambda event: self._on_progress(
                name, event.progress.finished, event.progress.planned))  # fmt: skip
            found: dict[str, list[bool]] = {}
            for row in store.rows():
                task = Configuration.from_id(row.planned.configuration).task
                if row.finished is not None and row.finished.outcome.scored:
                    found.setdefault(task, []).append(row.finished.outcome is Outcome.PASSED)
                else:
                    found.setdefault(task, []).append(False)
            return found
        finally:
            store.close()

    def replayed(self, name: str, worlds: Sequence[str]) -> dict[str, list[bool]]:
        """What the replay of a run's successes does, by task; tasks without a success are not tried."""
        with RunStore.open(self._folder / name) as store:
            passed = {
                Configuration.from_id(row.planned.configuration).task
                for row in store.rows()
                if row.finished is not None and row.finished.outcome is Outcome.PASSED
            }
        tried = [world for world in worlds if Configuration.from_id(world).task in passed]
        if not tried:
            return {}
        return self.attempts(f"{name}-replay", f"replay:{self._folder / name}", tried, 1)


def _rates(
    names: Sequence[str], watched: dict[str, list[bool]], replays: dict[str, list[bool]], k: int
) -> dict[str, float]:
    """For each task what the replay scores that has seen k attempts, whichever k of the watched ones they were."""
    rates = {}
    for task in names:
        seen = watched.get(task, [])
        if not any(seen):
            rates[task] = 0.0
        elif task in replays:
            rates[task] = _chance(sum(seen), len(seen), k) * sum(replays[task]) / len(replays[task])
    return rates


def _chance(passed: int, attempts: int, k: int) -> float:
    """The chance that k of the attempts, drawn at random, hold one that passed."""
    return 1 - comb(attempts - passed, k) / comb(attempts, k)


def _first(attempts: Sequence[bool]) -> int | None:
    return next((place for place, passed in enumerate(attempts) if passed), None)


def _tasks(suite: Suite, scenarios: Sequence[Scenario], plan: ReplayPlan) -> list[list[str]]:
    """For each task its configurations: the first is where the static suite starts, then as many as are wanted."""
    found: list[list[str]] = []
    wanted = plan.watched + plan.elsewhere
    rounds = max((len(one.instances) for one in scenarios), default=0)
    for round_ in range(rounds):
        for scenario in in_turn(scenarios):
            places = _places(suite, scenario, round_, plan.seed)
            if len(places) >= wanted and len(found) < plan.tasks:
                found.append(places[:wanted])
    if not found:
        raise InvalidInput(
            f"no task of {suite.name} has {wanted} configurations to vary",
            fix="choose worlds with more profiles, themes and UI states, or watch fewer attempts",
        )
    return found


def _places(suite: Suite, scenario: Scenario, number: int, seed: int) -> list[str]:
    app = suite.app(scenario.app)
    instance = next((name for place, name in enumerate(scenario.instances) if place == number), None)
    profiles = [profile for one, profile in suite.pairs(scenario) if one == instance]
    looks = list(diagonal(list(app.themes), list(app.ui_states)))
    whole = [f"{profile}/{theme}/{ui_state}" for profile, (theme, ui_state) in diagonal(profiles, looks)]
    random.Random(f"{seed} {scenario.name} {instance}").shuffle(whole)
    return [f"{suite.name}/{scenario.app}/{scenario.name}/{instance}@{one}" for one in whole]
