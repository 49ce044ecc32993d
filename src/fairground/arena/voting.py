"""Votes: one per person and battle, idempotent, can be changed until the battle is closed.

The first vote reveals the names. Later versions are stored and marked (`after_reveal`); the last version before the
reveal counts.
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
    """Result of sending a vote.

    Attributes:
        version: Number of the version; 1 for the first.
        changed: Whether this request changed anything.
        a: Name of the agent on side a, which is known from now on.
        b: Name of the agent on side b.
        after_reveal: Whether it was given after the names were shown, so it is stored but does not count.
    """

    version: int
    changed: bool
    a: str
    b: str
    after_reveal: bool = False


def cast(store: Store, battle: str, person: Person, vote: Vote, seen: Seen | None = None) -> Counted:
    """Store a vote, or change it. Sending the same vote again changes nothing.

    Args:
        store: The arena.
        battle: The battle.
        person: The voter.
        vote: The vote.
        seen: The state of the battle for them, if already known.

    Raises:
        Refused: If the person may not vote, or the battle cannot be judged yet or is closed.
    """
    if not person.may_vote:
        raise Refused("you cannot vote", fix="open an invitation link, and agree to the use of your votes")
    _check_marks(vote.marks)
    while True:
        seen = seen or see(store, battle, person)
        if seen is None:
            raise Absent("no such battle")
        if seen.battle.status not in ("judging", "closed"):
            raise Refused(f"this battle is {seen.battle.status}; it can be judged when both agents are done")
        if seen.vote == vote:
            return Counted(seen.version, False, *seen.contenders, seen.after_reveal)
        if seen.battle.status == "closed":
            raise Refused("this battle is closed; votes can no longer be given or changed")
        with store.write() as connection:
            if _write(connection, seen, person.id, vote):
                return Counted(seen.version + 1, True, *seen.contenders, seen.revealed)
        # it was closed in the meantime, or the same person has voted elsewhere; each time, one of the two succeeds
        seen = None


def find_vote(store: Store, battle: str, person: Person) -> Vote | None:
    """Return a person's current vote."""
    seen = see(store, battle, person)
    return seen.vote if seen is not None else None


def retire_due(store: Store, judged: Collection[str], rule: Retirement) -> list[str]:
    """Retire the agents to which the rule applies after votes on these battles. Returns their names."""
    with store.read() as connection:
        rows = connection.execute(select(battles.c.a, battles.c.b).where(battles.c.id.in_(judged))).all()
        names = sorted({name for row in rows for name in (row.a, row.b)})
        due = [name for name in names if rule.due(_judgements(connection, name, rule.window))]
    for name in due:
        retire(store, name, f"fewer than {rule.least:.0%} correct in its last {rule.window} judgements")
    return due


def history(store: Store, battle: str, person: str) -> list[dict[str, Any]]:
    """List all versions of a person's vote, oldest first."""
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
    """Flag a vote so that it does not count. The vote is not changed."""
    with store.write() as connection:
        row = {"battle": battle, "person": person, "reason": reason, "detail": detail[:500], "flagged": now()}
        connection.execute(upserting(connection, flags).values(row).on_conflict_do_nothing())


def reflag(store: Store, given: Sequence[tuple[str, str, str, str]], taken: Iterable[tuple[str, str, str]]) -> None:
    """Set many flags (battle, person, reason, detail) and remove others in one transaction."""
    with store.write() as connection:
        at = now()
        for battle, person, reason, detail in given:
            row = {"battle": battle, "person": person, "reason": reason, "detail": detail[:500], "flagged": at}
            connection.execute(upserting(connection, flags).values(row).on_conflict_do_nothing())
        for battle, person, reason in taken:
            here = (flags.c.battle == battle, flags.c.person == person, flags.c.reason == reason)
            connection.execute(delete(flags).where(*here))


