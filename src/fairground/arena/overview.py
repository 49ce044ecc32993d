"""Lists of agents, battles and votes for admins. Names stay secret while a battle can be judged."""

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
"""Maximum number of rows per request."""


@dataclass(frozen=True)
class AgentLine:
    """An agent.

    Attributes:
        retired: When it was retired; None while it is active.
        why: Why it was retired.
        votes: Number of counting votes on its battles.
        correct: Share of its last judgements that found it correct; None without any.
        judged: Number of these judgements.
        due: Whether the retirement rule applies to it.
        identified: Number of battles in which it typed a name that identifies it; their votes do not count.
        hidden: Number of other battles in which it wrote one, which was redacted.
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
        agents: Names of both agents; None while anyone can still judge them, here or in a follow-up.
        identified: Sides whose agent typed a name that identifies it.
        evidence: What both wrote that identifies them; empty while `agents` is None, because it contains names.
        votes: Number of people who voted on it.
        shared: Whether every judge may judge it, not only its owner.
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
    """A vote without the names of its agents, and why it does not count, if so.

    Attributes:
        winner: Of the version that counts.
        comment: Of the version that counts; without names while anyone can still judge the battle.
        after_reveal: Winner in the newest version, if it was given after the person knew the names.
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
    """List all agents by name; `rows` are the votes.

    Battles that others can still judge are left out: a changing number would reveal their agents.
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
    correct = correctness([judgement for judgements in recent.values() for judgement in judgements])
    with store.read() as connection:
        known = connection.execute(select(agents).order_by(agents.c.name)).all()
    lines = []
    for agent in known:
        judgements, share = recent.get(agent.name, []), correct.get(agent.name)
        due = agent.retired is None and rule.due([judgement.correct for judgement in judgements])
        lines.append(
            AgentLine(
                agent.name, agent.added, agent.retired, agent.why, number.get(agent.name, 0),
                share.interval if share else None, len(judgements), due, *wrote.get(agent.name, (0, 0)),
            )
        )  # fmt: skip
    return lines


def list_battles(store: Store, *, status: str = "", limit: int = 50, offset: int = 0) -> tuple[list[BattleLine], int]:
    """Return battles, newest first, and their total number."""
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
            identified="".join(sorted({finding.side for finding in wrote.get(row.id, ()) if finding.seen})),
            evidence=tuple(wrote.get(row.id, ())) if row.status == "closed" and row.id not in secret else (),
        )
        for row in rows
    ], int(total)


def list_votes(
    store: Store, *, flagged: bool = False, reason: str = "", limit: int = 50, offset: int = 0
) -> tuple[list[VoteLine], int]:
    """Return votes, newest first, and their total number; optionally only flagged ones, or those with one reason."""
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
        reasons: dict[tuple[str, str], list[Finding]] = {}
        for flag in connection.execute(select(flags).where(flags.c.battle.in_(named)).order_by(flags.c.reason)):
            reasons.setdefault((flag.battle, flag.person), []).append(
                Finding(flag.battle, flag.person, flag.reason, flag.detail)
            )
        later = winners_after_reveal(connection)
    secret, names = open_battles(store), agent_names(store)
    return [
        VoteLine(
            row.battle, row.person, row.created, row.seconds, row.winner,
            Redactor(names, row.task)(row.comment) if row.battle in secret else row.comment, row.task,
            tuple(reasons.get((row.battle, row.person), ())), later.get((row.battle, row.person)),
        )
        for row in rows
    ], int(total)  # fmt: skip


def flag_counts(store: Store) -> dict[str, int]:
    """Return the number of flagged votes by reason."""
    query = select(flags.c.reason, func.count()).group_by(flags.c.reason).order_by(flags.c.reason)
    with store.read() as connection:
        return {reason: number for reason, number in connection.execute(query)}


def voter_of(store: Store, battle: str, start: str) -> str | None:
    """Return the voter on a battle whose ID starts with this prefix; None if there is none or more than one."""
    query = select(votes.c.person).where(votes.c.battle == battle, votes.c.person.startswith(start, autoescape=True))
    with store.read() as connection:
        voters = connection.execute(query).scalars().all()
    return voters[0] if len(voters) == 1 else None


def _part(query: Select[Any], limit: int, offset: int) -> Select[Any]:
    return query.limit(max(1, min(limit, MOST))).offset(max(0, offset))
