"""Votes: one a person and battle, counted once however often it is sent, changed until the battle is closed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import Connection, case, delete, or_, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from fairground.arena.battles import Words, retire
from fairground.arena.drawing import Retirement
from fairground.arena.people import Absent, Person, Refused
from fairground.arena.schema import battles, cleared, flags, people, shared, step_marks, vote_history, votes
from fairground.arena.store import Store, now
from fairground.core import InvalidInput, Record

MAX_COMMENT = 4_000
MAX_MARKS = 1_000

Correct = Literal["correct", "partly", "wrong"]
Safe = Literal["safe", "unsafe"]
Efficient = Literal["good", "fair", "poor"]
Comment = Annotated[Words, Field(max_length=MAX_COMMENT)]


class StepMark(Record):
    """What a person says of one step of one side."""

    side: Literal["a", "b"]
    step: int = Field(ge=0, le=100_000)
    mark: Literal["good", "grounding", "planning", "irrelevant", "misaligned", "hallucination", "harmful", "other"]
    note: Annotated[Words, Field(max_length=500)] = ""


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
        # Who votes twice at once waits for themselves, and who closes the battle for all; voters not for each other.
        connection.execute(select(people.c.id).where(people.c.id == person.id).with_for_update())
        here = select(battles).where(battles.c.id == battle).with_for_update(read=True)
        found = connection.execute(here).one_or_none()
        if found is None:
            raise Absent("there is no such battle")
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
    """Who the two sides were; None for somebody who has not voted on them.

    The same two fight in what follows a battle, so nobody learns it while one of these battles waits for their vote.
    """
    mine = (votes.c.battle == battles.c.id) & (votes.c.person == person.id)
    with store.read() as connection:
        row = connection.execute(select(battles).join(votes, mine).where(battles.c.id == battle)).one_or_none()
        if row is None:
            return None
        if any(_awaits(connection, one, person) for one in _chain(connection, row) if one.id != battle):
            return None
    return row.a, row.b


def find_vote(store: Store, battle: str, person: Person) -> Vote | None:
    """A person's vote as it stands."""
    with store.read() as connection:
        found = read_vote(connection, battle, person.id)
    return found[0] if found is not None else None


def retire_due(store: Store, judged: Collection[str], rule: Retirement) -> list[str]:
    """Takes those agents out that are due by the rule after votes on these battles; returns their names."""
    with store.read() as connection:
        rows = connection.execute(select(battles.c.a, battles.c.b).where(battles.c.id.in_(judged))).all()
        names = sorted({name for row in rows for name in (row.a, row.b)})
        due = [name for name in names if rule.due(_judgements(connection, name, rule.window))]
    for name in due:
        retire(store, name, f"under {rule.least:.0%} correct in its last {rule.window} judgements")
    return due


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


def reflag(store: Store, given: Sequence[tuple[str, str, str, str]], taken: Iterable[tuple[str, str, str]]) -> None:
    """Gives many marks (battle, person, reason, detail) and takes others back, all of it or nothing."""
    with store.write() as connection:
        at = now()
        for battle, person, reason, detail in given:
            row = {"battle": battle, "person": person, "reason": reason, "detail": detail[:500], "flagged": at}
            connection.execute(_insert(connection, flags).values(row).on_conflict_do_nothing())
        for battle, person, reason in taken:
            here = (flags.c.battle == battle, flags.c.person == person, flags.c.reason == reason)
            connection.execute(delete(flags).where(*here))


def unflag(store: Store, battle: str, person: str, reason: str) -> None:
    """Takes a mark back."""
    with store.write() as connection:
        here = (flags.c.battle == battle, flags.c.person == person, flags.c.reason == reason)
        connection.execute(delete(flags).where(*here))


def clear(store: Store, battle: str, person: str, reason: str) -> bool:
    """Takes a mark back for good: filters do not give it again. Says whether there was one."""
    with store.write() as connection:
        here = (flags.c.battle == battle, flags.c.person == person, flags.c.reason == reason)
        if connection.execute(delete(flags).where(*here)).rowcount == 0:
            return False
        row = {"battle": battle, "person": person, "reason": reason, "cleared": now()}
        connection.execute(_insert(connection, cleared).values(row).on_conflict_do_nothing())
    return True


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
    if version > 1:
        connection.execute(delete(step_marks).where(step_marks.c.battle == battle, step_marks.c.person == person))
    if vote.marks:
        rows = [{"battle": battle, "person": person, **mark.model_dump()} for mark in vote.marks]
        connection.execute(step_marks.insert(), rows)


def _has_voted(connection: Connection, battle: str, person: Person) -> bool:
    mine = (votes.c.battle == battle, votes.c.person == person.id)
    return connection.execute(select(votes.c.version).where(*mine)).one_or_none() is not None


def _awaits(connection: Connection, row: Any, person: Person) -> bool:
    """Whether a person has still to vote on a battle, or will have to."""
    if row.status not in ("preparing", "running", "judging") or _has_voted(connection, row.id, person):
        return False
    if row.owner == person.id:
        return True
    return connection.execute(select(shared).where(shared.c.battle == row.id)).one_or_none() is not None


def _chain(connection: Connection, row: Any) -> list[Any]:
    """All battles of the same two that follow each other, this one among them."""
    found = [row]
    while found[0].follows is not None:
        found.insert(0, connection.execute(select(battles).where(battles.c.id == found[0].follows)).one())
    for one in found:  # grows as it goes
        later = connection.execute(select(battles).where(battles.c.follows == one.id)).all()
        found += [two for two in later if all(two.id != known.id for known in found)]
    return found


def _judgements(connection: Connection, agent: str, most: int) -> list[bool]:
    """Whether an agent was correct, in the last votes that count and say it; the newest last."""
    said = case((battles.c.a == agent, votes.c.correct_a), else_=votes.c.correct_b)
    query = (
        select(said)
        .join(battles, battles.c.id == votes.c.battle)
        .outerjoin(flags, (flags.c.battle == votes.c.battle) & (flags.c.person == votes.c.person))
        .where(or_(battles.c.a == agent, battles.c.b == agent), said.is_not(None), flags.c.battle.is_(None))
        .order_by(votes.c.created.desc())
        .limit(most)
    )
    return [one == "correct" for one in connection.execute(query).scalars()][::-1]


def _check_marks(marks: Sequence[StepMark]) -> None:
    places = {(mark.side, mark.step) for mark in marks}
    if len(places) < len(marks):
        raise InvalidInput("a step is marked twice")


def _insert(connection: Connection, table: Any) -> Any:
    return (postgresql_insert if connection.dialect.name == "postgresql" else sqlite_insert)(table)
