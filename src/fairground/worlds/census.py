"""What suites amount to: scenarios, instances, configurations, and how much of it is proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from fairground.worlds.app import App, Scenario, Suite
from fairground.worlds.proofs import MutantCount, ProvenScenario, ScreenCount


@dataclass(frozen=True)
class ScenarioCount:
    """One scenario, counted. A pair is an instance on a profile: the unit of a proof table.

    Attributes:
        scenario: Which.
        pairs: How many there are.
        looks: Configurations that each pair stands for: themes x UI states.
        held: Whether its suite has proofs; without, nothing is known of the rest.
        proven: Pairs that are proven, and so served.
        infeasible: Pairs whose task makes no sense with the profile's data. No fault.
        faulty: Pairs whose proof failed.
        mutants: What became of near misses.
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
        """Those that are served; None where the suite has no proofs."""
        return self.proven * self.looks if self.held else None


@dataclass(frozen=True)
class Census:
    """Scenarios added up.

    Attributes:
        scenarios: How many.
        action: Of that kind.
        answer: Of the other.
        instances: How many.
        configurations: The products of all axes.
        proven_configurations: None where no suite among them has proofs.
        mutants: What became of near misses.
    """

    scenarios: int
    action: int
    answer: int
    instances: int
    configurations: int
    proven_configurations: int | None
    mutants: MutantCount


def count_scenarios(suite: Suite, app: App) -> tuple[ScenarioCount, ...]:
    """Every scenario of an app, counted, in the suite's order."""
    table = suite.proof(app.name)
    known = {one.scenario: one for one in table.scenarios} if table is not None else {}
    held = suite.proofs is not None
    return tuple(_count(one, app, known.get(one.name), held) for one in suite.scenarios if one.app == app.name)


def add_up(counts: Iterable[ScenarioCount]) -> Census:
    """The sum of scenarios, of one app or of many."""
    every = tuple(counts)
    kinds = Counter(one.scenario.kind for one in every)
    proven = [number for one in every if (number := one.proven_configurations) is not None]
    return Census(
        scenarios=len(every),
        action=kinds["action"],
        answer=kinds["answer"],
        instances=sum(len(one.scenario.instances) for one in every),
        configurations=sum(one.configurations for one in every),
        proven_configurations=sum(proven) if proven else None,
        mutants=sum((one.mutants for one in every), MutantCount()),
    )


def _count(scenario: Scenario, app: App, found: ProvenScenario | None, held: bool) -> ScenarioCount:
    pairs, looks = len(scenario.instances) * len(app.profiles), len(app.themes) * len(app.ui_states)
    if found is None:
        return ScenarioCount(scenario, pairs, looks, held)
    # A table may still name instances and profiles that are gone.
    rows = [one for one in found.instances if one.instance in scenario.instances]
    proven, infeasible, faulty = (
        sum(profile in app.profiles for row in rows for profile in getattr(row, status))
        for status in ("proven", "infeasible", "faulty")
    )
    return ScenarioCount(scenario, pairs, looks, held, proven, infeasible, faulty, found.mutants, found.screen)
