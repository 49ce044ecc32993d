"""What the arena's API takes and gives."""

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
    """A battle to be begun: a scenario of a suite, or somebody's own task in a world of one."""

    world: Annotated[Words, Field(max_length=500)] = Field("", description="suite/app/scenario, or a whole id")
    text: Annotated[Words, Field(max_length=MAX_TASK)] = Field("", description="the task, in one's own words")
    own: bool = Field(False, description="whether `text` is the task; else it is the scenario's")
    category: Annotated[Words, Field(max_length=100)] = Field("", description="the app's name, unless given")
    preparation: Preparation = Preparation()


class Begun(Record):
    """Which battle it is."""

    id: str


class Uploaded(Record):
    """A file that was taken in."""

    id: str = Field(description="for `preparation.files`")
    name: str = Field(description="what it is called on the desktop")
    size: int


class UploadedFiles(Record):
    """Files that were taken in, in the order in which they were sent."""

    files: list[Uploaded]


class Consent(Record):
    """What becomes of votes, and whether this person agrees."""

    text: str
    consented: bool
    role: Literal["visitor", "judge", "admin"]


class PresetShown(Record):
    """A world to write tasks of one's own for."""

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
    mine: bool = Field(description="whether this person began it; else they may judge it")
    vote: Winner | None = Field(description="this person's, the version that counts")


class Prepared(Record):
    """What was put on both desktops."""

    files: list[str] = Field(description="names")
    pages: list[str]
    repository: str
    preset: str


class TaskShown(Record):
    """What two agents are asked."""

    world: str
    text: str
    own: bool
    category: str
    platform: str
    preparation: Prepared


class SideShown(Record):
    """One side, as anybody may see it."""

    seat: str | None = Field(description="where it can be watched: /seats/SEAT/stream")
    state: Literal["waiting", "acting", "asking", "ended"]
    steps: int | None
    questions: int | None


class MessageShown(Record):
    """A question of an agent to the person."""

    side: SideName
    number: int
    question: str
    answer: str | None


class Result(Record):
    """What became of a side; told after the vote."""

    outcome: str = Field(description="passed, failed; ended where only people judge")
    reward: float | None
    steps: int | None
    seconds: float | None
    dollars: float | None
    repetition: float | None


class Shown(Record):
    """A battle as one person may see it. Who the two are, and how they did, is there only after that person's vote."""

    id: str
    created: float
    status: Status
    why: str = Field(description="why it failed or was interrupted")
    task: TaskShown
    follows: str | None = Field(description="the battle that it goes on with")
    position: int | None = Field(description="how many are before it, while it waits")
    notes: list[str] = Field(description="what this person should know")
    sides: dict[SideName, SideShown]
    messages: list[MessageShown]
    mine: bool
    may_vote: bool
    can_follow: bool
    vote: Vote | None = Field(description="this person's, the newest version")
    counted: Winner | None = Field(description="whom the version of it that counts is for")
    after_reveal: bool = Field(description="whether the newest version was given after this person knew the names")
    revealed: bool = Field(
        description="whether this person knows the names: a vote from now on is kept, and not counted"
    )
    names: dict[SideName, str] | None
    verdicts: dict[SideName, str] | None = Field(description="what the checks say, in words")
    results: dict[SideName, Result] | None


class FollowUp(Record):
    """Another instruction to both agents."""

    text: Annotated[Words, Field(min_length=1, max_length=MAX_TASK)]


class Answered(Record):
    """A person's answer to an agent."""

    side: SideName
    number: int = Field(ge=0, le=100_000)
    text: Annotated[Words, Field(max_length=MAX_ANSWER)]


class CountedVote(Record):
    """What became of a vote."""

    version: int = Field(description="1 for the first")
    changed: bool = Field(description="whether this sending changed anything")
    after_reveal: bool = Field(description="whether it was given after this person knew the names, and is not counted")
    names: dict[SideName, str] | None = Field(description="null while a follow-up of the two waits for a vote")


class Version(Vote):
    """A vote as it was at some time."""

    version: int
    changed: float
    after_reveal: bool = Field(description="whether the person knew the names by then")
