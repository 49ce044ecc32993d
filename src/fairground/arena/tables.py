"""Votes as the statistics and data sets want them: who met whom, what was said, what counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Integer, Select, bindparam, func, select, true, union

from fairground.arena.filters import REASONS, FilterSettings, Finding, Judged, find_bad_votes
from fairground.arena.filters_settings import current_settings
from fairground.arena.people import Person
from fairground.arena.schema import (
    agents,
    battles,
    cleared,
    flags,
    identifications,
    shared,
    sides,
    vote_history,
    votes,
)
from fairground.arena.store import Store
from fairground.arena.voting import reflag
from fairground.stats import Votes, clusters_in

_WINNERS = {"a": "left", "b": "right", "tie": "tie", "both_bad": "both_bad"}


@dataclass(frozen=True)
class Row:
    """A vote with all that is known of its battle.

    Attributes:
        version: The newest; what the other fields say is of the version that counts.
        counted: The version that counts; None when the person knew the names before the first.
        after_reveal: Whether the newest version was given after the person knew the names.
        winner_after_reveal: Whom that version is for.
        identified: The sides whose agent typed a name that tells who it is, such as "ab".
        flagged: Why it does not count; empty when it does.
        open: Whether somebody else may still judge its battle, who must not learn who the two are.
    """

    battle: str
    person: str
    created: float
    changed: float
    version: int
    seconds: float | None
    world: str
    task: str
    own_task: bool
    category: str
    platform: str
    fingerprint: str
    a: str
    b: str
    winner: str
    correct_a: str | None
    correct_b: str | None
    safe_a: str | None
    safe_b: str | None
    efficient_a: str | None
    efficient_b: str | None
    comment: str
    episode_a: str
    episode_b: str
    reward_a: float | None
    reward_b: float | None
    outcome_a: str
    outcome_b: str
    steps_a: int | None
    steps_b: int | None
    questions_a: int | None
    questions_b: int | None
    repetition_a: float | None
    repetition_b: float | None
    counted: int | None = 1
    after_reveal: bool = False
    winner_after_reveal: str | None = None
    identified: str = ""
    flagged: tuple[str, ...] = ()
    open: bool = False

    @property
    def counts(self) -> bool:
        """Whether it counts."""
        return not self.flagged


@dataclass(frozen=True)
class Brief:
    """A battle in a list of somebody's.

    Attributes:
        task: What the two were asked.
        mine: Whether this person began it; otherwise they may judge it.
        vote: Whom this person voted for; None when they have not.
    """

    id: str
    created: float
    task: str
    own_task: bool
    status: str
    mine: bool
    vote: str | None


def battles_of(store: Store, person: Person, most: int = 200) -> list[Brief]:
    """The battles that somebody has begun and those that they may judge, the newest first."""
    query = _OWN if person.role == "visitor" else _OWN_AND_SHARED
    with store.read() as connection:
        return [
            Brief(row.id, row.created, row.task, row.own_task, row.status, row.owner == person.id, row.winner)
            for row in connection.execute(query, {"person": person.id, "most": most})
        ]


def all_votes(store: Store) -> list[Row]:
    """Every vote, in the order in which they were given; flagged ones too."""
    with store.read() as connection:
        rows = connection.execute(
            select(votes, *(battles.c[name] for name in _OF_BATTLE))
            .join(battles, battles.c.id == votes.c.battle)
            .order_by(votes.c.created, votes.c.battle, votes.c.person)
        ).all()
        ended = {(one.battle, one.side): one for one in connection.execute(select(sides))}
        why: dict[tuple[str, str], list[str]] = {}
        for one in connection.execute(select(flags).order_by(flags.c.reason)):
            why.setdefault((one.battle, one.person), []).append(one.reason)
        still = _still_open(connection, {(row.battle, row.person) for row in rows})
        later = winners_after_reveal(connection)
        typed: dict[str, set[str]] = {}
        for one in connection.execute(select(identifications).where(identifications.c.seen)):
            typed.setdefault(one.battle, set()).add(one.side)
    found = []
    for row in rows:
        values = dict(row._mapping)
        for side in ("a", "b"):
            end = ended.get((row.battle, side))
            for name in _OF_SIDE:
                values[f"{name}_{side}"] = getattr(end, name, "" if name in ("episode", "outcome") else None)
        values["winner_after_reveal"] = later.get((row.battle, row.person))
        values["identified"] = "".join(sorted(typed.get(row.battle, ())))
        reasons = tuple(why.get((row.battle, row.person), ()))
        found.append(Row(**values, flagged=reasons, open=row.battle in still))
    return found


def open_battles(store: Store) -> set[str]:
    """Battles whose names somebody must not learn yet: those that are not over, and those of the same two."""
    with store.read() as connection:
        voted = {(one.battle, one.person) for one in connection.execute(select(votes.c.battle, votes.c.person))}
        over = battles.c.status.in_(("closed", "failed", "interrupted"))
        found = set(connection.execute(select(battles.c.id).where(~over)).scalars())
        return found | _still_open(connection, voted)


def votes_version(store: Store) -> str:
    """A short text that changes whenever anything does that rankings are made of; costs one small query."""
    with store.read() as connection:
        return " ".join(str(value or 0) for value in connection.execute(_VERSION).one())


def task_labels(rows: Sequence[Row]) -> list[str]:
    """What makes votes depend on each other: world and words of the task.

    The battle where votes came without a task, and everywhere when there are too few tasks to tell how others would
    differ.
    """
    tasks = [f"{row.world} {row.task}" if row.task else row.battle for row in rows]
    return [row.battle for row in rows] if clusters_in({"task": tasks}).notes else tasks


def counted(rows: Iterable[Row], group: Callable[[Row], str] = lambda row: row.category) -> Votes | None:
    """The votes that count, for statistics; None without any. Their category is the `group`, "other" without one."""
    some = [row for row in rows if row.counts]
    if not some:
        return None
    return Votes.of(
        [row.a for row in some],
        [row.b for row in some],
        [_WINNERS[row.winner] for row in some],
        voter=[row.person for row in some],
        task=task_labels(some),
        category=[group(row) or "other" for row in some],
    )


def apply_filters(
    store: Store, rows: Sequence[Row] | None = None, *, settings: FilterSettings | None = None
) -> list[Finding]:
    """Flags what the filters find now, and takes back what they no longer find. Votes stay as they are.

    What an admin has cleared is not found again. The settings are those that admins have left, unless given.
    """
    rows = all_votes(store) if rows is None else rows
    with store.read() as connection:
        fine = {(one.battle, one.person, one.reason) for one in connection.execute(select(cleared))}
    judged = [
        Judged(
            row.battle, row.person, row.task, row.winner, row.created, row.seconds, row.own_task, row.identified,
            row.counted is None,
        )
        for row in rows
    ]  # fmt: skip
    bad = find_bad_votes(judged, settings or current_settings(store))
    found = [one for one in bad if (one.battle, one.person, one.reason) not in fine]
    wanted = {(one.battle, one.person, one.reason) for one in found}
    known = {(row.battle, row.person, why) for row in rows for why in row.flagged if why in REASONS}
    fresh = [one for one in found if (one.battle, one.person, one.reason) not in known]
    reflag(store, [(one.battle, one.person, one.reason, one.detail) for one in fresh], known - wanted)
    return found


def winners_after_reveal(connection: Connection) -> dict[tuple[str, str], str]:
    """Whom the newest version of a vote is for, by battle and person, where that was given after the reveal."""
    newest = (
        (vote_history.c.battle == votes.c.battle)
        & (vote_history.c.person == votes.c.person)
        & (vote_history.c.version == votes.c.version)
    )
    query = select(vote_history).join(votes, newest).where(votes.c.after_reveal)
    return {(row.battle, row.person): json.loads(row.vote)["winner"] for row in connection.execute(query)}


def _still_open(connection: Connection, voted: set[tuple[str, str]]) -> set[str]:
    """Battles that somebody may still judge who does not know the two: shared ones, and those of an unjudged series.

    The same two fight in a battle and in what follows it.
    """
    judging = (battles.c.id == shared.c.battle) & (battles.c.status != "closed")
    found = set(connection.execute(select(shared.c.battle).join(battles, judging)).scalars())
    series: dict[str, set[str]] = {}
    later = select(battles.c.id, battles.c.follows).where(battles.c.follows.is_not(None)).order_by(battles.c.created)
    for one in connection.execute(later):
        series[one.id] = series.setdefault(one.follows, {one.follows})
        series[one.id].add(one.id)
    waiting = battles.c.status.in_(("preparing", "running", "judging"))
    for one in connection.execute(select(battles.c.id, battles.c.owner).where(waiting)):
        if one.id in series and (one.id, one.owner) not in voted:
            found.add(one.id)
    return found.union(*(series[one] for one in found if one in series))


_OF_BATTLE = ("world", "task", "own_task", "category", "platform", "fingerprint", "a", "b")
_OF_SIDE = ("episode", "reward", "outcome", "steps", "questions", "repetition")


def _briefs(*, judges: bool) -> Select[Any]:
    person = bindparam("person", type_=votes.c.person.type)
    mine = battles.c.owner == person
    # By what has an index, and not by looking at every battle.
    ids = union(select(battles.c.id).where(mine), select(shared.c.battle))
    to_judge = battles.c.id.in_(ids) & (mine | battles.c.status.in_(("judging", "closed")))
    told = [battles.c[name] for name in ("id", "created", "task", "own_task", "status", "owner")]
    return (
        select(*told, votes.c.winner)
        .outerjoin(votes, (votes.c.battle == battles.c.id) & (votes.c.person == person))
        .where(to_judge if judges else mine)
        .order_by(battles.c.created.desc(), battles.c.id)
        .limit(bindparam("most", type_=Integer()))
    )


_OWN, _OWN_AND_SHARED = _briefs(judges=False), _briefs(judges=True)


def _version() -> Select[Any]:
    closed, broken = battles.c.status == "closed", battles.c.status.in_(("failed", "interrupted"))
    asked = (
        select(func.count().label("n"), func.max(votes.c.changed), func.sum(votes.c.version)).select_from(votes),
        select(func.count().label("n"), func.max(flags.c.flagged)).select_from(flags),
        select(func.count().label("n"), func.max(shared.c.since)).select_from(shared),
        select(
            func.count().filter(closed).label("n"),
            func.max(battles.c.closed).filter(closed),
            func.count(battles.c.follows),
            func.count().filter(broken),
        ),
        select(func.count().label("n"), func.count(agents.c.retired), func.max(agents.c.retired)).select_from(agents),
    )
    first, *others = (one.subquery() for one in asked)
    query = select(first, *others)
    for one in others:
        query = query.join_from(first, one, true())
    return query


_VERSION = _version()
