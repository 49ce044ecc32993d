"""Votes: one per person and battle, counted once however often it is sent, changed until the battle is closed.

The first vote tells the names. Later versions are kept and marked (`after_reveal`); the last one before the names were
told is what counts.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, case, delete, or_, select
from sqlalchemy import cast as as_type
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from fairground.arena.ballots import PLAIN, StepMark, Vote
from fairground.arena.battles import retire
from fairground.arena.drawing import Retirement
from fairground.arena.filters import KNEW, wrote_its_name
from fairground.arena.filters_settings import settings_in
from fairground.arena.people import Absent, Person, Refused
from fairground.arena.schema import battles, cleared, flags, step_marks, vote_history, votes
from fairground.arena.seeing import Seen, see
from fairground.arena.store import Store, now, upserting
from fairground.core import InvalidInput


@dataclass(frozen=True)
class Counted:
    """What became of a vote that was sent.

    Attributes:
        version: How often it has been given or changed; 1 for the first.
        changed: Whether this sending changed anything.
        a: Who side a was: known from now on.
        b: Who side b was.
        after_reveal: Whether it was given after the names were told, so that it is kept and does not count.
    """

    version: int
    changed: bool
    a: str
    b: str
    after_reveal: bool = False


def cast(store: Store, battle: str, person: Person, vote: Vote, seen: Seen | None = None) -> Counted:
    """Takes a vote in, or changes the one that was given; sending the same again changes nothing.

    Args:
        store: The arena.
        battle: What is judged.
        person: Who judges.
        vote: What they say.
        seen: How the battle stood for them a moment ago, for who has looked it up already.

    Raises:
        Refused: When the person may not vote, or the battle is not there to be judged, or is closed.
    """
    if not person.may_vote:
        raise Refused("you cannot vote", fix="open an invitation, and agree to what becomes of votes")
    _check_marks(vote.marks)
    while True:
        seen = seen or see(store, battle, person)
        if seen is None:
            raise Absent("there is no such battle")
        if seen.battle.status not in ("judging", "closed"):
            raise Refused(f"this battle is {seen.battle.status}; it can be judged when both agents are done")
        if seen.vote == vote:
            return Counted(seen.version, False, *seen.contenders, seen.after_reveal)
        if seen.battle.status == "closed":
            raise Refused("this battle is closed; votes can no longer be given or changed")
        with store.write() as connection:
            if _write(connection, seen, person.id, vote):
                return Counted(seen.version + 1, True, *seen.contenders, seen.revealed)
        seen = None  # it was closed meanwhile, or the same person has voted elsewhere: each time, one of them went on


def find_vote(store: Store, battle: str, person: Person) -> Vote | None:
    """A person's vote as it stands."""
    seen = see(store, battle, person)
    return seen.vote if seen is not None else None


def retire_due(store: Store, judged: Collection[str], rule: Retirement) -> list[str]:
    """Takes those agents out that are due by the rule after votes on these battles; returns their names."""
    with store.read() as connection:
        rows = connection.execute(select(battles.c.a, battles.c.b).where(battles.c.id.in_(judged))).all()
        names = sorted({name for row in rows for name in (row.a, row.b)})
        due = [name for name in names if rule.due(_judgements(connection, name, rule.window))]
    for name in due:
        retire(store, name, f"under {rule.least:.0%} correct in its last {rule.window} judgements")
    return due


def history(store: Store, battle: str, person: str) -> list[dict[str, Any]]:
    """Every version of a person's vote, the oldest first."""
    query = (
        select(vote_history)
        .where(vote_history.c.battle == battle, vote_history.c.person == person)
        .order_by(vote_history.c.version)
    )
    with store.read() as connection:
        return [
            {"version": row.version, "changed": row.changed, "after_reveal": row.after_reveal, **json.loads(row.vote)}
            for row in connection.execute(query)
        ]


def flag(store: Store, battle: str, person: str, reason: str, detail: str = "") -> None:
    """Marks a vote as one that does not count. The vote stays as it is."""
    with store.write() as connection:
        row = {"battle": battle, "person": person, "reason": reason, "detail": detail[:500], "flagged": now()}
        connection.execute(upserting(connection, flags).values(row).on_conflict_do_nothing())


