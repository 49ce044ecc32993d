"""Checklists for model judges: data that an author writes, a scenario provides, or a file contains."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from fairground.core.configuration import fingerprint
from fairground.core.strict import Record


class ChecklistItem(Record):
    """One statement that is either true or false of an attempt."""

    name: str = Field(
        min_length=1,
        max_length=200,
        description="short and unique; equal to the name of the state check it corresponds to, if any",
    )
    must: str = Field("", max_length=2_000, description="what must hold, in a sentence; if empty, the name says it")
    weight: float | None = Field(None, ge=0, le=1e6, description="share of the reward; default 1, or 0 for a guard")
    integrity: bool = Field(False, description="a guard: if it is violated, the reward is 0")

    @property
    def claim(self) -> str:
        """What must hold: `must`, or the name if that is empty."""
        return self.must or self.name

    @property
    def share(self) -> float:
        """The effective weight: `weight`, or its default."""
        if self.weight is not None:
            return self.weight
        return 0.0 if self.integrity else 1.0


class Checklist(Record):
    """Weighted items, and facts for the judge that agents never see."""

    items: tuple[ChecklistItem, ...] = Field(min_length=1, max_length=100)
    privileged: str = Field(
        "", max_length=20_000, description="facts known from how the world was built; never shown to an agent"
    )

    @model_validator(mode="after")
    def _can_be_added_up(self) -> Self:
        names = [item.name for item in self.items]
        if len(set(names)) < len(names):
            raise ValueError(f"items: {next(name for name in names if names.count(name) > 1)!r} appears twice")
        if not any(item.share for item in self.items):
            raise ValueError("items: at least one needs a weight above 0")
        return self

    @property
    def digest(self) -> str:
        """Content digest: equal for the same items, weights and facts."""
        return fingerprint(self.plain())
