"""Votes as the statistics and data sets want them: who met whom, what was said, what counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from fairground.arena.filters import Finding, Judged, find_bad_votes
from fairground.arena.schema import battles, flags, sides, votes
from fairground.arena.store import Store
from fairground.arena.voting import flag, unflag
from fairground.stats import Votes

FILTERED = ("duplicate", "off-topic", "too-fast", "outlier")
"""Reasons that filters give; people may give others."""

_WINNERS = {"a": "left", "b": "right", "tie": "tie", "both_bad": "both_bad"}


@dataclass(frozen=True)
class Row:
    """A vote with all that is known of its battle. `flagged` says why it does not count; empty when it does."""

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
    flagged: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether it counts."""
        return not self.flagged


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
    found = []
    for row in rows:
        values = dict(row._mapping)
        for side in ("a", "b"):
            end = ended.get((row.battle, side))
            for name in _OF_SIDE:
                values[f"{name}_{side}"] = getattr(end, name, "" if name in ("episode", "outcome") else None)
        found.append(Row(**values, flagged=tuple(why.get((row.battle, row.person), ()))))
    return found


def counted(rows: Iterable[Row]) -> Votes | None:
    """The votes that count, for statistics; None without any."""
    some = [row for row in rows if row.counts]
    if not some:
        return None
    return Votes.of(
        [row.a for row in some],
        [row.b for row in some],
        [_WINNERS[row.winner] for row in some],
        voter=[row.person for row in some],
        task=[row.battle for row in some],
        category=[row.category or "other" for row in some],
    )


def apply_filters(store: Store, rows: Sequence[Row] | None = None) -> list[Finding]:
    """Flags what the filters find now, and takes back what they no longer find. Votes stay as they are."""
    rows = all_votes(store) if rows is None else rows
    found = find_bad_votes(
        [Judged(row.battle, row.person, row.task, row.winner, row.created, row.seconds, row.own_task) for row in rows]
    )
    wanted = {(one.battle, one.person, one.reason) for one in found}
    known = {(row.battle, row.person, why) for row in rows for why in row.flagged if why in FILTERED}
    for one in found:
        if (one.battle, one.person, one.reason) not in known:
            flag(store, one.battle, one.person, one.reason, one.detail)
    for battle, person, reason in known - wanted:
        unflag(store, battle, person, reason)
    return found


_OF_BATTLE = ("world", "task", "own_task", "category", "platform", "fingerprint", "a", "b")
_OF_SIDE = ("episode", "reward", "outcome", "steps", "questions", "repetition")
