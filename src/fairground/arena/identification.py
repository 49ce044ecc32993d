"""Detection of agents that identify themselves in what they type, ask, answer or think.

Findings are stored as evidence.

Text is redacted before a person sees it (see `redaction`), but screens are not. A battle in which an agent typed a name
is therefore flagged: its votes do not count, unless an admin decides otherwise.
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
"""Where a name was written; `series`: it was typed in another battle of the same two agents."""

MOST: Final = 20
"""Maximum number of findings stored per side."""

_LOOKED_AT: Final = 2_000_000  # maximum characters per channel
_AROUND: Final = 60  # characters of context to store before and after a name
_WRITES: Final = {"space": " ", "enter": "\n", "tab": "\t"}
_SHIFTS: Final = ("shift", "shift_r")


@dataclass(frozen=True)
class Identification:
    """A name that an agent wrote and that identifies it.

    Attributes:
        channel: Where it was written.
        step: Step number, from 1.
        word: The name in its usual spelling.
        text: The agent's text around it.
        seen: Whether it may have been visible on the screen.
    """

    side: str
    channel: Channel
    step: int
    word: str
    text: str
    seen: bool


def battle_redactor(store: Store, battle: Battle, agents: Iterable[str] = ()) -> Redactor:
    """Return the redactor for the texts of a battle, with the names of all agents of the arena and of `agents`."""
    task = battle.task
    words = "\n".join((task.text, *task.preparation.pages, task.preparation.repository))
    return Redactor({*agent_names(store), *agents}, words)


def identify(side: str, steps: Sequence[Step], redactor: Redactor) -> list[Identification]:
    """Return where an agent identified itself, visible findings first."""
    written: dict[Channel, list[tuple[int, str]]] = {
        "typed": typed(steps),
        "question": [(step.index, step.action.text) for step in steps if isinstance(step.action, CallUser)],
        "answer": [(step.index, _end(step)) for step in steps],
        "thought": [(step.index, step.thought) for step in steps],
    }
    return [
        finding
        for channel, pieces in written.items()
        for finding in _in_channel(side, channel, pieces, redactor)[:MOST]
    ][:MOST]  # fmt: skip


def keep_identifications(store: Store, battle: str, found: Sequence[Identification]) -> None:
    """Store the findings of one side.

    A typed name counts for all battles of a series: the same agents continue in the same seats, and a person who judges
    one of the battles may have seen the others.
    """
    rows = [{"battle": battle, "number": number, **vars(finding)} for number, finding in enumerate(found)]
    with store.write() as connection:
        series = series_of(connection, battle)
        own = identifications.c.channel != "series"
        known = select(identifications).where(identifications.c.battle.in_(series), identifications.c.seen, own)
        typed_in = [dict(row._mapping) for row in connection.execute(known)] + [row for row in rows if row["seen"]]
        for row in typed_in:
            place = (series.index(row["battle"]) + 1) * MOST
            copy = {**row, "channel": "series", "number": place + row["number"]}
            rows += [{**copy, "battle": battle_id} for battle_id in series if battle_id != row["battle"]]
        if rows:
            connection.execute(upserting(connection, identifications).on_conflict_do_nothing(), rows)


def identifications_of(store: Store, ids: Collection[str]) -> dict[str, list[Identification]]:
    """Return the findings by battle."""
    query = select(identifications).where(identifications.c.battle.in_(ids)).order_by(identifications.c.number)
    by_battle: dict[str, list[Identification]] = {}
    with store.read() as connection:
        for row in connection.execute(query):
            values = {name: getattr(row, name) for name in ("side", "channel", "step", "word", "text", "seen")}
            by_battle.setdefault(row.battle, []).append(Identification(**values))
    return by_battle


def identified_battles(store: Store, among: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return per agent the number of these battles in which it typed its name, and in which it only wrote it."""
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
    by_agent: dict[str, tuple[int, int]] = {}
    for (agent, _), visible in seen.items():
        typed_in, hidden = by_agent.get(agent, (0, 0))
        by_agent[agent] = (typed_in + visible, hidden + (not visible))
    return by_agent


def typed(steps: Sequence[Step]) -> list[tuple[int, str]]:
    """Return the typed text by step: texts and single keys, without deleted characters."""
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
    """Return the text that a key types; empty for other keys, or with ctrl or alt."""
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
    """Find names in consecutive texts, including names split over several texts."""
    joined = EDGE.join(text for _, text in pieces)[:_LOOKED_AT]
    starts = [0, *accumulate(len(text) + 1 for _, text in pieces)]
    findings: dict[tuple[str, int], Identification] = {}
    for mention in redactor.mentions(joined):
        if mention.tells:
            step = pieces[bisect.bisect_right(starts, mention.start) - 1][0] + 1
            around = joined[max(0, mention.start - _AROUND) : mention.end + _AROUND].replace(EDGE, "").replace("\0", "")
            finding = Identification(side, channel, step, mention.word[:200], around, channel == "typed")
            findings.setdefault((mention.word, step), finding)
    return list(findings.values())
