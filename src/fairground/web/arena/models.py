"""Request and response models of the arena API."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fairground.arena import Preparation, Vote
from fairground.arena.battles import MAX_ANSWER, MAX_TASK, Words
from fairground.core import Record

SideName = Literal["a", "b"]
Winner = Literal["a", "b", "tie", "both_bad"]
Status = Literal["preparing", "running", "judging", "closed", "interrupted", "failed"]


class Wanted(Record):
    """A battle to start: a scenario of a suite, or a custom task in one of its worlds."""

    world: Annotated[Words, Field(max_length=500)] = Field(
        "", description="suite/app/scenario, or a full configuration id"
    )
    text: Annotated[Words, Field(max_length=MAX_TASK)] = Field("", description="the custom task")
    own: bool = Field(False, description="whether `text` is the task; otherwise the scenario's text is used")
    category: Annotated[Words, Field(max_length=100)] = Field("", description="defaults to the app's name")
    preparation: Preparation = Preparation()


class Begun(Record):
    """ID of a battle."""

    id: str


class Uploaded(Record):
    """An uploaded file."""

    id: str = Field(description="for `preparation.files`")
    name: str = Field(description="its name on the desktop")
    size: int


class UploadedFiles(Record):
    """Uploaded files, in the order in which they were sent."""

    files: list[Uploaded]


class Consent(Record):
    """The consent text, and whether this person agrees."""

    text: str
    consented: bool
    role: Literal["visitor", "judge", "admin"]


class PresetShown(Record):
    """A world for custom tasks."""

    name: str
    title: str
    about: str
    world: str


class Listed(Record):
    """A battle in a list."""

    id: str
    created: float
    task: str
    own: bool
    status: Status
    mine: bool = Field(description="whether this person started it; otherwise they may judge it")
    vote: Winner | None = Field(description="this person's vote, in the version that counts")


class Prepared(Record):
    """What was placed on both desktops."""

    files: list[str] = Field(description="names")
    pages: list[str]
    repository: str
    preset: str


class TaskShown(Record):
    """The task of both agents."""

    world: str
    text: str
    own: bool
    category: str
    platform: str
    preparation: Prepared


class SideShown(Record):
    """Public state of one side."""

    seat: str | None = Field(description="seat to watch: /seats/SEAT/stream")
    state: Literal["waiting", "acting", "asking", "ended"]
    steps: int | None
    questions: int | None


class MessageShown(Record):
    """A question from an agent to the person."""

    side: SideName
    number: int
    question: str
    answer: str | None


class Result(Record):
    """Result of a side. Only visible after the vote."""

    outcome: str = Field(description="passed or failed; ended if only people judge")
    reward: float | None
    steps: int | None
    seconds: float | None
    dollars: float | None
    repetition: float | None


class Shown(Record):
    """A battle as one person may see it. Names and results are included only after that person's vote."""

    id: str
    created: float
    status: Status
    why: str = Field(description="why it failed or was interrupted")
    task: TaskShown
    follows: str | None = Field(description="ID of the previous battle, for a follow-up")
    position: int | None = Field(description="number of battles before it in the queue")
    notes: list[str] = Field(description="notices for this person")
    sides: dict[SideName, SideShown]
    messages: list[MessageShown]
    mine: bool
    may_vote: bool
    can_follow: bool
    vote: Vote | None = Field(description="this person's vote, newest version")
    counted: Winner | None = Field(description="winner in the version that counts")
    after_reveal: bool = Field(description="whether the newest version was given after this person saw the names")
    revealed: bool = Field(description="whether this person knows the names; later votes are stored but do not count")
    names: dict[SideName, str] | None
    verdicts: dict[SideName, str] | None = Field(description="result of the checks, as text")
    results: dict[SideName, Result] | None


class FollowUp(Record):
    """Another instruction for both agents."""

    text: Annotated[Words, Field(min_length=1, max_length=MAX_TASK)]


class Answered(Record):
    """A person's answer to an agent."""

    side: SideName
    number: int = Field(ge=0, le=100_000)
    text: Annotated[Words, Field(max_length=MAX_ANSWER)]


class CountedVote(Record):
    """Result of sending a vote."""

    version: int = Field(description="1 for the first")
    changed: bool = Field(description="whether this request changed anything")
    after_reveal: bool = Field(
        description="whether it was given after this person saw the names, and therefore does not count"
    )
    names: dict[SideName, str] | None = Field(
        description="null while a follow-up with the same agents waits for a vote"
    )


class Version(Vote):
    """One version of a vote."""

    version: int
    changed: float
    after_reveal: bool = Field(description="whether the person knew the names at that time")
