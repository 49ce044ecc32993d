"""Scores of agents that must score nothing, on a sample of a suite, measured with ordinary runs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from fairground.agents import Agent, make_agent
from fairground.core import Configuration, InvalidInput, Outcome
from fairground.prove.cheaters import QUITTERS, SPAMMERS, TAMPERERS, make_cheater
from fairground.prove.findings import AgentScore
from fairground.prove.intruders import INTRUDERS
from fairground.prove.proving import OnProgress, select
from fairground.prove.sampling import diagonal
from fairground.rollout import RunSpec, RunStore, carry_out, start_run
from fairground.rollout.replaying import recorded_successes, replay_agent
from fairground.rollout.work import Episodes
from fairground.stats import wilson
from fairground.worlds import Scenario, Suite

SAMPLE = 40
"""Number of episodes per agent."""

_SHOWN = 20


def score_agents(
    name: str,
    *,
    answers: Sequence[str] = (),
    sample: int = SAMPLE,
    workers: int = 2,
    folder: Path | None = None,
    on_progress: OnProgress = lambda phase, done, total: None,
) -> list[AgentScore]:
    """Run every agent that must fail, and the oracle to be replayed, and count successes.

    Args:
        name: `SUITE[/APP[/SCENARIO]]`.
        answers: Right answers, for agents that use them.
        sample: Number of configurations per agent, spread over apps and scenarios.
        workers: Number of worker processes.
        folder: Where the runs are recorded. Default: a temporary folder that is removed.
        on_progress: Called with the progress.
    """
    suite, scenarios = select(name)
    place = folder or Path(tempfile.mkdtemp(prefix="fairground-agents-"))
    try:
        scoring = _Scoring(name, place, workers, on_progress)
        worlds = _sample(suite, scenarios, sample)
        scores = [
            scoring.score("do-nothing", "declares at once that it is done", worlds),
            scoring.score("random", "draws actions at random", worlds),
        ]
        if replayed := scoring.replay(suite, worlds):
            scores.append(replayed)
        asking = [scenario for scenario in scenarios if scenario.kind == "answer"]
        desktops = [scenario for scenario in scenarios if suite.app(scenario.app).screen.has_desktop]
        in_page = [scenario for scenario in scenarios if not suite.app(scenario.app).screen.has_desktop]
        for cheaters, targets in (
            (QUITTERS, scenarios),
            (SPAMMERS, asking),
            (TAMPERERS, in_page),
            (INTRUDERS, desktops),
        ):
            for agent, about in cheaters.items() if targets else ():
                make = partial(_cheater, answers=tuple(answers))
                scores.append(scoring.score(agent, about, _sample(suite, targets, sample), make))
        return scores
    finally:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)


class _Scoring:
    def __init__(self, name: str, folder: Path, workers: int, on_progress: OnProgress) -> None:
        self._name, self._folder, self._workers, self._on_progress = name, folder, workers, on_progress

    def score(
        self, agent: str, about: str, worlds: Sequence[str], make: Callable[[str], Agent] | None = None, label: str = ""
    ) -> AgentScore:
        """Run one agent and return its score."""
        shown = label or agent
        folder = self._folder / shown
        spec = RunSpec(worlds=tuple(worlds), agent=agent, rollouts=1, configs=None, retries=1)
        store = start_run(folder, spec)
        try:
            self._on_progress(shown, 0, len(worlds))
            work = partial(Episodes, folder, spec, make) if make is not None else None
            carry_out(
                store,
                workers=self._workers,
                make_work=work,
                on_event=lambda event: self._on_progress(shown, event.progress.finished, event.progress.planned),
            )
            return _counted(store, shown, about, str(folder))
        finally:
            store.close()

    def replay(self, suite: Suite, worlds: Sequence[str]) -> AgentScore | None:
        """Blindly replay the oracle's actions from another configuration of each task."""
        pairs = [(world, source) for world in worlds if (source := _elsewhere(suite, world)) is not None]
        if not pairs:
            return None
        self.score("oracle", "to be replayed", [other for _, other in pairs])
        recorded = self._folder / "oracle"
        try:
            known = {trajectory.task for trajectory in recorded_successes(recorded)}
        except InvalidInput:  # no oracle solved anything, so there is nothing to replay
            return None
        replayed = [world for world, _ in pairs if Configuration.from_id(world).task in known]
        about = "replays the oracle's actions that solved the same task in another configuration"
        return self.score(f"replay:{recorded}", about, replayed, _replayer, label="blind-replay")


def _cheater(name: str, answers: tuple[str, ...]) -> Agent:
    return make_cheater(name, answers)


def _replayer(name: str) -> Agent:
    return replay_agent(name) if name.startswith("replay:") else make_agent(name)


def _counted(store: RunStore, agent: str, about: str, folder: str) -> AgentScore:
    ended = [(row.planned.configuration, row.finished) for row in store.rows() if row.finished is not None]
    scored = [(where, result) for where, result in ended if result.outcome.scored]
    passed = [where for where, result in scored if result.outcome is Outcome.PASSED]
    interval = wilson(len(passed), len(scored)) if scored else None
    return AgentScore(
        agent=agent,
        about=about,
        passed=len(passed),
        scored=len(scored),
        errored=len(ended) - len(scored),
        reward=sum(result.reward or 0.0 for _, result in scored) / len(scored) if scored else 0.0,
        low=interval.low if interval else 0.0,
        high=interval.high if interval else 1.0,
        successes=tuple(passed[:_SHOWN]),
        folder=folder,
    )


def _sample(suite: Suite, scenarios: Sequence[Scenario], most: int) -> list[str]:
    """Return configurations, as many per scenario as fit, alternating between apps."""
    each = [list(_looks(suite, scenario)) for scenario in in_turn(scenarios)]
    sample: list[str] = []
    for round_ in range(most):
        for looks in each:
            if round_ < len(looks) and len(sample) < most:
                sample.append(looks[round_])
    return sample


def in_turn(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Return the scenarios, alternating between apps."""
    apps: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        apps.setdefault(scenario.app, []).append(scenario)
    longest = max(map(len, apps.values()), default=0)
    return [group[place] for place in range(longest) for group in apps.values() if place < len(group)]


def _looks(suite: Suite, scenario: Scenario) -> list[str]:
    app = suite.app(scenario.app)
    looks = list(diagonal(list(app.themes), list(app.ui_states)))
    served = set(suite.pairs(scenario))
    pairs = [pair for pair in diagonal(list(scenario.instances), list(app.profiles)) if pair in served]
    return [_id(suite, scenario, pair, looks[place % len(looks)]) for place, pair in enumerate(pairs)]


def _elsewhere(suite: Suite, world: str) -> str | None:
    """Return the same task in another configuration: another profile if one is served, another look if possible."""
    here = Configuration.from_id(world)
    app, scenario = suite.app(here.app), suite.scenario(here.app, here.scenario)
    profiles = [profile for instance, profile in suite.pairs(scenario) if instance == here.instance]
    profile = next((candidate for candidate in profiles if candidate != here.profile), here.profile)
    looks = [look for look in diagonal(list(app.themes), list(app.ui_states)) if look[1] != here.ui_state]
    if not looks and profile == here.profile:
        return None
    look = looks[0] if looks else (here.theme, here.ui_state)
    return _id(suite, scenario, (here.instance, profile), look)


def _id(suite: Suite, scenario: Scenario, pair: tuple[str, str], look: tuple[str, str]) -> str:
    task = f"{suite.name}/{scenario.app}/{scenario.name}/{pair[0]}"
    return f"{task}@{pair[1]}/{look[0]}/{look[1]}"
