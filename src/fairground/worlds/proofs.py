"""Proof tables: which instances on which profiles a suite may serve. A suite's package includes them.

`fairground prove` writes a table per app: gzipped lines of JSON, sorted, the same bytes for the same findings. A table
states what was proven, with cache keys over the sources. A scenario that is not in the table is not proven.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from fairground.core import InvalidInput, Record, parse_json

FORMAT = 1
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
    """One line of a table."""

    scenario: str
    kind: Literal["action", "answer"] = "action"
    mutants: MutantCount = MutantCount()
    screen: ScreenCount = ScreenCount()
    instances: tuple[ProvenInstance, ...] = ()


class ProofTable(Record):
    """The proof table of an app."""

    format: Literal[1] = 1
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
    return folder / f"{app}.jsonl.gz"


def write_table(folder: Path, table: ProofTable) -> Path:
    """Write a table atomically. Equal findings give equal bytes."""
    head = {"format": table.format, "suite": table.suite, "app": table.app}
    lines = [head, *(_sorted(scenario).plain() for scenario in sorted(table.scenarios, key=lambda row: row.scenario))]
    text = "".join(json.dumps(line, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=0) as file:
        file.write(text.encode())
    path = table_path(folder, table.app)
    folder.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(packed.getvalue())
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
    try:
        with gzip.open(path) as file:
            text = file.read(_MAX_TABLE + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(
            f"{path} is not a proof table: {error}", fix="run fairground prove to write it again"
        ) from None
    if len(text) > _MAX_TABLE:
        raise InvalidInput(f"{path} is larger than {_MAX_TABLE >> 20} MB")
    head, *rows = [parse_json(line, where=str(path)) for line in text.splitlines()] or [{}]
    facts: Mapping[str, object] = head if isinstance(head, dict) else {}
    return ProofTable.parse({**facts, "scenarios": rows}, where=str(path))
