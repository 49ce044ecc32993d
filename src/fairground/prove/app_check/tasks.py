"""What is asked of an app's scenarios: that there are some, with oracles, checks that say something, and mutants."""

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
"""A scenario has so many on average, guards among them."""
LEAST_REJECTED: Final = 0.95
"""Of an app's mutants."""
_TRIES = 4  # pairs of a scenario, of which one must make sense

OnScenario = Callable[[int, int], None]
"""Told how many scenarios are done, and how many there are."""


@dataclass
class Starts:
    """What was found of scenarios before anything was done, and where that says too little, when they were solved.

    Attributes:
        worlds: Scenario -> where it was looked at.
        checks: Scenario -> its checks; None for one whose checks need what only a solution brings.
        counts: Scenario -> how many checks it has, as far as that is known.
        unsolved: Scenarios without an oracle's moves.
        broken: Scenario -> why nothing could be found of it.
        stuck: Scenario -> why its oracle did not come to an end.
    """

    worlds: dict[str, World] = field(default_factory=dict)
    checks: dict[str, list[Check] | None] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    unsolved: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    stuck: dict[str, str] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """Checks of a scenario on average."""
        return sum(self.counts.values()) / max(len(self.counts), 1)


def first_worlds(suite: Suite, scenario: Scenario) -> Iterator[World]:
    """The first configurations of a scenario: of the pairs that are served, or of all when none is."""
    app = suite.app(scenario.app)
    whole = [(instance, profile) for instance in scenario.instances for profile in app.profiles]
    for instance, profile in (suite.pairs(scenario) or whole)[:_TRIES]:
        found = Configuration(
            suite=suite.name,
            app=app.name,
            scenario=scenario.name,
            instance=instance,
            profile=profile,
            theme=next(iter(app.themes)),
            ui_state=next(iter(app.ui_states)),
        )
        yield World.of(suite, found)


def check_tasks(
    suite: Suite,
    app: App,
    *,
    quick: bool,
    least: Mapping[str, int] | None = None,
    on_scenario: OnScenario = lambda done, of: None,
) -> list[Item]:
    """The items about an app's scenarios; without `quick` each is opened once, on a seat where the app needs one."""
    scenarios = [one for one in suite.scenarios if one.app == app.name]
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
    found = Starts()
    seats = Seats()
    try:
        for number, scenario in enumerate(scenarios):
            on_scenario(number, len(scenarios))
            for world in first_worlds(suite, scenario):
                found.broken.pop(scenario.name, None)
                try:
                    _start(world, seats, found)
                    break
                except MissingPrerequisite:
                    raise
                except InvalidConfiguration as error:
                    found.broken[scenario.name] = error.message  # with this data; maybe not with other
                except FairgroundError as error:
                    found.broken[scenario.name] = error.message
                    break
                except Exception as error:  # an author's own code
                    found.broken[scenario.name] = f"it broke: {type(error).__name__}: {error}"
                    break
        short = [one for one in found.checks if found.counts.get(one, 0) < LEAST_CHECKS and one not in found.unsolved]
        if found.mean < LEAST_CHECKS:
            for number, name in enumerate(short, len(scenarios)):
                on_scenario(number, len(scenarios) + len(short))
                _solve(found.worlds[name], seats, found)
        on_scenario(len(scenarios), len(scenarios))
    finally:
        seats.close()
    return found


def _start(world: World, seats: Seats, found: Starts) -> None:
    name = world.scenario.name
    rehearsal = open_anyhow(world, seats)
    try:
        before = rehearsal.before
        moves = world.scenario.oracle(world, before)
        after = rehearsal.state()
    finally:
        rehearsal.close()
    found.worlds[name] = world
    if not moves:
        found.unsolved.append(name)
    try:
        checks = found.checks[name] = list(world.scenario.checks(world, before, after, None))
        found.counts[name] = len(checks)
    except StateError:
        found.checks[name] = None


def _solve(world: World, seats: Seats, found: Starts) -> None:
    """Counts checks when it is solved: before, many a task asks only whether there is a file, and then more of it."""
    name = world.scenario.name
    try:
        rehearsal = open_anyhow(world, seats)
        try:
            before = rehearsal.before
            answer = rehearsal.play(world.scenario.oracle(world, before))
            after = rehearsal.state()
        finally:
            rehearsal.close()
        found.counts[name] = len(world.scenario.checks(world, before, after, answer))
    except MissingPrerequisite:
        raise
    except FairgroundError as error:
        found.stuck[name] = error.message
    except Exception as error:  # an author's own code
        found.stuck[name] = f"it broke: {type(error).__name__}: {error}"


