"""What is made once for a task and then the same in all its rollouts, kept in the run's folder.

However many workers want it at once, one makes it: the others wait at a lock that the kernel lets go of when its holder
dies. A file appears whole, so a kill leaves it or nothing, and a resumed run goes on with what is there.
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
"""Where these files are, below the run's folder."""

_LARGEST = 4 << 20


class Plan(Record):
    """A plan for one task."""

    configuration: str = Field(description="the task: what all its rollouts are paired with")
    source: Literal["fixed-plan", "learned-plan"]
    model: str = Field(description="who made it")
    text: str = Field(description="empty: there was nothing to make one from")
    note: str = Field("", description="why there is none, or where it comes from")


class Clarification(Record):
    """A clarified instruction with its audit; used only when it is `ok`."""

    configuration: str = Field(description="the task: what all its rollouts are paired with")
    model: str = Field(description="who clarified")
    auditor: str = Field(description="who audited; the mechanical guard asks nobody")
    original: str
    clarified: str = Field(description="what was proposed, used or not")
    audit: Literal["ok", "impossible", "trivial", "harmful", "unusable"] = Field(
        description="the auditor's class; unusable: it did not get past the guard, or nobody could read it"
    )
    reason: str

    @property
    def instruction(self) -> str:
        """What the agent is told."""
        return self.clarified if self.audit == "ok" else self.original


_Kept = TypeVar("_Kept", Plan, Clarification)


def keep_plan(run: Path, configuration: str, make: Callable[[], Plan]) -> Plan:
    """The plan that is kept for a task, or the one that is made now; the same for all who ask."""
    return _keep_once(run, "plan", configuration, Plan, make)


def keep_clarification(run: Path, configuration: str, make: Callable[[], Clarification]) -> Clarification:
    """The clarification that is kept for a task, or the one that is made now; the same for all who ask."""
    return _keep_once(run, "clarification", configuration, Clarification, make)


def read_plans(run: Path) -> dict[str, Plan]:
    """All plans of a run so far, by the configuration they are for."""
    return _read_all(run, "plan", Plan)


def read_clarifications(run: Path) -> dict[str, Clarification]:
    """All clarifications of a run so far, by the configuration they are for."""
    return _read_all(run, "clarification", Clarification)


def _keep_once(run: Path, what: str, configuration: str, kind: type[_Kept], make: Callable[[], _Kept]) -> _Kept:
    name = f"{what}-{hashlib.blake2b(configuration.encode(), digest_size=10).hexdigest()}"
    place = run / FOLDER / f"{name}.json"
    if place.exists():
        return _read(run, place.name, kind)
    with _locked(run / FOLDER / f".{name}.lock"):
        if place.exists():
            return _read(run, place.name, kind)
        made = make()
        if made.configuration != configuration:
            raise InfrastructureError(f"a {what} for {made.configuration} was made for {configuration}")
        write_whole(place, dumps(made, indent=2))
        return made


def _read_all(run: Path, what: str, kind: type[_Kept]) -> dict[str, _Kept]:
    found = [_read(run, path.name, kind) for path in sorted((run / FOLDER).glob(f"{what}-*.json"))]
    return {one.configuration: one for one in sorted(found, key=lambda one: one.configuration)}


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
