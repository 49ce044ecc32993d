"""Checks of an app's scenarios: they must exist and have oracles, meaningful checks and mutants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from fairground.core import (
    Check,
    Configuration,
    FairgroundError,
    InvalidConfiguration,
    MissingPrerequisite,
    StateError,
    unknown,
)
from fairground.prove.app_check.item import Item, counted, decided
from fairground.prove.seats import Seats, has_rehearsal, open_anyhow
from fairground.worlds import App, MutantCount, Scenario, Suite, World
from fairground.worlds.folder import FolderApp

LEAST_CHECKS: Final = 6.0
"""Minimum mean number of checks per scenario, including integrity checks."""
LEAST_REJECTED: Final = 0.95
"""Minimum share of an app's mutants that must be rejected."""
_TRIES = 4  # pairs tried per scenario; one must be feasible

OnScenario = Callable[[int, int], None]
"""Called with the number of completed scenarios and their total."""


@dataclass
class Starts:
    """What is known of scenarios at the start, and for some also when solved.

    Attributes:
        worlds: World in which each scenario was opened.
        checks: Checks of each scenario. None if its checks need a solution.
        counts: Number of checks of each scenario, as far as known.
        unsolved: Scenarios whose oracle has no moves.
        broken: Why a scenario could not be opened.
        stuck: Why a scenario's oracle did not finish.
    """

    worlds: dict[str, World] = field(default_factory=dict)
    checks: dict[str, list[Check] | None] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    unsolved: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    stuck: dict[str, str] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """Mean number of checks per scenario."""
        return sum(self.counts.values()) / max(len(self.counts), 1)


def first_worlds(suite: Suite, scenario: Scenario) -> Iterator[World]:
    """Yield the first configurations of a scenario: of the served pairs, or of all if none is served."""
    app = suite.app(scenario.app)
    all_pairs = [(instance, profile) for instance in scenario.instances for profile in app.profiles]
    for instance, profile in (suite.pairs(scenario) or all_pairs)[:_TRIES]:
        configuration = Configuration(
            suite=suite.name,
            app=app.name,
            scenario=scenario.name,
            instance=instance,
            profile=profile,
            theme=next(iter(app.themes)),
            ui_state=next(iter(app.ui_states)),
        )
        yield World.of(suite, configuration)


def check_tasks(
    suite: Suite,
    app: App,
    *,
    quick: bool,
    least: Mapping[str, int] | None = None,
    on_scenario: OnScenario = lambda done, of: None,
) -> list[Item]:
    """Return the items about an app's scenarios.

    Without `quick`, each is opened once, on a seat if the app needs one.
    """
    scenarios = [scenario for scenario in suite.scenarios if scenario.app == app.name]
    axes = _axes(app, scenarios, least or {})
    starts = None if quick and not has_rehearsal(app) else _look(suite, scenarios, on_scenario)
    return [
        axes,
        _oracles(app, scenarios, starts),
        _checks(starts),
        _untouched(suite, app, starts),
        _mutants(suite, app),
    ]


def _look(suite: Suite, scenarios: list[Scenario], on_scenario: OnScenario) -> Starts:
    starts = Starts()
    seats = Seats()
    try:
        for number, scenario in enumerate(scenarios):
            on_scenario(number, len(scenarios))
            for world in first_worlds(suite, scenario):
                starts.broken.pop(scenario.name, None)
                try:
                    _start(world, seats, starts)
                    break
                except MissingPrerequisite:
                    raise
                except InvalidConfiguration as error:
                    starts.broken[scenario.name] = error.message  # with this data; other data may work
                except FairgroundError as error:
                    starts.broken[scenario.name] = error.message
                    break
                except Exception as error:  # the author's code
                    starts.broken[scenario.name] = f"it raised {type(error).__name__}: {error}"
                    break
        short = [
            name for name in starts.checks if starts.counts.get(name, 0) < LEAST_CHECKS and name not in starts.unsolved
        ]
        if starts.mean < LEAST_CHECKS:
            for number, name in enumerate(short, len(scenarios)):
                on_scenario(number, len(scenarios) + len(short))
                _solve(starts.worlds[name], seats, starts)
        on_scenario(len(scenarios), len(scenarios))
    finally:
        seats.close()
    return starts


def _start(world: World, seats: Seats, starts: Starts) -> None:
    name = world.scenario.name
    rehearsal = open_anyhow(world, seats)
    try:
        before = rehearsal.before
        moves = world.scenario.oracle(world, before)
        after = rehearsal.state()
    finally:
        rehearsal.close()
    starts.worlds[name] = world
    if not moves:
        starts.unsolved.append(name)
    try:
        checks = starts.checks[name] = list(world.scenario.checks(world, before, after, None))
        starts.counts[name] = len(checks)
    except StateError:
        starts.checks[name] = None


def _solve(world: World, seats: Seats, starts: Starts) -> None:
    """Count the checks of a solved scenario. Before, many tasks check only whether a file exists."""
    name = world.scenario.name
    try:
        rehearsal = open_anyhow(world, seats)
        try:
            before = rehearsal.before
            answer = rehearsal.play(world.scenario.oracle(world, before))
            after = rehearsal.state()
        finally:
            rehearsal.close()
        starts.counts[name] = len(world.scenario.checks(world, before, after, answer))
    except MissingPrerequisite:
        raise
    except FairgroundError as error:
        starts.stuck[name] = error.message
    except Exception as error:  # the author's code
        starts.stuck[name] = f"it raised {type(error).__name__}: {error}"


