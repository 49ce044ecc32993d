"""Proof tables: written from results, and checked against the current sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairground.core import InvalidInput, MissingPrerequisite
from fairground.prove.jobs import MUTANT_PAIRS, SCREENS, mutant_jobs, screen_jobs
from fairground.prove.keys import Keys, made_with
from fairground.prove.proof import Proof, joined_key
from fairground.worlds import App, ProofTable, ProvenScenario, Scenario, Suite, read_table, write_table
from fairground.worlds.code_trace import changed_units
from fairground.worlds.proof_keys import changed_words


@dataclass(frozen=True)
class Stale:
    """Something in a table that does not match the current sources.

    Attributes:
        name: App and scenario.
        why: What is wrong.
        pairs: Number of affected pairs of instance and profile.
    """

    name: str
    why: str
    pairs: int = 0


def write_tables(proof: Proof, folder: Path, suite: Suite) -> list[Path]:
    """Write what was proven.

    Scenarios that were not tried keep their entry; scenarios that no longer exist are removed.
    """
    if proof.sampled:
        raise InvalidInput("a sample cannot be written as a proof table", fix="prove without --sample to write a table")
    written = []
    for table in proof.tables(suite):
        known = [scenario.name for scenario in suite.scenarios if scenario.app == table.app]
        old = read_table(folder, table.app)
        new = {row.scenario for row in table.scenarios}
        kept = [row for row in (old.scenarios if old else ()) if row.scenario in known and row.scenario not in new]
        written.append(write_table(folder, table.model_copy(update={"scenarios": (*table.scenarios, *kept)})))
    return written


def check_tables(
    suite: Suite,
    scenarios: Sequence[Scenario] | None = None,
    *,
    mutant_pairs: int = MUTANT_PAIRS,
    screens: int = SCREENS,
) -> list[Stale]:
    """Return what the tables of a suite do not prove of its current sources; empty if everything is proven.

    Args:
        suite: The suite.
        scenarios: The scenarios to check. Default: all.
        mutant_pairs: Number of pairs per scenario whose mutants must have been tried; a quarter on seats.
        screens: Minimum number of times that each oracle must have been tried on a screen; 0 to ignore screens.
    """
    if suite.proofs is None:
        return [Stale(suite.name, "the suite has no proof tables: set Suite(proofs=FOLDER)")]
    keys = Keys(suite)
    tried = (mutant_pairs, screens)
    return [stale for scenario in scenarios or suite.scenarios for stale in _check(suite, scenario, keys, *tried)]


def _check(suite: Suite, scenario: Scenario, keys: Keys, mutant_pairs: int, screens: int) -> Iterator[Stale]:
    name = f"{scenario.app}/{scenario.name}"
    table: ProofTable | None = suite.proof(scenario.app)
    entry = table.find(scenario.name) if table is not None else None
    if entry is None:
        yield Stale(name, "not in the proof table", len(scenario.instances) * len(suite.app(scenario.app).profiles))
        return
    if (why := _why_changed(suite.app(scenario.app), entry)) is not None:
        yield Stale(name, why, sum(len(each.proven) for each in entry.instances))
        return
    changed = missing = faulty = 0
    proven = set()
    rows = {each.instance: each for each in entry.instances}
    for instance in scenario.instances:
        row = rows.get(instance)
        for profile in suite.app(scenario.app).profiles:
            if row is None or not any(profile in profiles for profiles in (row.proven, row.infeasible, row.faulty)):
                missing += 1
            elif profile in row.faulty:
                faulty += 1
            elif profile in row.proven:
                proven.add((instance, profile))
                changed += row.proven[profile] != keys.pair(scenario, instance, profile)
    mutants = [job.key for job in mutant_jobs(suite, keys, scenario, proven, mutant_pairs)]
    if not changed and joined_key(mutants) != entry.mutants_key:
        yield Stale(name, "its mutants, or the code that makes them, have changed since they were tried")
    looks = [job.key for job in screen_jobs(suite, keys, scenario, proven, screens)] if screens else []
    if not changed and screens and joined_key(looks) != entry.screen_key:
        tried = "themes, UI states or their share of the runs on screens have changed since these were tried"
        yield Stale(name, tried if entry.screen.tried else "its oracle was not tried on a screen; prove with --browser")
    for count, why in (
        (changed, "the app, or the data of the scenario, has changed since it was proven"),
        (missing, "not in the proof table"),
        (faulty, "the table lists it as faulty"),
    ):
        if count:
            yield Stale(name, why, count)


def _why_changed(app: App, entry: ProvenScenario) -> str | None:
    """Return how the code, the packages or the input driver differ from those of the proof; None if they do not."""
    if changed := changed_units(entry.units):
        return changed_words(changed)
    try:
        now = made_with(app)
    except MissingPrerequisite:
        return None  # nothing can be said about programs that are not installed
    if now == entry.made_with:
        return None
    if now.keys() == entry.made_with.keys() and now.get("driver") == entry.made_with.get("driver"):
        name = next(name for name, version in now.items() if version != entry.made_with[name])
        return f"proven with {name} {entry.made_with[name]}, but {now[name]} is installed"
    return "the code that sends input and records states changed since it was proven"
