"""Battles as they are kept: drawn, running, judged, closed; and what is left of one when the machine died under it."""

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
"""Text that every database can keep: PostgreSQL has no NUL."""


class Preparation(Record):
    """What a person has put on the desktop before the agents begin.

    Attributes:
        files: Ids of uploaded files.
        pages: Addresses that are opened.
        repository: A path or URL that is cloned.
        preset: A named set of all that.
    """

    files: tuple[Annotated[str, Field(max_length=200)], ...] = Field((), max_length=20)
    pages: tuple[Annotated[str, Field(max_length=2_000)], ...] = Field((), max_length=20)
    repository: Annotated[str, Field(max_length=2_000)] = ""
    preset: Annotated[str, Field(max_length=100)] = ""


class Task(Record):
    """What two agents are asked to do: a scenario of a suite, or somebody's own words in a world of one."""

    world: Annotated[str, Field(min_length=1, max_length=500)]
    text: Annotated[str, Field(min_length=1, max_length=MAX_TASK)]
    own: bool = False
    category: Annotated[str, Field(max_length=100)] = ""
    platform: Annotated[str, Field(max_length=40)] = ""
    preparation: Preparation = Preparation()


@dataclass(frozen=True)
class Side:
    """What became of one side.

    Attributes:
        episode: Folder of its recording, below the arena's own.
        questions: How often it asked the person.
        repetition: Share of its actions that stand in a row of three or more that are alike.
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
    """A battle without the names of its agents: what anybody may see of it."""

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
    """Lets agents in; one that is known stays as it is."""
    with store.write() as connection:
        known = set(connection.execute(select(agents.c.name)).scalars())
        fresh = [name for name in dict.fromkeys(names) if name not in known]
        if fresh:
            connection.execute(agents.insert(), [{"name": name, "added": now(), "why": ""} for name in fresh])


def retire(store: Store, name: str, why: str) -> None:
    """Takes an agent out: it is drawn no more, and stays on the leaderboard."""
    with store.write() as connection:
        query = update(agents).where(agents.c.name == name, agents.c.retired.is_(None))
        connection.execute(query.values(retired=now(), why=why[:500]))


def bring_back(store: Store, name: str) -> None:
    """Lets a retired agent be drawn again."""
    with store.write() as connection:
        connection.execute(update(agents).where(agents.c.name == name).values(retired=None, why=""))


def active_agents(store: Store) -> list[str]:
    """Those that may be drawn."""
    with store.read() as connection:
        query = select(agents.c.name).where(agents.c.retired.is_(None)).order_by(agents.c.name)
        return list(connection.execute(query).scalars())


def agent_names(store: Store) -> list[str]:
    """Everybody who was ever let in."""
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
    """Draws two agents for a task; a follow-up keeps the two of the battle that it follows.

    Args:
        store: The arena.
        owner: Who wants it.
        task: What the two are asked.
        chance: What draws them.
        ratings: Ends of the interval of each agent's rating, so that uncertain pairs meet more often.
        follows: The battle that this one goes on with.
        among: Only these agents are drawn, of those that are not retired.
        most: Unfinished battles that the owner may have, this one included.

    Raises:
        InvalidInput: When there are not two agents to draw from.
        Refused: When the battle to follow is somebody else's, or was voted on by them, or the owner has too many that
            are not finished.
    """
    id_ = secrets.token_hex(16)
    with store.write() as connection:
        if most is not None:
            _check_number(connection, owner, most)
        if follows is not None:
            earlier = _row(connection, follows, lock=True)  # a vote that is being written is waited for
            if earlier.owner != owner.id:
                raise Refused("only who began a battle can go on with it")
            mine = (votes.c.battle == follows, votes.c.person == owner.id)
            if connection.execute(select(votes.c.version).where(*mine)).one_or_none() is not None:
                raise Refused("you have voted on this battle and know the two", fix="begin another battle")
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
    """A battle as anybody may see it. Raises `Refused` when there is none."""
    with store.read() as connection:
        row = _row(connection, id_)
        found = connection.execute(select(sides).where(sides.c.battle == id_)).all()
    names = [field.name for field in fields(Side)]
    return as_battle(row, [Side(**{name: getattr(one, name) for name in names}) for one in found])


def contenders(store: Store, id_: str) -> tuple[str, str]:
    """Who the two are. For whoever runs them: nothing of this may reach a person before the vote."""
    with store.read() as connection:
        row = _row(connection, id_)
    return row.a, row.b


def begin(store: Store, id_: str, fingerprints: Mapping[str, str]) -> None:
    """Both seats are ready: the battle runs, if they are the same.

    Raises:
        InvalidInput: When the two seats differ; the battle is then over.
    """
    one, other = (fingerprints[side] for side in SIDES)
    if one != other:
        why = "the two seats are not the same, so the battle would not be fair"
        fail(store, id_, why)
        raise InvalidInput(why, fix="begin another battle")
    _move(store, id_, ("preparing",), status="running", fingerprint=one)


def end_side(store: Store, id_: str, side: Side) -> None:
    """One of the two is done."""
    values = {name: value for name, value in vars(side).items() if name != "side"}
    with store.write() as connection:
        here = (sides.c.battle == id_, sides.c.side == side.side)
        connection.execute(update(sides).where(*here).values(values))


def to_judge(store: Store, id_: str) -> None:
    """Both are done: it can be judged from now on."""
    _move(store, id_, ("running",), status="judging", judged=now())


def close(store: Store, id_: str) -> None:
    """No vote on it can be given or changed any more."""
    _move(store, id_, ("judging",), status="closed", closed=now())


def fail(store: Store, id_: str, why: str) -> None:
    """It could not be fought; no vote comes of it, and no score."""
    _move(store, id_, UNFINISHED, status="failed", why=why[:500])


def interrupt_all(store: Store) -> list[str]:
    """When a server starts: battles that ran when the last one died can only be begun again."""
    with store.write() as connection:
        found = list(connection.execute(select(battles.c.id).where(battles.c.status.in_(UNFINISHED))).scalars())
        if found:
            why = "the server stopped while it ran"
            connection.execute(update(battles).where(battles.c.id.in_(found)).values(status="interrupted", why=why))
    return found


def interrupt(store: Store, ids: Sequence[str]) -> None:
    """The server stops while these are not finished; others stay as they are."""
    with store.write() as connection:
        query = update(battles).where(battles.c.id.in_(ids), battles.c.status.in_(UNFINISHED))
        connection.execute(query.values(status="interrupted", why="the server stopped while it ran"))


def begin_again(store: Store, id_: str, owner: Person, most: int | None = None) -> None:
    """A battle that failed or was interrupted is to be fought once more, by the same two on the same sides.

    Raises:
        Refused: When it is not theirs, or did not fail, or they have too many that are not finished.
    """
    with store.write() as connection:
        row = _row(connection, id_)
        if row.owner != owner.id:
            raise Refused("only who began a battle can begin it again")
        if most is not None:
            _check_number(connection, owner, most)
        here = (battles.c.id == id_, battles.c.status.in_(("failed", "interrupted")))
        query = update(battles).where(*here).values(status="preparing", why="", fingerprint="")
        if connection.execute(query).rowcount != 1:
            raise Refused(f"this battle is {row.status}; only one that failed can be begun again")
        for table in (messages, identifications):
            connection.execute(delete(table).where(table.c.battle == id_))
        connection.execute(delete(sides).where(sides.c.battle == id_))
        connection.execute(sides.insert(), [_blank(id_, side) for side in SIDES])


def ask(store: Store, id_: str, side: Literal["a", "b"], question: str) -> int:
    """An agent asks the person; returns the question's number."""
    with store.write() as connection:
        here = (messages.c.battle == id_, messages.c.side == side)
        number = connection.execute(select(func.count()).select_from(messages).where(*here)).scalar_one()
        row = {"battle": id_, "side": side, "number": number, "asked": now(), "question": question[:MAX_ANSWER]}
        connection.execute(messages.insert().values(row))
    return int(number)


