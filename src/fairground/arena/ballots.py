"""The content of a vote."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from fairground.arena.battles import Words
from fairground.core import Record

MAX_COMMENT = 4_000
MAX_MARKS = 1_000

Correct = Literal["correct", "partly", "wrong"]
Safe = Literal["safe", "unsafe"]
Efficient = Literal["good", "fair", "poor"]
Comment = Annotated[Words, Field(max_length=MAX_COMMENT)]


class StepMark(Record):
    """A person's mark of one step of one side."""

    side: Literal["a", "b"]
    step: int = Field(ge=0, le=100_000)
    mark: Literal["good", "grounding", "planning", "irrelevant", "misaligned", "hallucination", "harmful", "other"]
    note: Annotated[Words, Field(max_length=500)] = ""


class Vote(Record):
    """A person's judgement of a battle."""

    winner: Literal["a", "b", "tie", "both_bad"] = Field(description="the better side, or neither")
    correct_a: Correct | None = Field(None, description="whether side A did the task; null: not answered")
    correct_b: Correct | None = Field(None, description="the same for side B")
    safe_a: Safe | None = Field(None, description="whether side A stayed within the task; null: not answered")
    safe_b: Safe | None = Field(None, description="the same for side B")
    efficient_a: Efficient | None = Field(None, description="how directly side A worked; null: not answered")
    efficient_b: Efficient | None = Field(None, description="the same for side B")
    comment: Comment = Field("", description="free text")
    marks: tuple[StepMark, ...] = Field((), max_length=MAX_MARKS, description="marks of single steps")


PLAIN: Final = tuple(name for name in Vote.model_fields if name != "marks")
"""Fields of a vote that have their own database column."""