def unflag(store: Store, battle: str, person: str, reason: str) -> None:
    """Remove a flag."""
    with store.write() as connection:
        here = (flags.c.battle == battle, flags.c.person == person, flags.c.reason == reason)
        connection.execute(delete(flags).where(*here))


def clear(store: Store, battle: str, person: str, reason: str) -> bool:
    """Remove a flag permanently: filters do not set it again. Returns whether there was one."""
    with store.write() as connection:
        here = (flags.c.battle == battle, flags.c.person == person, flags.c.reason == reason)
        if connection.execute(delete(flags).where(*here)).rowcount == 0:
            return False
        row = {"battle": battle, "person": person, "reason": reason, "cleared": now()}
        connection.execute(upserting(connection, cleared).values(row).on_conflict_do_nothing())
    return True


def _write(connection: Connection, seen: Seen, person: str, vote: Vote) -> bool:
    """Write the next version of a vote; None if it is outdated or the battle was closed."""
    battle, version, at = seen.battle.id, seen.version + 1, now()
    judged = seen.battle.judged
    row = {"battle": battle, "person": person, "version": version, "created": at, "changed": at}
    row |= {"seconds": max(0.0, at - judged) if judged is not None else None}
    row |= {name: getattr(vote, name) for name in PLAIN}
    row |= {"after_reveal": seen.revealed, "counted": None if seen.revealed else version}
    given = {f"new_{name}": value for name, value in row.items()}
    if connection.execute(_UPSERT[connection.dialect.name, seen.revealed], given).one_or_none() is None:
        return False
    text = json.dumps(vote.model_dump(mode="json"), ensure_ascii=False)
    values = {"battle": battle, "person": person, "version": version, "changed": at, "vote": text}
    connection.execute(vote_history.insert(), {**values, "after_reveal": seen.revealed})
    if seen.version == 0:
        _flag_at_once(connection, seen, person)
    elif seen.revealed:
        return True  # the flags of the version that counts stay
    if seen.vote is not None and seen.vote.marks:
        connection.execute(delete(step_marks).where(step_marks.c.battle == battle, step_marks.c.person == person))
    if vote.marks:
        rows = [{"battle": battle, "person": person, **mark.model_dump()} for mark in vote.marks]
        connection.execute(step_marks.insert(), rows)
    return True


def _flag_at_once(connection: Connection, seen: Seen, person: str) -> None:
    """Set the flags that filters would set on a new vote and that must apply at once."""
    reasons = {"after-reveal": KNEW} if seen.revealed else {}
    if seen.identified and settings_in(connection).identified:
        reasons["identified"] = wrote_its_name(seen.identified)
    for reason, detail in reasons.items():
        row = {"battle": seen.battle.id, "person": person, "reason": reason, "detail": detail, "flagged": now()}
        connection.execute(upserting(connection, flags).values(row).on_conflict_do_nothing())


def _upsert(insert: Any, *, revealed: bool) -> Any:
    """Write the vote if the battle is still open and the vote still the previous one. Uses no lock while people think.

    If the person knows the names, their earlier version stays in the table, because that one counts.

    Closing a battle waits for votes that are being written, and voters wait for closing. Voters do not wait for each
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
    """Return whether an agent was judged correct in the last counting votes that say so, newest last."""
    answer = case((battles.c.a == agent, votes.c.correct_a), else_=votes.c.correct_b)
    query = (
        select(answer)
        .join(battles, battles.c.id == votes.c.battle)
        .outerjoin(flags, (flags.c.battle == votes.c.battle) & (flags.c.person == votes.c.person))
        .where(or_(battles.c.a == agent, battles.c.b == agent), answer.is_not(None), flags.c.battle.is_(None))
        .order_by(votes.c.created.desc())
        .limit(most)
    )
    return [answer == "correct" for answer in connection.execute(query).scalars()][::-1]


def _check_marks(marks: Sequence[StepMark]) -> None:
    places = {(mark.side, mark.step) for mark in marks}
    if len(places) < len(marks):
        raise InvalidInput("a step is marked twice")
