"""The results of proving a suite, as shown by pages, tables and commands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fairground.core import fingerprint
from fairground.prove.findings import AgentScore, Fault, MutantProof, PairProof, ScreenProof, Status, Survivor
from fairground.prove.keys import made_with
from fairground.worlds import MutantCount, ProofTable, ProvenInstance, ProvenScenario, ScreenCount, Suite
from fairground.worlds.proof_keys import KEY

_DETAIL = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")  # names and numbers in a message


@dataclass
class ScenarioProof:
    """Results for a scenario.

    Attributes:
        app: Its app.
        scenario: Its name.
        kind: `action` or `answer`.
        looks: Number of combinations of theme and UI state.
        wanted: Number of combinations of instance and profile.
        pairs: Result by instance and profile.
        keys: Cache key by instance and profile.
        mutants: Results for the mutants of some pairs.
        screens: Results of the oracle on real screens.
        errors: Infrastructure errors by configuration. Nothing is known about these.
        units: Units of code that took part, with their digests.
        mutant_keys: Keys of the mutants that were tried.
        screen_keys: Keys of the runs on screens.
    """

    app: str
    scenario: str
    kind: str
    looks: int
    wanted: int
    pairs: dict[tuple[str, str], PairProof] = field(default_factory=dict)
    keys: dict[tuple[str, str], str] = field(default_factory=dict)
    mutants: list[MutantProof] = field(default_factory=list)
    screens: list[ScreenProof] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    units: set[str] = field(default_factory=set)
    mutant_keys: list[str] = field(default_factory=list)
    screen_keys: list[str] = field(default_factory=list)

    def add(self, pair: tuple[str, str], result: PairProof) -> None:
        """Add the result for an instance and a profile."""
        self.pairs[pair] = result
        self.units.update(result.units)

    def add_mutants(self, key: str, result: MutantProof) -> None:
        """Add the result for the mutants of a pair."""
        self.mutants.append(result)
        self.mutant_keys.append(key)
        self.units.update(result.units)

    def add_screen(self, key: str, result: ScreenProof) -> None:
        """Add the result of a run on a screen."""
        self.screens.append(result)
        self.screen_keys.append(key)
        self.units.update(result.units)

    @property
    def name(self) -> str:
        """App and scenario."""
        return f"{self.app}/{self.scenario}"

    def count(self, status: Status) -> int:
        """Return the number of pairs with this status."""
        return sum(pair.status is status for pair in self.pairs.values())

    @property
    def proven(self) -> int:
        """Number of proven configurations."""
        return self.count(Status.PROVEN) * self.looks

    @property
    def mutant_count(self) -> MutantCount:
        """Counts of its mutants."""
        return sum((proof.count for proof in self.mutants), MutantCount())

    @property
    def survivors(self) -> list[Survivor]:
        """Mutants that its verifier accepts as the solution."""
        return [survivor for proof in self.mutants for survivor in proof.survivors]

    @property
    def faults(self) -> dict[tuple[Fault, str], list[tuple[str, str]]]:
        """Faults with an example message, and the instances and profiles that have them.

        Messages that differ only in numbers and names count as the same fault.
        """
        by_message: dict[tuple[Fault, str], list[tuple[str, str]]] = {}
        examples: dict[tuple[Fault, str], str] = {}
        for pair, result in self.pairs.items():
            if result.status is Status.FAULTY and result.fault is not None:
                example = examples.setdefault((result.fault, _DETAIL.sub("", result.message)[:80]), result.message)
                by_message.setdefault((result.fault, example), []).append(pair)
        return by_message

    @property
    def nowhere(self) -> dict[str, str]:
        """Instances that are feasible on no profile, with a reason. They are never served."""
        by_instance: dict[str, list[PairProof]] = {}
        for (instance, _), result in self.pairs.items():
            by_instance.setdefault(instance, []).append(result)
        return {
            instance: results[0].message
            for instance, results in by_instance.items()
            if all(each.status is Status.INFEASIBLE for each in results)
        }

    def line(self, made_with: Mapping[str, str]) -> ProvenScenario:
        """Return the scenario's line of a proof table."""
        rows: dict[str, dict[str, dict[str, str]]] = {}
        for (instance, profile), result in self.pairs.items():
            row = rows.setdefault(instance, {status.value: {} for status in Status})
            row[result.status.value][profile] = (
                self.keys[instance, profile] if result.status is Status.PROVEN else result.reason[:160]
            )
        instances = tuple(ProvenInstance(instance=name, **row) for name, row in sorted(rows.items()))
        screen = ScreenCount(solved=sum(proof.solved for proof in self.screens), tried=len(self.screens))
        facts = {"scenario": self.scenario, "kind": self.kind, "mutants": self.mutant_count, "screen": screen}
        keys = {"mutants_key": joined_key(self.mutant_keys), "screen_key": joined_key(self.screen_keys)}
        traced = {"made_with": dict(made_with), "units": tuple(sorted(self.units))}
        return ProvenScenario.model_validate({**facts, **keys, **traced, "instances": instances})


