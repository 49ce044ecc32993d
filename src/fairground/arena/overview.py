"""An arena as its admin sees it: agents, battles and votes in lists. Names stay secret while a battle can be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, select

from fairground.arena.battles import agent_names
from fairground.arena.drawing import Retirement
from fairground.arena.filters import Finding
from fairground.arena.identification import Identification, identifications_of, identified_battles
from fairground.arena.redaction import Redactor
from fairground.arena.schema import agents, battles, flags, shared, votes
from fairground.arena.standings import correctness, recent_judgements
from fairground.arena.store import Store
from fairground.arena.tables import Row, open_battles, winners_after_reveal
from fairground.stats import Interval

MOST = 200
"""Lines of a list that are given at once."""


@dataclass(frozen=True)
class AgentLine:
    """An agent.

    Attributes:
        retired: When it was taken out; None while it can be drawn.
        why: Why it was.
        votes: How many votes that count were about it.
        correct: How often it was correct in its last judgements; None without any.
        judged: On how many judgements that rests.
        due: Whether it should be retired by the rule.
        identified: In how many battles it typed a name that tells who it is, so that their votes do not count.
        hidden: In how many others it wrote one, which was hidden.
    """

    name: str
    added: float
    retired: float | None
    why: str
    votes: int
    correct: Interval | None
    judged: int
    due: bool
    identified: int = 0
    hidden: int = 0


@dataclass(frozen=True)
class BattleLine:
    """A battle.

    Attributes:
        agents: The two; None while somebody may still judge them, here or in a battle that follows.
        identified: The sides whose agent typed a name that tells who it is.
        evidence: What both wrote that tells who they are; empty while `agents` is None, because it names them.
        votes: How many people have voted on it.
        shared: Whether every judge may judge it, not only who began it.
    """

    id: str
    created: float
    owner: str
    world: str
    task: str
    category: str
    platform: str
    status: str
    why: str
    votes: int
    shared: bool
    agents: tuple[str, str] | None
    identified: str = ""
    evidence: tuple[Identification, ...] = ()


@dataclass(frozen=True)
class VoteLine:
    """A vote, without the names of its agents, and why it does not count, if it does not.

    Attributes:
        winner: Of the version that counts.
        comment: The same; without names, as long as somebody may still judge the battle.
        after_reveal: Whom the newest version is for, if that was given after the person knew the names.
    """

    battle: str
    person: str
    created: float
    seconds: float | None
    winner: str
    comment: str
    task: str
    flags: tuple[Finding, ...]
    after_reveal: str | None = None


def list_agents(store: Store, rows: Sequence[Row], rule: Retirement | None = None) -> list[AgentLine]:
    """Every agent that was let in, by name; `rows` are the votes.

    Battles that others may still judge are left out: a number that changes would tell who fights there.
    """
    rule = rule or Retirement()
    rows = [row for row in rows if not row.open]
    wrote = identified_battles(store, {row.battle for row in rows})
    number: dict[str, int] = {}
    for row in rows:
        if row.counts:
            for name in (row.a, row.b):
                number[name] = number.get(name, 0) + 1
    recent = recent_judgements(rows, rule.window)
    correct = correctness([one for said in recent.values() for one in said])
    with store.read() as connection:
        known = connection.execute(select(agents).order_by(agents.c.name)).all()
    found = []
    for one in known:
        said, share = recent.get(one.name, []), correct.get(one.name)
        due = one.retired is None and rule.due([judgement.correct for judgement in said])
        found.append(
            AgentLine(
                one.name, one.added, one.retired, one.why, number.get(one.name, 0),
                share.interval if share else None, len(said), due, *wrote.get(one.name, (0, 0)),
            )
        )  # fmt: skip
    return found


def list_battles(store: Store, *, status: str = "", limit: int = 50, offset: int = 0) -> tuple[list[BattleLine], int]:
    """Battles, the newest first, and how many there are in all."""
    where = [battles.c.status == status] if status else []
    number = select(func.count()).where(votes.c.battle == battles.c.id).scalar_subquery().label("votes")
    open_to_all = select(shared.c.battle).where(shared.c.battle == battles.c.id).exists().label("shared")
    query = select(battles, number, open_to_all).where(*where).order_by(battles.c.created.desc(), battles.c.id)
    with store.read() as connection:
        total = connection.execute(select(func.count()).select_from(battles).where(*where)).scalar_one()
        rows = connection.execute(_part(query, limit, offset)).all()
    shown = ("id", "created", "owner", "world", "task", "category", "platform", "status", "why", "votes", "shared")
    secret, names = open_battles(store), agent_names(store)
    wrote = identifications_of(store, [row.id for row in rows])
    return [
        BattleLine(
            **{name: getattr(row, name) for name in shown if name != "why"},
            why=Redactor(names, row.task)(row.why) if row.id in secret else row.why,
            agents=(row.a, row.b) if row.status == "closed" and row.id not in secret else None,
            identified="".join(sorted({one.side for one in wrote.get(row.id, ()) if one.seen})),
            evidence=tuple(wrote.get(row.id, ())) if row.status == "closed" and row.id not in secret else (),
        )
        for row in rows
    ], int(total)


def list_votes(
    store: Store, *, flagged: bool = False, reason: str = "", limit: int = 50, offset: int = 0
) -> tuple[list[VoteLine], int]:
    """Votes, the newest first, and how many there are in all; only those that are flagged, or for one reason."""
    where = []
    if flagged or reason:
        why = select(flags.c.battle).where(flags.c.battle == votes.c.battle, flags.c.person == votes.c.person)
        where.append((why.where(flags.c.reason == reason) if reason else why).exists())
    query = (
        select(votes, battles.c.task)
        .join(battles, battles.c.id == votes.c.battle)
        .where(*where)
        .order_by(votes.c.created.desc(), votes.c.battle, votes.c.person)
    )
    with store.read() as connection:
        total = connection.execute(select(func.count()).select_from(votes).where(*where)).scalar_one()
        rows = connection.execute(_part(query, limit, offset)).all()
        named = {row.battle for row in rows}
        found: dict[tuple[str, str], list[Finding]] = {}
        for one in connection.execute(select(flags).where(flags.c.battle.in_(named)).order_by(flags.c.reason)):
            found.setdefault((one.battle, one.person), []).append(
                Finding(one.battle, one.person, one.reason, one.detail)
            )
        later = winners_after_reveal(connection)
    secret, names = open_battles(store), agent_names(store)
    return [
        VoteLine(
            row.battle, row.person, row.created, row.seconds, row.winner,
            Redactor(names, row.task)(row.comment) if row.battle in secret else row.comment, row.task,
            tuple(found.get((row.battle, row.person), ())), later.get((row.battle, row.person)),
        )
        for row in rows
    ], int(total)  # fmt: skip


def flag_counts(store: Store) -> dict[str, int]:
    """How many votes are flagged, by reason."""
    query = select(flags.c.reason, func.count()).group_by(flags.c.reason).order_by(flags.c.reason)
    with store.read() as connection:
        return {reason: number for reason, number in connection.execute(query)}


def voter_of(store: Store, battle: str, start: str) -> str | None:
    """Who voted on a battle, from how their id begins; None when nobody did, or several."""
    query = select(votes.c.person).where(votes.c.battle == battle, votes.c.person.startswith(start, autoescape=True))
    with store.read() as connection:
        found = connection.execute(query).scalars().all()
    return found[0] if len(found) == 1 else None


def _part(query: Select[Any], limit: int, offset: int) -> Select[Any]:
    return query.limit(max(1, min(limit, MOST))).offset(max(0, offset))
