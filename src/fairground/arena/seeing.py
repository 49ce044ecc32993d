"""A battle as it stands for one person, with their vote: read in one query, because every page and vote needs it."""

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
    """How a battle stands for somebody.

    Attributes:
        battle: As anybody may see it.
        allowed: Whether this person may see it.
        contenders: Who the two are. For whoever counts votes: a person may be told `names`, and nothing else.
        names: The same; None for somebody who has not voted on them, or on all battles of the two that wait for it.
        vote: Theirs, the newest version; None when they have not voted.
        version: How often they have given or changed it.
        asked: Whether an agent has asked anything.
        revealed: Whether they were told the names before, here or elsewhere: a vote from now on does not count.
        after_reveal: Whether the newest version of their vote was given after that.
        counted: Whom the version that counts is for; None when none does.
        identified: The sides whose agent typed a name that tells who it is, such as "ab".
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
    """How a battle stands for somebody; None when there is none."""
    with store.read() as connection:
        rows = connection.execute(_SEE, {"battle": id_, "person": person.id}).all()
        if not rows:
            return None
        first = rows[0]
        battle = as_battle(first, [_side(row) for row in rows if row.side_side is not None])
        two, vote = (first.a, first.b), _vote(first)
        chain = _chain(connection, first) if first.follows is not None or first.goes_on else [first]
        known = vote is not None and not any(_awaits(connection, one, person) for one in chain if one.id != first.id)
        told = _was_told(connection, [one.id for one in chain], person) if len(chain) > 1 else bool(first.revealed)
    return Seen(
        battle=battle,
        allowed=sees(battle, person, is_shared=first.shared is not None),
        contenders=two,
        names=two if known else None,
        vote=vote,
        version=first.vote_version or 0,
        asked=first.asked,
        revealed=told,
        after_reveal=bool(first.vote_after_reveal),
        counted=first.vote_winner if first.vote_counted is not None else None,
        identified="".join(side for side, wrote in zip(SIDES, (first.typed_a, first.typed_b), strict=True) if wrote),
    )


def reveal(store: Store, battle: str, person: Person, seen: Seen | None = None) -> tuple[str, str] | None:
    """Who the two sides were, and notes that this person was told; None for somebody who has not voted on them.

    The same two fight in what follows a battle, so nobody learns it while one of these battles waits for their vote.

    Args:
        store: The arena.
        battle: Which.
        person: Who wants to know.
        seen: How the battle stands for them, if that is known already.
    """
    seen = seen or see(store, battle, person)
    if seen is None or seen.names is None:
        return None
    if not seen.revealed:
        note_reveals(store, [battle], person, "battle")
    return seen.names


def series_of(connection: Connection, id_: str) -> list[str]:
    """The battles of the same two that follow each other, in the order in which they were begun; this one too."""
    row = connection.execute(select(battles).where(battles.c.id == id_)).one()
    return [one.id for one in _chain(connection, row)]


def note_reveals(store: Store, ids: Iterable[str], person: Person, how: str) -> None:
    """Notes that a person is told the names of battles; call it before they are told."""
    at = now()
    rows = [{"battle": id_, "person": person.id, "at": at, "how": how} for id_ in sorted(set(ids))]
    if rows:
        with store.write() as connection:
            connection.execute(upserting(connection, reveals).on_conflict_do_nothing(), rows)


_SIDE = tuple(field.name for field in fields(Side))


def _query() -> Select[Any]:
    """One row a side; all else is the same in both."""
    later = battles.alias()
    person = bindparam("person", type_=votes.c.person.type)
    mine = (votes.c.battle == battles.c.id) & (votes.c.person == person)
    # The newest version is in the history: the table of votes has the one that counts.
    told = (
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
        .outerjoin(vote_history, told)
        .outerjoin(shared, shared.c.battle == battles.c.id)
        .where(battles.c.id == bindparam("battle", type_=battles.c.id.type))
    )


def _told_to(person: BindParameter[str]) -> Select[Any]:
    """Reveals to a person, under any id that their browser has had."""
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
    if row.told is None:  # what was imported has no history
        return Vote(**{name: getattr(row, f"vote_{name}") for name in PLAIN})
    told = json.loads(row.told)
    return Vote(**{**told, "marks": tuple(StepMark(**one) for one in told["marks"])})


def _was_told(connection: Connection, ids: Sequence[str], person: Person) -> bool:
    """Whether a person was told the names of one of these battles, which are of the same two."""
    told = _told_to(bindparam("person", type_=votes.c.person.type)).where(reveals.c.battle.in_(ids)).limit(1)
    return connection.execute(told, {"person": person.id}).one_or_none() is not None


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
