"""What was found of a suite, put together: what pages, tables and commands show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fairground.prove.findings import AgentScore, Fault, MutantProof, PairProof, ScreenProof, Status, Survivor
from fairground.worlds import MutantCount, ProofTable, ProvenInstance, ProvenScenario, ScreenCount

_DETAIL = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")  # of a message: names and numbers


@dataclass
class ScenarioProof:
    """What was found of a scenario.

    Attributes:
        app: Its app.
        scenario: Its name.
        kind: `action` or `answer`.
        looks: Themes times UI states of its app.
        wanted: Instances on profiles that there are.
        pairs: What was found of each, by instance and profile.
        keys: Content key of each.
        mutants: Of some of them.
        screens: The oracle on real screens.
        errors: What the machine was at fault for, by configuration: nothing is known of these.
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

    @property
    def name(self) -> str:
        """App and scenario."""
        return f"{self.app}/{self.scenario}"

    def count(self, status: Status) -> int:
        """Instances on profiles that are so."""
        return sum(one.status is status for one in self.pairs.values())

    @property
    def proven(self) -> int:
        """Proven configurations."""
        return self.count(Status.PROVEN) * self.looks

    @property
    def mutant_count(self) -> MutantCount:
        """What became of its mutants."""
        return sum((one.count for one in self.mutants), MutantCount())

    @property
    def survivors(self) -> list[Survivor]:
        """Mutants that its verifier takes for the solution."""
        return [one for proof in self.mutants for one in proof.survivors]

    @property
    def faults(self) -> dict[tuple[Fault, str], list[tuple[str, str]]]:
        """Faults with an example of what was said, and the instances and profiles that have them.

        What was said in the same words of other numbers and names is the same fault.
        """
        found: dict[tuple[Fault, str], list[tuple[str, str]]] = {}
        examples: dict[tuple[Fault, str], str] = {}
        for pair, one in self.pairs.items():
            if one.status is Status.FAULTY and one.fault is not None:
                example = examples.setdefault((one.fault, _DETAIL.sub("", one.message)[:80]), one.message)
                found.setdefault((one.fault, example), []).append(pair)
        return found

    @property
    def nowhere(self) -> dict[str, str]:
        """Instances that make sense on no profile, with a reason: nobody will ever be asked them."""
        found: dict[str, list[PairProof]] = {}
        for (instance, _), one in self.pairs.items():
            found.setdefault(instance, []).append(one)
        return {
            instance: ones[0].message
            for instance, ones in found.items()
            if all(one.status is Status.INFEASIBLE for one in ones)
        }

    def line(self) -> ProvenScenario:
        """The scenario's line of a proof table."""
        rows: dict[str, dict[str, dict[str, str]]] = {}
        for (instance, profile), one in self.pairs.items():
            row = rows.setdefault(instance, {status.value: {} for status in Status})
            row[one.status.value][profile] = (
                self.keys[instance, profile] if one.status is Status.PROVEN else one.reason[:160]
            )
        instances = tuple(ProvenInstance(instance=name, **row) for name, row in sorted(rows.items()))
        screen = ScreenCount(solved=sum(one.solved for one in self.screens), tried=len(self.screens))
        facts = {"scenario": self.scenario, "kind": self.kind, "mutants": self.mutant_count, "screen": screen}
        return ProvenScenario.model_validate({**facts, "instances": instances})


@dataclass
class Proof:
    """What was found of a suite, or of a part of it."""

    suite: str
    version: str
    scenarios: list[ScenarioProof]
    sampled: bool = False
    seconds: float = 0.0
    reused: int = 0
    """Results that were known before."""
    agents: list[AgentScore] = field(default_factory=list)

    def tables(self) -> Iterator[ProofTable]:
        """A table for each app."""
        for app in dict.fromkeys(one.app for one in self.scenarios):
            lines = tuple(one.line() for one in self.scenarios if one.app == app)
            yield ProofTable(suite=self.suite, app=app, scenarios=lines)

    @property
    def mutants(self) -> MutantCount:
        """What became of all mutants."""
        return sum((one.mutant_count for one in self.scenarios), MutantCount())

    @property
    def sound(self) -> bool:
        """Whether nothing is faulty, nothing errored, and every oracle solved its task on every screen it was tried on.

        Survivors among the mutants are no fault by themselves: some are a matter of opinion.
        """
        return all(
            not one.count(Status.FAULTY)
            and not one.errors
            and not any(mutants.error for mutants in one.mutants)
            and all(screen.solved for screen in one.screens)
            and (self.sampled or len(one.pairs) == one.wanted)
            for one in self.scenarios
        )

    def summary(self) -> dict[str, Any]:
        """The figures, JSON-ready."""
        return {
            "suite": self.suite,
            "version": self.version,
            "sound": self.sound,
            "sampled": self.sampled,
            "seconds": round(self.seconds, 1),
            "reused": self.reused,
            "totals": _figures(self.scenarios),
            "apps": {
                app: _figures([one for one in self.scenarios if one.app == app])
                for app in dict.fromkeys(one.app for one in self.scenarios)
            },
            "scenarios": [_about(one) for one in self.scenarios],
            "agents": [one.plain() for one in self.agents],
        }


def _figures(scenarios: Iterable[ScenarioProof]) -> dict[str, Any]:
    found = list(scenarios)
    mutants = sum((one.mutant_count for one in found), MutantCount())
    kinds = Counter(one.kind for one in found)
    return {
        "scenarios": len(found),
        "action": kinds["action"],
        "answer": kinds["answer"],
        "instances": sum(len({instance for instance, _ in one.pairs}) for one in found),
        "pairs": sum(len(one.pairs) for one in found),
        **{status.value: sum(one.count(status) for one in found) for status in Status},
        "errors": sum(len(one.errors) for one in found),
        "proven_configurations": sum(one.proven for one in found),
        "mutants": {**mutants.plain(), "share_rejected": mutants.share},
        "screen": {
            "solved": sum(screen.solved for one in found for screen in one.screens),
            "tried": sum(len(one.screens) for one in found),
        },
    }


def _about(one: ScenarioProof) -> dict[str, Any]:
    faults = [
        {"fault": fault.value, "message": message, "pairs": len(pairs), "example": "@".join(pairs[0])}
        for (fault, message), pairs in one.faults.items()
    ]
    return {
        "scenario": one.name,
        "kind": one.kind,
        **{status.value: one.count(status) for status in Status},
        "proven_configurations": one.proven,
        "faults": faults,
        "nowhere": one.nowhere,
        "errors": one.errors,
        "mutants": {**one.mutant_count.plain(), "share_rejected": one.mutant_count.share},
        "survivors": [survivor.plain() for survivor in one.survivors],
        "screen_failures": [
            {key: value for key, value in screen.plain().items() if key != "picture"}
            for screen in one.screens
            if not screen.solved
        ],
    }