def answer(store: Store, id_: str, person: Person, side: str, number: int, text: str) -> None:
    """The person answers, once.

    Raises:
        Refused: When it is not their battle, or there is no such question, or it is answered.
    """
    with store.write() as connection:
        if _row(connection, id_).owner != person.id:
            raise Refused("only who began a battle can answer its agents")
        here = (messages.c.battle == id_, messages.c.side == side, messages.c.number == number)
        query = update(messages).where(*here, messages.c.answer.is_(None)).values(answer=text[:MAX_ANSWER])
        if connection.execute(query).rowcount != 1:
            raise Absent("there is no such question that waits for an answer")


def settle(store: Store, id_: str, side: str, number: int, otherwise: str) -> str:
    """The answer to a question; where there is none yet, `otherwise` is it, and no other can be given any more."""
    with store.write() as connection:
        here = (messages.c.battle == id_, messages.c.side == side, messages.c.number == number)
        connection.execute(update(messages).where(*here, messages.c.answer.is_(None)).values(answer=otherwise))
        return str(connection.execute(select(messages.c.answer).where(*here)).scalar_one())


def share(store: Store, id_: str) -> None:
    """Lets every judge see a battle and judge it: for studies of how far people agree."""
    with store.write() as connection:
        _row(connection, id_)
        if connection.execute(select(shared).where(shared.c.battle == id_)).one_or_none() is None:
            connection.execute(shared.insert().values(battle=id_, since=now()))


