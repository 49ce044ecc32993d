"""What can be changed about how an agent is run, as words: in a run's folder, a study's file, on the command line.

Each intervention is one record, named as studies name it. A run's condition is a list of them, in order.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from fairground.core import Record


class Deterministic(Record):
    """The same again each time: models decode greedily with a fixed seed, random agents have one seed a task."""

    name: Literal["deterministic"] = "deterministic"


class FixedPlan(Record):
    """A plan sampled once for each task from the instruction and the first frame, and followed in every rollout."""

    name: Literal["fixed-plan"] = "fixed-plan"
    model: str = Field(description="who plans: vendor:MODEL")


class Perturbed(Record):
    """Another look in every rollout: each after the first has another theme, drawn from the app's."""

    name: Literal["perturbed"] = "perturbed"


class Clarified(Record):
    """Instructions that say what the checks look for, audited before use: not impossible, trivial or harmful."""

    name: Literal["clarified"] = "clarified"
    model: str = Field(description="who clarifies: vendor:MODEL")
    auditor: str = Field("", description="who audits the clarification; the same model unless named")


class Retry(Record):
    """After a failure the agent is told and goes on where it is: that it failed, or what a user would say."""

    name: Literal["retry"] = "retry"
    feedback: Literal["binary", "simulator"] = "binary"
    model: str = Field("", description="the user simulator's: vendor:MODEL")
    rounds: int = Field(5, ge=1, le=100, description="how often an agent may be sent back")


class LearnedPlan(Record):
    """A plan for each task, drawn from episodes of earlier runs, and refined from one iteration to the next."""

    name: Literal["learned-plan"] = "learned-plan"
    model: str = Field(description="who reads the episodes: vendor:MODEL")
    learn_from: Literal["both", "failures", "history"] = Field(
        "both", description="successes and failures; failures only; or everything of all earlier iterations"
    )
    runs: tuple[str, ...] = Field((), description="folders of the earlier runs, the latest last")


class Audited(Record):
    """When the agent says that it is done, another model looks at the frames, without its reasoning, and may object."""

    name: Literal["audited"] = "audited"
    model: str = Field(description="who audits: vendor:MODEL")
    rounds: int = Field(2, ge=1, le=100, description="how often an agent may be sent back")


Intervention: TypeAlias = Annotated[
    Deterministic | FixedPlan | Perturbed | Clarified | Retry | LearnedPlan | Audited, Field(discriminator="name")
]
