"""Plans and clarifications that are created once per task and shared by all its rollouts, in the run's folder.

If several workers need one at the same time, one creates it and the others wait on a file lock, which the kernel
releases when its holder dies. Files are written atomically, so a resumed run continues with what exists.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field

from fairground.core import InfrastructureError, Record
from fairground.rollout.disk import read_inside, write_whole, writing
from fairground.rollout.strictjson import dumps, read_record

FOLDER = "interventions"
"""Folder of these files, below the run's folder."""

_LARGEST = 4 << 20


class Plan(Record):
    """A plan for one task, as given to the agent."""

    configuration: str = Field(description="the task: what all its rollouts are paired with")
    source: Literal["fixed-plan", "learned-plan"]
    model: str = Field(description="model that wrote it")
    text: str = Field(description="the plan; empty if there was nothing to make one from")
    note: str = Field("", description="why there is no plan, or where it comes from")


class Clarification(Record):
    """A clarified instruction with its audit. It is used only if the audit is `ok`."""

    configuration: str = Field(description="the task: what all its rollouts are paired with")
    model: str = Field(description="model that wrote the clarification")
    auditor: str = Field(description="model that audited it")
    original: str
    clarified: str = Field(description="the proposed instruction, used or not")
    audit: Literal["ok", "impossible", "trivial", "harmful", "unusable"] = Field(
        description="the auditor's class; unusable: rejected by the mechanical checks, or not readable"
    )
    reason: str

    @property
    def instruction(self) -> str:
        """The instruction to give to the agent: clarified if its audit is `ok`, otherwise the original."""
        return self.clarified if self.audit == "ok" else self.original


_Kept = TypeVar("_Kept", Plan, Clarification)


def keep_plan(run: Path, configuration: str, make: Callable[[], Plan]) -> Plan:
    """Return the stored plan of a task, or create and store it. All callers get the same plan."""
    return _keep_once(run, "plan", configuration, Plan, make)


def keep_clarification(run: Path, configuration: str, make: Callable[[], Clarification]) -> Clarification:
    """Return the stored clarification of a task, or create and store it. All callers get the same one."""
    return _keep_once(run, "clarification", configuration, Clarification, make)


def read_plans(run: Path) -> dict[str, Plan]:
    """Return all plans of a run so far, by configuration."""
    return _read_all(run, "plan", Plan)


def read_clarifications(run: Path) -> dict[str, Clarification]:
    """Return all clarifications of a run so far, by configuration."""
    return _read_all(run, "clarification", Clarification)


def _keep_once(run: Path, what: str, configuration: str, kind: type[_Kept], make: Callable[[], _Kept]) -> _Kept:
    name = f"{what}-{hashlib.blake2b(configuration.encode(), digest_size=10).hexdigest()}"
    place = run / FOLDER / f"{name}.json"
    if place.exists():
        return _read(run, place.name, kind)
    with _locked(run / FOLDER / f".{name}.lock"):
        if place.exists():
            return _read(run, place.name, kind)
        record = make()
        if record.configuration != configuration:
            raise InfrastructureError(
                f"a {what} for {record.configuration} was created instead of one for {configuration}"
            )
        write_whole(place, dumps(record, indent=2))
        return record


def _read_all(run: Path, what: str, kind: type[_Kept]) -> dict[str, _Kept]:
    records = [_read(run, path.name, kind) for path in sorted((run / FOLDER).glob(f"{what}-*.json"))]
    return {record.configuration: record for record in sorted(records, key=lambda record: record.configuration)}


def _read(run: Path, name: str, kind: type[_Kept]) -> _Kept:
    return read_record(kind, read_inside(run, FOLDER, name, limit=_LARGEST), where=f"{FOLDER}/{name}")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with writing(path):
        path.parent.mkdir(exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
