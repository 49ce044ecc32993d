"""Checks with evidence, the verdict that they add up to, and the outcome of an episode."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from fairground.core.anytext import printable_data
from fairground.core.errors import InvalidConfiguration
from fairground.core.strict import Record


class Outcome(StrEnum):
    """The outcome of an episode. Only passed and failed are results; errored and invalid never count as a score."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    INVALID = "invalid"

    @property
    def scored(self) -> bool:
        """Whether the outcome counts for or against the agent."""
        return self in (Outcome.PASSED, Outcome.FAILED)


class Check(Record):
    """One criterion and whether it passed, with what was expected and what was found.

    Attributes:
        passed: Whether the recorded state meets the criterion.
        expected: What the criterion asks for.
        found: What the recorded state contains.
    """

    name: str = Field(min_length=1, description="what was checked, in words")
    passed: bool
    weight: float = Field(1.0, ge=0, le=1e6, description="share of the reward; 0 for guards")
    expected: Any = None
    found: Any = None
    integrity: bool = Field(False, description="a guard (nothing else changed): if it fails, the reward is 0")
    weak: bool = Field(
        False, description="weak evidence: the answer of a running program, which the agent could have replaced"
    )

    def as_weak(self) -> Self:
        """Return the check marked as weak evidence."""
        return self.model_copy(update={"weak": True})

    @field_validator("name", "expected", "found", mode="before")
    @classmethod
    def _can_be_written_down(cls, value: Any) -> Any:
        return printable_data(value)  # names of files that an agent left may contain any bytes


class Verdict(Record):
    """The result of all checks of an attempt.

    Attributes:
        checks: All checks, in the order in which the scenario lists them.
    """

    checks: tuple[Check, ...]
    reward: float = Field(ge=0, le=1, description="weighted share of checks passed; 0 when integrity fails")
    success: bool = Field(description="every check passed")
    integrity: bool = Field(True, description="no guard failed")

    @model_validator(mode="after")
    def _follows_from_its_checks(self) -> Self:
        reward, success, integrity = _add_up(self.checks)
        if (success, integrity) != (self.success, self.integrity) or abs(reward - self.reward) > 1e-9:
            raise ValueError(
                f"does not follow from its checks: they give reward {reward:g}, success {success}, "
                f"integrity {integrity}"
            )
        return self

    @classmethod
    def of(cls, checks: Iterable[Check]) -> Self:
        """Add checks up to a verdict.

        Raises:
            InvalidConfiguration: No check has a weight above 0, which is a mistake in the scenario.
        """
        decided = tuple(checks)
        try:
            reward, success, integrity = _add_up(decided)
        except ValueError as error:
            raise InvalidConfiguration(str(error)) from None
        return cls(checks=decided, reward=reward, success=success, integrity=integrity)


def _add_up(checks: tuple[Check, ...]) -> tuple[float, bool, bool]:
    total = sum(check.weight for check in checks)
    if total <= 0:
        raise ValueError("a verdict needs at least one check with a weight above 0")
    integrity = all(check.passed for check in checks if check.integrity)
    success = all(check.passed for check in checks)
    earned = sum(check.weight for check in checks if check.passed)
    # Exactly 1.0 on success, without rounding errors of weights such as 0.1.
    return 1.0 if success else (min(earned / total, 1.0) if integrity else 0.0), success, integrity
