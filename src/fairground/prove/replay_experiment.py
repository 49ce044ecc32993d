"""The replay experiment: the score of a blind script that plays back recordings of an agent.

If every attempt at a task starts the same, the script scores what the agent scores in its best attempt (pass@k). If
worlds vary, it should score almost nothing. Both are measured with real episodes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairground.core import Configuration, InvalidInput, Outcome
from fairground.prove.proving import OnProgress, select
from fairground.prove.resistance import in_turn
from fairground.prove.sampling import diagonal
from fairground.rollout import RunSpec, RunStore, carry_out, start_run
from fairground.stats import Interval, WatchedTask, swapped_replay, watched_replay
from fairground.worlds import Scenario, Suite


@dataclass(frozen=True)
class ReplayPlan:
    """What the experiment does.

    Attributes:
        agent: The agent to record: good but not perfect, such as `oracle:slip=0.1`.
        tasks: Number of tasks, spread over apps and scenarios.
        watched: Attempts per task that the script watches (the largest k). The static suite is tried twice as often:
            each half is once watched and once used to measure pass@k.
        elsewhere: Configurations per task in which the replay of the varied suite is tried.
        seed: Seed for choosing configurations.
    """

    agent: str = "oracle:slip=0.1"
    tasks: int = 12
    watched: int = 4
    elsewhere: int = 2
    seed: int = 0


@dataclass(frozen=True)
class ReplayResult:
    """Results as functions of k.

    Attributes:
        agent: The recorded agent.
        ks: Numbers of attempts watched: 1, 2, ...
        pass_at_k: pass@k of the agent on the static suite, from attempts that the script did not watch.
        static: Success rate of the replay if each task always starts the same.
        varied: Success rate of the replay if each attempt has its own configuration.
        gap: Replay score minus pass@k on the static suite, paired by task.
        tasks: Number of tasks.
        left_out: Tasks that cannot be judged at the largest k because episodes errored, by suite.
        unscored: Errored or invalid episodes, by suite. They are left out and do not count as failures.
    """

    agent: str
    ks: tuple[int, ...]
    pass_at_k: tuple[Interval, ...]
    static: tuple[Interval, ...]
    varied: tuple[Interval, ...]
    gap: tuple[Interval, ...]
    tasks: int
    left_out: dict[str, int]
    unscored: dict[str, int]

    def plain(self) -> dict[str, Any]:
        """Return the results as plain data for JSON."""
        curves = {"pass_at_k": self.pass_at_k, "static": self.static, "varied": self.varied, "gap": self.gap}
        return {
            "agent": self.agent,
            "tasks": self.tasks,
            "left_out": self.left_out,
            "unscored": self.unscored,
            "k": list(self.ks),
            **{
                name: [[interval.estimate, interval.low, interval.high] for interval in curve]
                for name, curve in curves.items()
            },
        }


def replay_experiment(
    name: str,
    folder: Path,
    plan: ReplayPlan | None = None,
    *,
    workers: int = 2,
    on_progress: OnProgress = lambda phase, done, total: None,
) -> ReplayResult:
    """Record an agent on a static and a varied suite, replay its successes, and compare.

    Args:
        name: `SUITE[/APP[/SCENARIO]]`.
        folder: Folder of the six runs. A finished run that exists is reused.
        plan: What the experiment does.
        workers: Number of worker processes.
        on_progress: Called with the progress.

    Raises:
        InvalidInput: If the folder holds another experiment, or too many episodes errored to judge any task.
    """
    plan = plan or ReplayPlan()
    suite, scenarios = select(name)
    tasks = _tasks(suite, scenarios, plan)
    names = [Configuration.from_id(places[0]).task for places in tasks]
    run = _Runs(folder, workers, on_progress)
    fixed = [places[0] for places in tasks]
    roaming = [place for places in tasks for place in places[: plan.watched]]
    elsewhere = [place for places in tasks for place in places[plan.watched :]]
    first, second = (run.watched(f"static-{half}", plan.agent, fixed, plan.watched, fixed, half) for half in (1, 2))
    varied = run.watched("varied", plan.agent, roaming, 1, elsewhere, 1)
    return _result(
        plan.agent,
        plan.watched,
        [(first.tasks[task], second.tasks[task]) for task in names],
        [varied.tasks[task] for task in names],
        unscored={"static": first.unscored + second.unscored, "varied": varied.unscored},
        folder=folder,
    )


def _result(
    agent: str,
    largest: int,
    halves: Sequence[tuple[WatchedTask, WatchedTask]],
    varied: Sequence[WatchedTask],
    *,
    unscored: dict[str, int],
    folder: Path,
) -> ReplayResult:
    curves = []
    for k in range(1, largest + 1):
        static, roaming = swapped_replay(halves, k), watched_replay(varied, k)
        if static is not None and roaming is not None:
            curves.append((k, static, roaming))
    if not curves:
        raise InvalidInput(
            f"no task has scored attempts and replays in both suites: {sum(unscored.values())} episodes errored",
            fix=f"`fairground show {folder}/static-1` shows why; `fairground resume --errored` retries them",
        )
    ks, statics, rates = zip(*curves, strict=True)
    return ReplayResult(
        agent=agent,
        ks=ks,
        pass_at_k=tuple(static_k.pass_at_k for static_k in statics),
        static=tuple(static_k.replay for static_k in statics),
        varied=rates,
        gap=tuple(static_k.gap for static_k in statics),
        tasks=len(varied),
        left_out={
            "static": sum(not all(half.known(largest) for half in both) for both in halves),
            "varied": sum(not task.known(largest) for task in varied),
        },
        unscored=unscored,
    )


@dataclass(frozen=True)
class _Seen:
    """For each task, whether its scored episodes passed; and the number of unscored episodes."""

    passed: dict[str, list[bool]]
    unscored: int


@dataclass(frozen=True)
class _Watched:
    tasks: dict[str, WatchedTask]
    unscored: int


class _Runs:
    def __init__(self, folder: Path, workers: int, on_progress: OnProgress) -> None:
        self._folder, self._workers, self._on_progress = folder, workers, on_progress

    def watched(
        self, name: str, agent: str, worlds: Sequence[str], rollouts: int, played: Sequence[str], seed: int
    ) -> _Watched:
        """Record attempts, replay the first success of each task in `played`, and count both."""
        seen = self._carry_out(name, agent, worlds, rollouts, seed)
        tried = [world for world in played if any(seen.passed[Configuration.from_id(world).task])]
        replays = _Seen({}, 0)
        if tried:
            replays = self._carry_out(f"{name}-replay", f"replay:{self._folder / name}", tried, 1, seed)
        tasks = {}
        for task, attempts in seen.passed.items():
            replayed = replays.passed.get(task, [])
            tasks[task] = WatchedTask(sum(attempts), len(attempts), sum(replayed), len(replayed))
        return _Watched(tasks, seen.unscored + replays.unscored)

    def _carry_out(self, name: str, agent: str, worlds: Sequence[str], rollouts: int, seed: int) -> _Seen:
        folder = self._folder / name
        spec = RunSpec(worlds=tuple(worlds), agent=agent, rollouts=rollouts, configs=None, seed=seed)
        exists = (folder / "run.sqlite").is_file()
        store = RunStore.open(folder, write=True) if exists else start_run(folder, spec)
        try:
            if store.spec != spec:
                raise InvalidInput(
                    f"{folder} belongs to another experiment", fix="choose another folder, or use the same plan"
                )
            carry_out(store, workers=self._workers, on_event=lambda event: self._on_progress(
                name, event.progress.finished, event.progress.planned))  # fmt: skip
            passed: dict[str, list[bool]] = {Configuration.from_id(world).task: [] for world in worlds}
            unscored = 0
            for row in store.rows():
                if row.finished is not None and row.finished.outcome.scored:
                    task = Configuration.from_id(row.planned.configuration).task
                    passed[task].append(row.finished.outcome is Outcome.PASSED)
                else:
                    unscored += 1
            return _Seen(passed, unscored)
        finally:
            store.close()


def _tasks(suite: Suite, scenarios: Sequence[Scenario], plan: ReplayPlan) -> list[list[str]]:
    """Return the configurations of each task: first where the static suite starts, then as many as needed."""
    tasks: list[list[str]] = []
    wanted = plan.watched + plan.elsewhere
    rounds = max((len(scenario.instances) for scenario in scenarios), default=0)
    for round_ in range(rounds):
        for scenario in in_turn(scenarios):
            places = _places(suite, scenario, round_, plan.seed)
            if len(places) >= wanted and len(tasks) < plan.tasks:
                tasks.append(places[:wanted])
    if not tasks:
        raise InvalidInput(
            f"no task of {suite.name} has {wanted} configurations to vary",
            fix="choose worlds with more profiles, themes and UI states, or watch fewer attempts",
        )
    return tasks


def _places(suite: Suite, scenario: Scenario, number: int, seed: int) -> list[str]:
    app = suite.app(scenario.app)
    instance = next((name for place, name in enumerate(scenario.instances) if place == number), None)
    profiles = [profile for paired, profile in suite.pairs(scenario) if paired == instance]
    looks = list(diagonal(list(app.themes), list(app.ui_states)))
    places = [f"{profile}/{theme}/{ui_state}" for profile, (theme, ui_state) in diagonal(profiles, looks)]
    random.Random(f"{seed} {scenario.name} {instance}").shuffle(places)
    return [f"{suite.name}/{scenario.app}/{scenario.name}/{instance}@{place}" for place in places]