def counts_of(app: App, scenarios: list[Scenario]) -> dict[str, int]:
    """Return the counts of an app. Their names are those allowed in a minimum."""
    instances = [len(scenario.instances) for scenario in scenarios]
    return {
        "profiles": len(app.profiles),
        "themes": len(app.themes),
        "ui-states": len(app.ui_states),
        "scenarios": len(scenarios),
        "questions": sum(scenario.kind == "answer" for scenario in scenarios),
        "instances": sum(instances),
        "instances-each": min(instances, default=0),
        "endpoints": len(app.inspector.endpoints) if app.inspector is not None else 0,
    }


def _axes(app: App, scenarios: list[Scenario], least: Mapping[str, int]) -> Item:
    counts = counts_of(app, scenarios)
    words = {"profiles": "profile", "themes": "theme", "ui-states": "UI state", "scenarios": "scenario"}
    evidence = ", ".join(counted(counts[name], word) for name, word in (words | {"instances": "instance"}).items())
    faults = [] if scenarios else [f"no scenario: {evidence}"]
    for name, number in least.items():
        if name not in counts:
            raise unknown("count of an app", name, counts)
        if counts[name] < number:
            faults.append(f"{name}: {counts[name]:,}, expected at least {number:,}")
    fix = "write more of them: docs/suites.md" if scenarios else "write a scenario: docs/suites.md"
    return decided("axes", "scenarios exist, and they vary", faults, evidence, fix)


def _oracles(app: App, scenarios: list[Scenario], starts: Starts | None) -> Item:
    name, asks = "oracles", "every scenario has an oracle"
    if isinstance(app, FolderApp) or not scenarios:
        reason = "a folder app has no oracles" if scenarios else "there is no scenario"
        return Item(name=name, asks=asks, status="not applicable", evidence=reason)
    without = {scenario.name for scenario in scenarios if type(scenario).oracle is Scenario.oracle}
    if starts is not None:
        without |= set(starts.unsolved)
    faults = [f"{missing} has none" for missing in sorted(without)]
    if starts is not None:
        faults += [f"{scenario}: {why}" for scenario, why in (starts.broken | starts.stuck).items()]
    return decided(name, asks, faults, f"{len(scenarios)} of {len(scenarios)}", "write Scenario.oracle: docs/proofs.md")


def _checks(starts: Starts | None) -> Item:
    name, asks = "checks", f"{LEAST_CHECKS:g} checks per scenario on average"
    if starts is None:
        return Item(name=name, asks=asks, status="not tried", evidence="needs seats; run without --quick")
    counts = starts.counts
    if not counts:
        reason = "no scenario's checks can be counted before it is solved"
        return Item(name=name, asks=asks, status="not applicable", evidence=reason)
    fewest = min(counts, key=lambda scenario: counts[scenario])
    over = counted(len(counts), "scenario")
    evidence = f"{starts.mean:.1f} on average over {over}; the fewest: {fewest} with {counts[fewest]}"
    fix = "check everything that the instruction asks for, and guard what must not change"
    return decided(name, asks, [evidence] if starts.mean < LEAST_CHECKS else [], evidence, fix)


def _untouched(suite: Suite, app: App, starts: Starts | None) -> Item:
    name, asks = "start", "no check that counts passes before anything is done"
    fix = "give checks that pass at the start weight 0 and integrity: they are guards"
    if starts is not None:
        faults = [
            f"{scenario}: {check.name!r} passes"
            for scenario, checks in starts.checks.items()
            for check in checks or ()
            if check.passed and check.weight and not check.integrity
        ]
        faults += [f"{scenario}: {why}" for scenario, why in starts.broken.items()]
        if not (starts.checks or faults):
            return Item(name=name, asks=asks, status="not applicable", evidence="there is no scenario")
        return decided(
            name, asks, faults, f"doing nothing earns nothing in {counted(len(starts.checks), 'scenario')}", fix
        )
    table = suite.proof(app.name)
    if table is None:
        return Item(
            name=name, asks=asks, status="not tried", evidence="needs seats or a proof table; run without --quick"
        )
    pairs = sum(len(row.proven) for scenario in table.scenarios for row in scenario.instances)
    faulty = [
        f"{scenario.scenario}: {why}"
        for scenario in table.scenarios
        for row in scenario.instances
        for why in row.faulty.values()
    ]
    return decided(
        name, asks, faulty, f"according to the proof table, {pairs:,} pairs are not solved at the start", fix
    )


def _mutants(suite: Suite, app: App) -> Item:
    name, asks = "mutants", f"{LEAST_REJECTED:.0%} of near misses are rejected"
    if isinstance(app, FolderApp):
        return Item(name=name, asks=asks, status="not applicable", evidence="a folder app has no oracles")
    table = suite.proof(app.name)
    if table is None:
        reason = "nothing of it is proven" if suite.proofs is not None else f"suite {suite.name} has no proof tables"
        fix = f"fairground prove {suite.name}/{app.name}" + (
            "" if suite.proofs is not None else ", and set Suite.proofs"
        )
        return Item(name=name, asks=asks, status="failed", evidence=reason, fix=fix)
    count = sum((scenario.mutants for scenario in table.scenarios), MutantCount())
    if count.share is None:
        fix = "write Scenario.mutants or near_states: docs/proofs.md"
        return Item(name=name, asks=asks, status="failed", evidence="there are no mutants", fix=fix)
    evidence = f"{count.share:.1%} ({count.rejected:,} of {count.counted:,})"
    fix = f"list the survivors with `fairground prove {suite.name}/{app.name} --page proof.html`"
    return decided(name, asks, [evidence] if count.share < LEAST_REJECTED else [], evidence, fix)
