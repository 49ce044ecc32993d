"""Counts over suites: scenarios, instances, configurations, and how many of them are proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from fairground.worlds.app import App, Scenario, Suite
from fairground.worlds.proofs import MutantCount, ProvenScenario, ScreenCount


@dataclass(frozen=True)
class ScenarioCount:
    """The counts of one scenario. A pair is an instance on a profile: the unit of a proof table.

    Attributes:
        scenario: The scenario.
        pairs: Number of pairs.
        looks: Configurations per pair: themes x UI states.
        held: Whether its suite has proofs. If not, the following counts are unknown.
        proven: Pairs that are proven, and so served.
        infeasible: Pairs whose task is not possible with the profile's data. Not a fault.
        faulty: Pairs whose proof failed.
        mutants: Results of near misses.
        screen: How often its oracle was tried on a real screen.
    """

    scenario: Scenario
    pairs: int
    looks: int
    held: bool
    proven: int = 0
    infeasible: int = 0
    faulty: int = 0
    mutants: MutantCount = field(default_factory=MutantCount)
    screen: ScreenCount = field(default_factory=ScreenCount)

    @property
    def configurations(self) -> int:
        """The product of all four axes."""
        return self.pairs * self.looks

    @property
    def proven_configurations(self) -> int | None:
        """Number of served configurations; None if the suite has no proofs."""
        return self.proven * self.looks if self.held else None


@dataclass(frozen=True)
class Census:
    """The sum over scenarios.

    Attributes:
        scenarios: Number of scenarios.
        action: Number of action scenarios.
        answer: Number of answer scenarios.
        instances: Number of instances.
        configurations: The products of all axes.
        proven_configurations: None if no suite among them has proofs.
        mutants: Results of near misses.
    """

    scenarios: int
    action: int
    answer: int
    instances: int
    configurations: int
    proven_configurations: int | None
    mutants: MutantCount


def count_scenarios(suite: Suite, app: App) -> tuple[ScenarioCount, ...]:
    """Count every scenario of an app, in the suite's order."""
    table = suite.proof(app.name)
    known = {row.scenario: row for row in table.scenarios} if table is not None else {}
    held = suite.proofs is not None
    return tuple(
        _count(scenario, app, known.get(scenario.name), held)
        for scenario in suite.scenarios
        if scenario.app == app.name
    )


def add_up(counts: Iterable[ScenarioCount]) -> Census:
    """Add up the counts of scenarios, of one app or of many."""
    every = tuple(counts)
    kinds = Counter(count.scenario.kind for count in every)
    proven = [number for count in every if (number := count.proven_configurations) is not None]
    return Census(
        scenarios=len(every),
        action=kinds["action"],
        answer=kinds["answer"],
        instances=sum(len(count.scenario.instances) for count in every),
        configurations=sum(count.configurations for count in every),
        proven_configurations=sum(proven) if proven else None,
        mutants=sum((count.mutants for count in every), MutantCount()),
    )


def _count(scenario: Scenario, app: App, proof: ProvenScenario | None, held: bool) -> ScenarioCount:
    pairs, looks = len(scenario.instances) * len(app.profiles), len(app.themes) * len(app.ui_states)
    if proof is None:
        return ScenarioCount(scenario, pairs, looks, held)
    # A table may still list instances and profiles that no longer exist.
    rows = [row for row in proof.instances if row.instance in scenario.instances]
    proven, infeasible, faulty = (
        sum(profile in app.profiles for row in rows for profile in getattr(row, status))
        for status in ("proven", "infeasible", "faulty")
    )
    return ScenarioCount(scenario, pairs, looks, held, proven, infeasible, faulty, proof.mutants, proof.screen)
