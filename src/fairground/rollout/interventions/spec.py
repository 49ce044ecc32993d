"""Intervention records, as stored in a run's folder and written in study files and on the command line.

Each intervention is one record. A run's condition is an ordered list of them.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from fairground.core import Record


class Deterministic(Record):
    """Repeatable decisions: models decode greedily with a fixed seed, and random agents have one seed per task."""

    name: Literal["deterministic"] = "deterministic"


class FixedPlan(Record):
    """Follow one plan in every rollout. The plan is sampled once per task from the instruction and the first frame."""

    name: Literal["fixed-plan"] = "fixed-plan"
    model: str = Field(description="model that plans: vendor:MODEL")


class Perturbed(Record):
    """Vary the appearance: each rollout after the first has another theme, drawn from the app's themes."""

    name: Literal["perturbed"] = "perturbed"


class Clarified(Record):
    """Use instructions that say what the checks look for, audited before use: not impossible, trivial or harmful."""

    name: Literal["clarified"] = "clarified"
    model: str = Field(description="model that clarifies: vendor:MODEL")
    auditor: str = Field("", description="model that audits the clarification; default: the same model")


class Retry(Record):
    """Let the agent continue after a failure, with feedback: that it failed, or what a user would say."""

    name: Literal["retry"] = "retry"
    feedback: Literal["binary", "simulator"] = "binary"
    model: str = Field("", description="model of the user simulator: vendor:MODEL")
    rounds: int = Field(5, ge=1, le=100, description="maximum number of retries")


class LearnedPlan(Record):
    """Give the agent a plan per task, learned from episodes of earlier runs and refined in each iteration."""

    name: Literal["learned-plan"] = "learned-plan"
    model: str = Field(description="model that reads the episodes: vendor:MODEL")
    learn_from: Literal["both", "failures", "history"] = Field(
        "both", description="successes and failures; failures only; or all earlier iterations"
    )
    runs: tuple[str, ...] = Field((), description="folders of the earlier runs, latest last")


class Audited(Record):
    """Let another model review the frames when the agent is done, without its reasoning. It may object."""

    name: Literal["audited"] = "audited"
    model: str = Field(description="model that audits: vendor:MODEL")
    rounds: int = Field(2, ge=1, le=100, description="maximum number of objections")


Intervention: TypeAlias = Annotated[
    Deterministic | FixedPlan | Perturbed | Clarified | Retry | LearnedPlan | Audited, Field(discriminator="name")
]