def reflag(store: Store, given: Sequence[tuple[str, str, str, str]], taken: Iterable[tuple[str, str, str]]) -> None:
    """Gives many marks (battle, person, reason, detail) and takes others back, all of it or nothing."""
    with store.write() as connection:
        at = now()
        for battle, person, reason, detail in given:
            row = {"battle": battle, "person": person, "reason": reason, "detail": detail[:500], "flagged": at}
            connection.execute(upserting(connection, flags).values(row).on_conflict_do_nothing())
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
        connection.execute(upserting(connection, cleared).values(row).on_conflict_do_nothing())
    return True


def _write(connection: Connection, seen: Seen, person: str, vote: Vote) -> bool:
    """Writes the next version of a vote; nothing, if that is not the next any more or the battle was closed."""
    battle, version, at = seen.battle.id, seen.version + 1, now()
    judged = seen.battle.judged
    row = {"battle": battle, "person": person, "version": version, "created": at, "changed": at}
    row |= {"seconds": max(0.0, at - judged) if judged is not None else None}
    row |= {name: getattr(vote, name) for name in PLAIN}
    row |= {"after_reveal": seen.revealed, "counted": None if seen.revealed else version}
    given = {f"new_{name}": value for name, value in row.items()}
    if connection.execute(_UPSERT[connection.dialect.name, seen.revealed], given).one_or_none() is None:
        return False
    told = json.dumps(vote.model_dump(mode="json"), ensure_ascii=False)
    kept = {"battle": battle, "person": person, "version": version, "changed": at, "vote": told}
    connection.execute(vote_history.insert(), {**kept, "after_reveal": seen.revealed})
    if seen.version == 0:
        _flag_at_once(connection, seen, person)
    elif seen.revealed:
        return True  # the marks of the version that counts stay
    if seen.vote is not None and seen.vote.marks:
        connection.execute(delete(step_marks).where(step_marks.c.battle == battle, step_marks.c.person == person))
    if vote.marks:
        rows = [{"battle": battle, "person": person, **mark.model_dump()} for mark in vote.marks]
        connection.execute(step_marks.insert(), rows)
    return True


def _flag_at_once(connection: Connection, seen: Seen, person: str) -> None:
    """What the filters would find of a new vote, and what must not count even for a moment."""
    found = {"after-reveal": KNEW} if seen.revealed else {}
    if seen.identified and settings_in(connection).identified:
        found["identified"] = wrote_its_name(seen.identified)
    for reason, detail in found.items():
        row = {"battle": seen.battle.id, "person": person, "reason": reason, "detail": detail, "flagged": now()}
        connection.execute(upserting(connection, flags).values(row).on_conflict_do_nothing())


def _upsert(insert: Any, *, revealed: bool) -> Any:
    """Votes, if the battle is still judged, and the vote still the one before: no lock is held while people think.

    Of somebody who knows the names, what they said before stays in the table, because that is what counts.

    Who closes the battle waits for votes that are being written, and voters wait for who closes it; but not for each
    other, unless they are the same person.
    """
    fresh = [as_type(bindparam(f"new_{column.name}", type_=column.type), column.type) for column in votes.c]
    judging = (battles.c.id == bindparam("new_battle"), battles.c.status == "judging")
    query = insert(votes).from_select(list(votes.c), select(*fresh).where(*judging).with_for_update(read=True))
    changed = ("version", "changed", "after_reveal") if revealed else (*PLAIN, "version", "changed", "counted")
    changes = {name: query.excluded[name] for name in changed}
    is_next = votes.c.version == query.excluded.version - 1
    return query.on_conflict_do_update(index_elements=["battle", "person"], set_=changes, where=is_next).returning(
        votes.c.version
    )


_UPSERT = {
    (dialect, revealed): _upsert(insert, revealed=revealed)
    for dialect, insert in (("postgresql", postgresql_insert), ("sqlite", sqlite_insert))
    for revealed in (False, True)
}


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
