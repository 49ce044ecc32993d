"""One line of the checklist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from fairground.core import Record

Status = Literal["passed", "failed", "not applicable", "not tried"]

_LISTED = 6


class Item(Record):
    """One thing that was asked of an app."""

    name: str = Field(description="short and stable")
    asks: str = Field(description="what must be so, in words")
    status: Status
    evidence: str = Field("", description="what was found")
    fix: str = Field("", description="what to do about it, when it failed")


def decided(name: str, asks: str, faults: Sequence[str], evidence: str, fix: str) -> Item:
    """Passed with its evidence when there are no faults, and failed with them."""
    if not faults:
        return Item(name=name, asks=asks, status="passed", evidence=evidence)
    return Item(name=name, asks=asks, status="failed", evidence=listed(faults, "; "), fix=fix)


def listed(some: Sequence[str], between: str = ", ") -> str:
    """The first few of many, and how many more there are."""
    more = f"{between}and {len(some) - _LISTED} more" if len(some) > _LISTED else ""
    return between.join(some[:_LISTED]) + more


def counted(number: int, what: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
