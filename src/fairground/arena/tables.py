"""Votes as tables for statistics and data sets."""

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
    """A vote with all data of its battle.

    Attributes:
        version: The newest version. The other fields are of the version that counts.
        counted: The version that counts; None if the person knew the names before their first vote.
        after_reveal: Whether the newest version was given after the person knew the names.
        winner_after_reveal: Winner in that version.
        identified: Sides whose agent typed a name that identifies it, such as "ab".
        flagged: Why it does not count; empty if it does.
        open: Whether somebody else can still judge its battle, and must not learn the names.
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
    """A battle in a person's list.

    Attributes:
        task: The task.
        mine: Whether this person started it; otherwise they may judge it.
        vote: Winner in this person's vote; None if they have not voted.
    """

    id: str
    created: float
    task: str
    own_task: bool
    status: str
    mine: bool
    vote: str | None


def battles_of(store: Store, person: Person, most: int = 200) -> list[Brief]:
    """List the battles that a person started or may judge, newest first."""
    query = _OWN if person.role == "visitor" else _OWN_AND_SHARED
    with store.read() as connection:
        return [
            Brief(row.id, row.created, row.task, row.own_task, row.status, row.owner == person.id, row.winner)
            for row in connection.execute(query, {"person": person.id, "most": most})
        ]


def all_votes(store: Store) -> list[Row]:
    """Return every vote in order of time, including flagged ones."""
    with store.read() as connection:
        rows = connection.execute(
            select(votes, *(battles.c[name] for name in _OF_BATTLE))
            .join(battles, battles.c.id == votes.c.battle)
            .order_by(votes.c.created, votes.c.battle, votes.c.person)
        ).all()
        ended = {(side.battle, side.side): side for side in connection.execute(select(sides))}
        why: dict[tuple[str, str], list[str]] = {}
        for flag in connection.execute(select(flags).order_by(flags.c.reason)):
            why.setdefault((flag.battle, flag.person), []).append(flag.reason)
        still = _still_open(connection, {(row.battle, row.person) for row in rows})
        later = winners_after_reveal(connection)
        typed: dict[str, set[str]] = {}
        for flag in connection.execute(select(identifications).where(identifications.c.seen)):
            typed.setdefault(flag.battle, set()).add(flag.side)
    collected = []
    for row in rows:
        values = dict(row._mapping)
        for side in ("a", "b"):
            end = ended.get((row.battle, side))
            for name in _OF_SIDE:
                values[f"{name}_{side}"] = getattr(end, name, "" if name in ("episode", "outcome") else None)
        values["winner_after_reveal"] = later.get((row.battle, row.person))
        values["identified"] = "".join(sorted(typed.get(row.battle, ())))
        reasons = tuple(why.get((row.battle, row.person), ()))
        collected.append(Row(**values, flagged=reasons, open=row.battle in still))
    return collected


def open_battles(store: Store) -> set[str]:
    """Return battles whose names must stay secret: unfinished ones, and those with the same agents."""
    with store.read() as connection:
        voted = {(vote.battle, vote.person) for vote in connection.execute(select(votes.c.battle, votes.c.person))}
        over = battles.c.status.in_(("closed", "failed", "interrupted"))
        ids = set(connection.execute(select(battles.c.id).where(~over)).scalars())
        return ids | _still_open(connection, voted)


def votes_version(store: Store) -> str:
    """Return a text that changes whenever the data of the rankings changes. Costs one small query."""
    with store.read() as connection:
        return " ".join(str(value or 0) for value in connection.execute(_VERSION).one())


def task_labels(rows: Sequence[Row]) -> list[str]:
    """Return the cluster label of each vote: world and text of the task.

    The battle is used for votes without a task, and for all votes if there are too few tasks.
    """
    tasks = [f"{row.world} {row.task}" if row.task else row.battle for row in rows]
    return [row.battle for row in rows] if clusters_in({"task": tasks}).notes else tasks


def counted(rows: Iterable[Row], group: Callable[[Row], str] = lambda row: row.category) -> Votes | None:
    """Return the votes that count, for statistics; None without any. The `group` is their category, or "other"."""
    counting = [row for row in rows if row.counts]
    if not counting:
        return None
    return Votes.of(
        [row.a for row in counting],
        [row.b for row in counting],
        [_WINNERS[row.winner] for row in counting],
        voter=[row.person for row in counting],
        task=task_labels(counting),
        category=[group(row) or "other" for row in counting],
    )


def apply_filters(
    store: Store, rows: Sequence[Row] | None = None, *, settings: FilterSettings | None = None
) -> list[Finding]:
    """Run the filters: set new flags and remove outdated ones. Votes are not changed.

    Flags that an admin has cleared are not set again. By default, the stored settings are used.
    """
    rows = all_votes(store) if rows is None else rows
    with store.read() as connection:
        fine = {(flag.battle, flag.person, flag.reason) for flag in connection.execute(select(cleared))}
    judged = [
        Judged(
            row.battle, row.person, row.task, row.winner, row.created, row.seconds, row.own_task, row.identified,
            row.counted is None,
        )
        for row in rows
    ]  # fmt: skip
    bad = find_bad_votes(judged, settings or current_settings(store))
    findings = [finding for finding in bad if (finding.battle, finding.person, finding.reason) not in fine]
    wanted = {(finding.battle, finding.person, finding.reason) for finding in findings}
    known = {(row.battle, row.person, why) for row in rows for why in row.flagged if why in REASONS}
    fresh = [finding for finding in findings if (finding.battle, finding.person, finding.reason) not in known]
    reflag(store, [(flag.battle, flag.person, flag.reason, flag.detail) for flag in fresh], known - wanted)
    return findings


def winners_after_reveal(connection: Connection) -> dict[tuple[str, str], str]:
    """Return the winner in the newest version of votes that were changed after the reveal, by battle and person."""
    newest = (
        (vote_history.c.battle == votes.c.battle)
        & (vote_history.c.person == votes.c.person)
        & (vote_history.c.version == votes.c.version)
    )
    query = select(vote_history).join(votes, newest).where(votes.c.after_reveal)
    return {(row.battle, row.person): json.loads(row.vote)["winner"] for row in connection.execute(query)}


def _still_open(connection: Connection, voted: set[tuple[str, str]]) -> set[str]:
    """Return battles that somebody who does not know the agents can still judge: shared ones, and unjudged series.

    A battle and its follow-ups have the same agents.
    """
    judging = (battles.c.id == shared.c.battle) & (battles.c.status != "closed")
    ids = set(connection.execute(select(shared.c.battle).join(battles, judging)).scalars())
    series: dict[str, set[str]] = {}
    later = select(battles.c.id, battles.c.follows).where(battles.c.follows.is_not(None)).order_by(battles.c.created)
    for row in connection.execute(later):
        series[row.id] = series.setdefault(row.follows, {row.follows})
        series[row.id].add(row.id)
    waiting = battles.c.status.in_(("preparing", "running", "judging"))
    for row in connection.execute(select(battles.c.id, battles.c.owner).where(waiting)):
        if row.id in series and (row.id, row.owner) not in voted:
            ids.add(row.id)
    return ids.union(*(series[battle] for battle in ids if battle in series))


_OF_BATTLE = ("world", "task", "own_task", "category", "platform", "fingerprint", "a", "b")
_OF_SIDE = ("episode", "reward", "outcome", "steps", "questions", "repetition")


def _briefs(*, judges: bool) -> Select[Any]:
    person = bindparam("person", type_=votes.c.person.type)
    mine = battles.c.owner == person
    # Uses indexes instead of scanning all battles.
    ids = union(select(battles.c.id).where(mine), select(shared.c.battle))
    to_judge = battles.c.id.in_(ids) & (mine | battles.c.status.in_(("judging", "closed")))
    columns = [battles.c[name] for name in ("id", "created", "task", "own_task", "status", "owner")]
    return (
        select(*columns, votes.c.winner)
        .outerjoin(votes, (votes.c.battle == battles.c.id) & (votes.c.person == person))
        .where(to_judge if judges else mine)
        .order_by(battles.c.created.desc(), battles.c.id)
        .limit(bindparam("most", type_=Integer()))
    )


_OWN, _OWN_AND_SHARED = _briefs(judges=False), _briefs(judges=True)


def _version() -> Select[Any]:
    closed, broken = battles.c.status == "closed", battles.c.status.in_(("failed", "interrupted"))
    queries = (
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
    first, *rest = (query.subquery() for query in queries)
    query = select(first, *rest)
    for subquery in rest:
        query = query.join_from(first, subquery, true())
    return query


_VERSION = _version()
