"""Filters for votes that should not count: repeated, off topic, too fast, or by a voter who always disagrees."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from scipy.special import bdtrc

from fairground.core import Record

Phrase = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*\w[^\x00-\x1f]*$")]


class FilterSettings(Record):
    """Settings of the filters. Each filter can be switched off. Filters never delete a vote."""

    duplicates: bool = Field(True, description="flag a person's repeated votes on the same custom task")
    off_topic: bool = Field(True, description="flag votes on custom tasks that need no computer")
    shortest: int = Field(8, ge=0, le=100, description="minimum number of letters and digits of a custom task")
    phrases: tuple[Phrase, ...] = Field(
        (), max_length=100, description="additional custom tasks that need no computer; compared as a whole"
    )
    too_fast: float = Field(5.0, ge=0, le=600, description="minimum seconds before a vote; 0 flags none")
    outlier_level: float = Field(
        0.001, ge=0, le=0.05, description="significance level for voters who disagree with others; 0 flags none"
    )
    min_shared: int = Field(
        8, ge=4, le=1000, description="minimum number of battles that a voter must share with others"
    )
    identified: bool = Field(
        True, description="flag votes on battles in which an agent typed a name that identifies it"
    )


REASONS = {
    "duplicate": "a repeated custom task of the same person; only the first vote counts",
    "off-topic": "the task needs no computer",
    "too-fast": "given too soon to have looked at both agents",
    "outlier": "by a voter who disagrees with others far more often than chance",
    "identified": "an agent typed a name that identifies it, and the screen may have shown it",
    "after-reveal": "the person knew the names before their first vote",
}
"""Reasons of the filters as text. Admins may give other reasons."""

KNEW = REASONS["after-reveal"]

_OFF_TOPIC = re.compile(
    r"^\W*(hi|hello|hey|test(ing)?|asdf\w*|what is \d+ ?[-+*/x] ?\d+|who are you|tell me a joke|lorem ipsum.*)\W*$",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\W+")


@dataclass(frozen=True)
class Judged:
    """A vote with the data for the filters.

    Attributes:
        seconds: Time since both agents were done; None if unknown.
        own: Whether it was a custom task.
        identified: Sides whose agent typed a name that identifies it, such as "ab".
        knew: Whether the person knew the names before their first vote.
    """

    battle: str
    person: str
    task: str
    winner: str
    created: float
    seconds: float | None = None
    own: bool = False
    identified: str = ""
    knew: bool = False


@dataclass(frozen=True)
class Finding:
    """A vote that should not count."""

    battle: str
    person: str
    reason: str
    detail: str


def find_bad_votes(votes: Sequence[Judged], settings: FilterSettings | None = None) -> list[Finding]:
    """Return all findings of the filters. A vote can have several."""
    wanted = settings or FilterSettings()
    return [
        *(_duplicates(votes) if wanted.duplicates else ()),
        *(_off_topic(votes, wanted) if wanted.off_topic else ()),
        *_too_fast(votes, wanted.too_fast),
        *_outliers(votes, wanted),
        *(
            Finding(vote.battle, vote.person, "identified", wrote_its_name(vote.identified))
            for vote in votes
            if wanted.identified and vote.identified
        ),
        *(Finding(vote.battle, vote.person, "after-reveal", KNEW) for vote in votes if vote.knew),
    ]


def wrote_its_name(sides: str) -> str:
    """Return the text of a flag for sides on which an agent typed its name."""
    return f"a name that identifies the agent was typed on side {' and '.join(sides)}"


def _duplicates(votes: Sequence[Judged]) -> Iterator[Finding]:
    """Find repeated votes of a person on the same custom task. Only the first one counts."""
    seen: dict[tuple[str, str], str] = {}
    for vote in sorted(votes, key=lambda vote: vote.created):
        key = (vote.person, _said(vote.task))
        if vote.own and key in seen and seen[key] != vote.battle:
            yield Finding(vote.battle, vote.person, "duplicate", f"the same task as in battle {seen[key]}")
        seen.setdefault(key, vote.battle)


def _off_topic(votes: Sequence[Judged], wanted: FilterSettings) -> Iterator[Finding]:
    phrases = {_said(phrase) for phrase in wanted.phrases}
    for vote in votes:
        if not vote.own:
            continue
        if len(_SPACE.sub("", vote.task)) < wanted.shortest or _OFF_TOPIC.match(vote.task):
            yield Finding(vote.battle, vote.person, "off-topic", "needs no computer")
        elif _said(vote.task) in phrases:
            yield Finding(vote.battle, vote.person, "off-topic", "a phrase listed by an admin")


def _said(task: str) -> str:
    """Normalise text: ignore case, punctuation and spacing."""
    return _SPACE.sub(" ", task).strip().casefold()


def _too_fast(votes: Sequence[Judged], least: float) -> Iterator[Finding]:
    for vote in votes:
        if vote.seconds is not None and vote.seconds < least:
            yield Finding(vote.battle, vote.person, "too-fast", f"{vote.seconds:.1f} s, expected at least {least:g}")


def _outliers(votes: Sequence[Judged], wanted: FilterSettings) -> Iterator[Finding]:
    """Find voters who disagree with the majority of other voters significantly more often than chance."""
    by_battle: dict[str, list[Judged]] = defaultdict(list)
    for vote in votes:
        by_battle[vote.battle].append(vote)
    shared: Counter[str] = Counter()
    against: Counter[str] = Counter()
    for sided_votes in by_battle.values():
        sided = [vote for vote in sided_votes if vote.winner in ("a", "b")]
        for vote in sided:
            opinions = Counter(peer.winner for peer in sided if peer.person != vote.person)
            if opinions["a"] != opinions["b"]:
                shared[vote.person] += 1
                against[vote.person] += opinions.most_common(1)[0][0] != vote.winner
    odd = _odd(shared, against, wanted)
    for vote in votes:
        if vote.person in odd:
            yield Finding(vote.battle, vote.person, "outlier", odd[vote.person])


def _odd(shared: Mapping[str, int], against: Mapping[str, int], wanted: FilterSettings) -> dict[str, str]:
    by_person = {}
    for person, times in shared.items():
        # A voter who answers at random disagrees half of the time. Judges do not do worse than that.
        if times >= wanted.min_shared and bdtrc(against[person] - 1, times, 0.5) < wanted.outlier_level:
            by_person[person] = f"disagreed with the others in {against[person]} of {times} battles"
    return by_person
