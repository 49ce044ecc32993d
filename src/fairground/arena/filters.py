"""Votes that should not count, and why: repeated, off topic, too fast, or by somebody who disagrees with everybody."""

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
    """What the filters look for. Each can be switched off; none ever deletes a vote."""

    duplicates: bool = Field(True, description="mark a person's vote on the same words of their own as before")
    off_topic: bool = Field(True, description="mark votes on own tasks that need no computer")
    shortest: int = Field(8, ge=0, le=100, description="letters and digits that an own task has at least")
    phrases: tuple[Phrase, ...] = Field(
        (), max_length=100, description="own tasks that need no computer, beside those that are known; whole tasks"
    )
    too_fast: float = Field(5.0, ge=0, le=600, description="seconds before which nobody can have looked; 0: none")
    outlier_level: float = Field(
        0.001, ge=0, le=0.05, description="how unlikely a voter's disagreement with the others must be; 0: none"
    )
    min_shared: int = Field(
        8, ge=4, le=1000, description="battles that a voter must share with others before anything is said of them"
    )
    identified: bool = Field(
        True, description="mark votes on battles in which an agent typed a name that tells who it is"
    )


REASONS = {
    "duplicate": "the same person with the same words again: only the first vote counts",
    "off-topic": "the task needed no computer",
    "too-fast": "given before anybody could have looked",
    "outlier": "by somebody who is against the others far more often than chance",
    "identified": "an agent typed a name that tells who it is, and the screen may have shown it",
    "after-reveal": "the person knew the names before their first vote",
}
"""What filters find, in words; people may give other reasons."""

KNEW = REASONS["after-reveal"]

_OFF_TOPIC = re.compile(
    r"^\W*(hi|hello|hey|test(ing)?|asdf\w*|what is \d+ ?[-+*/x] ?\d+|who are you|tell me a joke|lorem ipsum.*)\W*$",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\W+")


@dataclass(frozen=True)
class Judged:
    """A vote with what a filter looks at.

    Attributes:
        seconds: From when both agents were done; None when unknown.
        own: Whether the task was the person's own words.
        identified: The sides whose agent typed a name that tells who it is, such as "ab".
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
    """Everything that the filters have to say; a vote may be found for several reasons."""
    wanted = settings or FilterSettings()
    return [
        *(_duplicates(votes) if wanted.duplicates else ()),
        *(_off_topic(votes, wanted) if wanted.off_topic else ()),
        *_too_fast(votes, wanted.too_fast),
        *_outliers(votes, wanted),
        *(
            Finding(one.battle, one.person, "identified", wrote_its_name(one.identified))
            for one in votes
            if wanted.identified and one.identified
        ),
        *(Finding(one.battle, one.person, "after-reveal", KNEW) for one in votes if one.knew),
    ]


def wrote_its_name(sides: str) -> str:
    """What a mark says of sides on which an agent typed a name."""
    return f"a name that tells who it is was typed on side {' and '.join(sides)}"


def _duplicates(votes: Sequence[Judged]) -> Iterator[Finding]:
    """The same person with the same words of their own again: only the first counts."""
    seen: dict[tuple[str, str], str] = {}
    for vote in sorted(votes, key=lambda one: one.created):
        key = (vote.person, _said(vote.task))
        if vote.own and key in seen and seen[key] != vote.battle:
            yield Finding(vote.battle, vote.person, "duplicate", f"the same task as in battle {seen[key]}")
        seen.setdefault(key, vote.battle)


def _off_topic(votes: Sequence[Judged], wanted: FilterSettings) -> Iterator[Finding]:
    phrases = {_said(one) for one in wanted.phrases}
    for vote in votes:
        if not vote.own:
            continue
        if len(_SPACE.sub("", vote.task)) < wanted.shortest or _OFF_TOPIC.match(vote.task):
            yield Finding(vote.battle, vote.person, "off-topic", "nothing that needs a computer")
        elif _said(vote.task) in phrases:
            yield Finding(vote.battle, vote.person, "off-topic", "a phrase that an admin has named")


def _said(task: str) -> str:
    """Words without what people write in another way each time."""
    return _SPACE.sub(" ", task).strip().casefold()


def _too_fast(votes: Sequence[Judged], least: float) -> Iterator[Finding]:
    for vote in votes:
        if vote.seconds is not None and vote.seconds < least:
            yield Finding(vote.battle, vote.person, "too-fast", f"{vote.seconds:.1f} s, expected at least {least:g}")


def _outliers(votes: Sequence[Judged], wanted: FilterSettings) -> Iterator[Finding]:
    """Voters who pick the loser of battles that others judged too, more often than chance would let a judge."""
    by_battle: dict[str, list[Judged]] = defaultdict(list)
    for vote in votes:
        by_battle[vote.battle].append(vote)
    shared: Counter[str] = Counter()
    against: Counter[str] = Counter()
    for some in by_battle.values():
        sided = [vote for vote in some if vote.winner in ("a", "b")]
        for vote in sided:
            others = Counter(other.winner for other in sided if other.person != vote.person)
            if others["a"] != others["b"]:
                shared[vote.person] += 1
                against[vote.person] += others.most_common(1)[0][0] != vote.winner
    odd = _odd(shared, against, wanted)
    for vote in votes:
        if vote.person in odd:
            yield Finding(vote.battle, vote.person, "outlier", odd[vote.person])


def _odd(shared: Mapping[str, int], against: Mapping[str, int], wanted: FilterSettings) -> dict[str, str]:
    found = {}
    for person, times in shared.items():
        # Somebody who tosses a coin disagrees half of the time; worse than that does not happen to judges.
        if times >= wanted.min_shared and bdtrc(against[person] - 1, times, 0.5) < wanted.outlier_level:
            found[person] = f"against the others in {against[person]} of {times} battles"
    return found
