"""The state of a battle for one person, with their vote, read in one query because every page and vote needs it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, exists, func, select

from fairground.arena.ballots import PLAIN, StepMark, Vote
from fairground.arena.battles import Battle, Side, as_battle, sees
from fairground.arena.people import Person
from fairground.arena.schema import (
    SIDES,
    battles,
    identifications,
    messages,
    people,
    reveals,
    shared,
    sides,
    vote_history,
    votes,
)
from fairground.arena.store import Store, now, upserting


@dataclass(frozen=True)
class Seen:
    """The state of a battle for a person.

    Attributes:
        battle: Its public part.
        allowed: Whether this person may see it.
        contenders: Names of the agents, for counting votes. Only `names` may be shown to a person.
        names: The same; None if the person still has to vote on this battle or on another one of the same agents.
        vote: The person's vote, newest version; None if they have not voted.
        version: Number of versions of their vote.
        asked: Whether an agent has asked a question.
        revealed: Whether they were shown the names before, here or elsewhere. Later votes do not count.
        after_reveal: Whether the newest version of their vote was given after that.
        counted: Winner in the version that counts; None if there is none.
        identified: Sides whose agent typed a name that identifies it, such as "ab".
    """

    battle: Battle
    allowed: bool
    contenders: tuple[str, str]
    names: tuple[str, str] | None
    vote: Vote | None
    version: int
    asked: bool
    revealed: bool
    after_reveal: bool
    counted: str | None
    identified: str


def see(store: Store, id_: str, person: Person) -> Seen | None:
    """Return the state of a battle for a person; None if it does not exist."""
    with store.read() as connection:
        rows = connection.execute(_SEE, {"battle": id_, "person": person.id}).all()
        if not rows:
            return None
        first = rows[0]
        battle = as_battle(first, [_side(row) for row in rows if row.side_side is not None])
        two, vote = (first.a, first.b), _vote(first)
        chain = _chain(connection, first) if first.follows is not None or first.goes_on else [first]
        known = vote is not None and not any(
            _awaits(connection, battle, person) for battle in chain if battle.id != first.id
        )
        knew = (
            _was_told(connection, [battle.id for battle in chain], person) if len(chain) > 1 else bool(first.revealed)
        )
    return Seen(
        battle=battle,
        allowed=sees(battle, person, is_shared=first.shared is not None),
        contenders=two,
        names=two if known else None,
        vote=vote,
        version=first.vote_version or 0,
        asked=first.asked,
        revealed=knew,
        after_reveal=bool(first.vote_after_reveal),
        counted=first.vote_winner if first.vote_counted is not None else None,
        identified="".join(side for side, wrote in zip(SIDES, (first.typed_a, first.typed_b), strict=True) if wrote),
    )


def reveal(store: Store, battle: str, person: Person, seen: Seen | None = None) -> tuple[str, str] | None:
    """Return the names of both agents and record that this person was shown them; None if they have not voted.

    A follow-up has the same agents, so names are not shown while one of the battles waits for the person's vote.

    Args:
        store: The arena.
        battle: The battle.
        person: The person.
        seen: The state of the battle for them, if already known.
    """
    seen = seen or see(store, battle, person)
    if seen is None or seen.names is None:
        return None
    if not seen.revealed:
        note_reveals(store, [battle], person, "battle")
    return seen.names


def series_of(connection: Connection, id_: str) -> list[str]:
    """Return the battles of the same agents that follow each other, including this one, in order."""
    row = connection.execute(select(battles).where(battles.c.id == id_)).one()
    return [battle.id for battle in _chain(connection, row)]


def note_reveals(store: Store, ids: Iterable[str], person: Person, how: str) -> None:
    """Record that a person is shown the names of battles. Call it before they are shown."""
    at = now()
    rows = [{"battle": id_, "person": person.id, "at": at, "how": how} for id_ in sorted(set(ids))]
    if rows:
        with store.write() as connection:
            connection.execute(upserting(connection, reveals).on_conflict_do_nothing(), rows)


_SIDE = tuple(field.name for field in fields(Side))


def _query() -> Select[Any]:
    """Return one row per side; all other columns are the same in both."""
    later = battles.alias()
    person = bindparam("person", type_=votes.c.person.type)
    mine = (votes.c.battle == battles.c.id) & (votes.c.person == person)
    # The newest version is in the history; the votes table has the version that counts.
    newest = (
        (vote_history.c.battle == votes.c.battle)
        & (vote_history.c.person == votes.c.person)
        & (vote_history.c.version == votes.c.version)
    )
    return (
        select(
            battles,
            *(sides.c[name].label(f"side_{name}") for name in _SIDE),
            *(votes.c[name].label(f"vote_{name}") for name in (*PLAIN, "version", "after_reveal", "counted")),
            vote_history.c.vote.label("told"),
            shared.c.since.label("shared"),
            exists().where(messages.c.battle == battles.c.id).label("asked"),
            exists().where(later.c.follows == battles.c.id).label("goes_on"),
            *(
                exists()
                .where(identifications.c.battle == battles.c.id, identifications.c.side == side, identifications.c.seen)
                .label(f"typed_{side}")
                for side in SIDES
            ),
            _told_to(person).where(reveals.c.battle == battles.c.id).exists().label("revealed"),
        )
        .outerjoin(sides, sides.c.battle == battles.c.id)
        .outerjoin(votes, mine)
        .outerjoin(vote_history, newest)
        .outerjoin(shared, shared.c.battle == battles.c.id)
        .where(battles.c.id == bindparam("battle", type_=battles.c.id.type))
    )


def _told_to(person: BindParameter[str]) -> Select[Any]:
    """Return the reveals to a person, under any ID of their browser."""
    me, same = people.alias(), people.alias()
    return (
        select(reveals.c.battle)
        .join(same, same.c.id == reveals.c.person)
        .join(me, func.coalesce(me.c.browser, me.c.id) == func.coalesce(same.c.browser, same.c.id))
        .where(me.c.id == person)
    )


_SEE = _query()


def _side(row: Any) -> Side:
    return Side(**{name: getattr(row, f"side_{name}") for name in _SIDE})


def _vote(row: Any) -> Vote | None:
    if row.vote_version is None:
        return None
    if row.told is None:  # imported votes have no history
        return Vote(**{name: getattr(row, f"vote_{name}") for name in PLAIN})
    stored = json.loads(row.told)
    return Vote(**{**stored, "marks": tuple(StepMark(**mark) for mark in stored["marks"])})


def _was_told(connection: Connection, ids: Sequence[str], person: Person) -> bool:
    """Whether a person was shown the names of one of these battles, which have the same agents."""
    query = _told_to(bindparam("person", type_=votes.c.person.type)).where(reveals.c.battle.in_(ids)).limit(1)
    return connection.execute(query, {"person": person.id}).one_or_none() is not None


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
    """Return all battles of the same agents that follow each other, including this one."""
    rows = [row]
    while rows[0].follows is not None:
        rows.insert(0, connection.execute(select(battles).where(battles.c.id == rows[0].follows)).one())
    for battle in rows:  # grows during the iteration
        later = connection.execute(select(battles).where(battles.c.follows == battle.id)).all()
        rows += [two for two in later if all(two.id != known.id for known in rows)]
    return rows