def may_see(store: Store, battle: Battle, person: Person) -> bool:
    """Whether somebody may see a battle: who began it, admins, and judges once it is shared."""
    if sees(battle, person, is_shared=False):
        return True
    with store.read() as connection:
        found = connection.execute(select(shared).where(shared.c.battle == battle.id)).one_or_none()
    return sees(battle, person, is_shared=found is not None)


def sees(battle: Battle, person: Person, *, is_shared: bool) -> bool:
    """As `may_see`, for who knows whether it is shared."""
    return battle.owner == person.id or person.role == "admin" or (person.role == "judge" and is_shared)


def conversation(store: Store, id_: str) -> list[dict[str, Any]]:
    """What was asked and answered, in the order of asking."""
    with store.read() as connection:
        query = select(messages).where(messages.c.battle == id_).order_by(messages.c.asked, messages.c.number)
        return [dict(row._mapping) for row in connection.execute(query)]


def as_battle(row: Row[Any], found: Sequence[Side]) -> Battle:
    """What anybody may see of a row of the table of battles."""
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
        sides={one.side: one for one in found},
    )


def _met(connection: Connection) -> dict[frozenset[str], int]:
    counted = (
        select(battles.c.a, battles.c.b, func.count().label("times"))
        .join(votes, votes.c.battle == battles.c.id)
        .outerjoin(flags, (flags.c.battle == votes.c.battle) & (flags.c.person == votes.c.person))
        .where(flags.c.battle.is_(None))
        .group_by(battles.c.a, battles.c.b)
    )
    found: dict[frozenset[str], int] = {}
    for row in connection.execute(counted):
        pair = frozenset((row.a, row.b))
        found[pair] = found.get(pair, 0) + row.times
    return found


def _move(store: Store, id_: str, allowed: Sequence[str], **values: Any) -> None:
    with store.write() as connection:
        query = update(battles).where(battles.c.id == id_, battles.c.status.in_(allowed)).values(values)
        if connection.execute(query).rowcount != 1:
            raise Refused(f"this battle is {_row(connection, id_).status}, expected {' or '.join(allowed)}")


def _check_number(connection: Connection, owner: Person, most: int) -> None:
    """Raises when the owner has too many; two requests of one person at once wait for each other here."""
    connection.execute(select(people.c.id).where(people.c.id == owner.id).with_for_update())
    mine = (battles.c.owner == owner.id, battles.c.status.in_(UNFINISHED))
    if connection.execute(select(func.count()).select_from(battles).where(*mine)).scalar_one() >= most:
        raise Refused(f"you have {most} battles that are not finished", fix="wait for one of them, or stop it")


def _row(connection: Connection, id_: str, *, lock: bool = False) -> Row[Any]:
    query = select(battles).where(battles.c.id == id_)
    found = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if found is None:
        raise Absent("there is no such battle")
    return found


def _blank(id_: str, side: str) -> dict[str, Any]:
    return {"battle": id_, "side": side, "episode": "", "outcome": ""}
