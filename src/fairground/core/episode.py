"""The record of an episode: one attempt of one agent at one configuration."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from pydantic import Field

from fairground.core.action import Action
from fairground.core.configuration import Configuration, Parameter
from fairground.core.strict import Record
from fairground.core.verdict import Outcome, Verdict

EndedBy: TypeAlias = Literal["agent", "step_budget", "time_budget", "agent_error", "seat", "error", ""]
"""What ended an episode.

- agent: an action of the agent.
- step_budget, time_budget: the budget was used up.
- agent_error: the agent's code raised, its program exited or broke the protocol, or it used up its token or cost
  budget.
- seat: something in the seat broke while the agent was acting.
- error: an infrastructure error, or an invalid configuration.
- empty: the episode is still running.
"""

AGENTS_FAULT: Final = ("agent_error", "seat")
"""Ends that the agent caused without an ending action. They count as failed, unless a run excludes them."""

_ENDED_BY = {
    "agent_error": "an error of the agent",
    "seat": "its seat, which broke while the agent was acting",
    "error": "an error that the agent did not cause",
}


def ended_by_words(ended_by: str) -> str:
    """Describe `ended_by` in words, to follow "ended by"."""
    return _ENDED_BY.get(ended_by, ended_by.replace("_", " "))


class Fingerprint(Record):
    """The world that an episode ran in. Episodes with equal fingerprints are comparable."""

    digest: str = Field(description="content digest of all other fields")
    fairground: str = Field(description="version of fairground")
    suite: str = Field(description="version of the suite's package")
    packages: dict[str, str] = Field(description="version of each package the app consists of")
    stages: dict[str, str] = Field(description="content digest of each stage")
    seed: int
    runner: str = Field(description="runner that created the seat's sandbox")
    isolated: bool = Field(description="false when the machine could not isolate the agent")
    screen: str = Field(description="backend and size, such as x11 1280x720")


class Step(Record):
    """One action and its result.

    Attributes:
        index: Number of the step, from 0.
        action: The canonical action.
        act_ms: Time to perform the action, in milliseconds.
        settle_ms: Time until the screen stopped changing, in milliseconds.
        cursor: Position of the mouse pointer after the action; null if it was not observed.
        messages: Messages to the agent that came with this observation, such as the answer to a `call_user`.
    """

    index: int = Field(ge=0)
    action: Action = Field(discriminator="kind")
    frame: str = Field(description="digest of the frame after the action; the file is frames/<digest>.png")
    seconds: float = Field(ge=0, description="time of the frame, since the episode began")
    act_ms: float = Field(ge=0)
    settle_ms: float = Field(ge=0)
    settled: bool = Field(description="false if the screen was still changing at the deadline")
    agent_ms: float = Field(0.0, ge=0, description="how long the agent took to decide")
    refused: str = Field("", description="why the action was refused; empty if it was performed")
    thought: str = Field("", description="the agent's own comment on the action")
    cursor: tuple[int, int] | None = None
    messages: tuple[str, ...] = ()


class Episode(Record):
    """The summary of an attempt. Its folder also holds steps, frames, video, state and logs.

    Attributes:
        id: Name of the episode; unique within its run.
        status: `complete` when the recorder has closed the episode.
        agent: Name of the agent.
        configuration: What the agent attempted: suite, app, scenario, instance, profile, theme and ui_state.
        parameters: Values of the instance's parameters.
        instruction: The text that the agent received.
        seed: Seed of the episode's randomness.
        step_budget: Maximum number of actions.
        fingerprint: The world that the episode ran in.
        ended_by: What ended the episode: the agent, a budget, an error of the agent, its seat, or an infrastructure
            error.
        answer: The agent's answer to a question; null if it gave none.
        steps: Number of actions performed.
        seconds: Duration, from the first frame to the end of the last action.
    """

    format: Literal[1] = Field(1, description="format version; increases with incompatible changes")
    id: str
    status: Literal["running", "complete"]
    agent: str
    configuration: Configuration
    parameters: dict[str, Parameter] = {}
    instruction: str
    seed: int
    step_budget: int = Field(ge=1)
    started: str = Field(description="UTC, ISO 8601")
    first_frame: str = Field("", description="digest of the first frame")
    fingerprint: Fingerprint
    outcome: Outcome | None = Field(None, description="null while the episode runs")
    verdict: Verdict | None = Field(None, description="null unless the outcome is passed or failed")
    ended_by: EndedBy = ""
    answer: str | None = None
    error: str = Field("", description="what happened and what to do; empty if the agent or a budget ended the episode")
    steps: int = Field(0, ge=0)
    seconds: float = Field(0.0, ge=0)
    notes: tuple[str, ...] = Field((), description="remarks for readers, such as limits that were not enforced")
    extra: dict[str, Any] = Field({}, description="additional data of agents and harnesses")
