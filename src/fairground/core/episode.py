"""One attempt of one agent at one configuration, as it is written down."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from fairground.core.action import Action
from fairground.core.configuration import Configuration, Parameter
from fairground.core.strict import Record
from fairground.core.verdict import Outcome, Verdict


class Fingerprint(Record):
    """The world an episode ran in, so that two episodes can be known to be comparable."""

    digest: str = Field(description="one content address over everything below")
    fairground: str = Field(description="version of fairground")
    suite: str = Field(description="version of the suite's package")
    packages: dict[str, str] = Field(description="version of each package the app consists of")
    stages: dict[str, str] = Field(description="content address of each stage")
    seed: int
    runner: str = Field(description="what the seat's sandbox was made by")
    isolated: bool = Field(description="false when the machine could not isolate the agent")
    screen: str = Field(description="backend and size, such as x11 1280x720")


class Step(Record):
    """One exchange: the action and what came of it."""

    index: int = Field(ge=0)
    action: Action = Field(discriminator="kind")
    frame: str = Field(description="digest of the frame seen after it; the file is frames/<digest>.png")
    seconds: float = Field(ge=0, description="since the episode began, when the frame was taken")
    act_ms: float = Field(ge=0)
    settle_ms: float = Field(ge=0)
    settled: bool = Field(description="false when the deadline came first")
    agent_ms: float = Field(0.0, ge=0, description="how long the agent thought")
    refused: str = Field("", description="why the action was not carried out, if it was not")
    thought: str = Field("", description="what the agent said about it")
    cursor: tuple[int, int] | None = None
    messages: tuple[str, ...] = ()


class Episode(Record):
    """The summary of an attempt; the folder beside it holds steps, frames, video, state and logs."""

    format: Literal[1] = Field(1, description="raised when a reader of the old folder would misread the new")
    id: str
    status: Literal["running", "complete"]
    agent: str
    configuration: Configuration
    parameters: dict[str, Parameter] = {}
    instruction: str
    seed: int
    step_budget: int = Field(ge=1)
    started: str = Field(description="UTC, ISO 8601")
    first_frame: str = Field("", description="digest of what the agent saw first")
    fingerprint: Fingerprint
    outcome: Outcome | None = Field(None, description="null while it runs")
    verdict: Verdict | None = Field(None, description="null unless the outcome is a result")
    ended_by: Literal["agent", "step_budget", "time_budget", "error", ""] = ""
    answer: str | None = None
    error: str = Field("", description="for errored and invalid: what happened and what to do")
    steps: int = Field(0, ge=0)
    seconds: float = Field(0.0, ge=0)
    notes: tuple[str, ...] = Field((), description="what a reader should know, such as limits not enforced")
    extra: dict[str, Any] = Field({}, description="for agents and harnesses to put their own")
