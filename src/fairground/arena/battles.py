"""Storage of battles: creation, status changes, and recovery after a server crash."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import Connection, Row, delete, func, select, update

from fairground.arena.drawing import draw_pair, pair_weights
from fairground.arena.people import Absent, Person, Refused
from fairground.arena.schema import (
    SIDES,
    agents,
    battles,
    flags,
    identifications,
    messages,
    people,
    shared,
    sides,
    votes,
)
from fairground.arena.store import Store, now
from fairground.core import InvalidInput, Record

MAX_TASK = 4_000
MAX_ANSWER = 4_000
UNFINISHED = ("preparing", "running")

Words = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""Text that every database can store: PostgreSQL rejects NUL."""


class Preparation(Record):
    """What a person places on the desktop before the agents start.

    Attributes:
        files: IDs of uploaded files.
        pages: URLs to open.
        repository: A path or URL to clone.
        preset: A named set of all of these.
    """

    files: tuple[Annotated[str, Field(max_length=200)], ...] = Field((), max_length=20)
    pages: tuple[Annotated[str, Field(max_length=2_000)], ...] = Field((), max_length=20)
    repository: Annotated[str, Field(max_length=2_000)] = ""
    preset: Annotated[str, Field(max_length=100)] = ""


class Task(Record):
    """The task of both agents: a scenario of a suite, or a custom task in one of its worlds."""

    world: Annotated[str, Field(min_length=1, max_length=500)]
    text: Annotated[str, Field(min_length=1, max_length=MAX_TASK)]
    own: bool = False
    category: Annotated[str, Field(max_length=100)] = ""
    platform: Annotated[str, Field(max_length=40)] = ""
    preparation: Preparation = Preparation()


@dataclass(frozen=True)
class Side:
    """Result of one side.

    Attributes:
        episode: Folder of its recording, relative to the arena's folder.
        questions: Number of questions to the person.
        repetition: Share of its actions that belong to a run of three or more identical actions.
    """

    side: str
    episode: str = ""
    outcome: str = ""
    reward: float | None = None
    steps: int | None = None
    seconds: float | None = None
    dollars: float | None = None
    questions: int | None = None
    repetition: float | None = None


@dataclass(frozen=True)
class Battle:
    """A battle without the names of its agents: the public part."""

    id: str
    created: float
    owner: str
    task: Task
    status: str
    why: str
    fingerprint: str
    follows: str | None
    judged: float | None
    sides: Mapping[str, Side] = field(default_factory=dict)


def add_agents(store: Store, names: Sequence[str]) -> None:
    """Add agents. Known agents stay unchanged."""
    with store.write() as connection:
        known = set(connection.execute(select(agents.c.name)).scalars())
        fresh = [name for name in dict.fromkeys(names) if name not in known]
        if fresh:
            connection.execute(agents.insert(), [{"name": name, "added": now(), "why": ""} for name in fresh])


def retire(store: Store, name: str, why: str) -> None:
    """Retire an agent. It takes part in no new battles and stays on the leaderboard."""
    with store.write() as connection:
        query = update(agents).where(agents.c.name == name, agents.c.retired.is_(None))
        connection.execute(query.values(retired=now(), why=why[:500]))


def bring_back(store: Store, name: str) -> None:
    """Bring back a retired agent."""
    with store.write() as connection:
        connection.execute(update(agents).where(agents.c.name == name).values(retired=None, why=""))


def active_agents(store: Store) -> list[str]:
    """Return the agents that can be drawn."""
    with store.read() as connection:
        query = select(agents.c.name).where(agents.c.retired.is_(None)).order_by(agents.c.name)
        return list(connection.execute(query).scalars())


def agent_names(store: Store) -> list[str]:
    """Return all agents that were ever added."""
    with store.read() as connection:
        return list(connection.execute(select(agents.c.name).order_by(agents.c.name)).scalars())


def new_battle(
    store: Store,
    owner: Person,
    task: Task,
    *,
    chance: random.Random | None = None,
    ratings: Mapping[str, tuple[float, float]] | None = None,
    follows: str | None = None,
    among: Collection[str] | None = None,
    most: int | None = None,
) -> Battle:
    """Create a battle with two drawn agents. A follow-up keeps the agents of the previous battle.

    Args:
        store: The arena.
        owner: The person who starts it.
        task: The task.
        chance: Random generator for the draw.
        ratings: Interval of each agent's rating, so that uncertain pairs meet more often.
        follows: The previous battle, for a follow-up.
        among: Draw only from these agents, without retired ones.
        most: Maximum number of unfinished battles of the owner, including this one.

    Raises:
        InvalidInput: If fewer than two agents are available.
        Refused: If the previous battle belongs to somebody else or they have voted on it, or if the owner has too many
            unfinished battles.
    """
    id_ = secrets.token_hex(16)
    with store.write() as connection:
        if most is not None:
            _check_number(connection, owner, most)
        if follows is not None:
            earlier = _row(connection, follows, lock=True)  # waits for a vote that is being written
            if earlier.owner != owner.id:
                raise Refused("only the person who started a battle can continue it")
            mine = (votes.c.battle == follows, votes.c.person == owner.id)
            if connection.execute(select(votes.c.version).where(*mine)).one_or_none() is not None:
                raise Refused("you have voted on this battle and know the agents", fix="start another battle")
            a, b = earlier.a, earlier.b
        else:
            active = connection.execute(select(agents.c.name).where(agents.c.retired.is_(None))).scalars()
            names = [name for name in active if among is None or name in among]
            a, b = draw_pair(pair_weights(names, _met(connection), ratings), chance or random.SystemRandom())
        connection.execute(
            battles.insert().values(
                id=id_,
                created=now(),
                owner=owner.id,
                world=task.world,
                task=task.text,
                own_task=task.own,
                category=task.category,
                platform=task.platform,
                preparation=json.dumps(task.preparation.model_dump(mode="json")),
                a=a,
                b=b,
                fingerprint="",
                status="preparing",
                why="",
                follows=follows,
            )
        )
        connection.execute(sides.insert(), [_blank(id_, side) for side in SIDES])
    return find_battle(store, id_)


