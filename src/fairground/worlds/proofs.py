"""Proof tables: which instances on which profiles a suite may serve, as its package ships it.

`fairground prove` writes a table for each app: gzipped lines of JSON, sorted, the same bytes for the same findings. A
table says what was proven and of what (keys over the sources); a scenario that it does not list is not proven.
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
    """What became of near misses."""

    rejected: int = Field(0, ge=0, description="the verifier said no")
    survived: int = Field(0, ge=0, description="the verifier said yes to something that is not the solution")
    unmoved: int = Field(0, ge=0, description="ended where it began, and was rejected: counted apart")
    equivalent: int = Field(0, ge=0, description="ended as the oracle does: no near miss at all")
    not_made: int = Field(0, ge=0, description="the wrong move could not be made")

    @property
    def counted(self) -> int:
        """Near misses that say something about the verifier."""
        return self.rejected + self.survived

    @property
    def share(self) -> float | None:
        """Of those, the share that was rejected; None where there are none."""
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
    proven: dict[str, str] = Field({}, description="profile -> key of what was proven")
    infeasible: dict[str, str] = Field({}, description="profile -> why the task makes no sense with its data")
    faulty: dict[str, str] = Field({}, description="profile -> what is wrong with the scenario")


class ProvenScenario(Record):
    """One line of a table."""

    scenario: str
    kind: Literal["action", "answer"] = "action"
    mutants: MutantCount = MutantCount()
    screen: ScreenCount = ScreenCount()
    instances: tuple[ProvenInstance, ...] = ()


class ProofTable(Record):
    """What was proven of an app."""

    format: Literal[1] = 1
    suite: str
    app: str
    scenarios: tuple[ProvenScenario, ...] = ()

    def find(self, scenario: str) -> ProvenScenario | None:
        """What is known of a scenario."""
        return next((one for one in self.scenarios if one.scenario == scenario), None)

    def why_not(self, scenario: str, instance: str, profile: str) -> str | None:
        """Why this may not be served; None when it is proven."""
        found = self.find(scenario)
        one = next((one for one in found.instances if one.instance == instance), None) if found else None
        if one is None:
            return "it has not been proven yet"
        if profile in one.proven:
            return None
        if profile in one.infeasible:
            return f"the task makes no sense with this profile: {one.infeasible[profile]}"
        if profile in one.faulty:
            return f"its proof failed: {one.faulty[profile]}"
        return "it has not been proven yet on this profile"


def table_path(folder: Path, app: str) -> Path:
    """Where the table of an app lies."""
    return folder / f"{app}.jsonl.gz"


def write_table(folder: Path, table: ProofTable) -> Path:
    """Writes a table; whole or not at all, and the same bytes for the same findings."""
    head = {"format": table.format, "suite": table.suite, "app": table.app}
    lines = [head, *(_sorted(one).plain() for one in sorted(table.scenarios, key=lambda one: one.scenario))]
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
    """The table of an app; None when there is none."""
    path = table_path(folder, app)
    try:
        info = path.stat()
    except FileNotFoundError:
        return None
    return _read(path, info.st_mtime_ns, info.st_size)


def _sorted(one: ProvenScenario) -> ProvenScenario:
    return one.model_copy(update={"instances": tuple(sorted(one.instances, key=lambda row: row.instance))})


@lru_cache(maxsize=64)
def _read(path: Path, _modified: int, _size: int) -> ProofTable:
    try:
        with gzip.open(path) as file:
            text = file.read(_MAX_TABLE + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{path} is not a proof table: {error}", fix="write it again: fairground prove") from None
    if len(text) > _MAX_TABLE:
        raise InvalidInput(f"{path} is larger than {_MAX_TABLE >> 20} MB")
    head, *rows = [parse_json(line, where=str(path)) for line in text.splitlines()] or [{}]
    facts: Mapping[str, object] = head if isinstance(head, dict) else {}
    return ProofTable.parse({**facts, "scenarios": rows}, where=str(path))
