"""A battle as it stands for one person, with their vote: read in one query, because every page and vote needs it."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, Select, bindparam, exists, select

from fairground.arena.ballots import PLAIN, StepMark, Vote
from fairground.arena.battles import Battle, Side, as_battle, sees
from fairground.arena.people import Person
from fairground.arena.schema import battles, messages, shared, sides, vote_history, votes
from fairground.arena.store import Store


@dataclass(frozen=True)
class Seen:
    """How a battle stands for somebody.

    Attributes:
        battle: As anybody may see it.
        allowed: Whether this person may see it.
        contenders: Who the two are. For whoever counts votes: a person may be told `names`, and nothing else.
        names: The same; None for somebody who has not voted on them, or on all battles of the two that wait for it.
        vote: Theirs; None when they have not voted.
        version: How often they have given or changed it.
        asked: Whether an agent has asked anything.
    """

    battle: Battle
    allowed: bool
    contenders: tuple[str, str]
    names: tuple[str, str] | None
    vote: Vote | None
    version: int
    asked: bool


def see(store: Store, id_: str, person: Person) -> Seen | None:
    """How a battle stands for somebody; None when there is none."""
    with store.read() as connection:
        rows = connection.execute(_SEE, {"battle": id_, "person": person.id}).all()
        if not rows:
            return None
        first = rows[0]
        battle = as_battle(first, [_side(row) for row in rows if row.side_side is not None])
        two, vote = (first.a, first.b), _vote(first)
        known = vote is not None and not (
            (first.follows is not None or first.goes_on) and _is_awaited(connection, first, person)
        )
    return Seen(
        battle=battle,
        allowed=sees(battle, person, is_shared=first.shared is not None),
        contenders=two,
        names=two if known else None,
        vote=vote,
        version=first.vote_version or 0,
        asked=first.asked,
    )


def reveal(store: Store, battle: str, person: Person) -> tuple[str, str] | None:
    """Who the two sides were; None for somebody who has not voted on them.

    The same two fight in what follows a battle, so nobody learns it while one of these battles waits for their vote.
    """
    seen = see(store, battle, person)
    return seen.names if seen is not None else None


_SIDE = tuple(field.name for field in fields(Side))


def _query() -> Select[Any]:
    """One row a side; all else is the same in both."""
    later = battles.alias()
    person = bindparam("person", type_=votes.c.person.type)
    mine = (votes.c.battle == battles.c.id) & (votes.c.person == person)
    # Marks are taken from the history, where a version stays as it was: from a table they could be a newer vote's.
    told = (
        (vote_history.c.battle == votes.c.battle)
        & (vote_history.c.person == votes.c.person)
        & (vote_history.c.version == votes.c.version)
    )
    return (
        select(
            battles,
            *(sides.c[name].label(f"side_{name}") for name in _SIDE),
            *(votes.c[name].label(f"vote_{name}") for name in (*PLAIN, "version")),
            vote_history.c.vote.label("told"),
            shared.c.since.label("shared"),
            exists().where(messages.c.battle == battles.c.id).label("asked"),
            exists().where(later.c.follows == battles.c.id).label("goes_on"),
        )
        .outerjoin(sides, sides.c.battle == battles.c.id)
        .outerjoin(votes, mine)
        .outerjoin(vote_history, told)
        .outerjoin(shared, shared.c.battle == battles.c.id)
        .where(battles.c.id == bindparam("battle", type_=battles.c.id.type))
    )


_SEE = _query()


def _side(row: Any) -> Side:
    return Side(**{name: getattr(row, f"side_{name}") for name in _SIDE})


def _vote(row: Any) -> Vote | None:
    if row.vote_version is None:
        return None
    marks = json.loads(row.told)["marks"] if row.told is not None else ()  # what was imported has no history
    return Vote(**{name: getattr(row, f"vote_{name}") for name in PLAIN}, marks=tuple(StepMark(**one) for one in marks))


def _is_awaited(connection: Connection, row: Any, person: Person) -> bool:
    """Whether a person has still to vote on another battle of these two, or will have to."""
    return any(_awaits(connection, one, person) for one in _chain(connection, row) if one.id != row.id)


def _awaits(connection: Connection, row: Any, person: Person) -> bool:
    if row.status not in ("preparing", "running", "judging") or _has_voted(connection, row.id, person):
        return False
    if row.owner == person.id:
        return True
    return connection.execute(select(shared).where(shared.c.battle == row.id)).one_or_none() is not None


def _has_voted(connection: Connection, battle: str, person: Person) -> bool:
    mine = (votes.c.battle == battle, votes.c.person == person.id)
    return connection.execute(select(votes.c.version).where(*mine)).one_or_none() is not None


def _chain(connection: Connection, row: Any) -> list[Any]:
    """All battles of the same two that follow each other, this one among them."""
    found = [row]
    while found[0].follows is not None:
        found.insert(0, connection.execute(select(battles).where(battles.c.id == found[0].follows)).one())
    for one in found:  # grows as it goes
        later = connection.execute(select(battles).where(battles.c.follows == one.id)).all()
        found += [two for two in later if all(two.id != known.id for known in found)]
    return found
