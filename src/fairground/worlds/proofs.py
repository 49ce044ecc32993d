"""Proof tables: which instances on which profiles a suite may serve. A suite's package includes them.

`fairground prove` writes a table per app: lines of JSON, sorted, the same bytes for the same findings. A table states
what was proven, and of which sources: keys over the app and its data, and the units of code that took part with their
digests. A scenario that is not in the table is not proven.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from fairground.core import InvalidInput, Record, parse_json

FORMAT = 2
_MAX_TABLE = 64 << 20


class MutantCount(Record):
    """Results of near misses."""

    rejected: int = Field(0, ge=0, description="the verifier rejected it")
    survived: int = Field(0, ge=0, description="the verifier accepted something that is not the solution")
    unmoved: int = Field(0, ge=0, description="ended in the initial state, and was rejected; counted separately")
    equivalent: int = Field(0, ge=0, description="ended like the oracle, so it is not a near miss")
    not_made: int = Field(0, ge=0, description="the wrong move could not be performed")

    @property
    def counted(self) -> int:
        """Near misses that test the verifier."""
        return self.rejected + self.survived

    @property
    def share(self) -> float | None:
        """The share of those that was rejected; None if there are none."""
        return self.rejected / self.counted if self.counted else None

    def __add__(self, other: MutantCount) -> MutantCount:
        return MutantCount(**{name: getattr(self, name) + getattr(other, name) for name in MutantCount.model_fields})


class ScreenCount(Record):
    """How often the oracle was tried on a real screen."""

    solved: int = Field(0, ge=0)
    tried: int = Field(0, ge=0)


class ProvenInstance(Record):
    """One instance, on every profile of its app."""

    instance: str
    proven: dict[str, str] = Field({}, description="profile -> cache key of the proof")
    infeasible: dict[str, str] = Field({}, description="profile -> why the task is not possible with its data")
    faulty: dict[str, str] = Field({}, description="profile -> what is wrong with the scenario")


class ProvenScenario(Record):
    """One line of a table.

    Attributes:
        scenario: Name of the scenario.
        kind: `action` or `answer`.
        mutants: How many near misses were tried and rejected.
        screen: How many configurations the oracle solved on a real screen.
        instances: The result of each instance, by profile.
    """

    scenario: str
    kind: Literal["action", "answer"] = "action"
    mutants: MutantCount = MutantCount()
    mutants_key: str = Field("", description="key of the near misses that were tried")
    screen: ScreenCount = ScreenCount()
    screen_key: str = Field("", description="key of the runs on screens")
    made_with: dict[str, str] = Field({}, description="versions of the packages, and digest of our input driver")
    units: tuple[str, ...] = Field((), description="units of code that took part, as `module:unit digest`")
    instances: tuple[ProvenInstance, ...] = ()


class ProofTable(Record):
    """The proof table of an app."""

    format: Literal[2] = 2
    suite: str
    app: str
    scenarios: tuple[ProvenScenario, ...] = ()

    def find(self, scenario: str) -> ProvenScenario | None:
        """Return the row of a scenario, or None."""
        return next((row for row in self.scenarios if row.scenario == scenario), None)

    def why_not(self, scenario: str, instance: str, profile: str) -> str | None:
        """Return why this may not be served; None if it is proven."""
        row = self.find(scenario)
        entry = (
            next((instance_row for instance_row in row.instances if instance_row.instance == instance), None)
            if row
            else None
        )
        if entry is None:
            return "it has not been proven yet"
        if profile in entry.proven:
            return None
        if profile in entry.infeasible:
            return f"the task is not possible with this profile: {entry.infeasible[profile]}"
        if profile in entry.faulty:
            return f"its proof failed: {entry.faulty[profile]}"
        return "it has not been proven yet on this profile"


def table_path(folder: Path, app: str) -> Path:
    """Return the path of an app's table."""
    return folder / f"{app}.jsonl"


def write_table(folder: Path, table: ProofTable) -> Path:
    """Write a table atomically. Equal findings give equal bytes."""
    units = sorted({unit for scenario in table.scenarios for unit in scenario.units})
    numbers = {unit: number for number, unit in enumerate(units)}
    lines: list[dict[str, object]] = [{"format": table.format, "suite": table.suite, "app": table.app, "units": units}]
    for scenario in sorted(table.scenarios, key=lambda row: row.scenario):
        row = _sorted(scenario).plain()
        lines.append({**row, "units": [numbers[unit] for unit in sorted(scenario.units)]})
    text = "".join(json.dumps(line, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    path = table_path(folder, table.app)
    folder.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)
    return path


def read_table(folder: Path, app: str) -> ProofTable | None:
    """Return the table of an app; None if there is none."""
    path = table_path(folder, app)
    try:
        info = path.stat()
    except FileNotFoundError:
        return None
    return _read(path, info.st_mtime_ns, info.st_size)


def _sorted(scenario: ProvenScenario) -> ProvenScenario:
    return scenario.model_copy(update={"instances": tuple(sorted(scenario.instances, key=lambda row: row.instance))})


@lru_cache(maxsize=64)
def _read(path: Path, _modified: int, _size: int) -> ProofTable:
    with path.open("rb") as file:
        text = file.read(_MAX_TABLE + 1)
    if len(text) > _MAX_TABLE:
        raise InvalidInput(f"{path} is larger than {_MAX_TABLE >> 20} MB")
    try:
        head, *rows = [parse_json(line, where=str(path)) for line in text.splitlines()]
        units = head.pop("units")
        rows = [{**row, "units": tuple(units[number] for number in row["units"])} for row in rows]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise InvalidInput(
            f"{path} is not a proof table: {error}", fix="run fairground prove to write it again"
        ) from None
    return ProofTable.parse({**head, "scenarios": rows}, where=str(path))
