"""One item of the app checklist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from fairground.core import Record

Status = Literal["passed", "failed", "not applicable", "not tried"]

_LISTED = 6


class Item(Record):
    """One requirement for an app, with the result of checking it."""

    name: str = Field(description="short, stable name")
    asks: str = Field(description="the requirement")
    status: Status
    evidence: str = Field("", description="what was found")
    fix: str = Field("", description="what to do if it failed")


def decided(name: str, asks: str, faults: Sequence[str], evidence: str, fix: str) -> Item:
    """Return a passed item with its evidence, or a failed item with its faults."""
    if not faults:
        return Item(name=name, asks=asks, status="passed", evidence=evidence)
    return Item(name=name, asks=asks, status="failed", evidence=listed(faults, "; "), fix=fix)


def listed(some: Sequence[str], between: str = ", ") -> str:
    """Join the first few texts, and say how many more there are."""
    more = f"{between}and {len(some) - _LISTED} more" if len(some) > _LISTED else ""
    return between.join(some[:_LISTED]) + more


def counted(number: int, what: str) -> str:
    """Return a number with its noun, such as "3 endpoints"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
