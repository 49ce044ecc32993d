"""The replay experiment: what a blind script scores that plays recordings of an agent back.

Where every attempt at a task starts the same it scores what the agent scores in the best of its attempts (pass@k).
Where worlds vary it should score next to nothing. Both are measured here, with real episodes.
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
        agent: Who is recorded: good and not perfect, such as `oracle:slip=0.1`.
        tasks: How many tasks, spread over apps and scenarios.
        watched: Attempts at each that a script watches (the largest k). The static suite is tried twice as often: the
            two halves take turns at being watched and at measuring pass@k.
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
        pass_at_k: Of the agent on the static suite, from attempts that the script did not watch.
        static: Success rate of the replay where each task always starts the same.
        varied: Success rate of the replay where each attempt has its own configuration.
        gap: How much more the replay scores than pass@k on the static suite, task by task.
        tasks: How many tasks.
        left_out: Tasks that cannot be judged at the largest k because episodes errored, by suite.
        unscored: Episodes that errored or were invalid, by suite. They are left out, and are no failures.
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
        """JSON-ready."""
        curves = {"pass_at_k": self.pass_at_k, "static": self.static, "varied": self.varied, "gap": self.gap}
        return {
            "agent": self.agent,
            "tasks": self.tasks,
            "left_out": self.left_out,
            "unscored": self.unscored,
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
        folder: Where the six runs are kept; one that is there and finished is taken as it is.
        plan: What is done.
        workers: Processes.
        on_progress: Told how far it is.

    Raises:
        InvalidInput: When the folder holds another experiment, or so many episodes errored that no task can be judged.
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
    found = []
    for k in range(1, largest + 1):
        static, roaming = swapped_replay(halves, k), watched_replay(varied, k)
        if static is not None and roaming is not None:
            found.append((k, static, roaming))
    if not found:
        raise InvalidInput(
            f"no task has scored attempts and replays in both suites: {sum(unscored.values())} episodes errored",
            fix=f"`fairground show {folder}/static-1` says why; `fairground resume --errored` tries them again",
        )
    ks, statics, rates = zip(*found, strict=True)
    return ReplayResult(
        agent=agent,
        ks=ks,
        pass_at_k=tuple(one.pass_at_k for one in statics),
        static=tuple(one.replay for one in statics),
        varied=rates,
        gap=tuple(one.gap for one in statics),
        tasks=len(varied),
        left_out={
            "static": sum(not all(half.known(largest) for half in both) for both in halves),
            "varied": sum(not task.known(largest) for task in varied),
        },
        unscored=unscored,
    )


@dataclass(frozen=True)
class _Seen:
    """Of each task whether its scored episodes passed, and how many episodes were not scored."""

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
        """Records attempts, plays the first success of each task back where `played` says, and counts both."""
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
        whole = (folder / "run.sqlite").is_file()
        store = RunStore.open(folder, write=True) if whole else start_run(folder, spec)
        try:
            if store.spec != spec:
                raise InvalidInput(f"{folder} is of another experiment", fix="choose another folder, or the same plan")
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