def counts_of(app: App, scenarios: list[Scenario]) -> dict[str, int]:
    """How much there is of an app. These are the names that a minimum may have."""
    instances = [len(one.instances) for one in scenarios]
    return {
        "profiles": len(app.profiles),
        "themes": len(app.themes),
        "ui-states": len(app.ui_states),
        "scenarios": len(scenarios),
        "questions": sum(one.kind == "answer" for one in scenarios),
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
    return decided("axes", "there is something to do, and it varies", faults, evidence, fix)


def _oracles(app: App, scenarios: list[Scenario], starts: Starts | None) -> Item:
    name, asks = "oracles", "every scenario has an oracle"
    if isinstance(app, FolderApp) or not scenarios:
        told = "a folder has no oracles" if scenarios else "there is no scenario"
        return Item(name=name, asks=asks, status="not applicable", evidence=told)
    without = {one.name for one in scenarios if type(one).oracle is Scenario.oracle}
    if starts is not None:
        without |= set(starts.unsolved)
    faults = [f"{one} has none" for one in sorted(without)]
    if starts is not None:
        faults += [f"{one}: {why}" for one, why in (starts.broken | starts.stuck).items()]
    return decided(name, asks, faults, f"{len(scenarios)} of {len(scenarios)}", "write Scenario.oracle: docs/proofs.md")


def _checks(starts: Starts | None) -> Item:
    name, asks = "checks", f"{LEAST_CHECKS:g} checks a scenario on average"
    if starts is None:
        return Item(name=name, asks=asks, status="not tried", evidence="needs seats; leave --quick out")
    counts = starts.counts
    if not counts:
        told = "no scenario's checks can be counted before it is solved"
        return Item(name=name, asks=asks, status="not applicable", evidence=told)
    fewest = min(counts, key=lambda one: counts[one])
    over = counted(len(counts), "scenario")
    evidence = f"{starts.mean:.1f} on average over {over}; the fewest: {fewest} with {counts[fewest]}"
    fix = "check each thing that the instruction asks for, and guard what must not change"
    return decided(name, asks, [evidence] if starts.mean < LEAST_CHECKS else [], evidence, fix)


def _untouched(suite: Suite, app: App, starts: Starts | None) -> Item:
    name, asks = "start", "no check that counts holds before anything is done"
    fix = "give what holds at the start weight 0 and integrity: it is a guard"
    if starts is not None:
        faults = [
            f"{one}: {check.name!r} holds"
            for one, checks in starts.checks.items()
            for check in checks or ()
            if check.passed and check.weight and not check.integrity
        ]
        faults += [f"{one}: {why}" for one, why in starts.broken.items()]
        if not (starts.checks or faults):
            return Item(name=name, asks=asks, status="not applicable", evidence="there is no scenario")
        return decided(
            name, asks, faults, f"doing nothing earns nothing in {counted(len(starts.checks), 'scenario')}", fix
        )
    table = suite.proof(app.name)
    if table is None:
        return Item(
            name=name, asks=asks, status="not tried", evidence="needs seats or a proof table; leave --quick out"
        )
    pairs = sum(len(row.proven) for one in table.scenarios for row in one.instances)
    faulty = [
        f"{one.scenario}: {why}" for one in table.scenarios for row in one.instances for why in row.faulty.values()
    ]
    return decided(name, asks, faulty, f"by the proof table, {pairs:,} pairs are not solved at the start", fix)


def _mutants(suite: Suite, app: App) -> Item:
    name, asks = "mutants", f"{LEAST_REJECTED:.0%} of near misses are rejected"
    if isinstance(app, FolderApp):
        return Item(name=name, asks=asks, status="not applicable", evidence="a folder has no oracles")
    table = suite.proof(app.name)
    if table is None:
        told = "nothing of it is proven" if suite.proofs is not None else f"suite {suite.name} has no proof tables"
        fix = f"fairground prove {suite.name}/{app.name}" + (
            "" if suite.proofs is not None else ", and set Suite.proofs"
        )
        return Item(name=name, asks=asks, status="failed", evidence=told, fix=fix)
    count = sum((one.mutants for one in table.scenarios), MutantCount())
    if count.share is None:
        fix = "write Scenario.mutants or near_states: docs/proofs.md"
        return Item(name=name, asks=asks, status="failed", evidence="there are none", fix=fix)
    evidence = f"{count.share:.1%} ({count.rejected:,} of {count.counted:,})"
    fix = f"see which survive: fairground prove {suite.name}/{app.name} --page proof.html"
    return decided(name, asks, [evidence] if count.share < LEAST_REJECTED else [], evidence, fix)