def find_battle(store: Store, id_: str) -> Battle:
    """Return the public part of a battle. Raises `Refused` if it does not exist."""
    with store.read() as connection:
        row = _row(connection, id_)
        rows = connection.execute(select(sides).where(sides.c.battle == id_)).all()
    names = [field.name for field in fields(Side)]
    return as_battle(row, [Side(**{name: getattr(row, name) for name in names}) for row in rows])


def contenders(store: Store, id_: str) -> tuple[str, str]:
    """Return the names of both agents, for running them. They must not reach a person before the vote."""
    with store.read() as connection:
        row = _row(connection, id_)
    return row.a, row.b


def begin(store: Store, id_: str, fingerprints: Mapping[str, str]) -> None:
    """Start the battle when both seats are ready and identical.

    Raises:
        InvalidInput: If the two seats differ. The battle has then failed.
    """
    first, second = (fingerprints[side] for side in SIDES)
    if first != second:
        why = "the two seats differ, so the battle would not be fair"
        fail(store, id_, why)
        raise InvalidInput(why, fix="start another battle")
    _move(store, id_, ("preparing",), status="running", fingerprint=first)


def end_side(store: Store, id_: str, side: Side) -> None:
    """Record the result of one side."""
    values = {name: value for name, value in vars(side).items() if name != "side"}
    with store.write() as connection:
        here = (sides.c.battle == id_, sides.c.side == side.side)
        connection.execute(update(sides).where(*here).values(values))


def to_judge(store: Store, id_: str) -> None:
    """Open the battle for judging when both sides are done."""
    _move(store, id_, ("running",), status="judging", judged=now())


def close(store: Store, id_: str) -> None:
    """Close a battle: votes on it can no longer be given or changed."""
    _move(store, id_, ("judging",), status="closed", closed=now())


def fail(store: Store, id_: str, why: str) -> None:
    """Mark a battle as failed. It has no votes and no score."""
    _move(store, id_, UNFINISHED, status="failed", why=why[:500])


def interrupt_all(store: Store) -> list[str]:
    """Mark battles that were running when the last server died as interrupted. They can only be started again."""
    with store.write() as connection:
        ids = list(connection.execute(select(battles.c.id).where(battles.c.status.in_(UNFINISHED))).scalars())
        if ids:
            why = "the server stopped during the battle"
            connection.execute(update(battles).where(battles.c.id.in_(ids)).values(status="interrupted", why=why))
    return ids


def interrupt(store: Store, ids: Sequence[str]) -> None:
    """Mark these unfinished battles as interrupted when the server stops."""
    with store.write() as connection:
        query = update(battles).where(battles.c.id.in_(ids), battles.c.status.in_(UNFINISHED))
        connection.execute(query.values(status="interrupted", why="the server stopped during the battle"))


def begin_again(store: Store, id_: str, owner: Person, most: int | None = None) -> None:
    """Reset a failed or interrupted battle, to run it again with the same agents on the same sides.

    Raises:
        Refused: If it belongs to somebody else, did not fail, or they have too many unfinished battles.
    """
    with store.write() as connection:
        row = _row(connection, id_)
        if row.owner != owner.id:
            raise Refused("only the person who started a battle can start it again")
        if most is not None:
            _check_number(connection, owner, most)
        here = (battles.c.id == id_, battles.c.status.in_(("failed", "interrupted")))
        query = update(battles).where(*here).values(status="preparing", why="", fingerprint="")
        if connection.execute(query).rowcount != 1:
            raise Refused(f"this battle is {row.status}; only a failed or interrupted battle can be started again")
        for table in (messages, identifications):
            connection.execute(delete(table).where(table.c.battle == id_))
        connection.execute(delete(sides).where(sides.c.battle == id_))
        connection.execute(sides.insert(), [_blank(id_, side) for side in SIDES])


def ask(store: Store, id_: str, side: Literal["a", "b"], question: str) -> int:
    """Store an agent's question to the person. Returns its number."""
    with store.write() as connection:
        here = (messages.c.battle == id_, messages.c.side == side)
        number = connection.execute(select(func.count()).select_from(messages).where(*here)).scalar_one()
        row = {"battle": id_, "side": side, "number": number, "asked": now(), "question": question[:MAX_ANSWER]}
        connection.execute(messages.insert().values(row))
    return int(number)


