"""Proof tables: written from results, and checked against the current sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairground.core import InvalidInput
from fairground.prove.keys import Keys
from fairground.prove.proof import Proof
from fairground.worlds import ProofTable, Scenario, Suite, read_table, write_table


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
    for table in proof.tables():
        known = [scenario.name for scenario in suite.scenarios if scenario.app == table.app]
        old = read_table(folder, table.app)
        new = {row.scenario for row in table.scenarios}
        kept = [row for row in (old.scenarios if old else ()) if row.scenario in known and row.scenario not in new]
        written.append(write_table(folder, table.model_copy(update={"scenarios": (*table.scenarios, *kept)})))
    return written


def check_tables(suite: Suite, scenarios: Sequence[Scenario] | None = None) -> list[Stale]:
    """Return what the tables of a suite do not prove of its current sources; empty if everything is proven."""
    if suite.proofs is None:
        return [Stale(suite.name, "the suite has no proof tables: set Suite(proofs=FOLDER)")]
    keys = Keys(suite)
    return [stale for scenario in scenarios or suite.scenarios for stale in _check(suite, scenario, keys)]


def _check(suite: Suite, scenario: Scenario, keys: Keys) -> Iterator[Stale]:
    name = f"{scenario.app}/{scenario.name}"
    table: ProofTable | None = suite.proof(scenario.app)
    entry = table.find(scenario.name) if table is not None else None
    if entry is None:
        yield Stale(name, "not in the proof table", len(scenario.instances) * len(suite.app(scenario.app).profiles))
        return
    changed = missing = faulty = 0
    rows = {each.instance: each for each in entry.instances}
    for instance in scenario.instances:
        row = rows.get(instance)
        for profile in suite.app(scenario.app).profiles:
            if row is None or not any(profile in profiles for profiles in (row.proven, row.infeasible, row.faulty)):
                missing += 1
            elif profile in row.faulty:
                faulty += 1
            elif profile in row.proven and row.proven[profile] != keys.pair(scenario, instance, profile):
                changed += 1
    for count, why in (
        (changed, "the sources have changed since it was proven"),
        (missing, "not in the proof table"),
        (faulty, "the table lists it as faulty"),
    ):
        if count:
            yield Stale(name, why, count)
