"""One attempt of one agent at one configuration, as it is written down."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from pydantic import Field

from fairground.core.action import Action
from fairground.core.configuration import Configuration, Parameter
from fairground.core.strict import Record
from fairground.core.verdict import Outcome, Verdict

EndedBy: TypeAlias = Literal["agent", "step_budget", "time_budget", "agent_error", "seat", "error", ""]
"""What ended an episode.

agent: the agent, by an action that ends it. step_budget, time_budget: it had no more. agent_error: the agent's code
    raised, its program ended or broke the protocol, or its own budget of tokens or dollars was spent. seat: something
    in the seat broke while the agent was at work in it. error: we could not carry it out, or the configuration is at
    fault. Empty while it runs.
"""

AGENTS_FAULT: Final = ("agent_error", "seat")
"""The ends that the agent caused without ending the episode by an action: failed, unless a run excludes them."""

_ENDED_BY = {
    "agent_error": "an error of the agent",
    "seat": "its seat, which broke while the agent was at work",
    "error": "an error that the agent did not cause",
}


def ended_by_words(ended_by: str) -> str:
    """What ended an episode, in words: to follow "ended by"."""
    return _ENDED_BY.get(ended_by, ended_by.replace("_", " "))


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
    ended_by: EndedBy = ""
    answer: str | None = None
    error: str = Field("", description="unless the agent or a budget ended it: what happened and what to do")
    steps: int = Field(0, ge=0)
    seconds: float = Field(0.0, ge=0)
    notes: tuple[str, ...] = Field((), description="what a reader should know, such as limits not enforced")
    extra: dict[str, Any] = Field({}, description="for agents and harnesses to put their own")