def answer(store: Store, id_: str, person: Person, side: str, number: int, text: str) -> None:
    """Store the person's answer. A question can be answered once.

    Raises:
        Refused: If the battle belongs to somebody else, or the question does not exist or is already answered.
    """
    with store.write() as connection:
        if _row(connection, id_).owner != person.id:
            raise Refused("only the person who started a battle can answer its agents")
        here = (messages.c.battle == id_, messages.c.side == side, messages.c.number == number)
        query = update(messages).where(*here, messages.c.answer.is_(None)).values(answer=text[:MAX_ANSWER])
        if connection.execute(query).rowcount != 1:
            raise Absent("no such question waits for an answer")


def settle(store: Store, id_: str, side: str, number: int, otherwise: str) -> str:
    """Return the answer to a question. If there is none, `otherwise` becomes the final answer."""
    with store.write() as connection:
        here = (messages.c.battle == id_, messages.c.side == side, messages.c.number == number)
        connection.execute(update(messages).where(*here, messages.c.answer.is_(None)).values(answer=otherwise))
        return str(connection.execute(select(messages.c.answer).where(*here)).scalar_one())


def share(store: Store, id_: str) -> None:
    """Let every judge see and judge a battle, to measure agreement between people."""
    with store.write() as connection:
        _row(connection, id_)
        if connection.execute(select(shared).where(shared.c.battle == id_)).one_or_none() is None:
            connection.execute(shared.insert().values(battle=id_, since=now()))


def may_see(store: Store, battle: Battle, person: Person) -> bool:
    """Whether a person may see a battle: its owner, admins, and judges if it is shared."""
    if sees(battle, person, is_shared=False):
        return True
    with store.read() as connection:
        row = connection.execute(select(shared).where(shared.c.battle == battle.id)).one_or_none()
    return sees(battle, person, is_shared=row is not None)


def sees(battle: Battle, person: Person, *, is_shared: bool) -> bool:
    """Like `may_see`, if it is already known whether the battle is shared."""
    return battle.owner == person.id or person.role == "admin" or (person.role == "judge" and is_shared)


def conversation(store: Store, id_: str) -> list[dict[str, Any]]:
    """Return questions and answers in the order of asking."""
    with store.read() as connection:
        query = select(messages).where(messages.c.battle == id_).order_by(messages.c.asked, messages.c.number)
        return [dict(row._mapping) for row in connection.execute(query)]


def as_battle(row: Row[Any], found: Sequence[Side]) -> Battle:
    """Convert a row of the battles table to its public part."""
    task = Task(
        world=row.world,
        text=row.task,
        own=row.own_task,
        category=row.category,
        platform=row.platform,
        preparation=Preparation.model_validate_json(row.preparation),
    )
    return Battle(
        id=row.id,
        created=row.created,
        owner=row.owner,
        task=task,
        status=row.status,
        why=row.why,
        fingerprint=row.fingerprint,
        follows=row.follows,
        judged=row.judged,
        sides={side.side: side for side in found},
    )


def _met(connection: Connection) -> dict[frozenset[str], int]:
    counted = (
        select(battles.c.a, battles.c.b, func.count().label("times"))
        .join(votes, votes.c.battle == battles.c.id)
        .outerjoin(flags, (flags.c.battle == votes.c.battle) & (flags.c.person == votes.c.person))
        .where(flags.c.battle.is_(None))
        .group_by(battles.c.a, battles.c.b)
    )
    by_battle: dict[frozenset[str], int] = {}
    for row in connection.execute(counted):
        pair = frozenset((row.a, row.b))
        by_battle[pair] = by_battle.get(pair, 0) + row.times
    return by_battle


def _move(store: Store, id_: str, allowed: Sequence[str], **values: Any) -> None:
    with store.write() as connection:
        query = update(battles).where(battles.c.id == id_, battles.c.status.in_(allowed)).values(values)
        if connection.execute(query).rowcount != 1:
            raise Refused(f"this battle is {_row(connection, id_).status}, expected {' or '.join(allowed)}")


def _check_number(connection: Connection, owner: Person, most: int) -> None:
    """Raise an error if the owner has too many unfinished battles.

    Concurrent requests of one person wait for each other here.
    """
    connection.execute(select(people.c.id).where(people.c.id == owner.id).with_for_update())
    mine = (battles.c.owner == owner.id, battles.c.status.in_(UNFINISHED))
    if connection.execute(select(func.count()).select_from(battles).where(*mine)).scalar_one() >= most:
        raise Refused(f"you have {most} unfinished battles, the maximum", fix="wait for one of them, or stop it")


def _row(connection: Connection, id_: str, *, lock: bool = False) -> Row[Any]:
    query = select(battles).where(battles.c.id == id_)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        raise Absent("no such battle")
    return row


def _blank(id_: str, side: str) -> dict[str, Any]:
    return {"battle": id_, "side": side, "episode": "", "outcome": ""}
