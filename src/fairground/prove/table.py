"""Proof tables: written from what was found, and held against the sources as they are now."""

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
    """Something that a table does not say of the sources as they are now.

    Attributes:
        name: App and scenario.
        why: What is wrong.
        pairs: How many instances on profiles it concerns.
    """

    name: str
    why: str
    pairs: int = 0


def write_tables(proof: Proof, folder: Path, suite: Suite) -> list[Path]:
    """Writes what was proven. Scenarios that were not tried now keep what their table says; those that are gone, go."""
    if proof.sampled:
        raise InvalidInput("a sample proves nothing of the rest", fix="prove without --sample to write a table")
    written = []
    for table in proof.tables():
        known = [one.name for one in suite.scenarios if one.app == table.app]
        old = read_table(folder, table.app)
        new = {one.scenario for one in table.scenarios}
        kept = [one for one in (old.scenarios if old else ()) if one.scenario in known and one.scenario not in new]
        written.append(write_table(folder, table.model_copy(update={"scenarios": (*table.scenarios, *kept)})))
    return written


def check_tables(suite: Suite, scenarios: Sequence[Scenario] | None = None) -> list[Stale]:
    """What the tables of a suite do not prove of its sources as they are now; empty when all is well."""
    if suite.proofs is None:
        return [Stale(suite.name, "the suite has no proofs: Suite(proofs=FOLDER) says where they are")]
    keys = Keys(suite)
    return [one for scenario in scenarios or suite.scenarios for one in _check(suite, scenario, keys)]


def _check(suite: Suite, scenario: Scenario, keys: Keys) -> Iterator[Stale]:
    name = f"{scenario.app}/{scenario.name}"
    table: ProofTable | None = suite.proof(scenario.app)
    found = table.find(scenario.name) if table is not None else None
    if found is None:
        yield Stale(name, "not in the proof table", len(scenario.instances) * len(suite.app(scenario.app).profiles))
        return
    changed = missing = faulty = 0
    rows = {one.instance: one for one in found.instances}
    for instance in scenario.instances:
        row = rows.get(instance)
        for profile in suite.app(scenario.app).profiles:
            if row is None or not any(profile in said for said in (row.proven, row.infeasible, row.faulty)):
                missing += 1
            elif profile in row.faulty:
                faulty += 1
            elif profile in row.proven and row.proven[profile] != keys.pair(scenario, instance, profile):
                changed += 1
    for count, why in (
        (changed, "the sources have changed since it was proven"),
        (missing, "not in the proof table"),
        (faulty, "the table says that it is faulty"),
    ):
        if count:
            yield Stale(name, why, count)