def joined_key(keys: Iterable[str]) -> str:
    """Return one key for several, in any order."""
    return fingerprint(sorted(keys))[:KEY]


@dataclass
class Proof:
    """Results for a suite or a part of it."""

    suite: str
    version: str
    scenarios: list[ScenarioProof]
    sampled: bool = False
    seconds: float = 0.0
    reused: int = 0
    """Number of cached results that were used."""
    agents: list[AgentScore] = field(default_factory=list)

    def tables(self, suite: Suite) -> Iterator[ProofTable]:
        """Yield a table for each app."""
        for name in dict.fromkeys(scenario.app for scenario in self.scenarios):
            made = made_with(suite.app(name))
            lines = tuple(scenario.line(made) for scenario in self.scenarios if scenario.app == name)
            yield ProofTable(suite=self.suite, app=name, scenarios=lines)

    @property
    def mutants(self) -> MutantCount:
        """Counts of all mutants."""
        return sum((scenario.mutant_count for scenario in self.scenarios), MutantCount())

    @property
    def sound(self) -> bool:
        """Whether nothing is faulty or errored, and every oracle solved its task on every screen that was tried.

        Surviving mutants are not a fault by themselves: some are a matter of opinion.
        """
        return all(
            not scenario.count(Status.FAULTY)
            and not scenario.errors
            and not any(mutants.error for mutants in scenario.mutants)
            and all(screen.solved for screen in scenario.screens)
            and (self.sampled or len(scenario.pairs) == scenario.wanted)
            for scenario in self.scenarios
        )

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON."""
        return {
            "suite": self.suite,
            "version": self.version,
            "sound": self.sound,
            "sampled": self.sampled,
            "seconds": round(self.seconds, 1),
            "reused": self.reused,
            "totals": _figures(self.scenarios),
            "apps": {
                app: _figures([scenario for scenario in self.scenarios if scenario.app == app])
                for app in dict.fromkeys(scenario.app for scenario in self.scenarios)
            },
            "scenarios": [_about(scenario) for scenario in self.scenarios],
            "agents": [agent.plain() for agent in self.agents],
        }


def _figures(scenarios: Iterable[ScenarioProof]) -> dict[str, Any]:
    listed = list(scenarios)
    mutants = sum((scenario.mutant_count for scenario in listed), MutantCount())
    kinds = Counter(scenario.kind for scenario in listed)
    return {
        "scenarios": len(listed),
        "action": kinds["action"],
        "answer": kinds["answer"],
        "instances": sum(len({instance for instance, _ in scenario.pairs}) for scenario in listed),
        "pairs": sum(len(scenario.pairs) for scenario in listed),
        **{status.value: sum(scenario.count(status) for scenario in listed) for status in Status},
        "errors": sum(len(scenario.errors) for scenario in listed),
        "proven_configurations": sum(scenario.proven for scenario in listed),
        "mutants": {**mutants.plain(), "share_rejected": mutants.share},
        "screen": {
            "solved": sum(screen.solved for scenario in listed for screen in scenario.screens),
            "tried": sum(len(scenario.screens) for scenario in listed),
        },
    }


def _about(proof: ScenarioProof) -> dict[str, Any]:
    faults = [
        {"fault": fault.value, "message": message, "pairs": len(pairs), "example": "@".join(pairs[0])}
        for (fault, message), pairs in proof.faults.items()
    ]
    return {
        "scenario": proof.name,
        "kind": proof.kind,
        **{status.value: proof.count(status) for status in Status},
        "proven_configurations": proof.proven,
        "faults": faults,
        "nowhere": proof.nowhere,
        "errors": proof.errors,
        "mutants": {**proof.mutant_count.plain(), "share_rejected": proof.mutant_count.share},
        "survivors": [survivor.plain() for survivor in proof.survivors],
        "screen_failures": [
            {key: value for key, value in screen.plain().items() if key != "picture"}
            for screen in proof.screens
            if not screen.solved
        ],
    }
