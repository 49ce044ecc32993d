"""What a judge is asked about an attempt: data that an author writes, a scenario gives, or a file holds."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from fairground.core.configuration import fingerprint
from fairground.core.strict import Record


class ChecklistItem(Record):
    """One thing that can be said to be so or not."""

    name: str = Field(min_length=1, max_length=200, description="short and unique; the same as of a state check it is")
    must: str = Field("", max_length=2_000, description="what must be so, in a sentence; empty: what the name says")
    weight: float | None = Field(None, ge=0, le=1e6, description="share of the reward; absent: 1, and 0 for a guard")
    integrity: bool = Field(False, description="a guard: where it is violated, the reward is 0")

    @property
    def claim(self) -> str:
        """What must be so."""
        return self.must or self.name

    @property
    def share(self) -> float:
        """The weight that counts."""
        if self.weight is not None:
            return self.weight
        return 0.0 if self.integrity else 1.0


class Checklist(Record):
    """Weighted items, and what a judge may know that no agent was told."""

    items: tuple[ChecklistItem, ...] = Field(min_length=1, max_length=100)
    privileged: str = Field(
        "", max_length=20_000, description="facts that follow from how the world was made; never shown to an agent"
    )

    @model_validator(mode="after")
    def _can_be_added_up(self) -> Self:
        names = [item.name for item in self.items]
        if len(set(names)) < len(names):
            raise ValueError(f"items: {next(name for name in names if names.count(name) > 1)!r} is there twice")
        if not any(item.share for item in self.items):
            raise ValueError("items: at least one needs a weight above 0")
        return self

    @property
    def digest(self) -> str:
        """A name for what it asks: the same for the same items, weights and facts."""
        return fingerprint(self.plain())
