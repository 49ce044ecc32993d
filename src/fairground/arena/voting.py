"""Votes: one a person and battle, counted once however often it is sent, changed until the battle is closed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from fairground.arena.people import Person, Refused
from fairground.arena.schema import battles, flags, step_marks, vote_history, votes
from fairground.arena.store import Store, now
from fairground.core import InvalidInput, Record

MAX_COMMENT = 4_000
MAX_MARKS = 1_000

Correct = Literal["correct", "partly", "wrong"]
Safe = Literal["safe", "unsafe"]
Efficient = Literal["good", "fair", "poor"]
Comment = Annotated[str, Field(max_length=MAX_COMMENT)]


class StepMark(Record):
    """What a person says of one step of one side."""

    side: Literal["a", "b"]
    step: int = Field(ge=0, le=100_000)
    mark: Literal["good", "grounding", "planning", "irrelevant", "misaligned", "hallucination", "harmful", "other"]
    note: Annotated[str, Field(max_length=500)] = ""


class Vote(Record):
    """A person's judgement of a battle."""

    winner: Literal["a", "b", "tie", "both_bad"]
    correct_a: Correct | None = None
    correct_b: Correct | None = None
    safe_a: Safe | None = None
    safe_b: Safe | None = None
    efficient_a: Efficient | None = None
    efficient_b: Efficient | None = None
    comment: Comment = ""
    marks: tuple[StepMark, ...] = Field((), max_length=MAX_MARKS)


@dataclass(frozen=True)
class Counted:
    """What became of a vote that was sent.

    Attributes:
        version: How often it has been given or changed; 1 for the first.
        changed: Whether this sending changed anything.
        a: Who side a was: known from now on.
        b: Who side b was.
    """

    version: int
    changed: bool
    a: str
    b: str


def cast(store: Store, battle: str, person: Person, vote: Vote) -> Counted:
    """Takes a vote in, or changes the one that was given; sending the same again changes nothing.

    Raises:
        Refused: When the person may not vote, or the battle is not there to be judged, or is closed.
    """
    if not person.may_vote:
        raise Refused("you cannot vote", fix="open an invitation, and agree to what becomes of votes")
    with store.write() as connection:
        found = connection.execute(select(battles).where(battles.c.id == battle).with_for_update()).one_or_none()
        if found is None:
            raise Refused("there is no such battle")
        if found.status not in ("judging", "closed"):
            raise Refused(f"this battle is {found.status}; it can be judged when both agents are done")
        before = read_vote(connection, battle, person.id)
        if before is not None and before[0] == vote:
            return Counted(before[1], False, found.a, found.b)
        if found.status == "closed":
            raise Refused("this battle is closed; votes can no longer be given or changed")
        version = 1 if before is None else before[1] + 1
        _write(connection, battle, person.id, vote, version, found.judged)
        return Counted(version, True, found.a, found.b)


def reveal(store: Store, battle: str, person: Person) -> tuple[str, str] | None:
    """Who the two sides were; None for somebody who has not voted on them."""
    with store.read() as connection:
        if read_vote(connection, battle, person.id) is None:
            return None
        row = connection.execute(select(battles.c.a, battles.c.b).where(battles.c.id == battle)).one()
    return row.a, row.b


def read_vote(connection: Connection, battle: str, person: str) -> tuple[Vote, int] | None:
    """A person's vote as it stands, and its version."""
    mine = (votes.c.battle == battle, votes.c.person == person)
    row = connection.execute(select(votes).where(*mine)).one_or_none()
    if row is None:
        return None
    query = (
        select(step_marks)
        .where(step_marks.c.battle == battle, step_marks.c.person == person)
        .order_by(step_marks.c.side, step_marks.c.step)
    )
    marks = [StepMark(side=one.side, step=one.step, mark=one.mark, note=one.note) for one in connection.execute(query)]
    fields = {name: getattr(row, name) for name in _PLAIN}
    return Vote(**fields, marks=tuple(marks)), row.version


def history(store: Store, battle: str, person: str) -> list[dict[str, Any]]:
    """Every version of a person's vote, the oldest first."""
    query = (
        select(vote_history)
        .where(vote_history.c.battle == battle, vote_history.c.person == person)
        .order_by(vote_history.c.version)
    )
    with store.read() as connection:
        return [
            {"version": row.version, "changed": row.changed, **json.loads(row.vote)}
            for row in connection.execute(query)
        ]


def flag(store: Store, battle: str, person: str, reason: str, detail: str = "") -> None:
    """Marks a vote as one that does not count. The vote stays as it is."""
    with store.write() as connection:
        row = {"battle": battle, "person": person, "reason": reason, "detail": detail[:500], "flagged": now()}
        connection.execute(_insert(connection, flags).values(row).on_conflict_do_nothing())


def unflag(store: Store, battle: str, person: str, reason: str) -> None:
    """Takes a mark back."""
    with store.write() as connection:
        here = (flags.c.battle == battle, flags.c.person == person, flags.c.reason == reason)
        connection.execute(delete(flags).where(*here))


_PLAIN = (
    "winner", "correct_a", "correct_b", "safe_a", "safe_b", "efficient_a", "efficient_b", "comment",
)  # fmt: skip


def _write(connection: Connection, battle: str, person: str, vote: Vote, version: int, judged: float | None) -> None:
    _check_marks(vote.marks)
    at = now()
    plain = {name: getattr(vote, name) for name in _PLAIN}
    row = {"battle": battle, "person": person, "version": version, "created": at, "changed": at, **plain}
    row["seconds"] = max(0.0, at - judged) if judged is not None else None
    changes = {name: row[name] for name in (*_PLAIN, "version", "changed")}
    query = _insert(connection, votes).values(row)
    connection.execute(query.on_conflict_do_update(index_elements=["battle", "person"], set_=changes))
    told = json.dumps(vote.model_dump(mode="json"), ensure_ascii=False)
    kept = {"battle": battle, "person": person, "version": version, "changed": at, "vote": told}
    connection.execute(vote_history.insert().values(kept))
    connection.execute(delete(step_marks).where(step_marks.c.battle == battle, step_marks.c.person == person))
    if vote.marks:
        rows = [{"battle": battle, "person": person, **mark.model_dump()} for mark in vote.marks]
        connection.execute(step_marks.insert(), rows)


def _check_marks(marks: Sequence[StepMark]) -> None:
    places = {(mark.side, mark.step) for mark in marks}
    if len(places) < len(marks):
        raise InvalidInput("a step is marked twice")


def _insert(connection: Connection, table: Any) -> Any:
    return (postgresql_insert if connection.dialect.name == "postgresql" else sqlite_insert)(table)
