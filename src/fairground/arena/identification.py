"""Agents that tell who they are: found in what they typed, asked, answered and thought, and kept as evidence.

Text is redacted before a person sees it (`redaction`), but a screen cannot be. So a battle in which an agent typed a
name is marked: its votes do not count, unless an admin decides otherwise.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal

from sqlalchemy import select

from fairground.arena.battles import Battle, agent_names
from fairground.arena.redaction import EDGE, Redactor
from fairground.arena.schema import battles, identifications
from fairground.arena.seeing import series_of
from fairground.arena.store import Store, upserting
from fairground.core import Answer, CallUser, Fail, Key, KeyDown, Step, Type

Channel = Literal["typed", "question", "answer", "thought", "series"]
"""How a name was written; `series`: it was typed in another battle of the same two."""

MOST: Final = 20
"""Findings of one side that are kept."""

_LOOKED_AT: Final = 2_000_000  # characters of one channel
_AROUND: Final = 60  # characters of the text before and after a name that are kept
_WRITES: Final = {"space": " ", "enter": "\n", "tab": "\t"}
_SHIFTS: Final = ("shift", "shift_r")


@dataclass(frozen=True)
class Identification:
    """A name that an agent wrote and that tells who it is.

    Attributes:
        channel: How it was written.
        step: In which step, counted from 1.
        word: What was found, as it is usually written.
        text: What the agent wrote, around it.
        seen: Whether the screen may have shown it.
    """

    side: str
    channel: Channel
    step: int
    word: str
    text: str
    seen: bool


def battle_redactor(store: Store, battle: Battle, agents: Iterable[str] = ()) -> Redactor:
    """What hides names in the texts of a battle: those of all agents of the arena, and of `agents`."""
    task = battle.task
    words = "\n".join((task.text, *task.preparation.pages, task.preparation.repository))
    return Redactor({*agent_names(store), *agents}, words)


def identify(side: str, steps: Sequence[Step], redactor: Redactor) -> list[Identification]:
    """Where an agent told who it is, the visible first."""
    written: dict[Channel, list[tuple[int, str]]] = {
        "typed": typed(steps),
        "question": [(step.index, step.action.text) for step in steps if isinstance(step.action, CallUser)],
        "answer": [(step.index, _end(step)) for step in steps],
        "thought": [(step.index, step.thought) for step in steps],
    }
    return [
        found
        for channel, pieces in written.items()
        for found in _in_channel(side, channel, pieces, redactor)[:MOST]
    ][:MOST]  # fmt: skip


def keep_identifications(store: Store, battle: str, found: Sequence[Identification]) -> None:
    """Writes down what was found on one side.

    A name that was typed counts for all battles of the series: the same two go on in the same seats, and who judges one
    of the battles may have seen the others.
    """
    rows = [{"battle": battle, "number": number, **vars(one)} for number, one in enumerate(found)]
    with store.write() as connection:
        series = series_of(connection, battle)
        own = identifications.c.channel != "series"
        known = select(identifications).where(identifications.c.battle.in_(series), identifications.c.seen, own)
        typed_in = [dict(row._mapping) for row in connection.execute(known)] + [row for row in rows if row["seen"]]
        for row in typed_in:
            place = (series.index(row["battle"]) + 1) * MOST
            told = {**row, "channel": "series", "number": place + row["number"]}
            rows += [{**told, "battle": other} for other in series if other != row["battle"]]
        if rows:
            connection.execute(upserting(connection, identifications).on_conflict_do_nothing(), rows)


def identifications_of(store: Store, ids: Collection[str]) -> dict[str, list[Identification]]:
    """What was found, by battle."""
    query = select(identifications).where(identifications.c.battle.in_(ids)).order_by(identifications.c.number)
    found: dict[str, list[Identification]] = {}
    with store.read() as connection:
        for row in connection.execute(query):
            told = {name: getattr(row, name) for name in ("side", "channel", "step", "word", "text", "seen")}
            found.setdefault(row.battle, []).append(Identification(**told))
    return found


def identified_battles(store: Store, among: Collection[str]) -> dict[str, tuple[int, int]]:
    """For each agent: in how many of these battles it typed a telling name, and in how many it only wrote one."""
    query = (
        select(battles.c.id, battles.c.a, battles.c.b, identifications.c.side, identifications.c.seen)
        .join(battles, battles.c.id == identifications.c.battle)
        .where(identifications.c.channel != "series")
    )
    seen: dict[tuple[str, str], bool] = {}
    with store.read() as connection:
        for row in connection.execute(query):
            if row.id in among:
                agent = row.a if row.side == "a" else row.b
                seen[agent, row.id] = seen.get((agent, row.id), False) or row.seen
    found: dict[str, tuple[int, int]] = {}
    for (agent, _), visible in seen.items():
        typed_in, hidden = found.get(agent, (0, 0))
        found[agent] = (typed_in + visible, hidden + (not visible))
    return found


def typed(steps: Sequence[Step]) -> list[tuple[int, str]]:
    """What was typed, by step: texts and single keys, less what was deleted."""
    pieces: list[tuple[int, str]] = []
    for step in steps:
        match step.action:
            case Type(text=text) if not step.refused:
                pieces.append((step.index, text))
            case Key() as action if not step.refused:
                _press(pieces, step.index, action)
            case KeyDown(key=key) if not step.refused and len(key) == 1:
                pieces.append((step.index, key))
    return [piece for piece in pieces if piece[1]]


def key_text(action: Key) -> str:
    """What a key writes; nothing for one that writes nothing, or with ctrl or alt."""
    written = [_WRITES.get(key, key if len(key) == 1 else "") for key in action.keys if key not in _SHIFTS]
    return "".join(written) * action.repeat if all(written) else ""


def _press(pieces: list[tuple[int, str]], index: int, action: Key) -> None:
    if action.keys == ("backspace",):
        for _ in range(action.repeat):
            while pieces and not pieces[-1][1]:
                pieces.pop()
            if not pieces:
                return
            pieces[-1] = (pieces[-1][0], pieces[-1][1][:-1])
    elif text := key_text(action):
        pieces.append((index, text))


def _end(step: Step) -> str:
    match step.action:
        case Answer(text=text) | Fail(reason=text):
            return text
    return ""


def _in_channel(
    side: str, channel: Channel, pieces: Sequence[tuple[int, str]], redactor: Redactor
) -> list[Identification]:
    """Names in texts that follow each other; also those that are split over several."""
    whole = EDGE.join(text for _, text in pieces)[:_LOOKED_AT]
    starts = [0, *accumulate(len(text) + 1 for _, text in pieces)]
    found: dict[tuple[str, int], Identification] = {}
    for one in redactor.mentions(whole):
        if one.tells:
            step = pieces[bisect.bisect_right(starts, one.start) - 1][0] + 1
            around = whole[max(0, one.start - _AROUND) : one.end + _AROUND].replace(EDGE, "").replace("\0", "")
            told = Identification(side, channel, step, one.word[:200], around, channel == "typed")
            found.setdefault((one.word, step), told)
    return list(found.values())
